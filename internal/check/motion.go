package check

import (
	"math"
	"time"

	"touchline/internal/bounded"
	"touchline/internal/exact"
	"touchline/soccer"
)

// Bounds of legs: straight pieces of a robot's path.
const (
	legLength = 0.3 // m; localisation drifts less within legTime
	legTime   = 1200 * time.Millisecond
	legsFor   = 8 * time.Second // legs are evidence for this long
	maxSpeed  = 8.0             // m/s: a faster robot was moved by hand, or localised again
	maxLegs   = 16
	minLegs   = 5
)

// leg is a piece of a robot's path.
type leg struct {
	at         soccer.Time
	direction  float64 // rad, of travel
	heading    float64 // rad, in the middle
	hasHeading bool
	atBall     bool       // the robot faces the ball, wherever it drives
	speed      float64    // m/s
	velocity   soccer.Vec // mean of the reported ones; 0 without
}

// path cuts the way of a robot into legs.
type path struct {
	legs   bounded.Ring[leg]
	moving bool
	anchor soccer.Pose
	since  soccer.Time
	last   soccer.Vec
	at     soccer.Time
	ball   soccer.Vec
	seen   soccer.Time // when ball was seen

	headings soccer.Vec // sum of unit vectors since the anchor
	velocity soccer.Vec // sum
	packets  int        // number since the anchor
	headed   int        // number with a heading
}

// add adds a pose and reports whether it completed a leg.
func (p *path) add(now soccer.Time, l *soccer.Localisation) bool {
	if !l.Known {
		p.moving = false
		return false
	}
	here := l.Pose.XY()
	jumped := p.moving && here.Sub(p.last).Len() > float64(maxSpeed*now.Sub(p.at).Seconds())+0.3
	p.last, p.at = here, now
	if !p.moving || jumped || now.Sub(p.since) > legTime {
		p.restart(now, l)
		return false
	}
	p.packets++
	if l.HasHeading {
		sin, cos := exact.Sincos(l.Pose.Theta)
		p.headings, p.headed = p.headings.Add(soccer.Vec{X: cos, Y: sin}), p.headed+1
	}
	if l.HasTwist {
		p.velocity = p.velocity.Add(soccer.Vec{X: l.Twist.X, Y: l.Twist.Y})
	}
	way := here.Sub(p.anchor.XY())
	if way.Len() < legLength {
		return false
	}
	n := float64(p.packets)
	done := leg{
		at: now, direction: way.Angle(), speed: way.Len() / max(now.Sub(p.since).Seconds(), 0.01),
		velocity: soccer.Vec{X: p.velocity.X / n, Y: p.velocity.Y / n},
	}
	// A robot that turns has no heading to compare.
	if done.hasHeading = p.headed == p.packets && p.headings.Len() > float64(0.97*n); done.hasHeading {
		done.heading = p.headings.Angle()
	}
	if to := p.ball.Sub(here); now.Sub(p.seen) < 2*time.Second {
		aside := math.Abs(soccer.WrapAngle(to.Angle() - done.heading))
		circling := to.Len() < 2 && math.Abs(math.Abs(soccer.WrapAngle(done.direction-done.heading))-quarter) < 0.5
		done.atBall = aside < 0.2 || aside < 0.5 && circling
	}
	*p.legs.Push(maxLegs) = done
	p.restart(now, l)
	return true
}

// restart starts a leg at l.
func (p *path) restart(now soccer.Time, l *soccer.Localisation) {
	p.moving, p.anchor, p.since = true, l.Pose, now
	p.headings, p.velocity, p.packets, p.headed = soccer.Vec{}, soccer.Vec{}, 0, 0
}

// pair is two directions that belong together, in rad.
type pair struct{ of, by float64 }

// fit returns the frame that turns nearly all directions by into of, nil if there is none or they agree as they are.
// Pairs that turn together by less than spread do not show which frame it is.
func fit(pairs []pair, spread float64) *frame {
	if len(pairs) < minLegs || aligned(pairs, 1, 0, 0) > 0.35 {
		return nil
	}
	for i := range frames {
		f := &frames[i]
		least := spread
		if f.sign < 0 {
			least = max(spread, 0.7) // a reflection looks like a turn as long as the direction is the same
		}
		if aligned(pairs, f.sign, f.turn, least) >= 0.85 {
			return f
		}
	}
	return nil
}

// aligned returns the share of pairs that fit a frame, 0 if their directions differ by less than spread.
func aligned(pairs []pair, sign, turn, spread float64) float64 {
	const tolerance = 0.25 // rad
	fits, widest := 0, 0.0
	for i := range pairs {
		if math.Abs(soccer.WrapAngle(pairs[i].of-float64(sign*pairs[i].by)-turn)) > tolerance {
			continue
		}
		fits++
		for k := range pairs[:i] {
			both := min(math.Abs(soccer.WrapAngle(pairs[i].by-pairs[k].by)), math.Abs(soccer.WrapAngle(pairs[i].of-pairs[k].of)))
			widest = max(widest, both)
		}
	}
	if widest < spread {
		return 0
	}
	return float64(fits) / float64(len(pairs))
}

// recent yields the legs of the last seconds.
func (p *path) recent(now soccer.Time, each func(*leg)) {
	for i := range p.legs.Len() {
		if l := p.legs.At(i); now.Sub(l.at) < legsFor {
			each(l)
		}
	}
}

// judgeHeading compares the heading with the direction of travel.
func (t *trace) judgeHeading(now soccer.Time) {
	var pairs [maxLegs]pair
	n, atBall := 0, 0
	small := t.degrees.small(now)
	t.path.recent(now, func(l *leg) {
		switch {
		case small && l.at.Add(-legTime) < t.degrees.since:
		case l.atBall:
			atBall++
		case l.hasHeading:
			pairs[n] = pair{of: l.heading, by: l.direction}
			n++
		}
	})
	if small { // these headings mean nothing in milliradians
		t.judgeDegreesTravelled(now, pairs[:n])
		return
	}
	if f := fit(pairs[:n], 0.7); f != nil && atBall < n {
		fault := headingTurned.fault(f.heading).in(f)
		fault.Short = f.short
		t.report(now, fault)
	}
}

// judgeVelocity compares the reported velocity with the motion of the pose. A velocity of 0 was never set.
func (t *trace) judgeVelocity(now soccer.Time) {
	var pairs [maxLegs]pair
	n, tiny := 0, 0
	t.path.recent(now, func(l *leg) {
		switch v := l.velocity.Len(); {
		case v == 0:
		case v < float64(l.speed*0.02):
			tiny++
		case v > float64(l.speed*0.3):
			pairs[n] = pair{of: l.velocity.Angle(), by: l.direction}
			n++
		}
	})
	if tiny >= minLegs && n == 0 {
		t.report(now, metresPerSecond.fault())
	}
	if f := fit(pairs[:n], 0); f != nil {
		t.report(now, velocityTurned.fault(f.vector).in(f))
	}
}

// turning compares the reported angular velocity with the change of the heading, in intervals.
type turning struct {
	heading   float64
	at, since soccer.Time
	known     bool
	turned    float64 // rad, of the heading since since
	reported  float64 // rad, the integral of the angular velocity
	intervals bounded.Ring[interval]
}

// interval is how far the heading turned, and how far by the angular velocity.
type interval struct{ turned, reported float64 }

const (
	turnInterval = 400 * time.Millisecond
	minTurns     = 5 // intervals
	maxTurns     = 10
)

func (t *trace) judgeTurning(now soccer.Time, l *soccer.Localisation) {
	u := &t.turn
	if !l.Known || !l.HasHeading || !l.HasTwist {
		u.known = false
		return
	}
	gap := now.Sub(u.at)
	if !u.known || gap > turnInterval {
		*u = turning{heading: l.Pose.Theta, at: now, since: now, known: true}
		return
	}
	u.turned += soccer.WrapAngle(l.Pose.Theta - u.heading)
	u.reported += float64(l.Twist.Theta * gap.Seconds())
	u.heading, u.at = l.Pose.Theta, now
	if now.Sub(u.since) < turnInterval {
		return
	}
	*u.intervals.Push(maxTurns) = interval{u.turned, u.reported}
	u.since, u.turned, u.reported = now, 0, 0
	u.judge(t, now)
}

// judge estimates the ratio of the turns, if nearly all intervals in which the robot turned agree.
func (u *turning) judge(t *trace, now soccer.Time) {
	const least = 0.1 // rad in an interval
	turned, reversed, slow, fast, much := 0, 0, 0, 0, 0
	for k := range u.intervals.Len() {
		i := u.intervals.At(k)
		ratio := i.turned / i.reported
		if i.reported == 0 || max(math.Abs(i.turned), math.Abs(i.reported)) < least {
			continue
		}
		turned++
		switch {
		case ratio < -0.5 && ratio > -2:
			reversed++
		case ratio > 0.03 && ratio < 0.1:
			slow++
		case ratio > 0.012 && ratio <= 0.03:
			much++
		case ratio > 10 && ratio < 30:
			fast++
		}
	}
	switch most := (9*turned + 9) / 10; {
	case turned < minTurns:
	case reversed >= most:
		t.report(now, turnReversed.fault())
	case slow >= most && t.degrees.small(now):
		t.report(now, thetaDegrees.fault())
	case fast >= most:
		t.report(now, turnDegrees.fault())
	case much >= most:
		t.report(now, turnMillidegrees.fault())
	}
}
