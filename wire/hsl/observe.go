package hsl

import (
	"fmt"
	"time"

	"touchline/soccer"
)

// Observe converts m to percepts in the team frame and SI units, reusing the slices of p: the robot's pose, and the
// ball if the robot has ever seen it. ballAge is the time since then; the ball's place takes the robot's present pose.
// p.Time is 0: the message holds no time. The error names the field that is out of range; p is empty then.
func (m *Return) Observe(p *soccer.Percepts) (ballAge time.Duration, err error) {
	*p = soccer.Percepts{Balls: p.Balls[:0], Obstacles: p.Obstacles[:0]}
	for _, v := range [...]struct {
		name  string
		value float32
		most  float32
	}{
		{"pose.x", m.X, maxAway}, {"pose.y", m.Y, maxAway}, {"pose.theta", m.Theta, 1e6}, {"ballAge", m.BallAge, maxBallAge},
		{"ball.x", m.BallX, maxAway}, {"ball.y", m.BallY, maxAway},
	} {
		unused := m.BallAge < 0 && (v.name == "ball.x" || v.name == "ball.y")
		if !unused && !(v.value >= -v.most && v.value <= v.most) {
			return 0, fmt.Errorf("hsl: %s: %v is out of range", v.name, v.value)
		}
	}
	pose := soccer.Pose{X: metres(m.X), Y: metres(m.Y), Theta: soccer.WrapAngle(float64(m.Theta))}
	p.Self = soccer.Localisation{Known: true, HasHeading: true, Pose: pose}
	if m.BallAge < 0 {
		return 0, nil
	}
	ball := pose.Compose(soccer.Pose{X: metres(m.BallX), Y: metres(m.BallY)})
	p.Balls = append(p.Balls, soccer.Observation{Position: soccer.Vec3{X: ball.X, Y: ball.Y}})
	return time.Duration(float64(m.BallAge) * float64(time.Second)), nil
}

// metres converts mm to m.
func metres(v float32) float64 { return float64(v) / 1000 }
