package check_test

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/msl"
)

// edit changes the numbers of every worldstate.
func edit(change func(i int, w *msl.Worldstate)) func([]sent) []sent {
	return func(all []sent) []sent {
		for i := range all {
			change(i, &all[i].world)
			all[i].data = loose(&all[i].world)
		}
		return all
	}
}

// robots changes every robot.
func robots(change func(i int, r *msl.Robot)) func([]sent) []sent {
	return edit(func(i int, w *msl.Worldstate) {
		for k := range w.Robots {
			change(i, &w.Robots[k])
		}
	})
}

// balls changes every ball whose position is known.
func balls(change func(i int, b *msl.Ball)) func([]sent) []sent {
	return edit(func(i int, w *msl.Worldstate) {
		for k := range w.Balls {
			if w.Balls[k].Position.At[0].Known {
				change(i, &w.Balls[k])
			}
		}
	})
}

// firstBall changes the first ball where its position is known.
func firstBall(change func(i int, b *msl.Ball)) func([]sent) []sent {
	return edit(func(i int, w *msl.Worldstate) {
		if len(w.Balls) > 0 && w.Balls[0].Position.At[0].Known {
			change(i, &w.Balls[0])
		}
	})
}

// text replaces text in every nth message.
func text(nth int, from, to string) func([]sent) []sent {
	return func(all []sent) []sent {
		for i := range all {
			if i%nth == 0 {
				all[i].data = bytes.ReplaceAll(all[i].data, []byte(from), []byte(to))
			}
		}
		return all
	}
}

// times changes the times of receipt.
func times(change func(i int, s *sent)) func([]sent) []sent {
	return func(all []sent) []sent {
		for i := range all {
			change(i, &all[i])
		}
		return all
	}
}

// keep drops all other messages.
func keep(want func(i int) bool) func([]sent) []sent {
	return func(all []sent) (kept []sent) {
		for i := range all {
			if want(i) {
				kept = append(kept, all[i])
			}
		}
		return kept
	}
}

// turn turns or mirrors all positions.
func turn(f func(x, y float64) (float64, float64)) func([]sent) []sent {
	vec := func(v *msl.Vec) {
		if v.At[0].Known && v.At[1].Known {
			v.At[0].Value, v.At[1].Value = f(v.At[0].Value, v.At[1].Value)
		}
	}
	return edit(func(_ int, w *msl.Worldstate) {
		for k := range w.Robots {
			vec(&w.Robots[k].Pose)
			vec(&w.Robots[k].TargetPose)
			vec(&w.Robots[k].Velocity)
		}
		for k := range w.Balls {
			vec(&w.Balls[k].Position)
			vec(&w.Balls[k].Velocity)
		}
		for k := range w.Obstacles {
			vec(&w.Obstacles[k].Position)
		}
	})
}

func scaled(v *msl.Vec, by float64) {
	for k := range 2 {
		v.At[k].Value *= by
	}
}

// flipped turns the pose of a robot around the centre.
func flipped(r *msl.Robot) {
	p := &r.Pose.At
	p[0].Value, p[1].Value, p[2].Value = -p[0].Value, -p[1].Value, math.Mod(p[2].Value+math.Pi, 2*math.Pi)
}

// also has the mutations that break more than one rule, with all of these.
var also = map[string][]string{
	"Velocity":                   {msl.RuleKey, "note " + msl.RuleKey}, // of robots and balls; of obstacles as in section 4
	"confidence null":            {msl.RuleNull, "note " + msl.RuleExtra},
	"millimetres, X to the goal": {RuleUnits, RuleFrame},
}

// TestCardMutations wants each fault to be found under its rule and no other, with its first message.
func TestCardMutations(t *testing.T) {
	as := edit(func(int, *msl.Worldstate) {})
	matches := [][]sent{as(clean(11, 46)), as(clean(12, 46))}
	found := 0
	for i, m := range cardMutations {
		all := make([]sent, 0, 920)
		for _, s := range matches[i%2] {
			s.world = deep(s.world)
			all = append(all, s)
		}
		all = m.change(all)
		got := card(all).Findings()
		at := slices.IndexFunc(got, func(f StationFinding) bool { return f.Rule == m.rule })
		if at < 0 {
			t.Errorf("%s: %s is not among %v", m.name, m.rule, rules(got))
			continue
		}
		found++
		f := got[at]
		if f.Team != "Clean" || f.Count == 0 || f.Text == "" || f.Fix == "" || f.Source == "" || f.First < 1 ||
			f.First > int64(len(all)) ||
			f.Share <= 0 || f.Share > 1 || f.At+f.Len > len(f.Excerpt) || f.Excerpt == "" {
			t.Errorf("%s: %+v", m.name, f)
		}
		if strings.HasPrefix(f.Text, "ageMs") && f.Rule == RuleConstant && !strings.HasPrefix(f.Fix,
			"Keep the key") { // RefBox 2.1 drops worldstates without it
			t.Errorf("%s: %s", m.name, f.Fix)
		}
		if others := rules(got); len(others) > 1 && !slices.Equal(others, also[m.name]) {
			t.Errorf("%s: %q", m.name, others)
			for _, f := range got {
				t.Logf("%s, note: %t, %d times: %s", f.Rule, f.Note, f.Count, f.Text)
			}
		}
	}
	t.Logf("recall %d of %d", found, len(cardMutations))
	if len(cardMutations) < 40 {
		t.Errorf("only %d mutations", len(cardMutations))
	}
}

// deep returns a worldstate with lists of its own.
func deep(w msl.Worldstate) msl.Worldstate {
	w.Robots, w.Balls, w.Obstacles = slices.Clone(w.Robots), slices.Clone(w.Balls), slices.Clone(w.Obstacles)
	return w
}

// nullPose replaces the first robot's pose by null.
func nullPose(b []byte) []byte {
	at := bytes.Index(b, []byte(`"pose": `)) + len(`"pose": `)
	end := at + bytes.IndexByte(b[at:], ']') + 1
	return slices.Concat(b[:at], []byte("null"), b[end:])
}

// loose writes any worldstate, also one that the codec refuses.
func loose(w *msl.Worldstate) []byte {
	var b bytes.Buffer
	number := func(n msl.Number) string {
		if !n.Known {
			return "null"
		}
		return strings.TrimSuffix(strings.TrimRight(formatted(n.Value), "0"), ".")
	}
	vector := func(name string, v *msl.Vec) {
		if v.Len == 0 {
			return
		}
		var parts []string
		for k := range v.Len {
			parts = append(parts, number(v.At[k]))
		}
		b.WriteString(`, "` + name + `": [` + strings.Join(parts, ", ") + `]`)
	}
	value := func(name string, n msl.Number) {
		if n.Known {
			b.WriteString(`, "` + name + `": ` + number(n))
		}
	}
	b.WriteString(`{"type": "worldstate", "teamName": "` + w.TeamName + `", "intention": "` + w.Intention + `", "robots": [`)
	for k := range w.Robots {
		r := &w.Robots[k]
		b.WriteString(strings.Repeat(", ", min(k, 1)) + `{"intention": "wait for the \"ball\""`)
		value("id", r.ID)
		vector("pose", &r.Pose)
		vector("targetPose", &r.TargetPose)
		vector("velocity", &r.Velocity)
		value("batteryLevel", r.BatteryLevel)
		value("ballEngaged", r.BallEngaged)
		b.WriteString("}")
	}
	b.WriteString(`], "balls": [`)
	for k := range w.Balls {
		r := &w.Balls[k]
		b.WriteString(strings.Repeat(", ", min(k, 1)) + `{"confidence": ` + number(r.Confidence))
		vector("position", &r.Position)
		vector("velocity", &r.Velocity)
		b.WriteString("}")
	}
	b.WriteString(`], "obstacles": [`)
	for k := range w.Obstacles {
		r := &w.Obstacles[k]
		b.WriteString(strings.Repeat(", ", min(k, 1)) + `{"confidence": ` + number(r.Confidence))
		vector("position", &r.Position)
		vector("velocity", &r.Velocity)
		value("radius", r.Radius)
		b.WriteString("}")
	}
	b.WriteString(`], "ageMs": ` + number(w.AgeMillis) + "}")
	return b.Bytes()
}

// TestCardLoose wants no finding in a clean match that loose has written.
func TestCardLoose(t *testing.T) {
	if f := card(edit(func(int, *msl.Worldstate) {})(clean(11, 46))).Findings(); len(f) != 0 {
		t.Errorf("got %+v", f)
	}
}

// TestCardRhythmIsOfWorldstates wants the rate, the gaps and the bursts of worldstates alone, among events and broken
// messages.
func TestCardRhythmIsOfWorldstates(t *testing.T) {
	event, broken := []byte(`{"type":"event","robotId":2,"event":"kick"}`), []byte("{bad")
	live := func(all []sent, before ...[]byte) (faults []string, rate float64) {
		c, n := NewCard("Clean", soccer.Field{}), int64(0)
		for i := range all {
			for _, data := range append(slices.Clone(before), all[i].data) {
				n++
				c.Add(&StationMessage{Received: all[i].received, Offset: n, Data: data})
			}
		}
		r := c.Report()
		return rules(r.Findings), *r.Rate
	}
	half := keep(func(i int) bool { return i%2 == 0 })(clean(11, 60))
	for i := range half {
		if i%2 == 1 {
			half[i].data = broken
		}
	}
	if got, rate := live(half); !slices.Contains(got, RuleRate) || math.Abs(rate-5) > 0.2 {
		t.Errorf("five worldstates a second and five broken messages: %q, %.1f Hz", got, rate)
	}
	if got, _ := live(clean(11, 60), event, broken); slices.Contains(got, RuleBurst) {
		t.Errorf("an event and a broken message before each worldstate: %q", got)
	}
	gap := clean(11, 20)
	for i := 200; i < 260; i++ {
		gap[i].data = broken
	}
	if got, _ := live(gap); !slices.Contains(got, RuleGap) {
		t.Errorf("3 s of broken messages: %q", got)
	}
}

func FuzzCard(f *testing.F) {
	f.Add([]byte(`{"type":"worldstate","teamName":"A","robots":[{"id":1,"pose":[1,2,-3],"target pose":[9,12,0],"velocity":[50,0,0]}],`+
		`"balls":[{"position":[1,1,0],"confidence":-100}],"ageMs":20}`), int64(1_783_000_000e9), int64(0), int64(50e6))
	f.Add([]byte(`{"type":"event","robotId":2,"event":"kick"}`), int64(1), int64(-1), int64(1<<62))
	f.Add([]byte(`{"type":"worldstate","ageMs":-1e300}`), int64(-1<<63), int64(1<<63-1), int64(-1<<63))
	f.Fuzz(func(t *testing.T, b []byte, received, published, step int64) {
		c := NewCard("A", soccer.Field{})
		for i := range 30 {
			c.Add(&StationMessage{Received: soccer.Time(received + int64(i)*step), Published: soccer.Time(published), Offset: int64(i),
				Data: b})
			c.Add(&StationMessage{Received: soccer.Time(received), Published: soccer.Time(published + int64(i)*step), Polled: true,
				Line: 1, Data: b[:len(b)/2]})
		}
		r := c.Report()
		if r.Messages+r.Filled != 60 {
			t.Errorf("%d and %d of 60 messages", r.Messages, r.Filled)
		}
		for _, f := range r.Findings {
			if f.At < 0 || f.Len < 0 || f.At+f.Len > len(f.Excerpt) || math.IsNaN(f.Share) || f.Share < 0 || f.Share > 1 ||
				f.Count == 0 || f.Fix == "" {
				t.Errorf("%+v", f)
			}
		}
	})
}

func formatted(v float64) string {
	return strconv.FormatFloat(v, 'f', 6, 64)
}
