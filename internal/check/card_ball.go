package check

import (
	"fmt"
	"math"

	"touchline/soccer"
	"touchline/wire/msl"
)

// Bounds of a ball that never moves.
const (
	stillBall = 0.3   // m: less is noise
	longStill = 30.0  // s
	farDriven = 100.0 // m of all robots: no ball stays where it is for so long in a game
)

// frozen follows how long the first ball has had the same position, to the last bit.
type frozen struct {
	known    bool
	position [3]msl.Number // without offsets
	n        uint64        // worldstates of this run
	stirred  uint64        // worldstates of this run in which the pose of a robot changed
	played   float64       // s of these
	start    float64
	moved    float64 // m that the robots had moved at the start
	dribbled float64 // m that robots with the ball moved during the run
	spot     spot

	all        uint64 // worldstates with a ball
	allStirred uint64 // worldstates with a ball in which the pose of a robot changed
	still      uint64 // the part of allStirred in which the ball stayed
	first, end float64
	low, high  soccer.Vec // corners of where it was
	before     float64    // m that the robots had moved at first
	places     uint64     // runs at another place than the one before
	worst      frozenRun
}

// frozenRun is a run that no real ball explains.
type frozenRun struct {
	n       uint64
	seconds float64
	moved   float64
	stirred uint64
	sure    bool // whatever the ball does in the rest of the stream
	spot    spot
}

// addBalls counts the balls of the current worldstate.
func (c *Card) addBalls(m *StationMessage) {
	d, balls := &c.contents, c.current.Balls
	for i := range balls {
		b := &balls[i]
		if v := b.Confidence; c.addLength(m, ofBalls, &b.Position) && v.Known {
			d.confidences.add(c, m, v.Offset, v.Value, v.Value > 1.5 && v.Value <= 100)
		}
	}
	if len(balls) == 0 || !balls[0].Position.At[0].Known || !balls[0].Position.At[1].Known {
		return // it may come back where it was
	}
	b := &balls[0]
	at := soccer.Vec{X: b.Position.At[0].Value, Y: b.Position.At[1].Value}
	if z := b.Position.At[2]; z.Known {
		d.heights.add(c, m, z.Offset, z.Value, math.Abs(z.Value) > tooHigh)
	}
	if d.balls++; d.balls == 1 {
		c.markValue(&c.firstBall, m, b.Position.Offset)
	}
	d.track.add(m.Received, at)
	if at.X == at.Y && math.Abs(at.X) > 0.05 {
		c.markValue(&d.sameXY, m, b.Position.Offset)
	}
	if v := b.Confidence; v.Known {
		d.confidence.add(c, m, v.Offset, v.Value, false)
	}
	if v := &b.Velocity; v.At[0].Known && v.At[1].Known {
		c.addBallVelocity(m, at, v)
	}
	d.ball.add(c, m, &b.Position)
}

// addBallVelocity counts a velocity of the first ball.
func (c *Card) addBallVelocity(m *StationMessage, at soccer.Vec, v *msl.Vec) {
	d := &c.contents
	if move := at.Sub(d.ballAnchor).Len(); d.ballVelocity.n == 0 || move > minMove {
		if d.ballVelocity.n > 0 && move < maxMove {
			d.ballMoved += move
		}
		d.ballAnchor = at
	}
	d.ballVelocity.add(c, m, v.Offset, largest(v), false)
	if speed := math.Hypot(v.At[0].Value, v.At[1].Value); speed > ballSpeed {
		c.addFast(m, v, fmt.Sprintf("the ball at %.4g m/s", speed))
	}
}

// add counts a position of the first ball.
func (f *frozen) add(c *Card, m *StationMessage, position *msl.Vec) {
	d := &c.contents
	at := position.At
	for i := range at {
		at[i].Offset = 0
	}
	place := soccer.Vec{X: at[0].Value, Y: at[1].Value}
	if f.all == 0 {
		f.first, f.before, f.low, f.high = d.seconds, d.moved, place, place
	}
	f.all++
	f.low, f.high = soccer.Vec{X: min(f.low.X, place.X), Y: min(f.low.Y, place.Y)},
		soccer.Vec{X: max(f.high.X, place.X), Y: max(f.high.Y, place.Y)}
	if d.stirred {
		f.allStirred++
	}
	if f.known && at == f.position {
		f.n++
		if d.stirred {
			f.played += d.seconds - f.end
			f.stirred++
			f.still++
		}
		f.end = d.seconds
		return
	}
	f.endRun(d)
	f.places++
	f.end = d.seconds
	f.known, f.position, f.n, f.start, f.moved = true, at, 1, d.seconds, d.moved
	f.stirred, f.played, f.dribbled = 0, 0, 0
	f.spot = spot{}
	c.markValue(&f.spot, m, position.Offset)
}

// endRun judges the current run.
func (f *frozen) endRun(d *contents) {
	if !f.known {
		return
	}
	f.known = false
	r := frozenRun{n: f.n, seconds: f.end - f.start, moved: d.moved - f.moved, stirred: f.stirred, spot: f.spot}
	carried := f.dribbled >= 1 && f.n >= 50 && r.seconds >= 5
	// A ball that lies for a free kick may keep its last digit while robots take their places, but not for that long.
	r.sure = carried || f.played >= 45 && r.moved >= 60
	likely := f.played >= longEnough && r.moved >= 60 && f.n >= 100
	w := &f.worst
	if (r.sure || likely) && (r.sure && !w.sure || r.sure == w.sure && r.n > w.n) {
		*w = r
	}
}

// judgeFrozenBall reports that the ball is frozen, if it is.
func (c *Card) judgeFrozenBall(out *findings) {
	f := c.contents.ball
	last := f.spot
	f.endRun(&c.contents)
	seconds := f.end - f.first
	if f.places == 1 && f.all >= 100 && seconds >= 25 && float64(f.allStirred) >= 0.2*float64(f.all) {
		out.fault(&last, f.all, c.worldstates,
			"the first ball has the same position to the last digit in all %d worldstates (%.0f s), while robots move",
			f.all, seconds)
		return
	}
	size, moved := f.high.Sub(f.low).Len(), c.contents.moved-f.before
	if size < stillBall && seconds >= longStill && moved >= farDriven {
		out.fault(&c.firstBall, f.all, c.worldstates,
			"the first ball moves only %.1f cm in all %d worldstates (%.0f s), while the robots move %.0f m",
			100*size, f.all, seconds, moved)
		return
	}
	w := &f.worst
	// A measured ball never keeps its last digit while robots move; one that often does is rounded.
	elsewhere := f.allStirred - w.stirred
	if w.n != 0 && (w.sure || share(f.still-w.stirred, elsewhere) < 0.01 && elsewhere >= enoughValues) {
		out.fault(&w.spot, w.n, c.worldstates, "the first ball has the same position to the last digit in %d worldstates "+
			"in a row (%.0f s), while the robots move %.0f m", w.n, w.seconds, w.moved)
	}
}

// Bounds of what robots claim about the ball and their targets.
const (
	farBall     = 1.5  // m from a robot that has the ball
	enoughFar   = 5    // worldstates with such a ball
	enoughPath  = 10.0 // m that a robot drives to its targets
	targetShare = 0.75 // share of the targets of a robot that drives
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
