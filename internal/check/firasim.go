package check

import (
	"bytes"
	"net/netip"
	"slices"

	"touchline/wire"
	"touchline/wire/firasim"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
	"touchline/wire/tcm"
)

// Destinations of packets.
var (
	mixedTeam  = netip.MustParseAddrPort(mixedteam.Group)
	vision     = netip.MustParseAddrPort(firasim.Vision)
	visionWiki = netip.MustParseAddrPort(firasim.VisionWiki)
	referee    = netip.MustParseAddrPort(firasim.Referee)
	placements = netip.MustParseAddrPort(firasim.Placements)
	sslVSS     = netip.MustParseAddrPort(firasim.SSLVisionVSS)
	sslVision  = netip.MustParseAddrPort(firasim.SSLVisionGroup)
	sslGrSim   = netip.MustParseAddrPort(firasim.SSLVisionGrSim)
)

// Recognised reports whether a packet to an address is a mixed team package, one of FIRASim's messages, a TCM datagram
// or a message of a base station: by the port or the group of the first, by the port of the second, with their group if
// it is multicast, by the first bytes of the third, and by the type in the last.
func Recognised(to netip.AddrPort, payload []byte) bool {
	_, ok := firasimKind(to, payload)
	return ok || tcm.Is(payload) || isMixedTeam(to) || isStation(payload)
}

// isMixedTeam reports whether an address is that of mixed team packages.
func isMixedTeam(to netip.AddrPort) bool {
	return to.Port() == mixedTeam.Port() || to.Addr() == mixedTeam.Addr()
}

// isStation reports whether a packet is a message of a base station.
func isStation(payload []byte) bool {
	if len(payload) == 0 || payload[0] != '{' {
		return false
	}
	kind := msl.KindOf(payload)
	return kind == msl.KindWorldstate || kind == msl.KindEvent || kind == msl.KindCommand
}

// isJSON reports whether a packet begins as a JSON object with a key.
func isJSON(payload []byte) bool {
	return len(payload) > 1 && payload[0] == '{' && bytes.HasPrefix(bytes.TrimLeft(payload[1:], " \t\r\n"), []byte{'"'})
}

// guess returns which message of FIRASim, VSSReferee, SSL-Vision or grSim a packet of unknown destination is, and whether
// it is one: the kind that finds no fault in it and the fewest things to note; the kind of the packet before where two
// fit alike, or where none fits.
func (c *Checker) guess(payload []byte) (firasim.Kind, bool) {
	best, least := firasim.Kind(0), -1
	for kind := firasim.KindEnvironment; kind <= firasim.KindGrSim; kind++ {
		issues := firasim.Check(kind, payload)
		if slices.ContainsFunc(issues, func(i wire.Issue) bool { return !i.Note }) {
			continue
		}
		if n := len(issues); least < 0 || n < least || n == least && c.guessed && kind == c.kind {
			best, least = kind, n
		}
	}
	if least >= 0 {
		c.kind, c.guessed = best, true
	}
	return c.kind, c.guessed
}

// firasimKind returns which message of FIRASim, VSSReferee, SSL-Vision or grSim a packet to an address holds, and whether
// it holds one.
func firasimKind(to netip.AddrPort, payload []byte) (firasim.Kind, bool) {
	is := func(group netip.AddrPort) bool {
		return to.Port() == group.Port() && (to.Addr() == group.Addr() || !to.Addr().IsMulticast())
	}
	switch {
	case is(vision), is(visionWiki):
		return firasim.KindEnvironment, true
	case is(sslVSS), is(sslVision), is(sslGrSim):
		return firasim.KindSSL, true
	case to.Port() == firasim.CommandPort && firasim.IsGrSim(payload):
		return firasim.KindGrSim, true
	case to.Port() == firasim.CommandPort:
		return firasim.KindPacket, true
	case is(referee):
		return firasim.KindRefereeCommand, true
	case is(placements):
		return firasim.KindPlacement, true
	}
	return 0, false
}
