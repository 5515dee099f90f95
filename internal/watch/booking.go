package watch

import (
	"slices"
	"time"

	"touchline/booking"
	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// BookingPeriod is how often pages receive a BookingView and recordings keep one.
const BookingPeriod = 200 * time.Millisecond

// Bounds of bookings, which take below 1 MiB.
const (
	bookingMaxRobots = 16
	bookingMaxSpans  = 400 // spans of one robot; the oldest make room
)

// maxDrift is how much faster or slower than this clock a robot's may run.
const maxDrift = 1e-3

// bookings show how the robots of a team book the ball (TeamChaos paper, section 4): the robot that each of them believed to
// be the booker in the last minute, and when two or none had booked it. They learn that from the messages of the robots
// alone: their debug records, and the claims, releases and beliefs of the protocol where they receive them. They are not
// safe for concurrent use.
type bookings struct {
	start soccer.Time
	lease time.Duration  // a belief without an expiry of its own ends after this time
	team  uint8          // team of the lanes
	lanes []*bookingLane // sorted by robot
}

// newBookings returns empty bookings. Times of their view count from start.
func newBookings(start soccer.Time) *bookings {
	return &bookings{start: start, lease: booking.DefaultConfig(1, 1<<1).Lease}
}

// bookingLane is what is known of one robot.
type bookingLane struct {
	robot    uint8
	captured uint64        // capture time of the newest message, on the robot's clock
	offset   time.Duration // this clock less the robot's, by the fastest message
	arrived  soccer.Time   // when the newest message arrived
	at       soccer.Time   // when its contents held
	spans    []bookingSpan // oldest first; the last one holds now

	record    team.Booking
	recorded  soccer.Time // when record held; 0: none came
	renewed   soccer.Time // the timestamp of record, on this clock
	sequence  uint32      // number of the claim with which the robot last booked the ball
	own       float64     // m, from the robot to the ball
	sees      bool        // own is known: it can play the ball
	claims    float64     // m, the distance of its newest claim
	claimed   bool        // claims is set
	penalised bool
	ignored   []Ignored
}

// bookingSpan is a time in which a robot's belief did not change.
type bookingSpan struct {
	from, to soccer.Time
	belief
}

// belief is what a robot believes about the booking.
type belief struct {
	booker uint8 // 0: none
	epoch  uint32
	sees   bool // the robot can play the ball
}

// message receives a message of the TCM. It ignores messages of other types and of computers, and keeps nothing of m.
func (t *bookings) message(m *check.Message) {
	switch m.Type {
	case tcm.Status, tcm.Debug, tcm.Type(b3p.TypeClaim), tcm.Type(b3p.TypeRelease), tcm.Type(b3p.TypeBelief):
	default:
		return
	}
	if m.From.Entity.Kind != tcm.Robot {
		return
	}
	t.forget(m.Time)
	if l := t.lane(m.From); l != nil {
		if now, ok := l.clock(m); ok {
			t.apply(l, now, m)
		}
	}
}

// lane returns the lane of a robot; nil if there is no room, or if it plays for another team than the others.
func (t *bookings) lane(from check.Source) *bookingLane {
	if len(t.lanes) == 0 {
		t.team = from.Team
	}
	if from.Team != t.team {
		return nil
	}
	i, found := slices.BinarySearchFunc(t.lanes, from.Entity.ID, func(l *bookingLane, id uint8) int { return int(l.robot) - int(id) })
	if found {
		return t.lanes[i]
	}
	if len(t.lanes) == bookingMaxRobots {
		return nil
	}
	l := &bookingLane{robot: from.Entity.ID}
	t.lanes = slices.Insert(t.lanes, i, l)
	return l
}

// forget drops what is older than a minute.
func (t *bookings) forget(now soccer.Time) {
	t.lanes = slices.DeleteFunc(t.lanes, func(l *bookingLane) bool { return now.Sub(l.arrived) > keptFor })
	for _, l := range t.lanes {
		l.spans = dropOld(l.spans, now, bookingMaxSpans, func(s *bookingSpan) soccer.Time { return s.to })
	}
}

// clock returns when the contents of a message held. Messages that the network delayed count from their capture, so that
// delay and jitter draw no second booker. It reports false for a message that was overtaken.
func (l *bookingLane) clock(m *check.Message) (soccer.Time, bool) {
	offset := time.Duration(int64(m.Time) - int64(m.Captured))
	back := time.Duration(int64(l.captured) - int64(m.Captured))
	silent := m.Time.Sub(l.arrived)
	switch {
	case l.arrived == 0 || back >= restarted || offset-l.offset >= restarted || silent > keptFor:
		l.offset = offset
	case back > 0:
		return 0, false
	default:
		l.offset = min(l.offset+time.Duration(float64(max(silent, 0))*maxDrift), offset)
	}
	l.captured, l.arrived = m.Captured, m.Time
	l.at = max(l.at, m.Time.Add(l.offset-offset))
	return l.at, true
}

// apply applies a message whose contents held at now.
func (t *bookings) apply(l *bookingLane, now soccer.Time, m *check.Message) {
	switch m.Type {
	case tcm.Status:
		var s team.Status
		if s.UnmarshalBinary(m.Data) == nil {
			l.penalised = s.Mode == team.Penalised
		}
	case tcm.Debug:
		var d team.Debug
		if d.UnmarshalBinary(m.Data) == nil && d.Booking.Protocol != team.NoBooking {
			t.debug(l, now, m.Captured, &d)
		}
	case tcm.Type(b3p.TypeClaim):
		var c b3p.Claim
		if c.UnmarshalBinary(m.Data) == nil && c.Booker == l.robot {
			l.distance(c.Advertised)
			l.claims, l.claimed = float64(c.Advertised)/1000, true
			t.believe(l, news{belief{c.Booker, c.Epoch, l.sees}, c.Sequence, now, now})
		}
	case tcm.Type(b3p.TypeRelease):
		var r b3p.Release
		if r.UnmarshalBinary(m.Data) == nil && r.Booker == l.robot {
			l.distance(b3p.Unknown)
			t.believe(l, news{belief{epoch: r.Epoch}, r.Sequence, now, now})
		}
	case tcm.Type(b3p.TypeBelief):
		var b b3p.Belief
		if b.UnmarshalBinary(m.Data) == nil {
			l.distance(b.Own)
			age, booker := time.Duration(b.AgeMillis)*time.Millisecond, b.Booker
			if b.Released || age > t.lease {
				booker = 0
			}
			t.believe(l, news{belief{booker, b.Epoch, l.sees}, b.Sequence, now, now.Add(-age)})
		}
	}
}

// distance sets the robot's own distance, in mm.
func (l *bookingLane) distance(own uint16) { l.own, l.sees = float64(own)/1000, own <= b3p.MaxDistance }

// debug applies a debug record.
func (t *bookings) debug(l *bookingLane, now soccer.Time, captured uint64, d *team.Debug) {
	b := &d.Booking
	l.record, l.recorded = *b, now
	l.own, l.sees = float64(b.Own), b.Own > 0
	l.renewed = now.Add(-t.age(captured, b))
	held := belief{epoch: b.Epoch, sees: l.sees}
	if b.Booked {
		held.booker = b.Booker
	}
	if held.booker == l.robot {
		l.claims, l.claimed = float64(b.Distance), true
	}
	t.believe(l, news{held, b.Sequence, now, l.renewed})
	l.ignored = l.ignored[:0]
	for i := range d.Peers {
		if p := &d.Peers[i]; p.Ignored {
			seen := Ignored{Robot: p.Number}
			if p.Known && d.Ball.Known {
				at := soccer.Vec{X: float64(d.Ball.X) - float64(p.X), Y: float64(d.Ball.Y) - float64(p.Y)}.Len()
				seen.Seen = &at
			}
			l.ignored = append(l.ignored, seen)
		}
	}
}

// age returns the time since the timestamp of a booking. A timestamp of another clock than the capture times is replaced:
// the lease began with it.
func (t *bookings) age(captured uint64, b *team.Booking) time.Duration {
	const longest = 10 * time.Second
	age := time.Duration(int64(captured) - int64(b.Timestamp))
	if age < 0 || age > longest {
		age = max(t.lease-time.Duration(float64(b.Left)*float64(time.Second)), 0)
	}
	return age
}

// news is what a robot believed at a time.
type news struct {
	belief
	sequence uint32      // number of the newest renewal that it knew
	at       soccer.Time // when the belief held
	renewed  soccer.Time // when the robot heard that renewal
}

// believe notes what a robot believed.
func (t *bookings) believe(l *bookingLane, b news) {
	n := len(l.spans)
	if n == 0 || b.at.Sub(l.spans[n-1].to) > silentAfter {
		l.book(b)
		l.spans = append(l.spans, bookingSpan{b.at, b.at, b.belief})
		return
	}
	last := &l.spans[n-1]
	if last.belief == b.belief {
		last.to = b.at
		return
	}
	from := b.at
	if b.booker != last.booker {
		from = min(max(t.learnt(l, b), last.to), b.at)
		l.book(b)
	}
	last.to = from
	l.spans = append(l.spans, bookingSpan{from, b.at, b.belief})
}

// book notes with which claim the robot booked the ball.
func (l *bookingLane) book(b news) {
	if b.booker == l.robot {
		l.sequence = b.sequence
	}
}

// learnt returns when a robot learnt that another one has booked the ball. It heard the newest renewal at b.renewed. If
// there were others before, it probably heard the first claim, since that is sent three times.
func (t *bookings) learnt(l *bookingLane, b news) soccer.Time {
	if b.booker == 0 {
		return b.at
	}
	for _, booker := range t.lanes {
		if booker.robot != b.booker || booker == l || len(booker.spans) == 0 {
			continue
		}
		s := booker.spans[len(booker.spans)-1]
		if s.booker == b.booker && s.epoch == b.epoch && booker.sequence != b.sequence {
			return s.from
		}
	}
	return b.renewed
}
