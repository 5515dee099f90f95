package world

import (
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

const (
	delayBins     = 24
	delayStep     = 20 * time.Millisecond
	shortestDelay = -4 * delayStep // the delay that is assumed may exceed the true one
	longestDelay  = shortestDelay + (delayBins-1)*delayStep
)

// delayOf returns the delay of a bin.
func delayOf(bin int) time.Duration { return shortestDelay + time.Duration(bin)*delayStep }

// usualDelays holds how likely each delay is before anything is learnt.
var usualDelays = func() (p [delayBins]float64) {
	const (
		jitter = 0.02  // s, by which the true delay usually differs from the assumed one
		rest   = 0.005 // weight of greater differences,
		wide   = 0.2   // s, up to this
	)
	for k := range p {
		t := delayOf(k).Seconds()
		square := float64(t * t)
		p[k] = exact.Exp(-square/(2*jitter*jitter)) + float64(rest*exact.Exp(-square/(2*wide*wide)))
	}
	return p
}()

// delayEvidence holds the logarithm of the probability of each delay, plus a constant.
type delayEvidence [delayBins]float64

// add adds other to e.
func (e *delayEvidence) add(other *delayEvidence) {
	for k := range e {
		e[k] += other[k]
	}
}

// delayEstimate is what is learnt about by how much the contents of one robot's packages are older than their stamps say.
// The least delay of a link looks like an offset of the sender's clock. But a ball that changes its velocity does so for
// all robots at once: the sights of one fit those of another one's camera only at the true time.
type delayEstimate struct {
	mean     time.Duration
	evidence delayEvidence

	// Sights of one window: their distances from the own ones at each delay. Their common part is the error of
	// the two robots' poses.
	since   soccer.Time
	weight  float64               // sum of 1/variance, 1/m^2
	sums    [delayBins]soccer.Vec // weighted, 1/m
	squares [delayBins]float64    // weighted

	waiting delaySight  // sight at the time of its stamp, which waits for later own ones
	newest  soccer.Time // stamp of the newest sight that was compared
}

// delaySight is where a robot saw the ball.
type delaySight struct {
	at       soccer.Time // capture time
	place    soccer.Vec
	variance float64 // m^2, in one direction
}

// delaySights holds where a robot's own camera saw the ball recently, oldest first.
type delaySights struct {
	n   int
	all [32]delaySight
}

// add adds a sight. One that is older than the newest is left out.
func (o *delaySights) add(s delaySight) {
	switch {
	case o.n > 0 && s.at <= o.all[o.n-1].at:
		return
	case o.n == len(o.all):
		copy(o.all[:], o.all[1:])
		o.n--
	}
	o.all[o.n] = s
	o.n++
}

// covers reports whether the robot saw the ball from one time to the other, without a gap.
func (o *delaySights) covers(from, to soccer.Time) bool {
	const gap = 100 * time.Millisecond
	if o.n == 0 || o.all[0].at > from || o.all[o.n-1].at < to {
		return false
	}
	for i := o.n - 1; o.all[i].at > from; i-- {
		if o.all[i].at.Sub(o.all[i-1].at) > gap {
			return false
		}
	}
	return true
}

// learn takes a sight, at the time of its stamp, or drops it: one in 50 ms is enough. It reports whether there is new
// evidence.
func (d *delayEstimate) learn(s delaySight, own *delaySights) (learnt bool) {
	const (
		every  = 50 * time.Millisecond
		window = 700 * time.Millisecond
		margin = 50 * time.Millisecond // a picture beyond the shortest and the longest delay
	)
	w := &d.waiting
	if w.at != 0 && own.n > 0 && own.all[own.n-1].at >= w.at.Add(margin-shortestDelay) {
		if own.covers(w.at.Add(-longestDelay-margin), w.at.Add(margin-shortestDelay)) {
			if w.at.Sub(d.since) > window {
				learnt = d.endWindow()
			}
			d.compare(own)
		}
		w.at = 0
	}
	if s.at.Sub(d.newest) > every && (w.at == 0 || s.at.Sub(w.at) > time.Second) {
		*w = s
	}
	return learnt
}

// compare compares the sight that waits with where the own camera saw the ball, at each delay.
func (d *delayEstimate) compare(own *delaySights) {
	const most = 1.0 // m^2, beyond which it was another ball
	var off [delayBins]soccer.Vec
	var squares [delayBins]float64
	least := most
	i := own.n - 1
	line := own.line(i)
	for k := range off {
		at := d.waiting.at.Add(-delayOf(k))
		for own.all[i-1].at > at {
			i--
			line = own.line(i)
		}
		off[k] = d.waiting.place.Sub(line.at(at))
		squares[k] = off[k].Dot(off[k])
		least = min(least, squares[k])
	}
	if least == most {
		return
	}
	d.newest = d.waiting.at
	if d.weight == 0 {
		d.since = d.waiting.at
	}
	w := 1 / (d.waiting.variance + own.all[i].variance)
	d.weight += w
	for k := range off {
		d.sums[k].X += float64(w * off[k].X)
		d.sums[k].Y += float64(w * off[k].Y)
		d.squares[k] += float64(w * squares[k])
	}
}

// ballLine is the path of the ball near a time. It is fitted to four sights, so that its error is about the same between
// pictures as at the time of one: otherwise delays between pictures would seem to fit better.
type ballLine struct {
	mean            soccer.Time
	place, velocity soccer.Vec
}

// line returns the path of the ball between the sight before i and i.
func (o *delaySights) line(i int) (l ballLine) {
	const n = 4
	near := o.all[min(max(0, i-2), o.n-n):][:n]
	for k := range near {
		l.mean += (near[k].at - near[0].at) / n
		l.place.X += float64(near[k].place.X / n)
		l.place.Y += float64(near[k].place.Y / n)
	}
	l.mean += near[0].at
	square := 0.0
	for k := range near {
		t := near[k].at.Sub(l.mean).Seconds()
		square += float64(t * t)
		l.velocity.X += float64(t * (near[k].place.X - l.place.X))
		l.velocity.Y += float64(t * (near[k].place.Y - l.place.Y))
	}
	l.velocity = soccer.Vec{X: l.velocity.X / square, Y: l.velocity.Y / square}
	return l
}

// at returns where the ball was at a time.
func (l *ballLine) at(at soccer.Time) soccer.Vec {
	t := at.Sub(l.mean).Seconds()
	return l.place.Add(l.velocity.Scale(t))
}

// endWindow turns the distances of a window into evidence. It reports whether there were any.
func (d *delayEstimate) endWindow() bool {
	const (
		poses  = 0.16 // m, sigma of the distance that two poses cause
		trust  = 0.5  // weight of the evidence: errors are larger than assumed, and not independent
		memory = 0.98 // share kept of a window: half a minute
	)
	if d.weight == 0 {
		return false
	}
	most := 0.0
	for k := range d.evidence {
		s := &d.sums[k]
		common := s.Dot(*s) / (1/(poses*poses) + d.weight)
		d.evidence[k] = float64(memory*d.evidence[k]) - float64(0.5*trust*(d.squares[k]-common))
		if k == 0 || d.evidence[k] > most {
			most = d.evidence[k]
		}
	}
	for k := range d.evidence {
		d.evidence[k] -= most
	}
	d.beginWindow()
	return true
}

// beginWindow forgets the sights of the window.
func (d *delayEstimate) beginWindow() {
	d.weight = 0
	clear(d.sums[:])
	clear(d.squares[:])
}

// clockJumped forgets the sights whose stamps are those of the clock before.
func (d *delayEstimate) clockJumped() {
	d.beginWindow()
	d.waiting.at, d.newest = 0, 0
}

// judge estimates the delay from the evidence of this robot and the sum of that of all robots. Those of one network have
// similar delays.
func (d *delayEstimate) judge(all *delayEvidence) {
	const (
		alike  = 0.6  // probability that this robot's delay is that of the others
		single = 0.05 // probability that it is any
	)
	most := all[0] - d.evidence[0]
	for k := range all {
		most = max(most, all[k]-d.evidence[k])
	}
	var others [delayBins]float64
	sumUsual, sumOthers := 0.0, 0.0
	for k := range all {
		others[k] = float64(usualDelays[k] * exact.Exp(all[k]-d.evidence[k]-most))
		sumUsual += usualDelays[k]
		sumOthers += others[k]
	}
	total, mean := 0.0, 0.0
	for k := range all {
		prior := float64(alike*others[k])/sumOthers + float64((1-alike-single)*usualDelays[k])/sumUsual + single/delayBins
		w := float64(prior * exact.Exp(d.evidence[k]))
		total += w
		mean += float64(w * delayOf(k).Seconds())
	}
	const noticed = delayStep
	if d.mean = time.Duration(mean / total * 1e9); d.mean.Abs() < noticed {
		d.mean = 0
	}
}
