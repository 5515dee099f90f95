package world

import (
	"math"
	"math/bits"
	"time"

	"touchline/soccer"
)

// dispute is the evidence that one robot contradicts the others. A robot is named when more than half of the team
// contradicted it within a few seconds, not necessarily at one time. One robot suffices if it reports a ball farther away
// than any robot sees, if its pose has just jumped, or if the other speaks for more than itself (testimony.credible). What
// its own pictures prove needs none (testimony.proof).
type dispute struct {
	named     bool
	since     soccer.Time // when this run of contradictions began
	newest    soccer.Time // contradiction
	accused   soccer.Time // when others last contradicted it for long enough
	what      soccer.Subject
	misplaced bool    // all that the robot sees is elsewhere: its pose is wrong, or its camera is frozen
	by        float64 // m
	agreed    float64 // s, for which a named robot agreed
	agreedAt  soccer.Time

	ball, pose [maxPeers + 1]charge // charges of each other robot, by its slot
}

// juror is another robot with which one is compared.
type juror struct {
	*testimony
	slot  uint8
	named bool
}

// falseBall returns the probability that a ball is false which a named teammate reports. It is nearly sure if the ball is
// little off, which would pass for the true one. The robot itself believes its own eyes.
func (d *dispute) falseBall() float64 {
	const sure, disputed, little = 0.99999, 0.97, 2.0 // little in m
	if d.misplaced && d.by < little {
		return sure
	}
	return disputed
}

const maxJurors = 8 // jurors in one comparison: more take turns

// disagreement returns the dispute as the belief tells it.
func (d *dispute) disagreement() soccer.Disagreement {
	if !d.named {
		return soccer.Disagreement{}
	}
	return soccer.Disagreement{Since: d.since, What: d.what, By: d.by}
}

// compare compares a robot's picture with the newest ones of the others, unless it is older than its own newest one.
func (m *Model) compare(p *peer, percepts *soccer.Percepts, scale float64) {
	o := &m.observers[p.slot]
	t, d := &o.testimony, &o.dispute
	const unordered = 2 // s: an older picture means that time went back
	if late := seconds(t.at, percepts.Time); late > unordered {
		o.clockJumped()
	} else if late >= 0 {
		return
	}
	dt := min(0.15, seconds(percepts.Time, t.at))
	t.reporter = p.reporter
	m.testify(o, percepts, scale)
	if t.jumped == t.at {
		d.pose, d.ball = [maxPeers + 1]charge{}, [maxPeers + 1]charge{} // they concern the pose before
	}
	var memory [maxJurors]juror
	jury := m.jury(p, t.at, memory[:0])
	reach, farthest := t.eyes.reach, t.eyes.farthest
	for i := range jury {
		reach, farthest = max(reach, jury[i].eyes.reach), max(farthest, jury[i].eyes.farthest)
	}
	speed, flies := 0.0, false
	if b := m.likeliestBall(); b != nil {
		flies = b.flying // a camera that measures no heights sees it elsewhere
		speed = math.Sqrt(float64(b.vx*b.vx) + float64(b.vy*b.vy))
	}
	if !d.named && seconds(t.at, d.newest) > 1 {
		d.since = 0 // another run begins
	}
	conflict, agreed := false, false
	if t.saw && !flies {
		conflict, agreed = m.compareBall(o, jury, speed, dt)
	}
	seen, common := agreed, agreed
	switch m.compareObstacles(o, percepts, jury) {
	case agrees:
		common = true
		agreed = agreed || d.what == soccer.PoseSubject
	case conflicts:
		conflict = true
	}
	if common && !d.named && !conflict {
		t.shared = t.at
	}
	m.learnSight(p, jury, speed)
	if t.run.common == 0 && 2*(1+bits.OnesCount64(uint64(t.run.seenBy))) > len(m.peers)+1 {
		t.run.common = t.at
	}
	switch {
	case conflict:
		if d.since == 0 {
			d.since = t.at
		}
		d.newest = t.at
	case seen && !d.named:
		d.since = 0
	}
	m.decide(o, sightLimit(reach, farthest), conflict, agreed)
}

// likeliestBall returns the most likely hypothesis about the ball, nil without any.
func (m *Model) likeliestBall() *ballHypothesis {
	f := m.ball.beforeSight(m.ball.n)
	if f.n == 0 {
		return nil
	}
	return &f.all[f.top]
}

// clockJumped forgets the comparisons of a robot whose clock proved to be wrong: it seemed to have driven far at once.
func (o *observer) clockJumped() {
	o.dispute = dispute{}
	o.testimony.at, o.testimony.jumped = 0, 0
	o.delay.clockJumped()
}

// jury appends to found the robots whose pictures are as new as one of p at at.
func (m *Model) jury(p *peer, at soccer.Time, found []juror) []juror {
	const together = 400 * time.Millisecond
	m.turn++
	for i := range min(len(m.peers)+1, 2*maxJurors) {
		q := &m.own
		if i > 0 {
			q = &m.peers[(m.turn+i)%len(m.peers)]
		}
		o := &m.observers[q.slot]
		if q == p || q.reporter == p.reporter || o.testimony.at == 0 || len(found) == maxJurors {
			continue
		}
		if o.testimony.at.Sub(at).Abs() < together {
			found = append(found, juror{&o.testimony, q.slot, o.dispute.named})
		}
	}
	return found
}

// compareBall compares the ball that a robot sees with what the others say about it.
func (m *Model) compareBall(o *observer, jury []juror, speed, dt float64) (conflict, agreed bool) {
	t, d := &o.testimony, &o.dispute
	contested := false
	for i := range jury {
		j := &jury[i]
		if j.named {
			continue
		}
		said := t.ball(j.testimony, speed)
		if said == conflicts && !j.saw && m.between(j.slot, j.from, t.place.Sub(j.from), t.at) {
			said = silent
		}
		switch said {
		case conflicts:
			c := &d.ball[j.slot]
			c.contradict(t.at, t.picture, 1, j.saw)
			c.credible = j.saw && j.credible(t, c.agreed)
			c.nearer = j.saw && j.distance < t.distance
			contested = contested || j.saw
		case misplaces:
			d.pose[j.slot].contradict(t.at, t.picture, 4, true)
		case agrees:
			d.ball[j.slot].agree(t.at, t.picture)
			if j.run.credited() {
				d.ball[j.slot].agreed = t.at
				if t.run.credited() {
					t.run.seenBy = t.run.seenBy.With(j.reporter)
				}
			}
			agreed = true
			if t.bias() {
				d.pose[j.slot].agree(t.at, t.picture)
			}
		}
		if said == conflicts || said == misplaces {
			conflict = true
			if j.saw {
				d.measure(t.raw.Sub(j.place).Len())
			}
		}
	}
	if contested {
		t.run.disputed += dt
	}
	return conflict, agreed
}

// measure takes a distance, in m, into the running mean. One false sight moves it little.
func (d *dispute) measure(by float64) {
	if d.since == 0 {
		d.by = by
	}
	d.by += min(0.1, max(-0.1, float64(0.1*(by-d.by))))
}

// compareObstacles compares the obstacles of a picture with those that others see: a robot whose pose is wrong sees some
// where others look and see none. One that others see, too, proves its pose.
func (m *Model) compareObstacles(o *observer, percepts *soccer.Percepts, jury []juror) opinion {
	const view = 0.7 // share of the distance at which the others see obstacles
	t, d := &o.testimony, &o.dispute
	var denied [maxJurors]bool
	common, off := false, false
	for i := range percepts.Obstacles {
		if common && !t.bias() {
			break // one proves the pose
		}
		at := percepts.Obstacles[i].Position.XY()
		if track := m.seenByOthers(o, at); track != nil {
			if !t.bias() || !t.stillOff(at, soccer.Vec{X: track.x, Y: track.y}) {
				common = true
				continue
			}
			off = true
			d.measure(at.Sub(soccer.Vec{X: track.x, Y: track.y}).Len())
			for k := range jury {
				denied[k] = denied[k] || &m.observers[jury[k].slot] == track.by
			}
			continue
		}
		for k := range jury {
			ray := at.Sub(jury[k].from)
			if near(ray.X, ray.Y, besideMate) {
				common = true // it sees this robot
			} else if near(ray.X, ray.Y, float64(view*m.observers[jury[k].slot].reach)) {
				denied[k] = true
			}
		}
	}
	said := silent
	for k := range jury {
		charge := &d.pose[jury[k].slot]
		switch {
		case common && !off:
			charge.agree(t.at, t.picture)
			said = agrees
		case !common && denied[k] && !jury[k].named:
			charge.contradict(t.at, t.picture, 4, true)
			said = conflicts
		}
	}
	return said
}

// seenByOthers returns the obstacle near a place that others have seen in the last half second, nil without one.
func (m *Model) seenByOthers(o *observer, at soccer.Vec) *obstacle {
	const lately, radius = 0.5, 1.0 // s and m
	t := &o.testimony
	most := radius
	if t.bias() { // it is as far from the place without the jump
		at.X, at.Y = at.X-float64(t.jump.X/2), at.Y-float64(t.jump.Y/2)
		most += float64(0.5*t.jump.Len()) - 0.4
	}
	var best *obstacle
	for i := range m.obstacles {
		b := &m.obstacles[i]
		newest := b.lastSeen
		if b.by == o {
			newest = b.shared
		}
		if seconds(t.at, newest) > lately {
			continue
		}
		if dx, dy := b.x-at.X, b.y-at.Y; near(dx, dy, most) {
			best, most = b, math.Sqrt(float64(dx*dx)+float64(dy*dy))
		}
	}
	return best
}

// decide names a robot, or takes that back.
func (m *Model) decide(o *observer, limit float64, conflict, agreed bool) {
	const (
		agreement = 1.5 // s, after which a robot is taken back
		idle      = 2.0 // s without accusers, after which it is taken back, too
	)
	t, d := &o.testimony, &o.dispute
	pose, _ := m.accusers(d, &d.pose, t.at)
	ball, credible := m.accusers(d, &d.ball, t.at)
	n := bits.OnesCount64(uint64(pose | ball))
	if n > 0 {
		d.accused = t.at
	}
	proved := t.proof(len(m.peers))
	if proved.since != 0 {
		conflict = conflict || !proved.waits
		d.accused = t.at
		if !d.named {
			d.named, d.agreed, d.since, d.by = true, 0, proved.since, proved.off
		} else if !proved.waits {
			d.by = proved.off
		}
	}
	switch dt := min(0.15, seconds(t.at, d.agreedAt)); {
	case !d.named:
		far := t.saw && t.distance > limit &&
			m.others(func(q *peer) bool { return d.ball[q.slot].nearer && d.ball[q.slot].holds(t.at) }) != 0
		seen := m.others(func(q *peer) bool {
			return d.pose[q.slot].holds(t.at) || d.ball[q.slot].holds(t.at) && d.ball[q.slot].isSighted()
		})
		suffice := far || t.suspicious() && seen != 0 || credible != 0 && bits.OnesCount64(uint64(credible)) > m.supporters(o)
		if 2*n <= len(m.peers)+1 && (n == 0 || len(m.peers) < 2 || !suffice) {
			return
		}
		d.named, d.agreed = true, 0
	case conflict:
		d.agreed = max(0, d.agreed-dt)
	case agreed:
		d.agreed += dt
	}
	d.agreedAt = t.at
	if pose != 0 || t.suspicious() || proved.pose {
		d.what = soccer.PoseSubject
	} else if d.what == soccer.NoSubject {
		d.what = soccer.BallSubject
	}
	d.misplaced = d.misplaced || proved.since != 0 || d.what == soccer.PoseSubject
	if d.agreed > agreement || seconds(t.at, d.accused) > idle {
		*d = dispute{}
		t.jumped, t.lost = 0, false
	}
}
