package booking_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"touchline/booking"
	"touchline/soccer"
)

// The network and the robots of these tests.
const (
	control = 20 * time.Millisecond // C: between two control periods of a robot
	latency = 5 * time.Millisecond  // L: the longest way of a message; the shortest is 1 ms
	step    = time.Millisecond
)

// team is a few robots on a network that loses, delays and reorders messages, in virtual time.
type team struct {
	now    soccer.Time
	robots []robot
	lost   func(from, to uint8) bool // default: never
	extra  func() time.Duration      // latency beyond the usual one; default 0
	flight []message
	rng    *rand.Rand
	sent   []sent
}

type robot struct {
	cfg   booking.Config
	state booking.State
	view  func(*team) booking.View
	phase time.Duration // of its control periods
	skew  func(soccer.Time) soccer.Time
	dead  bool
}

type message struct {
	at       soccer.Time
	from, to uint8
	content  booking.Message
}

type sent struct {
	at      soccer.Time
	from    uint8
	content booking.Message
}

// newTeam returns a team of robots 1, 2, ... that stand at these distances from the ball, in metres.
func newTeam(seed uint64, distances ...float64) *team {
	t := &team{now: soccer.Epoch, rng: rand.New(rand.NewPCG(seed, 0))}
	for i, d := range distances {
		id := uint8(i + 1)
		cfg := booking.DefaultConfig(id, uint64(1)<<(len(distances)+1)-2)
		cfg.Seed = seed
		t.robots = append(t.robots, robot{cfg: cfg, phase: time.Duration(t.rng.Int64N(int64(control)))})
		t.place(id, d)
	}
	return t
}

func (t *team) robot(id uint8) *robot { return &t.robots[id-1] }

// place puts a robot at a distance from the ball.
func (t *team) place(id uint8, distance float64) {
	t.see(id, booking.View{Known: true, Distance: distance, Fit: true})
}

// see sets what a robot sees from now on.
func (t *team) see(id uint8, v booking.View) {
	t.robot(id).view = func(*team) booking.View { return v }
}

// run passes this much time. After each millisecond it calls the observers.
func (t *team) run(d time.Duration, observe ...func()) {
	for end := t.now.Add(d); t.now < end; t.now = t.now.Add(step) {
		t.deliver()
		for i := range t.robots {
			if r := &t.robots[i]; !r.dead && t.now.Sub(soccer.Epoch)%control == r.phase/step*step {
				t.step(r, &booking.Event{View: r.view(t)})
			}
		}
		for _, f := range observe {
			f()
		}
	}
}

// deliver hands over the messages that arrive now.
func (t *team) deliver() {
	arrived := t.flight
	t.flight = nil
	for _, m := range arrived {
		r := t.robot(m.to)
		switch {
		case m.at > t.now:
			t.flight = append(t.flight, m)
		case !r.dead:
			t.step(r, &booking.Event{From: m.from, Message: m.content})
		}
	}
}

// step carries out an event of a robot and sends what it answers.
func (t *team) step(r *robot, e *booking.Event) {
	now := t.now
	if r.skew != nil {
		now = r.skew(now)
	}
	var out booking.Output
	r.state.Step(&r.cfg, now, e, &out)
	for _, m := range out.Messages[:out.N] {
		t.sent = append(t.sent, sent{t.now, r.cfg.Self, m})
		for to := uint8(1); int(to) <= len(t.robots); to++ {
			if to != r.cfg.Self && (t.lost == nil || !t.lost(r.cfg.Self, to)) {
				t.send(r.cfg.Self, to, m)
			}
		}
	}
}

// send puts a message on its way.
func (t *team) send(from, to uint8, m booking.Message) {
	d := step + time.Duration(t.rng.Int64N(int64(latency)))
	if t.extra != nil {
		d += t.extra()
	}
	t.flight = append(t.flight, message{t.now.Add(min(d, latency)), from, to, m})
}

// bookers returns the robots that have booked the ball, as they believe.
func (t *team) bookers() (all []uint8) {
	for i := range t.robots {
		if r := &t.robots[i]; !r.dead && r.state.Booker == r.cfg.Self {
			all = append(all, r.cfg.Self)
		}
	}
	return all
}

// agrees reports whether all living robots believe in one booker, and it is this one.
func (t *team) agrees(booker uint8) bool {
	return slices.Equal(t.bookers(), []uint8{booker}) && !slices.ContainsFunc(t.robots, func(r robot) bool {
		return !r.dead && r.state.Booker != booker
	})
}

func (t *team) expect(tb testing.TB, booker uint8) {
	tb.Helper()
	if t.agrees(booker) {
		return
	}
	var beliefs []uint8
	for i := range t.robots {
		beliefs = append(beliefs, t.robots[i].state.Booker)
	}
	tb.Fatalf("bookers %v, beliefs %v of the robots: want robot %d alone", t.bookers(), beliefs, booker)
}

// spans measures how long conditions hold.
type spans struct{ current, longest, total time.Duration }

func (s *spans) count(holds bool) {
	if !holds {
		s.current = 0
		return
	}
	s.current += step
	s.total += step
	s.longest = max(s.longest, s.current)
}

// independent returns a link that loses this share of messages.
func (t *team) independent(share float64) func(from, to uint8) bool {
	return func(_, _ uint8) bool { return t.rng.Float64() < share }
}

// atMost returns a link that loses this share, but never more than k messages in a row from one robot to another.
func (t *team) atMost(k int, share float64) func(from, to uint8) bool {
	row := map[[2]uint8]int{}
	return func(from, to uint8) bool {
		link := [2]uint8{from, to}
		if row[link] >= k || t.rng.Float64() >= share {
			row[link] = 0
			return false
		}
		row[link]++
		return true
	}
}
