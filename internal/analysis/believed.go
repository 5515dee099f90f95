package analysis

import (
	"math"
	"slices"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/stat"
	"touchline/soccer"
)

// errorsOf collects the errors of a belief.
type errorsOf struct {
	values  []float32
	every   int // only each every-th value is kept
	seen    int
	known   int
	total   float64
	largest float64
}

// add adds an error in m; NaN: nothing is believed.
func (e *errorsOf) add(off float64) {
	e.seen++
	if math.IsNaN(off) {
		return
	}
	e.known++
	e.total += off
	e.largest = max(e.largest, off)
	e.every = max(e.every, 1)
	if e.known%e.every != 0 {
		return
	}
	if len(e.values) >= mostErrors {
		half := e.values[:0]
		for i := 1; i < len(e.values); i += 2 {
			half = append(half, e.values[i])
		}
		e.values, e.every = half, 2*e.every
	}
	e.values = append(e.values, float32(off))
}

// join adds another robot's errors.
func (e *errorsOf) join(o *errorsOf) {
	e.values = append(e.values, o.values...)
	e.seen, e.known, e.total, e.largest = e.seen+o.seen, e.known+o.known, e.total+o.total, max(e.largest, o.largest)
}

func (e *errorsOf) sum() Errors {
	out := Errors{Samples: e.seen, Known: share(float64(e.known), float64(e.seen)), Largest: e.largest}
	out.Mean = share(e.total, float64(e.known))
	if len(e.values) > 0 {
		sorted := slices.Clone(e.values)
		slices.Sort(sorted)
		out.P95 = float64(stat.Quantile(sorted, 0.95))
	}
	return out
}

// beliefs compares what is believed in play with the truth, or in worldstates one team's ball with the other's.
func (a *Analyst) beliefs(f *Frame) {
	stations := [2]*soccer.Vec3{}
	for i := range f.Beliefs {
		b := &f.Beliefs[i]
		k := index(b.By.Side)
		if k == 2 {
			continue
		}
		if b.By.Number == Station {
			stations[k] = b.Ball
			continue
		}
		t := a.track(b.By)
		if t == nil {
			continue
		}
		fresh := b.At != t.now.At
		t.now = *b
		t.offBall = math.NaN()
		if b.Ball != nil && f.Known {
			t.offBall = b.Ball.XY().Sub(f.Scene.Ball.XY()).Len()
		}
		if !fresh || !f.State.Running {
			continue
		}
		t.ball.add(t.offBall)
		if !math.IsNaN(t.offBall) {
			a.moment.sum[k] += t.offBall
			a.moment.n[k]++
		}
		if r := robotOf(&f.Scene, b.By); r != nil {
			off := math.NaN()
			if b.Self != nil {
				off = b.Self.XY().Sub(r.Pose.XY()).Len()
			}
			t.self.add(off)
		}
	}
	if !f.State.Running || stations == [2]*soccer.Vec3{} {
		return
	}
	off := math.NaN()
	if stations[0] != nil && stations[1] != nil {
		off = stations[0].XY().Sub(stations[1].XY()).Len()
	}
	for k, side := range game.Sides {
		t := a.track(autoref.Player{Side: side, Number: Station})
		if t == nil {
			continue
		}
		if stations[k] == nil {
			t.ball.add(math.NaN())
			continue
		}
		if !math.IsNaN(off) {
			t.ball.add(off)
			a.moment.sum[k] += off
			a.moment.n[k]++
		}
	}
}

func robotOf(s *autoref.Scene, p autoref.Player) *autoref.Robot {
	for i := range s.Robots {
		if r := &s.Robots[i]; r.Player == p && r.There {
			return r
		}
	}
	return nil
}
