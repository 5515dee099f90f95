package watch_test

import (
	"testing"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
)

// The booking keeps to the clock of a session: while that stands, a robot's belief does not grow old.
func TestBookingFollowsTheSession(t *testing.T) {
	i, session := watch.NewInspector(soccer.Epoch), time.Duration(0)
	i.Clock = func() time.Duration { return session }
	r := inspectRobot{id: 3}
	now := soccer.Epoch.Add(time.Hour)
	claim := func(n int) {
		b, err := (&b3p.Claim{Booker: 3, Epoch: 1, Sequence: uint32(n), Advertised: 500}).AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		r.sequence++
		i.Receive(r.datagram(now, tcm.Piece{
			Module: tcm.GM, Type: tcm.Type(b3p.TypeClaim), Number: uint32(n), Captured: uint64(now), Data: b,
		}))
	}
	for n := range 20 {
		session, now = session+50*time.Millisecond, now.Add(50*time.Millisecond)
		claim(n)
	}
	now = now.Add(time.Minute) // a pause
	v := i.Booking(now)
	if len(v.Robots) != 1 || !v.Robots[0].Live || v.Robots[0].Booker != 3 || v.Time != 1 {
		t.Fatalf("got %+v", v)
	}
	session, now = session+50*time.Millisecond, now.Add(50*time.Millisecond)
	claim(20)
	if spans := i.Booking(now).Robots[0].Spans; len(spans) != 1 || spans[0].From != 0.05 || spans[0].To != 1.05 {
		t.Errorf("got %+v, want one span from 0.05 to 1.05 s", spans)
	}
}
