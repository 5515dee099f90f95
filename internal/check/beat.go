package check

import (
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
)

// Bounds of the rhythm of packages.
const (
	minRate = 10.0             // Hz: most teams deliver 10 to 30, no rate is prescribed (Mixed Team Package v2, General Remarks)
	maxRate = 30.0             // Hz
	jumpAt  = time.Second      // a clock that differs this much from the arrivals has jumped: no Wi-Fi queue is that long
	newPart = 2000             // ms: a clock that falls below this started a new part of the match
	silence = 10 * time.Second // after this gap the sender was away: no packets are missing
)

// RateNote returns a note on an unusual rate in Hz, or "".
func RateNote(rate float64) string {
	const tolerance = 0.03 // error of a counted rate
	if rate >= (1-tolerance)*minRate && rate <= (1+tolerance)*maxRate {
		return ""
	}
	return fmt.Sprintf("%.1f packets a second: no rate is prescribed, most teams deliver 10 to 30", rate)
}

// Beat keeps the rhythm of one sender in fixed memory: the gaps between its packets, an estimate of lost ones, and
// whether its clock jumps. The zero value is ready.
type Beat struct {
	arrived, sent histogram // between arrivals; between sendings, by the sender's clock if it runs
	differences   int64     // us, sum over the gaps of which both are known
	timed         int       // number of gaps with both
	last          soccer.Time
	clock         uint32 // newest timestamp
	hasClock      bool
	started       bool
}

// Pulse is what one packet added to a Beat, for Forget.
type Pulse struct {
	Jump          time.Duration // gain of the sender's clock relative to the arrivals; 0 if it did not jump
	arrived, sent int32         // ms
	difference    int32         // us between the two
	timed, first  bool
}

// Add counts a packet that arrived at now. Its timestamp counts if hasClock is set (a v1 package has none).
func (b *Beat) Add(now soccer.Time, hasClock bool, clock uint32) Pulse {
	p := Pulse{first: !b.started}
	gap := max(now.Sub(b.last), 0)
	if !p.first {
		p.arrived = int32(min(gap, time.Hour) / time.Millisecond)
		p.sent = p.arrived
		// A clock that stands still (before the start of a half, or never set) gives no time of sending.
		if hasClock && b.hasClock && clock != b.clock {
			p.compare(gap, int64(int32(clock-b.clock)), clock)
		}
		b.arrived.add(p.arrived, 1)
		b.sent.add(p.sent, 1)
		b.differences += int64(p.difference)
		if p.timed {
			b.timed++
		}
	}
	// A packet that a newer one overtook does not turn the clock back.
	if late := p.timed && p.sent == 0 && int32(clock-b.clock) < 0; !late {
		b.clock = clock
	}
	b.started, b.hasClock, b.last = true, hasClock, now
	return p
}

// compare compares the advance of the sender's clock in ms with the gap between arrivals.
func (p *Pulse) compare(gap time.Duration, advance int64, clock uint32) {
	drift := time.Duration(advance)*time.Millisecond - gap
	switch {
	case advance < 0 && int64(clock) <= newPart+gap.Milliseconds():
	case drift > jumpAt || drift < -jumpAt:
		p.Jump = drift
	default:
		p.timed = true
		p.sent = int32(max(advance, 0))
		p.difference = int32(drift.Abs() / time.Microsecond)
	}
}

// Forget removes a packet that Add counted.
func (b *Beat) Forget(p Pulse) {
	if p.first {
		return
	}
	b.arrived.add(p.arrived, -1)
	b.sent.add(p.sent, -1)
	b.differences -= int64(p.difference)
	if p.timed {
		b.timed--
	}
}

// Gap returns the gap in ms between arrivals that a share q of all gaps does not exceed, and whether there are any
// gaps. It is exact to a millisecond below one second.
func (b *Beat) Gap(q float64) (float64, bool) {
	return b.arrived.quantile(q)
}

// Jitter returns by how many ms the network changes the gap between two packets on average: relative to the sender's
// clock if it runs, otherwise to the usual gap. It reports false if fewer than two gaps are known.
func (b *Beat) Jitter() (float64, bool) {
	if b.arrived.n < 2 {
		return 0, false
	}
	if 2*b.timed > b.arrived.n {
		return float64(b.differences) / float64(b.timed) / 1000, true
	}
	return b.arrived.spread(b.arrived.usual()), true
}

// Missing returns the share of lost packets, 0..1. The package has no sequence number, so this is an estimate: a gap of
// k times the usual one, by the sender's clock if it runs, is k-1 lost packets. Packets that come too early count
// against that, so jitter alone leaves it at 0. The silence since the newest packet is no loss: the robot may have left
// the field. It reports false if the usual gap is unknown.
func (b *Beat) Missing() (float64, bool) {
	usual := b.sent.usual()
	if usual == 0 || b.sent.n < 5 {
		return 0, false
	}
	lost := max(b.sent.lost(usual), 0)
	return lost / (lost + float64(b.sent.n) + 1), true
}

// Repeats remembers the last packets of a sender to recognise duplicates. The zero value is ready.
type Repeats struct {
	seen bounded.Ring[seen]
}

// seen is a packet by its checksum.
type seen struct {
	at         soccer.Time
	sum, clock uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Again reports whether the same bytes arrived within the last second. If the sender's clock stands still or is absent
// (0), a robot at rest may well send the same bytes again: then only 10 ms count, which no sender's period reaches.
func (r *Repeats) Again(now soccer.Time, clock uint32, data []byte) bool {
	sum := crc32.Checksum(data, castagnoli)
	again, runs := false, false
	within := time.Second
	for i := r.seen.Len() - 1; i >= 0; i-- {
		s := r.seen.At(i)
		age := now.Sub(s.at).Abs() // this machine's clock may be set back
		if age > time.Second {
			break
		}
		if s.sum == sum && s.clock == clock && !again {
			again, within = true, age
		}
		runs = runs || s.clock != clock
	}
	if again && (runs || within <= 10*time.Millisecond) {
		return true
	}
	*r.seen.Push(32) = seen{now, sum, clock}
	return false
}

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
