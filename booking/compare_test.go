package booking_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"touchline/booking"
	"touchline/soccer"
)

// squad is a few robots in lock-step: what they send in a control period arrives in the next one.
type squad struct {
	now    soccer.Time
	cfgs   []booking.Config
	robots []booking.Protocol
	views  []booking.View
	dead   []bool
	air    []booking.Event
}

func newSquad(robot func() booking.Protocol, distances ...float64) *squad {
	q := &squad{now: soccer.Epoch, dead: make([]bool, len(distances))}
	for i, d := range distances {
		q.cfgs = append(q.cfgs, booking.DefaultConfig(uint8(i+1), 1<<(len(distances)+1)-2))
		q.robots = append(q.robots, robot())
		q.views = append(q.views, booking.View{Known: true, Distance: d, Fit: true})
	}
	return q
}

// run passes this much time and calls seen at the end of each control period.
func (q *squad) run(d time.Duration, seen func()) {
	for end := q.now.Add(d); q.now < end; q.now = q.now.Add(control) {
		arrived := q.air
		q.air = nil
		for i, r := range q.robots {
			if q.dead[i] {
				continue
			}
			var out booking.Output
			for _, e := range arrived {
				if e.From != q.cfgs[i].Self {
					r.Step(&q.cfgs[i], q.now, &e, &out)
				}
			}
			r.Step(&q.cfgs[i], q.now, &booking.Event{View: q.views[i]}, &out)
			for _, m := range out.Messages[:out.N] {
				q.air = append(q.air, booking.Event{From: q.cfgs[i].Self, Message: m})
			}
		}
		seen()
	}
}

// bookers returns the live robots that go to the ball.
func (q *squad) bookers() (all []uint8) {
	for i, r := range q.robots {
		if b := r.Booking(&q.cfgs[i], q.now); !q.dead[i] && b.Booked && b.Booker == q.cfgs[i].Self {
			all = append(all, b.Booker)
		}
	}
	return all
}

func (q *squad) expect(t *testing.T, what string, booker uint8) {
	t.Helper()
	if b := q.bookers(); len(b) != 1 || b[0] != booker {
		t.Errorf("%s: bookers %v, want robot %d alone", what, b, booker)
	}
}

func literal() booking.Protocol { return new(booking.Literal) }
func nearest() booking.Protocol { return new(booking.Nearest) }
func auction() booking.Protocol { return new(booking.Auction) }

func nothing() {}

// The figures of the paper: one robot books, a nearer one takes over, a mate books when the booker is switched off or
// does not see the ball any more.
func TestLiteralFollowsTheFigures(t *testing.T) {
	q := newSquad(literal, 1, 2, 1.9)
	q.views[1].Known, q.views[2].Known = false, false
	q.run(100*time.Millisecond, nothing)
	q.expect(t, "only robot 1 sees the ball", 1)
	for i := range q.views {
		q.views[i].Known = true
	}
	q.run(time.Second, nothing)
	q.expect(t, "robot 1 is the nearest", 1)
	q.views[2].Distance = 0.8
	q.run(time.Second, nothing)
	q.expect(t, "robot 3 is nearer by less than the threshold", 1)
	q.views[2].Distance = 0.5
	q.run(time.Second, nothing)
	q.expect(t, "robot 3 is nearer by more than the threshold", 3)
	if b := q.robots[0].Booking(&q.cfgs[0], q.now); b.Booker != 3 || b.Distance != 0.5 || b.Own != 1 || b.Left < 200*time.Millisecond {
		t.Errorf("robot 1 believes in %+v, want robot 3 at 0.5 m", b)
	}
	q.dead[2], q.views[1].Known = true, false
	q.run(400*time.Millisecond, nothing)
	q.expect(t, "robot 3 is switched off", 1)
	q.views[0].Known, q.views[1].Known = false, true
	q.run(400*time.Millisecond, nothing)
	q.expect(t, "robot 1 does not see the ball", 2)
}

// In lock-step the printed protocol never settles: the reason for leases with an order.
func TestLiteralNeverSettlesInLockStep(t *testing.T) {
	q := newSquad(literal, 1, 1, 1)
	settled, booked := 0, 0
	q.run(10*time.Second, func() {
		switch len(q.bookers()) {
		case 1:
			settled++
		case 3:
			booked++
		}
	})
	if settled != 0 || booked < 20 {
		t.Errorf("one booker in %d control periods, three in %d: want none, and at least 20", settled, booked)
	}
}

// Nearest and Auction give the ball to the nearest robot, to another one when it crashes or is unfit, and back.
func TestNearestRobotWins(t *testing.T) {
	for name, protocol := range map[string]func() booking.Protocol{"nearest": nearest, "auction": auction} {
		q := newSquad(protocol, 3, 1, 2)
		q.run(200*time.Millisecond, nothing)
		q.expect(t, name, 2)
		for i, r := range q.robots {
			if b := r.Booking(&q.cfgs[i], q.now); b.Booker != 2 || b.Distance != 1 || b.Own != q.views[i].Distance || b.Left <= 0 {
				t.Errorf("%s: robot %d believes in %+v, want robot 2 at 1 m", name, i+1, b)
			}
		}
		q.dead[1] = true
		q.run(500*time.Millisecond, nothing)
		q.expect(t, name+": robot 2 is dead", 3)
		q.views[2].Fit = false
		q.run(500*time.Millisecond, nothing)
		q.expect(t, name+": robot 3 is unfit", 1)
		q.views[2] = booking.View{Known: true, Distance: 0.5, Fit: true}
		q.run(500*time.Millisecond, nothing)
		q.expect(t, name+": robot 3 is the nearest", 3)
	}
}

// Neither has a hysteresis: at equal distances with noise the ball changes hands all the time, unlike with the lease.
func TestNoisyDistances(t *testing.T) {
	for name, c := range map[string]struct {
		protocol func() booking.Protocol
		flips    bool
	}{
		"lease":   {func() booking.Protocol { return new(booking.State) }, false},
		"nearest": {nearest, true}, "auction": {auction, true},
	} {
		rng := rand.New(rand.NewPCG(1, 0))
		q := newSquad(c.protocol, 3, 3)
		q.run(time.Second, nothing)
		before, flips := q.bookers(), 0
		q.run(time.Minute, func() {
			for i := range q.views {
				q.views[i].Distance = 3 + 0.09*rng.NormFloat64()
			}
			if b := q.bookers(); !slices.Equal(b, before) {
				before, flips = b, flips+1
			}
		})
		if c.flips != (flips > 60) || !c.flips && flips > 0 {
			t.Errorf("%s: %d changes in a minute, want many: %t", name, flips, c.flips)
		}
	}
}

// Two robots at exactly the same distance both go to the ball by the rule of mitecom; an auction prefers the lower id.
func TestExactTie(t *testing.T) {
	for want, protocol := range map[int]func() booking.Protocol{2: nearest, 1: auction} {
		q := newSquad(protocol, 1, 1)
		q.run(time.Second, nothing)
		if b := q.bookers(); len(b) != want || b[0] != 1 {
			t.Errorf("bookers %v, want %d", b, want)
		}
	}
}
