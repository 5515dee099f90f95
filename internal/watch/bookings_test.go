package watch

import (
	"encoding"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// squad sends messages of robots to bookings.
type squad struct {
	t     *testing.T
	line  *bookings
	now   time.Duration // since the start
	delay map[uint8]time.Duration
	zero  map[uint8]time.Duration // of the robots' clocks
}

func newSquad(t *testing.T) *squad {
	return &squad{
		t: t, line: newBookings(soccer.Epoch), delay: map[uint8]time.Duration{},
		zero: map[uint8]time.Duration{1: 5 * time.Hour, 2: time.Second, 3: 77 * time.Minute},
	}
}

func (s *squad) send(robot uint8, typ uint16, m encoding.BinaryAppender) {
	s.t.Helper()
	b, err := m.AppendBinary(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.line.message(&check.Message{
		From: check.Source{Team: 1, Entity: tcm.Entity{Kind: tcm.Robot, ID: robot}},
		Kind: check.Kind{Type: tcm.Type(typ)}, Captured: s.captured(robot), Time: soccer.Epoch.Add(s.now + s.delay[robot]),
		Data: b,
	})
}

func (s *squad) captured(robot uint8) uint64 { return uint64(s.zero[robot] + s.now) }

func (s *squad) claim(robot uint8, epoch uint32) {
	s.t.Helper()
	s.send(robot, b3p.TypeClaim, &b3p.Claim{Booker: robot, Epoch: epoch, Sequence: 1, Claimed: 900, Advertised: 1000})
}

// believe sends a belief in a booker whose renewal the robot heard age ago; booker 0: the robot believes in none.
func (s *squad) believe(robot, booker uint8, epoch uint32, age time.Duration) {
	s.t.Helper()
	s.send(robot, b3p.TypeBelief, &b3p.Belief{
		Booker: booker, Epoch: epoch, Sequence: 1, AgeMillis: uint16(age.Milliseconds()), Claimed: 900, Advertised: 1000, Own: 2500,
	})
}

// record sends a debug record.
func (s *squad) record(robot uint8, b team.Booking, change ...func(*team.Debug)) {
	s.t.Helper()
	d := team.Debug{Booking: b}
	for _, c := range change {
		c(&d)
	}
	s.send(robot, team.TypeDebug, &d)
}

// until moves the clock to a time in ms.
func (s *squad) until(ms int) { s.now = time.Duration(ms) * time.Millisecond }

func (s *squad) view() BookingView { return s.line.view(soccer.Epoch.Add(s.now)) }

// lanes returns the spans of each robot and of the summary in ms: "1: 0-500 by 1 in 7".
func lanes(v *BookingView) (all []string) {
	ms := func(s float64) int { return int(math.Round(s * 1e3)) }
	for _, r := range v.Robots {
		text := fmt.Sprintf("%d:", r.Number)
		for _, s := range r.Spans {
			text += fmt.Sprintf(" %d-%d by %d in %d,", ms(s.From), ms(s.To), s.Booker, s.Epoch)
		}
		all = append(all, text[:len(text)-1])
	}
	for _, s := range []struct {
		name string
		Stretch
	}{{"two", v.Two}, {"none", v.None}} {
		text := s.name + ":"
		for _, p := range s.Spans {
			text += fmt.Sprintf(" %d-%d", ms(p.From), ms(p.To))
		}
		all = append(all, fmt.Sprintf("%s, longest %.0f ms", text, s.LongestMs))
	}
	return all
}

func (s *squad) want(want ...string) {
	s.t.Helper()
	v := s.view()
	if got := lanes(&v); !slices.Equal(got, want) {
		s.t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Robot 3 takes the ball from robot 1. The belief of robot 1 tells when it heard of that, so that there are two bookers
// for 5 ms, and not until its next message.
func TestHandOver(t *testing.T) {
	s := newSquad(t)
	for ms := 0; ms < 1000; ms += 50 {
		s.until(ms)
		if ms < 500 {
			s.claim(1, 7)
			s.believe(3, 1, 7, 0)
			continue
		}
		s.claim(3, 8)
		s.until(ms + 40)
		s.believe(1, 3, 8, 35*time.Millisecond)
	}
	s.until(1000)
	s.want("1: 0-505 by 1 in 7, 505-1000 by 3 in 8", "3: 0-500 by 1 in 7, 500-1000 by 3 in 8",
		"two: 500-505, longest 5 ms", "none:, longest 0 ms")
	if v := s.view(); v.Window != 1 || v.Two.MsPerMinute != 300 || len(v.Alarms) != 0 {
		t.Errorf("got window %v s, %v ms/min with two, alarms %q", v.Window, v.Two.MsPerMinute, v.Alarms)
	}
}

// A robot that tells of the new booker after two renewals learnt of it from the first claim, not from the newest renewal.
func TestLateBelief(t *testing.T) {
	s := newSquad(t)
	for n := range uint32(12) {
		s.until(int(n) * 50)
		if n < 6 {
			s.claim(1, 7)
			s.believe(3, 1, 7, 0)
			continue
		}
		s.send(3, b3p.TypeClaim, &b3p.Claim{Booker: 3, Epoch: 8, Sequence: n, Claimed: 900, Advertised: 1000})
		if n > 6 {
			s.send(1, b3p.TypeBelief, &b3p.Belief{Booker: 3, Epoch: 8, Sequence: n, AgeMillis: 1, Own: 2500})
		}
	}
	s.want("1: 0-300 by 1 in 7, 300-550 by 3 in 8", "3: 0-300 by 1 in 7, 300-550 by 3 in 8", "two:, longest 0 ms",
		"none:, longest 0 ms")
}

// A crashed booker has booked the ball up to its last message. Then none has, until another robot claims it.
func TestCrash(t *testing.T) {
	s := newSquad(t)
	for ms := 0; ms <= 1500; ms += 50 {
		s.until(ms)
		switch {
		case ms <= 500:
			s.claim(1, 7)
			s.believe(3, 1, 7, 0)
		case ms <= 800:
			s.believe(3, 1, 7, time.Duration(ms-500)*time.Millisecond)
		default:
			s.claim(3, 7)
		}
	}
	s.want("1: 0-500 by 1 in 7", "3: 0-850 by 1 in 7, 850-1500 by 3 in 7", "two:, longest 0 ms",
		"none: 500-850, longest 350 ms")
	if r := s.view().Robots[0]; r.Live || r.SilentMs != 1000 || r.Booked {
		t.Errorf("got %+v", r)
	}
	s.until(1600)
	s.believe(1, 0, 7, time.Second) // it is back, with another clock
	s.zero[1] = time.Minute
	s.until(1650)
	s.believe(1, 3, 7, 0)
	if spans := s.view().Robots[0].Spans; len(spans) != 3 || spans[1].From < 1.5 || spans[2].Booker != 3 {
		t.Errorf("got %+v", spans)
	}
}

// The network's delay and jitter draw no second booker, and a message that was overtaken changes nothing.
func TestDelay(t *testing.T) {
	s := newSquad(t)
	for ms := 0; ms < 2000; ms += 50 {
		s.until(ms)
		first, second := uint8(1), uint8(3)
		if ms >= 1000 {
			first, second = second, first
		}
		s.delay[first] = time.Duration(ms%7) * 8 * time.Millisecond
		s.claim(first, uint32(ms/1000))
		s.delay[second] = time.Duration(ms%11) * 8 * time.Millisecond
		s.believe(second, first, uint32(ms/1000), 0)
	}
	s.until(1700)
	s.delay[1] = 400 * time.Millisecond
	s.claim(1, 1)
	s.until(2000)
	s.want("1: 0-1000 by 1 in 0, 1000-2000 by 3 in 1", "3: 0-1000 by 1 in 0, 1000-2000 by 3 in 1",
		"two:, longest 0 ms", "none:, longest 0 ms")
}

// Debug records alone are enough. They have the paper's four variables of each robot.
func TestRecords(t *testing.T) {
	s := newSquad(t)
	for ms := 0; ms <= 1000; ms += 100 {
		s.until(ms)
		b := team.Booking{
			Protocol: team.Lease, Booked: true, Booker: 1, Distance: 1.5, Epoch: 4, Sequence: uint32(ms / 50), Left: 0.25, Own: 1.5,
		}
		b.Timestamp = s.captured(1) - 30e6
		s.record(1, b)
		b.Timestamp, b.Own = s.captured(2)-40e6, 0
		s.record(2, b)
	}
	s.want("1: 0-1000 by 1 in 4", "2: 0-1000 by 1 in 4", "two:, longest 0 ms", "none:, longest 0 ms")
	s.until(1010)
	v := s.view()
	one, two := v.Robots[0], v.Robots[1]
	if one.Protocol != "lease" || !one.Booked || one.Booker != 1 || *one.Distance != 1.5 || *one.AgeMs != 30 ||
		one.Epoch != 4 || one.Sequence != 20 || one.LeftMs != 250 || *one.Own != 1.5 || !one.Live {
		t.Errorf("got %+v", one)
	}
	if *two.AgeMs != 40 || two.Own != nil {
		t.Errorf("got %+v", two)
	}
	s.record(1, team.Booking{ // the timestamp is of another clock
		Protocol: team.Lease, Booked: true, Booker: 1, Timestamp: 1415610012345678901, Left: 0.28, Own: 1.5,
	})
	if one := s.view().Robots[0]; math.Abs(*one.AgeMs-20) > 0.1 {
		t.Errorf("got a timestamp %v ms ago, want 20, of the lease", *one.AgeMs)
	}
}

// None has booked the ball and one robot sees it: that counts, and becomes an alarm. A ball that none sees does not.
func TestNone(t *testing.T) {
	s := newSquad(t)
	for ms := 0; ms <= 2000; ms += 100 {
		s.until(ms)
		own := float32(0)
		if ms >= 1000 {
			own = 2
		}
		s.record(1, team.Booking{Protocol: team.Lease, Epoch: 2, Own: own})
		s.record(2, team.Booking{Protocol: team.Literal, Epoch: 2})
	}
	s.want("1: 0-2000 by 0 in 2", "2: 0-2000 by 0 in 2", "two:, longest 0 ms", "none: 1000-2000, longest 1000 ms")
	want := []string{
		"No robot has booked the ball for 1.0 s, but it is seen by robot 1.",
		"Robot 2 books by the protocol literal, the others by lease: give all the same one.",
	}
	if v := s.view(); !slices.Equal(v.Alarms, want) || v.None.NowMs != 1000 || v.None.MsPerMinute != 30_000 {
		t.Errorf("got %q, %+v", v.Alarms, v.None)
	}
}

// Two halves of a team that do not hear each other have a booker each.
func TestPartition(t *testing.T) {
	s := newSquad(t)
	for ms := 0; ms <= 1000; ms += 50 {
		s.until(ms)
		s.claim(1, 7)
		s.claim(3, 7)
		s.believe(2, 3, 7, 0)
	}
	want := "Robots 1 and 3 have booked the ball at the same time for 1.0 s: they do not receive each other's claims."
	if v := s.view(); len(v.Alarms) != 1 || v.Alarms[0] != want || v.Two.NowMs != 1000 {
		t.Errorf("got %q, %+v", v.Alarms, v.Two)
	}
}

// A robot that claims to be nearer than it is seen is named with both distances.
func TestLiar(t *testing.T) {
	s := newSquad(t)
	for ms := 0; ms <= 500; ms += 100 {
		s.until(ms)
		lie := team.Booking{Protocol: team.Lease, Booked: true, Booker: 4, Distance: 0.01, Own: 0.01}
		s.record(4, lie)
		for _, robot := range []uint8{1, 2} {
			s.record(robot, team.Booking{Protocol: team.Lease, Booked: true, Booker: 1, Distance: 1, Own: 1}, func(d *team.Debug) {
				d.Ball = team.Ball{Known: true, X: 1}
				d.Peers = []team.Peer{{Number: 4, Known: true, Ignored: true, X: -2.2}}
			})
		}
	}
	want := "Robot 4 claims 0.0 m to the ball but is seen at 3.2 m: its claims are ignored by robots 1 and 2."
	if v := s.view(); !slices.Contains(v.Alarms, want) || len(v.Robots[0].Ignores) != 1 {
		t.Errorf("got %q, %+v", v.Alarms, v.Robots[0])
	}
}

// A penalised robot is marked.
func TestPenalised(t *testing.T) {
	s := newSquad(t)
	s.believe(2, 0, 1, 0)
	s.send(2, team.TypeStatus, &team.Status{Mode: team.Penalised})
	if r := s.view().Robots[0]; !r.Penalised {
		t.Errorf("got %+v", r)
	}
	s.until(10)
	s.send(2, team.TypeStatus, &team.Status{Mode: team.Playing})
	if r := s.view().Robots[0]; r.Penalised {
		t.Errorf("got %+v", r)
	}
}

// Memory and views stay bounded, whatever is sent; messages in the name of others and of other teams do not count.
func TestBookingHostile(t *testing.T) {
	s := newSquad(t)
	for n := range 5000 {
		s.now += time.Millisecond
		s.believe(1, uint8(n%60+1), uint32(n), 0)
	}
	s.send(1, b3p.TypeClaim, &b3p.Claim{Booker: 2, Epoch: 99})
	for id := uint8(2); id < 64; id++ {
		s.claim(id, 1)
	}
	for _, from := range []check.Source{
		{Team: 2, Entity: tcm.Entity{Kind: tcm.Robot, ID: 3}}, {Team: 1, Entity: tcm.Entity{Kind: tcm.Computer, ID: 90}},
	} {
		s.line.message(&check.Message{
			From: from, Kind: check.Kind{Type: tcm.Type(b3p.TypeClaim)}, Time: soccer.Epoch.Add(s.now), Data: []byte{1, 2, 3},
		})
	}
	v := s.view()
	if len(v.Robots) != 16 || len(v.Robots[0].Spans) > 401 || v.Robots[0].Booker == 2 {
		t.Errorf("got %d robots, %d spans", len(v.Robots), len(v.Robots[0].Spans))
	}
	s.now += 2 * time.Minute
	if v := s.view(); len(v.Robots) != 0 || v.Window != 0 || v.Two.MsPerMinute != 0 {
		t.Errorf("after two minutes: got %+v", v)
	}
}
