package lab

import (
	"math"

	"touchline/soccer"
)

// Estimator is a world model of robot 0 on trial. It receives that robot's own percepts, too: From is 0, they arrive
// when they are ready, and the clock is right.
type Estimator interface {
	Receive(m *Package)
	World(now soccer.Time, w *soccer.World)
}

// ballRule is a published rule that fuses the balls that the robots track themselves. pick returns the ball among the
// tracks that are known now.
type ballRule struct {
	peers  [robots]Package
	scene  *Scenario
	pick   func(r *ballRule, now soccer.Time, known []report) (filter, bool)
	buffer []report
}

// report is a ball that one robot knows, predicted to now.
type report struct {
	filter
	robot int
	self  soccer.Vec // position of that robot
	age   float64    // s since it saw the ball
}

func (r *ballRule) Receive(m *Package) {
	if old := &r.peers[m.From]; old.Percepts == nil || m.Claimed > old.Claimed {
		*old = *m
	}
}

func (r *ballRule) World(now soccer.Time, w *soccer.World) {
	*w = soccer.World{Time: now, Obstacles: w.Obstacles[:0]}
	r.buffer = r.buffer[:0]
	for i := range r.peers {
		p := &r.peers[i]
		f, ok := p.Track.at(now, r.scene.Friction)
		if !ok || p.Percepts == nil {
			continue
		}
		age := max(0, float64(now-f.lastSeen)/1e9)
		r.buffer = append(r.buffer, report{filter: f, robot: i, self: p.Percepts.Self.Pose.XY(), age: age})
	}
	f, ok := r.pick(r, now, r.buffer)
	if !ok {
		return
	}
	w.Ball = soccer.Ball{
		Known: true, Position: soccer.Vec3{X: f.x[0], Y: f.x[1]}, Velocity: soccer.Vec3{X: f.x[2], Y: f.x[3]},
		Cov: soccer.Cov{XX: f.p[0][0], XY: f.p[0][1], YY: f.p[1][1]}, LastSeen: f.lastSeen,
	}
}

// pickOwn is no fusion at all.
func pickOwn(_ *ballRule, _ soccer.Time, known []report) (filter, bool) {
	if len(known) > 0 && known[0].robot == 0 {
		return known[0].filter, true
	}
	return filter{}, false
}

// pickNearest is CAMBADA's rule: the own ball, or else that of the robot which is nearest to the ball (Fusion
// baselines).
func pickNearest(r *ballRule, now soccer.Time, known []report) (filter, bool) {
	if f, ok := pickOwn(r, now, known); ok && known[0].age < 0.3 {
		return f, ok
	}
	best, least := -1, math.Inf(1)
	for i := range known {
		if d := known[i].self.Sub(known[i].position()).Len(); known[i].age < 0.5 && d < least {
			best, least = i, d
		}
	}
	if best < 0 {
		return pickOwn(r, now, known)
	}
	return known[best].filter, true
}

func (f *filter) position() soccer.Vec { return soccer.Vec{X: f.x[0], Y: f.x[1]} }

// weight of a report: the inverse of its variance, less while it is not seen.
func (r *report) weight() float64 { return math.Exp(-r.age/0.3) / (r.p[0][0] + r.p[1][1]) }

// cluster returns the reports around one of them that have the greatest weight together.
func cluster(known []report) []report {
	const radius = 1.0 // m
	var best []report
	most := 0.0
	for i := range known {
		var members []report
		sum := 0.0
		for j := range known {
			if known[i].position().Sub(known[j].position()).Len() < radius {
				members = append(members, known[j])
				sum += known[j].weight()
			}
		}
		if sum > most {
			best, most = members, sum
		}
	}
	return best
}

// pickMean is B-Human's rule: the weighted mean of the largest cluster (Fusion baselines).
func pickMean(_ *ballRule, _ soccer.Time, known []report) (filter, bool) {
	members := cluster(known)
	if len(members) == 0 {
		return filter{}, false
	}
	var f filter
	sum := 0.0
	for i := range members {
		m := &members[i]
		w := m.weight()
		sum += w
		for k := range 4 {
			f.x[k] += w * m.x[k]
			for l := range 4 {
				f.p[k][l] += w * w * m.p[k][l]
			}
		}
		f.lastSeen = max(f.lastSeen, m.lastSeen)
	}
	for k := range 4 {
		f.x[k] /= sum
		for l := range 4 {
			f.p[k][l] /= sum * sum
		}
	}
	return f, true
}

// pickSum adds the information of the tracks in the largest cluster, as if they were independent.
func pickSum(_ *ballRule, _ soccer.Time, known []report) (filter, bool) {
	return combine(cluster(known), func(int) float64 { return 1 })
}

// pickIntersection fuses the tracks in the largest cluster by covariance intersection. The weights are inversely
// proportional to the traces of the covariances (Fusion baselines).
func pickIntersection(_ *ballRule, _ soccer.Time, known []report) (filter, bool) {
	members := cluster(known)
	sum := 0.0
	inverseTrace := func(i int) float64 { return 1 / (members[i].p[0][0] + members[i].p[1][1]) }
	for i := range members {
		sum += inverseTrace(i)
	}
	return combine(members, func(i int) float64 { return inverseTrace(i) / sum })
}

// combine adds the information of the members with these weights.
func combine(members []report, weight func(int) float64) (filter, bool) {
	if len(members) == 0 {
		return filter{}, false
	}
	var f filter
	var information [4][4]float64
	var y [4]float64
	for i := range members {
		m, w := &members[i], weight(i)
		inverse := inverse4(m.p)
		for k := range 4 {
			for l := range 4 {
				information[k][l] += w * inverse[k][l]
				y[k] += w * inverse[k][l] * m.x[l]
			}
		}
		f.lastSeen = max(f.lastSeen, m.lastSeen)
	}
	f.p = inverse4(information)
	for k := range 4 {
		for l := range 4 {
			f.x[k] += f.p[k][l] * y[l]
		}
	}
	return f, true
}

// inverse4 returns the inverse of a positive definite matrix.
func inverse4(a [4][4]float64) [4][4]float64 {
	var b [4][4]float64
	for i := range 4 {
		b[i][i] = 1
	}
	for i := range 4 {
		pivot := a[i][i]
		for j := range 4 {
			a[i][j] /= pivot
			b[i][j] /= pivot
		}
		for k := range 4 {
			if k == i {
				continue
			}
			factor := a[k][i]
			for j := range 4 {
				a[k][j] -= factor * a[i][j]
				b[k][j] -= factor * b[i][j]
			}
		}
	}
	return b
}
