package sim

import (
	"math"
	"time"

	"touchline/soccer"
)

const (
	vssSubStep = Tick / 5 // FIRASim's (facts firasim 1)
	margin     = 0.008    // m: what is nearer than this may touch within a sub-step
	sweeps     = 4        // over all contacts in a sub-step
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
	gap          float64
	pn, pt       float64 // N s given so far
	most         float64 // N s of friction
}

// stepRobots lets h seconds pass for all robots but for what the ball does to them: velocities only.
func (e *Engine) stepRobots(h float64) {
	for i := range e.robots {
		r := &e.robots[i]
		r.left, r.right, r.drag, r.grip, r.scrub, r.out, r.touched = 0, 0, 0, 0, 0, soccer.Vec{}, false
	}
	e.findContacts(h)
	for range sweeps {
		for i := range e.touching {
			e.solve(&e.touching[i])
		}
	}
	for i := range e.touching {
		c := &e.touching[i]
		c.most = e.cfg.BodyGrip * c.pn
	}
	for i := range e.robots {
		e.pull(&e.robots[i], 2)
	}
	if len(e.touching) == 0 {
		return
	}
	for range sweeps {
		for i := range e.touching {
			e.solve(&e.touching[i])
		}
		for i := range e.robots {
			if r := &e.robots[i]; r.touched {
				e.pull(r, 1)
			}
		}
	}
	for i := range e.touching {
		e.solve(&e.touching[i])
		e.part(&e.touching[i])
	}
}

// findContacts fills e.touching with all points in which robots meet robots or walls.
func (e *Engine) findContacts(h float64) {
	e.touching = e.touching[:0]
	half := float64(e.cfg.Side * 0.5)
	far := float64(e.cfg.Side*math.Sqrt2) + margin
	far *= far
	var walls [maxTouches]touch
	var pair [2]touch
	for i := range e.robots {
		a := &e.robots[i]
		if e.rink.near(a, half, margin) {
			for _, t := range walls[:e.rink.touchWalls(a, half, margin, &walls)] {
				e.addContact(i, -1, &t, h)
			}
		}
		for j := i + 1; j < len(e.robots); j++ {
			b := &e.robots[j]
			dx, dy := b.pose.X-a.pose.X, b.pose.Y-a.pose.Y
			if float64(dx*dx)+float64(dy*dy) > far {
				continue
			}
			for _, t := range pair[:meet(a, b, half, margin, &pair)] {
				e.addContact(i, j, &t, h)
			}
		}
	}
}

func (e *Engine) addContact(i, j int, t *touch, h float64) {
	a := &e.robots[i]
	a.touched = true
	n := t.normal
	rx, ry := t.at.X-a.pose.X, t.at.Y-a.pose.Y
	c := contact{
		a: int32(i), b: int32(j), x: n.X, y: n.Y, gap: t.gap,
		an: float64(rx*n.Y) - float64(ry*n.X), at: float64(rx*n.X) + float64(ry*n.Y),
	}
	m, turn := e.train.inverse, 1/e.cfg.Inertia
	kn, kt := m+float64(float64(c.an*c.an)*turn), m+float64(float64(c.at*c.at)*turn)
	if j >= 0 {
		b := &e.robots[j]
		b.touched = true
		rx, ry = t.at.X-b.pose.X, t.at.Y-b.pose.Y
		c.bn, c.bt = float64(rx*n.Y)-float64(ry*n.X), float64(rx*n.X)+float64(ry*n.Y)
		kn += m + float64(float64(c.bn*c.bn)*turn)
		kt += m + float64(float64(c.bt*c.bt)*turn)
	}
	c.massN, c.massT = 1/kn, 1/kt
	if t.gap > 0 {
		c.least = -t.gap / h
	}
	e.touching = append(e.touching, c)
}

// solve changes the velocities at a contact: along the normal to what there must be at least, and across by friction.
func (e *Engine) solve(c *contact) {
	a := &e.robots[c.a].twist
	m, turn := e.train.inverse, 1/e.cfg.Inertia
	vn := float64(a.X*c.x) + float64(a.Y*c.y) + float64(a.Theta*c.an)
	vt := float64(a.Y*c.x) - float64(a.X*c.y) + float64(a.Theta*c.at)
	var b *soccer.Twist
	if c.b >= 0 {
		b = &e.robots[c.b].twist
		vn -= float64(b.X*c.x) + float64(b.Y*c.y) + float64(b.Theta*c.bn)
		vt -= float64(b.Y*c.x) - float64(b.X*c.y) + float64(b.Theta*c.bt)
	}
	pn := max(0, c.pn+float64((c.least-vn)*c.massN))
	dn := pn - c.pn
	c.pn = pn
	pt := clamp(c.pt-float64(vt*c.massT), -c.most, c.most)
	dt := pt - c.pt
	c.pt = pt
	if dn == 0 && dt == 0 {
		return
	}
	x, y := float64(dn*c.x)-float64(dt*c.y), float64(dn*c.y)+float64(dt*c.x)
	a.X += float64(x * m)
	a.Y += float64(y * m)
	a.Theta += float64((float64(dn*c.an) + float64(dt*c.at)) * turn)
	if b != nil {
		b.X -= float64(x * m)
		b.Y -= float64(y * m)
		b.Theta -= float64((float64(dn*c.bn) + float64(dt*c.bt)) * turn)
	}
}

// part moves overlapping bodies apart, without giving them speed.
func (e *Engine) part(c *contact) {
	if c.pn > 0 {
		e.contacts++
	}
	if c.gap >= 0 {
		return
	}
	way := -mend * c.gap
	a := &e.robots[c.a]
	if c.b >= 0 {
		way *= 0.5
		b := &e.robots[c.b]
		b.out.X -= float64(way * c.x)
		b.out.Y -= float64(way * c.y)
	}
	a.out.X += float64(way * c.x)
	a.out.Y += float64(way * c.y)
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
		e.robots[i].advance(s)
	}
}
