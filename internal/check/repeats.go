package check

import (
	"hash/crc32"
	"time"

	"touchline/soccer"
)

// Repeats remembers the last packets of a sender to recognise duplicates. The zero value is ready.
type Repeats struct {
	seen [32]struct {
		at    soccer.Time
		sum   uint32
		clock uint32
	}
	n int
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Again reports whether the same bytes arrived within the last second. If the sender's clock stands still or is absent
// (0), a robot at rest may well send the same bytes again: then only 10 ms count, which no sender's period reaches.
func (r *Repeats) Again(now soccer.Time, clock uint32, data []byte) bool {
	sum := crc32.Checksum(data, castagnoli)
	again, runs := false, false
	within := time.Second
	for i := 1; i <= min(r.n, len(r.seen)); i++ {
		s := &r.seen[(r.n-i)%len(r.seen)]
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
	s := &r.seen[r.n%len(r.seen)]
	s.at, s.sum, s.clock = now, sum, clock
	r.n++
	return false
}
