package sim

import (
	"fmt"
	"math"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

// PlaceBall places the ball at rest with its centre at pos; a Z below its radius means on the floor. The error is
// ErrRange outside the boundary or above Ceiling, and ErrOverlap inside a robot, an obstacle, or a goal's net.
func (e *Engine) PlaceBall(pos soccer.Vec3) error {
	if err := e.inside("ball", -1, pos.XY(), e.cfg.BallRadius); err != nil {
		return err
	}
	if !(pos.Z <= Ceiling) {
		return fmt.Errorf("%w: ball at z = %g m: want up to %d m", ErrRange, pos.Z, Ceiling)
	}
	pos.Z = max(pos.Z, e.cfg.BallRadius)
	if c := e.contact(pos); c.depth > touching {
		return overlap("ball", -1, pos.XY(), &c)
	}
	e.rest(pos)
	e.touch = ballTouch{}
	return nil
}

// rest places the ball at pos without motion.
func (e *Engine) rest(pos soccer.Vec3) {
	e.position, e.velocity, e.spin = pos, soccer.Vec3{}, soccer.Vec3{}
}

// KickBall sets the ball's velocity to v in m/s and keeps its spin. A speed above MaxBallSpeed is ErrRange.
func (e *Engine) KickBall(v soccer.Vec3) error {
	if speed := math.Sqrt(v.Dot(v)); !(speed <= MaxBallSpeed) {
		return fmt.Errorf("%w: kick of %g m/s: want up to %d m/s", ErrRange, speed, MaxBallSpeed)
	}
	e.velocity = v
	return nil
}

// AddRobot adds a robot to the field, with any id that is not on the field yet. The error is ErrRange if the robot
// would stand outside the boundary or pose is not finite, and ErrOverlap if its place is occupied. A ball at that place
// is moved aside and rests.
func (e *Engine) AddRobot(id uint8, pose soccer.Pose) error {
	i, there := e.find(id)
	if there {
		return fmt.Errorf("%w: robot %d is on the field already; move it with MoveRobot", ErrOverlap, id)
	}
	if err := e.checkPose(id, pose); err != nil {
		return err
	}
	e.robots = slices.Insert(e.robots, i, newRobot(id, pose))
	if !e.pushBall(pose.XY(), e.bodyRadius()) {
		e.robots = slices.Delete(e.robots, i, i+1)
		return noRoomForBall("robot", int(id))
	}
	e.addEye(id)
	return nil
}

// addEye creates the sensors of a robot that is new on the field.
func (e *Engine) addEye(id uint8) {
	if e.eyes[id] == nil {
		e.eyes[id] = newEye(e.cfg.Seed, id, e.now)
	}
}

// MoveRobot moves a robot to another place; for errors and the ball see AddRobot. The error of its self-localisation
// does not change. The error is ErrUnknown for a robot that is not on the field.
func (e *Engine) MoveRobot(id uint8, pose soccer.Pose) error {
	i, there := e.find(id)
	if !there {
		return fmt.Errorf("%w: robot %d is not on the field; add it first", ErrUnknown, id)
	}
	if err := e.checkPose(id, pose); err != nil {
		return err
	}
	was := e.robots[i]
	e.robots[i] = was.carried(pose)
	if !e.pushBall(pose.XY(), e.bodyRadius()) {
		e.robots[i] = was
		return noRoomForBall("robot", int(id))
	}
	return nil
}

// RemoveRobot removes a robot from the field, if it is there. Its self-localisation continues to drift until it
// returns.
func (e *Engine) RemoveRobot(id uint8) {
	if i, there := e.find(id); there {
		e.robots = slices.Delete(e.robots, i, i+1)
	}
}

// AddObstacle adds an obstacle to the field and returns its index; for errors and the ball see AddRobot. Very Small
// Size fields have no obstacles: ErrRange.
func (e *Engine) AddObstacle(pos soccer.Vec) (int, error) {
	i := len(e.obstacles)
	if e.cfg.Side > 0 {
		return 0, fmt.Errorf("%w: obstacles of 0.5 m do not fit a Very Small Size field; add a robot instead", ErrRange)
	}
	if err := e.checkFree(i, pos); err != nil {
		return 0, err
	}
	e.obstacles = append(e.obstacles, pos)
	if !e.pushBall(pos, ObstacleRadius) {
		e.obstacles = e.obstacles[:i]
		return 0, noRoomForBall("obstacle", i)
	}
	return i, nil
}

// MoveObstacle moves obstacle i to another place; for errors and the ball see AddRobot. An index that AddObstacle did
// not return is ErrUnknown.
func (e *Engine) MoveObstacle(i int, pos soccer.Vec) error {
	if i < 0 || i >= len(e.obstacles) {
		return fmt.Errorf("%w: obstacle %d: there are %d, counted from 0", ErrUnknown, i, len(e.obstacles))
	}
	if err := e.checkFree(i, pos); err != nil {
		return err
	}
	was := e.obstacles[i]
	e.obstacles[i] = pos
	if !e.pushBall(pos, ObstacleRadius) {
		e.obstacles[i] = was
		return noRoomForBall("obstacle", i)
	}
	return nil
}

// checkPose returns why a robot cannot stand at pose.
func (e *Engine) checkPose(id uint8, pose soccer.Pose) error {
	if math.IsNaN(pose.Theta) || math.IsInf(pose.Theta, 0) {
		return fmt.Errorf("%w: robot %d with heading %g: want a finite number of rad", ErrRange, id, pose.Theta)
	}
	var radius float64 // radius of the part of the robot that stays inside the boundary; walls of small fields are judged by its corners
	if e.cfg.Side == 0 {
		radius = e.body.radius
	}
	if err := e.inside("robot", int(id), pose.XY(), radius); err != nil {
		return err
	}
	r := newRobot(id, pose)
	if c := e.deepestContact(&r, nil); c.depth > touching {
		return overlap("robot", int(id), pose.XY(), &c)
	}
	return nil
}

// bodyRadius returns the radius of the circle around a robot.
func (e *Engine) bodyRadius() float64 {
	if e.cfg.Side > 0 {
		return e.cfg.Side * (math.Sqrt2 / 2)
	}
	return e.body.radius
}

// deepestContact returns the deepest overlap of robot r with walls, obstacles and other robots: those that count, nil:
// all.
func (e *Engine) deepestContact(r *robot, count []bool) hit {
	p := r.pose.XY()
	var c hit
	if e.cfg.Side == 0 {
		c = e.walls.contact(p, e.body.radius)
	} else {
		var walls [maxTouches]touch
		for _, t := range walls[:r.touchWalls(&e.rink, float64(e.cfg.Side*0.5), 0, &walls)] {
			c.deeper(hit{depth: -t.gap, with: "wall", id: -1})
		}
	}
	for i := range e.robots {
		if o := &e.robots[i]; o.id != r.id && (count == nil || count[i]) {
			c.deeper(hit{depth: e.depth(r, o), with: "robot", id: int(o.id)})
		}
	}
	for i, o := range e.obstacles {
		c.deeper(hit{depth: soccer.RobotRadius + ObstacleRadius - p.Sub(o).Len(), with: "obstacle", id: i})
	}
	return c
}

// depth returns the depth of the overlap of two robots.
func (e *Engine) depth(a, b *robot) float64 {
	if e.cfg.Side == 0 {
		return e.body.pair - a.pose.XY().Sub(b.pose.XY()).Len()
	}
	var pair [2]touch
	var depth float64
	for _, t := range pair[:meetSquares(a, b, float64(e.cfg.Side*0.5), 0, &pair)] {
		depth = max(depth, -t.gap)
	}
	return depth
}

// checkFree returns why obstacle id cannot stand at p.
func (e *Engine) checkFree(id int, p soccer.Vec) error {
	if err := e.inside("obstacle", id, p, ObstacleRadius); err != nil {
		return err
	}
	c := e.walls.contact(p, ObstacleRadius)
	for i := range e.robots {
		r := &e.robots[i]
		c.deeper(hit{depth: ObstacleRadius + soccer.RobotRadius - p.Sub(r.pose.XY()).Len(), with: "robot", id: int(r.id)})
	}
	for i, o := range e.obstacles {
		if id != i {
			c.deeper(hit{depth: 2*ObstacleRadius - p.Sub(o).Len(), with: "obstacle", id: i})
		}
	}
	if c.depth > touching {
		return overlap("obstacle", id, p, &c)
	}
	return nil
}

// inside reports whether the centre of a body can be at p: between the walls or in a goal, on an MSL field within the
// boundary.
func (e *Engine) Inside(p soccer.Vec) bool { return e.inside("", -1, p, 0) == nil }

// inside returns why a circle at p is not inside the boundary.
func (e *Engine) inside(name string, id int, p soccer.Vec, radius float64) error {
	if e.cfg.Side > 0 {
		if e.rink.inside(p) {
			return nil
		}
		return fmt.Errorf("%w: %s at (%g, %g) m is outside the walls: want x = %.2f to %.2f and y = %.2f to %.2f, or a place in a goal",
			ErrRange, named(name, id), p.X, p.Y, -e.rink.end, e.rink.end, -e.rink.side, e.rink.side)
	}
	x, y := e.walls.end-radius, e.walls.side-radius
	if math.Abs(p.X) <= x && math.Abs(p.Y) <= y {
		return nil
	}
	return fmt.Errorf("%w: %s at (%g, %g) m is outside the boundary: want x = %.2f to %.2f and y = %.2f to %.2f",
		ErrRange, named(name, id), p.X, p.Y, -x, x, -y, y)
}

func overlap(name string, id int, p soccer.Vec, c *hit) error {
	return fmt.Errorf("%w: %s at (%.2f, %.2f) m overlaps %s by %.3f m; choose another place",
		ErrOverlap, named(name, id), p.X, p.Y, named(c.with, c.id), c.depth)
}

func noRoomForBall(name string, id int) error {
	return fmt.Errorf("%w: %s is on the ball, and no place nearby is available for the ball",
		ErrOverlap, named(name, id))
}

func named(name string, id int) string {
	if id < 0 {
		return "the " + name
	}
	return fmt.Sprintf("%s %d", name, id)
}

// pushBall moves a ball that overlaps something to rest on the floor beside the body at p, as close to its place as
// possible. It reports false if there is no room.
func (e *Engine) pushBall(p soccer.Vec, radius float64) bool {
	if e.contact(e.position).depth <= touching {
		return true
	}
	const around, rings = 32, 40
	gap := float64(e.cfg.BallRadius * 0.45)
	to := exact.Atan2(e.position.Y-p.Y, e.position.X-p.X)
	for ring := range rings {
		distance := radius + e.cfg.BallRadius + 1e-9 + float64(float64(ring)*gap)
		for k := range around {
			turn := float64(float64((k+1)/2) * (2 * math.Pi / around)) // alternately left and right
			if k%2 == 0 {
				turn = -turn
			}
			sin, cos := exact.Sincos(to + turn)
			at := soccer.Vec3{X: p.X + float64(distance*cos), Y: p.Y + float64(distance*sin), Z: e.cfg.BallRadius}
			if e.inside("ball", -1, at.XY(), e.cfg.BallRadius) == nil && e.contact(at).depth <= touching {
				e.rest(at)
				return true
			}
		}
	}
	return false
}

// Scatter removes all robots and obstacles and places the given robots and number of obstacles at random: inside the
// lines, away from the ball, with gaps that are wide enough for a ball. Each call gives another scene. If a thousand
// tries find no place for one of them, nothing changes and the error is ErrOverlap.
func (e *Engine) Scatter(robots []uint8, obstacles int) error {
	const tries = 1000
	next := *e
	next.robots, next.obstacles = nil, nil
	for n := range len(robots) + max(obstacles, 0) {
		placed := false
		for range tries {
			var err error
			pose := e.randomPose()
			if !next.hasGap(pose.XY()) {
				continue
			}
			if n < len(robots) {
				err = next.AddRobot(robots[n], pose)
			} else {
				_, err = next.AddObstacle(pose.XY())
			}
			if placed = err == nil; placed {
				break
			}
		}
		if !placed {
			return fmt.Errorf("%w: %d tries found places for only %d of %d robots and %d obstacles: give fewer, and each id once",
				ErrOverlap, tries, n, len(robots), obstacles)
		}
	}
	*e = next
	return nil
}

// randomPose returns a pose inside the lines.
func (e *Engine) randomPose() soccer.Pose {
	f := &e.cfg.Field
	x, y, theta := exact.Uniform(e.placing.Rand)-0.5, exact.Uniform(e.placing.Rand)-0.5,
		exact.Uniform(e.placing.Rand)-0.5
	margin := 2 * e.bodyRadius()
	return soccer.Pose{
		X:     x * max(0, f.Length-margin),
		Y:     y * max(0, f.Width-margin),
		Theta: theta * 2 * math.Pi,
	}
}

// hasGap reports whether a ball fits between a body at p and all others.
func (e *Engine) hasGap(p soccer.Vec) bool {
	gap := 2*e.bodyRadius() + float64(4*e.cfg.BallRadius)
	if p.Sub(e.position.XY()).Len() < gap {
		return false
	}
	for i := range e.robots {
		if p.Sub(e.robots[i].pose.XY()).Len() < gap {
			return false
		}
	}
	for _, o := range e.obstacles {
		if p.Sub(o).Len() < gap {
			return false
		}
	}
	return true
}
