package sim

import "math"

// steadiness counts for how long a robot has moved steadily, or hardly at all.
type steadiness struct {
	Ahead, Left, Turn float64 // m/s and rad/s in the robot's frame, when Ticks began to count
	Ticks             uint8   // ticks that it has kept that velocity, up to steadyTicks
	Slow              uint8   // sub-steps that contacts have held it in place
}

const (
	steadyTicks = 4    // before a robot counts as steady
	steadySpeed = 5e-4 // m/s, largest change of its velocity in these ticks
	steadyTurn  = 2e-2 // rad/s, of its angular velocity

	slowSteps = 6    // sub-steps before a robot counts as held in place
	slowSpeed = 1e-3 // m/s at its edge
	slowTilt  = 5e-2 // rad/s
)

// steady reports whether the robot has moved with one velocity for so long that it will continue to, while nothing
// touches it.
func (r *steadiness) steady() bool { return r.Ticks == steadyTicks }

// notice counts a tick after which the robot moves with that velocity. free tells that nothing touches it.
func (r *steadiness) notice(ahead, left, turn float64, free bool) {
	if !free || math.Abs(ahead-r.Ahead) > steadySpeed || math.Abs(left-r.Left) > steadySpeed ||
		math.Abs(turn-r.Turn) > steadyTurn {
		r.Ahead, r.Left, r.Turn, r.Ticks = ahead, left, turn, 0
		return
	}
	r.Ticks = min(r.Ticks+1, steadyTicks)
}

// settles counts a sub-step in which contacts touch the robot, whose edges move with speed in m/s. It reports whether
// they have held the robot in place for so long that it stands; its wheels and its body then stand too.
func (d *drive) settles(speed float64) bool {
	if speed > slowSpeed || math.Abs(d.PitchRate)+math.Abs(d.RollRate) > slowTilt ||
		math.Abs(d.Left.Speed)+math.Abs(d.Right.Speed) > 2*slowSpeed {
		d.Slow = 0
		return false
	}
	if d.Slow++; d.Slow < slowSteps {
		return false
	}
	d.Slow, d.RiseRate, d.PitchRate, d.RollRate = 0, 0, 0, 0
	return true
}
