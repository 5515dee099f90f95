package check

import (
	"math"
	"time"
)

// histogram counts gaps by their milliseconds, in fixed memory. The zero value is ready.
type histogram struct {
	bins [1001]uint32 // one a millisecond; the last holds all gaps of a second and more
	n    int
	long int64  // ms, sum of the gaps in the last bin that are no silence
	away uint32 // gaps in the last bin that are silence
}

// add counts a gap of ms milliseconds n times; a negative n removes it again.
func (g *histogram) add(ms int32, n int) {
	g.bins[min(int(ms), len(g.bins)-1)] += uint32(n)
	g.n += n
	switch {
	case int(ms) < len(g.bins)-1:
	case time.Duration(ms)*time.Millisecond < silence:
		g.long += int64(ms) * int64(n)
	default:
		g.away += uint32(n)
	}
}

// quantile returns the gap in ms that a share q of all gaps does not exceed, and false when there are none. It is exact
// to a millisecond below one second; of longer gaps it is their mean.
func (g *histogram) quantile(q float64) (float64, bool) {
	rank := int(math.Ceil(q * float64(g.n)))
	for ms, n := range g.bins[:len(g.bins)-1] {
		if rank -= int(n); rank <= 0 {
			return float64(ms), g.n > 0
		}
	}
	if in := g.bins[len(g.bins)-1] - g.away; in > 0 {
		return float64(g.long) / float64(in), true
	}
	return float64(silence.Milliseconds()), true
}

// usual returns the mean in ms of the gaps near the median; 0 if there are none.
func (g *histogram) usual() float64 {
	half, known := g.quantile(0.5)
	if !known {
		return 0
	}
	median := int(half)
	var n, sum uint64
	for ms := median / 2; ms <= min(median*3/2, len(g.bins)-2); ms++ {
		n += uint64(g.bins[ms])
		sum += uint64(g.bins[ms]) * uint64(ms)
	}
	if n == 0 {
		return float64(median)
	}
	return float64(sum) / float64(n)
}

// spread returns the mean difference in ms between the gaps below a second and the given one.
func (g *histogram) spread(from float64) float64 {
	var n, sum float64
	for ms, count := range g.bins[:len(g.bins)-1] {
		n += float64(count)
		sum += float64(float64(count) * math.Abs(float64(ms)-from))
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// lost returns how many more packets the gaps have room for; it is negative if packets came too early.
func (g *histogram) lost(usual float64) float64 {
	lost := float64(g.long)/usual - float64(g.bins[len(g.bins)-1]-g.away)
	for ms, n := range g.bins[:len(g.bins)-1] {
		if n > 0 {
			lost += float64(float64(n) * (math.Round(float64(ms)/usual) - 1))
		}
	}
	return lost
}
