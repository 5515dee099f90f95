package check

import (
	"fmt"
	"math"

	"touchline/soccer"
	"touchline/wire/msl"
)

// Bounds of the moves of robots.
const (
	minMove     = 0.3  // m: less is noise
	maxMove     = 3.0  // m: more is a new belief
	slowest     = 3.0  // s in which a robot that drives covers minMove: a self-localisation that drifts needs longer
	returned    = 1.0  // s without a robot after which it may have been carried
	nearGoal    = 1.5  // m beside the middle of a goal
	usualPeriod = 0.05 // s between two messages of unknown time
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

	age           series // ageMs
	confidence    series // confidence of the first ball
	robotVelocity series
	ballVelocity  series
	ballAnchor    soccer.Vec
	ballMoved     float64   // m that the first ball moved while its velocity was known
	lengths       [4]series // by kind
	heights       series    // height of the first ball
	headings      series    // headings of all robots
	batteries     series
	confidences   series // confidences of all balls
	target, off   spot
	fast          spot
	fastest       string
	sameXY        spot // the ball's Y is its X
	balls         uint64
	metre, radian resolution
	agreement     agreement
	moves         moves
	claims        statements
	track         track
}

// robotHistory is what the poses of one robot show together.
type robotHistory struct {
	id               float64
	index            int // index in contents.robots
	n                uint64
	pose             [3]float64
	anchor           soccer.Vec // where its last move ended
	anchored         float64    // seconds at that time
	moved            float64    // m in the newest message
	move             soccer.Vec
	path             float64     // m, sum of its moves
	own, other, wide uint64      // poses in front of either goal, and where the goals are if X and Y are exchanged
	right            uint64      // the part of wide at positive X
	cos, sin         float64     // sums over the headings in front of the own goal
	headed           uint64      // number of these headings
	at               soccer.Vec  // newest place
	seen, changed    float64     // seconds of the newest pose, and of the newest change of it
	published        soccer.Time // worldstate time of the newest pose
	message          uint64      // number of the message with the newest pose
	jumps, flips     uint64
	heading          float64 // where its last turn ended
	targets          uint64
	target           spot    // targets that are the pose
	far              spot    // engaged poses with a ball that is far away
	long             float64 // the largest |Y|
	spot
}

// agreement compares velocities with moves: for each axis of the moves and each of the velocities, it has the sum of
// their products and the sum of the sizes of these.
type agreement struct {
	spot // its count is that of the moves
	sum  [2][2]float64
	size [2][2]float64
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
		d.age.add(c, m, v.Offset, v.Value, v.Value > 0 && v.Value < 1)
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
	if t := &robot.TargetPose; c.addLength(m, ofTargets, t) && c.outside(t, offTarget) {
		c.markValue(&d.target, m, t.Offset)
	}
	if h := robot.Pose.At[2]; h.Known {
		d.headings.add(c, m, h.Offset, h.Value, math.Abs(h.Value) > 2*math.Pi+0.01)
	}
	if b := robot.BatteryLevel; b.Known {
		d.batteries.add(c, m, b.Offset, b.Value, b.Value > 0 && b.Value <= 1)
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
		d.robotVelocity.add(c, m, v.Offset, largest(v), false)
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
	if k := &d.lengths[ofRobots]; 5*k.odd.count > k.n {
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
	if k := &d.lengths[ofRobots]; len(d.moves.here) < msl.MaxRobots && 5*k.odd.count <= k.n {
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

// add counts a velocity of a robot that has just moved.
func (a *agreement) add(c *Card, m *StationMessage, r *robotHistory, v *msl.Vec) {
	if r.moved == 0 {
		return
	}
	c.markValue(&a.spot, m, v.Offset)
	for k, move := range [2]float64{r.move.X, r.move.Y} {
		for j := range 2 {
			p := move * max(min(v.At[j].Value, robotSpeed), -robotSpeed)
			a.sum[k][j], a.size[k][j] = a.sum[k][j]+p, a.size[k][j]+math.Abs(p)
		}
	}
}
