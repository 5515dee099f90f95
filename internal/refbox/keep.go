package refbox

import (
	"fmt"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/msl"
)

// The journal keeps this much of a team in a second, ten times what a real one sends. Of a flood it keeps the first
// messages of each second, and the first worldstate of each 100 ms, so that the sampling windows stay truthful. The
// rest is counted.
const (
	keptMessages = 200
	keptBytes    = 2 << 20
	// Of these, the part that is reserved for the first worldstate of each window.
	reservedMessages = int(time.Second / window)
	reservedBytes    = reservedMessages * maxRead
)

// floodShown is how long the pages report a flood.
const floodShown = 3 * time.Second

// floodText describes a flood of the last seconds, "" without one.
func (h *linkHealth) floodText(now soccer.Time) string {
	if o := &h.flood; o.Omitted > 0 && now.Sub(o.Time) < floodShown {
		return fmt.Sprintf("floods: %d messages a second, %d kept", o.Kept+o.Omitted, o.Kept)
	}
	return ""
}

// quota counts what the journal keeps of a team in one second.
type quota struct {
	second          game.Omission // counts so far
	first, reserved int           // messages, and those of the reserved part
	size            int           // bytes of the first messages
}

// keep reports whether the journal keeps a message that was read at now, and counts it.
func (b *Box) keep(s *seat, now soccer.Time, message []byte, e *Effects) bool {
	q := &s.quota
	if start := now / soccer.Time(time.Second) * soccer.Time(time.Second); start > q.second.Time {
		b.logOmission(s, e)
		*q = quota{second: game.Omission{Time: start, Side: s.side}}
	}
	switch size := len(message); {
	case q.first < keptMessages-reservedMessages && q.size+size <= keptBytes-reservedBytes:
		q.first++
		q.size += size
	case q.reserved < reservedMessages && size <= maxRead && s.grid.lacks(now) && kindOf(message) == msl.KindWorldstate:
		q.reserved++
	default:
		q.second.Omitted++
		q.second.Bytes += uint64(size) + 1
		s.link.omitted++
		return false
	}
	q.second.Kept++
	return true
}

// logOmission records the messages of a second that the journal does not keep.
func (b *Box) logOmission(s *seat, e *Effects) {
	o := &s.quota.second
	if o.Omitted == 0 {
		return
	}
	e.log(b.now, game.OmittedChannel, journalJSON(*o))
	s.card.AddOmitted(o.Kept, o.Omitted)
	s.link.flood = *o
	o.Omitted, o.Bytes = 0, 0
}

// closeSecond records the messages that were omitted in a second once the second is over.
func (b *Box) closeSecond(s *seat, e *Effects) {
	if s.taken && b.now.Sub(s.quota.second.Time) >= time.Second+grace {
		b.logOmission(s, e)
	}
}
