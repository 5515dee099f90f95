package check

import (
	"net/netip"

	"touchline/teamcom"
	"touchline/wire/tcm"
)

const sourceDirectory = "TCM datagram, Entities and sockets"

// judgeAddress compares the datagram in hand with TCM.ini.
func (c *DatagramChecker) judgeAddress() {
	h := &c.datagram.Header
	if h.Team != c.Directory.Team {
		c.fault(5, "team", sourceDirectory, "team %d, but TCM.ini is that of team %d: its receivers drop the datagram", h.Team,
			c.Directory.Team)
		return
	}
	if _, known := c.Directory.Entry(h.From); !known {
		c.fault(7, "from.id", sourceDirectory, "%s is not in TCM.ini, and receivers drop its datagrams: add it, or correct the id",
			h.From)
	}
	base, known := c.Directory.Multicast(h.To.Kind)
	if h.To.ID != 0 {
		var e teamcom.Entry
		e, known = c.Directory.Entry(h.To)
		if base = e.Addr; !known {
			c.fault(9, "to.id", sourceDirectory, "%s is not in TCM.ini: add it, or correct the id", h.To)
		}
	}
	to, err := netip.ParseAddrPort(c.packet.Channel)
	if err != nil || !known || to.Addr() != base.Addr() || h.Socket >= tcm.Sockets {
		return
	}
	if want := teamcom.Port(base, h.Socket); to != want {
		c.fault(10, "socket", sourceDirectory, "socket %s of %s is %s, but the datagram went to %s: the port is the base port + the "+
			"number of the socket", h.Socket, h.To, want, to)
	}
}
