package check

import (
	"net/netip"

	"touchline/wire/firasim"
	"touchline/wire/mixedteam"
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

// Recognised reports whether a packet to an address is a mixed team package, one of FIRASim's messages or a TCM datagram:
// by the port or the group of the first, by the port of the second, with their group if it is multicast, and by the
// first bytes of the third.
func Recognised(to netip.AddrPort, payload []byte) bool {
	_, ok := firasimKind(to, payload)
	return ok || tcm.Is(payload) || to.Port() == mixedTeam.Port() || to.Addr() == mixedTeam.Addr()
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
