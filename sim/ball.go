package sim

import (
	"math"

	"touchline/soccer"
)

const (
	touching = 1e-12 // m; a smaller overlap is a rounding error
	settled  = 0.2   // m/s; a ball that leaves the floor more slowly, and would rise up to 2 mm, rolls
)

// moveBall simulates h seconds of the ball.
func (e *Engine) moveBall(h float64) {
	was := e.position
	if e.position.Z > e.body.ball || e.velocity.Z != 0 {
		e.fly(h)
	} else {
		e.roll(h)
	}
	if !e.collide() {
		// Wedged between bodies that are closer than its diameter: it stays at its last place.
		e.position, e.velocity = was, soccer.Vec3{}
		if e.blockRobots() {
			e.popOut(h)
		}
	}
}

// roll moves a ball on the floor under constant deceleration.
func (e *Engine) roll(h float64) {
	v := &e.velocity
	speed := v.XY().Len()
	if speed == 0 {
		return
	}
	slower := float64(e.cfg.Friction * h)
	if slower >= speed { // it comes to rest within h
		slower = speed
		h = speed / e.cfg.Friction
	}
	way := float64((speed-float64(slower*0.5))*h) / speed
	e.position.X += float64(v.X * way)
	e.position.Y += float64(v.Y * way)
	left := (speed - slower) / speed
	v.X *= left
	v.Y *= left
}

// fly moves a ball in the air, with bounces off the floor and the ceiling.
func (e *Engine) fly(h float64) {
	p, v := &e.position, &e.velocity
	p.X += float64(v.X * h)
	p.Y += float64(v.Y * h)
	p.Z += float64((v.Z - float64(0.5*gravity*h)) * h)
	v.Z -= float64(gravity * h)
	if p.Z > Ceiling {
		p.Z = Ceiling
		v.Z = min(v.Z, 0)
	}
	if p.Z <= e.body.ball && v.Z < 0 {
		// The ball did not fall below the floor: the speed of that part is removed, or the ball would gain energy.
		below := e.body.ball - p.Z
		p.Z = e.body.ball
		v.Z = e.cfg.Bounce * math.Sqrt(max(0, float64(v.Z*v.Z)-float64(2*gravity*below)))
		if v.Z < settled {
			v.Z = 0
		}
	}
}

// collide moves the ball out of everything that it overlaps and reflects its velocity. It reports false without room.
func (e *Engine) collide() bool {
	p, v := &e.position, &e.velocity
	for range 16 {
		c := e.contact(*p)
		if c.depth <= touching {
			return true
		}
		n := c.normal
		p.X += float64(n.X * c.depth)
		p.Y += float64(n.Y * c.depth)
		up := float64(n.Z * c.depth)
		p.Z += up
		if c.net {
			v.X, v.Y = 0, 0
			continue
		}
		r := c.robot
		if r != nil {
			e.touch = ballTouch{r.id, e.now}
		}
		if into := v.Dot(n) - r.along(n); into < 0 {
			e.reflect(n, into, e.restitution(r, n, -into))
			if speed2 := v.Dot(*v); r.moves() && speed2 > MaxBallSpeed*MaxBallSpeed {
				// Robots that meet at the ball give it at most this speed, even without losses.
				f := MaxBallSpeed / math.Sqrt(speed2)
				v.X, v.Y, v.Z = v.X*f, v.Y*f, v.Z*f
			}
		}
		if up > 0 && !r.moves() && !e.takeLiftEnergy(up) {
			return false
		}
	}
	return e.contact(*p).depth <= touching
}

// reflect reflects the ball's velocity at a surface with normal n; into is the speed along n relative to the surface,
// below 0, of which a share is left.
func (e *Engine) reflect(n soccer.Vec3, into, share float64) {
	v := &e.velocity
	change := (1 + share) * into
	v.X -= float64(change * n.X)
	v.Y -= float64(change * n.Y)
	v.Z -= float64(change * n.Z)
}

// takeLiftEnergy takes the energy of a lift from the ball's speed, and reports whether the ball had enough.
func (e *Engine) takeLiftEnergy(lift float64) bool {
	v := &e.velocity
	speed2 := v.Dot(*v)
	left := speed2 - float64(2*gravity*lift)
	if left < 0 {
		return false
	}
	f := math.Sqrt(left / speed2)
	v.X *= f
	v.Y *= f
	v.Z *= f
	return true
}
