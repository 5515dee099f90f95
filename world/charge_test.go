package world

import (
	"testing"
	"time"

	"touchline/soccer"
)

// A robot whose picture shows no ball speaks against one only within its reach, and only if it rarely misses one.
func TestDenies(t *testing.T) {
	var e eyesight
	if e.denies(1) {
		t.Error("a robot that never saw a ball denies one")
	}
	for range 50 {
		e.see(5)
	}
	for _, c := range []struct {
		distance float64
		want     bool
	}{{4, true}, {4.5, false}} {
		if e.denies(c.distance) != c.want {
			t.Errorf("at %v m: denies is %v after 50 balls at 5 m", c.distance, !c.want)
		}
	}
	for range 20 {
		e.miss()
		e.miss()
		e.see(5)
	}
	if !e.denies(4) {
		t.Error("a robot that misses a ball twice running, as each camera does, denies none")
	}
	for range 20 {
		e.miss()
	}
	if e.denies(4) {
		t.Error("a robot that did not see the ball for 20 pictures denies one")
	}
	for range 400 {
		e.see(5)
	}
	if !e.denies(4) {
		t.Error("a robot that has seen each ball for 16 s still counts as one that misses them")
	}
}

// Farther than anybody sees balls nobody does: as far as three robots prove it, else as far as any camera sees.
func TestLimit(t *testing.T) {
	if l := sightLimit(0, 0); l < 1000 {
		t.Errorf("limit %v m where nobody has seen a ball", l)
	}
	if l := sightLimit(3, 0); l != usualReach {
		t.Errorf("limit %v m where no three robots saw a ball, want %v", l, usualReach)
	}
	if l := sightLimit(3, 4); l < 5 || l > 5.2 {
		t.Errorf("limit %v m after a ball 4 m away, want 5.1", l)
	}
}

// A charge holds after contradictions for 0.6 s, in picture after picture, and fades; what a robot did not see is no sight.
func TestChargeHolds(t *testing.T) {
	charge := func(every time.Duration, sighted bool) (c charge, at soccer.Time) {
		at = soccer.Epoch
		for i := range uint32(20) {
			at += soccer.Time(every)
			c.contradict(at, i+1, 1, sighted)
		}
		return c, at
	}
	c, at := charge(40*time.Millisecond, true)
	if !c.holds(at) || !c.isSighted() {
		t.Errorf("a contradiction for 0.8 s does not hold: %+v", c)
	}
	if c.holds(at.Add(chargedFor * time.Second)) {
		t.Error("it holds for longer than it counts")
	}
	for i := range uint32(10) {
		at += soccer.Time(40 * time.Millisecond)
		c.agree(at, 21+i)
	}
	if c.holds(at) || c.isSighted() {
		t.Errorf("it holds although both agree since 0.4 s: %+v", c)
	}
	if c, at := charge(400*time.Millisecond, true); c.holds(at) {
		t.Error("20 contradictions apart hold")
	}
	if c, at := charge(40*time.Millisecond, false); !c.holds(at) || c.isSighted() {
		t.Errorf("got %+v of a robot that sees nothing, want a charge without a sight", c)
	}
}
