package managernet

import (
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
)

// Stats are the statistics of a stream over the last second.
type Stats struct {
	Rate    float64 `json:"rate"`    // pictures a second
	Kbits   float64 `json:"kbits"`   // kbit/s
	Latency float64 `json:"latency"` // ms from capture to arrival, the mean
	Lost    uint64  `json:"lost"`    // pictures since the start that never arrived
	Partial uint64  `json:"partial"` // pictures since the start that arrived in part
}

// Stream measures a stream of pictures.
type Stream struct {
	newest  bounded.Ring[arrival]
	number  uint32 // of the newest picture
	known   bool
	lost    uint64
	partial uint64
}

// arrival is a picture that arrived.
type arrival struct {
	at      soccer.Time
	bytes   int
	latency time.Duration
}

// arrived counts a picture with its number in the TCM.
func (s *Stream) arrived(number uint32, captured, at soccer.Time, bytes int, whole bool) {
	if gap := int32(number - s.number); s.known && gap > 1 && gap < 1000 {
		s.lost += uint64(gap - 1)
	}
	s.number, s.known = number, true
	if !whole {
		s.partial++
	}
	*s.newest.Push(128) = arrival{at, bytes, at.Sub(captured)}
}

// stats returns the statistics of the second before now.
func (s *Stream) stats(now soccer.Time) Stats {
	stats := Stats{Lost: s.lost, Partial: s.partial}
	var latency time.Duration
	for i := range s.newest.Len() {
		a := s.newest.At(i)
		if age := now.Sub(a.at); age >= 0 && age < time.Second {
			stats.Rate++
			stats.Kbits += float64(a.bytes) * 8e-3
			latency += a.latency
		}
	}
	if stats.Rate > 0 {
		stats.Latency = latency.Seconds() * 1e3 / stats.Rate
	}
	return stats
}
