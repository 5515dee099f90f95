// Package delay learns when the contents of a robot's packages were captured: the offset of its clock, and by how much
// they are older than their stamps say.
//
// The least delay of a link looks like an offset of the sender's clock. But a ball that changes its velocity does so for
// all robots at once: the sights of one fit those of another one's camera only at the true time.

package world

import (
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

const (
	bins     = 24
	step     = 20 * time.Millisecond
	shortest = -4 * step // the delay that is assumed may exceed the true one
	longest  = shortest + (bins-1)*step
)

// of returns the delay of a bin.
func of(bin int) time.Duration { return shortest + time.Duration(bin)*step }

// usual holds how likely each delay is before anything is learnt.
var usual = func() (p [bins]float64) {
	const (
		jitter = 0.02  // s, by which the true delay usually differs from the assumed one
		rest   = 0.005 // weight of greater differences,
		wide   = 0.2   // s, up to this
	)
	for k := range p {
		t := of(k).Seconds()
		square := float64(t * t)
		p[k] = exact.Exp(-square/(2*jitter*jitter)) + float64(rest*exact.Exp(-square/(2*wide*wide)))
	}
	return p
}()

// Evidence holds the logarithm of the probability of each delay, plus a constant.
type Evidence [bins]float64

// Add adds other to e.
func (e *Evidence) Add(other *Evidence) {
	for k := range e {
		e[k] += other[k]
	}
}

// Estimate is what is learnt about the packages of one robot.
type Estimate struct {
	Mean     time.Duration
	Evidence Evidence

	// Sights of one window: their distances from the own ones at each delay. What these have in common is the error of
	// the two robots' poses.
	since   soccer.Time
	weight  float64          // sum of 1/variance, 1/m^2
	sums    [bins]soccer.Vec // weighted, 1/m
	squares [bins]float64    // weighted

	waiting Sight       // for the own ones that follow it; at the time of its stamp
	newest  soccer.Time // stamp of the newest sight that was compared
}

// Sight is where a robot saw the ball.
type Sight struct {
	At       soccer.Time // of capture
	Place    soccer.Vec
	Variance float64 // m^2, in one direction
}

// Sights holds where a robot's own camera saw the ball of late, oldest first.
type Sights struct {
	n   int
	all [32]Sight
}

// Add adds a sight. One that is older than the newest is left out.
func (o *Sights) Add(s Sight) {
	switch {
	case o.n > 0 && s.At <= o.all[o.n-1].At:
		return
	case o.n == len(o.all):
		copy(o.all[:], o.all[1:])
		o.n--
	}
	o.all[o.n] = s
	o.n++
}

// covers reports whether the robot saw the ball from one time to the other, without a gap.
func (o *Sights) covers(from, to soccer.Time) bool {
	const gap = 100 * time.Millisecond
	if o.n == 0 || o.all[0].At > from || o.all[o.n-1].At < to {
		return false
	}
	for i := o.n - 1; o.all[i].At > from; i-- {
		if o.all[i].At.Sub(o.all[i-1].At) > gap {
			return false
		}
	}
	return true
}

// Learn takes a sight, at the time of its stamp, or drops it: one in 50 ms is enough. It reports whether there is new
// evidence.
func (d *Estimate) Learn(s Sight, own *Sights) (learnt bool) {
	const (
		every  = 50 * time.Millisecond
		window = 700 * time.Millisecond
		margin = 50 * time.Millisecond // for a picture beyond the shortest and the longest delay
	)
	w := &d.waiting
	if w.At != 0 && own.n > 0 && own.all[own.n-1].At >= w.At.Add(margin-shortest) {
		if own.covers(w.At.Add(-longest-margin), w.At.Add(margin-shortest)) {
			if w.At.Sub(d.since) > window {
				learnt = d.endWindow()
			}
			d.compare(own)
		}
		w.At = 0
	}
	if s.At.Sub(d.newest) > every && (w.At == 0 || s.At.Sub(w.At) > time.Second) {
		*w = s
	}
	return learnt
}

// compare compares the sight that waits with where the own camera saw the ball, at each delay.
func (d *Estimate) compare(own *Sights) {
	const most = 1.0 // m^2, beyond which it was another ball
	var off [bins]soccer.Vec
	var squares [bins]float64
	least := most
	i := own.n - 1
	line := own.line(i)
	for k := range off {
		at := d.waiting.At.Add(-of(k))
		for own.all[i-1].At > at {
			i--
			line = own.line(i)
		}
		off[k] = d.waiting.Place.Sub(line.at(at))
		squares[k] = off[k].Dot(off[k])
		least = min(least, squares[k])
	}
	if least == most {
		return
	}
	d.newest = d.waiting.At
	if d.weight == 0 {
		d.since = d.waiting.At
	}
	w := 1 / (d.waiting.Variance + own.all[i].Variance)
	d.weight += w
	for k := range off {
		d.sums[k].X += float64(w * off[k].X)
		d.sums[k].Y += float64(w * off[k].Y)
		d.squares[k] += float64(w * squares[k])
	}
}

// line is the path of the ball near a time. It is fitted to four sights, so that its error is about the same between
// pictures as at the time of one: otherwise delays between pictures would seem to fit better.
type line struct {
	mean            soccer.Time
	place, velocity soccer.Vec
}

// line returns the path of the ball between the sight before i and i.
func (o *Sights) line(i int) (l line) {
	const n = 4
	near := o.all[min(max(0, i-2), o.n-n):][:n]
	for k := range near {
		l.mean += (near[k].At - near[0].At) / n
		l.place.X += float64(near[k].Place.X / n)
		l.place.Y += float64(near[k].Place.Y / n)
	}
	l.mean += near[0].At
	square := 0.0
	for k := range near {
		t := near[k].At.Sub(l.mean).Seconds()
		square += float64(t * t)
		l.velocity.X += float64(t * (near[k].Place.X - l.place.X))
		l.velocity.Y += float64(t * (near[k].Place.Y - l.place.Y))
	}
	l.velocity = soccer.Vec{X: l.velocity.X / square, Y: l.velocity.Y / square}
	return l
}

// at returns where the ball was at a time.
func (l *line) at(at soccer.Time) soccer.Vec {
	t := at.Sub(l.mean).Seconds()
	return l.place.Add(l.velocity.Scale(t))
}

// endWindow turns the distances of a window into evidence. It reports whether there were any.
func (d *Estimate) endWindow() bool {
	const (
		poses  = 0.16 // m, sigma of the distance that two poses cause
		trust  = 0.5  // in the evidence: errors are larger than assumed, and not independent
		memory = 0.98 // of a window: half a minute
	)
	if d.weight == 0 {
		return false
	}
	most := 0.0
	for k := range d.Evidence {
		s := &d.sums[k]
		common := s.Dot(*s) / (1/(poses*poses) + d.weight)
		d.Evidence[k] = float64(memory*d.Evidence[k]) - float64(0.5*trust*(d.squares[k]-common))
		if k == 0 || d.Evidence[k] > most {
			most = d.Evidence[k]
		}
	}
	for k := range d.Evidence {
		d.Evidence[k] -= most
	}
	d.beginWindow()
	return true
}

// beginWindow forgets the sights of the window.
func (d *Estimate) beginWindow() {
	d.weight = 0
	clear(d.sums[:])
	clear(d.squares[:])
}

// ClockJumped forgets the sights whose stamps are those of the clock before.
func (d *Estimate) ClockJumped() {
	d.beginWindow()
	d.waiting.At, d.newest = 0, 0
}

// Judge estimates the delay from the evidence of this robot and the sum of that of all robots. Those of one network have
// similar delays.
func (d *Estimate) Judge(all *Evidence) {
	const (
		alike  = 0.6  // probability that this robot's delay is that of the others
		single = 0.05 // probability that it is any
	)
	most := all[0] - d.Evidence[0]
	for k := range all {
		most = max(most, all[k]-d.Evidence[k])
	}
	var others [bins]float64
	sumUsual, sumOthers := 0.0, 0.0
	for k := range all {
		others[k] = float64(usual[k] * exact.Exp(all[k]-d.Evidence[k]-most))
		sumUsual += usual[k]
		sumOthers += others[k]
	}
	total, mean := 0.0, 0.0
	for k := range all {
		prior := float64(alike*others[k])/sumOthers + float64((1-alike-single)*usual[k])/sumUsual + single/bins
		w := float64(prior * exact.Exp(d.Evidence[k]))
		total += w
		mean += float64(w * of(k).Seconds())
	}
	const noticed = step
	if d.Mean = time.Duration(mean / total * 1e9); d.Mean.Abs() < noticed {
		d.Mean = 0
	}
}
