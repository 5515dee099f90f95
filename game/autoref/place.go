package autoref

import (
	"math"

	"touchline/game"
	"touchline/soccer"
)

// inset is how far inside the lines the ball is placed for a throw-in, a corner or near a line, in m (simatch).
const inset = 0.3

// exit is where a ball left the field: its centre when it was wholly over a line.
type exit struct {
	at   soccer.Vec3
	goal bool    // over a goal line; false: over a touch line
	end  float64 // +1 or -1: the sign of x of that goal line, or of y of that touch line
}

// left returns where the ball left the field on its straight way from was to ball. It reports false for a ball that is
// in the field.
func (r *Referee) left(was, ball soccer.Vec3) (exit, bool) {
	length, width := r.half.X+soccer.BallRadius, r.half.Y+soccer.BallRadius
	overGoal, overTouch := math.Abs(ball.X) > length, math.Abs(ball.Y) > width
	if !overGoal && !overTouch {
		return exit{}, false
	}
	goalAt, touchAt := share(was.X, ball.X, length), share(was.Y, ball.Y, width)
	if overGoal && (!overTouch || goalAt <= touchAt) {
		return exit{at: between(was, ball, goalAt), goal: true, end: math.Copysign(1, ball.X)}, true
	}
	return exit{at: between(was, ball, touchAt), end: math.Copysign(1, ball.Y)}, true
}

// share returns which share of the way from a to b lies before the line at limit or -limit. It is 1 for a way that does
// not cross it, and for one that begins beyond it.
func share(a, b, limit float64) float64 {
	limit = math.Copysign(limit, b)
	if math.Abs(b) <= math.Abs(limit) || math.Abs(a) >= math.Abs(limit) && a*limit > 0 {
		return 1
	}
	return (limit - a) / (b - a)
}

func between(a, b soccer.Vec3, t float64) soccer.Vec3 {
	return soccer.Vec3{
		X: a.X + float64((b.X-a.X)*t), Y: a.Y + float64((b.Y-a.Y)*t), Z: a.Z + float64((b.Z-a.Z)*t),
	}
}

// inGoal reports whether a ball that left the field over a goal line went between the posts and under the bar.
func (r *Referee) inGoal(e exit) bool {
	f := &r.cfg.Field
	return e.goal && math.Abs(e.at.Y) <= float64(f.GoalWidth*0.5)-soccer.BallRadius && e.at.Z <= f.GoalHeight-soccer.BallRadius
}

// spot returns where the ball lies for a set piece, when it is at ball. direction is the direction in which the taking
// side plays, +1 or -1 along x.
func (r *Referee) spot(c game.Command, direction float64, ball soccer.Vec) soccer.Vec {
	f := &r.cfg.Field
	x, y := r.half.X-inset, r.half.Y-inset
	upper := math.Copysign(1, ball.Y)
	switch c {
	case game.KickOff:
		return soccer.Vec{}
	case game.PenaltyKick:
		return soccer.Vec{X: direction * (r.half.X - f.PenaltySpot)}
	case game.Corner:
		return soccer.Vec{X: direction * x, Y: upper * y}
	case game.GoalKick:
		return r.mark(-direction, upper)
	case game.ThrowIn:
		return soccer.Vec{X: clamp(ball.X, x), Y: upper * y}
	}
	at := soccer.Vec{X: clamp(ball.X, x), Y: clamp(ball.Y, y)}
	if inArea(f, at, math.Copysign(1, at.X), f.PenaltyAreaLength, f.PenaltyAreaWidth) {
		return r.mark(math.Copysign(1, at.X), upper)
	}
	return at
}

// mark returns a restart mark: as far from the goal line as the penalty spot, a quarter of the field's width from the
// middle. Goal kicks are taken there, and free kicks and dropped balls of a penalty area, as in simatch, whose figures
// are for one field only.
func (r *Referee) mark(end, upper float64) soccer.Vec {
	return soccer.Vec{X: end * (r.half.X - r.cfg.Field.PenaltySpot), Y: upper * r.half.Y / 2}
}

// inArea reports whether a point is in an area of the given size before the goal at an end of the field, +1 or -1.
func inArea(f *soccer.Field, p soccer.Vec, end, length, width float64) bool {
	half, x := float64(f.Length*0.5), float64(p.X*end)
	return x > half-length && x < half && math.Abs(p.Y) < width/2
}

func clamp(v, limit float64) float64 { return min(max(v, -limit), limit) }
