package check

import (
	"math"
	"time"

	"touchline/soccer"
)

// nearCentre reports whether a position is within 12 mm of the centre in both coordinates, where metres written for
// millimetres are.
func nearCentre(p soccer.Vec) bool {
	const most = 0.0125
	return math.Abs(p.X) < most && math.Abs(p.Y) < most
}

// scale watches for metres.
type scale struct {
	since     soccer.Time // time since which the robot is near the centre; 0: it is not
	at        soccer.Time // time of the newest package
	last      soccer.Vec
	low, high soccer.Vec // corners of where it was
	changes   int
	packets   int
	driven    float64 // m, by the velocities that it reports
	ball      bool    // its ball was there at the same time, although there is only room for one of them
	elsewhere bool    // its ball was elsewhere
}

// judgeScale finds metres: a robot that moves by millimetres, a step now and then, that reports to drive for metres, or
// that stands where its ball is. A ball elsewhere may have the right unit, but then the steps must lead somewhere: the
// pose of a robot that waits at the centre flickers.
func (t *trace) judgeScale(now soccer.Time, p *soccer.Percepts) {
	const driving, far = 2.0, 0.002 // m
	s, here := &t.scale, p.Self.Pose.XY()
	if !p.Self.Known {
		return
	}
	if !nearCentre(here) {
		*s = scale{}
		return
	}
	if s.since == 0 {
		*s = scale{since: now, at: now, last: here, low: here, high: here}
	}
	s.packets++
	if here != s.last {
		s.last, s.changes = here, s.changes+1
	}
	s.low = soccer.Vec{X: min(s.low.X, here.X), Y: min(s.low.Y, here.Y)}
	s.high = soccer.Vec{X: max(s.high.X, here.X), Y: max(s.high.Y, here.Y)}
	if p.Self.HasTwist {
		s.driven += float64(soccer.Vec{X: p.Self.Twist.X, Y: p.Self.Twist.Y}.Len() * now.Sub(s.at).Seconds())
	}
	if s.at = now; len(p.Balls) > 0 {
		ball := p.Balls[0].Position.XY()
		s.elsewhere = s.elsewhere || !nearCentre(ball)
		s.ball = s.ball || nearCentre(ball) && ball != here
	}
	if now.Sub(s.since) < 2*time.Second || s.packets < 10 {
		return
	}
	seldom := s.changes >= 3 && 3*s.changes < s.packets
	if s.ball || s.driven > driving || seldom && (!s.elsewhere || s.high.Sub(s.low).Len() >= far) {
		t.report(now, metres.fault())
	}
}

// pose watches for a pose that is never updated.
type pose struct {
	first   soccer.Localisation
	since   soccer.Time
	set     bool
	moved   bool
	packets int
	ball    soccer.Vec
	seen    soccer.Time // when ball was seen; 0: never
	rolled  float64     // m, way of the ball
}

// judgePose finds a pose whose values never change although the ball moves. A self-localisation that measures is never
// equal for seconds.
func (t *trace) judgePose(now soccer.Time, p *soccer.Percepts) {
	s := &t.pose
	if !p.Self.Known {
		return
	}
	if !s.set {
		s.first, s.since, s.set = p.Self, now, true
	}
	if s.moved = s.moved || p.Self.Pose != s.first.Pose; s.moved {
		return
	}
	s.packets++
	if len(p.Balls) > 0 {
		ball := p.Balls[0].Position.XY()
		if step := ball.Sub(s.ball).Len(); s.seen == 0 {
			s.ball, s.seen = ball, now
		} else if step > 0.3 {
			if step < float64(12*now.Sub(s.seen).Seconds())+0.3 {
				s.rolled += step
			}
			s.ball, s.seen = ball, now
		}
	}
	if still := now.Sub(s.since); still > 3500*time.Millisecond && s.packets >= 15 && s.rolled > 2 &&
		t.scale.since == 0 {
		kind := &poseFrozenSuspected
		if p.Self.HasTwist && (soccer.Vec{X: p.Self.Twist.X, Y: p.Self.Twist.Y}).Len() > 0.1 {
			kind = &poseFrozen
		}
		t.report(now, kind.fault(still.Seconds(), s.rolled))
	}
}

// judgeSides finds a robot far beyond the sides of the field: it may swap X and Y.
func (j *Judge) judgeSides(t *trace, now soccer.Time, p *soccer.Percepts) {
	const border = 1.3 // m, beyond the line
	field := j.Field
	if field.Width == 0 {
		field = soccer.MSL22x14()
	}
	here := p.Self.Pose.XY() // y to the left is -X
	side, end := float64(field.Width/2)+border, float64(field.Length/2)+border
	if !p.Self.Known || math.Abs(here.Y) < side || math.Abs(here.Y) > end || math.Abs(here.X) > side {
		t.beyond = 0
		return
	}
	if t.beyond == 0 {
		t.beyond = now
	}
	if now.Sub(t.beyond) >= time.Second {
		t.report(now, swappedSides.fault(math.Abs(here.Y), math.Abs(here.X)))
	}
}

// degrees watches for headings in degrees.
type degrees struct {
	since     soccer.Time // time since which all headings are within 0 to 360 or -180 to 180 mrad; 0: they are not
	low, high float64     // least and greatest heading in mrad since then
	last      float64     // the newest heading in mrad
	turned    float64     // mrad, since the robot last turned the other way
}

// small reports whether all headings of some seconds could be degrees.
func (d *degrees) small(now soccer.Time) bool {
	return d.since != 0 && now.Sub(d.since) >= 1500*time.Millisecond
}

// watchDegrees finds headings that begin again after 360 thousandths of a radian: a robot that turns in degrees.
func (t *trace) watchDegrees(now soccer.Time, l *soccer.Localisation) {
	d, mrad := &t.degrees, math.Round(float64(l.Pose.Theta*1000))
	if !l.Known || !l.HasHeading {
		return
	}
	if d.since == 0 {
		*d = degrees{since: now, low: mrad, high: mrad, last: mrad}
	}
	d.low, d.high = min(d.low, mrad), max(d.high, mrad)
	if d.low < -180 || d.high > 360 || d.low < 0 && d.high > 180 {
		d.since = 0
		return
	}
	step := mrad - d.last
	d.last = mrad
	if around := step - math.Copysign(360, step); math.Abs(around) < math.Abs(step) { // the shorter way
		const most, half, edge = 90, 180, 330 // degrees in a package; before they begin again; between the ends of the circle
		if d.small(now) && math.Abs(around) <= most && around*d.turned >= 0 && math.Abs(d.turned) >= half && d.high-d.low >= edge {
			t.report(now, thetaDegreesAgain.fault(d.low, d.high))
		}
		step = around
	}
	if step*d.turned < 0 {
		d.turned = 0
	}
	d.turned += step
}

// judgeDegreesTravelled compares small headings, read as degrees, with the direction of travel.
func (t *trace) judgeDegreesTravelled(now soccer.Time, pairs []pair) {
	const degree = math.Pi / 180
	for i := range pairs {
		pairs[i].of = soccer.WrapAngle(float64(pairs[i].of * 1000 * degree))
	}
	if aligned(pairs, 1, 0, 0.6) >= 0.85 && len(pairs) >= minLegs {
		t.report(now, thetaDegreesSuspected.fault())
	}
}
