package learn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"touchline/internal/vss"
)

// State is a Game at one time, as Save keeps it. It is immutable.
type State struct {
	setup   vss.Config
	session *vss.State
	builtin [2]*vss.Team
	memory
	result Result
}

// Save returns the whole state of the game, random numbers included. After Restore equal steps give equal bytes.
func (g *Game) Save() *State {
	return &State{g.setup, g.session.Save(), clones(g.builtin), g.memory, g.result}
}

// Restore sets the game to a state of a game with the same Config: this one, or another.
func (g *Game) Restore(from *State) error {
	session, err := vss.New(from.setup)
	if err == nil {
		err = session.Restore(from.session)
	}
	if err != nil {
		return err
	}
	g.setup, g.session, g.builtin, g.memory, g.result = from.setup, session, clones(from.builtin), from.memory, from.result
	env, _ := g.session.Vision()
	g.setTruth(env)
	return nil
}

func clones(teams [2]*vss.Team) (to [2]*vss.Team) {
	for i, t := range teams {
		if t != nil {
			to[i] = t.Clone()
		}
	}
	return to
}

// head begins the bytes of a state; a line with the options of its games follows.
const head = "touchline learn 1\n"

// options returns the options that a state depends on, as a line. Those of how many games run side by side, and of what
// happens at the end of an episode, are not among them.
func (c *Config) options() ([]byte, error) {
	own := *c
	own.Games, own.Autoreset, own.NextStep = 1, false, false
	b, err := json.Marshal(own)
	return append(b, '\n'), err
}

// AppendState appends a state of this game to b: StateOf of games with the same options returns it from the bytes.
func (g *Game) AppendState(b []byte, s *State) ([]byte, error) {
	options, err := g.cfg.options()
	if err != nil {
		return nil, err
	}
	return vss.AppendCoded(append(append(b, head...), options...), func(c *vss.Coder) {
		vss.Whole(c, &s.seed)
		vss.Whole(c, &s.episode)
		s.code(c)
	})
}

// StateOf returns the state of bytes of AppendState.
func (g *Game) StateOf(b []byte) (*State, error) {
	b, isState := bytes.CutPrefix(b, []byte(head))
	options, err := g.cfg.options()
	if err != nil {
		return nil, err
	}
	b, isOurs := bytes.CutPrefix(b, options)
	switch {
	case !isState:
		return nil, fmt.Errorf("no state: it does not begin with %q", head)
	case !isOurs:
		return nil, errors.New("the state is one of other games: make games with the options of those that saved it")
	}
	s := &State{}
	err = vss.Decode(b, func(c *vss.Coder) {
		vss.Whole(c, &s.seed)
		vss.Whole(c, &s.episode)
		// The episode's physics are drawn again; a fresh game has lists of the right lengths to read the rest into.
		fresh := New(g.cfg)
		fresh.seed, fresh.episode = s.seed, s.episode
		if c.Fail(fresh.begin(g.cfg.Start)) {
			return
		}
		*s = *fresh.Save()
		s.code(c)
	})
	return s, err
}

// code codes what a state has beyond its seed and its episode.
func (s *State) code(c *vss.Coder) {
	s.session.Code(c)
	for _, t := range s.builtin {
		if t != nil {
			t.Code(c)
		}
	}
	vss.Whole(c, &s.steps)
	c.Bools(&s.done, &s.disturbed, &s.result.Terminated, &s.result.Truncated)
	for i := range s.seen.ball {
		vss.Float(c, &s.seen.ball[i])
	}
	for side := range 2 {
		for i := range s.seen.robots[side] {
			r := &s.seen.robots[side][i]
			c.Bools(&r.on)
			for _, v := range [...]*float32{&r.x, &r.y, &r.sin, &r.cos, &r.vx, &r.vy, &r.omega} {
				vss.Float(c, v)
			}
			w := &s.walks[side][i]
			c.Floats(&w[0], &w[1])
		}
		c.Floats(&s.potential[side], &s.result.Reward[side])
		for i := range s.result.Terms[side] {
			c.Floats(&s.result.Terms[side][i])
		}
	}
	c.Random(&s.source)
}
