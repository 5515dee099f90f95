package booking_test

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"touchline/booking"
	"touchline/soccer"
	"touchline/wire/b3p"
)

// receive hands robot 1 a message as if this robot had sent it.
func (t *team) receive(from uint8, m booking.Message) {
	t.step(t.robot(1), &booking.Event{From: from, Message: m})
}

func claim(booker uint8, epoch, sequence uint32, claimed, advertised uint16) booking.Message {
	return booking.Message{Type: b3p.TypeClaim, Claim: b3p.Claim{
		Booker: booker, Epoch: epoch, Sequence: sequence, Claimed: claimed, Advertised: advertised,
	}}
}

// A robot without a sensible distance never claims the ball.
func TestSenselessDistances(t *testing.T) {
	for _, d := range []float64{math.NaN(), -0.1, math.Inf(1), math.Inf(-1), 31, 1e300} {
		w := newTeam(1, d, 5)
		w.run(2 * time.Second)
		w.expect(t, 2)
		w.robot(2).dead = true
		w.run(time.Second)
		if b := w.bookers(); len(b) > 0 {
			t.Errorf("robot 1 booked the ball at a distance of %v m", d)
		}
	}
}

// Messages that no robot of the team can have sent change nothing and are counted.
func TestRefusedMessages(t *testing.T) {
	w := newTeam(1, 1, 2, 3)
	w.run(time.Second)
	before := w.robot(1).state
	far := claim(2, before.Epoch+1, 1, 31_000, 31_000)
	for range 3 {
		w.receive(9, claim(9, before.Epoch+1, 1, 0, 0))
		w.receive(0, claim(0, before.Epoch+1, 1, 0, 0))
		w.receive(200, claim(200, before.Epoch+1, 1, 0, 0))
		w.receive(2, claim(3, before.Epoch+1, 1, 0, 0))
		w.receive(2, far)
		w.receive(1, claim(1, before.Epoch+1, 1, 0, 0))
		w.receive(2, claim(2, before.Epoch+100_000, 1, 0, 0))
		w.receive(2, booking.Message{Type: b3p.TypeRelease, Release: b3p.Release{Booker: 1, Epoch: before.Epoch, Sequence: 1e9}})
		w.receive(2, booking.Message{Type: b3p.TypeBelief, Belief: b3p.Belief{Booker: 40, Epoch: before.Epoch + 1, Own: 100}})
		w.receive(2, booking.Message{Type: b3p.TypeBelief, Belief: b3p.Belief{Booker: 2, Epoch: before.Epoch + 1, Own: 40_000}})
		w.receive(2, booking.Message{Type: 99})
	}
	after := w.robot(1).state
	if after.Booker != 1 || after.Epoch != before.Epoch || after.Sequence != before.Sequence {
		t.Errorf("booker %d, epoch %d: the messages changed the booking", after.Booker, after.Epoch)
	}
	if want := (booking.Counts{Stranger: 12, Twin: 3, Absurd: 12, Jump: 3, Old: after.Counts.Old}); after.Counts != want {
		t.Errorf("counted %+v, want %+v", after.Counts, want)
	}
}

// Epochs go on after 2^32 - 1.
func TestEpochsWrap(t *testing.T) {
	w := newTeam(1, 3, 1, 2)
	w.receive(3, claim(3, math.MaxUint32-2, 7, 2000, 2000))
	w.robot(3).dead = true
	for i := range 6 {
		w.place(1, 1+float64(i%2)*3)
		w.place(2, 4-float64(i%2)*3)
		w.run(time.Second)
		w.expect(t, 1+uint8(i%2))
	}
	if e := w.robot(1).state.Epoch; e < 1 || e > 10 {
		t.Errorf("epoch %d, want one after the wrap", e)
	}
}

// An epoch far ahead is believed when its robot keeps to it, so that no damaged message locks a team out for ever.
func TestFarEpochs(t *testing.T) {
	for _, epoch := range []uint32{5_000, 1 << 31, math.MaxUint32 - 5} {
		w := newTeam(1, 2, 3, 1)
		w.robot(1).dead, w.robot(2).dead = true, true
		w.receive(1, booking.Message{})
		w.step(w.robot(3), &booking.Event{From: 2, Message: claim(2, epoch, 1, 3000, 3000)})
		w.lost = func(from, to uint8) bool { return from == 3 || to == 3 }
		w.robot(1).dead, w.robot(2).dead = false, false
		w.run(2 * time.Second)
		w.lost = nil
		w.run(2 * time.Second)
		if b := w.bookers(); len(b) != 1 || !w.agrees(b[0]) {
			t.Errorf("epoch %d: bookers %v, epochs %d, %d, %d", epoch, b,
				w.robot(1).state.Epoch, w.robot(2).state.Epoch, w.robot(3).state.Epoch)
		}
	}
}

// Replayed messages change nothing.
func TestReplays(t *testing.T) {
	w := newTeam(1, 1, 2, 3)
	for i := range 10 {
		w.place(1, 1+float64(i%2)*3)
		w.run(time.Second)
	}
	old := w.sent
	w.place(1, 1)
	w.run(2 * time.Second)
	w.expect(t, 1)
	changes := 0
	for i := range old {
		for to := uint8(1); to <= 3; to++ {
			if to != old[i].from {
				w.send(old[i].from, to, old[i].content)
			}
		}
		w.run(2*step, func() {
			if b := w.bookers(); len(b) != 1 || b[0] != 1 {
				changes++
			}
		})
	}
	if changes > 0 {
		t.Errorf("replayed messages changed the booker for %d ms", changes)
	}
}

// A robot whose number a second robot uses counts the messages of its twin.
func TestTwins(t *testing.T) {
	w := newTeam(1, 1, 2)
	w.run(time.Second)
	w.receive(1, claim(1, w.robot(1).state.Epoch, 99, 500, 500))
	if n := w.robot(1).state.Counts.Twin; n != 1 {
		t.Errorf("counted %d messages of a twin, want 1", n)
	}
	w.expect(t, 1)
}

// A clock that stops, jumps or runs backwards costs its own robot's booking at most.
func TestClocks(t *testing.T) {
	for name, skew := range map[string]func(since time.Duration) time.Duration{
		"stops":     func(d time.Duration) time.Duration { return min(d, 2*time.Second) },
		"set back":  func(d time.Duration) time.Duration { return d - time.Hour*time.Duration(d/(2*time.Second)%2) },
		"backwards": func(d time.Duration) time.Duration { return -d },
		"ahead":     func(d time.Duration) time.Duration { return d + time.Hour*time.Duration(d/(2*time.Second)) },
		"10 % fast": func(d time.Duration) time.Duration { return d + d/10 },
	} {
		for _, odd := range []uint8{1, 2} {
			w := newTeam(1, 1, 2, 3)
			w.robot(odd).skew = func(now soccer.Time) soccer.Time { return soccer.Epoch.Add(skew(now.Sub(soccer.Epoch))) }
			none, worst := spans{}, spans{}
			w.run(time.Second)
			w.run(10*time.Second, func() {
				b := w.bookers()
				none.count(len(b) == 0)
				worst.count(len(b) > 1)
			})
			if most := lease + 2*control + latency + 2*slot; none.longest > most {
				t.Errorf("%s, robot %d: no booker for %v", name, odd, none.longest)
			}
			if name != "stops" && name != "backwards" && worst.longest > 2*latency+2*control {
				t.Errorf("%s, robot %d: two bookers for %v", name, odd, worst.longest)
			}
		}
	}
}

// A robot that always claims to be at the ball, and is seen elsewhere, is named and costs the team little.
func TestLiar(t *testing.T) {
	w := newTeam(1, 1, 2, 3, 4)
	w.place(4, 0) // in truth 4 m
	for id := uint8(1); id <= 3; id++ {
		w.see(id, booking.View{Known: true, Distance: float64(id), Fit: true, Seen: [booking.MaxMembers]float64{1, 2, 3, 4}})
	}
	var lied, none spans
	w.run(2*time.Minute, func() {
		lied.count(w.robot(1).state.Booker == 4)
		none.count(w.robot(1).state.Booker == 0)
	})
	if most := 1050 * time.Millisecond; lied.total > most {
		t.Errorf("the liar had the ball for %v of 2 minutes, want at most %v", lied.total, most)
	}
	if w.robot(1).state.Ignored != 1<<4 {
		t.Errorf("ignored: %b, want robot 4", w.robot(1).state.Ignored)
	}
	if none.longest > 200*time.Millisecond {
		t.Errorf("no booker for %v", none.longest)
	}
	for id := uint8(1); id <= 3; id++ {
		if b := w.robot(id).state.Booker; b != 1 {
			t.Errorf("robot %d believes that robot %d is the booker, want 1", id, b)
		}
	}
	w.place(4, 4)
	w.run(4 * time.Second)
	if w.robot(1).state.Ignored != 0 {
		t.Error("the robot is still ignored, although its claims are true now")
	}
}

// FuzzStep lets arbitrary messages and times into a robot of a team; afterwards, alone with honest mates, it agrees with
// them again.
func FuzzStep(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x10\x02\x02\xff\xff\xff\xff\x01\x00\x00\x00\x10\x00\x20\x00\x00"))
	f.Add([]byte("\x12\x02\x01\x00\x00\x00\x80\x01\x00\x00\x00\x10\x00\x20\x00\x00\x11\x02\x02\x00\x00\x00\x80\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newTeam(1, 1, 2, 3)
		const size = 16
		for n := 0; len(b) >= size && n < 200; b, n = b[size:], n+1 {
			from, booker := b[1], b[2]
			epoch, sequence := binary.LittleEndian.Uint32(b[3:]), binary.LittleEndian.Uint32(b[7:])
			x, y := binary.LittleEndian.Uint16(b[11:]), binary.LittleEndian.Uint16(b[13:])
			m := claim(booker, epoch, sequence, x, y)
			m.Type = uint16(b[0])
			m.Release = b3p.Release{Booker: booker, Epoch: epoch, Sequence: sequence}
			m.Belief = b3p.Belief{Released: b[15]&1 == 1, Booker: booker, Epoch: epoch, Sequence: sequence, Claimed: x, Own: y}
			w.now = w.now.Add(time.Duration(int8(b[15])) * time.Millisecond)
			w.receive(from, m)
			w.step(w.robot(1), &booking.Event{View: booking.View{Known: true, Distance: 1, Fit: b[15]&2 == 2}})
		}
		w.now = max(w.now, soccer.Epoch).Add(time.Second)
		w.now -= soccer.Time(w.now.Sub(soccer.Epoch) % control)
		w.run(3 * time.Second)
		if booker := w.bookers(); len(booker) != 1 || !w.agrees(booker[0]) {
			t.Errorf("bookers %v, states %+v", booker, w.robots[0].state)
		}
	})
}

// A liar that tells no place, or only gossips that it or another robot has booked the ball, is believed for about a second
// and then ignored by all.
func TestLiarWithoutPlace(t *testing.T) {
	belief := func(booker uint8, epoch, sequence uint32) booking.Message {
		return booking.Message{Type: b3p.TypeBelief, Belief: b3p.Belief{
			Booker: booker, Epoch: epoch, Sequence: sequence, Own: b3p.Unknown,
		}}
	}
	for name, c := range map[string]struct {
		hidden uint64
		lie    func(epoch, sequence uint32) booking.Message
		by     uint8 // believed to have booked the ball meanwhile
	}{
		"claims without a place":  {1 << 4, func(e, s uint32) booking.Message { return claim(4, e, s, 0, 0) }, 4},
		"gossips of itself":       {1 << 4, func(e, s uint32) booking.Message { return belief(4, e, s) }, 4},
		"gossips of a teammate":   {1 << 4, func(e, s uint32) booking.Message { return belief(3, e, s) }, 3},
		"gossips with its place":  {0, func(e, s uint32) booking.Message { return belief(3, e, s) }, 3},
		"gossips of the farthest": {0, func(e, s uint32) booking.Message { return belief(2, e, s) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTeam(1, 1, 2, 3, 9)
			w.robot(4).dead = true
			for id := uint8(1); id <= 3; id++ {
				w.see(id, booking.View{Known: true, Distance: float64(id), Fit: true, Hidden: c.hidden,
					Seen: [booking.MaxMembers]float64{1, 2, 3}})
			}
			w.run(time.Second)
			w.expect(t, 1)
			var believed spans
			epoch, sequence := w.robot(1).state.Epoch+1, uint32(1000)
			for at := time.Duration(0); at < 20*time.Second; at += 40 * time.Millisecond {
				sequence++
				for id := uint8(1); id <= 3; id++ {
					e := epoch
					if newest := w.robot(1).state.Epoch; newest >= e { // it always beats the team
						e = newest + 1
					}
					w.step(w.robot(id), &booking.Event{From: 4, Message: c.lie(e, sequence)})
				}
				w.run(40*time.Millisecond, func() { believed.count(w.robot(1).state.Booker == c.by) })
			}
			if most := 1500 * time.Millisecond; believed.total > most {
				t.Errorf("the lie was believed for %v of 20 s, want at most %v", believed.total, most)
			}
			for id := uint8(1); id <= 3; id++ {
				if s := w.robot(id).state; s.Ignored != 1<<4 || s.Booker != 1 {
					t.Errorf("robot %d ignores %b and believes in %d, want robot 4 ignored and booker 1", id, s.Ignored, s.Booker)
				}
			}
		})
	}
}
