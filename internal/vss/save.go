package vss

import (
	"errors"
	"fmt"
	"slices"

	"touchline/wire/firasim"
)

// State is a Session at one time, as Save keeps it. It is immutable.
type State struct {
	robots  int
	physics string
	engine  []byte
	state
}

// Save returns the whole state of the game: bodies, goals, commands and vision in flight, and random numbers. After
// Restore equal calls give equal states. Refusals and events are not part of it.
func (s *Session) Save() *State {
	return &State{s.cfg.Robots, s.cfg.Physics, s.engine.AppendState(nil), s.state.clone()}
}

// ErrState is the error for a state of another game.
var ErrState = errors.New("vss: the state does not fit this game")

// Restore sets the state to one of Save; simulated time goes back with it. It refuses the state of a Session with other
// robots, physics or latency, and changes nothing then.
func (s *Session) Restore(from *State) error {
	if from.robots != s.cfg.Robots || from.physics != s.cfg.Physics {
		return fmt.Errorf("%w: got %d robots a team and physics %s, want %d and %s",
			ErrState, from.robots, from.physics, s.cfg.Robots, s.cfg.Physics)
	}
	if len(from.vision) != len(s.vision) {
		return fmt.Errorf("%w: got vision of %d ticks in flight, want %d",
			ErrState, len(from.vision)-1, len(s.vision)-1)
	}
	if err := s.engine.Restore(from.engine); err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	s.state = from.state.clone()
	return nil
}

// clone returns a copy that shares nothing with s.
func (s *state) clone() state {
	c := *s
	c.robots, c.queue, c.lost = slices.Clone(s.robots), slices.Clone(s.queue), slices.Clone(s.lost)
	c.vision = make([]firasim.Environment, len(s.vision))
	for i := range c.vision {
		c.vision[i] = s.vision[i].Clone()
	}
	c.noise = s.noise.clone()
	return c
}
