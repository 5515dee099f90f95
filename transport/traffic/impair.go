package traffic

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// reorderHold is the extra delay of a reordered packet. It exceeds the period of the slowest mixed team sender, 10
// packets a second (Mixed Team Package v2), so that the next packet overtakes it.
const reorderHold = 150 * time.Millisecond

// maxDelay bounds Delay and Jitter.
const maxDelay = time.Hour

// Link describes how the link from one sender to one receiver impairs packets. The zero Link is perfect.
type Link struct {
	Loss      float64       // share of packets that are lost, 0..1. Default 0
	Burst     float64       // mean length of a run of losses in packets; up to 1 losses are independent. Default 0
	Delay     time.Duration // delay added to each packet, 0..1h. Default 0
	Jitter    time.Duration // plus a random delay up to this, 0..1h, evenly distributed; may reorder packets. Default 0
	Duplicate float64       // share of packets that arrive twice, 0..1. Default 0
	Reorder   float64       // share of packets that are held back for 150 ms, 0..1. Default 0
}

// Validate returns an error that names the first value out of range and the range.
func (l Link) Validate() error {
	shares := []struct {
		name  string
		value float64
	}{{"loss", l.Loss}, {"duplicates", l.Duplicate}, {"reordering", l.Reorder}}
	for _, s := range shares {
		if !(s.value >= 0 && s.value <= 1) {
			return fmt.Errorf("%s %v: want a share from 0 to 1, for example 0.1", s.name, s.value)
		}
	}
	if !(l.Burst >= 0 && l.Burst <= 1e6) {
		return fmt.Errorf("burst %v: want a mean run of losses from 0 to 1e6 packets, for example 5", l.Burst)
	}
	// A run of losses ends with a packet that arrives, so shorter runs cannot add up to this loss.
	const rounding = 1e-9
	if shortest := l.Loss / (1 - l.Loss); l.Burst > 1 && l.Loss < 1 && l.Burst < shortest*(1-rounding) {
		return fmt.Errorf("burst %v: a loss of %v needs runs of at least %.4g packets, or 0 for independent losses",
			l.Burst, l.Loss, shortest)
	}
	if l.Delay < 0 || l.Delay > maxDelay {
		return fmt.Errorf("delay %v: want a time from 0 to 1h, for example 20ms", l.Delay)
	}
	if l.Jitter < 0 || l.Jitter > maxDelay {
		return fmt.Errorf("jitter %v: want a time from 0 to 1h, for example 10ms", l.Jitter)
	}
	return nil
}

// Change is an operator's change of a Link. A value that is nil stays as it is.
type Change struct {
	Loss  *float64 `json:"loss"`  // share of packets, 0..1
	Delay *float64 `json:"delay"` // ms, 0..3,600,000
}

// Apply returns a link after the change, or the link as it was and an error that names the value out of range.
func (c Change) Apply(l Link) (Link, error) {
	changed := l
	if c.Loss != nil {
		changed.Loss = *c.Loss
	}
	if c.Delay != nil {
		const most = float64(maxDelay / time.Millisecond)
		if !(*c.Delay >= 0 && *c.Delay <= most) {
			return l, fmt.Errorf("delay %v ms: want 0 to %.0f, for example 20", *c.Delay, most)
		}
		changed.Delay = time.Duration(*c.Delay * float64(time.Millisecond))
	}
	if err := changed.Validate(); err != nil {
		return l, err
	}
	return changed, nil
}

// Impairment applies a Link to a stream of packets. Losses follow the model of Gilbert and Elliott with a bad state
// that loses every packet and a good state that loses none. It is not safe for concurrent use.
type Impairment struct {
	link        Link
	rng         *rand.Rand
	independent bool    // losses are independent of each other
	bad         bool    // the state
	toBad       float64 // chance to change from good to bad with a packet
	toGood      float64 // chance to change from bad to good
}

// NewImpairment returns an Impairment of a Link that Validate accepts. The same seed and stream give the same packets
// the same fate on every machine; streams of one seed are independent.
func NewImpairment(link Link, seed, stream uint64) *Impairment {
	m := &Impairment{link: link, rng: rand.New(rand.NewPCG(seed, stream))}
	if link.Burst <= 1 || link.Loss >= 1 {
		m.independent = true
		return m
	}
	m.toGood = 1 / link.Burst
	m.toBad = m.toGood * link.Loss / (1 - link.Loss) // the share of packets in the bad state is then Loss
	m.bad = m.chance(link.Loss)
	return m
}

// Next decides the fate of the next packet. It appends to dst the delay of each copy that arrives, the original first;
// it appends nothing if the packet is lost.
func (m *Impairment) Next(dst []time.Duration) []time.Duration {
	if m.lost() {
		return dst
	}
	dst = append(dst, m.delay())
	if m.chance(m.link.Duplicate) {
		dst = append(dst, m.delay())
	}
	return dst
}

func (m *Impairment) lost() bool {
	if m.independent {
		return m.chance(m.link.Loss)
	}
	lost := m.bad
	if m.bad {
		m.bad = !m.chance(m.toGood)
	} else {
		m.bad = m.chance(m.toBad)
	}
	return lost
}

// delay returns the delay of one copy.
func (m *Impairment) delay() time.Duration {
	d := m.link.Delay
	if m.link.Jitter > 0 {
		d += time.Duration(m.rng.Int64N(int64(m.link.Jitter)))
	}
	if m.chance(m.link.Reorder) {
		d += reorderHold
	}
	return d
}

// chance is true with the given probability. A probability of 0 uses no random number.
func (m *Impairment) chance(probability float64) bool {
	return probability > 0 && m.rng.Float64() < probability
}
