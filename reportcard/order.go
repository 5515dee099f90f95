package reportcard

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"time"
)

// How many messages of a log are held back until their order is known: 1 s of a team that sends 100 a second.
const (
	maxHeld      = 200
	maxHeldBytes = 8 << 20
	maxLate      = 5 * time.Second
	roundedTo    = 2 * time.Millisecond // moments and ages are whole milliseconds
)

// receipts puts the messages of a log into the order in which they came. A RefBox logs them so; a log that is sorted by
// the moment that they hold, as the documents want it and our own exports are, hides what went back.
type receipts struct {
	add   func(s *Message, team string)
	held  []heldBack
	free  [][]byte // memory of those that are gone
	bytes int
	age   time.Duration // that was last said
}

// heldBack is a message with a memory of its own.
type heldBack struct {
	said Message
	team string
	at   time.Duration // of receipt, since 1970
}

// take takes the next message of the log.
func (r *receipts) take(s *Message, team string) {
	if s.Published == 0 {
		r.flush(0) // there is no telling
		r.add(s, team)
		return
	}
	r.age = ageOf(s.Data, r.age)
	h := heldBack{said: *s, team: team, at: time.Duration(s.Published) + r.age}
	if n := len(r.held); n > 0 && r.held[n-1].at-h.at > maxLate {
		r.flush(0) // a clock was set back
	}
	h.said.Data = nil
	if n := len(r.free); n > 0 {
		h.said.Data, r.free = r.free[n-1][:0], r.free[:n-1]
	}
	h.said.Data = append(h.said.Data, s.Data...)
	r.bytes += len(s.Data)
	i := len(r.held)
	for i > 0 && r.held[i-1].at > h.at+roundedTo {
		i--
	}
	if r.held = slices.Insert(r.held, i, h); len(r.held) > maxHeld || r.bytes > maxHeldBytes {
		r.flush(len(r.held) / 2)
	}
}

// flush hands on the oldest until so many are left.
func (r *receipts) flush(left int) {
	n := len(r.held) - left
	for i := range r.held[:n] {
		s := &r.held[i].said
		r.add(s, r.held[i].team)
		r.bytes -= len(s.Data)
		r.free = append(r.free, s.Data)
	}
	r.held = slices.Delete(r.held, 0, n)
}

// ageOf returns how old a worldstate says it is, without reading the rest of it: the last ageMs in its text. Where it
// says nothing of the kind it is as before.
func ageOf(b []byte, before time.Duration) time.Duration {
	n := bytes.LastIndex(b, []byte(`"ageMs"`))
	if n < 0 {
		return before
	}
	b = bytes.TrimLeft(b[n+len(`"ageMs"`):], " \t\r\n:")
	v, err := strconv.ParseFloat(string(bytes.Trim(b[:valueLen(b)], `"`)), 64)
	if err != nil || !(math.Abs(v) < math.MaxInt64/1e6/2) {
		return before
	}
	return time.Duration(v) * time.Millisecond
}
