package hfsm_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/soccer"
)

var (
	conditions = []string{"ball", "booked", "stop"}
	behaviours = []string{"stand", "search", "approach", "support"}
)

// player is a machine with a state inside another one.
func player() *hfsm.Machine {
	return &hfsm.Machine{
		Name: "player",
		States: []hfsm.State{
			{Name: "stopped", Behaviour: "stand"},
			{Name: "play"},
			{Name: "search", In: "play", Behaviour: "search"},
			{Name: "attack", In: "play", Behaviour: "approach"},
			{Name: "support", In: "play", Behaviour: "support"},
		},
		Transitions: []hfsm.Transition{
			{From: "play", To: "stopped", When: "stop"},
			{From: "stopped", To: "play", When: "!stop"},
			{From: "play", To: "search", When: "!ball", After: 100 * time.Millisecond},
			{From: "search", To: "attack", When: "ball & booked"},
			{From: "search", To: "support", When: "ball & !booked"},
			{From: "attack", To: "support", When: "ball & !booked"},
			{From: "support", To: "attack", When: "ball & booked"},
		},
	}
}

func TestPlayerIsSound(t *testing.T) {
	if err := player().Check(conditions, behaviours); err != nil {
		t.Fatal(err)
	}
}

// Each fault is found, and the error says what to write in its place.
func TestFaults(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*hfsm.Machine)
		want  []string
	}{
		"no state":      {func(m *hfsm.Machine) { m.States = nil }, []string{"0 states: want 1 to 256"}},
		"many states":   {func(m *hfsm.Machine) { m.States = make([]hfsm.State, 257) }, []string{"257 states"}},
		"many changes":  {func(m *hfsm.Machine) { m.Transitions = make([]hfsm.Transition, 1025) }, []string{"1025 transitions"}},
		"no name":       {func(m *hfsm.Machine) { m.Name = "" }, []string{"the name of the machine"}},
		"long name":     {func(m *hfsm.Machine) { m.States[0].Name = strings.Repeat("x", 33) }, []string{"want 1 to 32 bytes"}},
		"control":       {func(m *hfsm.Machine) { m.States[0].Name = "a\nb" }, []string{`"a\nb"`}},
		"twice":         {func(m *hfsm.Machine) { m.States[4].Name = "attack" }, []string{`"attack" is there twice`}},
		"outside":       {func(m *hfsm.Machine) { m.States[4].In = "game" }, []string{`in "game", which does not exist`}},
		"inside itself": {func(m *hfsm.Machine) { m.States[1].In = "play" }, []string{`"play" contains itself`}},
		"cycle": {func(m *hfsm.Machine) { m.States[1].In, m.States[2].In, m.States[2].Behaviour = "search", "play", "" },
			[]string{`"play" contains itself`, `"search" contains itself`}},
		"deep": {func(m *hfsm.Machine) {
			for i := range 9 {
				m.States = append(m.States, hfsm.State{Name: fmt.Sprint(i), In: fmt.Sprint(i + 1)})
			}
			m.States = append(m.States, hfsm.State{Name: "9"})
		}, []string{"is inside more than 7 states"}},
		"idle leaf":         {func(m *hfsm.Machine) { m.States[2].Behaviour = "" }, []string{"needs a behaviour"}},
		"busy parent":       {func(m *hfsm.Machine) { m.States[1].Behaviour = "stand" }, []string{`remove "stand"`}},
		"unknown behaviour": {func(m *hfsm.Machine) { m.States[2].Behaviour = "fly" }, []string{`"fly"`, "stand, search, approach, support"}},
		"unknown condition": {func(m *hfsm.Machine) { m.Transitions[0].When = "rain" }, []string{`"rain"`, "ball, booked, stop"}},
		"unknown from":      {func(m *hfsm.Machine) { m.Transitions[0].From = "game" }, []string{`from "game", which does not`}},
		"unknown to":        {func(m *hfsm.Machine) { m.Transitions[0].To = "game" }, []string{`to "game", which does not`}},
		"negative after":    {func(m *hfsm.Machine) { m.Transitions[2].After = -1 }, []string{"want whole ms from 0"}},
		"fraction of ms":    {func(m *hfsm.Machine) { m.Transitions[2].After = 1500 * time.Microsecond }, []string{"want whole ms"}},
		"or":                {func(m *hfsm.Machine) { m.Transitions[0].When = "ball | stop" }, []string{`"x & !y"`}},
		"half":              {func(m *hfsm.Machine) { m.Transitions[0].When = "ball &" }, []string{`"x & !y"`}},
		"contradiction":     {func(m *hfsm.Machine) { m.Transitions[0].When = "stop & !stop" }, []string{"never hold together"}},
		"to itself":         {func(m *hfsm.Machine) { m.Transitions[0].To = "play" }, []string{"its target is active already"}},
		"to its parent":     {func(m *hfsm.Machine) { m.Transitions[3].To = "play" }, []string{"its target is active already"}},
		"unreached":         {func(m *hfsm.Machine) { m.Transitions = slices.Delete(m.Transitions, 2, 5) }, []string{`"attack" is never reached`}},
		"trap":              {func(m *hfsm.Machine) { m.Transitions[1].From = "play" }, []string{`"stopped" has no way out`}},
		"in turn": {func(m *hfsm.Machine) { m.Transitions[1].When = "ball" },
			[]string{`transitions 1 and 2, between "stopped" and "search"`}},
		"round": {func(m *hfsm.Machine) {
			m.Transitions = []hfsm.Transition{{From: "stopped", To: "search"}, {From: "search", To: "attack"},
				{From: "attack", To: "support"}, {From: "support", To: "stopped"}}
		}, []string{`"stopped" lead back to it without condition and time`}},
	} {
		m := player()
		test.spoil(m)
		err := m.Check(conditions, behaviours)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %q, want %q in it", name, err, want)
			}
		}
		if _, err := hfsm.NewRunner(m, conditions, behaviours); err == nil {
			t.Errorf("%s: a Runner accepts the machine", name)
		}
	}
}

func TestJSON(t *testing.T) {
	m := player()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"player"`, `{"name":"search","in":"play","behaviour":"search"}`,
		`{"from":"play","to":"search","when":"!ball","after":100}`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("got %s, want %s in it", b, want)
		}
	}
	again, err := hfsm.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	if again.Checksum() != m.Checksum() || again.String() != m.String() {
		t.Errorf("got %v, want %v", again, m)
	}
	again.Transitions[2].After += time.Millisecond
	if again.Checksum() == m.Checksum() {
		t.Error("machines that differ have one checksum")
	}
	for _, bad := range []string{`{}`, `[]`, `{"name":"x","states":[],"transitions":[]}`, `{"states":[{"nam":"x"}]}`,
		`{"name":"x","states":[{"name":"a","behaviour":"b"}],"transitions":[{"from":"a","to":"a","afterwards":1}]}`,
		`{"name":"x","states":[{"name":"a","behaviour":"b"},{"name":"c","behaviour":"b"}],"transitions":[
		 {"from":"a","to":"c"},{"from":"c","to":"a","after":9223372036854775807}]}`} {
		if _, err := hfsm.Parse([]byte(bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

// run steps a machine each 20 ms while some conditions hold.
func run(r *hfsm.Runner, from soccer.Time, d time.Duration, true ...string) soccer.Time {
	for end := from.Add(d); from < end; from = from.Add(20 * time.Millisecond) {
		r.Step(from, func(c int) bool { return slices.Contains(true, conditions[c]) })
	}
	return from
}

func TestRunner(t *testing.T) {
	r, err := hfsm.NewRunner(player(), conditions, behaviours)
	if err != nil {
		t.Fatal(err)
	}
	if r.Behaviour() != -1 || len(r.States()) != 0 {
		t.Error("a machine acts before its first step")
	}
	const period = 20 * time.Millisecond
	now := run(r, soccer.Epoch, 5*period, "stop")
	check := func(step string, want ...string) {
		t.Helper()
		if !slices.Equal(r.States(), want) {
			t.Fatalf("%s: got %q, want %q", step, r.States(), want)
		}
	}
	check("stop", "stopped")
	now = run(r, now, period)
	check("a composite state enters its first child", "play", "search")
	now = run(r, now, period, "ball", "booked")
	check("booked", "play", "attack")
	if behaviours[r.Behaviour()] != "approach" || r.Since() != now.Add(-period) {
		t.Errorf("got behaviour %d since %v, want approach since now", r.Behaviour(), r.Since())
	}
	now = run(r, now, 3*period) // play has been active for 40 ms
	check("less than after", "play", "attack")
	now = run(r, now, period)
	check("after 100 ms in play", "play", "search")
	taken := r.Step(now, func(c int) bool { return true })
	check("an outer transition comes first", "stopped")
	if taken != 0 {
		t.Errorf("took transition %d, want 0", taken)
	}
}

func TestRunnerDoesNotAllocate(t *testing.T) {
	r, err := hfsm.NewRunner(player(), conditions, behaviours)
	if err != nil {
		t.Fatal(err)
	}
	now, n := soccer.Epoch, 0
	if allocs := testing.AllocsPerRun(1000, func() {
		now, n = now.Add(20*time.Millisecond), n+1
		r.Step(now, func(c int) bool { return n>>c&1 == 1 })
	}); allocs > 0 {
		t.Errorf("%v allocations a step, want none", allocs)
	}
}

// Any bytes give an error or a machine that runs: each step ends in a leaf.
func FuzzParse(f *testing.F) {
	b, err := json.Marshal(player())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, uint64(5))
	f.Fuzz(func(t *testing.T, b []byte, truth uint64) {
		m, err := hfsm.Parse(b)
		if err != nil {
			return
		}
		var all, moves []string
		for _, s := range m.States {
			moves = append(moves, s.Behaviour)
		}
		for _, tr := range m.Transitions {
			for part := range strings.SplitSeq(tr.When, "&") {
				all = append(all, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(part), "!")))
			}
		}
		r, err := hfsm.NewRunner(m, all, moves)
		if err != nil {
			t.Fatalf("Parse accepts a machine that NewRunner refuses: %v", err)
		}
		now := soccer.Epoch
		for i := range 100 {
			now = now.Add(20 * time.Millisecond)
			r.Step(now, func(c int) bool { return truth>>((c+i)%64)&1 == 1 })
			if r.Behaviour() < 0 || len(r.States()) == 0 || len(r.States()) > hfsm.MaxDepth {
				t.Fatalf("step %d: states %q, behaviour %d", i, r.States(), r.Behaviour())
			}
		}
	})
}

// Any bytes give an error or a sheet within its bounds, whose machines can be checked.
func FuzzParseSheet(f *testing.F) {
	b, err := json.Marshal(hfsm.Sheet{Machine: player(), Default: player(), Conditions: conditions, Behaviours: behaviours})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"machine":null,"conditions":["a",""],"behaviours":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := hfsm.ParseSheet(b)
		if err != nil {
			return
		}
		for _, m := range []*hfsm.Machine{s.Machine, s.Default} {
			if m == nil {
				continue
			}
			for _, fault := range m.Faults(s.Conditions, s.Behaviours) {
				if fault.Text == "" || fault.Transition >= len(m.Transitions) {
					t.Fatalf("%+v", fault)
				}
			}
		}
	})
}

func Example() {
	m := &hfsm.Machine{
		Name: "keeper",
		States: []hfsm.State{
			{Name: "guard", Behaviour: "goalkeep"},
			{Name: "clear", Behaviour: "kick"},
		},
		Transitions: []hfsm.Transition{
			{From: "guard", To: "clear", When: "holds the ball"},
			{From: "clear", To: "guard", When: "!holds the ball", After: 200 * time.Millisecond},
		},
	}
	r, err := hfsm.NewRunner(m, []string{"holds the ball"}, []string{"goalkeep", "kick"})
	if err != nil {
		panic(err)
	}
	for now := soccer.Epoch; now < soccer.Epoch.Add(60*time.Millisecond); now = now.Add(20 * time.Millisecond) {
		r.Step(now, func(int) bool { return true })
		fmt.Println(r.States())
	}
	fmt.Print(m)
	// Output:
	// [guard]
	// [clear]
	// [clear]
	// keeper
	//   guard: goalkeep
	//     -> clear when holds the ball
	//   clear: kick
	//     -> guard when !holds the ball after 200ms
}
