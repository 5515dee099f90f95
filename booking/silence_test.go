package booking_test

import (
	"testing"
	"time"

	"touchline/booking"
	"touchline/soccer"
	"touchline/wire/b3p"
)

const (
	silence = 200 * time.Millisecond
	gossip  = 44 * time.Millisecond // with its jitter
)

// A crashed booker is replaced before its lease expires when all agree that they miss it, and it does not come back
// because a teammate still believes in it.
func TestTeamAgreesThatTheBookerIsSilent(t *testing.T) {
	seeds(t, 20, func(t *testing.T, seed uint64) {
		w := newTeam(seed, 1, 2, 3, 4)
		w.run(time.Second)
		w.run(time.Duration(seed) * 7 * time.Millisecond)
		w.robot(1).dead = true
		var none spans
		handovers, booker := 0, uint8(0)
		w.run(time.Second, func() {
			b := w.bookers()
			if none.count(len(b) == 0); len(b) == 1 && b[0] != booker {
				handovers, booker = handovers+1, b[0]
			}
		})
		if most := silence + gossip + latency + 2*control; none.total > most {
			t.Errorf("no booker for %v, want at most %v", none.total, most)
		}
		if w.expect(t, 2); handovers != 1 {
			t.Errorf("%d hand-overs after the crash, want 1", handovers)
		}
	})
}

// A robot whose teammates are silent too cannot tell who has failed: it waits for the end of the lease.
func TestRobotThatHearsNobodyWaits(t *testing.T) {
	seeds(t, 20, func(t *testing.T, seed uint64) {
		w := newTeam(seed, 1, 2, 3)
		w.run(time.Second)
		w.lost = func(_, to uint8) bool { return to == 2 }
		w.run(lease - renewal - latency)
		w.expect(t, 1)
		w.run(renewal + latency + 2*control)
		if w.robot(2).state.Booker != 2 {
			t.Error("robot 2 hears nobody and does not book the ball")
		}
	})
}

// A robot that says it misses the renewals is answered at once, by the booker and by a teammate that has heard them.
func TestAnswerToRobotThatMissesRenewals(t *testing.T) {
	for _, self := range []uint8{1, 2} {
		w := newTeam(1, 1, 2, 3)
		w.run(time.Second)
		r := w.robot(self)
		send := func(s booking.State, now soccer.Time) bool { // reports whether the robot sends without being asked
			var out booking.Output
			s.Step(&r.cfg, now, &booking.Event{View: r.view(w)}, &out)
			return out.N > 0
		}
		for send(r.state, w.now.Add(control)) {
			w.run(control)
		}
		var out booking.Output
		s := r.state
		m := b3p.Belief{Booker: 1, Epoch: s.Epoch, Sequence: s.Sequence - 3, Claimed: 1000, Advertised: 1000, AgeMillis: 150}
		s.Step(&r.cfg, w.now, &booking.Event{From: 3, Message: booking.Message{Type: b3p.TypeBelief, Belief: m}}, &out)
		if !send(s, w.now.Add(control)) {
			t.Errorf("robot %d does not answer", self)
		}
	}
}

// A robot that is farther away may notice first that the booker is silent. The nearest one takes the ball from it at once,
// in the same epoch: a booker that is alive after all wins against both.
func TestNearestReplacesSilentBooker(t *testing.T) {
	c := booking.DefaultConfig(2, 0b1110)
	now := soccer.Epoch
	var s booking.State
	var out booking.Output
	claim := func(from uint8, sequence uint32, distance uint16) {
		s.Step(&c, now, &booking.Event{From: from, Message: booking.Message{Type: b3p.TypeClaim, Claim: b3p.Claim{
			Booker: from, Epoch: 1, Sequence: sequence, Claimed: distance, Advertised: distance,
		}}}, &out)
	}
	pass := func(d time.Duration) {
		for end := now.Add(d); now < end; now = now.Add(control) {
			s.Step(&c, now, &booking.Event{View: booking.View{Known: true, Distance: 1, Fit: true}}, &out)
		}
	}
	claim(1, 1, 800)
	pass(190 * time.Millisecond)
	claim(3, 2, 3000)
	if s.Booker != 3 {
		t.Fatalf("booker %d, want 3", s.Booker)
	}
	if pass(control); s.Booker != 2 || s.Epoch != 1 {
		t.Errorf("booker %d in epoch %d, want 2 in 1", s.Booker, s.Epoch)
	}
	if claim(1, 5, 800); s.Booker != 1 {
		t.Errorf("booker %d after a renewal of robot 1, want 1", s.Booker)
	}
}

// With few messages the booker speaks when its distance changes much, and otherwise seldom; the others say nothing.
func TestBudgetSendsLittle(t *testing.T) {
	w := newTeam(1, 1, 2, 3, 4)
	for i := range w.robots {
		seed := w.robots[i].cfg.Seed
		w.robots[i].cfg = booking.BudgetConfig(uint8(i+1), w.robots[i].cfg.Members)
		w.robots[i].cfg.Seed = seed
	}
	w.run(10 * time.Second)
	w.expect(t, 1)
	before := len(w.sent)
	w.run(22 * time.Second)
	if n := len(w.sent) - before; n < 9 || n > 11 {
		t.Errorf("%d messages in 22 s, want a renewal each 2.2 s", n)
	}
	before = len(w.sent)
	w.place(1, 3.5)
	w.run(time.Second)
	if w.expect(t, 2); len(w.sent)-before > 4 {
		t.Errorf("%d messages for a hand-over, want at most 4", len(w.sent)-before)
	}
	w.robot(2).dead = true
	w.run(6 * time.Second)
	w.expect(t, 3)
}

// A robot that was held up itself finds the messages of that time after its next control period: it does not take the
// others for silent.
func TestHeldUpRobot(t *testing.T) {
	for seed := range uint64(20) {
		w := newTeam(seed+1, 3, 1, 2)
		w.run(time.Second)
		w.expect(t, 2)
		held := w.robot(1)
		held.dead = true // its program stands still
		start := len(w.sent)
		w.run(2 * lease)
		w.step(held, &booking.Event{View: held.view(w)})
		if held.state.Booker == 1 {
			t.Fatalf("seed %d: robot 1 took the ball before it heard what the others had sent meanwhile", seed+1)
		}
		for _, m := range w.sent[start:] {
			if m.from != held.cfg.Self {
				w.step(held, &booking.Event{From: m.from, Message: m.content})
			}
		}
		held.dead = false
		if held.state.Booker != 2 {
			t.Fatalf("seed %d: robot 1 believes in %d after it was held up, want 2", seed+1, held.state.Booker)
		}
		w.run(2*lease, func() {
			if b := w.bookers(); len(b) != 1 || b[0] != 2 {
				t.Fatalf("seed %d: bookers %v, want robot 2", seed+1, b)
			}
		})
	}
}

// A robot that starts again knows no place of a teammate until it hears its belief, and so do the teammates: with messages
// lost, it does not take the ball from a nearer one, and takes it from a farther one.
func TestRestartAmongHiddenRobots(t *testing.T) {
	for seed := range uint64(20) {
		for _, distance := range []float64{0.5, 3} {
			w := newTeam(seed+1, 3, 1, 2)
			w.lost = func(_, _ uint8) bool { return w.rng.Float64() < 0.3 }
			w.run(time.Second)
			w.expect(t, 2)
			back := w.robot(1)
			back.dead = true
			w.run(3 * time.Second)
			back.dead, back.state = false, booking.State{}
			since := w.now
			for id := uint8(1); id <= 3; id++ {
				v := booking.View{Known: true, Distance: []float64{distance, 1, 2}[id-1], Fit: true}
				w.robot(id).view = func(w *team) booking.View {
					if v.Hidden = 0; w.now.Sub(since) < 900*time.Millisecond {
						v.Hidden = 1 << 1
						if id == 1 {
							v.Hidden = 1<<2 | 1<<3
						}
					}
					return v
				}
			}
			took := false
			w.run(2*time.Second, func() { took = took || back.state.Booker == 1 })
			if took != (distance < 1) {
				t.Errorf("seed %d: robot 1 is %g m from the ball, robot 2 is 1 m: did robot 1 take it? %t", seed+1, distance, took)
			}
			for id := uint8(1); id <= 3; id++ {
				if s := w.robot(id).state; s.Ignored != 0 {
					t.Errorf("seed %d: robot %d ignores %b", seed+1, id, s.Ignored)
				}
			}
		}
	}
}
