package reportcard

import (
	"fmt"
	"math"

	"touchline/soccer"
	"touchline/wire/msl"
)

// frozen is how long the first ball has been where it is, to the last bit.
type frozen struct {
	known    bool
	position [3]msl.Number
	n        uint64  // worldstates of this run
	stirred  uint64  // of them in which a robot is not where it was
	played   float64 // s of them
	from     float64
	moved    float64 // what the robots had moved when it began, in m
	dribbled float64 // m that robots moved in it who said that they have the ball
	spot     spot

	all          uint64 // worldstates with a ball
	allStirred   uint64 // of them those in which a robot is not where it was
	still        uint64 // of these those in which the ball is where it was
	began, ended float64
	places       uint64 // runs at another place than the one before
	worst        frozenRun
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

// lookBall takes in the first ball.
func (c *Card) lookBall(s *Message) {
	d, w := &c.sense, c.now
	for i := range w.Balls {
		b := &w.Balls[i]
		if !c.length(s, ofBalls, &b.Position) {
			continue
		}
		if v := b.Confidence; v.Known {
			c.odd(&d.percent, s, v, v.Value > 1.5 && v.Value <= 100)
		}
	}
	if len(w.Balls) == 0 || !w.Balls[0].Position.At[0].Known || !w.Balls[0].Position.At[1].Known {
		return // it may come back where it was
	}
	b := &w.Balls[0]
	x, y := b.Position.At[0].Value, b.Position.At[1].Value
	if z := b.Position.At[2]; z.Known {
		c.odd(&d.heights, s, z, math.Abs(z.Value) > tooHigh)
	}
	if d.balls++; d.balls == 1 {
		c.markValue(&c.ball, s, b.Position.Offset)
	}
	d.track.add(s.Received, x, y)
	if x == y && math.Abs(x) > 0.05 {
		c.markValue(&d.same, s, b.Position.Offset)
	}
	if b.Confidence.Known {
		c.steady(&d.confidence, s, b.Confidence)
	}
	if v := &b.Velocity; v.At[0].Known && v.At[1].Known {
		r := &d.ballRest
		here := soccer.Vec{X: x, Y: y}
		if way := here.Sub(r.anchor).Len(); r.n == 0 || way > step {
			if r.n > 0 && way < jump {
				r.path += way
			}
			r.anchor = here
		}
		r.add(c, s, v)
		if speed := math.Hypot(v.At[0].Value, v.At[1].Value); speed > ballSpeed {
			c.speed(s, fmt.Sprintf("the ball at %.4g m/s", speed), v)
		}
	}
	d.ball.add(c, s, &b.Position)
}

// add takes in where the ball is.
func (f *frozen) add(c *Card, s *Message, position *msl.Vec) {
	d := &c.sense
	at := position.At
	for i := range at {
		at[i].Offset = 0 // only the values count
	}
	if f.all == 0 {
		f.began = d.last
	}
	f.all++
	if d.stirred {
		f.allStirred++
	}
	if f.known && at == f.position {
		f.n++
		if d.stirred {
			f.played += d.last - f.ended
			f.stirred++
			f.still++
		}
		f.ended = d.last
		return
	}
	f.end(d)
	f.places++
	f.ended = d.last
	f.known, f.position, f.n, f.stirred, f.played, f.from, f.moved, f.dribbled = true, at, 1, 0, 0, d.last, d.moved, 0
	f.spot = spot{}
	c.markValue(&f.spot, s, position.Offset)
}

// end judges the run that ends.
func (f *frozen) end(d *sense) {
	if !f.known {
		return
	}
	f.known = false
	r := frozenRun{n: f.n, seconds: f.ended - f.from, moved: d.moved - f.moved, stirred: f.stirred, spot: f.spot}
	carried := f.dribbled >= 1 && f.n >= 50 && r.seconds >= 5
	// A ball that lies for a free kick may be reported to the same digit while robots take their places, not so long.
	r.sure = carried || f.played >= 45 && r.moved >= 60
	likely := f.played >= longEnough && r.moved >= 60 && f.n >= 100
	w := &f.worst
	if (r.sure || likely) && (r.sure && !w.sure || r.sure == w.sure && r.n > w.n) {
		*w = r
	}
}

// finding says whether the ball is frozen.
func (f frozen) finding(c *Card, all []Finding) []Finding {
	now := f.spot
	f.end(&c.sense)
	seconds := f.ended - f.began
	if f.places == 1 && f.all >= 100 && seconds >= 25 && float64(f.allStirred) >= 0.2*float64(f.all) {
		now.count = f.all
		return append(all, c.finding(&now, RuleFrozen, false, share(f.all, c.worldstates), fmt.Sprintf(
			"the first ball is at the same place to the last digit in all %d worldstates (%.0f s), while robots are not", f.all, seconds)))
	}
	w := &f.worst
	// A ball that is measured anew never stands to the last digit while robots move; one that often does is rounded.
	elsewhere := f.allStirred - w.stirred
	if w.n == 0 || !w.sure && (share(f.still-w.stirred, elsewhere) >= 0.01 || elsewhere < many200) {
		return all
	}
	first := w.spot
	first.count = w.n
	return append(all, c.finding(&first, RuleFrozen, false, share(w.n, c.worldstates), fmt.Sprintf(
		"the first ball is at the same place to the last digit in %d worldstates on end (%.0f s), while the robots move %.0f m", w.n, w.seconds, w.moved)))
}
