package check

import (
	"net/netip"
	"strings"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/mixedteam"
	"touchline/wire/ssl"
)

// prefixSSL is the Message of senders of the Small Size League, before the name of the message.
const prefixSSL = "SSL "

// sslKind returns which message of the Small Size League a packet to an address holds, and whether it holds one. Other
// leagues use the ports of its vision and referee for single machines.
func sslKind(to netip.AddrPort, payload []byte) (ssl.Kind, bool) {
	kind, ok := ssl.KindOf(to, payload)
	return kind, ok && (to.Addr().IsMulticast() || kind != ssl.KindVision && kind != ssl.KindReferee)
}

// addSSL checks one packet as a message of the Small Size League.
func (c *Checker) addSSL(p *soccer.Packet, kind ssl.Kind) {
	c.count(p)
	c.report.SSL++
	c.header = mixedteam.Header{}
	r := c.row(key{Sender: soccer.Sender{Addr: p.From, Color: soccer.NoColor}, message: prefixSSL + strings.TrimPrefix(kind.String(), "SSL_")})
	r.Packets++
	wrong := c.addIssues(r, p, ssl.Check(kind, p.Data), func(b []byte) []wire.Field { return ssl.Fields(kind, b) })
	c.addTime(r, p)
	c.countWrong(r, wrong)
}
