package hfsm

import (
	"slices"

	"touchline/soccer"
)

// Runner executes a Machine. It is not safe for concurrent use.
type Runner struct {
	machine    *Machine
	shape      *shape
	guards     [][]guard // guards of each transition
	behaviours []int     // index of each state in the list given to NewRunner
	active     []int     // states from the outermost to the leaf; empty before the first Step
	since      []soccer.Time
	names      []string // names of the active states
}

// guard is a literal with the index of its condition.
type guard struct {
	condition int
	not       bool
}

// NewRunner returns a Runner before its first step. Its error is that of Check.
func NewRunner(m *Machine, conditions, behaviours []string) (*Runner, error) {
	if conditions == nil {
		conditions = []string{} // no condition exists
	}
	if behaviours == nil {
		behaviours = []string{}
	}
	if err := m.Check(conditions, behaviours); err != nil {
		return nil, err
	}
	r := &Runner{
		machine: m, shape: m.shape(), guards: make([][]guard, len(m.Transitions)), behaviours: make([]int, len(m.States)),
		active: make([]int, 0, MaxDepth), since: make([]soccer.Time, len(m.States)), names: make([]string, 0, MaxDepth),
	}
	for i, parts := range r.shape.parts {
		for _, l := range parts {
			r.guards[i] = append(r.guards[i], guard{slices.Index(conditions, l.name), l.not})
		}
	}
	for i := range m.States {
		r.behaviours[i] = slices.Index(behaviours, m.States[i].Behaviour)
	}
	return r, nil
}

// Step takes the first transition whose condition holds, if there is one, and returns its index in the machine, or -1.
// holds reports whether a condition holds, by its index in the list given to NewRunner. The first Step enters the initial
// state.
func (r *Runner) Step(now soccer.Time, holds func(condition int) bool) int {
	if len(r.active) == 0 {
		r.enter(now, r.shape.entry(0))
		return -1
	}
	for _, state := range r.active {
		for _, t := range r.shape.from[state] {
			if r.ready(now, state, t, holds) {
				r.enter(now, r.shape.entry(r.shape.to[t]))
				return t
			}
		}
	}
	return -1
}

// ready reports whether a transition from an active state can be taken.
func (r *Runner) ready(now soccer.Time, from, t int, holds func(condition int) bool) bool {
	if slices.Contains(r.active, r.shape.to[t]) || now.Sub(r.since[from]) < r.machine.Transitions[t].After {
		return false
	}
	for _, g := range r.guards[t] {
		if holds(g.condition) == g.not {
			return false
		}
	}
	return true
}

// enter makes a leaf active. States that stay active keep the time since which they are.
func (r *Runner) enter(now soccer.Time, leaf int) {
	for i := leaf; i != none; i = r.shape.parent[i] {
		if !slices.Contains(r.active, i) {
			r.since[i] = now
		}
	}
	r.active = r.shape.path(r.active[:0], leaf)
	r.names = r.names[:0]
	for _, i := range r.active {
		r.names = append(r.names, r.machine.States[i].Name)
	}
}

// States returns the names of the active states, from the outermost to the leaf. They are valid until the next Step.
func (r *Runner) States() []string { return r.names }

// Behaviour returns the behaviour of the active leaf, by its index in the list given to NewRunner; -1 before the first
// Step.
func (r *Runner) Behaviour() int {
	if len(r.active) == 0 {
		return -1
	}
	return r.behaviours[r.active[len(r.active)-1]]
}

// Since returns when the active leaf was entered; 0 before the first Step.
func (r *Runner) Since() soccer.Time {
	if len(r.active) == 0 {
		return 0
	}
	return r.since[r.active[len(r.active)-1]]
}
