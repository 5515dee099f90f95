package booking_test

import (
	"testing"
	"time"

	"touchline/booking"
	"touchline/soccer"
	"touchline/wire/b3p"
)

const control = 20 * time.Millisecond

// team is a few robots whose messages arrive at once.
type team struct {
	now    soccer.Time
	robots []robot
	lost   func(from, to uint8) bool
	sent   int
}

type robot struct {
	cfg   booking.Config
	state booking.State
	view  booking.View
	dead  bool
}

func newTeam(distances ...float64) *team {
	t := &team{now: soccer.Epoch, lost: func(_, _ uint8) bool { return false }}
	members := uint64(1)<<(len(distances)+1) - 2
	for i, d := range distances {
		t.robots = append(t.robots, robot{
			cfg: booking.DefaultConfig(uint8(i+1), members), view: booking.View{Known: true, Distance: d, Fit: true},
		})
	}
	return t
}

// run passes this much time in control periods.
func (t *team) run(d time.Duration) {
	for end := t.now.Add(d); t.now < end; t.now = t.now.Add(control) {
		for i := range t.robots {
			if r := &t.robots[i]; !r.dead {
				t.step(r, &booking.Event{View: r.view})
			}
		}
	}
}

func (t *team) step(r *robot, e *booking.Event) {
	var out booking.Output
	r.state.Step(&r.cfg, t.now, e, &out)
	for _, m := range out.Messages[:out.N] {
		t.sent++
		for i := range t.robots {
			if to := &t.robots[i]; to != r && !to.dead && !t.lost(r.cfg.Self, to.cfg.Self) {
				t.step(to, &booking.Event{From: r.cfg.Self, Message: m})
			}
		}
	}
}

// bookers returns the robots that have the ball booked, as they believe.
func (t *team) bookers() (all []uint8) {
	for i := range t.robots {
		if r := &t.robots[i]; !r.dead && r.state.Booker == r.cfg.Self {
			all = append(all, r.cfg.Self)
		}
	}
	return all
}

func (t *team) expect(tb testing.TB, booker uint8) {
	tb.Helper()
	if b := t.bookers(); len(b) != 1 || b[0] != booker {
		tb.Fatalf("bookers %v, want robot %d alone", b, booker)
	}
	for i := range t.robots {
		if r := &t.robots[i]; !r.dead && r.state.Booker != booker {
			tb.Fatalf("robot %d believes that robot %d is the booker, want %d", r.cfg.Self, r.state.Booker, booker)
		}
	}
}

func TestNearestBooks(t *testing.T) {
	w := newTeam(3, 1, 2)
	w.run(150 * time.Millisecond) // three renewals: lock-step start
	w.expect(t, 2)
	w.robots[0].view.Distance = 0.5
	w.run(400 * time.Millisecond)
	w.expect(t, 1)
	w.robots[0].dead = true
	w.run(400 * time.Millisecond)
	w.expect(t, 2)
	w.robots[1].view.Known = false
	w.run(700 * time.Millisecond)
	w.expect(t, 3)
	if w.robots[1].state.Own != b3p.Unknown {
		t.Error("a robot that does not see the ball knows its distance")
	}
}
