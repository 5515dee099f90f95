package refbox

import (
	"math"

	"touchline/soccer"
	"touchline/wire/msl"
)

// Robots and balls of a worldstate that the referee's page draws. A team has five robots.
const (
	maxFieldRobots = 10
	maxFieldBalls  = 3
)

// locate keeps where a worldstate has the team's robots and the ball. turned is true for the team that attacks -x.
func (h *linkHealth) locate(w *msl.Worldstate, turned bool) {
	sign := 1.0
	if turned {
		sign = -1
	}
	h.robots, h.balls = h.robots[:0], h.balls[:0]
	for i := range w.Robots[:min(len(w.Robots), maxFieldRobots)] {
		r := &w.Robots[i]
		x, y := r.Pose.Field()
		if !drawable(x) || !drawable(y) {
			continue
		}
		at := FieldRobot{X: sign * x.Value, Y: sign * y.Value}
		if id := r.ID; id.Known && id.Value >= 1 && id.Value <= msl.MaxNumber {
			at.Number = int(id.Value)
		}
		if heading := r.Pose.At[2]; drawable(heading) {
			theta := heading.Value // 0 points to the opponents' goal in both frames
			if turned {
				theta += math.Pi
			}
			theta = soccer.WrapAngle(theta)
			at.Theta = &theta
		}
		h.robots = append(h.robots, at)
	}
	for i := range w.Balls[:min(len(w.Balls), maxFieldBalls)] {
		if x, y := w.Balls[i].Position.Field(); drawable(x) && drawable(y) {
			h.balls = append(h.balls, FieldBall{X: sign * x.Value, Y: sign * y.Value})
		}
	}
}

// drawable reports whether a number has a place on a page.
func drawable(n msl.Number) bool { return n.Known && math.Abs(n.Value) < 1e6 }
