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

// A robot whose teammates are silent too cannot tell who has failed: it waits for the end of the lease, and a slot for
// each of them.
func TestRobotThatHearsNobodyWaitsLongest(t *testing.T) {
	seeds(t, 20, func(t *testing.T, seed uint64) {
		w := newTeam(seed, 1, 2, 3)
		w.run(time.Second)
		w.lost = func(_, to uint8) bool { return to == 2 }
		w.run(lease - renewal - latency)
		w.expect(t, 1)
		w.run(renewal + latency + slot + 2*control)
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
