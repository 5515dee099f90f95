package hfsm

import (
	"fmt"
	"slices"

	"touchline/wire"
)

// SheetFile is the name of the file with a robot's Sheet.
const SheetFile = "behaviour.json"

// maxSheet is the longest JSON of a Sheet, in bytes.
const maxSheet = 2*MaxText + 64<<10

// Sheet is what an editor needs to change the machine of a robot.
type Sheet struct {
	Machine    *Machine `json:"machine"`    // machine that the robot executes; null: none
	Default    *Machine `json:"default"`    // machine at the start; null: none
	Conditions []string `json:"conditions"` // conditions that transitions may name, at most MaxStates
	Behaviours []string `json:"behaviours"` // behaviours that leaves may name, at most MaxStates
}

// ParseSheet reads a sheet from at most maxSheet bytes of JSON. Its machines are within their bounds; they may have other
// faults.
func ParseSheet(b []byte) (*Sheet, error) {
	s := new(Sheet)
	if err := wire.DecodeJSONUpTo(maxSheet, b, "the sheet", s); err != nil {
		return nil, err
	}
	for _, m := range []*Machine{s.Machine, s.Default} {
		if m != nil && (len(m.States) > MaxStates || len(m.Transitions) > MaxTransitions) {
			return nil, fmt.Errorf("hfsm: a machine of %d states and %d transitions: want at most %d and %d",
				len(m.States), len(m.Transitions), MaxStates, MaxTransitions)
		}
	}
	for _, names := range [][]string{s.Conditions, s.Behaviours} {
		if len(names) > MaxStates || slices.ContainsFunc(names, func(n string) bool { return len(n) > maxName }) {
			return nil, fmt.Errorf("hfsm: a vocabulary: want at most %d names of at most %d bytes", MaxStates, maxName)
		}
	}
	return s, nil
}
