package conform

import (
	"fmt"
	"math"
	"time"

	"touchline/soccer"
)

// Bounds of rhythm.
const (
	MinRate = 10.0             // Hz: what most teams deliver; no rate is prescribed (Mixed Team Package v2, General Remarks)
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
	arrived, sent Gaps // between arrivals; between sendings, by the sender's clock where it runs
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
		b.arrived.Add(p.arrived, 1)
		b.sent.Add(p.sent, 1)
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
	b.arrived.Add(p.arrived, -1)
	b.sent.Add(p.sent, -1)
	b.astray -= int64(p.astray)
	if p.timed {
		b.timed--
	}
}

// Gap returns the gap in ms between arrivals that a share q of all gaps does not exceed, and whether there are any.
// It is exact to a millisecond up to one second.
func (b *Beat) Gap(q float64) (float64, bool) {
	return b.arrived.Quantile(q)
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
