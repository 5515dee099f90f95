package sim

import (
	"math"
	"time"

	"touchline/soccer"
)

const (
	vssSubStep = Tick / 5 // FIRASim's (facts firasim 1)
	margin     = 0.008    // m: what is nearer than this may touch within a sub-step
	preSweeps  = 2        // over all contacts in a sub-step, before wheels and friction
	sweeps     = 3        // with them
	allowed    = 0.003    // m that bodies may overlap before a contact is solved ahead of its time
	urgent     = 0.8      // share of what is beyond that which comes on top
	mend       = 0.2      // share of an overlap that is undone in a sub-step, as FIRASim's engine does
)

// contact is a point in which a robot meets another or a wall.
type contact struct {
	a, b         int32   // indices of the robots; b is -1 for a wall
	x, y         float64 // normal, towards a
	an, at       float64 // lever arms of normal and tangent about a's middle
	bn, bt       float64
	massN, massT float64 // kg: how heavy the bodies are along normal and tangent
	least        float64 // m/s along the normal that there must be afterwards
	pn, pt       float64 // N s given so far
	most         float64 // N s of friction
}

// stepRobots lets h seconds pass for all robots but for what the ball does to them: velocities only.
//
// As in FIRASim's engine, the limit of a contact's friction comes from how hard bodies meet before wheels and friction
// have their say.
func (e *Engine) stepRobots(h float64) {
	e.wake()
	for i := range e.robots {
		r := &e.robots[i]
		if r.still {
			continue
		}
		r.touched, r.contacts = false, 0
		r.was = r.given
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
	for i := range e.robots {
		if r := &e.robots[i]; !r.still {
			e.start(r)
			e.pull(r)
		}
	}
	if len(e.touching) == 0 {
		return
	}
	for range sweeps {
		for i := range e.touching {
			e.solve(&e.touching[i])
		}
		for i := range e.robots {
			if r := &e.robots[i]; r.touched && !r.still {
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

// wake finds who is near whom, and wakes robots that rest near one that does not.
func (e *Engine) wake() {
	far := float64(e.cfg.Side*math.Sqrt2) + margin
	far *= far
	e.near = e.near[:0]
	for i := range e.robots {
		a := &e.robots[i]
		for j := i + 1; j < len(e.robots); j++ {
			b := &e.robots[j]
			dx, dy := b.pose.X-a.pose.X, b.pose.Y-a.pose.Y
			if float64(dx*dx)+float64(dy*dy) <= far {
				e.near = append(e.near, [2]uint8{uint8(i), uint8(j)})
			}
		}
	}
	for again := true; again; {
		again = false
		for _, n := range e.near {
			if a, b := &e.robots[n[0]], &e.robots[n[1]]; a.still != b.still {
				a.still, b.still, again = false, false, true
			}
		}
	}
}

// findContacts fills e.touching with all points in which robots that do not rest meet robots or walls.
func (e *Engine) findContacts(h float64) {
	e.touching = e.touching[:0]
	half := float64(e.cfg.Side * 0.5)
	var walls [maxTouches]touch
	var pair [2]touch
	for i := range e.robots {
		a := &e.robots[i]
		if a.still {
			continue
		}
		if e.rink.near(a, half, margin) {
			n := e.rink.touchWalls(a, half, margin, &walls)
			for k := range n {
				e.addContact(i, -1, &walls[k], h)
			}
		}
	}
	for _, at := range e.near {
		a := &e.robots[at[0]]
		if a.still {
			continue
		}
		n := meet(a, &e.robots[at[1]], half, margin, &pair)
		for k := range n {
			e.addContact(int(at[0]), int(at[1]), &pair[k], h)
		}
	}
}

// addContact adds t, between robot i and robot j or, if j is -1, a wall, unless the two are too far apart and too slow
// to meet within the sub-step.
func (e *Engine) addContact(i, j int, t *touch, h float64) {
	const spare = 0.001 // m: more than wheels can add in a sub-step
	a := &e.robots[i]
	n := t.normal
	rx, ry := t.at.X-a.pose.X, t.at.Y-a.pose.Y
	c := contact{
		a: int32(i), b: int32(j), x: n.X, y: n.Y,
		an: float64(rx*n.Y) - float64(ry*n.X), at: float64(rx*n.X) + float64(ry*n.Y),
	}
	vn := float64(a.twist.X*c.x) + float64(a.twist.Y*c.y) + float64(a.twist.Theta*c.an)
	m, lazy := e.train.inverse, e.train.lazy
	kn, kt := m+float64(float64(c.an*c.an)*lazy), m+float64(float64(c.at*c.at)*lazy)
	if j >= 0 {
		b := &e.robots[j]
		rx, ry = t.at.X-b.pose.X, t.at.Y-b.pose.Y
		c.bn, c.bt = float64(rx*n.Y)-float64(ry*n.X), float64(rx*n.X)+float64(ry*n.Y)
		vn -= float64(b.twist.X*c.x) + float64(b.twist.Y*c.y) + float64(b.twist.Theta*c.bn)
		kn += m + float64(float64(c.bn*c.bn)*lazy)
		kt += m + float64(float64(c.bt*c.bt)*lazy)
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
		c.least = -(float64(mend*t.gap) + float64(urgent*min(0, t.gap+allowed))) / h
	}
	e.touching = append(e.touching, c)
}

// press changes the velocities at a contact along the normal, to what there must be at least.
func (e *Engine) press(c *contact) {
	a := &e.robots[c.a].twist
	vn := float64(a.X*c.x) + float64(a.Y*c.y) + float64(a.Theta*c.an)
	if c.b < 0 {
		pn := max(0, c.pn+float64((c.least-vn)*c.massN))
		d := pn - c.pn
		c.pn = pn
		m := d * e.train.inverse
		a.X += float64(m * c.x)
		a.Y += float64(m * c.y)
		a.Theta += float64(float64(d*c.an) * e.train.lazy)
		return
	}
	b := &e.robots[c.b].twist
	vn -= float64(b.X*c.x) + float64(b.Y*c.y) + float64(b.Theta*c.bn)
	pn := max(0, c.pn+float64((c.least-vn)*c.massN))
	d := pn - c.pn
	c.pn = pn
	m := d * e.train.inverse
	x, y := float64(m*c.x), float64(m*c.y)
	a.X += x
	a.Y += y
	b.X -= x
	b.Y -= y
	a.Theta += float64(float64(d*c.an) * e.train.lazy)
	b.Theta -= float64(float64(d*c.bn) * e.train.lazy)
}

// solve presses at a contact and rubs across it.
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
	pt := max(-c.most, min(c.most, c.pt-float64(vt*c.massT)))
	d := pt - c.pt
	c.pt = pt
	m := d * e.train.inverse
	x, y := float64(m*c.y), float64(m*c.x)
	a.X -= x
	a.Y += y
	a.Theta += float64(float64(d*c.at) * e.train.lazy)
	if b != nil {
		b.X += x
		b.Y -= y
		b.Theta -= float64(float64(d*c.bt) * e.train.lazy)
	}
}

// stepVSS lets h pass on a Very Small Size field.
func (e *Engine) stepVSS(h time.Duration) {
	s := h.Seconds()
	if h != e.pace {
		e.pace, e.train = h, e.cfg.train(s)
	}
	e.stepRobots(s)
	e.stepBall(s)
	for i := range e.robots {
		r := &e.robots[i]
		e.contacts += r.contacts
		if !r.still && !e.rests(r) {
			r.advance(s)
		}
	}
}

// rests stops a robot that is held where it is, and reports whether it was; whether it is still is found out, too.
func (e *Engine) rests(r *robot) bool {
	const slow = 1e-6 // m/s at its edge
	if !r.touched || math.Abs(r.twist.X)+math.Abs(r.twist.Y)+float64(math.Abs(r.twist.Theta)*e.cfg.Side) > slow {
		return false
	}
	r.twist = soccer.Twist{}
	r.still = r.was == r.given
	return true
}
