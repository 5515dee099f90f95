package world

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"touchline/soccer"
)

// testimony is what a robot's newest picture says, as far as others can contradict it.
type testimony struct {
	at       soccer.Time // time of the picture; 0: none yet
	picture  uint32      // its number
	reporter uint8       // peer.reporter of the robot
	from     soccer.Vec  // where it reports to be
	heading  float64
	velocity soccer.Vec // velocity that it reports

	jumped soccer.Time // when its pose last jumped farther than it can drive; 0: never, or the new pose proved to be true
	jump   soccer.Vec  // m

	saw        bool       // it sees a ball
	raw, place soccer.Vec // where, as it reports and corrected by the estimated error of its pose
	variance   float64    // m^2, of place
	distance   float64    // m, from the robot

	shared soccer.Time // when another robot last saw an object where it sees it: its pose was right; 0: not since the jump
	lost   bool        // its pose jumped away from there, and what it sees around it stayed the same

	run    ballRun
	last   picture     // the newest one
	still  view        // the first of the pictures that are alike
	inside soccer.Time // start of the time in which all that it sees is inside its own body; 0: it is not

	eyes eyesight
}

// testify notes what a robot's picture says. Of several balls the one counts that is nearest to that of the picture before,
// or else to the believed ball.
func (m *Model) testify(o *observer, percepts *soccer.Percepts, scale float64) {
	t := &o.testimony
	expected, known := m.expectedBall(t, percepts.Time)
	dt := seconds(percepts.Time, t.at)
	v := viewOf(percepts)
	if t.at != 0 {
		t.noticeJump(percepts, dt)
		t.eyes.fade(dt)
	}
	t.picture++
	t.at, t.from, t.velocity = percepts.Time, percepts.Self.Pose.XY(), soccer.Vec{}
	if percepts.Self.HasTwist {
		t.velocity = soccer.Vec{X: percepts.Self.Twist.X, Y: percepts.Self.Twist.Y}
	}
	t.heading = percepts.Self.Pose.Theta
	t.last = pictureOf(percepts)
	if inside := t.last.inside(); !t.last.empty() && !inside {
		t.inside = 0
	} else if inside && t.inside == 0 {
		t.inside = t.at
	}
	if !percepts.Self.HasHeading {
		t.still = view{}
	} else if !v.repeats(&t.still) {
		t.still = v
	}
	t.saw = len(percepts.Balls) > 0
	least := math.Inf(1)
	for i := range percepts.Balls {
		b := &percepts.Balls[i]
		ray := b.Position.XY().Sub(t.from)
		place, r := o.correct(b.Position.XY(), ray, m.noise(ray, b, scale))
		off := 0.0
		if known {
			off = place.Sub(expected).Len()
		}
		if off < least {
			least = off
			t.raw, t.place, t.variance, t.distance = b.Position.XY(), place, r.XX+r.YY, ray.Len()
		}
	}
	if t.saw {
		t.run.extend(t.at, t.place)
	}
}

// expectedBall returns where a robot should see the ball: where it saw it just before, else where it is believed to be.
func (m *Model) expectedBall(t *testimony, at soccer.Time) (place soccer.Vec, known bool) {
	const just = 0.3 // s
	if t.run.at != 0 && seconds(at, t.run.at) < just {
		return t.run.place, true
	}
	if b := m.likeliestBall(); b != nil {
		return soccer.Vec{X: b.x, Y: b.y}, true
	}
	return soccer.Vec{}, false
}

// noticeJump notes a pose that is farther from the one before than the robot can have driven.
func (t *testimony) noticeJump(percepts *soccer.Percepts, dt float64) {
	const (
		far    = 1.5 // m, beyond which it is no correction of a pose that was right
		lately = 3.0 // s, in which it was
		least  = 0.3 // m
		change = 2.0 // m/s, by which a velocity that is known may have changed
		speed  = 6.0 // m/s, of a robot whose velocity is unknown
	)
	self, at := &percepts.Self, percepts.Time
	most := least + float64(speed*dt)
	if self.HasTwist {
		most = least + float64(change*dt)
	}
	jump := self.Pose.XY().Sub(t.from.Add(t.velocity.Scale(dt)))
	if !near(jump.X, jump.Y, most) {
		t.jumped, t.jump = at, jump
		now := pictureOf(percepts)
		t.lost = !near(jump.X, jump.Y, far) && seconds(at, t.shared) < lately && now.continues(&t.last)
		t.shared = 0
	}
}

// bias reports whether the pose jumped recently by an amount that sights of both poses can tell apart.
func (t *testimony) bias() bool {
	const most = 2.5 // m
	return t.suspicious() && near(t.jump.X, t.jump.Y, most)
}

// suspicious reports whether the pose jumped in the last 20 s and has not yet proved to be true.
func (t *testimony) suspicious() bool {
	const memory = 20 // s
	return t.jumped != 0 && seconds(t.at, t.jumped) < memory
}

// stillOff reports whether a place that the robot reports is off by the jump of its pose: nearer to where the others see
// it if the jump is taken back.
func (t *testimony) stillOff(reported, others soccer.Vec) bool {
	d, j := reported.Sub(others), t.jump
	return d.Dot(j) > 0.5*j.Dot(j)
}

// opinion is what one robot says about a report of another.
type opinion int8

const (
	silent opinion = iota
	agrees
	conflicts
	misplaces // it agrees if the jump of the pose is taken back
)

// ball returns what robot u says about the ball that t sees. The ball moves at speed, in m/s: pictures are not taken at
// one time, and the delay of a network is not known exactly.
func (t *testimony) ball(u *testimony, speed float64) opinion {
	dt := math.Abs(seconds(t.at, u.at))
	sigma := math.Sqrt(t.variance + u.variance)
	if !u.saw {
		if u.eyes.denies(t.place.Sub(u.from).Len()) {
			return conflicts
		}
		return silent
	}
	dx, dy := t.place.X-u.place.X, t.place.Y-u.place.Y
	switch {
	case !near(dx, dy, 0.5+float64(speed*(0.5+dt))+float64(3*sigma)):
		return conflicts
	case !near(dx, dy, 0.3+float64(speed*(0.3+dt))+float64(2*sigma)):
		return silent
	case t.bias() && t.stillOff(t.raw, u.place):
		return misplaces
	}
	return agrees
}

// learnSight learns how far a robot sees the ball, and how often it does not see one that two others saw.
func (m *Model) learnSight(p *peer, jury []juror, speed float64) {
	t := &m.observers[p.slot].testimony
	if t.saw && t.run.credited() {
		t.eyes.see(t.distance)
	}
	for i := range jury {
		a := jury[i].testimony
		if !a.saw || jury[i].named {
			continue
		}
		if !t.saw {
			ray := a.place.Sub(t.from)
			if a.run.credited() && a.run.seenBy != 0 && t.eyes.inView(ray.Len()) && !m.between(p.slot, t.from, ray, t.at) {
				t.eyes.miss()
				return
			}
			continue
		}
		third := func(b juror) bool { return b.saw && !b.named && a.ball(b.testimony, speed) == agrees }
		if t.distance > t.eyes.farthest && t.ball(a, speed) == agrees && slices.ContainsFunc(jury[i+1:], third) {
			t.eyes.farthest = t.distance
		}
	}
}

// credible reports whether u, which contradicts t about the ball, speaks for more robots than itself: it has seen its ball
// without a gap since t agreed, and t's ball jumped, or since more than half of the team saw it, and t did not.
func (u *testimony) credible(t *testimony, agreed soccer.Time) bool {
	const long, disputed = 0.5, 1.5 // s, of the ball of t, and of that of u
	if seconds(t.at, t.run.since) < long || t.run.common != 0 || u.run.disputed > disputed {
		return false
	}
	return t.run.jumped && agreed >= u.run.since && agreed < t.run.since || u.run.common != 0 && u.run.common < t.run.since
}

// accusers returns the reporters that contradicted a robot in the last chargedFor seconds, and which of them speak for
// others, too.
func (m *Model) accusers(d *dispute, charges *[maxPeers + 1]charge, at soccer.Time) (all, credible soccer.RobotSet) {
	if seconds(at, d.newest) >= chargedFor {
		return 0, 0
	}
	accuses := func(q *peer) bool { return charges[q.slot].holds(at) }
	if all = m.others(accuses); all != 0 {
		credible = m.others(func(q *peer) bool { return accuses(q) && charges[q.slot].credible })
	}
	return all, credible
}

// supporters returns how many other robots saw the ball where a robot sees it within the last second.
func (m *Model) supporters(o *observer) int {
	lately := max(1, o.testimony.run.since, o.testimony.at.Add(-time.Second))
	return bits.OnesCount64(uint64(m.others(func(q *peer) bool { return o.dispute.ball[q.slot].agreed >= lately })))
}

// others returns the reporters of the robots of which holds is true, but for those that are named.
func (m *Model) others(holds func(q *peer) bool) (set soccer.RobotSet) {
	note := func(q *peer) {
		if holds(q) && !m.observers[q.slot].dispute.named {
			set = set.With(q.reporter)
		}
	}
	note(&m.own)
	for i := range m.peers {
		note(&m.peers[i])
	}
	return set
}

// proof is what a robot's own pictures prove without a witness who sees what it sees.
type proof struct {
	since soccer.Time // 0: nothing
	off   float64     // m, by how much its sights are off
	pose  bool        // the pose is wrong, or all that the camera shows
	waits bool        // the robot agrees again when others see what it sees; else when the proof ends
}

// proof reports whether a robot's pictures prove that it is wrong: its camera repeats itself, all that it sees is inside its
// own body, as when it takes metres for millimetres, or its pose has jumped away from where it was right.
func (t *testimony) proof(others int) proof {
	const impossible = 0.5 // s
	off, ball, yes := t.still.frozen(t.at, soccer.Pose{X: t.from.X, Y: t.from.Y, Theta: t.heading})
	if others < 2 {
		return proof{}
	} else if yes {
		return proof{since: t.still.at, off: off, pose: !ball}
	}
	if t.inside != 0 && seconds(t.at, t.inside) > impossible {
		return proof{since: t.inside, off: t.jump.Len(), pose: true}
	} else if t.lost {
		return proof{since: t.jumped, off: t.jump.Len(), pose: true, waits: true}
	}
	return proof{}
}
