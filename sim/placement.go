package sim

import (
	"fmt"
	"math"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Placement is places for the ball and robots, applied together.
type Placement struct {
	HasBall      bool // the ball is placed too
	Ball         soccer.Vec
	BallVelocity soccer.Vec // m/s, up to MaxBallSpeed
	Robots       []PlacedRobot
	KeepVelocity bool // robots keep velocity and command; false: they rest, with command 0
}

// PlacedRobot is the place of one robot.
type PlacedRobot struct {
	ID   uint8
	Pose soccer.Pose
}

// crowded is the overlap in m that is tolerated before a robot is moved aside.
const crowded = 5e-4

// Place applies p. It adds robots that are not on the field. Robots in the way are moved aside and rest; earlier robots
// of the list keep their place, and a robot that overlaps a wall is moved off it. The ball is placed without spin, on a
// Very Small Size field 1.2 radii high, from where it drops as in FIRASim; placed robots push it aside, other robots
// are moved away from it. The error is ErrRange, and nothing changes, if the centre of a body is outside the walls and
// the goals, or a number is not finite.
func (e *Engine) Place(p Placement) error {
	if err := e.checkPlacement(&p); err != nil {
		return err
	}
	for _, want := range p.Robots {
		i, there := e.find(want.ID)
		r := newRobot(want.ID, want.Pose)
		if !there {
			e.robots = slices.Insert(e.robots, i, r)
			e.addEye(want.ID)
			continue
		}
		r.omni = e.robots[i].carried(want.Pose).omni
		if p.KeepVelocity {
			r.twist, r.drive = e.robots[i].twist, e.robots[i].drive
			e.command(&r, e.robots[i].wheels)
		}
		e.robots[i] = r
	}
	settled := make([]bool, len(e.robots))
	for _, want := range p.Robots {
		i, _ := e.find(want.ID)
		if !settled[i] && e.deepestContact(&e.robots[i], settled).depth > crowded {
			e.moveAside(i, settled)
		}
		settled[i] = true
	}
	if p.HasBall {
		e.dropBall(&p)
		if e.touchesSettled(settled) {
			e.moveBallAside()
		}
	}
	for i := range e.robots {
		if !settled[i] && (e.stuckIn(i, settled) || p.HasBall && e.touchesRobot(i)) {
			e.moveAside(i, nil)
			settled[i] = true
		}
	}
	if e.touchesSettled(settled) {
		e.moveBallAside()
	}
	return nil
}

// checkPlacement returns why p is impossible.
func (e *Engine) checkPlacement(p *Placement) error {
	for _, r := range p.Robots {
		if !finite(r.Pose.Theta) {
			return fmt.Errorf("%w: robot %d with heading %g: want a finite number of rad",
				ErrRange, r.ID, r.Pose.Theta)
		}
		if err := e.inside("robot", int(r.ID), r.Pose.XY(), 0); err != nil {
			return err
		}
	}
	if !p.HasBall {
		return nil
	}
	if speed := p.BallVelocity.Len(); !(speed <= MaxBallSpeed) {
		return fmt.Errorf("%w: ball with %g m/s: want up to %d m/s", ErrRange, speed, MaxBallSpeed)
	}
	return e.inside("ball", -1, p.Ball, 0)
}

func (e *Engine) dropBall(p *Placement) {
	z := e.cfg.BallRadius
	if e.cfg.Side > 0 {
		z *= 1.2
	}
	e.rest(soccer.Vec3{X: p.Ball.X, Y: p.Ball.Y, Z: z})
	e.touch = ballTouch{}
	e.velocity = soccer.Vec3{X: p.BallVelocity.X, Y: p.BallVelocity.Y}
}

// stuckIn reports whether robot i overlaps one of the settled robots.
func (e *Engine) stuckIn(i int, settled []bool) bool {
	for k := range e.robots {
		if settled[k] && k != i && e.depth(&e.robots[i], &e.robots[k]) > crowded {
			return true
		}
	}
	return false
}

// touchesRobot reports whether the ball overlaps robot i.
func (e *Engine) touchesRobot(i int) bool {
	if e.cfg.Side == 0 {
		return e.body.contact(e.position, e.robots[i].pose.XY(), e.body.radius, "robot", 0).depth > touching
	}
	e.bumps = e.bumps[:0]
	e.bumpRobot(e.position, i)
	return len(e.bumps) > 0 && e.bumps[0].depth > crowded
}

func (e *Engine) touchesSettled(settled []bool) bool {
	for i, is := range settled {
		if is && e.touchesRobot(i) {
			return true
		}
	}
	return false
}

// moveAside moves robot i to rest at the closest place where it overlaps nothing: of robots only those that count, nil:
// all robots and the ball. It keeps its heading. If there is no such place it stays.
func (e *Engine) moveAside(i int, count []bool) {
	const around, rings = 24, 200
	r := e.robots[i]
	from := r.pose
	r.twist = soccer.Twist{}
	e.command(&r, soccer.Wheels{})
	e.robots[i].twist = soccer.Twist{}
	gap := e.bodyRadius() * 0.15
	for ring := 1; ring <= rings; ring++ {
		distance := float64(float64(ring) * gap)
		for k := range around {
			sin, cos := exact.Sincos(from.Theta + float64(float64(k)*(2*math.Pi/around)))
			r.pose.X, r.pose.Y = from.X+float64(distance*cos), from.Y+float64(distance*sin)
			if e.inside("robot", int(r.id), r.pose.XY(), 0) != nil || e.deepestContact(&r, count).depth > touching {
				continue
			}
			was := e.robots[i]
			r.omni = was.carried(r.pose).omni
			if e.robots[i] = r; count != nil || !e.touchesRobot(i) {
				return
			}
			e.robots[i] = was
		}
	}
}

// moveBallAside moves the ball to rest beside the robot that it overlaps.
func (e *Engine) moveBallAside() {
	at := e.position.XY()
	for i := range e.robots {
		if e.touchesRobot(i) {
			at = e.robots[i].pose.XY()
			break
		}
	}
	e.pushBall(at, e.bodyRadius())
}
