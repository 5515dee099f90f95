package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Slip is the error of a robot's odometry. The defaults are assumptions for an omnidirectional robot on carpet: on a lap of
// the field of 40 m with a few hard starts the position drifts by about a metre.
type Slip struct {
	Scale     float64 // sigma of a robot's constant error along x and along y, relative to the way; default 0.015
	ScaleTurn float64 // the same of turns; default 0.015
	Noise     float64 // m per square root of a metre, white noise of the way; default 0.01
	NoiseTurn float64 // rad per square root of a metre or a rad, white noise of the heading; default 0.01

	// While a robot accelerates by more than Grip, its wheels begin to slip: Rate times a second, for up to Longest. Then
	// they measure anything from no motion to twice the motion, and a turn of up to Twist to either side.
	Grip    float64       // m/s^2; default 2
	Rate    float64       // 1/s; default 2
	Longest time.Duration // default 300 ms
	Twist   float64       // rad/s; default 0.5
}

// DefaultSlip returns the odometry of a robot in good repair.
func DefaultSlip() Slip {
	return Slip{
		Scale: 0.015, ScaleTurn: 0.015, Noise: 0.01, NoiseTurn: 0.01,
		Grip: 2, Rate: 2, Longest: 300 * time.Millisecond, Twist: 0.5,
	}
}

func (s *Slip) check() error {
	for _, f := range [...]struct {
		name      string
		value, to float64
	}{
		{"Scale", s.Scale, 1}, {"ScaleTurn", s.ScaleTurn, 1}, {"Noise", s.Noise, 10}, {"NoiseTurn", s.NoiseTurn, 10},
		{"Grip", s.Grip, 1000}, {"Rate", s.Rate, 1000}, {"Longest", s.Longest.Seconds(), 60}, {"Twist", s.Twist, 100},
	} {
		if !(f.value >= 0 && f.value <= f.to) {
			return fmt.Errorf("%w: slip: %s is %g: want 0 to %g", ErrRange, f.name, f.value, f.to)
		}
	}
	return nil
}

// Odometer is the odometry of one robot. It is not safe for concurrent use.
type Odometer struct {
	slip   Slip
	r      *rand.Rand
	scale  soccer.Pose // what the wheels measure of a motion along x, along y, and of a turn
	travel soccer.Pose
	speed  soccer.Vec // m/s of the last motion, in the field frame

	slipping time.Duration // time for which the wheels still slip
	share    float64       // share of the motion that slipping wheels measure
	twist    float64       // rad/s that they measure besides
}

// NewOdometer returns the odometer of robot id, at the origin. The same seed gives the same errors.
func NewOdometer(slip Slip, seed uint64, id uint8) (*Odometer, error) {
	if err := slip.check(); err != nil {
		return nil, err
	}
	o := &Odometer{slip: slip, r: stream(seed, id, wheelSlip).Rand}
	o.scale = soccer.Pose{
		X:     1 + float64(slip.Scale*exact.Normal(o.r)),
		Y:     1 + float64(slip.Scale*exact.Normal(o.r)),
		Theta: 1 + float64(slip.ScaleTurn*exact.Normal(o.r)),
	}
	return o, nil
}

// Drive adds a motion of the robot on its wheels, which took dt: call it every 10 to 50 ms, also with a robot that
// stands. A robot that is carried does not drive.
func (o *Odometer) Drive(from, to soccer.Pose, dt time.Duration) {
	seconds := dt.Seconds()
	if !(seconds > 0) {
		return
	}
	sin, cos := exact.Sincos(from.Theta)
	d := to.XY().Sub(from.XY())
	turn := soccer.WrapAngle(to.Theta - from.Theta)
	way := d.Rotated(-sin, cos)
	length, angle := way.Len(), math.Abs(turn)
	speed := soccer.Vec{X: d.X / seconds, Y: d.Y / seconds}
	pull := speed.Sub(o.speed).Len() / seconds
	o.speed = speed

	way.X, way.Y, turn = float64(way.X*o.scale.X), float64(way.Y*o.scale.Y), float64(turn*o.scale.Theta)
	if length > 0 || angle > 0 {
		noise := float64(o.slip.Noise * math.Sqrt(length))
		way.X += float64(noise * exact.Normal(o.r))
		way.Y += float64(noise * exact.Normal(o.r))
		turn += float64(o.slip.NoiseTurn * math.Sqrt(length+angle) * exact.Normal(o.r))
	}
	if o.slips(pull, dt) {
		way.X, way.Y = float64(way.X*o.share), float64(way.Y*o.share)
		turn += float64(o.twist * seconds)
	}
	o.add(way, turn)
}

// slips reports whether the wheels slip during dt, in which the robot accelerates by pull m/s^2.
func (o *Odometer) slips(pull float64, dt time.Duration) bool {
	if o.slipping <= 0 {
		if pull <= o.slip.Grip || exact.Uniform(o.r) >= float64(o.slip.Rate*dt.Seconds()) {
			return false
		}
		o.slipping = time.Duration(float64(exact.Uniform(o.r) * float64(o.slip.Longest)))
		o.share = float64(2 * exact.Uniform(o.r))
		o.twist = float64(o.slip.Twist * (float64(2*exact.Uniform(o.r)) - 1))
	}
	o.slipping -= dt
	return true
}

// add adds a motion in the frame of the robot before it.
func (o *Odometer) add(way soccer.Vec, turn float64) {
	sin, cos := exact.Sincos(o.travel.Theta)
	o.travel.X += float64(cos*way.X) - float64(sin*way.Y)
	o.travel.Y += float64(sin*way.X) + float64(cos*way.Y)
	o.travel.Theta = soccer.WrapAngle(o.travel.Theta + turn)
}

// Travel returns the pose that the wheels measured since the start, in the frame of the first pose.
func (o *Odometer) Travel() soccer.Pose { return o.travel }
