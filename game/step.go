package game

import (
	"slices"
	"time"
)

// step applies an allowed decision; number is its number in the log.
func (s *State) step(r *Rules, d *Decision, number int, out *Outcome) {
	switch d.Command {
	case Start:
		s.start(r, out)
	case Stop:
		s.Running, s.SetPiece, s.Taking, s.TakingUntil = false, SetPiece{}, SetPiece{}, 0
		out.send(Stop, Both)
	case EndPart:
		s.enter(parts[s.endsIn()].begin, s.endsIn(), out)
		s.endRepairs(out)
	case Reset:
		*s = State{Time: s.Time, Part: PreGame, Resets: s.Resets + 1}
		out.send(Reset, Both)
	case KickOff, FreeKick, GoalKick, ThrowIn, Corner, PenaltyKick, DropBall:
		s.SetPiece = SetPiece{d.Command, d.Side}
		if d.Command == KickOff && s.Part == PreGame {
			s.FirstKick = d.Side
		}
		out.send(d.Command, d.Side)
	case Goal, SubGoal:
		s.score(d.Command, d.Side)
		out.send(d.Command, d.Side)
	case Substitution:
		s.Team(d.Side).Substitutions++
		s.SubstitutionUntil = s.Time.Add(seconds(r.SubstitutionSeconds))
		out.Messages = append(out.Messages, Message{Substitution, d.Side, d.Robot})
	case IsAlive:
		out.Messages = append(out.Messages, Message{IsAlive, d.Side, d.Robot})
	case Park:
		out.send(Park, Both)
	case Repair, YellowCard, RedCard:
		s.Team(d.Side).punish(d, number)
	case SetScore, SetClock, SetPart:
		s.correct(d, out)
	}
}

// burst is the order in which START sends a team's penalties (RefBox 2.1).
var burst = [...]Command{Repair, YellowCard, RedCard, DoubleYellow}

// start puts the ball into play. It sends the penalties of home, then of away, then the part, then START.
func (s *State) start(r *Rules, out *Outcome) {
	for _, side := range [2]Side{Home, Away} {
		t := s.Team(side)
		t.Penalties = slices.Clone(t.Penalties)
		for _, c := range burst {
			for i := range t.Penalties {
				if p := &t.Penalties[i]; p.Command == c && !p.Sent {
					p.begin(r, s.Played)
					if !t.wasSent(p) {
						out.send(c, side)
					}
				}
			}
		}
	}
	if s.Part.IsInterval() {
		next := s.Part.Next()
		s.Part, s.Total, s.Effective = next, 0, 0
		out.send(parts[next].begin, Both)
	}
	s.Running, s.Goal = true, Both
	s.Taking, s.SetPiece = s.SetPiece, SetPiece{}
	if s.Taking.Command != "" {
		s.TakingUntil = s.Time.Add(seconds(r.SetPieceSeconds))
	}
	out.send(Start, Both)
}

// begin sends a penalty and starts its time.
func (p *Penalty) begin(r *Rules, played time.Duration) {
	p.Sent = true
	switch p.Command {
	case Repair:
		p.Until = played + seconds(r.RepairSeconds)
	case DoubleYellow:
		p.Until = played + seconds(r.DoubleYellowSeconds)
	}
}

// endsIn returns the part that END_PART leads to. Before overtime it ends the game.
func (s *State) endsIn() Part {
	if s.Part == PreOvertime {
		return End
	}
	return s.Part.Next()
}

// enter begins a part with play stopped.
func (s *State) enter(command Command, p Part, out *Outcome) {
	s.Part, s.Running, s.Total, s.Effective = p, false, 0, 0
	s.SetPiece, s.Goal, s.Taking, s.TakingUntil = SetPiece{}, Both, SetPiece{}, 0
	out.send(command, Both)
}

// score counts or cancels a goal. In the shoot-out no kick-off follows a goal.
func (s *State) score(c Command, side Side) {
	if c == Goal {
		s.Team(side).Goals++
		if s.Part != ShootOut {
			s.Goal = side
		}
		return
	}
	s.Team(side).Goals--
	if s.Goal == side {
		s.Goal = Both
	}
}

// punish adds a card or repair, which the next START sends. A yellow card is a second one if the team has one in effect
// for the same robot, or if either card names no robot: RefBox 2.1 counts the cards of a team.
func (t *Team) punish(d *Decision, number int) {
	t.Penalties = slices.Clone(t.Penalties)
	p := Penalty{Number: number, Command: d.Command, Robot: d.Robot}
	if d.Command == YellowCard {
		first := slices.IndexFunc(t.Penalties, func(o Penalty) bool {
			return o.Command == YellowCard && !o.Over && (o.Robot == p.Robot || o.Robot == 0 || p.Robot == 0)
		})
		if first >= 0 {
			t.Penalties[first].Over = true
			p.Command = DoubleYellow
		}
	}
	for p.Index = range max(1, d.Count) {
		t.Penalties = append(t.Penalties, p)
	}
}

// correct sets the score, the clock or the part and sends the difference to the teams.
func (s *State) correct(d *Decision, out *Outcome) {
	was := *s
	switch d.Command {
	case SetScore:
		s.Team(d.Side).Goals = d.Count
	case SetClock:
		s.Total, s.Effective = d.Total, d.Effective
	case SetPart:
		s.Part, s.SetPiece, s.Goal, s.Taking, s.TakingUntil = d.Part, SetPiece{}, Both, SetPiece{}, 0
		if d.Part.IsInterval() {
			s.endRepairs(&Outcome{})
		}
	}
	s.announce(&was, out)
}
