package match

import (
	"fmt"
	"math"
	"time"

	"touchline/game"
	"touchline/wire/msl"
)

// Fault is trouble during a match, from one time of the match's clock to another.
type Fault struct {
	From, To time.Duration // since the start of the match
	What     Trouble
	Side     game.Side // of Crash and Gone
	Robot    uint8     // of Crash: jersey number
}

// Trouble is a kind of Fault.
type Trouble string

// The kinds of trouble.
const (
	Crash  Trouble = "crash"  // the software of a robot ends without a word, and starts anew
	Gone   Trouble = "gone"   // the software of all robots of a team
	Silent Trouble = "silent" // the connection between referee box and base stations is down
)

// Forever is the end of a fault that lasts.
const Forever time.Duration = math.MaxInt64 / 4

func (f *Fault) validate(cfg *MatchConfig) error {
	switch {
	case f.From < 0 || f.To <= f.From || f.To > Forever:
		return fmt.Errorf("fault %s from %v to %v: want times from 0 on, the end after the start", f.What, f.From, f.To)
	case f.What == Silent && f.Side == game.Both && f.Robot == 0:
		return nil
	case f.Side != game.Home && f.Side != game.Away:
		return fmt.Errorf("fault %.40q: want crash or gone of home or away, or silent", f.What)
	case f.What == Gone && f.Robot == 0:
		return nil
	case f.What == Crash && f.Robot >= 1 && int(f.Robot) <= cfg.Team(f.Side).Robots:
		return nil
	}
	return fmt.Errorf("fault %.40q of %s %d: want the crash of a robot from 1 to %d, gone without a number, or silent without a side",
		f.What, f.Side, f.Robot, cfg.Team(f.Side).Robots)
}

// fault begins or ends a fault.
func (m *Match) fault(f *Fault, begins bool) {
	if f.What == Silent {
		m.silence(begins)
		return
	}
	for i := range m.players {
		p := &m.players[i]
		if p.side != f.Side || f.What == Crash && p.number != f.Robot {
			continue
		}
		switch {
		case begins && p.robot != nil:
			p.stop()
			m.Note("crash", p.number, fmt.Sprintf("%s %d crashed", p.side, p.number))
		case !begins && p.robot == nil:
			m.fail(m.start(i))
			m.Note("on", p.number, fmt.Sprintf("%s %d starts again", p.side, p.number))
		}
	}
}

// silence ends the connections of the base stations to the referee box, or begins them anew.
func (m *Match) silence(begins bool) {
	m.referee.silent = begins
	for i := range m.bases {
		b := &m.bases[i]
		if begins {
			b.core.Disconnect()
			continue
		}
		b.command(m, &msl.Command{Name: msl.Welcome, TargetTeam: b.group})
		for _, message := range m.game.State().Resync() {
			b.command(m, wireCommand(&message))
		}
	}
	if begins {
		m.Note("referee", 0, "the referee box is silent")
	} else {
		m.Note("referee", 0, "the referee box is back")
	}
}
