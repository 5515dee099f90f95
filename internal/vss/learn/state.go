package learn

import (
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
