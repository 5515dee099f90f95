package manager

import (
	"fmt"
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/team"
)

// Limits of a plan.
const (
	maxPlan  = 120.0 // s
	maxSpeed = 4.0   // m/s, or rad/s of a turn
	maxSize  = 10.0  // m
	maxLaps  = 20
	speedUp  = 0.8 // m/s^2 or rad/s^2: gentle, so that wheels slip little
	corner   = 1.5 // rad/s, of turns at the corners of a square
)

// plan is the path of a locomotion check over time, in the frame of the robot at its start.
type plan struct {
	parts    []part
	duration float64 // s
}

// part is a piece of a plan, from standstill to standstill.
type part struct {
	start  soccer.Pose
	begin  float64 // s
	length float64 // m, or rad of a turn on the spot
	speed  float64 // m/s or rad/s
	aside  float64 // rad, direction of a straight way from the heading
	bend   float64 // 1/m, of a way; left is positive
	turns  float64 // 1 or -1 on the spot, 0 otherwise
}

// newPlan returns the path of a figure. Its size in m is the way of a straight line, the radius of a circle or eight, or
// the side of a square; speed is in m/s, that of a turn in rad/s.
func newPlan(figure team.Figure, speed, size float64, laps int) (*plan, error) {
	switch {
	case !(speed >= 0.05 && speed <= maxSpeed):
		return nil, fmt.Errorf("checks: speed %.3g: want 0.05 to %g", speed, maxSpeed)
	case figure != team.Turn && !(size >= 0.2 && size <= maxSize):
		return nil, fmt.Errorf("checks: size %.3g m: want 0.2 to %g m", size, maxSize)
	case laps < 1 || laps > maxLaps:
		return nil, fmt.Errorf("checks: %d laps: want 1 to %d", laps, maxLaps)
	}
	p := &plan{}
	for lap := range laps {
		switch figure {
		case team.Straight, team.Sideways: // there, and back on the next lap
			aside := float64(math.Pi * float64(lap%2))
			if figure == team.Sideways {
				aside += math.Pi / 2
			}
			p.add(part{length: size, speed: speed, aside: aside})
		case team.Turn:
			p.add(part{length: 2 * math.Pi, speed: speed, turns: 1})
		case team.Circle:
			p.add(part{length: float64(2 * math.Pi * size), speed: speed, bend: 1 / size})
		case team.Square:
			for range 4 {
				p.add(part{length: size, speed: speed})
				p.add(part{length: math.Pi / 2, speed: min(corner, float64(speed/size*4)), turns: 1})
			}
		case team.Eight:
			p.add(part{length: float64(2 * math.Pi * size), speed: speed, bend: 1 / size})
			p.add(part{length: float64(2 * math.Pi * size), speed: speed, bend: -1 / size})
		default:
			return nil, fmt.Errorf("checks: unknown figure %d", figure)
		}
	}
	if p.duration > maxPlan {
		return nil, fmt.Errorf("checks: the path takes %.0f s: want at most %.0f s", p.duration, maxPlan)
	}
	return p, nil
}

// add adds a part to the end.
func (p *plan) add(a part) {
	if n := len(p.parts); n > 0 {
		a.start, _ = p.parts[n-1].at(math.Inf(1))
	}
	a.begin = p.duration
	p.parts = append(p.parts, a)
	p.duration += a.duration()
}

// ramp returns how long a part takes to reach its speed, and that speed, which a short part never reaches in full.
func (a *part) ramp() (seconds, speed float64) {
	speed = min(a.speed, math.Sqrt(float64(a.length*speedUp)))
	return speed / speedUp, speed
}

func (a *part) duration() float64 {
	up, speed := a.ramp()
	return a.length/speed + up
}

// way returns how far the part is after t s, and how fast.
func (a *part) way(t float64) (way, speed float64) {
	up, most := a.ramp()
	left := a.duration() - t
	switch {
	case t <= 0:
		return 0, 0
	case left <= 0:
		return a.length, 0
	case t < up:
		return float64(0.5 * speedUp * t * t), float64(speedUp * t)
	case left < up:
		return a.length - float64(0.5*speedUp*left*left), float64(speedUp * left)
	}
	return float64(most * (t - float64(0.5*up))), most
}

// at returns the pose t s after the part began, and the velocity in the frame of the plan.
func (a *part) at(t float64) (soccer.Pose, soccer.Twist) {
	way, speed := a.way(t)
	p := a.start
	switch {
	case a.turns != 0:
		p.Theta = soccer.WrapAngle(p.Theta + float64(a.turns*way))
		return p, soccer.Twist{Theta: a.turns * speed}
	case a.bend == 0:
		sin, cos := exact.Sincos(p.Theta + a.aside)
		p.X, p.Y = p.X+float64(cos*way), p.Y+float64(sin*way)
		return p, soccer.Twist{X: cos * speed, Y: sin * speed}
	}
	sin, cos := exact.Sincos(p.Theta)
	turned := p.Theta + float64(a.bend*way)
	sine, cosine := exact.Sincos(turned)
	p.X, p.Y = p.X+(sine-sin)/a.bend, p.Y-(cosine-cos)/a.bend
	p.Theta = soccer.WrapAngle(turned)
	return p, soccer.Twist{X: cosine * speed, Y: sine * speed, Theta: a.bend * speed}
}

// at returns where the robot should be t s after the start, and its velocity, both in the frame of the start.
func (p *plan) at(t float64) (soccer.Pose, soccer.Twist) {
	i := len(p.parts) - 1
	for i > 0 && p.parts[i].begin > t {
		i--
	}
	return p.parts[i].at(t - p.parts[i].begin)
}

// apply returns where a robot is by calibrated odometry that was at a pose, after its wheels measured a motion.
func (c *Calibration) apply(at, from, to soccer.Pose) soccer.Pose {
	return moved(at, c.corrected(motion(from, to)))
}
