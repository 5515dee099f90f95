package sim

import (
	"math"

	"touchline/soccer"
)

// bump is a point of contact of the ball.
type bump struct {
	normal soccer.Vec3   // towards the ball
	across soccer.Vec    // a horizontal tangent; the other tangent is normal x across
	depth  float64       // m
	robot  int32         // index, or -1
	other  *soccer.Twist // twist of that robot, at first before the sub-step; nil for others
	rn, rt float64       // lever arms of normal and across about the robot's centre
	arm    float64       // m from the ball's centre
	turn   float64       // rad/s of the ball per m/s of a tangential push
	massN  float64       // kg
	massT  float64       // kg along across
	massB  float64       // kg along normal x across
	least  float64       // m/s along the normal required afterwards
	pn     float64       // N s so far
	pt, pb float64
	grip   float64 // coefficient of friction
	most   float64 // N s, limit of friction
}

// stepBall simulates h seconds of the ball: a sphere that slides, rolls, spins, hops and bounces. As in FIRASim's
// engine a contact acts only once the bodies overlap, an overlap is removed gradually, and the limit of friction is
// computed from the contact without friction. The hops of the ball, and its rebounds off walls and robots, depend on
// that.
func (e *Engine) stepBall(h float64) {
	p, v, w := &e.position, &e.velocity, &e.spin
	radius := e.cfg.BallRadius
	speed := math.Sqrt(v.Dot(*v))
	if speed < e.cfg.StopSpeed {
		*v, *w = soccer.Vec3{}, soccer.Vec3{}
	}
	bumps := e.findBumps(*p)
	if *v == (soccer.Vec3{}) && *w == *v && len(bumps) == 1 && bumps[0].normal.Z == 1 {
		return // it rests on the floor
	}
	before := *v
	if speed >= e.cfg.StopSpeed && speed > 0 {
		// A force against the motion and a matching torque stop the ball (FIRASim). On a rolling ball both together
		// give the deceleration Friction.
		slow := float64(e.cfg.Friction*0.7*h) / speed
		fx, fy := float64(v.X*slow), float64(v.Y*slow)
		v.X -= fx
		v.Y -= fy
		v.Z -= float64(v.Z * slow)
		w.X += float64(2.5*fy) / radius
		w.Y -= float64(2.5*fx) / radius
	}
	v.Z -= float64(gravity * h)
	for i := range bumps {
		e.prepare(&bumps[i], before, h)
	}
	e.solveBumps(bumps)
	p.X += float64(v.X * h)
	p.Y += float64(v.Y * h)
	p.Z += float64(v.Z * h)
	for i := range bumps {
		e.separate(&bumps[i], h)
	}
	if at := p.XY(); !e.rink.inside(at) {
		at = e.rink.heldBack(at)
		p.X, p.Y = at.X, at.Y
	}
	if v.Dot(*v) < 1e-18 {
		*v = soccer.Vec3{} // a rounding error of rest
	}
	if p.Z > Ceiling {
		p.Z, v.Z = Ceiling, min(v.Z, 0)
	}
}

// solveBumps solves all contacts of the ball. The limits of friction are those of contacts without any friction, of the
// robots with the floor neither: robots are then as fast as before the sub-step.
func (e *Engine) solveBumps(bumps []bump) {
	rounds := [...]int{1, 1, 4, 16}[min(len(bumps), 3)] // between three it may be squeezed
	free, touched := e.velocity, false
	e.pressBall(bumps, rounds)
	for i := range bumps {
		b := &bumps[i]
		if b.most = b.grip * b.pn; b.robot >= 0 {
			b.other, touched = &e.robots[b.robot].twist, true
		}
	}
	if touched { // else nothing changes
		e.velocity = free
		for i := range bumps {
			bumps[i].pn = 0
		}
		e.pressBall(bumps, rounds)
	}
	for range rounds {
		for i := range bumps {
			e.repel(&bumps[i])
		}
		for i := range bumps {
			e.rub(&bumps[i])
		}
	}
}

// pressBall solves all contacts of the ball without friction.
func (e *Engine) pressBall(bumps []bump, rounds int) {
	if e.squeeze(bumps) {
		return
	}
	for range rounds {
		for i := range bumps {
			e.repel(&bumps[i])
		}
	}
}

// findBumps returns all contacts of a ball at p with floor, walls and robots.
func (e *Engine) findBumps(p soccer.Vec3) []bump {
	e.bumps = e.bumps[:0]
	r := e.cfg.BallRadius
	if p.Z <= r {
		e.bumps = append(e.bumps, bump{
			normal: soccer.Vec3{Z: 1}, across: soccer.Vec{X: 1}, depth: r - p.Z, robot: -1, grip: e.cfg.BallGrip,
		})
	}
	x, y := math.Abs(p.X), math.Abs(p.Y)
	if x+r >= e.rink.end || y+r >= e.rink.side || x+y+float64(math.Sqrt2*r) >= e.rink.cut {
		e.bumpWalls(p, x, y)
	}
	reach := float64(e.cfg.Side*(math.Sqrt2*0.5)) + r
	reach *= reach
	for i := range e.robots {
		if d := p.XY().Sub(e.robots[i].pose.XY()); d.Dot(d) < reach {
			e.bumpRobot(p, i)
		}
	}
	return e.bumps
}

func (e *Engine) bumpWall(p soccer.Vec3, n soccer.Vec, depth float64) {
	if p.X < 0 {
		n.X = -n.X
	}
	if p.Y < 0 {
		n.Y = -n.Y
	}
	e.bumps = append(e.bumps, bump{
		normal: soccer.Vec3{X: n.X, Y: n.Y}, across: soccer.Vec{X: -n.Y, Y: n.X}, depth: depth, robot: -1,
		grip: e.cfg.BallGrip,
	})
}

// bumpWalls adds the contacts with walls of a ball at p, which is (x, y) in the quadrant.
func (e *Engine) bumpWalls(p soccer.Vec3, x, y float64) {
	k, r := &e.rink, e.cfg.BallRadius
	alongX, alongY, corner := k.gaps(x, y, r)
	if y < k.post && x <= k.end {
		// In the mouth of the goal the ball can touch only the edge of a post.
		dx, dy := x-k.end, y-k.post
		d2 := float64(dx*dx) + float64(dy*dy)
		if d2 < float64(r*r) && d2 > 0 {
			d := math.Sqrt(d2)
			e.bumpWall(p, soccer.Vec{X: dx / d, Y: dy / d}, r-d)
		}
		return
	}
	if alongX <= 0 {
		e.bumpWall(p, soccer.Vec{X: -1}, -alongX)
	}
	if alongY <= 0 {
		e.bumpWall(p, soccer.Vec{Y: -1}, -alongY)
	}
	if corner <= 0 && y > k.post {
		e.bumpWall(p, soccer.Vec{X: -math.Sqrt2 / 2, Y: -math.Sqrt2 / 2}, -corner)
	}
}

// bumpRobot adds the contact of a ball at p with the body or a wheel of robot i.
func (e *Engine) bumpRobot(p soccer.Vec3, i int) {
	o := &e.robots[i]
	q := o.local(p.XY())
	half, bottom := float64(e.cfg.Side*0.5), e.cfg.Robot.Clearance
	body := box{x: half, y: half, bottom: bottom, top: e.cfg.Top}
	n, depth := body.touch(q, p.Z, e.cfg.BallRadius)
	radius := e.cfg.Robot.WheelRadius
	wheels := box{x: radius, y: e.cfg.Robot.RimOuter, bottom: bottom, top: 2 * radius}
	if wn, wd := wheels.touch(q, p.Z, e.cfg.BallRadius); wd > depth {
		n, depth = wn, wd
	}
	if depth < 0 {
		return
	}
	flat := o.turned(soccer.Vec{X: n.X, Y: n.Y})
	b := bump{normal: soccer.Vec3{X: flat.X, Y: flat.Y, Z: n.Z}, depth: depth, robot: int32(i), other: &o.start,
		grip: e.cfg.BodyGrip}
	b.across = soccer.Vec{X: -flat.Y, Y: flat.X}
	if level := b.across.Len(); level > 0 {
		b.across.X /= level
		b.across.Y /= level
	} else {
		b.across.X = 1
	}
	// The point of contact relative to the robot's centre.
	away := e.cfg.BallRadius - depth
	rx := p.X - o.pose.X - float64(flat.X*away)
	ry := p.Y - o.pose.Y - float64(flat.Y*away)
	b.rn = float64(rx*flat.Y) - float64(ry*flat.X)
	b.rt = float64(rx*b.across.Y) - float64(ry*b.across.X)
	e.bumps = append(e.bumps, b)
}

// prepare computes the values of a bump that stay constant while it is solved. before is the ball's velocity before the
// forces of the sub-step, which determines a bounce.
func (e *Engine) prepare(b *bump, before soccer.Vec3, h float64) {
	m, r := 1/e.cfg.BallMass, e.cfg.BallRadius
	b.arm = r
	if b.normal.Z != 1 {
		b.arm -= b.depth
	}
	b.turn = 2.5 * b.arm / float64(r*r)
	across := float64(m * (1 + float64(b.arm*b.turn))) // a tangential push moves the ball and turns it
	kn, kt, kb := m, across, across
	if b.robot < 0 {
		into := -before.Dot(b.normal)
		if into > e.cfg.BounceSpeed {
			share := e.cfg.Restitution
			if b.normal.Z == 1 {
				share = e.cfg.Bounce
			}
			b.least = share * into
		}
	} else {
		n := b.normal
		b.least = correction * b.depth / wholeSubStep
		level2 := float64(n.X*n.X) + float64(n.Y*n.Y)
		kn += float64(e.train.Inverse*level2) + float64(float64(b.rn*b.rn)*e.train.InverseYaw)
		kt += e.train.Inverse + float64(float64(b.rt*b.rt)*e.train.InverseYaw)
	}
	b.massN, b.massT, b.massB = 1/kn, 1/kt, 1/kb
}

// squeeze solves the bumps of a ball between a robot and something else along their normals, all at once: a robot is 50
// times as heavy as the ball, and one bump after the other would take hundreds of rounds. It reports false for other balls.
func (e *Engine) squeeze(bumps []bump) bool {
	squeezed := false
	for i := range bumps {
		for j := range i {
			squeezed = squeezed || bumps[i].robot != bumps[j].robot && bumps[i].normal.Dot(bumps[j].normal) < 0
		}
	}
	if !squeezed || len(bumps) > maxUnknowns {
		return false
	}
	p := complementarity{n: len(bumps)}
	m := 1 / e.cfg.BallMass
	for i := range bumps {
		a := &bumps[i]
		p.b[i] = a.least - e.apart(a)
		for j := range i + 1 {
			b := &bumps[j]
			at := float64(m * a.normal.Dot(b.normal))
			if a.robot >= 0 && a.robot == b.robot {
				level := a.normal.XY().Dot(b.normal.XY())
				at += float64(level*e.train.Inverse) + float64(float64(a.rn*b.rn)*e.train.InverseYaw)
			}
			p.a[i][j], p.a[j][i] = at, at
		}
	}
	var x [maxUnknowns]float64
	if !p.solve(x[:p.n]) {
		return false
	}
	for i := range bumps {
		e.thrust(&bumps[i], x[i])
	}
	return true
}

// apart returns how fast the ball and the other body of a bump move apart in m/s.
func (e *Engine) apart(b *bump) float64 {
	v := e.velocity.Dot(b.normal)
	if o := b.other; o != nil {
		v -= float64(o.X*b.normal.X) + float64(o.Y*b.normal.Y) + float64(o.Theta*b.rn)
	}
	return v
}

// thrust adds an impulse of d N s along the normal of a bump.
func (e *Engine) thrust(b *bump, d float64) {
	v, n := &e.velocity, b.normal
	b.pn += d
	dv := d / e.cfg.BallMass
	v.X += float64(dv * n.X)
	v.Y += float64(dv * n.Y)
	v.Z += float64(dv * n.Z)
	if o := b.other; o != nil {
		o.X -= float64(float64(d*n.X) * e.train.Inverse)
		o.Y -= float64(float64(d*n.Y) * e.train.Inverse)
		o.Theta -= float64(float64(d*b.rn) * e.train.InverseYaw)
	}
}

// repel solves a bump along its normal.
func (e *Engine) repel(b *bump) {
	e.thrust(b, positive(b.pn+float64((b.least-e.apart(b))*b.massN))-b.pn)
}

// rub solves the friction of a bump, in two directions with separate limits as in FIRASim's engine.
func (e *Engine) rub(b *bump) {
	v, w, n, r := &e.velocity, &e.spin, b.normal, b.arm
	t := soccer.Vec3{X: b.across.X, Y: b.across.Y}
	u := cross(n, t)
	// The ball's surface moves with v - r (w x n).
	s := cross(*w, n)
	slip := soccer.Vec3{X: v.X - float64(r*s.X), Y: v.Y - float64(r*s.Y), Z: v.Z - float64(r*s.Z)}
	vt, vb := slip.Dot(t), slip.Dot(u)
	o := b.other
	if o != nil {
		vt -= float64(o.X*t.X) + float64(o.Y*t.Y) + float64(o.Theta*b.rt)
	}
	pt := within(b.pt-float64(vt*b.massT), b.most)
	pb := within(b.pb-float64(vb*b.massB), b.most)
	dt, db := pt-b.pt, pb-b.pb
	b.pt, b.pb = pt, pb
	mass := e.cfg.BallMass
	push := soccer.Vec3{
		X: (float64(dt*t.X) + float64(db*u.X)) / mass,
		Y: (float64(dt*t.Y) + float64(db*u.Y)) / mass,
		Z: (float64(dt*t.Z) + float64(db*u.Z)) / mass,
	}
	v.X += push.X
	v.Y += push.Y
	v.Z += push.Z
	turn, k := cross(n, push), b.turn
	w.X -= float64(k * turn.X)
	w.Y -= float64(k * turn.Y)
	w.Z -= float64(k * turn.Z)
	if o != nil {
		o.X -= float64(float64(dt*t.X) * e.train.Inverse)
		o.Y -= float64(float64(dt*t.Y) * e.train.Inverse)
		o.Theta -= float64(float64(dt*b.rt) * e.train.InverseYaw)
	}
}

// separate removes a part of an overlap that the velocities do not remove.
func (e *Engine) separate(b *bump, h float64) {
	if b.robot >= 0 && b.pn > 0 || b.robot < 0 && b.normal.Z != 1 {
		e.contacts++
	}
	way := float64(correction*b.depth*min(1, h/wholeSubStep)) - float64(e.apart(b)*h)
	if way <= 0 {
		return
	}
	e.position.X += float64(way * b.normal.X)
	e.position.Y += float64(way * b.normal.Y)
	e.position.Z += float64(way * b.normal.Z)
}

func cross(a, b soccer.Vec3) soccer.Vec3 {
	x, y := float64(a.Y*b.Z)-float64(a.Z*b.Y), float64(a.Z*b.X)-float64(a.X*b.Z)
	return soccer.Vec3{X: x, Y: y, Z: float64(a.X*b.Y) - float64(a.Y*b.X)}
}
