package lab

import (
	"math"
	"math/rand/v2"

	"touchline/internal/exact"
)

// The world of a game. Units are m and s.
const (
	halfLength = 9.0 // of the MSL field
	halfWidth  = 6.0
	speed      = 2.5  // of a robot
	reach      = 0.3  // from the robot's centre to a ball that it has
	support    = 1.0  // least distance from the ball of the robots that support the booker
	friction   = 0.5  // deceleration of the ball, m/s^2
	slowest    = 2.0  // speed of a kicked ball
	fastest    = 6.0  // speed of a kicked ball
	kicks      = 4.0  // mean time between two kicks
	noise      = 0.09 // standard deviation of a measured distance, independent in each control period
)

type vector struct{ x, y float64 }

func (v vector) distance(w vector) float64 {
	dx, dy := v.x-w.x, v.y-w.y
	return math.Sqrt(float64(dx*dx) + float64(dy*dy))
}

// toward returns the point that is step nearer to w.
func (v vector) toward(w vector, step float64) vector {
	d := v.distance(w)
	if d <= step {
		return w
	}
	return vector{v.x + float64((w.x-v.x)*step/d), v.y + float64((w.y-v.y)*step/d)}
}

// field is the ground truth.
type field struct {
	rng    *rand.Rand
	still  bool // nobody moves
	ball   vector
	motion vector // of the ball, m/s
	robots [maxRobots]vector
	homes  [maxRobots]vector // where the robots stand when the ball is in the centre
}

// begin places the robots evenly around the centre, and the ball anywhere.
func (f *field) begin(rng *rand.Rand, scene Scene, robots int) {
	*f = field{rng: rng, still: scene == Equal}
	turn := 2 * math.Pi * exact.Uniform(rng)
	for i := range robots {
		sin, cos := exact.Sincos(turn + 2*math.Pi*float64(i)/float64(robots))
		f.homes[i] = vector{halfLength * 0.6 * cos, halfWidth * 0.6 * sin}
		f.robots[i] = f.homes[i]
		if f.still {
			f.robots[i] = vector{3 * cos, 3 * sin}
		}
	}
	if !f.still {
		f.ball = vector{f.between(-halfLength, halfLength), f.between(-halfWidth, halfWidth)}
	}
}

func (f *field) between(low, high float64) float64 {
	return low + float64((high-low)*exact.Uniform(f.rng))
}

// roll moves the ball for dt seconds.
func (f *field) roll(dt float64) {
	if f.still {
		return
	}
	if exact.Uniform(f.rng) < dt/kicks {
		sin, cos := exact.Sincos(f.between(-math.Pi, math.Pi))
		v := f.between(slowest, fastest)
		f.motion = vector{v * cos, v * sin}
	}
	v := f.motion.distance(vector{})
	if v == 0 {
		return
	}
	f.ball.x, f.motion.x = bounce(f.ball.x+float64(f.motion.x*dt), f.motion.x, halfLength)
	f.ball.y, f.motion.y = bounce(f.ball.y+float64(f.motion.y*dt), f.motion.y, halfWidth)
	slower := max(0, v-float64(friction*dt)) / v
	f.motion = vector{f.motion.x * slower, f.motion.y * slower}
}

// bounce keeps the ball inside the border.
func bounce(at, v, border float64) (float64, float64) {
	switch {
	case at > border:
		return 2*border - at, -v
	case at < -border:
		return -2*border - at, -v
	}
	return at, v
}

// drive moves a robot for dt seconds: to the ball if it is the booker, otherwise to the place between its home and the ball
// from where it supports the booker.
func (f *field) drive(robot int, booker bool, dt float64) {
	if f.still {
		return
	}
	at := &f.robots[robot]
	if booker {
		if d := at.distance(f.ball); d > reach {
			*at = at.toward(f.ball, min(speed*dt, d-reach))
		}
		return
	}
	home := f.homes[robot]
	place := home.toward(f.ball, 0.4*home.distance(f.ball))
	if d := place.distance(f.ball); d < support {
		place = f.ball.toward(home, support)
	}
	*at = at.toward(place, speed*dt)
}

// measure returns the distance that a robot measures to the ball.
func (f *field) measure(robot int) float64 {
	return max(0, f.distance(robot)+float64(noise*exact.Normal(f.rng)))
}

func (f *field) distance(robot int) float64 { return f.robots[robot].distance(f.ball) }
