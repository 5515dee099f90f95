package transport

import (
	"sync/atomic"
	"time"

	"touchline/soccer"
)

// control is the contents of a packet's control messages.
type control struct {
	kernel  soccer.Time // arrival by the machine's clock, 0 if unknown
	drops   uint32      // datagrams that the kernel dropped so far; wraps
	counted bool        // drops is known
	segment int         // bytes of each datagram of a burst; 0: one datagram
}

// stamps gives the packets of a socket their arrival times, and counts those that the kernel dropped.
type stamps struct {
	clock     soccer.Clock // clock of the arrival times
	last      soccer.Time  // arrival of the newest packet
	lastDrops uint32
	drops     atomic.Uint64
}

// arrival returns when the packet arrived that was read now.
func (s *stamps) arrival(c *control) soccer.Time {
	if c.counted {
		s.drops.Add(uint64(c.drops - s.lastDrops))
		s.lastDrops = c.drops
	}
	now := time.Now()
	s.last = max(s.last, s.clock.At(now.Add(-waited(c.kernel, soccer.NewClock(now).Start))))
	return s.last
}

// maxWait bounds the time that a datagram can have waited to be read. A greater difference means that the machine's clock
// was set.
const maxWait = time.Second

// waited returns how long a datagram waited to be read, by the machine's clock at its arrival, 0 if that is unknown, and at
// the read.
func waited(kernel, read soccer.Time) time.Duration {
	if kernel == 0 {
		return 0
	}
	return min(max(0, read.Sub(kernel)), maxWait)
}
