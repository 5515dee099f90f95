package sim

import (
	"time"

	"touchline/soccer"
)

// Motion of driven robots. They are discs of equal mass without friction among each other: contacts take the speed at
// which they approach, and give none back.
const (
	motionStep = 10 * time.Millisecond
	shove      = 0.1  // m/s; a slower push does not move a robot that stands: its wheels hold it
	slack      = 1e-4 // m, overlap that may be left in a crowd
	residue    = 1e-6 // m, overlap that needs no correction
	rounds     = 12   // attempts to find room
	popSpeed   = 1.0  // m/s, of a ball that is squeezed out; an assumption
)

// drives reports whether a driven robot moves, or its command moves it or the ball.
func (e *Engine) drives() bool {
	for i := range e.robots {
		if r := &e.robots[i]; r.omni != nil && (r.twist != soccer.Twist{} || r.omni.acts(e.now)) {
			return true
		}
	}
	return false
}

func (e *Engine) ballRests() bool {
	return e.velocity == (soccer.Vec3{}) && e.position.Z <= e.body.ball
}

// stepDriven simulates up to dt of driven robots and the ball, and returns how long. Robots that nothing can touch in that
// time take it in one step, the others in sub-steps together with the ball.
func (e *Engine) stepDriven(dt time.Duration) time.Duration {
	h := min(dt, motionStep-time.Duration(e.now)%motionStep)
	engaged := e.engage(h.Seconds())
	e.advanceRobots(h.Seconds(), false)
	for end := e.now.Add(h); e.now < end; {
		part := end.Sub(e.now)
		if engaged || !e.ballRests() {
			part = min(part, subStep-time.Duration(e.now)%subStep)
		}
		if engaged {
			e.advanceRobots(part.Seconds(), true)
			e.separateRobots()
		}
		if engaged || !e.ballRests() {
			e.moveBall(part.Seconds())
		}
		e.now = e.now.Add(part)
		if engaged {
			e.handleBall(part.Seconds())
		}
	}
	return h
}

// engage marks the driven robots that may touch a body, a wall or the ball within h seconds, finds the pairs of robots
// that may touch each other, and reports whether there is such a robot.
func (e *Engine) engage(h float64) (found bool) {
	reach := float64(e.body.shoved * h)
	ball := e.body.hold + reach + float64(MaxBallSpeed*h)
	e.near = e.near[:0]
	for i := range e.robots {
		r := &e.robots[i]
		p := r.pose.XY()
		r.walled = r.omni != nil && e.walls.contact(p, e.body.radius+reach).depth > 0
		r.touched = r.omni != nil && (r.walled || closer(p, e.position.XY(), ball))
		for _, o := range e.obstacles {
			r.touched = r.touched || r.omni != nil && closer(p, o, soccer.RobotRadius+ObstacleRadius+reach)
		}
		for k := range i {
			o := &e.robots[k]
			if (r.omni != nil || o.omni != nil) && closer(p, o.pose.XY(), e.body.pair+float64(2*reach)) {
				e.near = append(e.near, [2]uint8{uint8(i), uint8(k)})
				r.touched, o.touched, found = r.omni != nil, o.omni != nil, true
			}
		}
		found = found || r.touched
	}
	return found
}

// closer reports whether two points are closer than distance.
func closer(a, b soccer.Vec, distance float64) bool {
	d := a.Sub(b)
	return d.Dot(d) < float64(distance*distance)
}

// advanceRobots accelerates and moves the driven robots that are engaged, or those that are not, for h seconds as if
// nothing was in their way.
func (e *Engine) advanceRobots(h float64, engaged bool) {
	e.before = e.before[:0]
	for i := range e.robots {
		r := &e.robots[i]
		e.before = append(e.before, r.pose.XY())
		if r.omni == nil || r.touched != engaged {
			continue
		}
		m := r.omni.obeyed(e.now)
		if r.twist == (soccer.Twist{}) && m.Twist == r.twist {
			continue
		}
		was := r.twist
		after := e.body.follow(was, m.Twist, r.cos, r.sin, h)
		r.twist = soccer.Twist{
			X: float64((was.X + after.X) * 0.5), Y: float64((was.Y + after.Y) * 0.5),
			Theta: float64((was.Theta + after.Theta) * 0.5),
		}
		r.advance(h)
		r.twist = after
	}
}

// separateRobots moves engaged robots apart that overlap each other, walls or posts, and takes the speed at which they
// approach. Robots that find no room return to where they were.
func (e *Engine) separateRobots() {
	for range rounds {
		if !e.separateOnce() {
			return
		}
	}
	e.returnRobots()
}

// separateOnce separates each overlapping pair once, and reports whether there was one.
func (e *Engine) separateOnce() (found bool) {
	for _, at := range e.near {
		found = e.pushApart(&e.robots[at[0]], &e.robots[at[1]]) || found
	}
	for i := range e.robots {
		r := &e.robots[i]
		if !r.touched {
			continue
		}
		for _, o := range e.obstacles {
			if closer(r.pose.XY(), o, soccer.RobotRadius+ObstacleRadius-residue) {
				found = r.leave(apart(r.pose.XY(), o, soccer.RobotRadius+ObstacleRadius)) || found
			}
		}
		if r.walled {
			found = r.leave(e.walls.contact(r.pose.XY(), e.body.radius)) || found
		}
	}
	return found
}

// leave moves a robot out of a body that does not move, and reports whether it overlapped.
func (r *robot) leave(c hit) bool {
	if c.depth <= residue {
		return false
	}
	r.pose.X += float64(c.normal.X * c.depth)
	r.pose.Y += float64(c.normal.Y * c.depth)
	r.stopAlong(c.normal.XY())
	return true
}

// stopAlong takes a robot's speed against n.
func (r *robot) stopAlong(n soccer.Vec) {
	if v := float64(r.twist.X*n.X) + float64(r.twist.Y*n.Y); v < 0 {
		r.twist.X -= float64(v * n.X)
		r.twist.Y -= float64(v * n.Y)
	}
}

// pushApart separates two robots, and reports whether they overlapped.
func (e *Engine) pushApart(a, b *robot) bool {
	if a.omni == nil && b.omni == nil || !closer(a.pose.XY(), b.pose.XY(), e.body.overlap) {
		return false
	}
	c := apart(a.pose.XY(), b.pose.XY(), e.body.pair)
	n := c.normal.XY()
	approach := float64((b.twist.X-a.twist.X)*n.X) + float64((b.twist.Y-a.twist.Y)*n.Y)
	moveA, moveB := a.yields(approach), b.yields(approach)
	if !moveA && !moveB {
		return false
	}
	if moveA != moveB {
		if moveB {
			a, b, n = b, a, soccer.Vec{X: -n.X, Y: -n.Y}
		}
		c.normal = soccer.Vec3{X: n.X, Y: n.Y}
		return a.leave(c)
	}
	way := float64(c.depth * 0.5)
	a.pose.X, a.pose.Y = a.pose.X+float64(n.X*way), a.pose.Y+float64(n.Y*way)
	b.pose.X, b.pose.Y = b.pose.X-float64(n.X*way), b.pose.Y-float64(n.Y*way)
	if approach > 0 {
		half := float64(approach * 0.5)
		a.twist.X, a.twist.Y = a.twist.X+float64(n.X*half), a.twist.Y+float64(n.Y*half)
		b.twist.X, b.twist.Y = b.twist.X-float64(n.X*half), b.twist.Y-float64(n.Y*half)
	}
	return true
}

// yields reports whether a robot gives way to one that approaches with a speed in m/s.
func (r *robot) yields(approach float64) bool {
	return r.omni != nil && (r.twist.X != 0 || r.twist.Y != 0 || approach > shove)
}

// apart returns the overlap of a body at p with one at q whose radii add up to reach.
func apart(p, q soccer.Vec, reach float64) hit {
	c := hit{normal: soccer.Vec3{X: 1}, depth: reach}
	d := p.Sub(q)
	if distance := d.Len(); distance > 0 {
		c.normal = soccer.Vec3{X: d.X / distance, Y: d.Y / distance}
		c.depth = reach - distance
	}
	return c
}

// returnRobots returns the driven robots that still overlap something to where they were before the step, where nothing
// overlapped, until none overlaps.
func (e *Engine) returnRobots() {
	for again := true; again; {
		again = false
		for i := range e.robots {
			r := &e.robots[i]
			if r.touched && r.pose.XY() != e.before[i] && e.deepestContact(r, nil).depth > slack {
				r.pose.X, r.pose.Y, again = e.before[i].X, e.before[i].Y, true
				r.twist.X, r.twist.Y = 0, 0
			}
		}
	}
}

// blockRobots returns the driven robots that press a ball without room to where they were before the step, and reports
// whether there is one.
func (e *Engine) blockRobots() (found bool) {
	for i := range e.before {
		r := &e.robots[i]
		c := e.body.contact(e.position, r.pose.XY(), e.body.radius, "robot", int(r.id))
		if !r.touched || c.depth <= touching {
			continue
		}
		r.pose.X, r.pose.Y = e.before[i].X, e.before[i].Y
		r.stopAlong(soccer.Vec{X: -c.normal.X, Y: -c.normal.Y})
		found = true
	}
	if found {
		e.returnRobots()
	}
	return found
}

// popOut moves a ball that robots press against each other or against a wall for h seconds to the side on which it has
// room, if there is one.
func (e *Engine) popOut(h float64) {
	p := e.position.XY()
	var away, first soccer.Vec
	press := func(c hit) {
		if n := c.normal.XY(); c.depth > 0 {
			away = soccer.Vec{X: away.X + n.X, Y: away.Y + n.Y}
			first = n
		}
	}
	press(e.walls.contact(p, e.body.squeeze))
	for _, o := range e.obstacles {
		press(apart(p, o, ObstacleRadius+soccer.BallRadius+squeezed))
	}
	for i := range e.robots {
		press(apart(p, e.robots[i].pose.XY(), e.body.near))
	}
	length := away.Len()
	if length < 1e-9 { // it is in the middle: it leaves to the left of what presses it
		away, length = soccer.Vec{X: -first.Y, Y: first.X}, 1
	}
	was := e.position
	e.velocity = soccer.Vec3{X: away.X / length * popSpeed, Y: away.Y / length * popSpeed}
	e.position.X += float64(e.velocity.X * h)
	e.position.Y += float64(e.velocity.Y * h)
	if !e.collide() {
		e.position, e.velocity = was, soccer.Vec3{}
	}
}

// moves reports whether a robot moves; nil does not.
func (r *robot) moves() bool { return r != nil && (r.twist.X != 0 || r.twist.Y != 0) }

// along returns the speed of a robot along n, 0 for nil.
func (r *robot) along(n soccer.Vec3) float64 {
	if r == nil {
		return 0
	}
	return float64(r.twist.X*n.X) + float64(r.twist.Y*n.Y)
}

// restitution returns the share of its speed that a ball keeps which meets a surface with a speed in m/s: r is the robot
// that it meets, n the direction from there. A dribbler at that place catches a ball.
func (e *Engine) restitution(r *robot, n soccer.Vec3, speed float64) float64 {
	share := e.cfg.Restitution
	if r == nil || r.omni == nil {
		return share
	}
	if speed < settled {
		return 0
	}
	front := float64(n.X*r.cos)+float64(n.Y*r.sin) >= cosBallAngle
	if m := r.omni.obeyed(e.now); front && m.Dribbler > 0 {
		share -= float64(dribblerCatch*m.Dribbler) / speed
	}
	return max(share, 0)
}
