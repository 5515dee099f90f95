package firasim

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"

	"touchline/wire"
	"touchline/wire/internal/protobuf"
	"touchline/wire/internal/sslvision"
)

// Kind is a message that fills a datagram. The port determines the kind, the bytes do not.
type Kind uint8

// The kinds.
const (
	KindEnvironment Kind = iota
	KindPacket
	KindRefereeCommand
	KindPlacement
	KindSSL
	KindGrSim
)

// datagram describes the messages of a kind.
type datagram struct {
	name   string
	table  *protobuf.Table
	limit  int    // bytes of the receivers' buffer
	source string // source of limit
	check  func(d *datagram, r *rules, b []byte)
}

var datagrams = [...]datagram{
	KindEnvironment:    {"Environment", environmentTable, MaxVision, sourceClients, decoded((*rules).environment)},
	KindPacket:         {"Packet", packetTable, math.MaxInt, "", decoded((*rules).packet)},
	KindRefereeCommand: {"VSSRef_Command", refereeTable, math.MaxInt, "", decoded((*rules).referee)},
	KindPlacement:      {"VSSRef_Placement", placementTable, math.MaxInt, "", decoded((*rules).placement)},
	KindSSL:            {"SSL_WrapperPacket", sslvision.Table, MaxVision, sourceVSSVision, decoded((*rules).sslVision)},
	KindGrSim:          {"grSim_Packet", grSimTable, math.MaxInt, "", decoded((*rules).grSim)},
}

// String returns the name of the message, like "Environment", or the number of an unknown kind.
func (k Kind) String() string {
	if int(k) >= len(datagrams) {
		return strconv.Itoa(int(k))
	}
	return datagrams[k].name
}

// table returns the fields of k, none for an unknown kind.
func (k Kind) table() *protobuf.Table {
	if int(k) >= len(datagrams) {
		return new(protobuf.Table)
	}
	return datagrams[k].table
}

// Fields returns the byte table of b, decoded as a message of kind k. It covers every byte of b in order. Names are
// those of the proto files with their path, like "frame.robots_blue[1].x". A message has an entry for its key and
// length, followed by its fields. Unknown fields are listed too, like "frame.9", and malformed bytes as "unreadable".
func Fields(k Kind, b []byte) []wire.Field {
	return rulesOfAll.List(k.table(), b).Fields
}

// ports are the destinations of the messages; SSL-Vision's own groups are those of package ssl. A packet to CommandPort may be grSim's, too (IsGrSim).
var ports = []wire.Port{
	{Address: Vision, Type: int(KindEnvironment)}, {Address: VisionWiki, Type: int(KindEnvironment)},
	{Address: SSLVisionVSS, Type: int(KindSSL)}, {Address: fmt.Sprintf(":%d", CommandPort), Type: int(KindPacket)},
	{Address: Referee, Type: int(KindRefereeCommand)}, {Address: Placements, Type: int(KindPlacement)},
}

// KindOf returns which message a packet to an address holds, and whether it holds one: by the port, and for a group by the
// group, too.
func KindOf(to netip.AddrPort, b []byte) (Kind, bool) {
	if to.Port() == CommandPort && IsGrSim(b) {
		return KindGrSim, true
	}
	for i, at := range destinations {
		if to.Port() == at.Port() && (to.Addr() == at.Addr() || !to.Addr().IsMulticast() || !at.Addr().IsValid()) {
			return Kind(ports[i].Type), true
		}
	}
	return 0, false
}

// destinations are the addresses of ports; without a host for any one.
var destinations = func() (all []netip.AddrPort) {
	for _, p := range ports {
		at, err := netip.ParseAddrPort(p.Address)
		if err != nil {
			at = netip.AddrPortFrom(netip.Addr{}, CommandPort)
		}
		all = append(all, at)
	}
	return all
}()

// Describe returns the byte tables of the messages; the type of a table is its Kind. Their Rules are those of Check.
func Describe() wire.Description {
	d := wire.Description{Rules: rulesOfCheck, Words: protobuf.Words(), Ports: ports}
	for k := range datagrams {
		d.Messages = append(d.Messages, wire.Message{Type: k, Name: datagrams[k].name,
			Rows: rulesOfAll.Rows(datagrams[k].table)})
	}
	return d
}
