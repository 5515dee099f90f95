package sim

import (
	"math"
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// The dribbler draws the ball to a place in front of the body. The ball never enters the robot's circle; the rules allow
// a third of it (MSL Rules 2026). The strength decides when the ball is lost: on a turn with w rad/s the ball needs
// 0.38 w^2 m/s^2, and it is lost above 4 rad/s, or earlier where the robot accelerates, too. All figures are assumptions.
const (
	dribblerPull  = 6.0                    // m/s^2, greatest acceleration of the ball
	dribblerCatch = 2.0                    // m/s that the dribbler takes from a ball that bounces off it
	dribblerRests = 300 * time.Millisecond // after a kick

	dribblerGap      = 0.01 // m between the body and a ball at its place
	dribblerRate     = 8.0  // 1/s, of the approach to the place
	dribblerApproach = 1.0  // m/s, greatest speed of the approach
)

// dribbled returns the velocity of a ball on the floor, h seconds later, at the dribbler of a robot with a heading of that
// cosine and sine; ahead of it the ball is at a distance in the field frame.
func (b *body) dribbled(ball soccer.Vec, distance soccer.Vec, robot soccer.Twist, cos, sin, share, h float64) soccer.Vec {
	x, y := float64(b.place*cos), float64(b.place*sin)
	to := shortened(soccer.Vec{X: float64(dribblerRate * (x - distance.X)), Y: float64(dribblerRate * (y - distance.Y))}, dribblerApproach)
	change := shortened(soccer.Vec{
		X: robot.X - float64(robot.Theta*y) + to.X - ball.X,
		Y: robot.Y + float64(robot.Theta*x) + to.Y - ball.Y,
	}, float64(dribblerPull*share*h))
	return soccer.Vec{X: ball.X + change.X, Y: ball.Y + change.Y}
}

// Kicker is the error of kicks, normally distributed and drawn for each kick. Zero: kicks are exact.
type Kicker struct {
	SpeedSigma     float64 // relative to the speed; default 0.03
	DirectionSigma float64 // rad, to the side; default 1.5 degrees
}

// defaultKicker returns the errors of a kicker in good repair; assumptions.
func defaultKicker() Kicker { return Kicker{SpeedSigma: 0.03, DirectionSigma: 1.5 * math.Pi / 180} }

// kick returns the velocity of a ball that a robot with a heading of that cosine and sine kicks.
func (k *Kicker) kick(m *soccer.Motor, cos, sin, most float64, random *rand.Rand) soccer.Vec3 {
	speed := m.KickSpeed
	if *k != (Kicker{}) {
		speed *= 1 + float64(k.SpeedSigma*exact.Normal(random))
		s, c := exact.Sincos(k.DirectionSigma * exact.Normal(random))
		heading := soccer.Vec{X: cos, Y: sin}.Rotated(s, c)
		cos, sin = heading.X, heading.Y
	}
	speed = max(0, min(speed, most))
	up, level := exact.Sincos(min(m.KickElevation, maxElevation))
	return soccer.Vec3{X: speed * level * cos, Y: speed * level * sin, Z: speed * up}
}
