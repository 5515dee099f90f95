package check

import (
	"math"

	"touchline/wire/msl"
)

// Bounds of what robots claim about the ball and their targets.
const (
	farBall     = 1.5  // m from a robot that has the ball
	enoughFar   = 5    // worldstates with such a ball
	enoughPath  = 10.0 // m that a robot drives to its targets
	targetShare = 0.75 // of the targets of a robot that drives
	enoughTurn  = 10.0 // rad that robots turn
	turnNoise   = 0.3  // rad
	otherFacing = 1.0  // rad: how far the headings of robots differ from each other
)

// statements is what robots say about the ball and their targets.
type statements struct {
	engaged  uint64 // robots with the ball, while a ball is known
	farthest float64
	several  uint64  // worldstates with several balls
	same     spot    // worldstates whose several balls are identical
	facing   series  // headings of targets
	lowest   float64 // heading of a robot
	highest  float64
	angular  series  // angular velocities
	turned   float64 // rad, of all robots
}

// addClaims counts what the robots of the current worldstate say about its balls.
func (c *Card) addClaims(m *StationMessage) {
	s, balls := &c.contents.claims, c.current.Balls
	known, same := 0, 0
	for i := range balls {
		p := &balls[i].Position
		if !p.At[0].Known || !p.At[1].Known {
			continue
		}
		if known++; p.At[0].Value == balls[0].Position.At[0].Value && p.At[1].Value == balls[0].Position.At[1].Value {
			same++
		}
	}
	if known == 0 {
		return
	}
	if known > 1 {
		if s.several++; same == known {
			c.markValue(&s.same, m, balls[1].Position.Offset)
		}
	}
	for i := range c.current.Robots {
		r := &c.current.Robots[i]
		if !r.BallEngaged.Is(1) || !r.Pose.At[0].Known || !r.Pose.At[1].Known {
			continue
		}
		nearest := math.Inf(1)
		for k := range balls {
			if p := &balls[k].Position; p.At[0].Known && p.At[1].Known {
				nearest = min(nearest, math.Hypot(p.At[0].Value-r.Pose.At[0].Value, p.At[1].Value-r.Pose.At[1].Value))
			}
		}
		s.engaged++
		if h := c.history(r.ID); h != nil && nearest > farBall {
			s.farthest = max(s.farthest, nearest)
			c.markValue(&h.far, m, r.BallEngaged.Offset)
		}
	}
}

// addTarget counts the target of a robot.
func (c *Card) addTarget(m *StationMessage, r *robotHistory, robot *msl.Robot) {
	t, p := &robot.TargetPose, &robot.Pose
	if !t.At[0].Known || !t.At[1].Known {
		return
	}
	if r.targets++; t.At[0].Value == p.At[0].Value && t.At[1].Value == p.At[1].Value {
		c.markValue(&r.target, m, t.Offset)
	}
	if t.At[2].Known {
		c.contents.claims.facing.add(c, m, t.At[2].Offset, t.At[2].Value, false)
	}
}

// addHeading counts how far a robot turns, and its angular velocity. A robot that was carried has not turned.
func (c *Card) addHeading(m *StationMessage, r *robotHistory, robot *msl.Robot, carried bool) {
	s, h := &c.contents.claims, robot.Pose.At[2]
	if !h.Known {
		return
	}
	s.lowest, s.highest = min(s.lowest, h.Value), max(s.highest, h.Value)
	if turn := math.Abs(math.Remainder(h.Value-r.heading, 2*math.Pi)); r.n == 1 || carried || turn > turnNoise {
		if r.heading = h.Value; r.n > 1 && !carried {
			s.turned += turn
		}
	}
	if w := robot.Velocity.At[2]; w.Known {
		s.angular.add(c, m, w.Offset, w.Value, false)
	}
}

// judgeEngaged reports that robots have the ball although it is far away. A frozen ball explains that, as do another
// frame or unit, and robots whose poses are wrong.
func (c *Card) judgeEngaged(out *findings) {
	d := &c.contents
	var sum spot
	wrong := d.stacked()
	for i := range d.robots[:d.known] {
		if r := &d.robots[i]; r.jumps == 0 && r.flips == 0 && !wrong[i] {
			sum.add(&r.far)
		}
	}
	if sum.count >= enoughFar && share(sum.count, d.claims.engaged) >= 0.05 &&
		!out.has(RuleFrozen, RuleUnits, RuleFrame, RuleFlip) {
		out.fault(&sum, sum.count, d.claims.engaged,
			"ballEngaged is 1 in %d poses of robots more than %v m from every ball, up to %.1f m away",
			sum.count, farBall, d.claims.farthest)
	}
}

// judgeSameBalls reports that all balls of a worldstate are always the same one.
func (c *Card) judgeSameBalls(out *findings) {
	s := &c.contents.claims
	if n := s.same.count; n >= enoughValues/2 && share(n, s.several) >= 0.99 {
		out.fault(&s.same, n, c.worldstates,
			"all balls have the same position in %d of the %d worldstates with several balls", n, s.several)
	}
}

// judgeTargetPoses reports that most targets are the pose, although the robot moves.
func (c *Card) judgeTargetPoses(out *findings) {
	d := &c.contents
	wrong := func(r *robotHistory) bool {
		return r.target.count >= enoughValues && share(r.target.count, r.targets) >= targetShare && r.path >= enoughPath
	}
	var sum spot
	targets, path := uint64(0), 0.0
	for i := range d.robots[:d.known] {
		if r := &d.robots[i]; wrong(r) {
			sum.add(&r.target)
			targets += r.targets
			path += r.path
		}
	}
	if sum.count > 0 {
		out.fault(&sum, sum.count, d.lengths[ofTargets].n,
			"targetPose of %s is the pose in %d of %d worldstates, while they move %.0f m", d.names(wrong), sum.count, targets, path)
	}
}
