package match

import (
	"fmt"

	"touchline/internal/camera"
	"touchline/internal/robot"
	"touchline/internal/watch"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/team"
)

// unit is a robot on the field: its body, its camera, and its software.
type unit struct {
	number  uint8 // jersey
	color   soccer.Color
	id      uint8  // of its body
	team    string // on the page
	shape   string // "robot", or "camera" for a unit without a robot
	lens    sim.Camera
	self    *localiser   // nil: the errors of its poses are drawn
	robot   *robot.Robot // nil: its software does not run, or runs outside
	outside *outside     // nil: its software does not run outside
	motor   uint32       // sequence of the newest motor command from outside; 0: none
	// mirrored: its localisation takes one half of the field for the other
	mirrored bool
}

// picture takes a picture with the camera of a robot that measures a velocity, into sense. A turned one takes one half of
// the field for the other. The error is that of a robot that is not on the field.
func (c *core) picture(u *unit, twist soccer.Twist, turned bool, sense *soccer.Sense) error {
	if err := c.engine.Look(u.id, &u.lens, sense); err != nil {
		return err
	}
	u.lens.Describe(sense) // the drawn pose; a localiser knows its own covariance
	sense.Self.Twist, sense.HasBall = twist, c.engine.HoldsBall(u.id)
	if u.self != nil {
		if sense.Self = u.self.locate(c.engine, u.lens.FOV); sense.Self.Known {
			sense.Self.Twist, sense.Self.HasTwist = twist, true
		}
	}
	if turned {
		sense.Self = sense.Self.Turned()
	}
	return nil
}

// travel returns the way that the wheels of a robot measured: with slip where it localises itself.
func (c *core) travel(u *unit) (travel soccer.Pose, ok bool) {
	if u.self != nil {
		return u.self.travel(), true
	}
	return c.engine.Travel(u.id)
}

// setSense sets dst to what the sensors of a robot say: a picture, and the odometry of now.
func (c *core) setSense(u *unit, picture *soccer.Sense, dst *team.Sense) {
	travel, moved := c.travel(u)
	dst.Battery, dst.Motor, dst.HasOdometry = team.Unknown, u.motor, moved
	dst.SetOdometry(travel, picture.Self.Twist, picture.Self.Pose.Theta)
	dst.Percepts.SetSense(picture)
}

// drive executes a motor command from outside. The error is that of sim.Engine.Command.
func (c *core) drive(u *unit, m *team.Motor) error {
	command := m.Command()
	if err := c.engine.Command(u.id, &command); err != nil {
		return err
	}
	u.motor = m.Sequence
	return nil
}

// believes sets w to what a robot believes, by its software at a time of at or by what it told from outside. It reports
// false while neither is known.
func (c *core) believes(u *unit, at soccer.Time, w *soccer.World) bool {
	if u.robot != nil {
		u.robot.World(at, w)
		return true
	}
	return u.outside != nil && u.outside.belief(c.now, w)
}

// scene sets scene to all that the camera of a robot may see, in the team frame of a turned team. It reports false for a
// robot that is not on the field.
func (c *core) scene(u *unit, turning float64, turned bool, scene *camera.Scene) bool {
	turn := func(p soccer.Pose) soccer.Pose {
		if turned {
			return p.Turned()
		}
		return p
	}
	self, ok := c.engine.RobotPose(u.id)
	if !ok {
		return false
	}
	ball, _ := c.engine.Ball()
	if turned {
		ball = ball.Turned()
	}
	*scene = camera.Scene{
		Time: c.now, Self: turn(self), Turning: turning, HasBall: true, Ball: ball,
		Robots: scene.Robots[:0], Obstacles: append(scene.Obstacles[:0], c.engine.Obstacles()...), Light: 1,
	}
	for _, other := range c.units {
		if pose, ok := c.engine.RobotPose(other.id); ok && other != u {
			scene.Robots = append(scene.Robots, camera.Body{Pose: turn(pose), Color: other.color})
		}
	}
	return true
}

// truth returns the truth and the places of all robots, as the wall draws them: turned by pi if turned is true.
func (c *core) truth(turned bool) (*watch.Scene, []soccer.Vec) {
	ball, v := c.engine.Ball()
	scene := &watch.Scene{Ball: thing(ball, v, turned), Robots: []watch.Figure{}, Obstacles: []watch.Thing{}}
	var bodies []soccer.Vec
	for _, u := range c.units {
		pose, ok := c.engine.RobotPose(u.id)
		if !ok {
			continue
		}
		if turned {
			pose = pose.Turned()
		}
		scene.Robots = append(scene.Robots, watch.Figure{Number: u.number, Color: u.color, Shape: u.shape, Pose: pose, Facing: true})
		bodies = append(bodies, pose.XY())
	}
	for _, o := range c.engine.Obstacles() {
		scene.Obstacles = append(scene.Obstacles, watch.Thing{X: o.X, Y: o.Y})
	}
	return scene, bodies
}

// thing returns a ball as the wall draws it.
func thing(p, v soccer.Vec3, turned bool) watch.Thing {
	if turned {
		p, v = p.Turned(), v.Turned()
	}
	return watch.Thing{X: p.X, Y: p.Y, Z: p.Z, VX: v.X, VY: v.Y}
}

// tile returns the tile of a robot: what it believes, nil for nothing, and how far that is from the truth. cameras are the
// units without a robot.
func (c *core) tile(u *unit, key string, w *soccer.World, cameras soccer.RobotSet, truth *watch.Scene, bodies []soccer.Vec) watch.Tile {
	t := watch.Tile{
		Key: key, Number: u.number, Color: u.color, Team: u.team, Shape: u.shape, State: "live",
		Mirrored: u.mirrored, Faults: []watch.Fault{},
	}
	if w == nil {
		t.Belief = watch.BeliefOf(&soccer.World{Time: c.now}, u.color, 0, 0)
		return t
	}
	t.Belief = watch.BeliefOf(w, u.color, u.number, cameras)
	ball, found, ghosts := t.Belief.Score(truth, bodies)
	t.BallError, t.Found, t.False = ball, &found, &ghosts
	if u.robot != nil {
		left, foreign := u.robot.Counts()
		t.Left = &watch.Left{
			Unplaced: left.Unplaced, Repeated: left.Duplicate, Stale: left.Stale, OtherColor: left.OtherSide,
			SameNumber: left.SameNumber, Foreign: foreign,
		}
	}
	return t
}

func errNotOnField(number uint8) error {
	return fmt.Errorf("match: robot %d is not on the field", number)
}
