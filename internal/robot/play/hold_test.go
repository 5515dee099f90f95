package play

import (
	"testing"
	"time"

	"touchline/internal/robot/hfsm"

	"touchline/soccer"
)

// A machine that is held takes no transition, one for each step, and stops at the state of a break point.
func TestHold(t *testing.T) {
	ring := &hfsm.Machine{Name: "ring"}
	names := []string{"a", "b", "c", "d"}
	for i, name := range names {
		ring.States = append(ring.States, hfsm.State{Name: name, Behaviour: "search"})
		ring.Transitions = append(ring.Transitions, hfsm.Transition{From: name, To: names[(i+1)%4], After: 100 * time.Millisecond})
	}
	p, err := New(Config{Machine: ring})
	if err != nil {
		t.Fatal(err)
	}
	now, w := soccer.Epoch, soccer.World{}
	expect := func(what string, h hfsm.Hold, held bool, states string) {
		t.Helper()
		p.Hold(h)
		seen := ""
		for range 30 { // 600 ms: more than a lap
			now = now.Add(20 * time.Millisecond)
			p.Hold(h)
			p.Decide(&View{Now: now, World: &w})
			if s := p.States()[0]; seen == "" || seen[len(seen)-1:] != s {
				seen += s
			}
		}
		if seen != states || p.Held() != held {
			t.Errorf("%s: states %s, held %t, want %s", what, seen, p.Held(), states)
		}
	}
	expect("held before it began", hfsm.Hold{On: true, Number: 1}, true, "a")
	expect("a step", hfsm.Hold{On: true, Step: true, Number: 2}, true, "b")
	expect("the same wish again", hfsm.Hold{On: true, Step: true, Number: 2}, true, "b")
	expect("a second step", hfsm.Hold{On: true, Step: true, Number: 3}, true, "c")
	expect("a break point", hfsm.Hold{On: true, At: "b", Number: 4}, true, "dab")
	expect("a step from it", hfsm.Hold{On: true, Step: true, Number: 5}, true, "c")
	expect("a state that does not exist", hfsm.Hold{On: true, At: "x", Number: 6}, false, "dabcda")
	expect("no longer", hfsm.Hold{}, false, "bcdabc")
}
