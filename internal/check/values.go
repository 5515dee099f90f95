package check

import (
	"fmt"
	"math"
	"strings"

	"touchline/wire/msl"
)

// Bounds of values.
const (
	enoughValues = 200  // before they tell anything about all of them
	longEnough   = 15.0 // s of values before they tell anything about all of them
	offTarget    = 1.0  // m past the lines where a robot may be sent: substitutes wait there
	offHall      = 5.0  // m past the lines where a robot may be
	notMetres    = 50.0 // m: no hall is that long
	tooHigh      = 5.0  // m: no kick goes that high
	robotSpeed   = 10.0 // m/s; the fastest robots of the league reach half of it
	robotTurn    = 50.0 // rad/s
	ballSpeed    = 40.0 // m/s; the hardest kicks reach a third of it
)

// series is what the values of one kind show together.
type series struct {
	n              uint64
	value          float64 // the first
	varies         bool
	max            float64 // the largest magnitude
	fine           bool    // one is no whole number
	start, seconds float64 // time of the first; from the first to the newest
	first          spot
	odd            spot // too large or too small for the unit
}

// add counts a value at an offset of m.
func (s *series) add(c *Card, m *StationMessage, offset int32, value float64, odd bool) {
	if s.n++; s.n == 1 {
		c.markValue(&s.first, m, offset)
		s.value, s.start = value, c.contents.seconds
	}
	s.varies = s.varies || value != s.value
	s.max = max(s.max, math.Abs(value))
	s.fine = s.fine || value != math.Trunc(value)
	s.seconds = c.contents.seconds - s.start
	if odd {
		c.markValue(&s.odd, m, offset)
	}
}

// constant reports whether the value never changed, for long enough.
func (s *series) constant() bool { return s.n >= enoughValues && !s.varies && s.seconds >= longEnough }

// nonzero reports whether a value differs from 0.
func (s *series) nonzero() bool { return s.varies || s.value != 0 }

// otherUnit reports whether so many values are odd that their unit is another one.
func (s *series) otherUnit() bool { return s.odd.count >= 5 && share(s.odd.count, s.n) >= 0.2 }

// The kinds of lengths.
const (
	ofRobots = iota
	ofTargets
	ofBalls
	ofObstacles
)

var kinds = [...]string{"robot positions", "targets", "ball positions", "obstacle positions"}

// addLength counts a position and reports whether it is known.
func (c *Card) addLength(m *StationMessage, kind int, v *msl.Vec) bool {
	if !v.At[0].Known || !v.At[1].Known {
		return false
	}
	length := largest(v)
	c.contents.lengths[kind].add(c, m, v.Offset, length, length > notMetres)
	if (kind == ofRobots || kind == ofBalls) && c.outside(v, offHall) {
		c.markValue(&c.contents.off, m, v.Offset)
	}
	return true
}

// outside reports whether a position is more than margin outside the lines of the field.
func (c *Card) outside(v *msl.Vec, margin float64) bool {
	return math.Abs(v.At[0].Value) > c.field.Width/2+margin || math.Abs(v.At[1].Value) > c.field.Length/2+margin
}

// largest returns the larger magnitude of the first two components.
func largest(v *msl.Vec) float64 { return max(math.Abs(v.At[0].Value), math.Abs(v.At[1].Value)) }

// addFast counts a velocity that is too high; the first one is what the finding describes.
func (c *Card) addFast(m *StationMessage, v *msl.Vec, what string) {
	if c.contents.fast.count == 0 {
		c.contents.fastest = what
	}
	c.markValue(&c.contents.fast, m, v.Offset)
}

// resolution tells how finely values are written.
type resolution struct {
	n, changes  uint64
	tenth, cent bool // a value is no multiple of the coarse step, or of a tenth of it
	last        float64
	first       spot
}

// add counts a value; coarse is the coarsest step that is judged.
func (g *resolution) add(c *Card, m *StationMessage, v msl.Number, coarse float64) {
	if g.n++; g.n == 1 {
		c.markValue(&g.first, m, v.Offset)
	} else if v.Value != g.last {
		g.changes++
	}
	g.last = v.Value
	if !g.cent {
		g.tenth = g.tenth || !multiple(v.Value, coarse)
		g.cent = !multiple(v.Value, coarse/10)
	}
}

// multiple reports whether v is a whole number of units, as far as a float64 tells.
func multiple(v, unit float64) bool {
	n := v / unit
	return math.Abs(n-math.Round(n)) < 1e-6
}

// fixAge is the fix of an ageMs that never changes. The key must stay: without it, RefBox 2.1 drops the worldstate.
const fixAge = "Keep the key; write the time of sending minus the time of the worldstate, on one monotonic clock."

// judgeConstant reports the values that never change. Not judged are values that may well stay the same: intentions,
// battery levels, radii, and the confidence of obstacles, which a sensor either detects or not.
func (c *Card) judgeConstant(out *findings) {
	d := &c.contents
	if v := &d.age; v.constant() {
		f := out.fault(&v.first, v.n, c.worldstates,
			"ageMs is %v in all %d worldstates: a measured age varies", v.value, v.n)
		f.Note = v.value == 0 // not measured, or sent at once; any other value pretends to be measured
		f.Fix = fixAge
	}
	if v := &d.confidence; v.constant() && v.value >= 0 && v.value <= 1 {
		out.fault(&v.first, v.n, c.worldstates,
			"confidence of the first ball is %v in all %d worldstates that have one", v.value, v.n)
	}
	if v := &d.robotVelocity; v.n >= enoughValues && !v.nonzero() && d.driven >= 10 {
		out.fault(&v.first, v.n, v.n, "all %d velocities of robots are 0, while they move %.0f m", v.n, d.driven)
	}
	if v := &d.claims.angular; v.n >= enoughValues && !v.nonzero() && d.claims.turned >= enoughTurn &&
		(d.robotVelocity.nonzero() || d.moved < 10) {
		out.fault(&v.first, v.n, v.n,
			"the angular velocity is 0 in all %d velocities of robots, while they turn by %.0f rad", v.n, d.claims.turned)
	}
	if v := &d.claims.facing; v.constant() && v.value == 0 && d.claims.highest-d.claims.lowest >= otherFacing {
		out.fault(&v.first, v.n, v.n, "the heading of the target is 0 in all %d targets, while the robots face other ways",
			v.n)
	}
	if v := &d.headings; v.n >= enoughValues && !v.varies && d.moved >= 10 {
		out.fault(&v.first, v.n, v.n, "the heading is %v in all %d poses of robots, while they move %.0f m", v.value, v.n,
			d.moved)
	}
	if v := &d.ballVelocity; v.n >= enoughValues && !v.nonzero() && d.ballMoved >= 5 {
		out.fault(&v.first, v.n, c.worldstates, "all %d velocities of the first ball are 0, while it moves %.0f m", v.n,
			d.ballMoved)
	}
}

// judgeUnits reports the values that look like those of another unit.
func (c *Card) judgeUnits(out *findings) {
	d := &c.contents
	unit := func(s *series, least float64, format string, args ...any) {
		if n := s.odd.count; n >= 5 && share(n, s.n) >= least {
			out.fault(&s.odd, n, s.n, format, args...)
		}
	}
	c.judgeLengthUnits(out)
	if s := &d.heights; c.heightUnit() {
		unit(s, 0.2, "heights of balls look like millimetres: %d of %d are above %v m, up to %.4g",
			s.odd.count, s.n, tooHigh, s.max)
	}
	name := "thousandths of a radian"
	if d.headings.max <= 361 {
		name = "degrees"
	}
	unit(&d.headings, 0.2, "headings look like %s: %d of %d are beyond 2 pi, up to %.4g", name, d.headings.odd.count,
		d.headings.n, d.headings.max)
	if s := &d.age; s.max < 1 && s.n >= enoughValues {
		unit(s, 0.5, "ageMs looks like seconds: none of %d is above %.3g", s.n, s.max)
	}
	if s := &d.batteries; s.max <= 1 && s.fine && s.n >= enoughValues {
		unit(s, 0.5, "battery levels look like fractions of 1: none of %d is above %.3g", s.n, s.max)
	}
	if s := &d.confidences; s.max <= 100 {
		unit(s, 0.5, "confidences of balls look like percent: %d of %d are above 1, up to %.4g", s.odd.count, s.n, s.max)
	}
}

// judgeLengthUnits reports the lengths that look like millimetres or centimetres, one finding for each unit.
func (c *Card) judgeLengthUnits(out *findings) {
	for _, unit := range []string{"millimetres", "centimetres"} {
		var first *spot
		var names []string
		var odd, n uint64
		for i := range c.contents.lengths {
			s := &c.contents.lengths[i]
			if !s.otherUnit() || (s.max < 1500) != (unit == "centimetres") {
				continue
			}
			if first == nil {
				first = &s.odd
			}
			names = append(names, kinds[i])
			odd, n = odd+s.odd.count, n+s.n
		}
		if first != nil {
			out.fault(first, odd, n, "%s look like %s: %d of %d are more than %v m from the centre",
				strings.Join(names, ", "), unit, odd, n, notMetres)
		}
	}
}

// judgeTargets reports targets that are off the field although their unit is right. A wrong frame explains them.
func (c *Card) judgeTargets(out *findings) {
	targets, n := &c.contents.lengths[ofTargets], c.contents.target.count
	if n != 0 && !targets.otherUnit() && !out.has(RuleFrame) {
		out.fault(&c.contents.target, n, targets.n, "%d of %d targets are more than %v m outside %s", n, targets.n,
			offTarget, c.lines())
	}
}

// judgeOffField reports robots and balls that are far off the field although their unit is right.
func (c *Card) judgeOffField(out *findings) {
	d := &c.contents
	robots, balls := &d.lengths[ofRobots], &d.lengths[ofBalls]
	if s := &d.heights; s.odd.count > 0 && !balls.otherUnit() && !c.heightUnit() {
		out.fault(&s.odd, s.odd.count, s.n, "%s of the first ball more than %v m above or below the floor, up to %.4g",
			Plural(s.odd.count, "position"), tooHigh, s.max)
	}
	if n := d.off.count; n > 0 && !robots.otherUnit() && !balls.otherUnit() {
		out.fault(&d.off, n, robots.n+balls.n, "%s of a robot or ball more than %v m outside %s", Plural(n, "position"),
			offHall, c.lines())
	}
}

// lines returns the field's lines in words.
func (c *Card) lines() string {
	return fmt.Sprintf("the lines of a field of %v x %v m", c.field.Length, c.field.Width)
}

// heightUnit reports whether the heights of balls are in another unit, while their places are not.
func (c *Card) heightUnit() bool {
	s := &c.contents.heights
	return s.otherUnit() && s.max > notMetres && !c.contents.lengths[ofBalls].otherUnit()
}

// judgeResolution reports the values that are written too coarsely. The finest value of a stream counts: a single one
// may well be round.
func (c *Card) judgeResolution(out *findings) {
	judge := func(g *resolution, unit *series, fine, coarse string) {
		switch {
		case g.n < enoughValues || g.changes < 50 || g.cent || unit.odd.count > 0:
		case g.tenth:
			out.note(&g.first, g.n, g.n, "%s", fine)
		default:
			out.fault(&g.first, g.n, g.n, "%s", coarse)
		}
	}
	d := &c.contents
	judge(&d.metre, &d.lengths[ofRobots], "no position of a robot is finer than 0.01 m",
		"no position of a robot is finer than 0.1 m")
	judge(&d.radian, &d.headings, "no heading is finer than 0.001 rad", "no heading is finer than 0.01 rad")
}
