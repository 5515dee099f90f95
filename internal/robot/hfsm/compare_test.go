package hfsm_test

import (
	"slices"
	"testing"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
)

// Each change of a machine is named, and nothing else.
func TestCompare(t *testing.T) {
	before := func() *hfsm.Machine {
		return &hfsm.Machine{
			Name: "guard", States: []hfsm.State{
				{Name: "off", Behaviour: "stand"}, {Name: "on"}, {Name: "look", In: "on", Behaviour: "search"},
				{Name: "go", In: "on", Behaviour: "approach"},
			},
			Transitions: []hfsm.Transition{
				{From: "off", To: "on", When: "!halted"}, {From: "on", To: "off", When: "halted"},
				{From: "look", To: "go", When: "ball known"}, {From: "look", To: "off", After: time.Second},
				{From: "go", To: "look", When: "!ball known"},
			},
		}
	}
	for name, c := range map[string]struct {
		edit func(m *hfsm.Machine)
		want []string
	}{
		"nothing": {func(*hfsm.Machine) {}, nil},
		"name":    {func(m *hfsm.Machine) { m.Name = "" }, []string{": the machine is called none, was guard"}},
		"behaviour": {func(m *hfsm.Machine) { m.States[3].Behaviour = "duel" },
			[]string{"go: go does duel, was approach"}},
		"inside": {func(m *hfsm.Machine) { m.States[3].In = "" }, []string{"go: go is inside none, was inside on"}},
		"condition": {func(m *hfsm.Machine) { m.Transitions[2].When = "has ball" }, []string{
			"look: look → go when has ball is added", "look: look → go when ball known is removed"}},
		"time": {func(m *hfsm.Machine) { m.Transitions[3].After = 0 }, []string{
			"look: look → off is added", "look: look → off after 1s is removed"}},
		"order": {func(m *hfsm.Machine) { m.Transitions[2], m.Transitions[3] = m.Transitions[3], m.Transitions[2] },
			[]string{"look: the transitions of look are tried in another order"}},
		"order of others": {func(m *hfsm.Machine) { m.Transitions[0], m.Transitions[4] = m.Transitions[4], m.Transitions[0] }, nil},
		"twice": {func(m *hfsm.Machine) { m.Transitions = append(m.Transitions, m.Transitions[4]) },
			[]string{"go: go → look when !ball known is added"}},
		"first": {func(m *hfsm.Machine) { m.States[2], m.States[3] = m.States[3], m.States[2] },
			[]string{"go: go is entered first in on, was look"}},
		"removed": {func(m *hfsm.Machine) { m.States, m.Transitions = m.States[:3], m.Transitions[:2] }, []string{
			"go: go is removed", "look: look → go when ball known is removed", "look: look → off after 1s is removed"}},
		"added": {func(m *hfsm.Machine) {
			m.States = append(m.States, hfsm.State{Name: "rest", Behaviour: "stand"})
			m.Transitions = append(m.Transitions, hfsm.Transition{From: "rest", To: "on"})
		}, []string{"rest: rest is added", "rest: rest does stand, was none", "rest: rest → on is added"}},
	} {
		after := before()
		c.edit(after)
		var got []string
		for _, d := range hfsm.Compare(before(), after) {
			got = append(got, d.State+": "+d.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, c.want)
		}
	}
	if got := hfsm.Compare(play.Default(), play.Default()); len(got) != 0 {
		t.Errorf("the default machine and itself: %v", got)
	}
	if n := len(hfsm.Compare(new(hfsm.Machine), play.Default())); n < len(play.Default().States) {
		t.Errorf("%d differences from an empty machine", n)
	}
}
