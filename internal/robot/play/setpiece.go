package play

import (
	"math"
	"time"

	"touchline/soccer"
	"touchline/wire/team"
)

// piece is the set piece that is prepared or taken.
type piece struct {
	active bool // announced, or started and not taken yet
	kind   team.SetPiece
	side   team.Side
	at     soccer.Vec // where the ball lies
	known  bool       // at
	start  soccer.Time
	near   soccer.Time // when the ball was there last
	taken  soccer.Time // when it moved away
	taker  uint8
}

// Distances from the ball at set pieces, in m, between the centres of robot and ball: the rules' with a margin for what a
// robot does not see exactly.
const (
	opponentsAway = soccer.OpponentsAway + 0.7
	matesAway     = soccer.MatesAway + 0.5
	dropAway      = soccer.DroppedBallAway + 0.3
)

// hurry is the speed of the way to a place at a set piece, in m/s.
const hurry = 3.8

// follow keeps up with the set piece: from its announcement until the ball has moved by 0.5 m after the start.
func (s *scene) follow() {
	const (
		rolls = 0.5                    // m/s
		sure  = time.Second            // after which a ball that moved away was not false
		wrong = 500 * time.Millisecond // after which a ball that lies elsewhere is the one of the set piece
	)
	p := &s.memory.piece
	r := &s.Referee
	switch {
	case s.Heard && r.State == team.Waiting:
		if !p.active || p.kind != r.SetPiece || p.side != r.Side || p.start > 0 {
			*p = piece{active: true, kind: r.SetPiece, side: r.Side}
		}
		s.locatePiece(p)
	case !p.active:
		// The ball lies where it lay: the one that moved away was false.
		if s.Now.Sub(p.taken) < sure && !s.halted() && s.knows && s.ball.Sub(p.at).Len() < inPlay && s.speed < rolls {
			p.active, s.memory.lastTaker = true, 0
		}
	case s.halted() || r.State != team.Running:
		*p = piece{}
	default:
		if p.start == 0 {
			p.start = s.Now
		}
		far := s.knows && p.known && s.ball.Sub(p.at).Len() > inPlay
		if !far {
			p.near = s.Now
		}
		moved := far && s.speed > rolls
		if s.knows && s.speed < rolls && (!far || s.Now.Sub(p.near) > wrong) {
			p.at = s.ball // the ball that was placed is known better with each picture
		}
		if moved || p.kind == team.DroppedBall || s.Now.Sub(p.start) > pieceFor {
			if s.memory.lastTaker = 0; s.ours() {
				s.memory.lastTaker, s.memory.takenAt = p.taker, s.Now
			}
			if p.active = false; moved {
				p.taken = s.Now
			}
		}
	}
}

// locatePiece sets where the ball lies.
func (s *scene) locatePiece(p *piece) {
	f := s.field
	switch p.kind {
	case team.KickOff:
		p.at, p.known = soccer.Vec{}, true
	case team.Penalty:
		x := s.end - f.PenaltySpot
		if p.side == team.Theirs {
			x = -x
		}
		p.at, p.known = soccer.Vec{X: x}, true
	default:
		if s.knows {
			p.at, p.known = s.ball, true
		}
	}
}

// ours reports whether the own team takes the set piece.
func (s *scene) ours() bool { return s.memory.piece.side == team.Ours }

// chooseTaker finds the robot that takes the set piece: the field player nearest to the ball. Another one must be nearer
// by a metre to replace it. Of those that are at the ball the lowest number takes it: each of them may believe to be the
// nearest.
func (s *scene) chooseTaker() {
	const steady, there = 1.0, 1.5 // m
	p := &s.memory.piece
	if !p.active {
		return
	}
	best, least := uint8(0), math.Inf(1)
	try := func(n uint8, at soccer.Vec) {
		d := at.Sub(p.at).Len()
		switch {
		case d < there:
			d = float64(n) - maxRobot - steady
		case n == p.taker:
			d -= steady
		}
		if n != s.keeper && !soccer.RobotSet(s.Referee.Out).Has(n) && (d < least || d == least && n < best) {
			best, least = n, d
		}
	}
	if s.located {
		try(s.cfg.Number, s.me)
	}
	for i := range s.circles[:s.mates] {
		try(s.circles[i].number, s.circles[i].at)
	}
	p.taker, s.taker = best, best
}

// takes reports whether this robot takes the set piece. A goalkeeper that is alone does.
func (s *scene) takes() bool {
	return s.memory.piece.active && s.memory.piece.known && s.ours() && (s.taker == s.cfg.Number || s.taker == 0 && s.isKeeper)
}

// piecePlace returns a place moved to where a robot may stand at the set piece that does not take it.
func (s *scene) piecePlace(to soccer.Vec) (soccer.Vec, keep) {
	const margin = soccer.RobotRadius + 0.15
	p := &s.memory.piece
	away := keep{p.at, opponentsAway}
	switch {
	case p.kind == team.DroppedBall:
		away.radius = dropAway
	case p.side == team.Ours && p.kind != team.Penalty:
		away.radius = matesAway
	}
	for range 2 {
		switch {
		case p.kind == team.KickOff:
			to.X = min(to.X, -margin)
		case p.kind == team.Penalty && p.side == team.Ours:
			to.X = min(to.X, p.at.X-1)
		case p.kind == team.Penalty:
			to.X = max(to.X, p.at.X+1)
		}
		to = s.pushedOut(to, away)
	}
	return to, away
}

// yield keeps the distance at a set piece of the opponents and at a dropped ball.
func yield(s *scene) Action { return s.stay("keep the distance") }

// offer offers itself for the set piece of a teammate.
func offer(s *scene) Action { return s.stay("wait for the set piece") }

func (s *scene) stay(intention string) Action {
	const tight = 0.2 // m, by which a robot that stands may be nearer
	p := &s.memory.piece
	if !p.known {
		return search(s)
	}
	to, away := s.piecePlace(s.piecePost(s.job))
	if s.me.Sub(p.at).Len() < away.radius-tight {
		s.memory.settled = false
	}
	return s.settle(s.drive(s.waitBeside(to, away), bearing(s.me, p.at), hurry, away, intention))
}

// settle lets a robot stand that has arrived at its place: what it believes of its place moves a little all the time.
func (s *scene) settle(a Action) Action {
	const arrived, left = 0.12, 0.4 // m
	m, d := s.memory, a.Target.XY().Sub(s.me).Len()
	if d < arrived {
		m.settled = true
	} else if d > left {
		m.settled = false
	}
	if m.settled {
		a.Motor.Twist.X, a.Motor.Twist.Y = 0, 0
	}
	return a
}

// piecePost returns the place of a job at a set piece.
func (s *scene) piecePost(j job) soccer.Vec {
	const beside = 7.5 // m: not so far that the game waits for the robot
	f, p := s.field, &s.memory.piece
	goal := soccer.Vec{X: -s.end}
	if p.side == team.Ours && p.kind != team.Penalty && j == supporter {
		// Beside the ball, towards the middle and a little ahead.
		y := float64(-sign(p.at.Y) * (matesAway + 0.4))
		return s.allowed(soccer.Vec{X: clamp(p.at.X+0.5, s.end-2.6), Y: p.at.Y + y})
	}
	back := func(by float64) float64 { return max(p.at.X-by, 2.6-s.end) } // not in the own penalty area
	switch j {
	case defender:
		return s.allowed(p.at.Add(goal.Sub(p.at).Unit().Scale(opponentsAway + 0.1)))
	case supporter:
		return s.allowed(soccer.Vec{X: back(1.5), Y: p.at.Y + float64(3.2*sign(-p.at.Y))})
	case wide:
		return s.allowed(soccer.Vec{X: back(1), Y: clamp(p.at.Y-float64(sign(p.at.Y)*beside), s.touch-1.5)})
	}
	return s.allowed(soccer.Vec{X: back(4.5) + 1, Y: float64(sign(p.at.Y) * f.Width * 0.1)})
}

// prepare stands behind the ball, before the start of the set piece.
func prepare(s *scene) Action {
	p := &s.memory.piece
	to := s.pieceAim()
	const behind = 0.5 // m
	at := p.at.Add(to.at.Sub(p.at).Unit().Scale(-behind))
	away := keep{}
	if s.me.Sub(at).Len() > 0.3 {
		away = keep{p.at, behind - 0.05} // around the ball
	}
	return s.settle(s.drive(at, bearing(p.at, to.at), hurry, away, "prepare the set piece"))
}

// execute takes the set piece: a pass, or a shot from the penalty spot.
func execute(s *scene) Action {
	p := &s.memory.piece
	to := s.pieceAim()
	if s.has {
		return s.kickAt(to, 0.15, passTo[to.mate])
	}
	ball := p.at
	if s.knows {
		ball = s.ball
	}
	return s.comeFromBehind(ball, to.at.Sub(ball).Unit())
}

// pieceAim returns where the set piece is kicked to.
func (s *scene) pieceAim() aim {
	const steady = 0.5 // of worth by which another pass must be better
	p := &s.memory.piece
	if p.kind == team.Penalty {
		a := aim{at: soccer.Vec{X: s.end, Y: float64(0.6 * s.post)}, speed: shotSpeed, exists: true}
		if s.has {
			a = s.shot
		}
		return a
	}
	best := aim{}
	for i := range s.circles[:s.mates] {
		c := &s.circles[i]
		d := c.at.Sub(p.at).Len()
		if c.number == s.keeper && s.mates > 1 || d < 0.8 {
			continue
		}
		a := aim{at: c.at, mate: c.number, speed: passSpeed(d)}
		a.open = s.openTo(p.at, &a)
		a.worth = min(a.open, 0.8) - float64(0.15*d)
		if m := s.memory.places[c.number]; m.job == supporter {
			a.worth += 0.3
		}
		if s.memory.aimedTo == c.number {
			a.worth += steady
		}
		best.improve(a)
	}
	s.memory.aimedTo = best.mate
	if !best.exists { // nobody to pass to: ahead
		best = aim{at: soccer.Vec{X: s.end, Y: float64(p.at.Y * 0.5)}, speed: 3, exists: true}
	}
	return best
}

// leave leaves the field over the nearer touch line; for the bench, when all robots do, over the right one.
func leave(s *scene) Action {
	const outside = 0.45 // m
	side := sign(s.me.Y)
	x := clamp(s.me.X, s.end-0.5)
	if s.Referee.State == team.Parking {
		side, x = -1, -0.8*float64(s.cfg.Number)
	}
	to := soccer.Vec{X: x, Y: float64(side * (s.touch + outside))}
	return s.drive(to, s.self.Theta, cruise/2, keep{}, "leave the field")
}

// stand stands still.
func stand(s *scene) Action {
	switch {
	case s.halted() && !s.Heard:
		return Action{Intention: "wait for the referee"}
	case s.halted():
		return Action{Intention: "stand"}
	case !s.located:
		return Action{Intention: "localise"}
	}
	return Action{Intention: "stand"}
}
