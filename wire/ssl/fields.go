package ssl

import (
	"fmt"
	"net/netip"
	"strconv"

	"touchline/wire"
	"touchline/wire/internal/protobuf"
	"touchline/wire/internal/sslvision"
)

// Kind is a message that fills a datagram.
type Kind uint8

// The kinds.
const (
	KindVision Kind = iota
	KindTracker
	KindReferee
	KindSimulatorCommand
	KindSimulatorResponse
	KindRobotControl
	KindRobotControlResponse
	KindSyncRequest
	KindSyncResponse
)

// datagrams describe the messages by their kinds.
var datagrams = [...]struct {
	name  string
	table *protobuf.Table
	check func(t *protobuf.Table, r *rules, b []byte)
}{
	KindVision:               {"SSL_WrapperPacket", sslvision.Table, decoded((*rules).vision)},
	KindTracker:              {"TrackerWrapperPacket", trackerTable, decoded((*rules).tracker)},
	KindReferee:              {"Referee", refereeTable, decoded((*rules).referee)},
	KindSimulatorCommand:     {"SimulatorCommand", commandTable, decoded((*rules).simulatorCommand)},
	KindSimulatorResponse:    {"SimulatorResponse", simulatorResponseTable, decoded((*rules).simulatorResponse)},
	KindRobotControl:         {"RobotControl", robotControlTable, decoded((*rules).robotControl)},
	KindRobotControlResponse: {"RobotControlResponse", robotResponseTable, decoded((*rules).robotControlResponse)},
	KindSyncRequest:          {"SimulationSyncRequest", syncRequestTable, decoded((*rules).syncRequest)},
	KindSyncResponse:         {"SimulationSyncResponse", syncResponseTable, decoded((*rules).syncResponse)},
}

// String returns the name of the message, like "Referee", or the number of an unknown kind.
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
// those of the proto files with their path, like "tracked_frame.robots[1].pos.x". A message has an entry for its key and
// length, followed by its fields. Unknown fields are listed too, like "tracked_frame.9", and malformed bytes as
// "unreadable".
func Fields(k Kind, b []byte) []wire.Field { return rulesOfAll.List(k.table(), b).Fields }

// ports are the destinations of the messages that begin a conversation; a SimulationSyncRequest has that of the message in
// it.
var ports = []wire.Port{
	{Address: VisionGroup, Type: int(KindVision)}, {Address: VisionSimGroup, Type: int(KindVision)},
	{Address: TrackerGroup, Type: int(KindTracker)}, {Address: RefereeGroup, Type: int(KindReferee)},
	{Address: fmt.Sprintf(":%d", ControlPort), Type: int(KindSimulatorCommand)},
	{Address: fmt.Sprintf(":%d", BluePort), Type: int(KindRobotControl)},
	{Address: fmt.Sprintf(":%d", YellowPort), Type: int(KindRobotControl)},
}

// Describe returns the byte tables of the messages; the type of a table is its Kind. Their Rules are those of Check.
func Describe() wire.Description {
	d := wire.Description{Rules: rulesOfCheck, Words: protobuf.Words(), Ports: ports}
	for k := range datagrams {
		d.Messages = append(d.Messages, wire.Message{Type: k, Name: datagrams[k].name,
			Rows: rulesOfAll.Rows(datagrams[k].table)})
	}
	return d
}

// KindOf returns which message a datagram to an address is, and whether it is one of the league: by the port, and for a
// group by the group, too. A request of the synchronous mode may go to each port of a simulator. Very Small Size leagues
// use 224.5.23.2:10003 and other ports for their own messages.
func KindOf(to netip.AddrPort, b []byte) (Kind, bool) {
	for _, group := range [...]struct {
		at   netip.AddrPort
		kind Kind
	}{
		{vision, KindVision}, {visionSim, KindVision}, {tracker, KindTracker}, {referee, KindReferee},
	} {
		if to.Port() == group.at.Port() && (to.Addr() == group.at.Addr() || !to.Addr().IsMulticast()) {
			return group.kind, true
		}
	}
	switch to.Port() {
	case ControlPort, BluePort, YellowPort:
		switch {
		case IsSync(b):
			return KindSyncRequest, true
		case to.Port() == ControlPort:
			return KindSimulatorCommand, true
		}
		return KindRobotControl, true
	}
	return 0, false
}

// The groups as addresses.
var (
	vision    = netip.MustParseAddrPort(VisionGroup)
	visionSim = netip.MustParseAddrPort(VisionSimGroup)
	tracker   = netip.MustParseAddrPort(TrackerGroup)
	referee   = netip.MustParseAddrPort(RefereeGroup)
)

// IsSync reports whether a packet to a simulator is a SyncRequest with a step or with commands for robots: their fields
// have no place in a SimulatorCommand and a RobotControl.
func IsSync(b []byte) bool {
	for len(b) > 0 {
		key, _, n := protobuf.Next(b)
		if n < 0 {
			return false
		}
		if key == 1<<3|protobuf.Fixed32 || key == 3<<3|protobuf.Message {
			return true
		}
		b = b[n:]
	}
	return false
}

// Guess returns which of Vision, Tracker and Referee a packet is, from its bytes alone: the first one in which Check finds
// no violation. known is false if it is none of them.
func Guess(b []byte) (k Kind, known bool) {
	for _, k := range [...]Kind{KindVision, KindTracker, KindReferee} {
		if len(b) > 0 && fits(Check(k, b)) {
			return k, true
		}
	}
	return 0, false
}

// fits reports whether issues hold no violation, and say neither that the packet has no content nor unknown fields.
func fits(issues []wire.Issue) bool {
	for i := range issues {
		if !issues[i].Note || issues[i].Text == sslvision.RuleNothing.Text || issues[i].Text == ruleNoFrame.Text {
			return false
		}
	}
	return true
}
