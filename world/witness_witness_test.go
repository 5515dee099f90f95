package world

import (
	"testing"
	"time"

	"touchline/soccer"
)

// A robot whose picture shows no ball speaks against one only within its reach, and only if it rarely misses one.
func TestDenies(t *testing.T) {
	var e Eyesight
	if e.Denies(1) {
		t.Error("a robot that never saw a ball denies one")
	}
	for range 50 {
		e.See(5)
	}
	for _, c := range []struct {
		distance float64
		want     bool
	}{{4, true}, {4.5, false}} {
		if e.Denies(c.distance) != c.want {
			t.Errorf("at %v m: denies is %v after 50 balls at 5 m", c.distance, !c.want)
		}
	}
	for range 20 {
		e.Miss()
		e.Miss()
		e.See(5)
	}
	if !e.Denies(4) {
		t.Error("a robot that misses a ball twice running, as each camera does, denies none")
	}
	for range 20 {
		e.Miss()
	}
	if e.Denies(4) {
		t.Error("a robot that did not see the ball for 20 pictures denies one")
	}
	for range 400 {
		e.See(5)
	}
	if !e.Denies(4) {
		t.Error("a robot that has seen each ball for 16 s still counts as one that misses them")
	}
}

// Farther than anybody sees balls nobody does: as far as three robots prove it, else as far as any camera sees.
func TestLimit(t *testing.T) {
	if l := Limit(0, 0); l < 1000 {
		t.Errorf("limit %v m where nobody has seen a ball", l)
	}
	if l := Limit(3, 0); l != UsualReach {
		t.Errorf("limit %v m where no three robots saw a ball, want %v", l, UsualReach)
	}
	if l := Limit(3, 4); l < 5 || l > 5.2 {
		t.Errorf("limit %v m after a ball 4 m away, want 5.1", l)
	}
}

// A charge holds after contradictions for 0.6 s, in picture after picture, and fades; what a robot did not see is no sight.
func TestChargeHolds(t *testing.T) {
	charge := func(every time.Duration, sighted bool) (c Charge, at soccer.Time) {
		at = soccer.Epoch
		for i := range uint32(20) {
			at += soccer.Time(every)
			c.Contradict(at, i+1, 1, sighted)
		}
		return c, at
	}
	c, at := charge(40*time.Millisecond, true)
	if !c.Holds(at) || !c.Sighted() {
		t.Errorf("a contradiction for 0.8 s does not hold: %+v", c)
	}
	if c.Holds(at.Add(Charged * time.Second)) {
		t.Error("it holds for longer than it counts")
	}
	for i := range uint32(10) {
		at += soccer.Time(40 * time.Millisecond)
		c.Agree(at, 21+i)
	}
	if c.Holds(at) || c.Sighted() {
		t.Errorf("it holds although both agree since 0.4 s: %+v", c)
	}
	if c, at := charge(400*time.Millisecond, true); c.Holds(at) {
		t.Error("20 contradictions apart hold")
	}
	if c, at := charge(40*time.Millisecond, false); !c.Holds(at) || c.Sighted() {
		t.Errorf("got %+v of a robot that sees nothing, want a charge without a sight", c)
	}
}
