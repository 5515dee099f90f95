package link

import (
	"cmp"
	"slices"

	"touchline/soccer"
)

// sample is a measured duration.
type sample struct {
	at    soccer.Time
	value int64 // ns
}

// samples keeps a random sample of the durations of each of the last 10 s, the same number for each second (algorithm R
// of Vitter, "Random sampling with a reservoir", 1985).
type samples struct {
	kept   [recentSeconds][]sample
	seen   [recentSeconds]uint64
	ring   ring
	each   int // samples a second
	random uint64
}

func newSamples(each int) samples { return samples{each: each} }

func (s *samples) clear() { s.ring = ring{} }

func (s *samples) add(now soccer.Time, value int64) {
	slot, fresh := s.ring.slot(now)
	if fresh {
		s.kept[slot], s.seen[slot] = s.kept[slot][:0], 0
	}
	s.seen[slot]++
	if len(s.kept[slot]) < s.each {
		s.kept[slot] = append(s.kept[slot], sample{now, value})
		return
	}
	if i := s.draw(s.seen[slot]); i < uint64(s.each) {
		s.kept[slot][i] = sample{now, value}
	}
}

// draw returns a number below n (SplitMix64).
func (s *samples) draw(n uint64) uint64 {
	s.random += 0x9e3779b97f4a7c15
	z := s.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return (z ^ z>>31) % n
}

// Quantiles describe the durations of the last 10 s.
type Quantiles struct {
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
}

// quantiles returns the median and the 99th percentile of the samples of the last 10 s, each converted to ms. It leaves
// out samples without a valid value. It is false if none is left.
func (s *samples) quantiles(now soccer.Time, millis func(sample) (float64, bool)) (Quantiles, bool) {
	type weighted struct{ value, weight float64 }
	var all []weighted
	total := 0.0
	for slot, kept := range s.kept {
		if !s.ring.covers(slot, now) {
			continue
		}
		weight := float64(s.seen[slot]) / float64(max(len(kept), 1))
		for _, k := range kept {
			if v, ok := millis(k); ok {
				all = append(all, weighted{v, weight})
				total += weight
			}
		}
	}
	slices.SortFunc(all, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	var q Quantiles
	below := 0.0
	for _, w := range all {
		if below < total*0.5 {
			q.P50 = w.value
		}
		if below < total*0.99 {
			q.P99 = w.value
		}
		below += w.weight
	}
	return q, len(all) > 0
}
