package check

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"
	"net/netip"

	"touchline/teamcom"
	"touchline/wire/tcm"
)

// hintChecksum finds out which other checksum a datagram has whose checksum is wrong, and adds it to the issue.
func (c *DatagramChecker) hintChecksum() {
	b := c.packet.Data
	end := len(b) - tcm.SumSize
	if end < tcm.HeaderSize {
		return
	}
	got, want, why := binary.LittleEndian.Uint32(b[end:]), tcm.Sum(b[:end]), ""
	switch got {
	case bits.ReverseBytes32(want):
		why = "the bytes are in the wrong order: write integers little-endian"
	case crc32.ChecksumIEEE(b[:end]), bits.ReverseBytes32(crc32.ChecksumIEEE(b[:end])):
		why = "this is the CRC-32 of zlib and Ethernet: CRC-32C has another polynomial (Castagnoli, 0x1EDC6F41)"
	case ^want:
		why = "the final inversion is missing"
	case tcm.Sum(b[tcm.HeaderSize:end]):
		why = "this is the CRC-32C without the header: start with byte 0"
	case tcm.Sum(append(b[:end:end], 0, 0, 0, 0)):
		why = "this is the CRC-32C with four zeros in its place: end before it"
	case 0:
		why = "it was never set"
	default:
		return
	}
	for i := range c.issues {
		if issue := &c.issues[i]; issue.Field == "crc" {
			issue.Text += "; " + why
		}
	}
}

// judgeByteOrder finds integers in big-endian order: small numbers become huge.
func (c *DatagramChecker) judgeByteOrder() {
	const huge, small = 1 << 48, 1 << 32
	if seq := c.datagram.Sequence; seq >= huge && bits.ReverseBytes64(seq) < small {
		c.fault(16, "sequence", sourceDatagram, "%d is %d with its bytes swapped: write integers little-endian, the least "+
			"significant byte first", seq, bits.ReverseBytes64(seq))
	}
}

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
