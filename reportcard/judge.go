package reportcard

import (
	"fmt"
	"strings"
)

// streamFindings appends what the messages say together.
func (c *Card) streamFindings(all []Finding) []Finding {
	d := &c.sense
	all = c.rhythm.findings(c, all)
	all = d.ball.finding(c, all)
	all = c.constants(all)
	all = c.units(all)
	all = c.frame(all)
	all = c.grains(all)
	if d.fast.count > 0 {
		all = append(all, c.finding(&d.fast, RuleSpeed, false, share(d.fast.count, c.worldstates), fmt.Sprintf(
			"%s: nothing on the field is so fast", d.fastest)))
	}
	if n := c.empty.count; n >= enough && share(n, c.worldstates) >= 0.2 {
		all = append(all, c.finding(&c.empty, RuleEmpty, true, share(n, c.worldstates), fmt.Sprintf(
			"%d of %d worldstates have no robot", n, c.worldstates)))
	}
	if c.unclosed > 0 {
		all = append(all, c.finding(&spot{count: 1}, RuleUnclosed, false, share(1, c.messages+1), fmt.Sprintf(
			"%s without a NUL behind them: the referee box waits for the rest of the message", many(uint64(c.unclosed), "byte"))))
	}
	if n := c.stranger.count; n > 0 {
		all = append(all, c.finding(&c.stranger, RuleStranger, false, share(n, c.events), fmt.Sprintf(
			"%s of a robot that no worldstate before has", many(n, "event"))))
	}
	if c.fills > 0 && c.worldstates == 0 {
		all = append(all, c.finding(&spot{count: c.fills}, RuleGap, false, 1, fmt.Sprintf(
			"no worldstate at all: the referee box filled in %s", many(c.fills, "window"))))
	}
	if c.differs != "" {
		all = append(all, c.finding(&c.ball, RuleFrame, true, 1, c.differs))
	}
	if c.nameless.count >= enough && c.nameless.count == c.worldstates {
		all = append(all, c.finding(&c.nameless, RuleName, true, 1, "teamName is empty in all worldstates"))
	}
	for i := range all {
		all[i].Share = min(all[i].Share, 1)
	}
	return all
}

// constants says what never varies. Not judged: what may well stay as it is, such as intentions, battery levels, radii,
// and the confidence of obstacles, which a sensor either sees or not.
func (c *Card) constants(all []Finding) []Finding {
	d := &c.sense
	if v := &d.age; v.stuck() {
		v.spot.count = v.n
		// 0 says that it is not measured, or that it is sent when it is made; any other value pretends to be measured.
		all = append(all, c.finding(&v.spot, RuleConstant, v.value == 0, share(v.n, c.worldstates), fmt.Sprintf(
			"ageMs is %v in all %d worldstates: no information is always equally old", v.value, v.n)))
		all[len(all)-1].Fix = fixAge
	}
	if v := &d.confidence; v.stuck() && v.value >= 0 && v.value <= 1 {
		v.spot.count = v.n
		all = append(all, c.finding(&v.spot, RuleConstant, false, share(v.n, c.worldstates), fmt.Sprintf(
			"the first ball's confidence is %v in all %d worldstates that have one", v.value, v.n)))
	}
	if r := &d.robotRest; r.n >= many200 && !r.moves && d.moved >= 10 {
		r.spot.count = r.n
		all = append(all, c.finding(&r.spot, RuleConstant, false, 1, fmt.Sprintf(
			"all %d velocities of robots are 0, while they move %.0f m", r.n, d.moved)))
	}
	if v := &d.heading; v.n >= many200 && !v.varies && d.moved >= 10 {
		v.spot.count = v.n
		all = append(all, c.finding(&v.spot, RuleConstant, false, 1, fmt.Sprintf(
			"the heading is %v in all %d poses of robots, while they move %.0f m", v.value, v.n, d.moved)))
	}
	if r := &d.ballRest; r.n >= many200 && !r.moves && r.path >= 5 {
		r.spot.count = r.n
		all = append(all, c.finding(&r.spot, RuleConstant, false, share(r.n, c.worldstates), fmt.Sprintf(
			"all %d velocities of the first ball are 0, while it moves %.0f m", r.n, r.path)))
	}
	return all
}

func (v *steady) stuck() bool {
	return v.n >= many200 && !v.varies && v.seconds >= longEnough
}

// units says which values look like those of another unit, and what is out of place in the right one.
func (c *Card) units(all []Finding) []Finding {
	d := &c.sense
	found := [len(kinds)]bool{}
	add := func(k *scale, least float64, text string) bool {
		if k.odd < 5 || share(k.odd, k.n) < least {
			return false
		}
		k.spot.count = k.odd
		all = append(all, c.finding(&k.spot, RuleUnits, false, share(k.odd, k.n), text))
		return true
	}
	for _, unit := range []string{"millimetres", "centimetres"} {
		var sum scale
		var names []string
		for i := range d.lengths {
			k := &d.lengths[i]
			if k.odd < 5 || share(k.odd, k.n) < 0.2 || (k.max < 1500) != (unit == "centimetres") {
				continue
			}
			if found[i] = true; len(names) == 0 {
				sum.spot = k.spot
			}
			names = append(names, kinds[i])
			sum.n, sum.odd = sum.n+k.n, sum.odd+k.odd
		}
		if len(names) > 0 {
			add(&sum, 0, fmt.Sprintf("%s look like %s: %d of %d are further than %v m from the centre", strings.Join(names, ", "), unit, sum.odd, sum.n, notMetres))
		}
	}
	if k := &d.headings; k.max <= 361 {
		add(k, 0.2, fmt.Sprintf("headings look like degrees: %d of %d are beyond 2 pi, up to %.4g", k.odd, k.n, k.max))
	} else {
		add(k, 0.2, fmt.Sprintf("headings look like thousandths of a radian: %d of %d are beyond 2 pi, up to %.4g", k.odd, k.n, k.max))
	}
	if k := &d.seconds; k.max < 1 && k.n >= many200 {
		add(k, 0.5, fmt.Sprintf("ageMs looks like seconds: none of %d is above %.3g", k.n, k.max))
	}
	if k := &d.fraction; k.max <= 1 && k.fine && k.n >= many200 {
		add(k, 0.5, fmt.Sprintf("battery levels look like parts of one: none of %d is above %.3g", k.n, k.max))
	}
	if k := &d.percent; k.max <= 100 {
		add(k, 0.5, fmt.Sprintf("confidences of balls look like percent: %d of %d are above 1, up to %.4g", k.odd, k.n, k.max))
	}
	if d.target.count > 0 && !found[ofTargets] {
		all = append(all, c.finding(&d.target, RuleTarget, false, share(d.target.count, d.lengths[ofTargets].n), fmt.Sprintf(
			"%d of %d targets are more than %v m past the lines of a field of %v x %v m", d.target.count, d.lengths[ofTargets].n, offTarget, c.field.Length, c.field.Width)))
	}
	if k := &d.heights; k.odd > 0 && !found[ofBalls] && !(k.max > notMetres && add(k, 0.2, fmt.Sprintf(
		"heights of balls look like millimetres: %d of %d are above %v m, up to %.4g", k.odd, k.n, tooHigh, k.max))) {
		k.spot.count = k.odd
		all = append(all, c.finding(&k.spot, RuleOffField, false, share(k.odd, k.n), fmt.Sprintf(
			"%s of the first ball more than %v m above or below the floor, up to %.4g", many(k.odd, "position"), tooHigh, k.max)))
	}
	if n := d.lengths[ofRobots].n + d.lengths[ofBalls].n; d.off.count > 0 && !found[ofRobots] && !found[ofBalls] {
		all = append(all, c.finding(&d.off, RuleOffField, false, share(d.off.count, n), fmt.Sprintf(
			"%s of a robot or ball more than %v m past the lines of a field of %v x %v m", many(d.off.count, "position"), offHall, c.field.Length, c.field.Width)))
	}
	return all
}

// grains says what is written too coarsely. The resolution of a stream is that of its finest value: one number may well be
// round.
func (c *Card) grains(all []Finding) []Finding {
	add := func(g *grain, text string, coarse bool) {
		g.spot.count = g.n
		all = append(all, c.finding(&g.spot, RuleResolution, !coarse, 1, text))
	}
	if g := &c.sense.metre; g.n >= many200 && g.changes >= 50 && !g.cent && c.sense.lengths[ofRobots].odd == 0 {
		if g.tenth {
			add(g, "no position of a robot is finer than 0.01 m", false)
		} else {
			add(g, "no position of a robot is finer than 0.1 m", true)
		}
	}
	if g := &c.sense.radian; g.n >= many200 && g.changes >= 50 && !g.cent && c.sense.headings.odd == 0 {
		if g.tenth {
			add(g, "no heading is finer than 0.001 rad", false)
		} else {
			add(g, "no heading is finer than 0.01 rad", true)
		}
	}
	return all
}
