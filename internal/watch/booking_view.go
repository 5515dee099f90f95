package watch

import (
	"slices"
	"time"

	"touchline/soccer"
)

// BookingView is the topic "booking". Its JSON is stable. Times are in s since the session started.
type BookingView struct {
	Time   float64        `json:"time"`
	Window float64        `json:"window"` // s before Time that the spans cover, at most 60
	Robots []BookingRobot `json:"robots"` // robots of the last minute, sorted by number
	Two    Stretch        `json:"two"`    // more than one robot has booked the ball
	None   Stretch        `json:"none"`   // none has booked it, but one sees it
	Alarms []string       `json:"alarms"` // sentences: what is wrong, and what it means
}

// BookingRobot is one robot's booking.
type BookingRobot struct {
	Number    uint8         `json:"number"`
	Live      bool          `json:"live"` // heard from within the last 600 ms
	SilentMs  float64       `json:"silentMs"`
	Penalised bool          `json:"penalised"`
	Protocol  string        `json:"protocol"` // lease, literal, nearest, auction; "" until its debug record came
	Booked    bool          `json:"booked"`   // it believes that a robot has booked the ball
	Booker    uint8         `json:"booker"`   // that robot; 0: none
	Distance  *float64      `json:"distance"` // m, from the booker to the ball, as the booker sent it; nil: unknown
	AgeMs     *float64      `json:"ageMs"`    // age of the booking or its newest renewal; nil: none
	Epoch     uint32        `json:"epoch"`
	Sequence  uint32        `json:"sequence"` // number of the newest renewal
	LeftMs    float64       `json:"leftMs"`   // time until the lease expires
	Own       *float64      `json:"own"`      // m, from this robot to the ball; nil: it cannot play the ball
	Ignores   []Ignored     `json:"ignores"`
	Spans     []BookingSpan `json:"spans"` // oldest first; in gaps nothing was heard of the robot
}

// Ignored is a robot whose claims another one ignores.
type Ignored struct {
	Robot  uint8    `json:"robot"`
	Claims *float64 `json:"claims"` // m, the distance that it claims; nil: unknown
	Seen   *float64 `json:"seen"`   // m, the distance at which it is seen; nil: unknown
}

// BookingSpan is a time in which a robot's belief did not change.
type BookingSpan struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Booker uint8   `json:"booker"` // 0: none
	Epoch  uint32  `json:"epoch"`
}

// Stretch holds the times in which something was the case.
type Stretch struct {
	Spans       []Part  `json:"spans"` // oldest first, the newest 200
	MsPerMinute float64 `json:"msPerMinute"`
	LongestMs   float64 `json:"longestMs"`
	NowMs       float64 `json:"nowMs"` // duration up to now; 0: it is not the case now
}

// Part is one of these times.
type Part struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

const (
	maxParts = 200                  // parts of a Stretch
	shortest = 2 * time.Millisecond // part: the robots' clocks are not known more precisely
)

// view returns the view at now.
func (t *bookings) view(now soccer.Time) BookingView {
	t.forget(now)
	v := BookingView{Time: t.seconds(now), Robots: []BookingRobot{}, Alarms: []string{}}
	first := now
	for _, l := range t.lanes {
		if len(l.spans) > 0 {
			first = min(first, l.spans[0].from)
			v.Robots = append(v.Robots, t.robot(l, now))
		}
	}
	window := min(now.Sub(first), keptFor)
	v.Window = window.Seconds()
	two, none := t.stretches(now, now.Add(-window))
	v.Two, v.None = t.stretch(two, now, window), t.stretch(none, now, window)
	v.Alarms = append(v.Alarms, bookingAlarms(&v)...)
	return v
}

func (t *bookings) seconds(at soccer.Time) float64 { return at.Sub(t.start).Seconds() }

// until returns the end of a lane's newest span: the belief holds until the robot is silent for long.
func (l *bookingLane) until(now soccer.Time) soccer.Time {
	last := l.spans[len(l.spans)-1].to
	if now.Sub(last) > silentAfter {
		return last
	}
	return max(now, last)
}

func (t *bookings) robot(l *bookingLane, now soccer.Time) BookingRobot {
	held := l.spans[len(l.spans)-1].belief
	r := BookingRobot{
		Number: l.robot, SilentMs: millis(now.Sub(l.arrived)), Penalised: l.penalised, Epoch: held.epoch,
		Ignores: []Ignored{}, Spans: make([]BookingSpan, 0, len(l.spans)),
	}
	r.Live = now.Sub(l.spans[len(l.spans)-1].to) <= silentAfter
	for _, s := range l.spans {
		span := BookingSpan{t.seconds(s.from), t.seconds(s.to), s.booker, s.epoch}
		// Spans are split by what the robot sees, too, which the page does not show.
		if n := len(r.Spans); n > 0 && r.Spans[n-1].To == span.From && r.Spans[n-1].Booker == span.Booker &&
			r.Spans[n-1].Epoch == span.Epoch {
			r.Spans[n-1].To = span.To
			continue
		}
		r.Spans = append(r.Spans, span)
	}
	r.Spans[len(r.Spans)-1].To = t.seconds(l.until(now))
	if !r.Live {
		return r
	}
	r.Booked, r.Booker = held.booker != 0, held.booker
	if l.sees {
		own := l.own
		r.Own = &own
	}
	if l.recorded != 0 {
		t.describe(&r, l)
	}
	for _, i := range l.ignored {
		i.Claims = t.claimOf(i.Robot)
		r.Ignores = append(r.Ignores, i)
	}
	return r
}

// describe adds what only the debug record has.
func (t *bookings) describe(r *BookingRobot, l *bookingLane) {
	b := &l.record
	r.Protocol, r.Sequence, r.LeftMs = b.Protocol.String(), b.Sequence, float64(b.Left)*1e3
	if b.Booked {
		distance := float64(b.Distance)
		r.Distance = &distance
	}
	if b.Timestamp != 0 {
		age := millis(l.recorded.Sub(l.renewed))
		r.AgeMs = &age
	}
}

// claimOf returns the distance that a robot claims, nil if it claims none.
func (t *bookings) claimOf(robot uint8) *float64 {
	for _, l := range t.lanes {
		if l.robot == robot && l.claimed {
			claims := l.claims
			return &claims
		}
	}
	return nil
}

// edge is where a span begins or ends.
type edge struct {
	at            soccer.Time
	begins        bool
	books, watchs int // 1: the span is that of a booker, or of a robot that sees the ball
}

// stretches returns the times from first to now in which two robots had booked the ball, and those in which none had and
// one saw it.
func (t *bookings) stretches(now, first soccer.Time) (two, none []bookingSpan) {
	var edges []edge
	for _, l := range t.lanes {
		for i, s := range l.spans {
			if i == len(l.spans)-1 {
				s.to = l.until(now)
			}
			e := edge{at: max(s.from, first), begins: true}
			if s.booker == l.robot {
				e.books = 1
			}
			if s.sees {
				e.watchs = 1
			}
			if s.to > e.at {
				edges = append(edges, e, edge{s.to, false, e.books, e.watchs})
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		if a.at != b.at {
			return int(max(-1, min(1, a.at-b.at)))
		}
		return 0
	})
	books, watchs := 0, 0
	for i, e := range edges {
		if e.begins {
			books, watchs = books+e.books, watchs+e.watchs
		} else {
			books, watchs = books-e.books, watchs-e.watchs
		}
		if i+1 == len(edges) || edges[i+1].at == e.at {
			continue
		}
		part := bookingSpan{from: e.at, to: edges[i+1].at}
		if books > 1 {
			two = join(two, part)
		}
		if books == 0 && watchs > 0 {
			none = join(none, part)
		}
	}
	return two, none
}

// join adds a span, to the last one if that ends where it begins.
func join(spans []bookingSpan, s bookingSpan) []bookingSpan {
	if n := len(spans); n > 0 && spans[n-1].to == s.from {
		spans[n-1].to = s.to
		return spans
	}
	return append(spans, s)
}

func (t *bookings) stretch(spans []bookingSpan, now soccer.Time, window time.Duration) Stretch {
	s := Stretch{Spans: []Part{}}
	var sum, longest time.Duration
	spans = slices.DeleteFunc(spans, func(p bookingSpan) bool { return p.to.Sub(p.from) < shortest })
	for i, p := range spans {
		d := p.to.Sub(p.from)
		sum, longest = sum+d, max(longest, d)
		if p.to == now {
			s.NowMs = millis(d)
		}
		if i >= len(spans)-maxParts {
			s.Spans = append(s.Spans, Part{t.seconds(p.from), t.seconds(p.to)})
		}
	}
	if window > 0 {
		s.MsPerMinute = millis(sum) * (keptFor.Seconds() / max(window, time.Second).Seconds())
	}
	s.LongestMs = millis(longest)
	return s
}

func millis(d time.Duration) float64 { return float64(max(d, 0).Microseconds()) / 1e3 }
