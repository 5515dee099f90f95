package conform_test

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/conform"
	"touchline/soccer"
	"touchline/wire/firasim"
)

func TestRecognised(t *testing.T) {
	for _, c := range []struct {
		to   string
		kind firasim.Kind
		sim  bool
		ours bool
	}{
		{"224.16.32.75:2005", 0, false, true},
		{"224.16.32.75:2006", 0, false, true},
		{"224.16.32.77:2005", 0, false, true},
		{"224.16.32.74:3000", 0, false, false},
		{"224.0.0.1:10002", firasim.KindEnvironment, true, true},
		{"224.0.0.1:10020", firasim.KindEnvironment, true, true},
		{"127.0.0.1:10002", firasim.KindEnvironment, true, true},
		{"224.5.23.2:10002", 0, false, false}, // the group of another league
		{"127.0.0.1:20011", firasim.KindPacket, true, true},
		{"224.5.23.2:10003", firasim.KindRefereeCommand, true, true},
		{"224.5.23.1:10003", 0, false, false}, // the referee of the Small Size League
		{"224.5.23.2:10004", firasim.KindPlacement, true, true},
	} {
		to := netip.MustParseAddrPort(c.to)
		if kind, ok := conform.FIRASimKind(to); kind != c.kind || ok != c.sim || conform.Recognised(to) != c.ours {
			t.Errorf("%s: got %v %t, recognised %t", c.to, kind, ok, conform.Recognised(to))
		}
	}
}

func TestReportOfFIRASim(t *testing.T) {
	vision := func(step uint32, id uint32) []byte {
		m := firasim.Environment{Step: step, HasFrame: true, HasField: true,
			Frame: firasim.Frame{Blue: []firasim.Robot{{ID: id, X: 0.5}}},
			Field: firasim.Field{Width: 1.3, Length: 1.5, GoalWidth: 0.4, GoalDepth: 0.1, CenterRadius: 0.25, PenaltyWidth: 0.8, PenaltyDepth: 0.15, PenaltyPoint: 0.375}}
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	var c conform.Checker
	simulator := netip.MustParseAddrPort("127.0.0.1:4000")
	for i := range 100 {
		data := vision(uint32(16*i), 2)
		if i >= 90 {
			at := bytes.Index(data, []byte{8, 2}) // robot_id
			data = slices.Concat(data[:at], []byte{8, 77}, data[at+2:])
		}
		c.Add(&soccer.Packet{Time: at(time.Duration(i) * 16 * time.Millisecond), From: simulator, Channel: firasim.Vision, Data: data})
		c.Add(&soccer.Packet{Time: at(time.Duration(i) * 16 * time.Millisecond), From: simulator, Channel: "127.0.0.1:20011", Data: []byte{0x0a, 0x04, 0x0a, 0x02, 0x08, 0x01}})
	}
	c.Add(&soccer.Packet{Time: at(2 * time.Second), From: from, Channel: "224.16.32.75:2005", Data: pack(t, 2, 0)})
	r := c.Report()
	if r.OK || r.FIRASim != 200 || r.Packages != 1 || r.Foreign != 0 || r.Wrong != 10 || len(r.Senders) != 3 {
		t.Fatalf("got %+v", r)
	}
	s := r.Senders[0]
	if s.Message != "Environment" || s.Addr != "127.0.0.1:4000" || s.Variant != "" || s.Packets != 100 || *s.Rate != 62.5 || *s.GapP50 != 16 || s.Missing != nil {
		t.Errorf("got %+v", s)
	}
	wrong := slices.IndexFunc(s.Findings, func(f conform.Finding) bool { return !f.Note })
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
