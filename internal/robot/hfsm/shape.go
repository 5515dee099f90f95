package hfsm

import "slices"

// none is the index of no state.
const none = -1

// shape is a machine with indices in place of names. It is valid for a machine whose names Check has resolved.
type shape struct {
	parent []int   // parent of each state; none: it is outermost
	first  []int   // the first child of each state; none: a leaf
	from   [][]int // indices of the transitions from each state
	to     []int   // the target of each transition
	parts  [][]literal
}

// index returns the index of a state, or none.
func (m *Machine) index(name string) int {
	return slices.IndexFunc(m.States, func(s State) bool { return s.Name == name })
}

// shape resolves the names of a machine.
func (m *Machine) shape() *shape {
	n := len(m.States)
	s := &shape{
		parent: make([]int, n), first: make([]int, n), from: make([][]int, n), to: make([]int, len(m.Transitions)),
		parts: make([][]literal, len(m.Transitions)),
	}
	byName := make(map[string]int, n)
	for i := range m.States {
		byName[m.States[i].Name], s.first[i] = i, none
	}
	for i := range m.States {
		s.parent[i] = none
		if in := m.States[i].In; in != "" {
			s.parent[i] = byName[in]
			if p := s.parent[i]; s.first[p] == none {
				s.first[p] = i
			}
		}
	}
	for i := range m.Transitions {
		t := &m.Transitions[i]
		s.from[byName[t.From]] = append(s.from[byName[t.From]], i)
		s.to[i] = byName[t.To]
		s.parts[i], _ = t.literals()
	}
	return s
}

// entry returns the leaf that is entered with a state.
func (s *shape) entry(state int) int {
	for s.first[state] != none {
		state = s.first[state]
	}
	return state
}

// path appends a state and those that contain it to p, the outermost first.
func (s *shape) path(p []int, state int) []int {
	for i := state; i != none; i = s.parent[i] {
		p = append(p, i)
	}
	slices.Reverse(p)
	return p
}

// inside reports whether a state is another one or inside it.
func (s *shape) inside(state, in int) bool {
	for state != none && state != in {
		state = s.parent[state]
	}
	return state == in
}
