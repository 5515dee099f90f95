package sim

import (
	"fmt"
	"math"

	"touchline/soccer"
)

// a robot holds the ball when the ball is this close to its front.
const (
	ballGap      = 0.08                   // m between the surfaces
	cosBallAngle = 0.86602540378443864676 // cosine of 30 degrees, the limit to each side
	rivalGap     = 0.02                   // m; a dribbler loses its grip on a ball that is this close to another robot
)

// kick is a kick that a robot executed.
type Kick struct {
	Robot    uint8
	Number   uint32 // number of the command
	At       soccer.Time
	Velocity soccer.Vec3 // m/s, of the ball
}

// ballTouch is a contact of the ball with a robot.
type ballTouch struct {
	id uint8
	at soccer.Time // 0: none
}

// Command drives an MSL robot. The robot keeps to a command for 300 ms (Holds), and brakes if no other one follows.
// A command beyond the robot's limits is executed as far as the robot can. From its first command
// on others can shove the robot; before it stands like a post. m is copied.
//
// The error is ErrUnknown for a robot that is not on the field, and ErrRange for a command with NaN or values that no
// robot means (Check), or on a Very Small Size field, where Drive commands robots; then nothing changes.
func (e *Engine) Command(id uint8, m *soccer.Motor) error {
	i, there := e.find(id)
	if !there {
		return fmt.Errorf("%w: robot %d is not on the field; add it first", ErrUnknown, id)
	}
	if e.cfg.Side > 0 {
		return fmt.Errorf("%w: robot %d has two wheels, and no motor command; use Drive", ErrRange, id)
	}
	if err := checkMotor(m); err != nil {
		return fmt.Errorf("%w: motor command of robot %d: %v", ErrRange, id, err)
	}
	r := &e.robots[i]
	if r.omni == nil {
		r.omni = &omniDrive{Anchor: r.pose}
	}
	r.omni.Command, r.omni.Since = *m, e.now
	return nil
}

// Release ends the drive of a robot: it stands at once, as it stood before its first command.
func (e *Engine) Release(id uint8) {
	if i, there := e.find(id); there && e.cfg.Side == 0 {
		e.robots[i].omni, e.robots[i].twist = nil, soccer.Twist{}
	}
}

// Travel returns the pose that the wheels of a driven robot measured since its first command, without slip: see
// Odometer. It reports false for a robot that is not driven.
func (e *Engine) Travel(id uint8) (soccer.Pose, bool) {
	i, there := e.find(id)
	if !there || e.robots[i].omni == nil {
		return soccer.Pose{}, false
	}
	return e.robots[i].omni.travelTo(e.robots[i].pose), true
}

// HoldsBall reports whether the ball is at the front of an MSL robot, where the robot can dribble and kick it: on the
// floor or up to a radius above it, at most 8 cm from the body and 30 degrees from the heading.
func (e *Engine) HoldsBall(id uint8) bool {
	i, there := e.find(id)
	return there && e.holds(&e.robots[i])
}

func (e *Engine) holds(r *robot) bool {
	if e.cfg.Side > 0 || e.position.Z > 2*e.body.ball {
		return false
	}
	d := e.position.XY().Sub(r.pose.XY())
	d2 := d.Dot(d)
	return d2 <= e.body.holdSquare && d.Dot(soccer.Vec{X: r.cos, Y: r.sin}) >= float64(cosBallAngle*math.Sqrt(d2))
}

// LastTouch returns the robot that touched the ball last, standing or driven, and when; false if none did since the ball
// was placed. Dribbling and kicking is touching.
func (e *Engine) LastTouch() (id uint8, at soccer.Time, ok bool) {
	return e.touch.id, e.touch.at, e.touch.at != 0
}

// kicks returns the kicks of the last Step, oldest first, until the next Step. They are no part of the state.
func (e *Engine) Kicks() []Kick { return e.kicks }

// handleBall lets the driven robots that hold the ball kick or dribble it for h seconds, in the order of their ids.
func (e *Engine) handleBall(h float64) {
	for i := range e.robots {
		r := &e.robots[i]
		if r.omni == nil || !r.omni.acts(e.now) || !e.holds(r) {
			continue
		}
		m := &r.omni.Command
		if r.omni.kicks(m) {
			e.kick(r, m)
		} else if r.omni.dribbles(m, e.now) && !e.rivalled(i) {
			e.dribble(r, m.Dribbler, h)
		}
	}
}

// rivalled reports whether another robot than robot i touches the ball.
func (e *Engine) rivalled(i int) bool {
	for k := range e.robots {
		if k != i && closer(e.position.XY(), e.robots[k].pose.XY(), e.body.rival) {
			return true
		}
	}
	return false
}

// kick executes the kick of a command.
func (e *Engine) kick(r *robot, m *soccer.Motor) {
	r.omni.Kicked, r.omni.KickedAt = m.Kick, e.now
	e.velocity = e.cfg.Kicker.kick(m, r.cos, r.sin, e.body.kick, e.eyes[r.id].kicks.Rand)
	e.touch = ballTouch{r.id, e.now}
	e.kicks = append(e.kicks, Kick{Robot: r.id, Number: m.Kick, At: e.now, Velocity: e.velocity})
}

// dribble draws a ball on the floor to its place in front of the robot, with a share of the dribbler's strength.
func (e *Engine) dribble(r *robot, share, h float64) {
	if e.position.Z > e.body.ball || e.velocity.Z != 0 {
		return
	}
	distance := e.position.XY().Sub(r.pose.XY())
	v := e.body.dribbled(e.velocity.XY(), distance, r.twist, r.cos, r.sin, share, h)
	e.velocity.X, e.velocity.Y = v.X, v.Y
	e.touch = ballTouch{r.id, e.now}
}

// Push sets the velocity of a robot in the field frame, as if somebody had pushed it; its command changes it from then on.
// Only robots that were commanded move. The error is ErrUnknown for a robot that is not on the field, and ErrRange for a
// velocity beyond the limits of the league's robots, or on a Very Small Size field.
func (e *Engine) Push(id uint8, v soccer.Twist) error {
	i, there := e.find(id)
	if !there {
		return fmt.Errorf("%w: robot %d is not on the field; add it first", ErrUnknown, id)
	}
	if speed := (soccer.Vec{X: v.X, Y: v.Y}).Len(); e.cfg.Side > 0 || !(speed <= e.body.speed && math.Abs(v.Theta) <= e.body.turn) {
		return fmt.Errorf("%w: robot %d pushed to %g m/s and %g rad/s: want up to %g m/s and %g rad/s", ErrRange, id, speed,
			v.Theta, e.body.speed, e.body.turn)
	}
	e.robots[i].twist = v
	return nil
}
