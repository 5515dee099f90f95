package msl_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "touchline/wire/msl"
	"touchline/wire/wiretest"
)

// full returns a worldstate in which every field has another value; its encoding is fullText.
func full() Worldstate {
	return Worldstate{
		TeamName: "MYTEAM", Intention: "Searching for the \"ball\"",
		Robots: []Robot{
			{ID: Num(1), Pose: Vec3(0.002, -8.933, 6.28), TargetPose: Vec3(0.002, -2.993, 0.4934), Velocity: Vec3(0, -0.004,
				0.5),
				BatteryLevel: Num(93), BallEngaged: Num(1)},
			{ID: Num(2), Pose: Vec{Len: 3, At: [3]Number{Num(3.1), Num(2.345), {}}}, Intention: "target receive"},
		},
		Balls: []Ball{
			{Position: Vec3(-0.002, -0.001, 0.11), Velocity: Vec3(1, 2, -3), Confidence: Num(0.959)},
			{Position: Vec{Len: 3}, Velocity: Vec{Len: 3}, Confidence: Num(0)},
		},
		Obstacles: []Obstacle{
			{Position: Vec2(-0.002, -0.001), Velocity: Vec2(0.1, -0.2), Radius: Num(0.25), Confidence: Num(0.8)},
			{Position: Vec3(-3.15, -4.677, 0.5)},
		},
		AgeMillis: Num(20),
	}
}

const fullText = `{"type":"worldstate","teamName":"MYTEAM","intention":"Searching for the \"ball\"","robots":[` +
	`{"id":1,"pose":[0.002,-8.933,6.2800],"targetPose":[0.002,-2.993,0.4934],"velocity":[0.000,-0.004,0.5000],` +
	`"intention":"","batteryLevel":93.0,"ballEngaged":1},` +
	`{"id":2,"pose":[3.100,2.345,null],"intention":"target receive"}],"balls":[` +
	`{"position":[-0.002,-0.001,0.110],"velocity":[1.000,2.000,-3.000],"confidence":0.959},` +
	`{"position":[null,null,null],"velocity":[null,null,null],"confidence":0.000}],"obstacles":[` +
	`{"position":[-0.002,-0.001],"velocity":[0.100,-0.200],"radius":0.250,"confidence":0.800},` +
	`{"position":[-3.150,-4.677,0.500]}],"ageMs":20}`

func inHex(s string) string { return hex.EncodeToString([]byte(s)) }

// withoutOffsets is a worldstate that decodes without offsets, so that it equals one that was never decoded.
type withoutOffsets struct{ Worldstate }

func (w *withoutOffsets) UnmarshalBinary(b []byte) error {
	err := w.Worldstate.UnmarshalBinary(b)
	eachValue(&w.Worldstate, func(n *Number) { n.Offset = 0 }, func(v *Vec) { v.Offset = 0 })
	return err
}

// eachValue calls number and vector with each of those in w.
func eachValue(w *Worldstate, number func(*Number), vector func(*Vec)) {
	both := func(numbers []*Number, vectors ...*Vec) {
		for _, v := range vectors {
			vector(v)
			for i := range v.At {
				number(&v.At[i])
			}
		}
		for _, n := range numbers {
			number(n)
		}
	}
	for i := range w.Robots {
		m := &w.Robots[i]
		both([]*Number{&m.ID, &m.BatteryLevel, &m.BallEngaged}, &m.Pose, &m.TargetPose, &m.Velocity)
	}
	for i := range w.Balls {
		m := &w.Balls[i]
		both([]*Number{&m.Confidence}, &m.Position, &m.Velocity)
	}
	for i := range w.Obstacles {
		m := &w.Obstacles[i]
		both([]*Number{&m.Radius, &m.Confidence}, &m.Position, &m.Velocity)
	}
	both([]*Number{&w.AgeMillis})
}

func TestWorldstate(t *testing.T) {
	wiretest.Run(t, Check, []wiretest.Case[withoutOffsets]{
		{Name: "full", Msg: withoutOffsets{full()}, Hex: inHex(fullText)},
		{Name: "empty structure", Msg: withoutOffsets{Worldstate{TeamName: "T", AgeMillis: Num(0)}},
			Hex: inHex(`{"type":"worldstate","teamName":"T","intention":"","robots":[],"balls":[],"obstacles":[],"ageMs":0}`)},
		{Name: "minimal", Msg: withoutOffsets{},
			Hex: inHex(`{"type":"worldstate","teamName":"","intention":"","robots":[],"balls":[],"obstacles":[]}`)},
	})
}

// TestOffsets parses each value again at its offset.
func TestOffsets(t *testing.T) {
	loose := strings.NewReplacer(`"balls"`, `"Ball"`, `"targetPose":`, `"target pose" : `, `:93.0`, `: "93.0"`, `:20}`,
		`: 2e1 }`,
		`"ballEngaged":1`, `"ballEngaged":true`).Replace(fullText)
	for _, text := range append([][]byte{[]byte(fullText), []byte(loose)}, varied(3)...) {
		var w Worldstate
		if err := w.UnmarshalBinary(text); err != nil {
			t.Fatal(err)
		}
		values := 0
		eachValue(&w, func(n *Number) {
			if !n.Known {
				if n.Offset != 0 {
					t.Errorf("got offset %d for an unknown number, want 0", n.Offset)
				}
				return
			}
			values++
			at, _, _ := strings.Cut(string(text[n.Offset:]), ",")
			got, err := strconv.ParseFloat(strings.Trim(at, "\"]} "), 64)
			if strings.HasPrefix(at, "true") {
				got, err = 1, nil
			}
			if err != nil || got != n.Value {
				t.Errorf("got %.12q at byte %d, want %v", at, n.Offset, n.Value)
			}
		}, func(v *Vec) {
			if (v.Len > 0) != (v.Offset > 0) || v.Offset > 0 && text[v.Offset] != '[' {
				t.Errorf("got a vector of %d components at offset %d", v.Len, v.Offset)
			}
		})
		if values < 20 {
			t.Errorf("got only %d values in %s", values, text)
		}
	}
}

func TestEvent(t *testing.T) {
	robot := Number{Value: 2, Known: true, Offset: 26}
	wiretest.Run(t, Check, []wiretest.Case[Event]{
		{Name: "kick", Msg: Event{RobotID: robot, Event: "kick"}, Hex: inHex(`{"type":"event","robotId":2,"event":"kick"}`)},
		{Name: "NUL in a text", Msg: Event{RobotID: robot, Event: "a\x00b"},
			Hex: inHex(`{"type":"event","robotId":2,"event":"a\u0000b"}`)},
	})
}

func TestCommand(t *testing.T) {
	wiretest.Run(t, Check, []wiretest.Case[Command]{
		{Name: "both", Msg: Command{Name: Start}, Hex: inHex("{\n  \"command\": \"START\",\n  \"targetTeam\": \"\"\n}")},
		{Name: "robot", Msg: Command{Name: IsAlive, TargetTeam: "224.16.32.67", RobotID: 4},
			Hex: inHex("{\n  \"robotID\": 4,\n  \"command\": \"IS_ALIVE\",\n  \"targetTeam\": \"224.16.32.67\"\n}")},
	})
}

// TestCapture decodes all that RefBox 2.1 sent in a game: each message is valid and encodes to the same bytes.
func TestCapture(t *testing.T) {
	all, err := os.ReadFile(wiretest.Data(t, "refbox-2.1-capture/falcons_left.rx.bin"))
	if err != nil {
		t.Fatal(err)
	}
	var s Splitter
	var again []byte
	seen := map[string]int{}
	s.Split(all, func(b []byte) {
		var c Command
		if err := c.UnmarshalBinary(b); err != nil {
			t.Errorf("%q: %v", b, err)
		}
		if issues := Check(b); issues != nil {
			t.Errorf("%q: %v", b, issues)
		}
		seen[c.Name]++
		if again, err = c.AppendBinary(again); err != nil {
			t.Errorf("%q: %v", b, err)
		}
		again = append(again, 0)
	})
	if !bytes.Equal(all, again) {
		t.Error("the capture is encoded differently")
	}
	sum := 0
	for _, n := range seen {
		sum += n
	}
	if sum != 87 || s.Pending() != 0 || seen[Welcome] != 1 || seen[GameOver] != 1 || seen[RepairEnd] != 2 {
		t.Errorf("got %d commands and %d pending bytes: %v", sum, s.Pending(), seen)
	}
}

func TestAppendWrites(t *testing.T) {
	heading := func(v float64) Worldstate {
		return Worldstate{Robots: []Robot{{Pose: Vec3(-0.0001, 0, v), Velocity: Vec3(0, 0, v)}}}
	}
	confident := func(c ...float64) (w Worldstate) {
		for i, v := range c {
			w.Balls = append(w.Balls, Ball{Position: Vec3(float64(i), 0, 0), Confidence: Num(v)})
		}
		w.Balls = slices.Insert(w.Balls, 1, Ball{Position: Vec3(9, 0, 0)})
		return w
	}
	for _, c := range []struct {
		w    Worldstate
		want string
	}{
		{heading(2 * math.Pi), `"pose":[0.000,0.000,0.0000],`},
		{heading(6.28316), `"pose":[0.000,0.000,0.0000],"velocity":[0.000,0.000,6.2832]`}, // 6.2832 is not in [0, 2 pi)
		{heading(6.28314), `"pose":[0.000,0.000,6.2831],`},
		{heading(-1e-9), `"pose":[0.000,0.000,0.0000],"velocity":[0.000,0.000,0.0000]`},
		{heading(-0.5), `"pose":[0.000,0.000,5.7832],"velocity":[0.000,0.000,-0.5000]`},
		{heading(7), `"pose":[0.000,0.000,0.7168],`},
		{confident(0.2, 0.9, 0.2), `"balls":[{"position":[1.000,0.000,0.000],"confidence":0.900},` +
			`{"position":[0.000,0.000,0.000],"confidence":0.200},{"position":[2.000,0.000,0.000],"confidence":0.200},` +
			`{"position":[9.000,0.000,0.000]}]`},
		{Worldstate{AgeMillis: Num(19.6)}, `"ageMs":20}`},
	} {
		got, err := c.w.AppendBinary(nil)
		if err != nil || !strings.Contains(string(got), c.want) {
			t.Errorf("%v, %s\nwant in it %s", err, got, c.want)
		}
	}
}

// TestAppendRefuses wants an error that names the field for each fault that Check finds, and an unchanged b.
func TestAppendRefuses(t *testing.T) {
	robot := func(r Robot) Worldstate { return Worldstate{Robots: []Robot{{}, r}} }
	for _, c := range []struct {
		m     interface{ AppendBinary([]byte) ([]byte, error) }
		where string
	}{
		{ptr(robot(Robot{Pose: Vec3(1, math.NaN(), 2)})), "robots[1].pose"},
		{ptr(robot(Robot{TargetPose: Vec3(1, 2, math.Inf(1))})), "robots[1].targetPose"},
		{ptr(robot(Robot{Pose: Vec2(1, 2)})), "robots[1].pose"},
		{ptr(robot(Robot{BatteryLevel: Num(101)})), "robots[1].batteryLevel"},
		{ptr(robot(Robot{BallEngaged: Num(2)})), "robots[1].ballEngaged"},
		{ptr(robot(Robot{ID: Num(1.5)})), "robots[1].id"},
		{ptr(robot(Robot{Intention: "\xff"})), "robots[1].intention"},
		{&Worldstate{Robots: []Robot{{ID: Num(3)}, {ID: Num(3)}}}, "robots[1].id"},
		{&Worldstate{Robots: make([]Robot, 6)}, "robots[5]"},
		{&Worldstate{Balls: []Ball{{Confidence: Num(-100)}}}, "balls[0].confidence"},
		{&Worldstate{Balls: make([]Ball, MaxBalls+1)}, "balls"},
		{&Worldstate{Obstacles: make([]Obstacle, MaxObstacles+1)}, "obstacles[128]"},
		{&Worldstate{Obstacles: []Obstacle{{Radius: Num(-1)}}}, "obstacles[0].radius"},
		{&Worldstate{AgeMillis: Num(-1)}, "ageMs"},
		{&Worldstate{TeamName: "\xff"}, "teamName"},
		{&Event{Event: "kick"}, "robotId"},
		{&Event{RobotID: Num(2), Event: "\xff"}, "event"},
		{&Command{}, "command"},
		{&Command{Name: Substitution, RobotID: 100}, "robotID"},
	} {
		b, err := c.m.AppendBinary([]byte("before"))
		if err == nil || !strings.HasPrefix(err.Error(), "msl: "+c.where+": ") || string(b) != "before" {
			t.Errorf("%s: %v, %q", c.where, err, b)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// TestKinds wants ErrKind for messages of another kind.
func TestKinds(t *testing.T) {
	var w Worldstate
	var e Event
	var c Command
	state, event, command := []byte(fullText), []byte(`{"type":"event","robotId":2,"event":"kick"}`), []byte(`{"command":"STOP","targetTeam":""}`)
	for b, want := range map[*[]byte]Kind{&state: KindWorldstate, &event: KindEvent, &command: KindCommand} {
		if got := KindOf(*b); got != want {
			t.Errorf("%s: got kind %v, want %v", *b, got, want)
		}
	}
	for _, err := range []error{w.UnmarshalBinary(event), e.UnmarshalBinary(state), c.UnmarshalBinary(state),
		c.UnmarshalBinary(event)} {
		if !errors.Is(err, ErrKind) {
			t.Errorf("got %v, want ErrKind", err)
		}
	}
	if k := KindOf([]byte(`{"a":1}`)); k != KindUnknown || k.String() != "unknown" {
		t.Errorf("got kind %v, want unknown", k)
	}
}

// TestReuse wants nothing left of a message whose memory is reused.
func TestReuse(t *testing.T) {
	w := full()
	w.Dropped = 7
	text := `{"type":"worldstate","teamName":"T","robots":[{"id":9},{}],"balls":[{}],"obstacles":[{}]}`
	var fresh Worldstate
	for _, m := range []*Worldstate{&w, &fresh} {
		if err := m.UnmarshalBinary([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	a, err1 := w.AppendBinary(nil)
	b, err2 := fresh.AppendBinary(nil)
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) || w.Dropped != 0 || w.Robots[1].Intention != "" {
		t.Errorf("%v, %v\nused  %s\nfresh %s", err1, err2, a, b)
	}
}

// TestBounds wants bounded lists, with the other elements counted and reported by Check.
func TestBounds(t *testing.T) {
	list := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]" }
	text := `{"type":"worldstate","teamName":"T","robots":` + list(1000) + `,"balls":` + list(MaxBalls+1) +
		`,"obstacles":` + list(100_000) + `}`
	var w Worldstate
	if err := w.UnmarshalBinary([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if len(w.Robots) != MaxRobots || len(w.Balls) != MaxBalls || len(w.Obstacles) != MaxObstacles ||
		w.Dropped != 1000-MaxRobots+1+100_000-MaxObstacles {
		t.Errorf("got %d robots, %d balls, %d obstacles, %d dropped", len(w.Robots), len(w.Balls), len(w.Obstacles),
			w.Dropped)
	}
	var broken []string
	for _, f := range AppendFindings(nil, []byte(text)) {
		if !f.Note {
			broken = append(broken, f.Rule+" "+f.Field())
		}
	}
	if want := []string{"robot-count robots[5]", "too-many balls[32]", "too-many obstacles[128]"}; !slices.Equal(broken,
		want) {
		t.Errorf("got findings %q, want %q", broken, want)
	}
	keys := []byte(`{"type":"worldstate","teamName":"T"`)
	for i := range 20_000 {
		keys = fmt.Appendf(keys, `,"key%d":0`, i)
	}
	keys = append(keys, `,"ageMs":-1}`...)
	if n, fields := len(Check(keys)), len(Fields(keys)); n != 501 || fields != 5000 {
		t.Errorf("20,000 keys and one violation: got %d issues and %d fields", n, fields)
	}
	long := append([]byte(fullText), bytes.Repeat([]byte(" "), MaxMessage)...)
	if err := w.UnmarshalBinary(long); !errors.Is(err, ErrMalformed) {
		t.Errorf("%d bytes: %v", len(long), err)
	}
	if issues := Check(long); len(issues) != 1 || issues[0].Offset != MaxMessage {
		t.Errorf("%d bytes: %v", len(long), issues)
	}
}

// TestDepth wants an error for a megabyte of brackets, and for as many objects.
func TestDepth(t *testing.T) {
	for _, bomb := range []string{strings.Repeat("[", MaxMessage), strings.Repeat(`{"a":`, MaxMessage/5),
		`{"robots":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}"} {
		var w Worldstate
		if err := w.UnmarshalBinary([]byte(bomb)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%.20s...: %v", bomb, err)
		}
		if issues := Check([]byte(bomb)); len(issues) != 1 {
			t.Errorf("%.20s...: %v", bomb, issues)
		}
	}
	deep := `{"type":"worldstate","teamName":"T","x":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "}"
	var w Worldstate
	if err := w.UnmarshalBinary([]byte(deep)); err != nil {
		t.Errorf("an unknown key with a deep value: got %v", err)
	}
}
