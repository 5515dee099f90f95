package vssnet

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"touchline/internal/vss"
	"touchline/wire/firasim"
)

// maxSlots bounds the saved states, maxSlotName the bytes of a slot's name.
const (
	maxSlots    = 64
	maxSlotName = 64
)

var errSlotsTaken = fmt.Errorf("save: all %d slots are taken: use the name of one of them to replace its state", maxSlots)

// saved is a state of the simulation that restore brings back.
type saved struct {
	game       *vss.State
	teams      [2]*vss.Team // those that play in process
	referee    *vss.Referee
	command    firasim.RefereeCommand // the last one
	vision     []byte
	visionLost bool
}

// save keeps the state of the game, of built-in teams in process and of the built-in referee in a slot.
func (s *Server) save(slot string) error {
	if slot == "" {
		return fmt.Errorf(`save: the slot has no name: give it one of 1 to %d bytes, for example "a"`, maxSlotName)
	}
	if len(slot) > maxSlotName {
		return fmt.Errorf("save: the slot's name has %d bytes; the limit is %d", len(slot), maxSlotName)
	}
	if _, taken := s.slots[slot]; !taken && len(s.slots) == maxSlots {
		return errSlotsTaken
	}
	if s.placed { // the loop has not shown the last placement yet
		s.session.RefreshVision()
		s.encodeVision()
	}
	v := &saved{game: s.session.Save(), command: s.referee.last, vision: bytes.Clone(s.vision), visionLost: s.visionLost}
	for i, p := range s.teams {
		if p != nil {
			v.teams[i] = p.team.Clone()
		}
	}
	if s.referee.own != nil {
		v.referee = s.referee.own.Clone()
	}
	s.slots[slot] = v
	return nil
}

// restore brings a saved state back and has its vision sent again. Simulated time goes back with it.
func (s *Server) restore(slot string) error {
	v, ok := s.slots[slot]
	if !ok {
		return fmt.Errorf("restore: no state is saved in slot %.40q; %s", slot, s.slotNames())
	}
	if err := s.session.Restore(v.game); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	for i, t := range v.teams {
		if t != nil {
			s.teams[i].team = t.Clone()
		}
	}
	if r := &s.referee; v.referee != nil {
		r.own = v.referee.Clone()
		if !r.other.IsValid() {
			r.last = v.command
		}
	}
	now := time.Now()
	s.vision, s.visionLost, s.placed = append(s.vision[:0], v.vision...), v.visionLost, false
	s.due, s.step.since, s.rates.ticks = now, now.Add(-repeatAfter), s.session.Ticks()
	s.session.Mark("restore", fmt.Sprintf("state of slot %q", slot))
	return nil
}

// slotNames lists the slots for an error.
func (s *Server) slotNames() string {
	if len(s.slots) == 0 {
		return "nothing is saved yet"
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.slots)) {
		names = append(names, fmt.Sprintf("%.40q", name))
	}
	return "saved are " + strings.Join(names, ", ")
}

// slot is the body of the commands save and restore.
type slot struct {
	Slot string `json:"slot"`
}
