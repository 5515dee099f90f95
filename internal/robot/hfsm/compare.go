package hfsm

import (
	"fmt"
	"slices"
)

// Difference is something in which one machine differs from another.
type Difference struct {
	State string `json:"state"` // where it is; "": nowhere in particular
	Text  string `json:"text"`
}

// Compare returns in what a machine differs from the one before it: states that came, went, or changed, transitions that
// leave them, and what is entered first. Order counts where it has an effect. A state with another name is another state.
func Compare(before, m *Machine) []Difference {
	c := comparison{before: before, after: m, all: []Difference{}}
	if before.Name != m.Name {
		c.add("", "the machine is called %s, was %s", words(m.Name), words(before.Name))
	}
	for _, s := range before.States {
		if m.state(s.Name) == nil {
			c.add(s.Name, "%s is removed", s.Name)
		}
	}
	c.first("")
	for i := range m.States {
		c.state(&m.States[i])
	}
	return c.all
}

// comparison collects differences.
type comparison struct {
	before, after *Machine
	all           []Difference
}

func (c *comparison) add(state, format string, args ...any) {
	c.all = append(c.all, Difference{state, fmt.Sprintf(format, args...)})
}

// state compares a state with the one of its name.
func (c *comparison) state(s *State) {
	was := c.before.state(s.Name)
	if was == nil {
		was = new(State)
		c.add(s.Name, "%s is added", s.Name)
	}
	if was.Behaviour != s.Behaviour {
		c.add(s.Name, "%s does %s, was %s", s.Name, words(s.Behaviour), words(was.Behaviour))
	}
	if was.In != s.In {
		c.add(s.Name, "%s is inside %s, was inside %s", s.Name, words(s.In), words(was.In))
	}
	c.first(s.Name)
	before, after := c.before.ways(s.Name), c.after.ways(s.Name)
	same := slices.Equal(before, after)
	for _, way := range after {
		if i := slices.Index(before, way); i >= 0 {
			before = slices.Delete(before, i, i+1)
			continue
		}
		c.add(s.Name, "%s %s is added", s.Name, way)
		same = true // the order needs no words
	}
	for _, way := range before {
		c.add(s.Name, "%s %s is removed", s.Name, way)
		same = true
	}
	if !same {
		c.add(s.Name, "the transitions of %s are tried in another order", s.Name)
	}
}

// first compares which state is entered with the one around it.
func (c *comparison) first(around string) {
	was, is := c.before.first(around), c.after.first(around)
	if was != is && was != "" && is != "" {
		c.add(is, "%s is entered first in %s, was %s", is, words(around), was)
	}
}

// state returns a state, or nil.
func (m *Machine) state(name string) *State {
	if i := slices.IndexFunc(m.States, func(s State) bool { return s.Name == name }); i >= 0 {
		return &m.States[i]
	}
	return nil
}

// first returns the first state inside another one, "" for none.
func (m *Machine) first(around string) string {
	if i := slices.IndexFunc(m.States, func(s State) bool { return s.In == around }); i >= 0 {
		return m.States[i].Name
	}
	return ""
}

// ways returns the transitions that leave a state, in words.
func (m *Machine) ways(from string) (all []string) {
	for i := range m.Transitions {
		if t := &m.Transitions[i]; t.From == from {
			all = append(all, "→ "+t.To+t.label())
		}
	}
	return all
}

// words returns a name, or words for none.
func words(name string) string {
	if name == "" {
		return "none"
	}
	return name
}
