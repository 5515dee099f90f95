package selfloc

import (
	"math"
	"time"

	"touchline/internal/bounded"
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
	steps bounded.Ring[step]
	raw   soccer.Pose // newest pose as it was given
}

func (o *odometry) newest() *step { return o.steps.At(o.steps.Len() - 1) }

// add adds a pose. It reports false for one that is older than the newest, and for an odometry that started again: the
// way goes on from where it was.
func (o *odometry) add(at soccer.Time, travel soccer.Pose) bool {
	n := o.steps.Len()
	if n == 0 {
		o.raw = travel
		*o.steps.Push(odometryKept) = step{at: at}
		return true
	}
	last := o.newest()
	dt := at.Sub(last.at).Seconds()
	if dt <= 0 {
		return false
	}
	d := o.raw.Relative(travel)
	o.raw = travel
	way, turn := d.XY().Len(), math.Abs(d.Theta)
	ok := way <= float64(fastest*max(dt, 0.02)) && turn <= float64(fastest*max(dt, 0.02))
	if !ok {
		d, way, turn = soccer.Pose{}, 0, 0
	}
	next := step{at: at, travel: last.travel.Compose(d), way: last.way + way, turn: last.turn + turn}
	if n >= 2 && at.Sub(o.steps.At(n-2).at) < odometryGap {
		*last = next
		return ok
	}
	*o.steps.Push(odometryKept) = next
	return ok
}

// at returns the odometry at a time, and for how long it had to be extrapolated with the last velocity.
func (o *odometry) at(t soccer.Time) (step, time.Duration) {
	n := o.steps.Len()
	if n == 0 {
		return step{at: t}, noWheels
	}
	if newest := o.newest(); t >= newest.at {
		return o.ahead(t), t.Sub(newest.at)
	}
	for i := n - 2; i >= 0; i-- {
		if a, b := o.steps.At(i), o.steps.At(i+1); a.at <= t {
			return mix(a, b, t), 0
		}
	}
	s := *o.steps.At(0)
	s.at = t
	return s, 0
}

// ahead extrapolates the newest motion for up to 100 ms.
func (o *odometry) ahead(t soccer.Time) step {
	const most = 100 * time.Millisecond
	newest, n := *o.newest(), o.steps.Len()
	wait := min(t.Sub(newest.at), most)
	if n < 2 || wait <= 0 {
		newest.at = t
		return newest
	}
	before := o.steps.At(n - 2)
	share := wait.Seconds() / newest.at.Sub(before.at).Seconds()
	if share > 5 { // the two steps are close to each other
		share = 5
	}
	d := before.travel.Relative(newest.travel)
	d.X, d.Y, d.Theta = d.X*share, d.Y*share, d.Theta*share
	return step{
		at: t, travel: newest.travel.Compose(d), way: newest.way + d.XY().Len(), turn: newest.turn + math.Abs(d.Theta),
	}
}

// mix returns the odometry between two steps.
func mix(a, b *step, t soccer.Time) step {
	share := t.Sub(a.at).Seconds() / b.at.Sub(a.at).Seconds()
	d := a.travel.Relative(b.travel)
	d.X, d.Y, d.Theta = d.X*share, d.Y*share, d.Theta*share
	return step{
		at: t, travel: a.travel.Compose(d),
		way: a.way + float64(share*(b.way-a.way)), turn: a.turn + float64(share*(b.turn-a.turn)),
	}
}

// twist returns the velocity over the newest 50 ms in the robot's frame, and whether it is known.
func (o *odometry) twist(now soccer.Time) (soccer.Twist, bool) {
	const span = 50 * time.Millisecond
	if o.steps.Len() < 2 || now.Sub(o.newest().at) > noWheels {
		return soccer.Twist{}, false
	}
	newest := o.newest()
	before, _ := o.at(newest.at.Add(-span))
	if first := o.steps.At(0); before.at < first.at {
		before = *first
	}
	seconds := newest.at.Sub(before.at).Seconds()
	if seconds <= 0 {
		return soccer.Twist{}, false
	}
	d := newest.travel.Relative(before.travel) // its way back, in the frame of now
	return soccer.Twist{X: -d.X / seconds, Y: -d.Y / seconds, Theta: -d.Theta / seconds}, true
}
