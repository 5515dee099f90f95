package world

import (
	"math"
	"math/bits"
	"time"

	"touchline/soccer"
)

// dispute is the evidence that one robot contradicts the others. A robot is named when more than half of the team
// contradicted it within a few seconds, not necessarily at one time. One robot suffices if it reports a ball farther away
// than any robot sees, or if its pose has just jumped; a frozen camera needs none.
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

	ball, pose [maxPeers + 1]charge // by the slot of the other robot
}

// charge is how long one robot contradicted another, less how long it agreed.
type charge struct {
	at       soccer.Time // of the newest comparison
	picture  uint32      // its number
	evidence float64     // s, 0 to 1
}

// juror is another robot with which one is compared.
type juror struct {
	*testimony
	slot  uint8
	named bool
}

// disputed is the probability that a ball is false which a named teammate reports. The robot itself believes its own eyes.
const disputed = 0.97

const maxJurors = 8 // in one comparison: more take turns

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
	t.reporter = p.reporter
	m.testify(o, percepts, scale)
	if t.jumped == t.at {
		d.pose, d.ball = [maxPeers + 1]charge{}, [maxPeers + 1]charge{} // they concern the pose before
	}
	var memory [maxJurors]juror
	jury := m.jury(p, t.at, memory[:0])
	reach := t.reach
	for i := range jury {
		reach = max(reach, jury[i].reach)
	}
	speed, flies := 0.0, false
	if b := m.likeliestBall(); b != nil {
		flies = b.flying // a camera that measures no heights sees it elsewhere
		speed = math.Sqrt(float64(b.vx*b.vx) + float64(b.vy*b.vy))
	}
	if !d.named && seconds(t.at, d.newest) > 1 {
		d.since = 0 // another run
	}
	conflict, agreed := false, false
	if t.saw && !flies {
		conflict, agreed = d.compareBall(t, jury, speed)
	}
	seen := agreed
	switch m.compareObstacles(o, percepts, jury) {
	case agrees:
		agreed = agreed || d.what == soccer.PoseSubject
	case conflicts:
		conflict = true
	}
	t.learnSight(jury, speed)
	switch {
	case conflict:
		if d.since == 0 {
			d.since = t.at
		}
		d.newest = t.at
	case seen && !d.named:
		d.since = 0
	}
	m.decide(o, reach, conflict, agreed)
}

// likeliestBall returns the most likely hypothesis about the ball, nil without any.
func (m *Model) likeliestBall() *ballHypothesis {
	f := m.ball.beforeSight(m.ball.n)
	if f.n == 0 {
		return nil
	}
	return &f.all[f.best()]
}

// clockJumped forgets the comparisons of a robot whose clock proved to be wrong: it seemed to have driven far at once.
func (o *observer) clockJumped() {
	o.dispute = dispute{}
	o.testimony.at, o.testimony.jumped = 0, 0
	o.delay.ClockJumped()
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
		if absDiff(int64(o.testimony.at), int64(at)) < int64(together) {
			found = append(found, juror{&o.testimony, q.slot, o.dispute.named})
		}
	}
	return found
}

// compareBall compares the ball that a robot sees with what the others say about it.
func (d *dispute) compareBall(t *testimony, jury []juror, speed float64) (conflict, agreed bool) {
	for i := range jury {
		j := &jury[i]
		if j.named {
			continue
		}
		said := t.ball(j.testimony, speed)
		switch said {
		case conflicts:
			d.ball[j.slot].contradict(t, 1)
		case misplaces:
			d.pose[j.slot].contradict(t, 4)
		case agrees:
			d.ball[j.slot].agree(t)
			agreed = true
			if t.bias() {
				d.pose[j.slot].agree(t)
			}
		}
		if said == conflicts || said == misplaces {
			conflict = true
			if j.saw {
				d.measure(t.raw.Sub(j.place).Len())
			}
		}
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
			charge.agree(t)
			said = agrees
		case !common && denied[k] && !jury[k].named:
			charge.contradict(t, 4)
			said = conflicts
		}
	}
	return said
}

// seenByOthers returns the obstacle near a place that others have seen lately, nil without one.
func (m *Model) seenByOthers(o *observer, at soccer.Vec) *obstacle {
	const lately, radius = 0.5, 1.0 // s and m
	t := &o.testimony
	most := radius
	if t.bias() { // as far from the place without the jump
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
func (m *Model) decide(o *observer, reach float64, conflict, agreed bool) {
	const (
		agreement = 1.5 // s, after which a robot is taken back
		idle      = 2.0 // s without accusers, after which it is taken back, too
	)
	t, d := &o.testimony, &o.dispute
	pose, ball := m.accusers(&d.pose, t.at), m.accusers(&d.ball, t.at)
	n := bits.OnesCount64(uint64(pose | ball))
	if n > 0 {
		d.accused = t.at
	}
	off, ballFrozen, frozen := t.frozen()
	if frozen && len(m.peers) >= 2 {
		conflict, d.accused = true, t.at
		if !d.named {
			d.named, d.agreed, d.since = true, 0, t.still.at
		}
		d.by = off
	}
	switch dt := min(0.15, seconds(t.at, d.agreedAt)); {
	case !d.named:
		far := t.saw && reach > 0 && t.distance > float64(1.25*reach)+0.5
		if 2*n <= len(m.peers)+1 && (n == 0 || len(m.peers) < 2 || !far && !t.suspicious()) {
			return
		}
		d.named, d.agreed = true, 0
	case conflict:
		d.agreed = max(0, d.agreed-dt)
	case agreed:
		d.agreed += dt
	}
	d.agreedAt = t.at
	if pose != 0 || t.suspicious() || frozen && !ballFrozen {
		d.what = soccer.PoseSubject
	} else if d.what == soccer.NoSubject {
		d.what = soccer.BallSubject
	}
	d.misplaced = d.misplaced || frozen || d.what == soccer.PoseSubject
	if d.agreed > agreement || seconds(t.at, d.accused) > idle {
		*d = dispute{}
		t.jumped = 0
	}
}

// accusers returns the reporters that contradicted a robot lately, without those that are named themselves.
func (m *Model) accusers(charges *[maxPeers + 1]charge, at soccer.Time) (set soccer.RobotSet) {
	const memory, enough = 5, 0.6 // s
	try := func(q *peer) {
		c := &charges[q.slot]
		if c.evidence > enough && seconds(at, c.at) < memory && !m.observers[q.slot].dispute.named {
			set = set.With(q.reporter)
		}
	}
	try(&m.own)
	for i := range m.peers {
		try(&m.peers[i])
	}
	return set
}

// contradict adds the time since the picture before to the charge, if it contradicted that, too: false sights are common,
// but not in picture after picture.
func (c *charge) contradict(t *testimony, pictures uint32) { c.weigh(t, 1, pictures) }

// agree takes it off.
func (c *charge) agree(t *testimony) { c.weigh(t, -2, math.MaxUint32) }

func (c *charge) weigh(t *testimony, sign float64, pictures uint32) {
	const (
		gap   = 0.3  // s, after which another run begins
		first = 0.02 // s, for the first of a run
		fade  = 0.25 // of the evidence, a second
	)
	dt := seconds(t.at, c.at)
	c.evidence -= float64(fade * dt)
	if dt > gap || t.picture-c.picture > pictures {
		dt = first
	}
	c.at, c.picture = t.at, t.picture
	c.evidence = min(1, max(0, c.evidence+float64(sign*(1+fade)*dt)))
}
