package refbox

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

const (
	requiredRate      = 10 // worldstates a second (MSL World Model 2015, section 3)
	maxAge            = time.Hour
	gapSeconds        = 10
	maxTimes          = 1 << 10 // counted worldstates of the last second
	unterminatedAfter = time.Second
	maxEventText      = 80 // bytes of an event's text on the page
	// Longer messages are recorded and not decoded, in bytes: a real worldstate has 2 to 10 kB (RefBox 2016), and
	// decoding 1 MiB of small keys would block everything else for a second.
	maxRead = 64 << 10
)

// historySeconds is the number of seconds for which the pages show the rate of a team's worldstates.
const historySeconds = 60

// linkHealth measures what a team has sent since its admission.
type linkHealth struct {
	messages, events, broken, bytes uint64
	unread                          uint64        // part of broken: longer than maxRead
	omitted                         uint64        // part of messages: neither kept nor decoded
	flood                           game.Omission // the last one
	windows, empty                  uint64
	times                           bounded.Ring[soccer.Time] // arrivals of the newest worldstates
	last                            soccer.Time               // arrival of the newest worldstate; 0: none yet
	seconds                         Seconds
	age                             msl.Number // ms, of the last worldstate
	lastEvent                       string
	robots                          []FieldRobot
	listed                          int // robots that the newest worldstate lists
	balls                           []FieldBall
	numbers                         []int // jersey numbers in the newest worldstate, as many as the rules allow
	upstream                        []upstreamDrop
	unterminated                    soccer.Time // arrival of the bytes that wait for their NUL; 0: none wait
	pending                         int
	unterminatedNoted               bool
	lost, lostConn                  uint64 // bytes lost, on all connections and on this one
	lostNoted                       soccer.Time
}

// Seconds counts messages by the second in which they arrived, for the last historySeconds.
type Seconds [historySeconds + 1]struct {
	second int64
	count  int
	gap    time.Duration // the longest gap that ended in it
}

// Count counts a message. gap is the time since the one before; 0: it is not measured.
func (s *Seconds) Count(t soccer.Time, gap time.Duration) {
	n := int64(t) / int64(time.Second)
	if n < 0 {
		return
	}
	c := &s[n%int64(len(s))]
	if c.second != n {
		c.second, c.count, c.gap = n, 0, 0
	}
	c.count++
	c.gap = max(c.gap, gap)
}

// in returns the count and the longest gap of a second. Virtual time may begin at 0.
func (s *Seconds) in(second int64) (count int, gap time.Duration) {
	if second < 0 {
		return 0, 0
	}
	if c := &s[second%int64(len(s))]; c.second == second {
		return c.count, c.gap
	}
	return 0, 0
}

// Counts returns the counts of the last 60 whole seconds since since, oldest first.
func (s *Seconds) Counts(since, now soccer.Time) []int {
	last := int64(now)/int64(time.Second) - 1
	all := []int{}
	for n := max(last-historySeconds+1, int64(since)/int64(time.Second)); n <= last; n++ {
		count, _ := s.in(n)
		all = append(all, count)
	}
	return all
}

// Recent reports whether a message arrived in this second or the one before.
func (s *Seconds) Recent(now soccer.Time) bool {
	second := int64(now) / int64(time.Second)
	count, _ := s.in(second)
	before, _ := s.in(second - 1)
	return count+before > 0
}

// upstreamDrop counts messages that RefBox 2.1 would drop for one reason.
type upstreamDrop struct {
	why, fix string
	count    uint64
	excerpt  string
}

// reconnected resets the measurements of the last connection.
func (h *linkHealth) reconnected() {
	h.unterminated, h.pending, h.unterminatedNoted, h.lostConn = 0, 0, false, 0
}

// Receive takes one message, without its NUL, of a connection. now is when it was read, which may be slightly before
// the times of other calls. Messages of a connection without a side are ignored; those of a replaced connection count
// until it disconnects. Messages beyond those that the journal keeps of a team in a second are only counted.
// Effects.Log refers to message.
func (b *Box) Receive(now soccer.Time, c ConnID, message []byte) Effects {
	var e Effects
	b.advance(now, &e)
	b.markAlive(c)
	s := b.sender(c)
	if s == nil {
		return e
	}
	if now < b.now.Add(-tolerance) || now > b.now {
		now = b.now
	}
	now = max(now, s.Admission.Time, s.grid.empty) // no window has both a worldstate and an empty worldstate
	h := &s.link
	h.unterminated, h.pending, h.unterminatedNoted = 0, 0, false
	h.messages++
	h.bytes += uint64(len(message)) + 1
	if !b.keep(s, now, message, &e) {
		return e
	}
	record := Record{Time: now, Published: now, Channel: s.channel, Data: message}
	if len(message) > maxRead {
		h.broken++
		h.unread++
		e.Log = append(e.Log, record)
		return e
	}
	var err error
	s.found, err = s.world.Examine(s.found[:0], message)
	switch kind := kindOf(message); {
	case kind == msl.KindWorldstate && err == nil:
		if age := s.world.AgeMillis; age.Known && age.Value >= 0 && age.Value <= float64(maxAge/time.Millisecond) {
			record.Published = now.Add(-time.Duration(age.Value * float64(time.Millisecond)))
		}
		b.receiveWorldstate(s, now, message)
	case kind == msl.KindEvent:
		if b.receiveEvent(s, now, message) { // an answer: no finding of a report card concerns it
			e.Log = append(e.Log, record)
			return e
		}
	default:
		h.broken++
	}
	s.card.Add(record.Time, record.Published, int64(h.messages), message, &s.world, s.found, err)
	e.Log = append(e.Log, record)
	return e
}

// sender returns the seat that the messages of a connection belong to, nil if there is none. A replaced connection keeps
// its seat until it disconnects.
func (b *Box) sender(c ConnID) *seat {
	for i := range b.seats {
		if slices.Contains(b.seats[i].replaced, c) {
			return &b.seats[i]
		}
	}
	return b.of(c)
}

// kindOf returns the kind of a message. If the message begins with its type, as nearly all do, the rest is not read and
// need not be valid JSON.
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

// receiveWorldstate counts a worldstate and keeps what pages and score clients show.
func (b *Box) receiveWorldstate(s *seat, now soccer.Time, message []byte) {
	h := &s.link
	if why, fix := b.dropped(s, message); why != "" {
		h.dropped("RefBox 2.1 drops this worldstate: "+why, fix, message)
		return
	}
	s.rawWorld = s.rawWorld[:0]
	if numbersFit(message) {
		s.rawWorld = append(s.rawWorld, message...)
	}
	h.age = s.world.AgeMillis
	h.numbers = h.numbers[:0]
	for i := range s.world.Robots {
		id := s.world.Robots[i].ID
		if n := int(id.Value); id.Known && id.Value >= 1 && id.Value <= msl.MaxNumber && float64(n) == id.Value &&
			len(h.numbers) < b.cfg.Rules.Robots && !slices.Contains(h.numbers, n) {
			h.numbers = append(h.numbers, n)
		}
	}
	h.locate(&s.world, s.side == game.Away)
	s.grid.mark(now)
	h.count(now)
}

// count counts a worldstate.
func (h *linkHealth) count(now soccer.Time) {
	gap := time.Duration(0)
	if h.last != 0 {
		gap = now.Sub(h.last)
	}
	h.seconds.Count(now, gap)
	h.last = max(h.last, now)
	*h.times.Push(maxTimes) = now
}

// rate returns the number of worldstates in the second before now, up to maxTimes.
func (h *linkHealth) rate(now soccer.Time) float64 {
	n := 0
	for i := range h.times.Len() {
		if t := *h.times.At(i); t > now.Add(-time.Second) && t <= now {
			n++
		}
	}
	return float64(n)
}

// gap returns the longest time without a worldstate in the last 10 s, in s; nil before the first one.
func (h *linkHealth) gap(now soccer.Time) *float64 {
	if h.last == 0 {
		return nil
	}
	longest := now.Sub(h.last)
	n := int64(now) / int64(time.Second)
	for i := range int64(gapSeconds) {
		_, gap := h.seconds.in(n - i)
		longest = max(longest, gap)
	}
	s := longest.Seconds()
	return &s
}

// receiveEvent counts an event, and reports whether it answers a check of the team's reader.
func (b *Box) receiveEvent(s *seat, now soccer.Time, message []byte) (answer bool) {
	h := &s.link
	var v msl.Event
	if err := v.UnmarshalBinary(message); err != nil {
		h.broken++
		return false
	}
	h.events++
	if b.cfg.StrictUpstream {
		h.dropped("RefBox 2.1 drops events: it accepts only worldstates",
			"the event is correct: rely on events only with other referee boxes", message)
	}
	id := "?"
	if v.RobotID.Known {
		id = fmt.Sprintf("%g", v.RobotID.Value)
	}
	text := msl.LineText(v.Event)
	h.lastEvent = fmt.Sprintf("robot %s: %s", id, strings.ToValidUTF8(text[:min(len(text), maxEventText)], ""))
	return s.check != nil && v.RobotID.Known && s.check.answer(now, v.RobotID.Value, v.Event)
}

// dropped returns why the worldstate that was just examined does not count as received, and the fix; "" if it counts.
func (b *Box) dropped(s *seat, message []byte) (why, fix string) {
	if !b.cfg.StrictUpstream {
		return "", ""
	}
	return upstreamDrops(message, s.found, s.world.AgeMillis)
}

// dropped counts a message that RefBox 2.1 would drop.
func (h *linkHealth) dropped(why, fix string, message []byte) {
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
	return wire.Printable(string(message[:min(len(message), 200)]))
}

// Unterminated takes the state of a connection's Splitter after each read: the number of bytes that wait for their NUL,
// and the number lost so far because their message is longer than 1 MiB.
func (b *Box) Unterminated(now soccer.Time, c ConnID, pending int, lost int64) Effects {
	var e Effects
	b.advance(now, &e)
	s := b.of(c)
	if s == nil {
		return e
	}
	h := &s.link
	if pending > 0 {
		b.markAlive(c)
	}
	switch {
	case pending == 0:
		h.unterminated, h.unterminatedNoted = 0, false
	case h.unterminated == 0 || pending < h.pending:
		h.unterminated, h.unterminatedNoted = b.now, false
	}
	h.pending = pending
	if n := uint64(max(lost, 0)); n > h.lostConn {
		h.lost += n - h.lostConn
		h.lostConn = n
		s.card.SetUnclosed(0, int64(h.lost))
		if h.lostNoted == 0 || b.now.Sub(h.lostNoted) > time.Minute {
			h.lostNoted = b.now
			b.note(&e, "%s: a message is longer than %d bytes: the rest is lost, %d bytes so far", s.Name,
				msl.MaxMessage, h.lost)
		}
	}
	return e
}

// unterminatedFor returns how long bytes have waited for their NUL, in s; 0 up to one second.
func (h *linkHealth) unterminatedFor(now soccer.Time) float64 {
	if d := now.Sub(h.unterminated); h.unterminated != 0 && d > unterminatedAfter {
		return d.Seconds()
	}
	return 0
}

// noteUnterminated records once that bytes of a team wait for their NUL.
func (b *Box) noteUnterminated(s *seat, e *Effects) {
	h := &s.link
	if !s.connected || h.unterminatedFor(b.now) == 0 {
		return
	}
	s.card.SetUnclosed(int64(h.pending), int64(h.lost))
	if !h.unterminatedNoted {
		h.unterminatedNoted = true
		b.note(e, "%s: %d bytes wait for the NUL that ends a message", s.Name, h.pending)
	}
}

// Robots and balls of a worldstate that the referee's page draws. A team has five robots.
const (
	maxFieldRobots = 10
	maxFieldBalls  = 3
)

// locate keeps where a worldstate has the team's robots and the ball, and how many robots it lists. turned is true for the team that attacks -x.
func (h *linkHealth) locate(w *msl.Worldstate, turned bool) {
	sign := 1.0
	if turned {
		sign = -1
	}
	h.robots, h.balls, h.listed = h.robots[:0], h.balls[:0], len(w.Robots)
	for i := range w.Robots[:min(len(w.Robots), maxFieldRobots)] {
		r := &w.Robots[i]
		x, y := r.Pose.Field()
		if !drawable(x) || !drawable(y) {
			continue
		}
		at := FieldRobot{X: sign * x.Value, Y: sign * y.Value}
		if id := r.ID; id.Known && id.Value >= 1 && id.Value <= msl.MaxNumber {
			at.Number = int(id.Value)
		}
		if heading := r.Pose.At[2]; drawable(heading) {
			theta := heading.Value // 0 points to the opponents' goal in both frames
			if turned {
				theta += math.Pi
			}
			theta = soccer.WrapAngle(theta)
			at.Theta = &theta
		}
		h.robots = append(h.robots, at)
	}
	for i := range w.Balls[:min(len(w.Balls), maxFieldBalls)] {
		if x, y := w.Balls[i].Position.Field(); drawable(x) && drawable(y) {
			h.balls = append(h.balls, FieldBall{X: sign * x.Value, Y: sign * y.Value})
		}
	}
}

// drawable reports whether a number has a place on a page.
func drawable(n msl.Number) bool { return n.Known && math.Abs(n.Value) < 1e6 }
