// Package sim is the field without a network: walls, goals, robots, obstacles and one ball, and what cameras on the
// robots see of it. It is a pure core: the same configuration and the same calls give the same bits on every processor,
// and engines share nothing.
//
// One Engine serves two leagues; its Physics selects the league. On a Middle Size field (DefaultConfig) robots and
// obstacles are upright posts with round heads: circles of RobotRadius and ObstacleRadius seen from above, BodyHeight
// high, so that a ball rolls off them. They stand where they are placed until Command drives them: then they move, push
// and shove each other, and dribble and kick the ball. On a Very Small Size field (VSS) robots are
// squares on two wheels that Drive commands. They push each other, walls, and a ball that slides, rolls, spins and
// hops, with the sub-steps of 3.2 ms and the rules of contact of FIRASim. That a robot tilts matters
// only for its wheels and casters, and not for its contacts with other bodies.
//
// All positions are in the field frame. The ball's height is that of its centre.
package sim

import (
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"touchline/soccer"
)

// Sizes and limits.
const (
	ObstacleRadius = 0.25 // m; obstacles are squares of 0.5 m, the ball touches the inscribed circle
	BodyHeight     = 0.8  // m, of robots and obstacles: the limit of the league (MSL Rules 2026)
	MaxBallSpeed   = 20   // m/s, limit of KickBall
	Ceiling        = 10   // m; no ball rises higher

	subStep = 2 * time.Millisecond // a ball moves less than half its radius in one
	gravity = 9.81                 // m/s^2
)

// Errors of the Engine; each is wrapped with the details.
var (
	ErrRange   = errors.New("sim: out of range")
	ErrOverlap = errors.New("sim: no room")
	ErrUnknown = errors.New("sim: unknown")
)

// Config is the simulated field. The zero value of a field means zero.
type Config struct {
	Field   soccer.Field // sizes in m; default MSL18x12
	Seed    uint64       // seed of all random numbers; default 1
	Kicker  Kicker       // errors of kicks; default DefaultKicker
	Physics              // default: Friction 0.5 (Fusion baselines), Restitution 0.6, Bounce 0.6
}

// DefaultConfig returns the field of the practical session (Practical Session 2014).
func DefaultConfig() Config {
	return Config{
		Field: soccer.MSL18x12(), Seed: 1, Kicker: defaultKicker(),
		Physics: Physics{Friction: 0.5, Restitution: 0.6, Bounce: 0.6},
	}
}

// Engine is one simulated field. It is not safe for concurrent use.
type Engine struct {
	cfg       Config
	walls     walls
	now       soccer.Time
	position  soccer.Vec3 // the ball's centre, m
	velocity  soccer.Vec3
	robots    []robot // robots by id
	obstacles []soccer.Vec
	eyes      [256]*eye // eyes by robot id; they are kept while the robot is off the field
	placing   random
	body      body

	// Middle Size only.
	before []soccer.Vec // places of the robots before a step; empty while none moves
	touch  ballTouch    // the ball's newest contact with a robot
	kicks  []Kick       // kicks of the last Step

	// Very Small Size only.
	rink     rink
	spin     soccer.Vec3 // the ball's spin, rad/s
	pace     time.Duration
	train    train
	wide     [][2]uint8 // indices of robots that may touch within a tick
	near     [][2]uint8 // within a sub-step; MSL: within a step
	awake    []uint8    // indices of the robots that sub-steps move
	fastest  float64    // m/s, of the robots when the tick began
	ballFree bool       // no robot touches the ball within the tick
	margin   float64    // m: a body at a larger distance from a wall does not touch it within a sub-step
	atWalls  [maxTouches]touch
	atRobot  [2]touch
	touching []contact
	bumps    []bump
	contacts int
}

// New returns a field with a ball at rest in its centre. The numbers of Physics are limited to their ranges; NaN
// becomes 0.
func New(cfg Config) *Engine {
	cfg.Physics = cfg.bounded()
	return &Engine{
		cfg:      cfg,
		walls:    wallsOf(&cfg.Field),
		now:      soccer.Epoch,
		rink:     rinkOf(&cfg.Field),
		body:     bodyOf(&cfg.Physics),
		position: soccer.Vec3{Z: cfg.BallRadius},
		placing:  stream(cfg.Seed, 0, placement),
	}
}

// clamp limits x to a range; NaN becomes from.
func clamp(x, from, to float64) float64 {
	if !(x >= from) {
		return from
	}
	return min(x, to)
}

// Purposes of random numbers: each robot has one stream for each.
const (
	placement = iota
	sight
	drift
	wheelSlip
	lineSight
	kicking
)

func stream(seed uint64, id uint8, purpose uint64) random {
	source := rand.NewPCG(seed, purpose<<8|uint64(id))
	return random{rand.New(source), source}
}

// Reseed draws all random numbers from now on from another seed. Numbers drawn before stay: poses, and the errors of
// self-localisation up to now.
func (e *Engine) Reseed(seed uint64) {
	e.cfg.Seed, e.placing = seed, stream(seed, 0, placement)
	for id, y := range &e.eyes {
		if y != nil {
			y.sight, y.drift = stream(seed, uint8(id), sight), stream(seed, uint8(id), drift)
			y.kicks = stream(seed, uint8(id), kicking)
		}
	}
}

// Now returns the simulated time, which starts at soccer.Epoch.
func (e *Engine) Now() soccer.Time { return e.now }

// Step simulates dt; with dt <= 0 it does nothing. On a Very Small Size field it runs sub-steps of 3.2 ms, five a Tick,
// and a shorter one for the rest; a robot that moves steadily and can touch nothing is moved by whole Ticks. On a
// Middle Size field a rolling ball has sub-steps of 2 ms. Driven robots have steps of 10 ms, and of 2 ms near bodies,
// walls and ball, which end at whole multiples of 10 and 2 ms of Now. Motion without contact is integrated exactly, so
// that the division of a span into steps affects only the time at which a contact is found, and how often a command is
// turned into the field frame while its robot turns.
func (e *Engine) Step(dt time.Duration) {
	e.contacts, e.kicks = 0, e.kicks[:0]
	if e.cfg.Side > 0 {
		e.stepTicks(dt)
		return
	}
	for dt > 0 {
		if e.drives() {
			dt -= e.stepDriven(dt)
			continue
		}
		e.before = e.before[:0] // no robot can be put back
		h := min(dt, subStep)
		if e.ballRests() {
			h = dt // nothing moves
		} else {
			e.moveBall(h.Seconds())
		}
		e.now = e.now.Add(h)
		dt -= h
	}
}

// Ball returns the position of the ball's centre in m and its velocity in m/s.
func (e *Engine) Ball() (position, velocity soccer.Vec3) { return e.position, e.velocity }

// RobotPose returns the pose of a robot, and whether it is on the field.
func (e *Engine) RobotPose(id uint8) (soccer.Pose, bool) {
	pose, _, ok := e.Robot(id)
	return pose, ok
}

// Obstacles returns a copy of the centres of all obstacles, by index.
func (e *Engine) Obstacles() []soccer.Vec { return slices.Clone(e.obstacles) }

// find returns the index of a robot, and where it belongs if it is not there. It is at most the id: ids ascend.
func (e *Engine) find(id uint8) (int, bool) {
	i := min(int(id), len(e.robots))
	for i > 0 && e.robots[i-1].id >= id {
		i--
	}
	return i, i < len(e.robots) && e.robots[i].id == id
}
