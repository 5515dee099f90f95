package robot

import (
	"testing"
	"time"

	"touchline/booking"

	"touchline/soccer"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// squad is a few robots on the x axis whose messages to each other arrive at once.
type squad struct {
	t      *testing.T
	now    soccer.Time
	robots []*player
	lost   map[uint8]bool // messages of these robots
}

type player struct {
	*Robot
	number    uint8
	x         float64
	blind     bool // no pictures
	unplaced  bool // pictures without a pose
	dead      bool
	intention string
	booking   team.Booking
	ignored   map[uint8]bool
	release   *b3p.Release // the newest
	picture   soccer.Time
}

func newSquad(t *testing.T, x ...float64) *squad {
	t.Helper()
	s := &squad{t: t, now: soccer.Epoch, lost: map[uint8]bool{}}
	for i, at := range x {
		s.robots = append(s.robots, &player{Robot: start(t, uint8(i+1)), number: uint8(i + 1), x: at})
	}
	return s
}

// run passes this much time, with a picture of the ball at the origin each 40 ms.
func (s *squad) run(d time.Duration) {
	for end := s.now.Add(d); s.now < end; s.now = s.now.Add(time.Millisecond) {
		for _, r := range s.robots {
			if r.dead {
				continue
			}
			if r.picture <= s.now && !r.blind {
				see := picture(s.now, soccer.Pose{X: r.x}, soccer.Vec3{X: -r.x, Z: 0.11})
				see.Self.Known = !r.unplaced
				r.Sense(see)
				r.picture = s.now.Add(40 * time.Millisecond)
			}
			if r.MessagesDue() <= s.now {
				r.Messages(s.now, func(m *Message) { s.deliver(r, m) })
			}
		}
	}
}

func (s *squad) deliver(from *player, m *Message) {
	var all []sent // decoded first: a message is valid until the robot receives an answer
	for _, data := range m.Data {
		all = append(all, decode(s.t, s.now, m, data))
	}
	for i := range all {
		d := &all[i]
		switch {
		case d.status != nil:
			from.intention = d.status.Intention
		case d.debug != nil:
			from.booking, from.ignored = d.debug.Booking, map[uint8]bool{}
			for _, p := range d.debug.Peers {
				from.ignored[p.Number] = p.Ignored
			}
		case d.release != nil:
			from.release = d.release
		}
		if s.lost[from.number] {
			continue
		}
		for _, to := range s.robots {
			if to == from || to.dead {
				continue
			}
			answer := func(m *Message) { s.deliver(to, m) }
			switch sender := (tcm.Entity{Kind: tcm.Robot, ID: from.number}); {
			case d.belief != nil:
				to.receiveBelief(from.number, s.now, d.belief)
			case d.claim != nil:
				to.receiveBooking(sender, s.now, booking.Message{Type: b3p.TypeClaim, Claim: *d.claim}, answer)
			case d.release != nil:
				to.receiveBooking(sender, s.now, booking.Message{Type: b3p.TypeRelease, Release: *d.release}, answer)
			case d.booking != nil:
				to.receiveBooking(sender, s.now, booking.Message{Type: b3p.TypeBelief, Belief: *d.booking}, answer)
			}
		}
	}
}

// expect checks that all live robots believe in a booker, and what they say that they do.
func (s *squad) expect(booker uint8) {
	s.t.Helper()
	for _, r := range s.robots {
		want := "leave the ball to robot " + string(rune('0'+booker))
		if r.number == booker {
			want = "has the ball booked"
		}
		if r.dead || r.blind {
			continue
		}
		if r.booking.Booker != booker || !r.booking.Booked || r.booking.Protocol != team.Lease || r.intention != want {
			s.t.Errorf("robot %d: %q, booking %+v, want %q and robot %d", r.number, r.intention, r.booking, want, booker)
		}
	}
}

// The nearest robot books the ball; when it crashes, loses its pose, is sent off or ends, the next one does.
func TestRobotsBookTheBall(t *testing.T) {
	s := newSquad(t, 4, -2, 1, 3)
	s.run(time.Second)
	s.expect(3)
	if b := s.robots[3].booking; b.Distance != 1 || b.Own != 3 || b.Epoch == 0 || b.Sequence == 0 || b.Left <= 0 {
		t.Errorf("booking %+v, want 1 m from the booker and 3 m from robot 4", b)
	}
	s.robots[2].dead = true
	s.run(700 * time.Millisecond)
	s.expect(2)
	s.robots[1].unplaced = true
	s.run(time.Second)
	if r := s.robots[1]; r.release == nil || r.release.Reason != b3p.Unfit || r.intention != "localise" {
		t.Errorf("robot 2, which lost its pose: release %+v, %q", r.release, r.intention)
	}
	s.robots[1].dead = true
	s.run(time.Second)
	s.expect(4)
	s.robots[3].ReceiveReferee(s.now, &team.Referee{Out: 1 << 4})
	s.run(time.Second)
	if r := s.robots[3]; r.release == nil || r.release.Reason != b3p.Unfit || r.intention != "penalised" {
		t.Errorf("robot 4, sent off: release %+v, %q", r.release, r.intention)
	}
	if b := s.robots[0].booking; b.Booker != 1 {
		t.Errorf("booking %+v after robot 4 was sent off, want robot 1", b)
	}
	s.robots[3].ReceiveReferee(s.now, &team.Referee{Out: 1 << 5})
	s.run(time.Second)
	s.expect(4)
	s.robots[3].Leave(s.now, func(m *Message) { s.deliver(s.robots[3], m) })
	if r := s.robots[3].release; r.Reason != b3p.Leaving {
		t.Errorf("release %+v of a robot whose program ends", r)
	}
	s.robots[3].dead = true
	s.run(200 * time.Millisecond)
	s.expect(1)
}

// The debug record shows a new booker at once.
func TestDebugRecordOfANewBooker(t *testing.T) {
	see := func(at soccer.Time) *soccer.Sense { return picture(at, soccer.Pose{X: 1}, soccer.Vec3{X: 3}) }
	var booked soccer.Time
	for _, s := range sentBy(t, start(t, 2), soccer.Epoch.Add(time.Second), time.Second, see) {
		if s.claim != nil && booked == 0 {
			booked = s.at
		}
		if s.debug != nil && s.debug.Booking.Booked {
			if s.at != booked {
				t.Errorf("the debug record shows the booking after %v", s.at.Sub(booked))
			}
			return
		}
	}
	t.Error("no debug record shows the booking")
}

// A robot whose camera stops is no booker for more than a second.
func TestBlindRobotReleasesTheBall(t *testing.T) {
	s := newSquad(t, 1)
	s.run(time.Second)
	s.expect(1)
	s.robots[0].blind = true
	s.run(time.Second)
	if r := s.robots[0]; r.release == nil || r.booking.Booked {
		t.Errorf("release %+v, booking %+v of a robot without pictures", r.release, r.booking)
	}
}

// A robot that claims to be at the ball, and is seen far from it, is ignored after a second; the debug record says so.
func TestLiarIsIgnored(t *testing.T) {
	s := newSquad(t, 4, 2)
	s.run(time.Second)
	s.lost[1] = true
	for i := range uint32(40) {
		s.run(50 * time.Millisecond)
		lie := b3p.Claim{Booker: 1, Epoch: 5, Sequence: 100 + i}
		s.robots[1].receiveBelief(1, s.now, &team.Belief{Self: team.Self{Known: true, X: 4}})
		s.robots[1].receiveBooking(tcm.Entity{Kind: tcm.Robot, ID: 1}, s.now,
			booking.Message{Type: b3p.TypeClaim, Claim: lie}, func(*Message) {})
	}
	if r := s.robots[1]; !r.ignored[1] || r.booking.Booker != 2 {
		t.Errorf("ignored robots %v, booking %+v, want robot 1 ignored and robot 2 the booker", r.ignored, r.booking)
	}
}

// A robot without ball booking sends its belief 20 times a second and nothing of the protocol; an unknown name is an
// error. Messages of computers do not count.
func TestBookingIsAConfiguration(t *testing.T) {
	cfg := DefaultConfig(2, soccer.Cyan, 63)
	cfg.Booking = "biggest"
	if _, err := New(cfg, soccer.Epoch); err == nil {
		t.Error("no error of an unknown protocol")
	}
	cfg.Booking = "none"
	r, err := New(cfg, soccer.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	see := func(at soccer.Time) *soccer.Sense { return picture(at, soccer.Pose{X: 1}, soccer.Vec3{X: 3}) }
	beliefs := 0
	for _, s := range sentBy(t, r, soccer.Epoch.Add(time.Second), 10*time.Second, see) {
		if s.claim != nil || s.booking != nil || s.debug != nil && s.debug.Booking != (team.Booking{}) {
			t.Fatalf("%+v of a robot that does not book the ball", s)
		}
		if s.belief != nil {
			beliefs++
		}
	}
	if beliefs < 190 || beliefs > 210 {
		t.Errorf("%d beliefs in 10 s, want 200", beliefs)
	}
	for name, want := range map[string]team.Protocol{"literal": team.Literal, "nearest": team.Nearest} {
		cfg.Booking = name
		if r, err = New(cfg, soccer.Epoch); err != nil {
			t.Fatal(err)
		}
		booked := false
		for _, s := range sentBy(t, r, soccer.Epoch.Add(time.Second), time.Second, see) {
			booked = booked || s.debug != nil && s.debug.Booking.Protocol == want && s.debug.Booking.Booker == 2
		}
		if !booked {
			t.Errorf("%s: no debug record shows that robot 2 has the ball booked", name)
		}
	}
	r = start(t, 2)
	claim := booking.Message{Type: b3p.TypeClaim, Claim: b3p.Claim{Booker: 1, Epoch: 3, Sequence: 4}}
	r.receiveBooking(tcm.Entity{Kind: tcm.Computer, ID: 1}, soccer.Epoch, claim, nil)
	var w soccer.World
	if r.World(soccer.Epoch, &w); w.Booking.Booker != 0 {
		t.Errorf("booking %+v of a computer", w.Booking)
	}
	r.receiveBooking(tcm.Entity{Kind: tcm.Robot, ID: 1}, soccer.Epoch, claim, nil)
	if r.World(soccer.Epoch, &w); w.Booking.Booker != 1 {
		t.Errorf("booking %+v, want robot 1", w.Booking)
	}
}
