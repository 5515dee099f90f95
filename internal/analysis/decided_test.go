package analysis

import (
	"math"
	"reflect"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// running steps an Analyst through seconds in play, and calls each before every step.
func running(a *Analyst, seconds float64, each func(at soccer.Time, f *Frame)) {
	for i := 0; float64(i) < 10*seconds; i++ {
		at := soccer.Epoch.Add(time.Duration(i) * 100 * time.Millisecond)
		f := &Frame{Time: at, At: at, Known: true, State: game.State{Part: game.FirstHalf, Running: true}}
		each(at, f)
		a.Step(f)
	}
}

// Bookings, states and named mates are counted in play, each once, although the robots tell them again and again.
func TestDecided(t *testing.T) {
	a := NewAnalyst(soccer.MSL18x12())
	liar, mate := autoref.Player{Side: game.Home, Number: 3}, autoref.Player{Side: game.Home, Number: 4}
	running(a, 20, func(at soccer.Time, f *Frame) {
		now := at.Sub(soccer.Epoch).Seconds()
		// Robot 2 goes to the ball for 10 s, then robot 4; both do from 9.8 to 10.2 s, and none did at the very beginning.
		b := &Booked{Now: now, Booker: 2, Epoch: 1, Two: []Stretch{{From: 9.8, To: min(now, 10.2)}}, None: []Stretch{{From: 0.01, To: 0.2}}}
		if now > 10 {
			b.Booker, b.Epoch = 4, 2
		}
		if now < 9.8 {
			b.Two = nil
		}
		if now < 0.5 { // play has not begun for the first frame
			return
		}
		a.Booked(at, game.Home, b)
		state := "defend"
		if now >= 15 {
			state = "approach"
		}
		if now < 18 { // it is silent from then on
			a.State(at, mate, state)
		}
		if now >= 5 && now < 8 || now >= 12 && now < 13 {
			for _, by := range []uint8{1, 2} {
				f.Beliefs = append(f.Beliefs, Belief{By: autoref.Player{Side: game.Home, Number: by}, At: at,
					Named: []Named{{Number: liar.Number, What: "pose", By: now}}})
			}
		}
	})
	r := a.Report()
	b := r.Teams[0].Booking
	if b == nil || b.Balls != 2 || b.Two.Count != 1 || math.Abs(b.Two.Longest-0.4) > 1e-9 || b.None.Count != 1 || math.Abs(b.None.Seconds-0.19) > 1e-9 {
		t.Errorf("the booking is %+v", b)
	}
	if r.Teams[1].Booking != nil {
		t.Error("the other team has a booking")
	}
	if len(r.Namings) != 2 || r.Namings[0].Player != liar || r.Namings[0].From != 5 || math.Abs(r.Namings[0].To-7.9) > 1e-9 ||
		r.Namings[0].Mates != 2 || math.Abs(r.Namings[0].By-7.9) > 1e-9 || r.Namings[1].From != 12 {
		t.Errorf("named: %+v", r.Namings)
	}
	for i := range r.Robots {
		p := &r.Robots[i]
		if p.Player == mate && (len(p.Doing) != 2 || p.Doing[0].State != "defend" || math.Abs(p.Doing[0].Share-15.0/18) > 0.01) {
			t.Errorf("robot 4 did %+v", p.Doing)
		}
	}
}

// Out of play nothing counts, and a name without a robot or a stretch that runs backwards does no harm.
func TestDecidedOutOfPlay(t *testing.T) {
	a := NewAnalyst(soccer.MSL18x12())
	for i := range 50 {
		at := soccer.Epoch.Add(time.Duration(i) * 100 * time.Millisecond)
		a.Booked(at, game.Home, &Booked{Now: float64(i) / 10, Booker: uint8(i % 5), Two: []Stretch{{From: 3, To: 1}, {From: math.NaN(), To: 2}, {From: 0.1, To: 1}}})
		a.Booked(at, "", &Booked{})
		a.State(at, autoref.Player{Side: game.Home, Number: 1}, "wait")
		a.Step(&Frame{Time: at, At: at, Beliefs: []Belief{{By: autoref.Player{Side: game.Home, Number: 1}, At: at, Named: []Named{{Number: 2, What: "ball"}}}}})
	}
	r := a.Report()
	if b := r.Teams[0].Booking; !reflect.DeepEqual(*b, Booking{}) || len(r.Namings) != 0 {
		t.Errorf("%+v, %+v", b, r.Namings)
	}
}
