package hfsm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// checker collects what is wrong with a machine.
type checker struct {
	*Machine
	faults []Fault
}

// Fault is something that is wrong with a machine.
type Fault struct {
	State      string `json:"state"`      // where it is; "": nowhere in particular
	Transition int    `json:"transition"` // index in the machine; -1: none
	Text       string `json:"text"`
}

// fault adds a fault. Beyond the limit there is no further one.
func (c *checker) fault(state string, transition int, format string, args ...any) {
	const most = 50
	if len(c.faults) == most {
		return
	}
	c.faults = append(c.faults, Fault{state, transition, fmt.Sprintf(format, args...)})
}

// wrong adds a fault of a transition.
func (c *checker) wrong(t int, format string, args ...any) {
	c.fault(c.Transitions[t].From, t, format, args...)
}

// Check returns an error that lists all faults of the machine, one a line, or nil.
func (m *Machine) Check(conditions, behaviours []string) error {
	var faults []error
	for _, f := range m.Faults(conditions, behaviours) {
		faults = append(faults, errors.New("hfsm: "+f.Text))
	}
	return errors.Join(faults...)
}

// Faults returns all that is wrong with the machine, at most 50 faults: bounds, names that are missing or there twice,
// states that contain themselves, leaves without a behaviour, states that no transition reaches or leaves, transitions
// that are never taken, and loops that need no time. conditions and behaviours are the names that exist; nil: any.
func (m *Machine) Faults(conditions, behaviours []string) []Fault {
	c := &checker{Machine: m}
	if n := len(m.States); n < 1 || n > MaxStates {
		c.fault("", none, "%d states: want 1 to %d", n, MaxStates)
	}
	if n := len(m.Transitions); n > MaxTransitions {
		c.fault("", none, "%d transitions: want at most %d", n, MaxTransitions)
	}
	if len(c.faults) > 0 {
		return c.faults
	}
	c.checkName("", "the machine", m.Name)
	c.checkStates(behaviours)
	c.checkTransitions(conditions)
	if len(c.faults) == 0 { // names are resolved
		s := m.shape()
		c.checkTargets(s)
		c.checkPaths(s)
		c.checkLoops(s)
	}
	return c.faults
}

// checkName checks that a name is short, printable text.
func (c *checker) checkName(state, of, name string) {
	printable := utf8.ValidString(name) && !strings.ContainsFunc(name, unicode.IsControl)
	if name == "" || len(name) > maxName || !printable || strings.TrimSpace(name) != name {
		c.fault(state, none, "the name of %s, %.80q: want 1 to %d bytes of text without blanks around it", of, name, maxName)
	}
}

// checkStates checks names, containment and behaviours.
func (c *checker) checkStates(behaviours []string) {
	seen := make(map[string]bool, len(c.States))
	holds := map[string]bool{}
	for i, s := range c.States {
		c.checkName(s.Name, fmt.Sprintf("state %d", i+1), s.Name)
		if seen[s.Name] {
			c.fault(s.Name, none, "state %q is there twice", s.Name)
		}
		seen[s.Name], holds[s.In] = true, true
	}
	for _, s := range c.States {
		switch {
		case s.In != "" && !seen[s.In]:
			c.fault(s.Name, none, "state %q is in %q, which does not exist", s.Name, s.In)
		case holds[s.Name] && s.Behaviour != "":
			c.fault(s.Name, none, "state %q contains states: they have the behaviours, and it has none; remove %q", s.Name, s.Behaviour)
		case !holds[s.Name] && s.Behaviour == "":
			c.fault(s.Name, none, "state %q contains no state: it needs a behaviour", s.Name)
		case !holds[s.Name] && behaviours != nil && !slices.Contains(behaviours, s.Behaviour):
			c.fault(s.Name, none, "state %q: unknown behaviour %.80q: want %s", s.Name, s.Behaviour, list(behaviours))
		}
		c.checkDepth(s)
	}
}

// checkDepth follows the states that contain a state.
func (c *checker) checkDepth(s State) {
	at := s
	for depth := 1; at.In != ""; depth++ {
		i := c.index(at.In)
		if i == none {
			return
		}
		if at = c.States[i]; at.Name == s.Name {
			c.fault(s.Name, none, "state %q contains itself", s.Name)
			return
		}
		if depth >= MaxDepth {
			c.fault(s.Name, none, "state %q is inside more than %d states", s.Name, MaxDepth-1)
			return
		}
	}
}

// list returns names for an error text.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// checkTransitions checks the names, conditions and times of transitions.
func (c *checker) checkTransitions(conditions []string) {
	for i := range c.Transitions {
		t := &c.Transitions[i]
		if c.index(t.From) == none {
			c.wrong(i, "transition %d is from %.80q, which does not exist", i+1, t.From)
		}
		if c.index(t.To) == none {
			c.wrong(i, "transition %d is to %.80q, which does not exist", i+1, t.To)
		}
		if t.After < 0 || t.After > maxAfter || t.After%time.Millisecond != 0 {
			c.wrong(i, "transition %d, %q to %q: after %v: want whole ms from 0 to %v", i+1, t.From, t.To, t.After, maxAfter)
		}
		parts, fault := t.literals()
		if fault != "" {
			c.wrong(i, "transition %d, %q to %q: when %.80q: %s", i+1, t.From, t.To, t.When, fault)
		}
		for _, l := range parts {
			if conditions != nil && !slices.Contains(conditions, l.name) {
				c.wrong(i, "transition %d, %q to %q: unknown condition %.80q: want %s", i+1, t.From, t.To, l.name, list(conditions))
			}
		}
	}
}

// checkTargets finds transitions to states that are active whenever their source is.
func (c *checker) checkTargets(s *shape) {
	for state, from := range s.from {
		for _, t := range from {
			if s.inside(state, s.to[t]) {
				c.wrong(t, "transition %d, %q to %q, is never taken: its target is active already", t+1, c.Transitions[t].From,
					c.Transitions[t].To)
			}
		}
	}
}

// checkPaths finds states that are never active, and those that are left for no other one.
func (c *checker) checkPaths(s *shape) {
	reached := make([]bool, len(c.States))
	start := s.entry(0)
	reached[start] = true
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		ways := 0
		for in := queue[0]; in != none; in = s.parent[in] {
			for _, t := range s.from[in] {
				leaf := s.entry(s.to[t])
				if leaf == queue[0] {
					continue
				}
				if ways++; !reached[leaf] {
					reached[leaf], queue = true, append(queue, leaf)
				}
			}
		}
		if ways == 0 && len(c.States) > 1 {
			c.fault(c.States[queue[0]].Name, none, "state %q has no way out", c.States[queue[0]].Name)
		}
	}
	for i := range c.States {
		if s.first[i] == none && !reached[i] {
			c.fault(c.States[i].Name, none, "state %q is never reached", c.States[i].Name)
		}
	}
}
