package world

import (
	"time"

	"touchline/soccer"
)

// senderClock is the offset of a sender's clock, from the stamps and the arrival of its packages.
type senderClock struct {
	known bool // a stamp was read

	// The offset, including the least delay, is the minimum of arrival - stamp in ns over the current window and the one
	// before. Two windows of 10 s follow a drift of 100 ppm within 2 ms.
	windowStart    soccer.Time
	offset         int64
	previousOffset int64

	// The least and the greatest offset of the packages since recentSince: when all of them are late, the clock was set back.
	recentLeast, recentMost int64
	recentSince             soccer.Time
	recent                  int

	// A possible new offset: that of consecutive packages whose stamps agree with each other, but not with the offset.
	newOffset      int64
	newOffsetCount int
	newOffsetSince soccer.Time
}

const (
	offsetWindow = 10 * time.Second
	clockJump    = time.Second // a stamp further off means a new half, a restart, a late package or nonsense
	noOffset     = int64(1) << 62
)

// read returns when a package with a stamp, in ms on the sender's clock, would have arrived with the least delay of all.
// It reports whether the clock has jumped, and whether the stamp counts: one that is far off needs others that say the
// same.
func (c *senderClock) read(stamp uint32, arrival soccer.Time) (least soccer.Time, jumped, ok bool) {
	offset := int64(arrival) - int64(stamp)*int64(time.Millisecond)
	if !c.known {
		c.offset, c.previousOffset, c.windowStart = noOffset, noOffset, arrival
	}
	known := min(c.offset, c.previousOffset)
	if c.known && absDiff(offset, known) > int64(clockJump) {
		if !c.farOff(offset, arrival) {
			return 0, false, false
		}
		jumped = true
		c.offset, c.previousOffset, c.windowStart = noOffset, noOffset, arrival
	}
	c.newOffsetCount = 0
	if c.setBack(offset, known, arrival) {
		jumped = true
		c.offset, c.previousOffset, c.windowStart = c.recentLeast, noOffset, arrival
	}
	if arrival.Sub(c.windowStart) > offsetWindow {
		c.offset, c.previousOffset, c.windowStart = noOffset, c.offset, arrival
	}
	c.offset = min(c.offset, offset)
	c.known = true
	return soccer.Time(int64(stamp)*int64(time.Millisecond) + min(c.offset, c.previousOffset)), jumped, true
}

func absDiff(a, b int64) int64 { return max(a-b, b-a) }

// farOff reports whether a stamp that is far off shows a jump of the sender's clock, as at the start of a half. Then
// several packages agree, and they do not arrive in one burst as delayed packages do.
func (c *senderClock) farOff(offset int64, now soccer.Time) bool {
	const packages, minSpan = 3, 100 * time.Millisecond
	if c.newOffsetCount == 0 || absDiff(offset, c.newOffset) > int64(clockJump)/2 {
		c.newOffset, c.newOffsetCount, c.newOffsetSince = offset, 0, now
	}
	c.newOffsetCount++
	return c.newOffsetCount >= packages && now.Sub(c.newOffsetSince) >= minSpan
}

// setBack reports whether the sender's clock was set back by less than clockJump: for half a second all packages seem to be
// late, by more than they differ among each other.
func (c *senderClock) setBack(offset, known int64, now soccer.Time) bool {
	const (
		window   = 500 * time.Millisecond
		packages = 5
		least    = int64(60 * time.Millisecond)
	)
	if c.recent == 0 || now.Sub(c.recentSince) > 2*window {
		c.recent, c.recentSince, c.recentLeast, c.recentMost = 0, now, offset, offset
	}
	c.recent++
	c.recentLeast, c.recentMost = min(c.recentLeast, offset), max(c.recentMost, offset)
	if now.Sub(c.recentSince) < window || c.recent < packages {
		return false
	}
	c.recent = 0
	return c.known && c.recentLeast-known > max(least, c.recentMost-c.recentLeast)
}
