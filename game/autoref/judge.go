package autoref

import (
	"time"

	"touchline/game"
	"touchline/soccer"
)

// play is what the referee remembers since the last START.
type play struct {
	inside bool       // the ball was in the field: it can leave it
	from   soccer.Vec // the ball at START
	still  soccer.Vec // where the ball was when it last moved
	idle   time.Duration
	since  soccer.Time // touches before it do not count
	first  Player      // touched the ball first
	taken  bool        // the set piece: the ball is in play, or the time for taking it is over
	second bool        // another robot touched it, too: a goal counts

	holder Player     // dribbles, or dribbled last
	caught soccer.Vec // where it got the ball
	lost   soccer.Vec // where it was seen to hold the ball last
}

// moved is the distance in m by which a ball has moved at least: it is not stuck, and a set piece is taken (MSL Rules
// 2026).
const moved = 0.5

// judge decides about play that runs.
func (r *Referee) judge(s *Scene, st *game.State, pushed game.Side) {
	p, ball := &r.play, r.ball.XY()
	p.touch(s)
	p.taken = p.taken || st.Taking.Side == game.Both || ball.Sub(p.from).Len() > moved || r.last >= st.TakingUntil
	if p.idle += r.dt; ball.Sub(p.still).Len() > moved {
		p.still, p.idle = ball, 0
	}
	e, out := r.left(r.was, r.ball)
	p.inside = p.inside || !out
	out = out && p.inside
	switch {
	case r.isOver(st):
		r.endPart(st)
	case out && r.inGoal(e) && r.counts(st):
		r.goal(st, e)
	case out:
		r.away(s, st, e)
	case r.tooFar(s, ball):
		r.foul(st, s.Holder.Side, "a robot dribbled too far")
	case pushed != game.Both && !r.cfg.NoFouls:
		r.foul(st, pushed, "a robot pushed an opponent")
	case p.taken && p.idle >= r.cfg.Stuck:
		r.stuck++
		r.stop(st, game.DropBall, game.Both, ball, "the ball did not move")
	}
}

// InPlay reports whether the ball has come into play since the last START: the set piece was taken, or nobody took it in
// time.
func (r *Referee) InPlay() bool { return r.seen.running && r.play.taken }

// touch notes which robots touched the ball since START.
func (p *play) touch(s *Scene) {
	switch {
	case s.Touched.Side == game.Both || s.TouchedAt < p.since:
	case p.first.Side == game.Both:
		p.first = s.Touched
	case p.first != s.Touched:
		p.second = true
	}
}

// isOver reports whether the time of the part is over.
func (r *Referee) isOver(st *game.State) bool {
	length := r.cfg.Rules.Length(st.Part)
	return length > 0 && st.Total >= length && !st.Part.IsInterval()
}

func (r *Referee) endPart(st *game.State) {
	if st.Running || st.SetPiece.Command != "" {
		r.order(game.Decision{Command: game.Stop})
	}
	r.order(game.Decision{Command: game.EndPart})
	decided := st.Home.Goals != st.Away.Goals
	if st.Part == game.SecondHalf || st.Part == game.OvertimeSecond && decided {
		r.order(game.Decision{Command: game.EndPart}) // no overtime, and no shoot-out
	}
	r.planned = false
}

// counts reports whether a goal counts: a second robot must have touched the ball since a set piece, unless it was a
// penalty or a dropped ball (simatch).
func (r *Referee) counts(st *game.State) bool {
	switch taken := st.Taking; taken.Command {
	case "", game.PenaltyKick, game.DropBall:
		return true
	default:
		return r.play.second || r.play.first.Side != taken.Side
	}
}

// goal counts a goal.
func (r *Referee) goal(st *game.State, e exit) {
	side := game.Home
	if st.Part.Attack(game.Home) != e.end {
		side = game.Away
	}
	if st.Team(side).Goals >= mostGoals {
		r.stop(st, game.DropBall, game.Both, soccer.Vec{}, "the highest score is reached")
		return
	}
	r.stop(st, game.KickOff, side.Opponent(), soccer.Vec{}, "a goal was scored")
	r.order(game.Decision{Command: game.Goal, Side: side})
	r.want = seen{}
}

// away gives the ball that left the field to the side that did not touch it last.
func (r *Referee) away(s *Scene, st *game.State, e exit) {
	at, side := e.at.XY(), s.Touched.Side.Opponent()
	switch defends := st.Part.Attack(side) != e.end; {
	case s.Touched.Side == game.Both:
		r.stop(st, game.DropBall, game.Both, at, "the ball left the field, and nobody knows by whom")
	case !e.goal:
		r.stop(st, game.ThrowIn, side, at, "the ball left the field over a touch line")
	case defends:
		r.stop(st, game.GoalKick, side, at, "the ball left the field over a goal line")
	default:
		r.stop(st, game.Corner, side, at, "a robot played the ball over its own goal line")
	}
}

// tooFar follows the robot that dribbles and reports whether it went too far with the ball.
func (r *Referee) tooFar(s *Scene, ball soccer.Vec) bool {
	p := &r.play
	if s.Holder.Side == game.Both {
		if s.Touched != p.holder || ball.Sub(p.lost).Len() > moved {
			p.holder = Player{}
		}
		return false
	}
	if s.Holder != p.holder {
		p.holder, p.caught = s.Holder, ball
	}
	p.lost = ball
	way := ball.Sub(p.caught).Len()
	if way <= mostDribble+Slack {
		return false
	}
	p.caught = ball
	for i := range s.robots() {
		if s.Robots[i].Player == s.Holder {
			r.note(s, i, DribbledTooFar, "%.1f m with the ball", way)
		}
	}
	return true
}

// foul gives a free kick against a side, if fouls are given.
func (r *Referee) foul(st *game.State, side game.Side, why string) {
	if !r.cfg.NoFouls {
		r.stop(st, game.FreeKick, side.Opponent(), r.ball.XY(), why)
	}
}
