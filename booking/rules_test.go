package booking_test

import (
	"testing"
	"time"

	"touchline/booking"
	"touchline/soccer"
	"touchline/wire/b3p"
)

// The booker crashes, and robot 2 books the ball when the lease has expired. Robot 3, which heard the last renewal later,
// still believes in the crashed one: that takes the ball from nobody, else the two would keep the belief alive for each
// other.
func TestBeliefInACrashedBookerTakesNoBall(t *testing.T) {
	c := booking.DefaultConfig(2, 0b1110)
	now := soccer.Epoch
	var s booking.State
	var out booking.Output
	step := func(e booking.Event) { s.Step(&c, now, &e, &out) }
	step(booking.Event{From: 1, Message: booking.Message{Type: b3p.TypeClaim, Claim: b3p.Claim{
		Booker: 1, Epoch: 1, Sequence: 1, Claimed: 1000, Advertised: 1000,
	}}})
	for range 400 / 20 {
		now = now.Add(20 * time.Millisecond)
		step(booking.Event{View: booking.View{Known: true, Distance: 2, Fit: true}})
	}
	step(booking.Event{From: 3, Message: booking.Message{Type: b3p.TypeBelief, Belief: b3p.Belief{
		Booker: 1, Epoch: 1, Sequence: 1, Claimed: 1000, Advertised: 1000, AgeMillis: 300, Own: b3p.Unknown,
	}}})
	if s.Booker != 2 || s.Counts.Old != 1 {
		t.Errorf("robot 2 believes in robot %d and found %d messages old, want itself and 1", s.Booker, s.Counts.Old)
	}
}

// Two robots book the free ball at once, with the same sequence number: a belief in the nearer one counts.
func TestBeliefDecidesBetweenFirstBookings(t *testing.T) {
	c := booking.DefaultConfig(2, 0b1110)
	now := soccer.Epoch
	var s booking.State
	var out booking.Output
	for s.Booker != 2 {
		s.Step(&c, now, &booking.Event{View: booking.View{Known: true, Distance: 2, Fit: true}}, &out)
		now = now.Add(20 * time.Millisecond)
	}
	s.Step(&c, now, &booking.Event{From: 3, Message: booking.Message{Type: b3p.TypeBelief, Belief: b3p.Belief{
		Booker: 1, Epoch: s.Epoch, Sequence: s.Sequence, Claimed: 1000, Advertised: 1000, AgeMillis: 10, Own: 3000,
	}}}, &out)
	if s.Booker != 1 {
		t.Errorf("robot 2 believes in robot %d, want the nearer one that books at the same time", s.Booker)
	}
}

// A booker keeps the ball though a farther robot, which heard nothing for more than the lease, books it, too.
func TestFartherRobotThatHeardNothingTakesNoBall(t *testing.T) {
	q := newTeam(1, 1, 2)
	q.run(500 * time.Millisecond)
	q.lost = func(_, _ uint8) bool { return true }
	q.run(time.Second)
	if b := q.bookers(); len(b) != 2 {
		t.Fatalf("bookers %v while no message arrives, want both", b)
	}
	q.lost = nil
	q.run(500*time.Millisecond, func() {
		if s := &q.robot(1).state; s.Booker != 1 {
			t.Fatalf("robot 1 gives the ball to robot %d, which is farther away", s.Booker)
		}
	})
	if b := q.bookers(); len(b) != 1 {
		t.Errorf("bookers %v, want robot 1 alone", b)
	}
}

// A robot that starts again listens before it claims: it takes the ball from nobody.
func TestRestartedRobotListensFirst(t *testing.T) {
	q := newTeam(1, 1, 0.9)
	q.robot(2).dead = true
	q.run(500 * time.Millisecond)
	q.robot(2).dead, q.robot(2).state = false, booking.State{}
	q.run(500*time.Millisecond, func() {
		if b := q.bookers(); len(b) != 1 || b[0] != 1 {
			t.Fatalf("bookers %v, want robot 1 alone", b)
		}
	})
	if s := &q.robot(2).state; s.Booker != 1 {
		t.Errorf("robot 2 believes in robot %d, want 1", s.Booker)
	}
}

// Robots 1 and 2 book the ball at the same time, and robot 1 releases it. Robot 3, which missed the release, still believes
// in robot 1: that takes the ball from nobody.
func TestReleaseEndsTheEpoch(t *testing.T) {
	c := booking.DefaultConfig(2, 0b1110)
	now := soccer.Epoch
	var s booking.State
	var out booking.Output
	for s.Booker != 2 {
		s.Step(&c, now, &booking.Event{View: booking.View{Known: true, Distance: 2, Fit: true}}, &out)
		now = now.Add(20 * time.Millisecond)
	}
	epoch, sequence := s.Epoch, s.Sequence
	s.Step(&c, now, &booking.Event{From: 1, Message: booking.Message{Type: b3p.TypeRelease, Release: b3p.Release{
		Booker: 1, Epoch: epoch, Sequence: sequence,
	}}}, &out)
	s.Step(&c, now, &booking.Event{From: 3, Message: booking.Message{Type: b3p.TypeBelief, Belief: b3p.Belief{
		Booker: 1, Epoch: epoch, Sequence: sequence, Claimed: 1000, Advertised: 1000, AgeMillis: 20, Own: b3p.Unknown,
	}}}, &out)
	if s.Booker != 2 || s.Epoch != epoch+1 {
		t.Errorf("robot 2 believes in robot %d of epoch %d, want itself of epoch %d", s.Booker, s.Epoch, epoch+1)
	}
}

// renewalOf returns renewal n of robot 1's first booking.
func renewalOf(n uint32) booking.Event {
	return booking.Event{From: 1, Message: booking.Message{Type: b3p.TypeClaim, Claim: b3p.Claim{
		Booker: 1, Epoch: 1, Sequence: n, Claimed: 1000, Advertised: 1000,
	}}}
}

// A renewal that the network held back does not lengthen the lease of a booker that has crashed since.
func TestHeldBackRenewalIsOld(t *testing.T) {
	c := booking.DefaultConfig(2, 0b1110)
	var s booking.State
	var out booking.Output
	hear := func(n uint32, after time.Duration) time.Duration {
		e := renewalOf(n)
		s.Step(&c, soccer.Epoch.Add(after), &e, &out)
		return s.Booking(&c, soccer.Epoch.Add(after)).Timestamp.Sub(soccer.Epoch)
	}
	const ms = time.Millisecond
	for _, step := range []struct {
		n                  uint32
		after, least, most time.Duration
	}{
		{1, 0, 0, 0},
		{2, 50 * ms, 50 * ms, 50 * ms},
		{3, 250 * ms, 100 * ms, 110 * ms}, // held back
		{4, 250 * ms, 250 * ms, 250 * ms}, // so was this one: the booker or the network is slow
		{5, 420 * ms, 300 * ms, 310 * ms}, // the booker stalled
		{6, 470 * ms, 470 * ms, 470 * ms}, // and goes on
		{8, 575 * ms, 575 * ms, 575 * ms}, // one was lost
		{9, 900 * ms, 900 * ms, 900 * ms}, // the first one after more than a lease
	} {
		if at := hear(step.n, step.after); at < step.least || at > step.most {
			t.Errorf("renewal %d, heard after %v, counts as heard after %v, want %v to %v", step.n, step.after, at,
				step.least, step.most)
		}
	}
}

// The lease of a booker that a robot learns of from a teammate counts from the renewal, not from the teammate's message.
func TestGossipCountsFromTheRenewal(t *testing.T) {
	c := booking.DefaultConfig(2, 0b1110)
	var s booking.State
	s.Step(&c, soccer.Epoch, &booking.Event{From: 3, Message: booking.Message{Type: b3p.TypeBelief, Belief: b3p.Belief{
		Booker: 1, Epoch: 1, Sequence: 7, Claimed: 1000, Advertised: 1000, AgeMillis: 120, Own: 3000,
	}}}, &booking.Output{})
	if b := s.Booking(&c, soccer.Epoch); b.Booker != 1 || b.Left != c.Lease-120*time.Millisecond {
		t.Errorf("booker %d with %v left, want 1 with %v", b.Booker, b.Left, c.Lease-120*time.Millisecond)
	}
}
