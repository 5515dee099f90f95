package selfloc

import (
	"math"
	"time"

	"touchline/soccer"
)

const (
	odometryGap  = 5 * time.Millisecond // between two poses that are kept
	odometryKept = 256
	fastest      = 15.0                   // m/s and rad/s; a faster motion is an odometry that started again
	noWheels     = 300 * time.Millisecond // without odometry: then the robot's motion is unknown
)

// step is the odometry at a time.
type step struct {
	at     soccer.Time
	travel soccer.Pose
	way    float64 // m, length of the way so far
	turn   float64 // rad, sum of the turns so far
}

// odometry is the newest part of the odometry.
type odometry struct {
	steps [odometryKept]step // a ring
	n     int                // steps ever kept
	raw   soccer.Pose        // newest pose as it was given
}

func (o *odometry) step(i int) *step { return &o.steps[i%odometryKept] }

// add adds a pose. It reports false for one that is older than the newest, and for an odometry that started again: the
// way goes on from where it was.
func (o *odometry) add(at soccer.Time, travel soccer.Pose) bool {
	if o.n == 0 {
		o.raw = travel
		o.steps[0] = step{at: at}
		o.n = 1
		return true
	}
	last := o.step(o.n - 1)
	dt := at.Sub(last.at).Seconds()
	if dt <= 0 {
		return false
	}
	d := between(o.raw, travel)
	o.raw = travel
	way, turn := d.XY().Len(), math.Abs(d.Theta)
	ok := way <= float64(fastest*max(dt, 0.02)) && turn <= float64(fastest*max(dt, 0.02))
	if !ok {
		d, way, turn = soccer.Pose{}, 0, 0
	}
	next := step{at: at, travel: compose(last.travel, d), way: last.way + way, turn: last.turn + turn}
	if o.n >= 2 && at.Sub(o.step(o.n-2).at) < odometryGap {
		*last = next
		return ok
	}
	*o.step(o.n) = next
	if o.n++; o.n == 2*odometryKept {
		o.n = odometryKept // the same places in the ring
	}
	return ok
}

// at returns the odometry at a time, and for how long it had to be extrapolated with the last velocity.
func (o *odometry) at(t soccer.Time) (step, time.Duration) {
	if o.n == 0 {
		return step{at: t}, noWheels
	}
	last := o.n - 1
	if newest := o.step(last); t >= newest.at {
		return o.ahead(t), t.Sub(newest.at)
	}
	oldest := max(0, o.n-odometryKept)
	for i := last - 1; i >= oldest; i-- {
		if a, b := o.step(i), o.step(i+1); a.at <= t {
			return mix(a, b, t), 0
		}
	}
	s := *o.step(oldest)
	s.at = t
	return s, 0
}

// ahead extrapolates the newest motion for up to 100 ms.
func (o *odometry) ahead(t soccer.Time) step {
	const most = 100 * time.Millisecond
	newest := *o.step(o.n - 1)
	wait := min(t.Sub(newest.at), most)
	if o.n < 2 || wait <= 0 {
		newest.at = t
		return newest
	}
	before := o.step(o.n - 2)
	share := wait.Seconds() / newest.at.Sub(before.at).Seconds()
	if share > 5 { // of two steps close to each other
		share = 5
	}
	d := between(before.travel, newest.travel)
	d.X, d.Y, d.Theta = d.X*share, d.Y*share, d.Theta*share
	return step{
		at: t, travel: compose(newest.travel, d), way: newest.way + d.XY().Len(), turn: newest.turn + math.Abs(d.Theta),
	}
}

// mix returns the odometry between two steps.
func mix(a, b *step, t soccer.Time) step {
	share := t.Sub(a.at).Seconds() / b.at.Sub(a.at).Seconds()
	d := between(a.travel, b.travel)
	d.X, d.Y, d.Theta = d.X*share, d.Y*share, d.Theta*share
	return step{
		at: t, travel: compose(a.travel, d),
		way: a.way + float64(share*(b.way-a.way)), turn: a.turn + float64(share*(b.turn-a.turn)),
	}
}

// twist returns the velocity over the newest 50 ms in the robot's frame, and whether it is known.
func (o *odometry) twist(now soccer.Time) (soccer.Twist, bool) {
	const span = 50 * time.Millisecond
	if o.n < 2 || now.Sub(o.step(o.n-1).at) > noWheels {
		return soccer.Twist{}, false
	}
	newest := o.step(o.n - 1)
	before, _ := o.at(newest.at.Add(-span))
	if first := o.step(max(0, o.n-odometryKept)); before.at < first.at {
		before = *first
	}
	seconds := newest.at.Sub(before.at).Seconds()
	if seconds <= 0 {
		return soccer.Twist{}, false
	}
	d := between(newest.travel, before.travel) // its way back, in the frame of now
	return soccer.Twist{X: -d.X / seconds, Y: -d.Y / seconds, Theta: -d.Theta / seconds}, true
}
