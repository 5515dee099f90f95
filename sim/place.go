package sim

import (
	"fmt"
	"math"
	"slices"

	"touchline/exact"
	"touchline/soccer"
)

// PlaceBall puts the ball at rest, its centre at pos; a Z below its radius puts it on the floor. The error is ErrRange
// outside the boundary or above Ceiling, and ErrOverlap in a robot, an obstacle, or a goal's net.
func (e *Engine) PlaceBall(pos soccer.Vec3) error {
	if err := e.inside("ball", -1, pos.XY(), e.cfg.BallRadius); err != nil {
		return err
	}
	if !(pos.Z <= Ceiling) {
		return fmt.Errorf("%w: ball at z = %g m; the ceiling is at %d m", ErrRange, pos.Z, Ceiling)
	}
	pos.Z = max(pos.Z, e.cfg.BallRadius)
	if c := e.contact(pos); c.depth > touching {
		return overlap("ball", -1, pos.XY(), &c)
	}
	e.rest(pos)
	return nil
}

// rest puts the ball at pos without any motion.
func (e *Engine) rest(pos soccer.Vec3) {
	e.position, e.velocity, e.spin = pos, soccer.Vec3{}, soccer.Vec3{}
}

// KickBall gives the ball the velocity v in m/s, whatever it had before; its spin stays. A speed above MaxBallSpeed is ErrRange.
func (e *Engine) KickBall(v soccer.Vec3) error {
	if speed := math.Sqrt(dot(v, v)); !(speed <= MaxBallSpeed) {
		return fmt.Errorf("%w: kick of %g m/s; a ball takes up to %d m/s", ErrRange, speed, MaxBallSpeed)
	}
	e.velocity = v
	return nil
}

// AddRobot puts a robot on the field. Any id will do that is not on the field yet. The error is ErrRange if the robot
// would not stand inside the boundary or a number of pose is none, and ErrOverlap if its place is taken. A ball that lies
// there is pushed aside and rests.
func (e *Engine) AddRobot(id uint8, pose soccer.Pose) error {
	i, there := e.find(id)
	if there {
		return fmt.Errorf("%w: robot %d is on the field already; move it instead", ErrOverlap, id)
	}
	if err := e.mayStand(id, pose); err != nil {
		return err
	}
	e.robots = slices.Insert(e.robots, i, newRobot(id, pose))
	if !e.pushBall(pose.XY(), e.bodyRadius()) {
		e.robots = slices.Delete(e.robots, i, i+1)
		return noRoomForBall("robot", int(id))
	}
	e.open(id)
	return nil
}

// open gives a robot that is new on the field its eye.
func (e *Engine) open(id uint8) {
	if e.eyes[id] == nil {
		e.eyes[id] = newEye(e.cfg.Seed, id, e.now)
	}
}

// MoveRobot puts a robot elsewhere; errors and the ball are as in AddRobot. What is wrong with its self-localisation
// stays as it is. A robot that is not on the field is ErrUnknown.
func (e *Engine) MoveRobot(id uint8, pose soccer.Pose) error {
	i, there := e.find(id)
	if !there {
		return fmt.Errorf("%w: robot %d is not on the field; add it first", ErrUnknown, id)
	}
	if err := e.mayStand(id, pose); err != nil {
		return err
	}
	was := e.robots[i]
	e.robots[i] = newRobot(id, pose)
	if !e.pushBall(pose.XY(), e.bodyRadius()) {
		e.robots[i] = was
		return noRoomForBall("robot", int(id))
	}
	return nil
}

// RemoveRobot takes a robot off the field, if it is there. Should it come back, its self-localisation has drifted on.
func (e *Engine) RemoveRobot(id uint8) {
	if i, there := e.find(id); there {
		e.robots = slices.Delete(e.robots, i, i+1)
	}
}

// AddObstacle puts an obstacle on the field and returns its index; errors and the ball are as in AddRobot. Very Small
// Size fields have none: ErrRange.
func (e *Engine) AddObstacle(pos soccer.Vec) (int, error) {
	i := len(e.obstacles)
	if e.cfg.Side > 0 {
		return 0, fmt.Errorf("%w: an obstacle of 0.5 m on a Very Small Size field; add a robot instead", ErrRange)
	}
	if err := e.vacant("obstacle", i, pos, ObstacleRadius); err != nil {
		return 0, err
	}
	e.obstacles = append(e.obstacles, pos)
	if !e.pushBall(pos, ObstacleRadius) {
		e.obstacles = e.obstacles[:i]
		return 0, noRoomForBall("obstacle", i)
	}
	return i, nil
}

// MoveObstacle puts obstacle i elsewhere; errors and the ball are as in AddRobot. An index that AddObstacle did not
// give is ErrUnknown.
func (e *Engine) MoveObstacle(i int, pos soccer.Vec) error {
	if i < 0 || i >= len(e.obstacles) {
		return fmt.Errorf("%w: obstacle %d; there are %d, counted from 0", ErrUnknown, i, len(e.obstacles))
	}
	if err := e.vacant("obstacle", i, pos, ObstacleRadius); err != nil {
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

// mayStand says why a robot may not stand at pose.
func (e *Engine) mayStand(id uint8, pose soccer.Pose) error {
	if math.IsNaN(pose.Theta) || math.IsInf(pose.Theta, 0) {
		return fmt.Errorf("%w: robot %d with heading %g; it must be a finite number of rad", ErrRange, id, pose.Theta)
	}
	if e.cfg.Side == 0 {
		return e.vacant("robot", int(id), pose.XY(), soccer.RobotRadius)
	}
	if err := e.inside("robot", int(id), pose.XY(), 0); err != nil {
		return err
	}
	r := newRobot(id, pose)
	if c := e.clash(&r, nil); c.depth > touching {
		return overlap("robot", int(id), pose.XY(), &c)
	}
	return nil
}

// bodyRadius returns the radius of the circle around a robot.
func (e *Engine) bodyRadius() float64 {
	if e.cfg.Side > 0 {
		return e.cfg.Side * (math.Sqrt2 / 2)
	}
	return soccer.RobotRadius
}

// clash returns what robot r reaches into most: walls, obstacles, and of the other robots those that count (nil: all).
func (e *Engine) clash(r *robot, count []bool) hit {
	p := r.pose.XY()
	var c hit
	if e.cfg.Side == 0 {
		c = e.walls.contact(p, soccer.RobotRadius)
	} else {
		var walls [maxTouches]touch
		for _, t := range walls[:e.rink.touchWalls(r, float64(e.cfg.Side*0.5), 0, &walls)] {
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

// depth returns how deep two robots are in each other.
func (e *Engine) depth(a, b *robot) float64 {
	if e.cfg.Side == 0 {
		return 2*soccer.RobotRadius - a.pose.XY().Sub(b.pose.XY()).Len()
	}
	var pair [2]touch
	var depth float64
	for _, t := range pair[:meet(a, b, float64(e.cfg.Side*0.5), 0, &pair)] {
		depth = max(depth, -t.gap)
	}
	return depth
}

// vacant says why a body may not stand at p.
func (e *Engine) vacant(name string, id int, p soccer.Vec, radius float64) error {
	if err := e.inside(name, id, p, radius); err != nil {
		return err
	}
	c := e.walls.contact(p, radius)
	for i := range e.robots {
		if r := &e.robots[i]; name != "robot" || id != int(r.id) {
			c.deeper(hit{depth: radius + soccer.RobotRadius - p.Sub(r.pose.XY()).Len(), with: "robot", id: int(r.id)})
		}
	}
	for i, o := range e.obstacles {
		if name != "obstacle" || id != i {
			c.deeper(hit{depth: radius + ObstacleRadius - p.Sub(o).Len(), with: "obstacle", id: i})
		}
	}
	if c.depth > touching {
		return overlap(name, id, p, &c)
	}
	return nil
}

// Inside reports whether the middle of a thing may be at p: between the walls or in a goal, on an MSL field within the
// boundary.
func (e *Engine) Inside(p soccer.Vec) bool { return e.inside("", -1, p, 0) == nil }

// inside says why a circle at p is not inside the boundary.
func (e *Engine) inside(name string, id int, p soccer.Vec, radius float64) error {
	if e.cfg.Side > 0 {
		if e.rink.inside(p) {
			return nil
		}
		return fmt.Errorf("%w: %s at (%g, %g) m is outside the walls, which leave it x = %.2f to %.2f and y = %.2f to %.2f, and the goals",
			ErrRange, named(name, id), p.X, p.Y, -e.rink.end, e.rink.end, -e.rink.side, e.rink.side)
	}
	x, y := e.walls.end-radius, e.walls.side-radius
	if math.Abs(p.X) <= x && math.Abs(p.Y) <= y {
		return nil
	}
	return fmt.Errorf("%w: %s at (%g, %g) m; the boundary leaves it x = %.2f to %.2f and y = %.2f to %.2f",
		ErrRange, named(name, id), p.X, p.Y, -x, x, -y, y)
}

func overlap(name string, id int, p soccer.Vec, c *hit) error {
	return fmt.Errorf("%w: %s at (%.2f, %.2f) m reaches %.3f m into %s; move it away",
		ErrOverlap, named(name, id), p.X, p.Y, c.depth, named(c.with, c.id))
}

func noRoomForBall(name string, id int) error {
	return fmt.Errorf("%w: %s stands on the ball, and there is no free place for that nearby", ErrOverlap, named(name, id))
}

func named(name string, id int) string {
	if id < 0 {
		return "the " + name
	}
	return fmt.Sprintf("%s %d", name, id)
}

// pushBall puts a ball that something overlaps at rest on the floor beside the body at p, as near to where it was as
// there is room. It reports whether there was.
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
			turn := float64(float64((k+1)/2) * (2 * math.Pi / around)) // left and right by turns
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

// Scatter clears the field of robots and obstacles and places these robots and so many obstacles on it, at random but
// inside the lines, with gaps that a ball passes, and off the ball. Each call gives another scene. Where a thousand
// tries find no place for one of them, nothing changes and the error is ErrOverlap.
func (e *Engine) Scatter(robots []uint8, obstacles int) error {
	const tries = 1000
	next := *e
	next.robots, next.obstacles = nil, nil
	for n := range len(robots) + max(obstacles, 0) {
		placed := false
		for range tries {
			var err error
			pose := e.anywhere()
			if !next.roomy(pose.XY()) {
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
			return fmt.Errorf("%w: %d tries found a place for only %d of %d robots and %d obstacles; take fewer, or number each robot once",
				ErrOverlap, tries, n, len(robots), obstacles)
		}
	}
	*e = next
	return nil
}

// anywhere returns a pose inside the lines.
func (e *Engine) anywhere() soccer.Pose {
	f := &e.cfg.Field
	x, y, theta := exact.Uniform(e.placing.Rand)-0.5, exact.Uniform(e.placing.Rand)-0.5, exact.Uniform(e.placing.Rand)-0.5
	margin := 2 * e.bodyRadius()
	return soccer.Pose{
		X:     x * max(0, f.Length-margin),
		Y:     y * max(0, f.Width-margin),
		Theta: theta * 2 * math.Pi,
	}
}

// roomy reports whether a ball would pass between a body at p and all others.
func (e *Engine) roomy(p soccer.Vec) bool {
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
