package sim

import (
	"fmt"
	"math"
	"time"

	"touchline/soccer"
)

// Tick is how long one step of a Very Small Size match lasts.
const Tick = 16 * time.Millisecond

// Drive gives a robot's wheels the speeds w in rad/s, which hold until the next call. NaN and infinities are ErrRange, a
// robot that is not on the field is ErrUnknown.
func (e *Engine) Drive(id uint8, w soccer.Wheels) error {
	i, there := e.find(id)
	if !there {
		return fmt.Errorf("%w: robot %d is not on the field; add it first", ErrUnknown, id)
	}
	if d := w.Left - w.Left + w.Right - w.Right; d != 0 || math.IsNaN(d) {
		return fmt.Errorf("%w: wheels of robot %d at %g and %g rad/s; they must be finite numbers", ErrRange, id, w.Left, w.Right)
	}
	e.robots[i].wheels = w
	return nil
}

// Robot returns where a robot is and how it moves, both in the field frame with Theta in (-pi, pi], and whether it is on
// the field.
func (e *Engine) Robot(id uint8) (soccer.Pose, soccer.Twist, bool) {
	i, there := e.find(id)
	if !there {
		return soccer.Pose{}, soccer.Twist{}, false
	}
	return e.robots[i].pose, e.robots[i].twist, true
}

// Wheels returns the wheel speeds that a robot was last given, and whether it is on the field.
func (e *Engine) Wheels(id uint8) (soccer.Wheels, bool) {
	i, there := e.find(id)
	if !there {
		return soccer.Wheels{}, false
	}
	return e.robots[i].wheels, true
}

// Contacts returns how many contacts the last Step solved, all its sub-steps together.
func (e *Engine) Contacts() int { return e.contacts }
