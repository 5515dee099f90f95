package check_test

import (
	"math"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/hsl"
	"touchline/wire/wiretest"
)

// hslVector returns the bytes of a vector of the Humanoid Soccer League.
func hslVector(t *testing.T, file, name string) []byte {
	t.Helper()
	for _, v := range wiretest.Vectors(t, filepath.Join("..", "..", "wire", "vectors", "hsl-"+file+".txt")) {
		if v.Name == name {
			return v.Data
		}
	}
	t.Fatalf("no vector %s", name)
	return nil
}

// hslControl returns the vector control-playing, in which team 24 plays team 5, with changes.
func hslControl(t *testing.T, change func(*hsl.Control)) []byte {
	t.Helper()
	var m hsl.Control
	if err := m.UnmarshalBinary(hslVector(t, "control", "control-playing")); err != nil {
		t.Fatal(err)
	}
	change(&m)
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// hslSender returns the sender of a name in a report.
func hslSender(t *testing.T, r *check.Report, message, team string) *check.Sender {
	t.Helper()
	for i := range r.Senders {
		if s := &r.Senders[i]; s.Message == message && s.Team == team {
			return s
		}
	}
	t.Fatalf("no sender of %q, %q among %+v", message, team, r.Senders)
	return nil
}

// TestHumanoidGame checks a game: the control messages, a robot that is right, one that sends metres, one that sends too
// often, a team message that is too long, and one by a team that has none left.
func TestHumanoidGame(t *testing.T) {
	var c check.Checker
	at := func(i int, channel string, data []byte) {
		c.Add(&soccer.Packet{Time: 1e18 + soccer.Time(i)*soccer.Time(100*time.Millisecond), Channel: channel,
			From: netip.MustParseAddrPort("10.0.24.3:5000"), Data: data})
	}
	good := hsl.Return{Player: 3, Team: 24, X: -1500, Y: 2250, Theta: 1.5, BallAge: 0.25, BallX: 820, BallY: -310}
	metres := hsl.Return{Player: 4, Team: 24, X: -1.5, Y: 2.25, BallAge: 0, BallX: 0.8, BallY: -0.3}
	often := good
	often.Player = 5
	for i := range 100 {
		if i%5 == 0 {
			at(i, "10.0.255.255:3838", hslControl(t, func(*hsl.Control) {}))
			b, err := good.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			at(i, "10.0.0.1:3939", b)
			if _, err := metres.AppendBinary(nil); err == nil {
				t.Fatal("the codec writes metres")
			}
			b = slices.Concat(b[:5], []byte{4}, b[6:8], floats(metres.X, metres.Y, 0, 0, metres.BallX, metres.BallY))
			at(i, "10.0.0.1:3939", b)
		}
		b, err := often.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		at(i, "10.0.0.1:3939", b)
		at(i, "10.0.0.1:10024", []byte("a message of the team"))
	}
	at(100, "10.0.255.255:10005", make([]byte, 513))
	at(101, "10.0.255.255:3838", hslControl(t, func(m *hsl.Control) { m.Teams[1].MessageBudget = 0 }))
	at(102, "10.0.255.255:10024", []byte("one too many"))
	r := c.Report()
	if r.HSL != 20*3+2*100+3 || r.Packets != r.HSL || r.OK || r.Wrong != 20+2 || !strings.Contains(r.Checked(), "HSL packets") {
		t.Errorf("got %+v", r)
	}
	for i := range r.Senders {
		s := &r.Senders[i]
		var b strings.Builder
		s.WriteText(&b)
		want := map[string]string{
			"HSL control message": "used up its messages", "HSL return message of robot 3, team 24": "", "HSL team message, team 5": "513",
			"HSL return message of robot 4, team 24": "metres", "HSL return message of robot 5, team 24": "10.0 return messages",
			"HSL team message, team 24": "no messages left",
		}
		name, _, _ := strings.Cut(strings.TrimSpace(b.String()), ", from")
		text, known := want[name]
		if !known || len(s.Findings) > 0 != (text != "") || !strings.Contains(b.String(), text) {
			t.Errorf("got sender %s, want %q", b.String(), text)
		}
	}
	if len(r.Senders) != 6 {
		t.Errorf("got %d senders, want 6", len(r.Senders))
	}
}

// TestHumanoidSenders names a robot by its own address, and the GameController without its port, which is another one after
// each monitor request.
func TestHumanoidSenders(t *testing.T) {
	var c check.Checker
	truth, forwarded := hslVector(t, "true-state", "true-state-sent-goal"), hslVector(t, "forward", "forward-sent-longer")
	for i := range 6 {
		from := netip.AddrPortFrom(netip.MustParseAddr("10.9.0.1"), uint16(5000+i))
		c.Add(&soccer.Packet{Time: soccer.Epoch, Channel: "10.9.0.2:3838", From: from, Data: truth})
		c.Add(&soccer.Packet{Time: soccer.Epoch, Channel: "10.9.0.2:3940", From: from, Data: forwarded})
	}
	r := c.Report()
	if len(r.Senders) != 2 || hslSender(t, &r, "HSL true state", "").Addr != "10.9.0.1" ||
		hslSender(t, &r, "HSL forwarded return message", "team 5").Addr != "10.9.5.4" {
		t.Errorf("senders %+v", r.Senders)
	}
}

// floats returns float32 in little-endian order.
func floats(v ...float32) (b []byte) {
	for _, f := range v {
		u := math.Float32bits(f)
		b = append(b, byte(u), byte(u>>8), byte(u>>16), byte(u>>24))
	}
	return b
}

// TestHumanoidBudget counts team messages without a control message, and not in the penalty shoot-out.
func TestHumanoidBudget(t *testing.T) {
	var c check.Checker
	message := soccer.Packet{Channel: "255.255.255.255:10024", Data: []byte("m")}
	for range hsl.Budget {
		c.Add(&message)
	}
	r := c.Report()
	if s := hslSender(t, &r, "HSL team message", "team 24"); !r.OK || len(s.Findings) > 0 {
		t.Errorf("within the budget: %+v", s)
	}
	c.Add(&message)
	r = c.Report()
	if s := hslSender(t, &r, "HSL team message", "team 24"); !r.OK || len(s.Findings) != 1 || !s.Findings[0].Note {
		t.Errorf("beyond the budget: %+v", s)
	}
	c = check.Checker{}
	c.Add(&soccer.Packet{Data: hslControl(t, func(m *hsl.Control) {
		m.True, m.FirstHalf, m.Phase, m.Teams[1].MessageBudget = true, false, hsl.PenaltyShootOut, 0
		for i := range m.Teams {
			for k := range m.Teams[i].Players[1:] {
				m.Teams[i].Players[1+k].Penalty = hsl.Substitute
			}
		}
	})})
	c.Add(&message)
	r = c.Report()
	if s := hslSender(t, &r, "HSL team message", "team 24"); !r.OK || len(s.Findings) > 0 {
		t.Errorf("in the penalty shoot-out: %+v", s)
	}
}

// TestHumanoidRecognised takes packets to a team's port for team messages only if they are broadcast, or if the team
// plays.
func TestHumanoidRecognised(t *testing.T) {
	var c check.Checker
	control := hslVector(t, "control", "control-playing")
	recognises := func(to string, data []byte) bool { return c.Recognises(netip.MustParseAddrPort(to), data) }
	for _, v := range []struct {
		to   string
		data string
		want bool
	}{
		{"10.0.0.7:9", string(control), true}, {"127.0.0.1:3838", "RGme", true}, {"127.0.0.1:3838", "other", false},
		{"10.0.0.255:10024", "m", true}, {"239.0.0.1:10024", "m", true}, {"10.0.0.7:10024", "m", false},
		{"224.0.0.1:10024", "m", false}, {"10.0.0.255:9999", "m", false}, {"[::1]:10024", "m", false},
	} {
		if got := recognises(v.to, []byte(v.data)); got != v.want {
			t.Errorf("%s: got %v, want %v", v.to, got, v.want)
		}
	}
	c.Add(&soccer.Packet{Channel: "10.0.0.255:3838", Data: control})
	if !recognises("10.0.0.7:10024", []byte("m")) || recognises("10.0.0.7:10025", []byte("m")) {
		t.Error("the teams of the game are not those of the control message")
	}
}

// TestHumanoidKind checks packets without a known header by their port.
func TestHumanoidKind(t *testing.T) {
	for channel, want := range map[string]string{
		"127.0.0.1:3838": "HSL control message", "127.0.0.1:3939": "HSL return message", "127.0.0.1:3636": "HSL monitor request",
		"127.0.0.1:3940": "HSL forwarded return message", "127.0.0.1:7": "HSL team message", "": "HSL team message",
	} {
		c := check.Checker{Kind: "hsl"}
		c.Add(&soccer.Packet{Channel: channel, Data: []byte("RG??19")})
		if r := c.Report(); r.Senders[0].Message != want || r.OK != strings.Contains(want, "team") {
			t.Errorf("%q: got %+v, want %s", channel, r, want)
		}
		if to, err := netip.ParseAddrPort(channel); err == nil && c.Recognises(to, []byte("RG??19")) != (to.Port() > 7) {
			t.Errorf("%q: recognised by its port: %v", channel, to.Port() <= 7)
		}
	}
}
