package sim

import (
	"math"
	"time"

	"touchline/soccer"
)

const (
	vssSubStep = Tick / 5 // FIRASim's sub-step

	// Overlaps are removed at the same speed in a shorter sub-step, or the rest of a span would throw bodies apart.
	wholeSubStep = 0.0032 // s, vssSubStep
	preSweeps    = 2      // iterations over all contacts in a sub-step, before wheels and friction
	sweeps       = 3      // iterations with wheels and friction
	allowed      = 0.003  // m, tolerated overlap: a contact is solved in advance only beyond it
	spare        = 0.001  // m, more than wheels add in a sub-step
	urgent       = 0.8    // additional share of the overlap beyond allowed
	gain         = 0.5    // m/s, more than a tick adds to the fastest robot's speed
	correction   = 0.2    // share of an overlap that a sub-step removes, as in FIRASim's engine
)

// contact is a point of contact of a robot with another robot or a wall.
type contact struct {
	a, b         int32   // indices of the robots; b is -1 for a wall
	x, y         float64 // normal, towards a
	an, at       float64 // lever arms of normal and tangent about a's centre
	bn, bt       float64
	massN, massT float64 // kg, effective masses along normal and tangent
	least        float64 // m/s along the normal required afterwards
	pn, pt       float64 // N s so far
	most         float64 // N s, limit of friction
}

// stepRobots computes the velocities of all robots after h seconds, without the effect of the ball.
//
// As in FIRASim's engine, the limit of a contact's friction is computed from the contact before wheels and friction
// act.
func (e *Engine) stepRobots(h float64) {
	fastest := 0.0 // m/s, bound for all corners
	for _, i := range e.awake {
		w := &e.robots[i].twist
		fastest = max(fastest, math.Abs(w.X)+math.Abs(w.Y)+float64(math.Abs(w.Theta)*e.cfg.Side))
	}
	e.margin = positive(float64(fastest*h) - (allowed - spare))
	e.wake()
	if len(e.awake) == 0 {
		return
	}
	for _, i := range e.awake {
		r := &e.robots[i]
		r.touched, r.contacts = false, 0
	}
	e.findContacts(h)
	if len(e.touching) > 0 {
		for range preSweeps {
			for i := range e.touching {
				e.press(&e.touching[i])
			}
		}
		for i := range e.touching {
			c := &e.touching[i]
			c.most = e.cfg.BodyGrip * c.pn
		}
	}
	for _, i := range e.awake {
		e.start(&e.robots[i])
	}
	if len(e.touching) == 0 {
		return
	}
	for range sweeps {
		for i := range e.touching {
			e.solve(&e.touching[i])
		}
		for _, i := range e.awake {
			if r := &e.robots[i]; r.touched {
				e.pull(r)
			}
		}
	}
	for i := range e.touching {
		c := &e.touching[i]
		e.solve(c)
		if c.pn > 0 {
			e.robots[c.a].contacts++
		}
	}
}

// survey finds the robots that may come close to each other or a wall within span seconds, so that sub-steps check only
// those.
func (e *Engine) survey(span float64) {
	const more = 0.005 // m
	e.fastest = 0
	for i := range e.robots {
		e.fastest = max(e.fastest, e.robots[i].speed())
	}
	way := float64((e.fastest+gain)*span) + more
	radius := e.bodyRadius()
	far := 2 * (radius + way)
	far *= far
	e.wide = e.wide[:0]
	ball := radius + e.cfg.BallRadius + float64(2*way) + float64((e.velocity.XY().Len()+gain)*span)
	ball *= ball
	e.ballFree = true
	for i := range e.robots {
		a := &e.robots[i]
		a.walled = e.rink.near(a.pose, radius, radius, way)
		if d := e.position.XY().Sub(a.pose.XY()); d.Dot(d) <= ball {
			e.ballFree = false
		}
		for j := i + 1; j < len(e.robots); j++ {
			if d := e.robots[j].pose.XY().Sub(a.pose.XY()); d.Dot(d) <= far {
				e.wide = append(e.wide, [2]uint8{uint8(i), uint8(j)})
			}
		}
	}
}

// wake finds the pairs of robots that are close now, and wakes robots at rest close to a moving robot or the ball.
func (e *Engine) wake() {
	const near = 0.001 // m
	radius := e.bodyRadius()
	far := 2*(radius+e.margin) + near
	far *= far
	reach := radius + e.cfg.BallRadius + near
	reach *= reach
	e.near = e.near[:0]
	for _, n := range e.wide {
		if d := e.robots[n[1]].pose.XY().Sub(e.robots[n[0]].pose.XY()); d.Dot(d) <= far {
			e.near = append(e.near, n)
		}
	}
	if len(e.awake) == len(e.robots) {
		return
	}
	woken := false
	if !e.ballFree {
		for i := range e.robots {
			r := &e.robots[i]
			if d := e.position.XY().Sub(r.pose.XY()); d.Dot(d) <= reach && r.still {
				r.still, woken = false, true
			}
		}
	}
	for again := true; again; {
		again = false
		for _, n := range e.near {
			if a, b := &e.robots[n[0]], &e.robots[n[1]]; a.still != b.still && !a.coasts && !b.coasts {
				a.still, b.still, again, woken = false, false, true, true
			}
		}
	}
	if woken {
		e.listAwake()
	}
}

// listAwake lists the robots that sub-steps move.
func (e *Engine) listAwake() {
	e.awake = e.awake[:0]
	for i := range e.robots {
		if !e.robots[i].still {
			e.awake = append(e.awake, uint8(i))
		}
	}
}

// findContacts fills e.touching with the contacts of all awake robots.
func (e *Engine) findContacts(h float64) {
	e.touching = e.touching[:0]
	half := float64(e.cfg.Side * 0.5)
	walls, pair := &e.atWalls, &e.atRobot
	for _, i := range e.awake {
		a := &e.robots[i]
		if !a.walled {
			continue
		}
		c, s := math.Abs(a.cos), math.Abs(a.sin)
		if e.rink.near(a.pose, float64(half*(c+s)), float64(half*max(c, s)*math.Sqrt2), e.margin) {
			n := a.touchWalls(&e.rink, half, e.margin, walls)
			for k := range n {
				e.addContact(int(i), -1, &walls[k], h)
			}
		}
	}
	for _, at := range e.near {
		a := &e.robots[at[0]]
		if a.still {
			continue
		}
		n := meetSquares(a, &e.robots[at[1]], half, 2*e.margin, pair)
		for k := range n {
			e.addContact(int(at[0]), int(at[1]), &pair[k], h)
		}
	}
}

// addContact adds t, between robot i and robot j or, if j is -1, a wall, unless the two are too far apart and too slow
// to touch within the sub-step.
func (e *Engine) addContact(i, j int, t *touch, h float64) {
	a := &e.robots[i]
	n := t.normal
	arm := t.at.Sub(a.pose.XY())
	c := contact{a: int32(i), b: int32(j), x: n.X, y: n.Y, an: arm.Cross(n), at: arm.Dot(n)}
	vn := float64(a.twist.X*c.x) + float64(a.twist.Y*c.y) + float64(a.twist.Theta*c.an)
	m, inverseInertia := e.train.Inverse, e.train.InverseYaw
	kn, kt := m+float64(float64(c.an*c.an)*inverseInertia), m+float64(float64(c.at*c.at)*inverseInertia)
	if j >= 0 {
		b := &e.robots[j]
		arm = t.at.Sub(b.pose.XY())
		c.bn, c.bt = arm.Cross(n), arm.Dot(n)
		vn -= float64(b.twist.X*c.x) + float64(b.twist.Y*c.y) + float64(b.twist.Theta*c.bn)
		kn += m + float64(float64(c.bn*c.bn)*inverseInertia)
		kt += m + float64(float64(c.bt*c.bt)*inverseInertia)
	}
	if t.gap > 0 && t.gap+float64(vn*h) > spare-allowed {
		return
	}
	a.touched = true
	if j >= 0 {
		e.robots[j].touched = true
	}
	c.massN, c.massT = 1/kn, 1/kt
	if t.gap > 0 {
		c.least = -(t.gap + allowed) / h
	} else {
		c.least = -(float64(correction*t.gap) + float64(urgent*min(0, t.gap+allowed))) / wholeSubStep
	}
	e.touching = append(e.touching, c)
}

// press raises the velocity at a contact along its normal to the required one.
func (e *Engine) press(c *contact) {
	a := &e.robots[c.a].twist
	vn := float64(a.X*c.x) + float64(a.Y*c.y) + float64(a.Theta*c.an)
	if c.b < 0 {
		pn := positive(c.pn + float64((c.least-vn)*c.massN))
		d := pn - c.pn
		c.pn = pn
		m := d * e.train.Inverse
		a.X += float64(m * c.x)
		a.Y += float64(m * c.y)
		a.Theta += float64(float64(d*c.an) * e.train.InverseYaw)
		return
	}
	b := &e.robots[c.b].twist
	vn -= float64(b.X*c.x) + float64(b.Y*c.y) + float64(b.Theta*c.bn)
	pn := positive(c.pn + float64((c.least-vn)*c.massN))
	d := pn - c.pn
	c.pn = pn
	m := d * e.train.Inverse
	x, y := float64(m*c.x), float64(m*c.y)
	a.X += x
	a.Y += y
	b.X -= x
	b.Y -= y
	a.Theta += float64(float64(d*c.an) * e.train.InverseYaw)
	b.Theta -= float64(float64(d*c.bn) * e.train.InverseYaw)
}

func positive(x float64) float64 {
	if x > 0 {
		return x
	}
	return 0
}

// solve solves a contact along its normal, and its friction.
func (e *Engine) solve(c *contact) {
	e.press(c)
	if c.most == 0 {
		return
	}
	a := &e.robots[c.a].twist
	vt := float64(a.Y*c.x) - float64(a.X*c.y) + float64(a.Theta*c.at)
	var b *soccer.Twist
	if c.b >= 0 {
		b = &e.robots[c.b].twist
		vt -= float64(b.Y*c.x) - float64(b.X*c.y) + float64(b.Theta*c.bt)
	}
	pt := within(c.pt-float64(vt*c.massT), c.most)
	d := pt - c.pt
	c.pt = pt
	m := d * e.train.Inverse
	x, y := float64(m*c.y), float64(m*c.x)
	a.X -= x
	a.Y += y
	a.Theta += float64(float64(d*c.at) * e.train.InverseYaw)
	if b != nil {
		b.X += x
		b.Y -= y
		b.Theta -= float64(float64(d*c.bt) * e.train.InverseYaw)
	}
}

// stepTicks simulates dt on a Very Small Size field.
func (e *Engine) stepTicks(dt time.Duration) {
	if e.pace == 0 {
		e.pace, e.train = vssSubStep, e.cfg.Robot.train(vssSubStep.Seconds())
	}
	for dt > 0 {
		span := min(dt, Tick)
		dt -= span
		e.survey(span.Seconds())
		whole := span == Tick && e.pace == vssSubStep
		if whole {
			e.startCoasting()
		}
		e.listAwake()
		for span > 0 {
			h := min(span, vssSubStep)
			e.stepVSS(h)
			e.now = e.now.Add(h)
			span -= h
		}
		if whole {
			e.finishCoasting()
		}
	}
}

// stepVSS simulates h, at most a sub-step, on a Very Small Size field.
func (e *Engine) stepVSS(h time.Duration) {
	if h != e.pace {
		e.pace, e.train = h, e.cfg.Robot.train(h.Seconds())
	}
	s := e.train.Seconds
	if !e.ballFree {
		for i := range e.robots {
			e.robots[i].start = e.robots[i].twist
		}
	}
	e.stepRobots(s)
	if !e.ballFree || e.velocity != (soccer.Vec3{}) || e.spin != (soccer.Vec3{}) || e.position.Z > e.cfg.BallRadius {
		e.stepBall(s)
	}
	for i := range e.robots {
		e.contacts += e.robots[i].contacts
	}
	settled := false
	for _, i := range e.awake {
		r := &e.robots[i]
		tan, share := e.train.finish(&r.drive, r.twist.Theta)
		r.advanceSubStep(s, tan, share)
		speed := math.Abs(r.twist.X) + math.Abs(r.twist.Y) + float64(math.Abs(r.twist.Theta)*e.cfg.Side)
		if r.touched && r.drive.settles(speed) {
			r.twist, r.still, settled = soccer.Twist{}, true, true
		}
	}
	if settled {
		e.listAwake()
	}
}
