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
