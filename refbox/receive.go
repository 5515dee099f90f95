package refbox

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"touchline/reportcard"
	"touchline/soccer"
	"touchline/wire/msl"
)

const (
	wantedRate     = 10 // worldstates a second (seed 002 section 3)
	mostAge        = time.Hour
	HistorySeconds = 60
	gapSecs        = 10
	mostTimes      = 1 << 10 // worldstates of the last second that are counted
	unclosedTime   = time.Second
	mostEvent      = 80 // bytes of an event's text that are shown
	// What is longer is kept and not looked into, in bytes: a real worldstate has 2 to 10 kB (facts msl 4.1), and looking
	// into 1 MiB of small keys would hold up everything else for a second.
	mostRead = 64 << 10
)

// health is how well a team sends, since it was taken in.
type health struct {
	messages, events, broken, bytes uint64
	unread                          uint64 // of broken: longer than mostRead
	windows, empty                  uint64
	times                           []soccer.Time // of the newest worldstates, a ring
	counted                         uint64        // worldstates
	last                            soccer.Time   // the last worldstate; 0: none yet
	seconds                         [HistorySeconds + 1]secondOf
	age                             msl.Number // ms, of the last worldstate
	lastEvent                       string
	numbers                         []int // robots of the last worldstate, at most rules' number
	upstream                        []upstreamDrop
	unclosed                        soccer.Time // when the bytes came that wait for their NUL; 0: none do
	pending                         int
	unclosedSaid                    bool
	lost, lostConn                  uint64 // bytes, of all connections and of this one
	lostSaid                        soccer.Time
}

// secondOf is what was counted in one second of the box's clock.
type secondOf struct {
	second int64
	count  int
	gap    time.Duration // the longest that ended in it
}

// upstreamDrop counts messages that the RefBox 2.1 would have dropped for one reason.
type upstreamDrop struct {
	why, fix string
	count    uint64
	excerpt  string
}

// reconnected forgets what belongs to the last connection.
func (h *health) reconnected() {
	h.unclosed, h.pending, h.unclosedSaid, h.lostConn = 0, 0, false, 0
}

// Hear takes one message, without its NUL, of a connection. now is when it was read; it may lie a little before the
// moments of other calls. What a connection says that has no side is left aside; one that the team replaced has it until
// it is gone. message stands in Effects.Log.
func (b *Box) Receive(now soccer.Time, c ConnID, message []byte) Effects {
	var e Effects
	b.advance(now, &e)
	s := b.of(c)
	for i := range b.seats {
		if slices.Contains(b.seats[i].before, c) {
			s = &b.seats[i]
		}
	}
	if s == nil {
		return e
	}
	if now < b.now.Add(-tolerance) || now > b.now {
		now = b.now
	}
	now = max(now, s.Admission.Time, s.grid.empty) // no window has both a worldstate and the empty structure
	h := &s.health
	h.unclosed, h.pending, h.unclosedSaid = 0, 0, false
	h.messages++
	h.bytes += uint64(len(message)) + 1
	said := Record{Time: now, Published: now, Channel: s.channel, Data: message}
	if len(message) > mostRead {
		h.broken++
		h.unread++
		e.Log = append(e.Log, said)
		return e
	}
	var err error
	s.found, err = s.world.Examine(s.found[:0], message)
	switch kind := kindOf(message); {
	case kind == msl.KindWorldstate && err == nil:
		if age := s.world.AgeMillis; age.Known && age.Value >= 0 && age.Value <= float64(mostAge/time.Millisecond) {
			said.Published = now.Add(-time.Duration(age.Value * float64(time.Millisecond)))
		}
		b.worldstate(s, now, message)
	case kind == msl.KindEvent:
		b.event(s, message)
	default:
		h.broken++
	}
	s.card.Judge(&reportcard.Message{Received: said.Time, Published: said.Published, Offset: int64(h.messages), Data: message}, &s.world, s.found, err)
	e.Log = append(e.Log, said)
	return e
}

// kindOf returns what a message says it is. Of one that begins with its type, as nearly all do, that is seen without
// reading all of it, and it need not be sound JSON then.
func kindOf(message []byte) msl.Kind {
	rest := message
	for _, part := range [...]string{"{", `"type"`, ":", `"worldstate"`} {
		var ok bool
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(part)); !ok {
			return msl.KindOf(message)
		}
	}
	return msl.KindWorldstate
}

// worldstate counts one and keeps what pages and score clients show of it.
func (b *Box) worldstate(s *seat, now soccer.Time, message []byte) {
	h := &s.health
	if why, fix := b.dropped(s, message); why != "" {
		h.dropped("the RefBox 2.1 drops this worldstate: "+why, fix, message)
		return
	}
	s.rawData = append(s.rawData[:0], message...)
	h.age = s.world.AgeMillis
	h.numbers = h.numbers[:0]
	for i := range s.world.Robots {
		id := s.world.Robots[i].ID
		if n := int(id.Value); id.Known && id.Value >= 1 && id.Value <= msl.MaxNumber && float64(n) == id.Value &&
			len(h.numbers) < b.cfg.Rules.Robots && !slices.Contains(h.numbers, n) {
			h.numbers = append(h.numbers, n)
		}
	}
	s.grid.hear(now)
	h.count(now)
}

// count counts a worldstate.
func (h *health) count(now soccer.Time) {
	s := h.second(now)
	s.count++
	if h.last != 0 {
		s.gap = max(s.gap, now.Sub(h.last))
	}
	h.last = max(h.last, now)
	if len(h.times) < mostTimes {
		h.times = append(h.times, now)
	} else {
		h.times[h.counted%mostTimes] = now
	}
	h.counted++
}

// second returns the counts of the second that a moment is in.
func (h *health) second(t soccer.Time) *secondOf {
	n := int64(t) / int64(time.Second)
	s := &h.seconds[n%int64(len(h.seconds))]
	if s.second != n {
		*s = secondOf{second: n}
	}
	return s
}

// rate returns how many worldstates came in the second before now, up to mostTimes.
func (h *health) rate(now soccer.Time) float64 {
	n := 0
	for _, t := range h.times {
		if t > now.Add(-time.Second) && t <= now {
			n++
		}
	}
	return float64(n)
}

// rates returns the counts of the last 60 whole seconds since since, oldest first.
func (h *health) rates(since, now soccer.Time) []int {
	last := int64(now)/int64(time.Second) - 1
	first := max(last-HistorySeconds+1, int64(since)/int64(time.Second))
	all := []int{}
	for n := first; n <= last; n++ {
		all = append(all, h.inSecond(n).count)
	}
	return all
}

func (h *health) inSecond(n int64) secondOf {
	if n < 0 {
		return secondOf{} // virtual time may begin at 0
	}
	if s := h.seconds[n%int64(len(h.seconds))]; s.second == n {
		return s
	}
	return secondOf{}
}

// gap returns the longest time without a worldstate of the last 10 s, in s; nil before the first one.
func (h *health) gap(now soccer.Time) *float64 {
	if h.last == 0 {
		return nil
	}
	longest := now.Sub(h.last)
	n := int64(now) / int64(time.Second)
	for i := range int64(gapSecs) {
		longest = max(longest, h.inSecond(n-i).gap)
	}
	s := longest.Seconds()
	return &s
}

// event takes what is no worldstate.
func (b *Box) event(s *seat, message []byte) {
	h := &s.health
	var v msl.Event
	if err := v.UnmarshalBinary(message); err != nil {
		h.broken++
		return
	}
	h.events++
	if b.cfg.StrictUpstream {
		h.dropped("the RefBox 2.1 drops events: it takes nothing but worldstates", "nothing is wrong with it: count on it only where another referee box runs", message)
	}
	id := "?"
	if v.RobotID.Known {
		id = fmt.Sprintf("%g", v.RobotID.Value)
	}
	text := plain(v.Event)
	h.lastEvent = fmt.Sprintf("robot %s: %s", id, strings.ToValidUTF8(text[:min(len(text), mostEvent)], ""))
}

// dropped returns why the worldstate that was just examined does not count as received, and the fix; "" if it counts.
func (b *Box) dropped(s *seat, message []byte) (why, fix string) {
	if !b.cfg.StrictUpstream {
		return "", ""
	}
	return upstreamDrops(message, s.found, s.world.AgeMillis)
}

// dropped counts a message that the RefBox 2.1 would drop.
func (h *health) dropped(why, fix string, message []byte) {
	for i := range h.upstream {
		if h.upstream[i].why == why {
			h.upstream[i].count++
			return
		}
	}
	h.upstream = append(h.upstream, upstreamDrop{why, fix, 1, excerpt(message)})
}

// excerpt returns the beginning of a message.
func excerpt(message []byte) string {
	return string(bytes.ToValidUTF8(message[:min(len(message), 200)], []byte("?")))
}

// Unclosed takes what a connection's Splitter says after something was read and its messages were heard: how many bytes
// wait for their NUL, and how many were lost so far because their message is longer than 1 MiB.
func (b *Box) Unterminated(now soccer.Time, c ConnID, pending int, lost int64) Effects {
	var e Effects
	b.advance(now, &e)
	s := b.of(c)
	if s == nil {
		return e
	}
	h := &s.health
	switch {
	case pending == 0:
		h.unclosed, h.unclosedSaid = 0, false
	case h.unclosed == 0 || pending < h.pending:
		h.unclosed, h.unclosedSaid = b.now, false
	}
	h.pending = pending
	if n := uint64(max(lost, 0)); n > h.lostConn {
		h.lost += n - h.lostConn
		h.lostConn = n
		s.card.Unclosed(0, int64(h.lost))
		if h.lostSaid == 0 || b.now.Sub(h.lostSaid) > time.Minute {
			h.lostSaid = b.now
			b.note(&e, "%s: a message is longer than %d bytes: what is more is lost, %d bytes so far", s.Name, msl.MaxMessage, h.lost)
		}
	}
	return e
}

// unclosedFor returns how long bytes have waited for their NUL, in s, once that is over a second.
func (h *health) unclosedFor(now soccer.Time) float64 {
	if d := now.Sub(h.unclosed); h.unclosed != 0 && d > unclosedTime {
		return d.Seconds()
	}
	return 0
}

// unclosedNote writes once that a team's bytes wait for their NUL.
func (b *Box) unclosedNote(s *seat, e *Effects) {
	h := &s.health
	if !s.connected || h.unclosedFor(b.now) == 0 {
		return
	}
	s.card.Unclosed(int64(h.pending), int64(h.lost))
	if !h.unclosedSaid {
		h.unclosedSaid = true
		b.note(e, "%s: %d bytes wait for the NUL that closes a message", s.Name, h.pending)
	}
}
