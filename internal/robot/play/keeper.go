package play

import (
	"math"

	"touchline/soccer"
)

// goalkeep keeps between the ball and the goal, and goes to where a shot will cross its line.
func goalkeep(s *scene) Action {
	f := s.field
	depth := 0.45 // m, before the goal line
	if s.cfg.Number != soccer.Goalkeeper {
		length, _ := f.GoalArea()
		depth = length + soccer.RobotRadius + 0.1 // another robot stays out of the goal area
	}
	line, post := -s.end+depth, s.post-0.1
	to := soccer.Vec{X: line}
	if !s.knows {
		return s.drive(to, 0, cruise, keep{}, "guard the goal")
	}
	face := bearing(soccer.Vec{X: line}, s.ball)
	if math.Abs(face) > math.Pi/2 {
		face = math.Copysign(math.Pi/2, face)
	}
	if y, shot := s.crossing(line); shot {
		to.Y = clamp(y, s.post+0.1)
		a := s.drive(to, face, maxSpeed, keep{}, "save the shot")
		d := to.Sub(s.me)
		if l := d.Len(); l > 0.05 { // no detour, and no early braking
			v := min(maxSpeed, math.Sqrt(float64(2*3.5*l)))
			s.move(&a.Motor, soccer.Vec{X: d.X / l * v, Y: d.Y / l * v})
		}
		return s.near(a)
	}
	// On the line from the ball to the middle of the goal.
	goal := soccer.Vec{X: -s.end - 0.6}
	d := s.ball.Sub(goal)
	if d.X > 0.1 {
		to.Y = clamp(float64(d.Y*((line-goal.X)/d.X)), post)
	} else {
		to.Y = math.Copysign(post, s.ball.Y)
	}
	a := s.drive(to, face, cruise, keep{}, "guard the goal")
	if s.memory.piece.active && s.memory.piece.start == 0 {
		a = s.settle(a)
	}
	return a
}

// crossing returns where a shot crosses a line before the own goal.
func (s *scene) crossing(line float64) (y float64, shot bool) {
	const slow, soon, wide = 1.0, 3.0, 0.5 // m/s, s, m
	if s.roll.X > -slow || s.ball.X < line {
		return 0, false
	}
	t := (s.ball.X - line) / -s.roll.X
	y = s.ball.Y + float64(s.roll.Y*t)
	return y, t < soon && math.Abs(y) < s.post+wide
}
