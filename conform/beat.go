package conform

import (
	"fmt"
	"math"
	"time"

	"touchline/soccer"
)

// Bounds of rhythm.
const (
	MinRate = 10.0             // Hz: what most teams deliver (seed 000, general remarks); the seed prescribes no rate
	MaxRate = 30.0             // Hz
	jumpAt  = time.Second      // a clock that goes so much astray from the arrivals has jumped: no Wi-Fi queue is so long
	newPart = 2000             // ms: a clock that falls below this began a new part of the match
	silence = 10 * time.Second // after that a sender was away: its packets are not missing
)

// RateNote says in plain words that a rate in Hz is not usual, or returns "".
func RateNote(rate float64) string {
	const measured = 0.03 // a rate that is counted is a little off
	if rate >= (1-measured)*MinRate && rate <= (1+measured)*MaxRate {
		return ""
	}
	return fmt.Sprintf("%.1f packets a second: no rate is prescribed, most teams deliver 10 to 30", rate)
}

// Beat keeps the rhythm of one sender in fixed memory: the gaps between its packets, what is missing between them, and
// whether its clock holds. The zero value is ready.
type Beat struct {
	arrived, sent gaps // between arrivals; between sendings, by the sender's clock where it runs
	astray        int64
	timed         int
	last          soccer.Time
	clock         uint32 // newest timestamp
	hasClock      bool
	began         bool
}

// Pulse is what one packet added to a Beat: hand it to Forget to take it out again.
type Pulse struct {
	Jump          time.Duration // what the sender's clock gained against the arrivals; 0 when it did not jump
	arrived, sent int32         // ms
	astray        int32         // us that the two differ
	timed, first  bool
}

// Add takes in a packet that arrived at now; its timestamp counts if hasClock is set (a v1 package has none).
func (b *Beat) Add(now soccer.Time, hasClock bool, clock uint32) Pulse {
	p := Pulse{first: !b.began}
	gap := max(now.Sub(b.last), 0)
	if !p.first {
		p.arrived = int32(min(gap, time.Hour) / time.Millisecond)
		p.sent = p.arrived
		// A clock that stands still (before the start of a half, or never set) tells nothing.
		if hasClock && b.hasClock && clock != b.clock {
			p.compare(gap, int64(int32(clock-b.clock)), clock)
		}
		b.arrived.add(p.arrived, 1)
		b.sent.add(p.sent, 1)
		b.astray += int64(p.astray)
		if p.timed {
			b.timed++
		}
	}
	// A late packet, overtaken by a newer one, does not turn the clock back.
	if late := p.timed && p.sent == 0 && int32(clock-b.clock) < 0; !late {
		b.clock = clock
	}
	b.began, b.hasClock, b.last = true, hasClock, now
	return p
}

// compare judges the advance of the sender's clock in ms against the gap between arrivals.
func (p *Pulse) compare(gap time.Duration, advance int64, clock uint32) {
	drift := time.Duration(advance)*time.Millisecond - gap
	switch {
	case advance < 0 && int64(clock) <= newPart+gap.Milliseconds():
	case drift > jumpAt || drift < -jumpAt:
		p.Jump = drift
	default:
		p.timed = true
		p.sent = int32(max(advance, 0))
		p.astray = int32(drift.Abs() / time.Microsecond)
	}
}

// Forget takes out a packet that Add took in.
func (b *Beat) Forget(p Pulse) {
	if p.first {
		return
	}
	b.arrived.add(p.arrived, -1)
	b.sent.add(p.sent, -1)
	b.astray -= int64(p.astray)
	if p.timed {
		b.timed--
	}
}

// Gap returns the gap in ms between arrivals that a share q of all gaps does not exceed, and whether there are any.
// It is exact to a millisecond up to one second.
func (b *Beat) Gap(q float64) (float64, bool) {
	return b.arrived.quantile(q), b.arrived.n > 0
}

// Jitter returns how much in ms two packets' distance changes on the way, on average: by the sender's clock where it
// runs, else against the usual gap. It reports false when fewer than two gaps are known.
func (b *Beat) Jitter() (float64, bool) {
	if b.arrived.n < 2 {
		return 0, false
	}
	if 2*b.timed > b.arrived.n {
		return float64(b.astray) / float64(b.timed) / 1000, true
	}
	return b.arrived.spread(b.arrived.usual()), true
}

// Missing returns the share of packets, 0..1, that did not come. The package has no sequence number, so it is an
// estimate: a distance between two packets of k times the usual one, by the sender's clock where it runs, is k-1 missing
// packets, and packets that come too soon count against that; so jitter alone leaves it at 0. The silence up to now counts
// too. It reports false when the usual distance is not known.
func (b *Beat) Missing(now soccer.Time) (float64, bool) {
	usual := b.sent.usual()
	if usual == 0 || b.sent.n < 5 {
		return 0, false
	}
	lost := b.sent.lost(usual)
	if quiet := now.Sub(b.last); quiet < silence {
		lost += max(math.Floor(float64(quiet.Milliseconds())/usual)-1, 0)
	}
	lost = max(lost, 0)
	return lost / (lost + float64(b.sent.n) + 1), true
}

// gaps counts gaps by their milliseconds; the last bin holds those of a second and more.
type gaps struct {
	bins [1001]uint32
	n    int
	long int64 // ms in the last bin, without those that are silence
	away uint32
}

// add adds a gap n times; -1 takes it out.
func (g *gaps) add(ms int32, n int) {
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

// quantile returns the gap in ms that a share q does not exceed; in the last bin, its mean.
func (g *gaps) quantile(q float64) float64 {
	rank := int(math.Ceil(q * float64(g.n)))
	for ms, n := range g.bins[:len(g.bins)-1] {
		if rank -= int(n); rank <= 0 {
			return float64(ms)
		}
	}
	if in := g.bins[len(g.bins)-1] - g.away; in > 0 {
		return float64(g.long) / float64(in)
	}
	return float64(silence.Milliseconds())
}

// usual returns the mean in ms of the gaps near the median; 0 when there are none.
func (g *gaps) usual() float64 {
	if g.n == 0 {
		return 0
	}
	median := int(g.quantile(0.5))
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

// spread returns the mean distance in ms of the gaps below a second from one of them.
func (g *gaps) spread(from float64) float64 {
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

// lost returns how many packets less there are than the gaps have room for.
func (g *gaps) lost(usual float64) float64 {
	lost := float64(g.long)/usual - float64(g.bins[len(g.bins)-1]-g.away)
	for ms, n := range g.bins[:len(g.bins)-1] {
		if n > 0 {
			lost += float64(float64(n) * (math.Round(float64(ms)/usual) - 1))
		}
	}
	return lost
}
