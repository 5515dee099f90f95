package autoref

import (
	"touchline/game"
	"touchline/soccer"
)

// robots returns the robots that the referee looks at.
func (s *Scene) robots() []Robot { return s.Robots[:min(len(s.Robots), MaxRobots)] }

// taker returns the place in the scene of the robot that takes a set piece, the nearest of its side; -1: there is none.
func (r *Referee) taker(s *Scene, side game.Side, ball soccer.Vec) int {
	best, at := -1, 0.0
	for i := range s.robots() {
		robot := &s.Robots[i]
		if d := robot.Pose.XY().Sub(ball).Len(); robot.Side == side && robot.usable() && !r.tracks[i].off && (best < 0 || d < at) {
			best, at = i, d
		}
	}
	return best
}

// misplaced returns the rule that the robot at place i breaks at a set piece with the ball at ball, and how far it is
// from there.
func (r *Referee) misplaced(s *Scene, p game.SetPiece, part game.Part, ball soccer.Vec, i, taker int) (Rule, float64, bool) {
	return r.misplacedAt(s, s.Robots[i].Pose.XY(), Slack, p, part, ball, i, taker)
}

// misplacedAt returns what misplaced would return if the robot were at another place, for a slack of distances in m.
func (r *Referee) misplacedAt(
	s *Scene, at soccer.Vec, slack float64, p game.SetPiece, part game.Part, ball soccer.Vec, i, taker int,
) (Rule, float64, bool) {
	robot := &s.Robots[i]
	away := at.Sub(ball).Len()
	if !robot.usable() || i == taker || r.tracks[i].off {
		return 0, away, false
	}
	least, half := Keep(&r.cfg.Field, p, part, robot.Player, at)
	switch {
	case half > slack:
		return WrongHalf, away, true
	case away < least-slack:
		return TooNear, away, true
	}
	return 0, away, false
}

// Keep returns how many m a robot at a place must keep from the ball at a set piece until the ball is in play, 0 for
// none, and how many m it stands in the half where it may not be, 0 or less for none. The robot that takes the set
// piece has no distance to keep. Distances are from centre to centre, those of package soccer.
func Keep(f *soccer.Field, p game.SetPiece, part game.Part, who Player, at soccer.Vec) (away, half float64) {
	direction := part.Attack(who.Side)
	away = soccer.MatesAway
	switch {
	case p.Command == game.DropBall:
		away = soccer.DroppedBallAway
	case p.Command == game.PenaltyKick && who.Number == soccer.Goalkeeper && who.Side != p.Side:
		return 0, 0
	case p.Command == game.PenaltyKick || who.Side != p.Side:
		away = soccer.OpponentsAway
	}
	sheltered := inArea(f, at, -direction, f.PenaltyAreaLength, f.PenaltyAreaWidth)
	if sheltered && p.Command != game.PenaltyKick && who.Side != p.Side {
		away = 0
	}
	if p.Command == game.KickOff {
		half = at.X * direction
	}
	return away, half
}

// ready reports whether START may be ordered early: all robots are where the set piece allows, will be there for another
// moment, also on the way of a robot that hurries, and the one that takes it is near the ball. Distances have no slack
// here: a robot that another one touches just then may lose a little.
func (r *Referee) ready(s *Scene, st *game.State) bool {
	const looks = 9 // samples of a robot's way
	ball := r.ball.XY()
	taker := r.taker(s, st.SetPiece.Side, ball)
	if r.waited < r.cfg.Settle || taker >= 0 && s.Robots[taker].Pose.XY().Sub(ball).Len() > soccer.DroppedBallAway {
		return false
	}
	for i := range s.robots() {
		at, v := s.Robots[i].Pose.XY(), s.Robots[i].Velocity
		for k := range looks {
			in := float64(k) * (foresight / (looks - 1))
			then := soccer.Vec{X: at.X + float64(v.X*in), Y: at.Y + float64(v.Y*in)}
			if _, _, bad := r.misplacedAt(s, then, 0, st.SetPiece, st.Part, ball, i, taker); bad {
				return false
			}
		}
	}
	return true
}

// coming reports whether a robot that stands where the set piece forbids is on its way.
func (r *Referee) coming(s *Scene, st *game.State) bool {
	ball := r.ball.XY()
	taker := r.taker(s, st.SetPiece.Side, ball)
	for i := range s.robots() {
		if _, _, bad := r.misplaced(s, st.SetPiece, st.Part, ball, i, taker); bad && s.Robots[i].speed() > settled {
			return true
		}
	}
	return false
}

// atStart notes the robots whose places the set piece forbids.
func (r *Referee) atStart(s *Scene, st *game.State) {
	ball := r.ball.XY()
	taker := r.taker(s, st.SetPiece.Side, ball)
	for i := range s.robots() {
		if rule, away, bad := r.misplaced(s, st.SetPiece, st.Part, ball, i, taker); bad {
			r.note(s, i, rule, "at START of %s, %.1f m from the ball", st.SetPiece.Command, away)
		}
	}
}
