package teamcom

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
	second  span // second that is sampled
	slot    int  // slot of that second
	each    int  // samples a second
	random  uint64
	seconds [recentSeconds]sampled
	ring    recentSlots
}

// sampled are the samples of a second.
type sampled struct {
	seen uint64
	kept []sample
}

func newSamples(each int) samples { return samples{each: each} }

func (s *samples) clear() { s.ring, s.second = recentSlots{}, span{} }

func (s *samples) add(now soccer.Time, value int64) {
	if !s.second.has(now) {
		slot, fresh := s.ring.slot(now)
		if fresh {
			s.seconds[slot] = sampled{kept: s.seconds[slot].kept[:0]}
		}
		s.slot, s.second = slot, secondAround(now)
	}
	in := &s.seconds[s.slot]
	in.seen++
	if len(in.kept) < s.each {
		in.kept = append(in.kept, sample{now, value})
		return
	}
	if i := s.draw(in.seen); i < uint64(s.each) {
		in.kept[i] = sample{now, value}
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
	for slot := range s.seconds {
		if !s.ring.covers(slot, now) {
			continue
		}
		in := &s.seconds[slot]
		weight := float64(in.seen) / float64(max(len(in.kept), 1))
		for _, k := range in.kept {
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
