package transport

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// ReorderHold is how much later a reordered packet comes: longer than the pause of a sender at 10 packets a second, the
// slowest of the mixed teams (seed 000), so that the next one overtakes it.
const ReorderHold = 150 * time.Millisecond

// maxDelay bounds Delay and Jitter.
const maxDelay = time.Hour

// Link is what happens to packets on their way from one sender to one receiver. The zero Link does nothing to them.
type Link struct {
	Loss      float64       // share of packets that are lost, 0..1
	Burst     float64       // mean length of a run of losses in packets; up to 1 each packet is lost independently
	Delay     time.Duration // at least so long is each packet under way
	Jitter    time.Duration // and up to so much longer, evenly spread; it may put packets out of order
	Duplicate float64       // share of packets that arrive twice, 0..1
	Reorder   float64       // share of packets that come ReorderHold later, 0..1
}

// Validate names the first field whose value is out of range.
func (l Link) Validate() error {
	shares := []struct {
		name  string
		value float64
	}{{"Loss", l.Loss}, {"Duplicate", l.Duplicate}, {"Reorder", l.Reorder}}
	for _, s := range shares {
		if !(s.value >= 0 && s.value <= 1) {
			return fmt.Errorf("transport: Link.%s is %v: give a share of 0 to 1", s.name, s.value)
		}
	}
	if !(l.Burst >= 0 && l.Burst <= 1e6) {
		return fmt.Errorf("transport: Link.Burst is %v: give a mean length of 0 to 1e6 packets", l.Burst)
	}
	// A run of losses ends with a packet that arrives, so shorter runs make less than this loss.
	const rounding = 1e-9
	if shortest := l.Loss / (1 - l.Loss); l.Burst > 1 && l.Loss < 1 && l.Burst < shortest*(1-rounding) {
		return fmt.Errorf("transport: Link.Burst is %v: with Loss %v give at least %.4g, or 0 for independent losses", l.Burst, l.Loss, shortest)
	}
	if l.Delay < 0 || l.Delay > maxDelay {
		return fmt.Errorf("transport: Link.Delay is %v: give 0 to %v", l.Delay, maxDelay)
	}
	if l.Jitter < 0 || l.Jitter > maxDelay {
		return fmt.Errorf("transport: Link.Jitter is %v: give 0 to %v", l.Jitter, maxDelay)
	}
	return nil
}

// Impair plays a Link, packet by packet, from a seed. It is pure: the same seed gives the same fates on every machine.
type Impair struct {
	link Link
	rng  *rand.Rand
	// The model of Gilbert and Elliott with a state that loses all packets and one that loses none: chances to change it.
	bad       bool
	fall      float64 // from good to bad
	rise      float64 // from bad to good
	bernoulli bool    // losses are independent instead
}

// NewImpair returns an Impair of link, which Validate must find right.
func NewImpair(link Link, seed uint64) *Impair { return newImpair(link, seed, 0) }

func newImpair(link Link, seed, stream uint64) *Impair {
	p := &Impair{link: link, rng: rand.New(rand.NewPCG(seed, stream))}
	if link.Burst <= 1 || link.Loss >= 1 {
		p.bernoulli = true
		return p
	}
	p.rise = 1 / link.Burst
	p.fall = p.rise * link.Loss / (1 - link.Loss) // then bad has the share Loss
	p.bad = p.chance(link.Loss)
	return p
}

// Next decides the fate of the next packet: it appends to dst how long each copy that arrives is under way, the original
// first. Nothing appended: the packet is lost.
func (p *Impair) Next(dst []time.Duration) []time.Duration {
	if p.lost() {
		return dst
	}
	dst = append(dst, p.way())
	if p.chance(p.link.Duplicate) {
		dst = append(dst, p.way())
	}
	return dst
}

func (p *Impair) lost() bool {
	if p.bernoulli {
		return p.chance(p.link.Loss)
	}
	lost := p.bad
	if p.bad {
		p.bad = !p.chance(p.rise)
	} else {
		p.bad = p.chance(p.fall)
	}
	return lost
}

// way returns how long one copy is under way.
func (p *Impair) way() time.Duration {
	d := p.link.Delay
	if p.link.Jitter > 0 {
		d += time.Duration(p.rng.Int64N(int64(p.link.Jitter)))
	}
	if p.chance(p.link.Reorder) {
		d += ReorderHold
	}
	return d
}

// chance is true with probability share.
func (p *Impair) chance(share float64) bool { return share > 0 && p.rng.Float64() < share }
