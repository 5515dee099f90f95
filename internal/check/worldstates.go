package check

import (
	"fmt"
	"math"

	"touchline/soccer"
	"touchline/wire/msl"
)

// Bounds of the contents of a stream.
const (
	enoughValues = 200  // before they tell anything about all of them
	longEnough   = 15.0 // s, likewise
	offTarget    = 1.0  // m past the lines where a robot may be sent: substitutes wait there
	offHall      = 5.0  // m past the lines where a robot may be
	notMetres    = 50.0 // m: no hall is that long
	tooHigh      = 5.0  // m: no kick goes that high
	robotSpeed   = 10.0 // m/s; the fastest robots of the league reach half of it
	robotTurn    = 50.0 // rad/s
	ballSpeed    = 40.0 // m/s; the hardest kicks reach a third of it
	minMove      = 0.3  // m: less is noise
	maxMove      = 3.0  // m: more is a new belief
	slowest      = 3.0  // s in which a robot that drives covers minMove: a self-localisation that drifts needs longer
	returned     = 1.0  // s without a robot after which it may have been carried
	nearGoal     = 1.5  // m beside the middle of a goal
	usualPeriod  = 0.05 // s between two messages of unknown time
)

// contents is what the worldstates of a stream show together.
type contents struct {
	seconds   float64 // from the first worldstate to the newest
	driven    float64 // m that robots moved, faster than a drift
	fastUntil float64 // seconds while a robot moves fast
	robots    [msl.MaxRobots]robotHistory
	known     int
	moved     float64 // m, of all robots
	stirred   bool    // the pose of a robot differs from that in the message before, be it in the last bit

	ball frozen

	age, confidence variation
	heading         variation // of all robots
	robotVelocity   velocities
	ballVelocity    velocities
	lengths         [4]valueRange // by kind
	heights         valueRange    // of the first ball
	headings        valueRange
	agesInSeconds   valueRange
	batteryShares   valueRange
	percents        valueRange // confidences of balls
	target, off     spot
	fast            spot
	fastest         string
	sameXY          spot // the ball's Y is its X
	balls           uint64
	metre, radian   resolution
	agreement       agreement
	moves           moves
	claims          statements
	track           track
}

// The kinds of lengths.
const (
	ofRobots = iota
	ofTargets
	ofBalls
	ofObstacles
)

var kinds = [...]string{"robot positions", "targets", "ball positions", "obstacle positions"}

// robotHistory is what the poses of one robot show together.
type robotHistory struct {
	id               float64
	index            int // in contents.robots
	n                uint64
	pose             [3]float64
	anchor           soccer.Vec // where its last move ended
	anchored         float64    // seconds at that time
	moved            float64    // m in the newest message
	move             soccer.Vec
	path             float64     // m, sum of its moves
	own, other, wide uint64      // poses in front of either goal, and where the goals are if X and Y are exchanged
	right            uint64      // of wide those at positive X
	cos, sin         float64     // sums over the headings in front of the own goal
	headed           uint64      // these headings
	at               soccer.Vec  // newest place
	seen, changed    float64     // seconds of the newest pose, and of the newest change of it
	published        soccer.Time // of the newest pose
	message          uint64      // with the newest pose
	jumps, flips     uint64
	heading          float64 // where its last turn ended
	targets, unmoved uint64  // targets; of them those equal to the pose
	target           spot    // the first of these
	far              spot    // with a ball that is far away
	long             float64 // the largest |Y|
	spot
}

// variation tells whether a value ever changes.
type variation struct {
	n       uint64
	value   float64
	varies  bool
	start   float64
	seconds float64
	spot    spot
}

// velocities tells whether any of them differs from 0.
type velocities struct {
	n       uint64
	nonzero bool
	path    float64 // m that the ball moved meanwhile
	anchor  soccer.Vec
	spot    spot
}

// valueRange counts values that are too large or too small for their unit.
type valueRange struct {
	n, odd uint64
	max    float64
	fine   bool // one is no whole number
	spot   spot
}

// resolution tells how finely values are written.
type resolution struct {
	n, changes  uint64
	tenth, cent bool // a value is no multiple of the coarse step, or of a tenth of it
	last        float64
	spot        spot
}

// agreement compares velocities with moves: for each axis of the moves and each of the velocities, it has the sum of
// their products and the sum of the sizes of these.
type agreement struct {
	moves uint64
	sum   [2][2]float64
	size  [2][2]float64
	spot  spot
}

// addContents counts the current worldstate, which is that of m.
func (c *Card) addContents(m *StationMessage) {
	d, w := &c.contents, c.current
	d.seconds = c.secondsAt(m)
	if len(w.Robots) == 0 {
		c.mark(&c.empty, m, 0, 1)
	}
	if w.TeamName != "" {
		c.ownName = w.TeamName
	} else {
		c.mark(&c.unnamed, m, 0, 1)
	}
	d.stirred = false
	for i := range w.Robots {
		c.addRobot(m, &w.Robots[i])
	}
	for i := range w.Obstacles {
		c.addLength(m, ofObstacles, &w.Obstacles[i].Position)
	}
	c.meet(m)
	c.addBalls(m)
	c.addClaims(m)
	if v := w.AgeMillis; v.Known {
		c.addValue(&d.age, m, v)
		c.addScale(&d.agesInSeconds, m, v, v.Value > 0 && v.Value < 1)
	}
}

// secondsAt returns the time of m in s since the first message, as far as it is known.
func (c *Card) secondsAt(m *StationMessage) float64 {
	if m.Received == 0 || c.start == 0 {
		return float64(c.messages-1) * usualPeriod
	}
	return max(m.Received.Sub(c.start).Seconds(), c.contents.seconds)
}

func (c *Card) addRobot(m *StationMessage, robot *msl.Robot) {
	d := &c.contents
	c.addLength(m, ofRobots, &robot.Pose)
	if c.addLength(m, ofTargets, &robot.TargetPose) {
		x, y := robot.TargetPose.At[0].Value, robot.TargetPose.At[1].Value
		if math.Abs(x) > c.field.Width/2+offTarget || math.Abs(y) > c.field.Length/2+offTarget {
			c.markValue(&d.target, m, robot.TargetPose.Offset)
		}
	}
	if h := robot.Pose.At[2]; h.Known {
		c.addScale(&d.headings, m, h, math.Abs(h.Value) > 2*math.Pi+0.01)
		c.addValue(&d.heading, m, h)
	}
	if b := robot.BatteryLevel; b.Known {
		c.addScale(&d.batteryShares, m, b, b.Value > 0 && b.Value <= 1)
	}
	r := c.history(robot.ID)
	if r == nil || !robot.Pose.At[0].Known || !robot.Pose.At[1].Known || r.message == c.messages {
		return // or another robot of this worldstate has the same number
	}
	r.message = c.messages
	carried := d.seconds-r.seen >= returned
	c.addPose(m, r, robot)
	c.addTarget(m, r, robot)
	c.addHeading(m, r, robot, carried)
	if v := &robot.Velocity; v.At[0].Known && v.At[1].Known {
		d.robotVelocity.add(c, m, v)
		d.agreement.add(c, m, r, v)
		speed := math.Hypot(v.At[0].Value, v.At[1].Value)
		if speed > robotSpeed || math.Abs(v.At[2].Value) > robotTurn {
			c.addFast(m, v, fmt.Sprintf("robot %v at %.4g m/s, %.4g rad/s", robot.ID.Value, speed, v.At[2].Value))
		}
	}
	if robot.BallEngaged.Is(1) {
		d.ball.dribbled += r.moved
	}
}

// history returns the history of the robot with a number; nil if it has none or there are too many.
func (c *Card) history(id msl.Number) *robotHistory {
	d := &c.contents
	if !id.Known {
		return nil
	}
	for i := range d.robots[:d.known] {
		if d.robots[i].id == id.Value {
			return &d.robots[i]
		}
	}
	if d.known == len(d.robots) {
		return nil
	}
	d.known++
	d.robots[d.known-1] = robotHistory{id: id.Value, index: d.known - 1}
	return &d.robots[d.known-1]
}

// addPose counts a pose of a robot.
func (c *Card) addPose(m *StationMessage, r *robotHistory, robot *msl.Robot) {
	d, pose := &c.contents, &robot.Pose
	p := [3]float64{pose.At[0].Value, pose.At[1].Value, pose.At[2].Value}
	at := soccer.Vec{X: p[0], Y: p[1]}
	if k := &d.lengths[ofRobots]; 5*k.odd > k.n {
		at = soccer.Vec{X: at.X / 1000, Y: at.Y / 1000} // millimetres: RuleUnits finds them, other rules judge metres
	}
	r.moved = 0
	if r.n++; r.n == 1 {
		r.anchor, r.changed = at, d.seconds
		c.markValue(&r.spot, m, pose.Offset)
	} else if p != r.pose {
		d.stirred = true
		c.step(m, r, at, pose.Offset)
		r.changed = d.seconds
		r.follow(at, d)
		d.moved += r.moved
	}
	r.pose, r.at, r.seen, r.published = p, at, d.seconds, m.Published
	if k := &d.lengths[ofRobots]; len(d.moves.here) < msl.MaxRobots && 5*k.odd <= k.n {
		d.moves.here = append(d.moves.here, place{r.index, at, pose.Offset})
	}
	d.metre.add(c, m, pose.At[0], 0.1)
	d.metre.add(c, m, pose.At[1], 0.1)
	if pose.At[2].Known {
		d.radian.add(c, m, pose.At[2], 0.01)
	}
	c.addPlace(r, at, pose.At[2])
}

// addPlace counts where a robot is: in front of a goal, in front of where the goals are if X and Y are exchanged, or
// elsewhere.
func (c *Card) addPlace(r *robotHistory, at soccer.Vec, heading msl.Number) {
	goal := 0.65 * c.field.Length / 2
	r.long = max(r.long, math.Abs(at.Y))
	switch {
	case math.Abs(at.X) > c.field.Width/2+1.2 && math.Abs(at.X) < c.field.Length/2+offTarget &&
		math.Abs(at.Y) < nearGoal:
		r.wide++
		if at.X > 0 {
			r.right++
		}
	case math.Abs(at.X) < nearGoal && at.Y > goal:
		r.other++
	case math.Abs(at.X) < nearGoal && at.Y < -goal:
		r.own++
		if heading.Known {
			r.headed++
			sin, cos := math.Sincos(heading.Value)
			r.cos, r.sin = r.cos+cos, r.sin+sin
		}
	}
}

func (s *velocities) add(c *Card, m *StationMessage, v *msl.Vec) {
	if s.n++; s.n == 1 {
		c.markValue(&s.spot, m, v.Offset)
	}
	s.nonzero = s.nonzero || v.At[0].Value != 0 || v.At[1].Value != 0
}

// add counts a velocity of a robot that has just moved.
func (a *agreement) add(c *Card, m *StationMessage, r *robotHistory, v *msl.Vec) {
	if r.moved == 0 {
		return
	}
	if a.moves++; a.moves == 1 {
		c.markValue(&a.spot, m, v.Offset)
	}
	for k, move := range [2]float64{r.move.X, r.move.Y} {
		for j := range 2 {
			p := move * max(min(v.At[j].Value, robotSpeed), -robotSpeed)
			a.sum[k][j], a.size[k][j] = a.sum[k][j]+p, a.size[k][j]+math.Abs(p)
		}
	}
}

// addValue counts a value that should vary.
func (c *Card) addValue(v *variation, m *StationMessage, n msl.Number) {
	if v.n++; v.n == 1 {
		c.markValue(&v.spot, m, n.Offset)
		v.value, v.start = n.Value, c.contents.seconds
	}
	v.varies = v.varies || n.Value != v.value
	v.seconds = c.contents.seconds - v.start
}

// addLength counts a position and reports whether it is known.
func (c *Card) addLength(m *StationMessage, kind int, v *msl.Vec) bool {
	if !v.At[0].Known || !v.At[1].Known {
		return false
	}
	k := &c.contents.lengths[kind]
	x, y := v.At[0].Value, v.At[1].Value
	far := math.Abs(x) > notMetres || math.Abs(y) > notMetres
	if k.n++; far {
		k.odd++
		k.max = max(k.max, math.Abs(x), math.Abs(y))
		if k.odd == 1 {
			c.markValue(&k.spot, m, v.Offset)
		}
	}
	off := math.Abs(x) > c.field.Width/2+offHall || math.Abs(y) > c.field.Length/2+offHall
	if off && (kind == ofRobots || kind == ofBalls) {
		c.markValue(&c.contents.off, m, v.Offset)
	}
	return true
}

// addScale counts a number, and whether it is odd: too large or too small for its unit.
func (c *Card) addScale(k *valueRange, m *StationMessage, v msl.Number, odd bool) {
	k.n++
	k.max = max(k.max, math.Abs(v.Value))
	k.fine = k.fine || v.Value != math.Trunc(v.Value)
	if odd {
		if k.odd++; k.odd == 1 {
			c.markValue(&k.spot, m, v.Offset)
		}
	}
}

// addFast counts a velocity that is too high; the first one is what the finding describes.
func (c *Card) addFast(m *StationMessage, v *msl.Vec, what string) {
	if c.contents.fast.count == 0 {
		c.contents.fastest = what
	}
	c.markValue(&c.contents.fast, m, v.Offset)
}

// add counts a value; coarse is the coarsest step that is judged.
func (g *resolution) add(c *Card, m *StationMessage, v msl.Number, coarse float64) {
	if g.n++; g.n == 1 {
		c.markValue(&g.spot, m, v.Offset)
	} else if v.Value != g.last {
		g.changes++
	}
	g.last = v.Value
	if !g.cent {
		g.tenth = g.tenth || !multiple(v.Value, coarse)
		g.cent = !multiple(v.Value, coarse/10)
	}
}

// multiple reports whether v is a whole number of units, as far as a float64 tells.
func multiple(v, unit float64) bool {
	n := v / unit
	return math.Abs(n-math.Round(n)) < 1e-6
}
