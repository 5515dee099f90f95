// Package hfsm is the hierarchical finite state machine that decides what a robot does (TeamChaos paper, section 2), as
// data: states that contain states, and transitions with the names of their conditions. Check finds what is wrong with a
// machine, a Runner executes it, and pages draw it from its JSON.
//
// A leaf, which contains no state, has the name of the behaviour that moves the robot. A state that contains others
// enters its first child; the first state of the machine is the initial one. In each Step the machine takes at most one
// transition: transitions from outer states come before those from inner states, and transitions from one state are
// tried in the order of the list. A transition to a state that is active is not taken.
package hfsm

import (
	"encoding/json"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"touchline/wire"
)

// Bounds of a machine. The active states fit into a debug record (wire/team).
const (
	MaxStates      = 256
	MaxTransitions = 1024
	MaxDepth       = 8  // states inside each other
	maxName        = 32 // bytes
	maxAfter       = time.Hour
	MaxText        = 256 << 10 // bytes of a machine's JSON
)

// Machine is a state machine.
type Machine struct {
	Name        string       `json:"name"`
	States      []State      `json:"states"` // the first one is the initial state
	Transitions []Transition `json:"transitions"`
}

// State is a state of a Machine.
type State struct {
	Name      string `json:"name"`
	In        string `json:"in,omitempty"`        // name of the state that contains it; "": none
	Behaviour string `json:"behaviour,omitempty"` // behaviour that moves the robot, for a state that contains none
}

// Transition leads from one state to another.
type Transition struct {
	From  string // also while a state inside it is active
	To    string
	When  string        // a condition, "!x" for not x, "x & !y" for all of them; "": always
	After time.Duration // time for which From must be active first, in whole ms from 0 to maxAfter. Default 0
}

// transition is the JSON of a Transition.
type transition struct {
	From   string `json:"from"`
	To     string `json:"to"`
	When   string `json:"when,omitempty"`
	Millis int64  `json:"after,omitempty"` // ms
}

// MarshalJSON writes the keys from, to, when, and after in ms.
func (t Transition) MarshalJSON() ([]byte, error) {
	return json.Marshal(transition{t.From, t.To, t.When, t.After.Milliseconds()})
}

// UnmarshalJSON reads what MarshalJSON writes, and refuses unknown keys.
func (t *Transition) UnmarshalJSON(b []byte) error {
	var from transition
	if err := wire.DecodeJSON(b, "a transition", &from); err != nil {
		return err
	}
	after := time.Duration(min(max(from.Millis, -1), maxAfter.Milliseconds()+1)) * time.Millisecond
	*t = Transition{from.From, from.To, from.When, after}
	return nil
}

// Parse reads a machine from at most MaxText bytes of JSON and checks it, except for the names of conditions and behaviours.
func Parse(b []byte) (*Machine, error) {
	m := new(Machine)
	if err := wire.DecodeJSONUpTo(MaxText, b, "the state machine", m); err != nil {
		return nil, err
	}
	return m, m.Check(nil, nil)
}

// Checksum identifies the machine: robots send it with their active states. It is never 0, which stands for no machine.
func (m *Machine) Checksum() uint32 {
	b, err := json.Marshal(m)
	if err != nil {
		panic(err) // a machine has only strings and numbers
	}
	return max(1, crc32.ChecksumIEEE(b))
}

// String returns the machine as text: each state below the one that contains it, with its behaviour and the transitions
// that leave it.
func (m *Machine) String() string {
	var b strings.Builder
	b.WriteString(m.Name + "\n")
	m.write(&b, "", 1)
	return b.String()
}

// write writes the states inside a state.
func (m *Machine) write(b *strings.Builder, in string, depth int) {
	indent := strings.Repeat("  ", depth)
	for _, s := range m.States {
		if s.In != in || depth > MaxDepth {
			continue
		}
		b.WriteString(indent + s.Name)
		if s.Behaviour != "" {
			b.WriteString(": " + s.Behaviour)
		}
		b.WriteByte('\n')
		for _, t := range m.Transitions {
			if t.From == s.Name {
				b.WriteString(indent + "  -> " + t.To + t.label() + "\n")
			}
		}
		m.write(b, s.Name, depth+1)
	}
}

// label returns when a transition is taken, in words.
func (t *Transition) label() string {
	s := ""
	if t.When != "" {
		s = " when " + t.When
	}
	if t.After > 0 {
		s += " after " + t.After.String()
	}
	return s
}

// literal is a condition or its negation.
type literal struct {
	name string
	not  bool
}

// literals returns the parts of When. Its error text says what is wrong, "" for nothing.
func (t *Transition) literals() (all []literal, fault string) {
	if strings.TrimSpace(t.When) == "" {
		return nil, ""
	}
	for part := range strings.SplitSeq(t.When, "&") {
		name, not := strings.CutPrefix(strings.TrimSpace(part), "!")
		l := literal{name: strings.TrimSpace(name), not: not}
		if l.name == "" || strings.ContainsAny(l.name, "!|()") {
			return nil, `write conditions as "x", "!x" or "x & !y"`
		}
		if slices.Contains(all, literal{l.name, !l.not}) {
			return nil, l.name + " and its negation never hold together"
		}
		all = append(all, l)
	}
	return all, ""
}
