package check

import (
	"fmt"
	"strings"
)

// fixAge is the fix of an ageMs that never changes. The key must stay: without it, RefBox 2.1 drops the worldstate.
const fixAge = "Keep the key; write the time of sending minus the time of the worldstate, on one monotonic clock."

// constantFindings appends the values that never change. Not judged are values that may well stay the same: intentions,
// battery levels, radii, and the confidence of obstacles, which a sensor either detects or not.
func (c *Card) constantFindings(all []StationFinding) []StationFinding {
	d := &c.contents
	if v := &d.age; v.constant() {
		v.spot.count = v.n
		f := c.violation(&v.spot, RuleConstant, share(v.n, c.worldstates),
			"ageMs is %v in all %d worldstates: a measured age varies", v.value, v.n)
		f.Note = v.value == 0 // not measured, or sent at once; any other value pretends to be measured
		f.Fix = fixAge
		all = append(all, f)
	}
	if v := &d.confidence; v.constant() && v.value >= 0 && v.value <= 1 {
		v.spot.count = v.n
		all = append(all, c.violation(&v.spot, RuleConstant, share(v.n, c.worldstates),
			"confidence of the first ball is %v in all %d worldstates that have one", v.value, v.n))
	}
	if r := &d.robotVelocity; r.n >= enoughValues && !r.nonzero && d.driven >= 10 {
		r.spot.count = r.n
		all = append(all, c.violation(&r.spot, RuleConstant, 1,
			"all %d velocities of robots are 0, while they move %.0f m", r.n, d.driven))
	}
	if s := &d.claims.angular; s.n >= enoughValues && !s.nonzero && d.claims.turned >= enoughTurn &&
		(d.robotVelocity.nonzero || d.moved < 10) {
		s.spot.count = s.n
		all = append(all, c.violation(&s.spot, RuleConstant, 1,
			"the angular velocity is 0 in all %d velocities of robots, while they turn by %.0f rad",
			s.n, d.claims.turned))
	}
	if v := &d.claims.facing; v.constant() && v.value == 0 && d.claims.highest-d.claims.lowest >= otherFacing {
		v.spot.count = v.n
		all = append(all, c.violation(&v.spot, RuleConstant, 1,
			"the heading of the target is 0 in all %d targets, while the robots face other ways", v.n))
	}
	if v := &d.heading; v.n >= enoughValues && !v.varies && d.moved >= 10 {
		v.spot.count = v.n
		all = append(all, c.violation(&v.spot, RuleConstant, 1,
			"the heading is %v in all %d poses of robots, while they move %.0f m", v.value, v.n, d.moved))
	}
	if r := &d.ballVelocity; r.n >= enoughValues && !r.nonzero && r.path >= 5 {
		r.spot.count = r.n
		all = append(all, c.violation(&r.spot, RuleConstant, share(r.n, c.worldstates),
			"all %d velocities of the first ball are 0, while it moves %.0f m", r.n, r.path))
	}
	return all
}

// constant reports whether the value never changed, for long enough.
func (v *variation) constant() bool {
	return v.n >= enoughValues && !v.varies && v.seconds >= longEnough
}

// unitFindings appends the values that look like those of another unit.
func (c *Card) unitFindings(all []StationFinding) []StationFinding {
	d := &c.contents
	all = c.lengthUnits(all)
	if k := &d.heights; c.heightUnit() {
		all = c.unitFinding(all, k, 0.2, "heights of balls look like millimetres: %d of %d are above %v m, up to %.4g",
			k.odd, k.n, tooHigh, k.max)
	}
	if k := &d.headings; k.max <= 361 {
		all = c.unitFinding(all, k, 0.2, "headings look like degrees: %d of %d are beyond 2 pi, up to %.4g",
			k.odd, k.n, k.max)
	} else {
		all = c.unitFinding(all, k, 0.2,
			"headings look like thousandths of a radian: %d of %d are beyond 2 pi, up to %.4g", k.odd, k.n, k.max)
	}
	if k := &d.agesInSeconds; k.max < 1 && k.n >= enoughValues {
		all = c.unitFinding(all, k, 0.5, "ageMs looks like seconds: none of %d is above %.3g", k.n, k.max)
	}
	if k := &d.batteryShares; k.max <= 1 && k.fine && k.n >= enoughValues {
		all = c.unitFinding(all, k, 0.5, "battery levels look like fractions of 1: none of %d is above %.3g",
			k.n, k.max)
	}
	if k := &d.percents; k.max <= 100 {
		all = c.unitFinding(all, k, 0.5, "confidences of balls look like percent: %d of %d are above 1, up to %.4g",
			k.odd, k.n, k.max)
	}
	return all
}

// unitFinding appends the finding of a scale if at least a share of its values is odd.
func (c *Card) unitFinding(all []StationFinding, k *valueRange, least float64, format string, args ...any) []StationFinding {
	if k.odd < 5 || share(k.odd, k.n) < least {
		return all
	}
	k.spot.count = k.odd
	return append(all, c.violation(&k.spot, RuleUnits, share(k.odd, k.n), format, args...))
}

// otherUnit reports whether lengths are not in metres.
func (k *valueRange) otherUnit() bool { return k.odd >= 5 && share(k.odd, k.n) >= 0.2 }

// lengthUnits appends the lengths that look like millimetres or centimetres, one finding for each unit.
func (c *Card) lengthUnits(all []StationFinding) []StationFinding {
	for _, unit := range []string{"millimetres", "centimetres"} {
		var sum valueRange
		var names []string
		for i := range c.contents.lengths {
			k := &c.contents.lengths[i]
			if !k.otherUnit() || (k.max < 1500) != (unit == "centimetres") {
				continue
			}
			if len(names) == 0 {
				sum.spot = k.spot
			}
			names = append(names, kinds[i])
			sum.n, sum.odd = sum.n+k.n, sum.odd+k.odd
		}
		if len(names) > 0 {
			all = c.unitFinding(all, &sum, 0, "%s look like %s: %d of %d are more than %v m from the centre",
				strings.Join(names, ", "), unit, sum.odd, sum.n, notMetres)
		}
	}
	return all
}

// targetFindings appends targets that are off the field although their unit is right. A wrong frame explains them.
func (c *Card) targetFindings(all []StationFinding) []StationFinding {
	targets := &c.contents.lengths[ofTargets]
	n := c.contents.target.count
	if n == 0 || targets.otherUnit() || hasFault(all, RuleFrame) {
		return all
	}
	return append(all, c.violation(&c.contents.target, RuleTarget, share(n, targets.n),
		"%d of %d targets are more than %v m outside %s", n, targets.n, offTarget, c.lines()))
}

// offFieldFindings appends robots and balls that are far off the field although their unit is right.
func (c *Card) offFieldFindings(all []StationFinding) []StationFinding {
	d := &c.contents
	robots, balls := &d.lengths[ofRobots], &d.lengths[ofBalls]
	if k := &d.heights; k.odd > 0 && !balls.otherUnit() && !c.heightUnit() {
		k.spot.count = k.odd
		all = append(all, c.violation(&k.spot, RuleOffField, share(k.odd, k.n),
			"%s of the first ball more than %v m above or below the floor, up to %.4g",
			plural(k.odd, "position"), tooHigh, k.max))
	}
	if n := d.off.count; n > 0 && !robots.otherUnit() && !balls.otherUnit() {
		all = append(all, c.violation(&d.off, RuleOffField, share(n, robots.n+balls.n),
			"%s of a robot or ball more than %v m outside %s", plural(n, "position"), offHall, c.lines()))
	}
	return all
}

// lines returns the field's lines in words.
func (c *Card) lines() string {
	return fmt.Sprintf("the lines of a field of %v x %v m", c.field.Length, c.field.Width)
}

// heightUnit reports whether the heights of balls are in another unit, while their places are not.
func (c *Card) heightUnit() bool {
	k := &c.contents.heights
	return k.otherUnit() && k.max > notMetres && !c.contents.lengths[ofBalls].otherUnit()
}

// resolutionFindings appends the values that are written too coarsely. The finest value of a stream counts: a single
// one may well be round.
func (c *Card) resolutionFindings(all []StationFinding) []StationFinding {
	add := func(g *resolution, lengths *valueRange, fine, coarse string) {
		if g.n < enoughValues || g.changes < 50 || g.cent || lengths.odd > 0 {
			return
		}
		g.spot.count = g.n
		if g.tenth {
			all = append(all, c.note(&g.spot, RuleResolution, 1, "%s", fine))
		} else {
			all = append(all, c.violation(&g.spot, RuleResolution, 1, "%s", coarse))
		}
	}
	d := &c.contents
	add(&d.metre, &d.lengths[ofRobots], "no position of a robot is finer than 0.01 m",
		"no position of a robot is finer than 0.1 m")
	add(&d.radian, &d.headings, "no heading is finer than 0.001 rad", "no heading is finer than 0.01 rad")
	return all
}
