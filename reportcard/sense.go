package reportcard

import (
	"fmt"
	"math"

	"touchline/soccer"
	"touchline/wire/msl"
)

// What is judged of the contents of a stream.
const (
	many200     = 200  // values before they say anything about all of them
	longEnough  = 15.0 // s, the same
	offTarget   = 1.0  // m past the lines that a robot may be sent to: where substitutes wait
	offHall     = 5.0  // m past the lines that a robot may be
	notMetres   = 50.0 // m: no hall is so long
	tooHigh     = 5.0  // m: no kick goes so high
	robotSpeed  = 10.0 // m/s; the fastest of the league reach half of it
	robotTurn   = 50.0 // rad/s
	ballSpeed   = 40.0 // m/s; the hardest kicks reach a third of it
	step        = 0.3  // m: less is no move but noise
	jump        = 3.0  // m: more is no move but another belief
	nearGoal    = 1.5  // m beside the middle of a goal
	usualPeriod = 0.05 // s between two messages whose times are not known
)

// sense is what the worldstates of a stream say together.
type sense struct {
	last    float64 // s of the newest worldstate
	robots  [msl.MaxRobots]robotSense
	known   int
	moved   float64 // m, of all robots
	stirred bool    // a robot's pose is not bit for bit what it was in the message before

	ball frozen

	age, confidence   steady
	heading           steady // of all robots
	heights           scale  // of the first ball
	robotRest         rest
	ballRest          rest
	lengths           [4]scale // by kind
	headings          scale
	seconds, fraction scale
	percent           scale
	target, off       spot
	fast              spot
	fastest           string
	same              spot // the ball's X again as its Y
	balls             uint64
	metre, radian     grain
	fit               fit
	track             track
}

// fit compares velocities with the ways that robots went: of each axis of the ways with each of the velocities, the sum of
// their products and of its parts' sizes.
type fit struct {
	moves uint64
	sum   [2][2]float64
	size  [2][2]float64
	spot  spot
}

// The kinds of lengths.
const (
	ofRobots = iota
	ofTargets
	ofBalls
	ofObstacles
)

var kinds = [...]string{"robots' positions", "targets", "ball positions", "obstacle positions"}

// robotSense is what one robot's poses say together.
type robotSense struct {
	id               float64
	n                uint64
	pose             [3]float64
	anchor           soccer.Vec
	moved            float64 // m in the newest message
	way              soccer.Vec
	path             float64 // m in all
	own, other, wide uint64  // poses in front of either goal, and where the goals are for who exchanges X and Y
	right            uint64  // of wide those at positive X
	cos, sin         float64 // sums over those in front of the own goal
	headed           uint64
	long             float64 // the largest |Y|
	spot
}

// steady is a value that should vary.
type steady struct {
	n       uint64
	value   float64
	varies  bool
	from    float64
	spot    spot
	seconds float64
}

// rest is velocities that are all zero.
type rest struct {
	n      uint64
	moves  bool
	path   float64
	anchor soccer.Vec
	spot   spot
}

// scale counts values that are too large or too small for their unit.
type scale struct {
	n, odd uint64
	max    float64
	fine   bool // there is one that is no whole number
	spot   spot
}

// grain is how finely values are written.
type grain struct {
	n, changes  uint64
	tenth, cent bool // there is a value that is no multiple of the coarse grain, or of a tenth of it
	last        float64
	spot        spot
}

// look takes in the worldstate of s, which is c.now.
func (c *Card) look(s *Message) {
	d, w := &c.sense, c.now
	d.last = c.clock(s)
	if len(w.Robots) > 0 {
		c.inRobots++
	} else {
		c.mark(&c.empty, s, 0, 1)
	}
	if w.TeamName != "" {
		c.own = w.TeamName
	} else {
		c.mark(&c.nameless, s, 0, 1)
	}
	d.stirred = false
	for i := range w.Robots {
		c.lookRobot(s, &w.Robots[i])
	}
	for i := range w.Obstacles {
		c.length(s, ofObstacles, &w.Obstacles[i].Position)
	}
	c.lookBall(s)
	if v := w.AgeMillis; v.Known {
		c.steady(&d.age, s, v)
		c.odd(&d.seconds, s, v, v.Value > 0 && v.Value < 1)
	}
}

// clock returns when s came in s since the first message, as well as that is known.
func (c *Card) clock(s *Message) float64 {
	if s.Received == 0 || c.began == 0 {
		return float64(c.messages-1) * usualPeriod
	}
	return max(s.Received.Sub(c.began).Seconds(), c.sense.last)
}

func (c *Card) lookRobot(s *Message, m *msl.Robot) {
	d := &c.sense
	c.length(s, ofRobots, &m.Pose)
	if c.length(s, ofTargets, &m.TargetPose) {
		x, y := m.TargetPose.At[0].Value, m.TargetPose.At[1].Value
		if math.Abs(x) > c.field.Width/2+offTarget || math.Abs(y) > c.field.Length/2+offTarget {
			c.markValue(&d.target, s, m.TargetPose.Offset)
		}
	}
	if h := m.Pose.At[2]; h.Known {
		c.odd(&d.headings, s, h, math.Abs(h.Value) > 2*math.Pi+0.01)
		c.steady(&d.heading, s, h)
	}
	if b := m.BatteryLevel; b.Known {
		c.odd(&d.fraction, s, b, b.Value > 0 && b.Value <= 1)
	}
	r := c.robot(m.ID)
	if r == nil || !m.Pose.At[0].Known || !m.Pose.At[1].Known {
		return
	}
	c.pose(s, r, m)
	if v := &m.Velocity; v.At[0].Known && v.At[1].Known {
		d.robotRest.add(c, s, v)
		d.fit.add(c, s, r, v)
		if speed := math.Hypot(v.At[0].Value, v.At[1].Value); speed > robotSpeed || math.Abs(v.At[2].Value) > robotTurn {
			c.speed(s, fmt.Sprintf("robot %v at %.4g m/s, %.4g rad/s", m.ID.Value, speed, v.At[2].Value), v)
		}
	}
	if m.BallEngaged.Known && m.BallEngaged.Value == 1 {
		d.ball.dribbled += r.moved
	}
}

// robot returns the row of a number, nil when it has none or there are too many.
func (c *Card) robot(id msl.Number) *robotSense {
	d := &c.sense
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
	d.robots[d.known-1] = robotSense{id: id.Value}
	return &d.robots[d.known-1]
}

// pose takes in where a robot is.
func (c *Card) pose(s *Message, r *robotSense, m *msl.Robot) {
	d := &c.sense
	p := [3]float64{m.Pose.At[0].Value, m.Pose.At[1].Value, m.Pose.At[2].Value}
	x, y := p[0], p[1]
	if k := &d.lengths[ofRobots]; 5*k.odd > k.n {
		x, y = x/1000, y/1000 // millimetres: said once, and the rest is judged
	}
	r.moved = 0
	if r.n++; r.n == 1 {
		r.anchor = soccer.Vec{X: x, Y: y}
		c.markValue(&r.spot, s, m.Pose.Offset)
	} else if p != r.pose {
		d.stirred = true
		before := r.anchor
		if way := (soccer.Vec{X: x, Y: y}).Sub(before).Len(); way > step {
			r.anchor = soccer.Vec{X: x, Y: y}
			if way < jump {
				r.way = (soccer.Vec{X: x, Y: y}).Sub(before)
				r.moved = way
				r.path += way
				d.moved += way
			}
		}
	}
	r.pose = p
	d.metre.add(c, s, m.Pose.At[0], 0.1)
	d.metre.add(c, s, m.Pose.At[1], 0.1)
	if m.Pose.At[2].Known {
		d.radian.add(c, s, m.Pose.At[2], 0.01)
	}
	goal := 0.65 * c.field.Length / 2
	r.long = max(r.long, math.Abs(y))
	switch {
	case math.Abs(x) > c.field.Width/2+1.2 && math.Abs(x) < c.field.Length/2+offTarget && math.Abs(y) < nearGoal:
		r.wide++
		if x > 0 {
			r.right++
		}
	case math.Abs(x) < nearGoal && y > goal:
		r.other++
	case math.Abs(x) < nearGoal && y < -goal:
		r.own++
		if m.Pose.At[2].Known {
			r.headed++
			sin, cos := math.Sincos(p[2])
			r.cos, r.sin = r.cos+cos, r.sin+sin
		}
	}
}

// add takes in a velocity.
func (r *rest) add(c *Card, s *Message, v *msl.Vec) {
	if r.n++; r.n == 1 {
		c.markValue(&r.spot, s, v.Offset)
	}
	r.moves = r.moves || v.At[0].Value != 0 || v.At[1].Value != 0
}

// add takes in a robot's velocity where it has just gone a way.
func (f *fit) add(c *Card, s *Message, r *robotSense, v *msl.Vec) {
	if r.moved == 0 {
		return
	}
	if f.moves++; f.moves == 1 {
		c.markValue(&f.spot, s, v.Offset)
	}
	for k, way := range [2]float64{r.way.X, r.way.Y} {
		for j := range 2 {
			p := way * max(min(v.At[j].Value, robotSpeed), -robotSpeed)
			f.sum[k][j], f.size[k][j] = f.sum[k][j]+p, f.size[k][j]+math.Abs(p)
		}
	}
}

// steady takes in a value that should vary.
func (c *Card) steady(v *steady, s *Message, n msl.Number) {
	if v.n++; v.n == 1 {
		c.markValue(&v.spot, s, n.Offset)
		v.value, v.from = n.Value, c.sense.last
	}
	v.varies = v.varies || n.Value != v.value
	v.seconds = c.sense.last - v.from
}

// length takes in a position and reports whether it is known.
func (c *Card) length(s *Message, kind int, v *msl.Vec) bool {
	if !v.At[0].Known || !v.At[1].Known {
		return false
	}
	k := &c.sense.lengths[kind]
	x, y := v.At[0].Value, v.At[1].Value
	far := math.Abs(x) > notMetres || math.Abs(y) > notMetres
	if k.n++; far {
		k.odd++
		k.max = max(k.max, math.Abs(x), math.Abs(y))
		if k.odd == 1 {
			c.markValue(&k.spot, s, v.Offset)
		}
	}
	if (kind == ofRobots || kind == ofBalls) && (math.Abs(x) > c.field.Width/2+offHall || math.Abs(y) > c.field.Length/2+offHall) {
		c.markValue(&c.sense.off, s, v.Offset)
	}
	return true
}

// odd takes in a number that may be in another unit.
func (c *Card) odd(k *scale, s *Message, v msl.Number, odd bool) {
	k.n++
	k.max = max(k.max, math.Abs(v.Value))
	k.fine = k.fine || v.Value != math.Trunc(v.Value)
	if odd {
		if k.odd++; k.odd == 1 {
			c.markValue(&k.spot, s, v.Offset)
		}
	}
}

// speed notes what is too fast.
func (c *Card) speed(s *Message, what string, v *msl.Vec) {
	if c.sense.fast.count == 0 {
		c.sense.fastest = what
	}
	c.markValue(&c.sense.fast, s, v.Offset)
}

// add takes in a value.
func (g *grain) add(c *Card, s *Message, v msl.Number, coarse float64) {
	if g.n++; g.n == 1 {
		c.markValue(&g.spot, s, v.Offset)
	} else if v.Value != g.last {
		g.changes++
	}
	g.last = v.Value
	if !g.cent {
		g.tenth = g.tenth || !multiple(v.Value, coarse)
		g.cent = !multiple(v.Value, coarse/10)
	}
}

// multiple reports whether v is a whole number of units, as well as a float64 tells.
func multiple(v, unit float64) bool {
	n := v / unit
	return math.Abs(n-math.Round(n)) < 1e-6
}
