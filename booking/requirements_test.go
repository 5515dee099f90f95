package booking_test

import (
	"testing"
	"time"

	"touchline/booking"
)

// The four requirements of TeamChaos paper, section 4.

// Requirement 1: a robot that is nearer than the booker books the ball.
func TestRequirement1NearerRobotBooks(t *testing.T) {
	w := newTeam(1, 3, 1, 2)
	w.run(time.Second)
	w.expect(t, 2)
	w.place(3, 0.5)
	w.run(500 * time.Millisecond)
	w.expect(t, 3)
	w.place(1, 0.3) // nearer, but not by more than the hysteresis
	w.run(5 * time.Second)
	w.expect(t, 3)
}

// Requirement 2: another robot books the ball soon when the booker crashes, is penalised or loses the ball.
func TestRequirement2SomeRobotBooks(t *testing.T) {
	for name, stop := range map[string]func(*team){
		"crash":     func(w *team) { w.robot(1).dead = true },
		"penalised": func(w *team) { w.see(1, booking.View{Known: true, Distance: 1}) },
		"lost":      func(w *team) { w.see(1, booking.View{Fit: true}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newTeam(1, 1, 2, 3)
			w.run(time.Second)
			w.expect(t, 1)
			stop(w)
			w.run(700 * time.Millisecond) // the longest is Lost, 500 ms, and a hand-over
			w.expect(t, 2)
		})
	}
}

// Requirement 3: robots at the same distance do not book the ball by turns, whatever noise of 9 cm their distances have.
func TestRequirement3EqualRobotsDoNotAlternate(t *testing.T) {
	for seed := range uint64(5) {
		w := newTeam(seed, 3, 3)
		for i := range w.robots {
			w.robots[i].view = func(w *team) booking.View {
				return booking.View{Known: true, Distance: 3 + 0.09*w.rng.NormFloat64(), Fit: true}
			}
		}
		w.run(time.Second)
		booker, flips := w.robot(1).state.Booker, 0
		w.run(time.Minute, func() {
			if b := w.robot(1).state.Booker; b != booker {
				booker, flips = b, flips+1
			}
		})
		if flips > 0 {
			t.Errorf("seed %d: the booker changed %d times in a minute", seed, flips)
		}
	}
}

// Requirement 4: one robot, and just one, of those that see the ball books it; a robot that does not see it never does.
func TestRequirement4JustOneBooks(t *testing.T) {
	w := newTeam(1, 0.5, 4, 2, 3)
	w.see(1, booking.View{Fit: true})
	var none, several spans
	w.run(200 * time.Millisecond)
	w.run(time.Minute, func() {
		none.count(len(w.bookers()) == 0)
		several.count(len(w.bookers()) > 1)
	})
	w.expect(t, 3)
	if none.total > 0 || several.total > 0 {
		t.Errorf("no booker for %v, several for %v of a minute in which nothing happened", none.total, several.total)
	}
}
