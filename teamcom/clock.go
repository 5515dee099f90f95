package teamcom

import (
	"math"
	"time"

	"touchline/soccer"
)

const (
	// blockSpan and maxBlocks are the resolution and the length of the history of a clock: about 4 minutes.
	blockSpan = 4 * time.Second
	maxBlocks = 64

	// maxTrip bounds the round trip of a usable exchange.
	maxTrip = 10 * time.Second

	// maxTripError is how far a round trip can be below 0, because the two clocks measure its parts: maxDrift in maxHeld.
	maxTripError = 10 * time.Millisecond

	// tolerance is the error of timestamps, in ns: of the kernel's and the program's clock, and of microseconds.
	tolerance = 1e6

	// contradictions in a row show that the peer's clock was set.
	contradictions = 4

	// maxDistance bounds the times that local converts, in ns: about 11 days.
	maxDistance = 1e15
)

// Drifts have no unit: 1e-6 is 1 ppm.
const (
	usualDrift = 50e-6 // standard deviation of crystals, before anything is known
	maxDrift   = 1e-3
	wander     = 2e-6 // a drift changes by this much within minutes
	noiseFloor = 20e3 // ns, of the best blocks
)

// block holds the best bounds of one span of time. Positions on the axis of time are ns since clock.origin, offsets are
// ns above clock.base.
type block struct {
	index              int64
	upper, upperAt     float64 // lowest upper bound of the offset
	lower, lowerAt     float64 // highest lower bound
	hasUpper, hasLower bool
}

// clock estimates the offset of the peer's clock, which is the peer's time minus the node's.
//
// A datagram that leaves at time s of the peer's clock and arrives at time t of ours bounds the offset from below: it is
// at least s - t, because no datagram arrives before it left. Likewise the way to the peer, which an echo completes,
// bounds it from above. The best bounds of a while belong to the datagrams with the least delay. The offset lies in the
// middle between them if the least delay is the same both ways; the distance to the bounds is the error if it is not. A
// line through the middles of the blocks is the drift.
type clock struct {
	known   bool
	origin  soccer.Time
	base    int64 // wraps, as the clock of a peer may show any time
	blocks  [maxBlocks]block
	wrong   int // contradictions in a row
	changed bool

	// The line: at the time at, the offset lies between lower and upper.
	at           float64
	upper, lower float64
	drift        float64
	driftError   float64
}

// above returns remote minus local as an offset above base.
func (c *clock) above(remote uint64, local soccer.Time) float64 {
	return float64(int64(remote-uint64(local)) - c.base)
}

// observe uses a datagram without an echo.
func (c *clock) observe(now soccer.Time, sent uint64) {
	if !c.known {
		return
	}
	t, lower := float64(now.Sub(c.origin)), c.above(sent, now)
	if !c.tooHigh(t, lower) {
		c.insertLower(t, lower)
	}
	c.refresh(t)
}

// exchange uses a datagram that left at sent and echoes one of ours that left at echoed and was held by the peer. It
// reports whether the clock was set since the last one.
func (c *clock) exchange(now soccer.Time, sent, echoed uint64, held time.Duration) (set bool) {
	if !c.known {
		c.start(now, sent)
	}
	arrived := sent - uint64(held) // arrival of our datagram at the peer
	t, lower := float64(now.Sub(c.origin)), c.above(sent, now)
	left, upper := float64(soccer.Time(echoed).Sub(c.origin)), c.above(arrived, soccer.Time(echoed))
	if c.tooHigh(t, lower) || c.tooLow(left, upper) {
		if c.wrong++; c.wrong < contradictions {
			return false
		}
		c.start(now, sent)
		c.exchange(now, sent, echoed, held)
		return true
	}
	c.wrong = 0
	c.insertLower(t, lower)
	c.insertUpper(left, upper)
	c.refresh(t)
	return false
}

// start forgets everything and puts base to the offset of a datagram without delay.
func (c *clock) start(now soccer.Time, sent uint64) {
	*c = clock{known: true, origin: now, base: int64(sent - uint64(now)), driftError: maxDrift,
		upper: math.Inf(1), lower: math.Inf(-1)}
	for i := range c.blocks {
		c.blocks[i].index = -1 << 62
	}
}

// tooHigh reports whether a lower bound contradicts the line, and tooLow an upper bound.
func (c *clock) tooHigh(t, lower float64) bool {
	upper, _ := c.bounds(t)
	return lower > upper+tolerance
}

func (c *clock) tooLow(t, upper float64) bool {
	_, lower := c.bounds(t)
	return upper < lower-tolerance
}

// bounds returns the bounds of the offset at a time.
func (c *clock) bounds(t float64) (upper, lower float64) {
	age := t - c.at
	moved, margin := float64(c.drift*age), float64(c.driftError*math.Abs(age))
	return c.upper + moved + margin, c.lower + moved - margin
}

// block returns the block of a time; nil if it is too long ago.
func (c *clock) block(t float64) *block {
	index := int64(math.Floor(t / float64(blockSpan)))
	b := &c.blocks[uint64(index)%maxBlocks]
	if index > b.index {
		*b = block{index: index}
	}
	if index < b.index {
		return nil
	}
	return b
}

func (c *clock) insertLower(t, lower float64) {
	if b := c.block(t); b != nil && (!b.hasLower || lower > b.lower) {
		b.lower, b.lowerAt, b.hasLower = lower, t, true
		c.changed = true
	}
}

func (c *clock) insertUpper(t, upper float64) {
	if b := c.block(t); b != nil && (!b.hasUpper || upper < b.upper) {
		b.upper, b.upperAt, b.hasUpper = upper, t, true
		c.changed = true
	}
}

// refresh fits the line again if a bound changed, as at least one does in each block. Until then all bounds move on alike,
// as the line does.
func (c *clock) refresh(t float64) {
	if !c.changed {
		return
	}
	c.changed = false
	c.fitDrift(t)
	c.fitBounds(t)
}

// fitDrift fits a line through the middles of the blocks. A block counts the less the wider apart its bounds are; a drift
// of 0, within usualDrift, counts as one more measurement.
func (c *clock) fitDrift(t float64) {
	var at, middle, apart [maxBlocks]float64 // figures of the usable blocks
	n, least := 0, math.Inf(1)
	for i := range c.blocks {
		if b := &c.blocks[i]; b.usable(t) {
			at[n], middle[n], apart[n] = b.time(), b.middle(), b.upper-b.lower
			least = min(least, apart[n])
			n++
		}
	}
	var weights [maxBlocks]float64
	var sum, sumT, sumX float64
	for i := range n {
		w := weight(apart[i] - least)
		weights[i] = w
		sum += w
		sumT += float64(w * at[i])
		sumX += float64(w * middle[i])
	}
	if sum == 0 {
		return
	}
	meanT, meanX := sumT/sum, sumX/sum
	information, product := 1/float64(usualDrift*usualDrift), 0.0
	for i := range n {
		w, dt := weights[i], at[i]-meanT
		information += float64(w * float64(dt*dt))
		product += float64(w * float64(dt*(middle[i]-meanX)))
	}
	c.drift = min(max(product/information, -maxDrift), maxDrift)
	c.driftError = float64(3*math.Sqrt(1/information)) + wander
}

// fitBounds moves the best bounds of all blocks to the time t. Older bounds are less sure. A bound that no block has any
// more moves on from where it was.
func (c *clock) fitBounds(t float64) {
	upper, lower := math.Inf(1), math.Inf(-1)
	for i := range c.blocks {
		b := &c.blocks[i]
		if b.hasUpper {
			age := t - b.upperAt
			upper = min(upper, b.upper+float64(c.drift*age)+float64(c.driftError*math.Abs(age)))
		}
		if b.hasLower {
			age := t - b.lowerAt
			lower = max(lower, b.lower+float64(c.drift*age)-float64(c.driftError*math.Abs(age)))
		}
	}
	oldUpper, oldLower := c.bounds(t)
	if math.IsInf(upper, 0) {
		upper = oldUpper
	}
	if math.IsInf(lower, 0) {
		lower = oldLower
	}
	c.at, c.upper, c.lower = t, upper, lower
}

// usable reports whether a block has both bounds and belongs to the history before t.
func (b *block) usable(t float64) bool {
	return b.hasUpper && b.hasLower && t-b.time() < float64(maxBlocks*blockSpan)
}

func (b *block) time() float64   { return float64((b.upperAt + b.lowerAt) / 2) }
func (b *block) middle() float64 { return float64((b.upper + b.lower) / 2) }

// weight returns the inverse variance of the middle of a block, by how much further apart its bounds are than those of the
// best block.
func weight(further float64) float64 {
	deviation := noiseFloor + float64(further/2)
	return 1 / float64(deviation*deviation)
}

// offset returns the offset above base at a time, and its error.
func (c *clock) offset(at soccer.Time) (offset, bound float64) {
	upper, lower := c.bounds(float64(at.Sub(c.origin)))
	return float64((upper + lower) / 2), float64(max(upper-lower, 0) / 2)
}

// local converts a time of the peer's clock.
func (c *clock) local(remote uint64) (soccer.Time, bool) {
	if !c.known {
		return 0, false
	}
	at := c.origin.Add(time.Duration(c.at))
	distance := c.above(remote, at) - float64((c.upper+c.lower)/2)
	if math.Abs(distance) > maxDistance {
		return 0, false
	}
	return at.Add(time.Duration(distance / (1 + c.drift))), true
}
