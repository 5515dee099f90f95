package lab

import (
	"math"

	"touchline/soccer"
	"touchline/world/selfloc"
)

// Names of the estimators.
const (
	WalksOurs = "touchline"
	Tribots   = "Tribots, no filter"
	wheels    = "odometry alone"
)

// WalksEstimator estimates the pose of a robot.
type WalksEstimator interface {
	Place(at soccer.Time, pose soccer.Pose, sigma, sigmaTurn float64)
	Odometry(at soccer.Time, travel soccer.Pose)
	Lines(at soccer.Time, points []soccer.Vec)
	Compass(at soccer.Time, heading, sigma float64)
	Sights(s *selfloc.Sights)
	Estimate(now soccer.Time) selfloc.Estimate
}

func estimatorNames() []string { return []string{WalksOurs, Tribots, wheels} }

// walksEstimators returns new walksEstimators for one game, in the order of estimatorNames.
func walksEstimators(s *WalksScenario) []WalksEstimator {
	return []WalksEstimator{
		selfloc.New(selfloc.DefaultConfig(s.Field)),
		&tribots{marks: s.Field.Marks(), looks: true},
		&tribots{},
	}
}

// tribots moves the pose by the odometry, and takes the pose with the least error of the newest picture in its place
// (Tribots). Without looks it is the odometry alone.
type tribots struct {
	looks  bool
	marks  []soccer.Mark
	pose   soccer.Pose
	placed bool
	ways   []way // of the last half second, oldest first
}

type way struct {
	at     soccer.Time
	travel soccer.Pose
}

func (t *tribots) Place(_ soccer.Time, pose soccer.Pose, _, _ float64) { t.pose, t.placed = pose, true }

func (t *tribots) Odometry(at soccer.Time, travel soccer.Pose) {
	if n := len(t.ways); n > 0 {
		t.pose = joined(t.pose, relative(t.ways[n-1].travel, travel))
	}
	if t.ways = append(t.ways, way{at, travel}); len(t.ways) > 50 {
		t.ways = t.ways[1:]
	}
}

// Lines minimises the error at the time of the picture, and moves the result on by the odometry since.
func (t *tribots) Lines(at soccer.Time, points []soccer.Vec) {
	if !t.looks || len(points) == 0 || len(t.ways) == 0 {
		return
	}
	then := t.ways[0].travel
	for _, w := range t.ways {
		if w.at <= at {
			then = w.travel
		}
	}
	since := relative(then, t.ways[len(t.ways)-1].travel)
	back := joined(t.pose, relative(since, soccer.Pose{}))
	t.pose, t.placed = joined(t.minimum(back, points), since), true
}

// minimum returns the pose near a start with the least error: the sum of 1 - c^2/(c^2+d^2) over the points, where d is a
// point's distance from the nearest line.
func (t *tribots) minimum(pose soccer.Pose, points []soccer.Vec) soccer.Pose {
	const c2, rounds = 0.25 * 0.25, 15
	for range rounds {
		var a [3][4]float64 // normal equations
		sin, cos := math.Sincos(pose.Theta)
		for _, p := range points {
			arm := soccer.Vec{X: cos*p.X - sin*p.Y, Y: sin*p.X + cos*p.Y}
			at := soccer.Vec{X: pose.X + arm.X, Y: pose.Y + arm.Y}
			off := soccer.Vec{X: math.Inf(1)}
			for i := range t.marks {
				if d := at.Sub(t.marks[i].Nearest(at)); d.Len() < off.Len() {
					off = d
				}
			}
			d := math.Max(off.Len(), 1e-9)
			w := c2 / (c2 + d*d)
			w *= w
			j := [3]float64{off.X / d, off.Y / d, (off.Y*arm.X - off.X*arm.Y) / d}
			for i := range j {
				for k := range j {
					a[i][k] += w * j[i] * j[k]
				}
				a[i][3] -= w * j[i] * d
			}
		}
		for i := range a {
			a[i][i] += 1e-3 // where only one line is in view
		}
		step := solve(&a)
		pose = soccer.Pose{X: pose.X + step[0], Y: pose.Y + step[1], Theta: soccer.WrapAngle(pose.Theta + step[2])}
		if math.Abs(step[0])+math.Abs(step[1])+math.Abs(step[2]) < 1e-4 {
			break
		}
	}
	return pose
}

// solve solves three linear equations.
func solve(a *[3][4]float64) (x [3]float64) {
	for i := range a {
		for k := i + 1; k < 3; k++ {
			f := a[k][i] / a[i][i]
			for m := range a[k] {
				a[k][m] -= f * a[i][m]
			}
		}
	}
	for i := 2; i >= 0; i-- {
		x[i] = a[i][3]
		for k := i + 1; k < 3; k++ {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x
}

func (t *tribots) Compass(soccer.Time, float64, float64) {}

func (t *tribots) Sights(*selfloc.Sights) {}

func (t *tribots) Estimate(now soccer.Time) selfloc.Estimate {
	return selfloc.Estimate{Time: now, Self: soccer.Localisation{Known: t.placed, HasHeading: true, Pose: t.pose}}
}

// relative returns b in the frame of a.
func relative(a, b soccer.Pose) soccer.Pose {
	sin, cos := math.Sincos(a.Theta)
	x, y := b.X-a.X, b.Y-a.Y
	return soccer.Pose{X: cos*x + sin*y, Y: cos*y - sin*x, Theta: soccer.WrapAngle(b.Theta - a.Theta)}
}

// joined returns b, given in the frame of a, in the frame of a's own.
func joined(a, b soccer.Pose) soccer.Pose {
	sin, cos := math.Sincos(a.Theta)
	return soccer.Pose{X: a.X + cos*b.X - sin*b.Y, Y: a.Y + sin*b.X + cos*b.Y, Theta: soccer.WrapAngle(a.Theta + b.Theta)}
}
