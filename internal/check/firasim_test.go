package check_test

import (
	"bytes"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// TestOtherTraffic takes no traffic beside mixed team packages, and none that went to another port, for faulty messages of
// FIRASim.
func TestOtherTraffic(t *testing.T) {
	command := []byte{0x0a, 0x04, 0x0a, 0x02, 0x08, 0x01}
	for _, c := range []struct {
		channel string
		first   []byte
		want    check.Report
	}{
		{"", command, check.Report{Packets: 2, FIRASim: 2, Wrong: 1, Formats: map[string]uint64{"firasim": 2}}},
		{"239.1.1.1:5000", command, check.Report{
			Packets: 2, FIRASim: 1, Foreign: 1, OK: true, Formats: map[string]uint64{"firasim": 1}}},
		{"239.1.1.1:5000", pack(t, 3, 1000), check.Report{
			Packets: 2, Packages: 1, Foreign: 1, OK: true, Formats: map[string]uint64{"mixedteam": 1}}},
		{"", pack(t, 3, 1000), check.Report{
			Packets: 2, Packages: 1, Foreign: 1, OK: true, Formats: map[string]uint64{"mixedteam": 1}}},
	} {
		var checker check.Checker
		checker.Add(&soccer.Packet{Channel: c.channel, Data: c.first})
		checker.Add(&soccer.Packet{Channel: c.channel, Data: []byte("no such message")})
		got := checker.Report()
		if got.Senders = nil; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: got %+v, want %+v", c.channel, got, c.want)
		}
	}
}

// TestWorldstateOnTheChannel names a worldstate that is sent to the robots' group, and judges it as JSON.
func TestWorldstateOnTheChannel(t *testing.T) {
	var checker check.Checker
	checker.Add(&soccer.Packet{Channel: "224.16.32.75:2005", Data: []byte(`{"type": "worldstate", "teamName": "A"}`)})
	r, cards := checker.Report(), checker.Cards()
	if r.Wrong != 1 || !strings.Contains(r.Senders[0].Findings[0].Text, "JSON") || len(cards) != 1 || cards[0].Worldstates != 1 {
		t.Errorf("got %+v and %+v", r, cards)
	}
}

func TestRecognised(t *testing.T) {
	for _, c := range []struct {
		to, message string
		recognised  bool
	}{
		{"224.16.32.75:2005", "", true},
		{"224.16.32.75:2006", "", true},
		{"224.16.32.77:2005", "", true},
		{"224.16.32.74:3000", "", false},
		{"224.0.0.1:10002", "Environment", true},
		{"224.0.0.1:10020", "Environment", true},
		{"127.0.0.1:10002", "Environment", true},
		{"224.5.23.2:10002", "", false}, // the group of another league
		{"127.0.0.1:20011", "Packet", true},
		{"224.5.23.2:10003", "VSSRef_Command", true},
		{"224.5.23.1:10003", "SSL Referee", true}, // the Small Size League
		{"224.5.23.2:10004", "VSSRef_Placement", true},
		{"224.5.23.2:10015", "SSL_WrapperPacket", true},
		{"224.5.23.2:10006", "SSL WrapperPacket", true},
		{"224.5.23.2:10020", "SSL WrapperPacket", true},
		{"224.5.23.2:10010", "SSL TrackerWrapperPacket", true}, {"127.0.0.1:10300", "SSL SimulatorCommand", true},
	} {
		if got := new(check.Checker).Recognises(netip.MustParseAddrPort(c.to), nil); got != c.recognised {
			t.Errorf("%s: got recognised %t, want %t", c.to, got, c.recognised)
		}
		if !new(check.Checker).Recognises(netip.MustParseAddrPort(c.to), []byte("TCM\x01")) {
			t.Errorf("%s: a TCM datagram is not recognised", c.to)
		}
		var checker check.Checker
		checker.Add(&soccer.Packet{Channel: c.to})
		if got := checker.Report().Senders[0].Message; got != c.message {
			t.Errorf("%s: got message %q, want %q", c.to, got, c.message)
		}
	}
}

func TestReportOfFIRASim(t *testing.T) {
	vision := func(step uint32, id uint32) []byte {
		m := firasim.Environment{Step: step, HasFrame: true, HasField: true,
			Frame: firasim.Frame{Blue: []firasim.Robot{{ID: id, X: 0.5}}},
			Field: firasim.Field{Width: 1.3, Length: 1.5, GoalWidth: 0.4, GoalDepth: 0.1, CenterRadius: 0.25, PenaltyWidth: 0.8,
				PenaltyDepth: 0.15, PenaltyPoint: 0.375}}
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var c check.Checker
	simulator := netip.MustParseAddrPort("127.0.0.1:4000")
	for i := range 100 {
		data := vision(uint32(16*i), 2)
		if i >= 90 {
			at := bytes.Index(data, []byte{8, 2}) // robot_id
			data = slices.Concat(data[:at], []byte{8, 77}, data[at+2:])
		}
		c.Add(&soccer.Packet{Time: at(time.Duration(i) * 16 * time.Millisecond), From: simulator, Channel: firasim.Vision,
			Data: data})
		c.Add(&soccer.Packet{Time: at(time.Duration(i) * 16 * time.Millisecond), From: simulator, Channel: "127.0.0.1:20011",
			Data: []byte{0x0a, 0x04, 0x0a, 0x02, 0x08, 0x01}})
	}
	c.Add(&soccer.Packet{Time: at(2 * time.Second), From: from, Channel: "224.16.32.75:2005", Data: pack(t, 2, 0)})
	r := c.Report()
	if r.OK || r.FIRASim != 200 || r.Packages != 1 || r.Foreign != 0 || r.Wrong != 10 || len(r.Senders) != 3 {
		t.Fatalf("got %+v", r)
	}
	s := r.Senders[0]
	if s.Message != "Environment" || s.Addr != "127.0.0.1:4000" || s.Variant != "" || s.Packets != 100 ||
		*s.Rate != 62.5 || *s.GapP50 != 16 || s.Missing != nil {
		t.Errorf("got %+v", s)
	}
	wrong := slices.IndexFunc(s.Findings, func(f check.Finding) bool { return !f.Note })
	if wrong < 0 {
		t.Fatalf("no finding in %+v", s.Findings)
	}
	f := s.Findings[wrong]
	if f.Count != 10 || !strings.Contains(f.Field, "robot_id") || f.Value != "77" || f.Packet != 181 {
		t.Errorf("got %+v", f)
	}
	if s := r.Senders[1]; s.Message != "Packet" || s.Wrong != 0 || len(s.Findings) != 0 {
		t.Errorf("got %+v", s)
	}
}
