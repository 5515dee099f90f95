package lab

import (
	"math"
	"time"

	"touchline/soccer"
)

// Flight holds the sums of what an estimator knows of a ball in the air, at least 0.3 m above where it rolls.
type Flight struct {
	Aloft    int     // moments
	Height   float64 // sum of the height's error^2, m^2; a ball that is not known is on the floor
	InAir    float64 // sum of min(position's error, 1 m)^2
	Landings int     // moments at which the ball would land in the field
	Landing  float64 // sum of min(error of the place where it lands, 2 m)^2
}

func (f *Flight) add(o *Flight) {
	f.Aloft += o.Aloft
	f.Height += o.Height
	f.InAir += o.InAir
	f.Landings += o.Landings
	f.Landing += o.Landing
}

// FlightFigures are what a Flight amounts to, in m.
type FlightFigures struct {
	Share   float64 `json:"percent"` // of the time
	Height  float64 `json:"heightRMSE"`
	Capped  float64 `json:"cappedRMSE"`  // of the position, as Figures.Capped
	Landing float64 `json:"landingRMSE"` // of the place where it lands next, cut at 2 m
}

// figures returns what f amounts to in a game with so many moments.
func (f *Flight) figures(moments int) FlightFigures {
	root := func(sum float64, n int) float64 { return math.Sqrt(sum / max(1, float64(n))) }
	return FlightFigures{
		Share: 100 * float64(f.Aloft) / max(1, float64(moments)), Height: root(f.Height, f.Aloft),
		Capped: root(f.InAir, f.Aloft), Landing: root(f.Landing, f.Landings),
	}
}

// flight scores the belief about a ball in the air. Of an estimator that knows no heights the landing is where it
// expects the ball at the time at which it lands.
func (f *Flight) flight(t *truth, b *soccer.Ball) {
	const aloft, most = 0.3, 2.0 // m
	real := soccer.Ball{Flying: true, Position: soccer.Vec3{X: t.ball.X, Y: t.ball.Y, Z: t.height},
		Velocity: soccer.Vec3{X: t.velocity.X, Y: t.velocity.Y, Z: t.climb}}
	if t.height < soccer.BallRadius+aloft {
		return
	}
	f.Aloft++
	height, off := soccer.BallRadius, 1.0
	if b.Known {
		height = max(height, b.Position.Z)
		off = min(off, b.Position.XY().Sub(t.ball).Len())
	}
	f.Height += (height - t.height) * (height - t.height)
	f.InAir += off * off
	there, in, _ := real.Landing()
	if math.Abs(there.X) > length/2 || math.Abs(there.Y) > width/2 {
		return
	}
	f.Landings++
	off = most
	if b.Known {
		off = min(most, landing(b, in).Sub(there).Len())
	}
	f.Landing += off * off
}

// landing returns where a believed ball lands if it flies, and where it is at the true time of the landing if not.
func landing(b *soccer.Ball, in time.Duration) soccer.Vec {
	if at, _, flies := b.Landing(); flies {
		return at
	}
	s := in.Seconds()
	return soccer.Vec{X: b.Position.X + b.Velocity.X*s, Y: b.Position.Y + b.Velocity.Y*s}
}
