package station_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/station"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

const start = soccer.Epoch

// accepted returns a station that has received WELCOME.
func accepted(t testing.TB, team int) *station.Station {
	t.Helper()
	s, err := station.New(station.DefaultConfig(team))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(start, []byte(`{"command":"WELCOME","targetTeam":"224.16.32.39"}`)); err != nil {
		t.Fatal(err)
	}
	return s
}

// robot sends packages.
type robot struct {
	number  uint8
	color   soccer.Color
	variant mixedteam.Variant
	sees    soccer.Percepts
}

// send delivers a robot's package of a picture taken at a time, 60 ms later: the least age of packages.
func (r *robot) send(t testing.TB, s *station.Station, taken soccer.Time) {
	t.Helper()
	b, err := mixedteam.Append(nil, &mixedteam.Header{
		Variant: r.variant, HasTimestamp: true, TimestampMillis: uint32(taken.Sub(start)/time.Millisecond) + 1000,
		Color: r.color, TeamID: 39, Robot: r.number,
	}, &r.sees)
	if err != nil {
		t.Fatal(err)
	}
	from := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), 4000+uint16(r.number))
	s.Receive(&soccer.Packet{Time: taken.Add(60 * time.Millisecond), From: from, Data: b})
}

// tick returns the worldstate of now without its NUL.
func tick(t testing.TB, s *station.Station, now soccer.Time) []byte {
	t.Helper()
	b, err := s.AppendWorldstate(nil, now)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) == 0 || bytes.IndexByte(b, 0) != len(b)-1 {
		t.Fatalf("got %q, want one message closed by a NUL", b)
	}
	return b[:len(b)-1]
}

func decode(t testing.TB, b []byte) *msl.Worldstate {
	t.Helper()
	w := new(msl.Worldstate)
	if err := w.UnmarshalBinary(b); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return w
}

// rejected returns why RefBox 2.1 drops a message, in the order of its checks, "" if it accepts it.
func rejected(b []byte) string {
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		return "not JSON"
	}
	if m["type"] != "worldstate" {
		return "type"
	}
	if age, ok := m["ageMs"].(float64); !ok || age != math.Trunc(age) {
		return "ageMs"
	}
	for _, key := range []string{"teamName", "intention"} {
		if _, ok := m[key].(string); !ok {
			return key
		}
	}
	for _, key := range []string{"robots", "balls", "obstacles"} {
		if _, ok := m[key].([]any); !ok {
			return key
		}
	}
	return ""
}

func TestGoldenWorldstate(t *testing.T) {
	s := accepted(t, 39)
	two := robot{number: 2, color: soccer.Cyan, variant: mixedteam.V2, sees: soccer.Percepts{
		Self: soccer.Localisation{
			Known: true, Pose: soccer.Pose{X: -3, Y: 1, Theta: -math.Pi / 2}, HasHeading: true,
			Twist: soccer.Twist{X: 1, Y: 0, Theta: 0.5}, HasTwist: true, Confidence: 0.9,
		},
		Balls:     []soccer.Observation{{Position: soccer.Vec3{X: 1, Y: -2, Z: 0.11}, Confidence: 0.8}},
		Obstacles: []soccer.Observation{{Position: soccer.Vec3{X: 3, Y: 3}, Confidence: 0.7}},
	}}
	four := robot{number: 4, color: soccer.Cyan, variant: mixedteam.V1, sees: soccer.Percepts{
		Self: soccer.Localisation{Known: true, Pose: soccer.Pose{X: 2, Y: 0}, Confidence: 0.9},
	}}
	lost := robot{number: 1, color: soccer.Cyan, variant: mixedteam.V2} // without self-localisation
	other := robot{number: 5, color: soccer.Magenta, variant: mixedteam.V2}
	at := start
	for range 10 {
		at = at.Add(50 * time.Millisecond)
		other.send(t, s, at)
		lost.send(t, s, at.Add(-20*time.Millisecond))
		four.send(t, s, at.Add(-10*time.Millisecond))
		two.send(t, s, at)
	}
	got := tick(t, s, at.Add(85*time.Millisecond))
	const want = `{"type":"worldstate","teamName":"CAMBADA","intention":"","robots":[` +
		`{"id":1,"intention":""},` +
		`{"id":2,"pose":[-1.000,-3.000,4.7120],"velocity":[0.000,1.000,0.5000],"intention":""},` +
		`{"id":4,"pose":[0.000,2.000,null],"intention":""}],` +
		`"balls":[{"position":[2.000,1.000,0.110],"velocity":[0.000,0.000,0.000],"confidence":0.800}],` +
		`"obstacles":[{"position":[-3.000,3.000],"velocity":[0.000,0.000]}],"ageMs":85}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if found := msl.Check(got); len(found) > 0 {
		t.Errorf("issues: %v", found)
	}
	if why := rejected(got); why != "" {
		t.Errorf("RefBox 2.1 drops it for its %s", why)
	}
}

// Without robots a worldstate has empty lists, and all seven keys.
func TestNoRobots(t *testing.T) {
	s := accepted(t, 100)
	got := string(tick(t, s, start))
	if want := `{"type":"worldstate","teamName":"Mixed teams","intention":"","robots":[],"balls":[],"obstacles":[],"ageMs":0}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The age is that of the newest package. It grows while none arrives, and is never negative.
func TestAge(t *testing.T) {
	s := accepted(t, 39)
	r := robot{number: 3, variant: mixedteam.V2, sees: soccer.Percepts{Self: soccer.Localisation{Known: true,
		Confidence: 1,
		HasTwist:   true, Twist: soccer.Twist{X: 1}}}}
	r.send(t, s, start)
	for _, c := range []struct {
		after time.Duration // of the picture
		age   float64
		x     float64 // of the robot at the time of the picture, without extrapolation
	}{
		{-time.Hour, 0, 0}, // the clock was set back
		{0, 0, 0}, {60 * time.Millisecond, 60, 0}, {1999 * time.Millisecond, 1999, 0}, {2060 * time.Millisecond, 2060, 0},
	} {
		w := decode(t, tick(t, s, start.Add(c.after)))
		if len(w.Robots) != 1 || w.AgeMillis.Value != c.age || w.Robots[0].Pose.At[1].Value != c.x {
			t.Errorf("%v after the picture: age %v, robots %+v; want age %v at %v m", c.after, w.AgeMillis, w.Robots, c.age, c.x)
		}
	}
	if w := decode(t, tick(t, s, start.Add(2061*time.Millisecond))); len(w.Robots) != 0 || w.AgeMillis.Value != 0 {
		t.Errorf("two seconds after its last package the robot is still listed: %+v", w)
	}
}

// A worldstate describes one time: older observations are extrapolated to it.
func TestOneTime(t *testing.T) {
	s := accepted(t, 39)
	early := robot{number: 1, variant: mixedteam.V2, sees: soccer.Percepts{Self: soccer.Localisation{Known: true,
		Confidence: 1,
		HasTwist:   true, Twist: soccer.Twist{X: 2}}}}
	late := robot{number: 2, variant: mixedteam.V2, sees: soccer.Percepts{Self: soccer.Localisation{Known: true,
		Confidence: 1}}}
	early.send(t, s, start)
	late.send(t, s, start.Add(100*time.Millisecond))
	w := decode(t, tick(t, s, start.Add(200*time.Millisecond)))
	if w.AgeMillis.Value != 100 || w.Robots[0].Pose.At[1].Value != 0.2 {
		t.Errorf("age %v, robot 1 at %v m; want 100 ms and 0.2 m", w.AgeMillis.Value, w.Robots[0].Pose.At[1].Value)
	}
}

// With more than five robots, two of one number and one without a number, the worldstate still follows the league's
// rules.
func TestTooManyRobots(t *testing.T) {
	s := accepted(t, 39)
	for n := uint8(1); n <= 6; n++ {
		r := robot{number: n, variant: mixedteam.V2}
		r.send(t, s, start.Add(time.Duration(n)*50*time.Millisecond))
	}
	b, err := mixedteam.Append(nil, &mixedteam.Header{Variant: mixedteam.V2, HasTimestamp: true, TimestampMillis: 1,
		TeamID: 39, Robot: 4},
		&soccer.Percepts{Self: soccer.Localisation{Known: true, Pose: soccer.Pose{X: 7}, Confidence: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s.Receive(&soccer.Packet{Time: start.Add(1300 * time.Millisecond), From: netip.MustParseAddrPort("10.0.0.4:9"), Data: b})
	got := tick(t, s, start.Add(1300*time.Millisecond))
	w := decode(t, got)
	var ids []float64
	for i := range w.Robots {
		ids = append(ids, w.Robots[i].ID.Value)
	}
	if len(ids) != 5 || ids[0] != 2 || ids[4] != 6 || w.Robots[2].Pose.At[1].Value != 7 {
		t.Errorf("robots %v, robot 4 at %+v; want 2 to 6, with the robot 4 that sent last", ids, w.Robots[2].Pose)
	}
	if issues := msl.Check(got); len(issues) > 0 {
		t.Errorf("%v", issues)
	}
}

// Two robots with one number do not alternate: the listed one stays until it is silent, then the other replaces it.
func TestTwoRobotsOfOneNumber(t *testing.T) {
	s := accepted(t, 39)
	send := func(port uint16, x float64, at soccer.Time) {
		b, err := mixedteam.Append(nil, &mixedteam.Header{Variant: mixedteam.V2, HasTimestamp: true,
			TimestampMillis: uint32(at.Sub(start)/time.Millisecond) + 1, TeamID: 39, Robot: 4},
			&soccer.Percepts{Self: soccer.Localisation{Known: true, Pose: soccer.Pose{X: x}, Confidence: 1}})
		if err != nil {
			t.Fatal(err)
		}
		s.Receive(&soccer.Packet{Time: at, From: netip.AddrPortFrom(netip.MustParseAddr("10.0.0.4"), port), Data: b})
	}
	var seen []float64
	now := start
	for i := range 40 {
		now = now.Add(50 * time.Millisecond)
		if i < 20 {
			send(1, 1, now)
		}
		if i > 5 {
			send(2, 2, now.Add(10*time.Millisecond))
		}
		w := decode(t, tick(t, s, now.Add(20*time.Millisecond)))
		if len(w.Robots) != 1 {
			t.Fatalf("got %d robots, want 1", len(w.Robots))
		}
		if x := w.Robots[0].Pose.At[1].Value; len(seen) == 0 || seen[len(seen)-1] != x {
			seen = append(seen, x)
		}
	}
	if !slices.Equal(seen, []float64{1, 2}) {
		t.Errorf("robot 4 is at %v m in turn, want 1 and then 2", seen)
	}
}

// Without the confidence of any robot the ball has none.
func TestBallConfidence(t *testing.T) {
	s := accepted(t, 39)
	r := robot{number: 2, variant: mixedteam.V2, sees: soccer.Percepts{Self: soccer.Localisation{Known: true,
		Confidence: 1},
		Balls: []soccer.Observation{{Position: soccer.Vec3{X: 1}, Confidence: 0.6}}}}
	for i := range 10 {
		r.send(t, s, start.Add(time.Duration(i)*50*time.Millisecond))
	}
	if w := decode(t, tick(t, s, start.Add(500*time.Millisecond))); len(w.Balls) != 1 ||
		w.Balls[0].Confidence.Value != 0.6 {
		t.Fatalf("balls %+v, want one with confidence 0.6", w.Balls)
	}
	r.sees.Balls[0].Confidence = 0 // unknown
	for i := 10; i < 20; i++ {
		r.send(t, s, start.Add(time.Duration(i)*50*time.Millisecond))
	}
	if w := decode(t, tick(t, s, start.Add(time.Second))); len(w.Balls) != 1 || w.Balls[0].Confidence.Known {
		t.Errorf("balls %+v, want one without confidence", w.Balls)
	}
}

func TestEvents(t *testing.T) {
	s, err := station.New(station.DefaultConfig(39))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := s.AppendWorldstate(nil, start); err != nil || len(b) != 0 {
		t.Errorf("before WELCOME: got %q, %v, want nothing", b, err)
	}
	if _, err := s.AppendEvent(nil, 2, "kick"); err != station.ErrNotAccepted {
		t.Errorf("an event before WELCOME: %v", err)
	}
	s = accepted(t, 39)
	b, err := s.AppendEvent([]byte("x"), 2, "kick")
	if want := "x{\"type\":\"event\",\"robotId\":2,\"event\":\"kick\"}\x00"; err != nil || string(b) != want {
		t.Errorf("%q, %v; want %q", b, err, want)
	}
	for _, c := range []struct {
		robot int
		text  string
	}{{0, "kick"}, {100, "kick"}, {-1, "kick"}, {2, ""}, {2, "\xff"}, {2, strings.Repeat("k", 1001)}} {
		if b, err := s.AppendEvent(nil, c.robot, c.text); err == nil || len(b) != 0 {
			t.Errorf("robot %d, %.10q: got %q, want an error", c.robot, c.text, b)
		}
	}
}

func TestRefusedConfigs(t *testing.T) {
	for name, change := range map[string]func(*station.Config){
		"team 0":      func(c *station.Config) { c.Team = 0 },
		"team 255":    func(c *station.Config) { c.Team = 255 },
		"no name":     func(c *station.Config) { c.Name = "" },
		"broken name": func(c *station.Config) { c.Name = "\xff" },
		"long name":   func(c *station.Config) { c.Name = strings.Repeat("n", 101) },
		"no colour":   func(c *station.Config) { c.Color = soccer.NoColor },
	} {
		cfg := station.DefaultConfig(39)
		change(&cfg)
		if _, err := station.New(cfg); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// The time of a worldstate without robots is its sending time; later worldstates are not of an earlier time.
func TestTimeNeverGoesBack(t *testing.T) {
	s := accepted(t, 39)
	two := robot{number: 2, color: soccer.Cyan, variant: mixedteam.V2,
		sees: soccer.Percepts{Self: soccer.Localisation{Known: true, Confidence: 0.9}}}
	last, robots := start, 0
	for i := range 120 { // received from 20 ms, silent from 1 s, received again from 4 s
		now := start.Add(time.Duration(i) * 50 * time.Millisecond)
		if i > 0 && (i < 20 || i >= 80) {
			two.send(t, s, now.Add(-90*time.Millisecond))
		}
		w := decode(t, tick(t, s, now))
		at := now.Add(-time.Duration(w.AgeMillis.Value) * time.Millisecond)
		if at < last {
			t.Errorf("after %v: a time %v before that of the last worldstate", now.Sub(start), last.Sub(at))
		}
		last, robots = at, robots+len(w.Robots)
	}
	if robots < 70 {
		t.Errorf("got %d robots", robots)
	}
}

// The station tells why worldstates list no robot, and how many datagrams arrived in vain.
func TestSilence(t *testing.T) {
	lone := func(number uint8, color soccer.Color) func(*station.Station, soccer.Time) {
		r := robot{number: number, color: color, variant: mixedteam.V2}
		return func(s *station.Station, at soccer.Time) { r.send(t, s, at.Add(-60*time.Millisecond)) }
	}
	nobody := func(s *station.Station, at soccer.Time) {
		b, err := mixedteam.Append(nil, &mixedteam.Header{Variant: mixedteam.V2, Robot: 1}, new(soccer.Percepts))
		if err != nil {
			t.Fatal(err)
		}
		b[8] = 0 // mixed_team_robot_id
		s.Receive(&soccer.Packet{Time: at, Data: b})
	}
	foreign := func(s *station.Station, at soccer.Time) { s.Receive(&soccer.Packet{Time: at, Data: []byte("hello")}) }
	for _, c := range []struct {
		name string
		send func(*station.Station, soccer.Time)
		want station.Silence
		n    uint64
	}{
		{"no datagram", func(*station.Station, soccer.Time) {}, station.NoDatagram, 0},
		{"the other side", lone(3, soccer.Magenta), station.OtherSide, 51},
		{"other packets", foreign, station.Foreign, 51},
		{"without a number", nobody, station.Unnumbered, 51},
		{"own robots", lone(3, soccer.Cyan), station.NotSilent, 0},
	} {
		s, err := station.New(station.DefaultConfig(39))
		if err != nil {
			t.Fatal(err)
		}
		if why, n := s.Silence(start); why != station.NotSilent || n != 0 {
			t.Errorf("%s: got %q with %d datagrams at the start", c.name, why, n)
		}
		for i := range 51 {
			c.send(s, start.Add(time.Duration(i)*100*time.Millisecond))
		}
		if why, n := s.Silence(start.Add(5 * time.Second)); why != c.want || n != c.n {
			t.Errorf("%s: got %q with %d datagrams, want %q with %d", c.name, why, n, c.want, c.n)
		}
		lone(5, soccer.Cyan)(s, start.Add(6*time.Second))
		if why, _ := s.Silence(start.Add(10 * time.Second)); why != station.NotSilent {
			t.Errorf("%s: got %q while an own robot sends", c.name, why)
		}
	}
}
