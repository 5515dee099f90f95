package robot

import (
	"errors"
	"math"
	"net/netip"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/world"
)

// sent is a message for the TCM, decoded.
type sent struct {
	at, captured soccer.Time
	to           tcm.Entity
	measurements *team.Measurements
	belief       *team.Belief
	status       *team.Status
	debug        *team.Debug
	claim        *b3p.Claim
	release      *b3p.Release
	booking      *b3p.Belief
	shared       bool // with another message of the same datagram
}

// sentBy runs a robot from begin for a time with a picture each 40 ms, and returns what it sent.
func sentBy(t *testing.T, r *Robot, begin soccer.Time, d time.Duration, see func(at soccer.Time) *soccer.Sense) []sent {
	t.Helper()
	var all []sent
	now, picture := begin, begin
	for now < begin.Add(d) {
		if picture <= now {
			r.Sense(see(now))
			picture = picture.Add(40 * time.Millisecond)
		}
		r.Messages(now, func(m *Message) {
			for _, data := range m.Data {
				all = append(all, decode(t, now, m, data))
			}
		})
		now = min(r.MessagesDue(), picture)
	}
	return all
}

// decode encodes and decodes a message.
func decode(t testing.TB, now soccer.Time, m *Message, data teamcom.Data) sent {
	t.Helper()
	b, err := data.AppendBinary(nil)
	if err != nil {
		t.Fatalf("%v: %v", tcm.Type(data.DataType()), err)
	}
	s := sent{at: now, captured: m.Captured, to: m.To, shared: len(m.Data) > 1}
	switch data.DataType() {
	case team.TypeMeasurements:
		s.measurements = new(team.Measurements)
		err = s.measurements.UnmarshalBinary(b)
	case team.TypeBelief:
		s.belief = new(team.Belief)
		err = s.belief.UnmarshalBinary(b)
	case team.TypeStatus:
		s.status = new(team.Status)
		err = s.status.UnmarshalBinary(b)
	case team.TypeDebug:
		s.debug = new(team.Debug)
		err = s.debug.UnmarshalBinary(b)
	case b3p.TypeClaim:
		s.claim = new(b3p.Claim)
		err = s.claim.UnmarshalBinary(b)
	case b3p.TypeRelease:
		s.release = new(b3p.Release)
		err = s.release.UnmarshalBinary(b)
	case b3p.TypeBelief:
		s.booking = new(b3p.Belief)
		err = s.booking.UnmarshalBinary(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A robot at (1, 2) that sees a ball 3 m ahead sends the measurements of its 25 pictures a second, its belief 20 times a
// second together with the renewal of its booking, its status 5 times and its debug record 10 times.
func TestMessages(t *testing.T) {
	r := start(t, 2)
	begin := soccer.Epoch.Add(time.Second)
	all := sentBy(t, r, begin, 20*time.Second, func(at soccer.Time) *soccer.Sense {
		s := picture(at, soccer.Pose{X: 1, Y: 2, Theta: math.Pi / 2}, soccer.Vec3{X: 3, Z: 0.11})
		s.HasBall = at > begin.Add(10*time.Second)
		s.Self.Cov = soccer.PoseCov{0: 0.01, 3: 0.01, 5: 0.0001}
		s.Balls[0].Cov = soccer.Cov{XX: 0.04, YY: 0.09} // of a range of 3 m: 0.2 m along it and 0.1 rad across it
		s.View = soccer.View{Width: 6, Range: 7}
		return s
	})
	counts := map[tcm.Entity]int{}
	pictures := 0
	gaps := map[time.Duration]bool{}
	var last soccer.Time
	for _, s := range all {
		if s.measurements != nil {
			pictures++
			if s.captured != s.at || s.to != (tcm.Entity{Kind: tcm.Robot}) {
				t.Fatalf("measurements of %v sent at %v to %v: want each picture's at once, to all robots", s.captured, s.at, s.to)
			}
			continue
		}
		if s.claim != nil && s.at > begin.Add(time.Second) && !s.shared {
			t.Fatalf("a claim at %v shares its datagram with no belief", s.at)
		}
		if s.claim != nil {
			continue
		}
		counts[s.to]++
		if s.belief == nil {
			continue
		}
		if last != 0 {
			gaps[s.at.Sub(last).Round(time.Millisecond)] = true
		}
		last = s.at
	}
	if pictures != 500 {
		t.Errorf("%d measurements in 20 s, want those of 500 pictures", pictures)
	}
	for to, want := range map[tcm.Entity]int{{Kind: tcm.Robot}: 400, Station: 100, {Kind: tcm.Computer}: 200} {
		if got := counts[to]; math.Abs(float64(got-want)) > 0.03*float64(want) {
			t.Errorf("%d messages to %v in 20 s, want about %d", got, to, want)
		}
	}
	if len(gaps) != 2 || !gaps[40*time.Millisecond] || !gaps[60*time.Millisecond] {
		t.Errorf("gaps %v between beliefs, want two or three control periods, with jitter", gaps)
	}
	checkContents(t, all[len(all)/4:len(all)/2], false)
	checkContents(t, all[len(all)*3/4:], true)
}

// checkContents checks messages of the robot at (1, 2) that sees the ball at (1, 5).
func checkContents(t *testing.T, all []sent, hasBall bool) {
	t.Helper()
	at := func(x, y float32) bool { return math.Hypot(float64(x)-1, float64(y)-5) < 0.01 }
	for _, s := range all {
		switch {
		case s.belief != nil:
			b := &s.belief.Ball
			if !b.Known || !b.HasVelocity || !b.HasCov || !at(b.X, b.Y) || b.Sources != 1<<2 || b.Age > 0.1 {
				t.Fatalf("belief %+v, want the ball at (1, 5), seen by robot 2", b)
			}
			if !(b.Cov[0] > 0 && b.Cov[4] > 0 && b.Cov[7] > 0 && b.Cov[9] > 0) {
				t.Fatalf("covariance %v, want positive variances of position and velocity", b.Cov)
			}
			if self := &s.belief.Self; !self.Known || self.X != 1 || self.Y != 2 || !self.HasCov || self.Cov[0] <= 0 {
				t.Fatalf("self-localisation %+v, want (1, 2) with a covariance", self)
			}
		case s.status != nil:
			want := team.Status{Mode: team.Playing, BallEngaged: hasBall, Battery: team.Unknown, Intention: "has the ball booked"}
			if hasBall {
				want.Intention = "hold the ball"
			}
			if want.Self = s.status.Self; *s.status != want || want.Self.X != 1 {
				t.Fatalf("status %+v, want %+v", *s.status, want)
			}
		case s.measurements != nil:
			m := s.measurements
			if len(m.Balls) != 1 || m.Balls[0].Range != 3 || m.Balls[0].RangeSigma != 0.2 ||
				math.Abs(float64(m.Balls[0].BearingSigma)-0.1) > 1e-6 || m.BallHeld != hasBall {
				t.Fatalf("measurements %+v, want the ball 3 m ahead, known to 0.2 m and 0.1 rad", m)
			}
			if !m.Self.HasCov || m.Self.Cov[0] != 0.01 || m.View != (team.View{Width: 6, Range: 7}) {
				t.Fatalf("measurements %+v, want the pose's covariance and the view", m)
			}
		case s.claim != nil:
			if want := (b3p.Claim{Booker: 2, Epoch: 1, Sequence: s.claim.Sequence, Claimed: 3000, Advertised: 3000}); *s.claim != want {
				t.Fatalf("claim %+v, want %+v", *s.claim, want)
			}
		default:
			d := s.debug
			if len(d.States) != 2 || !at(d.Ball.X, d.Ball.Y) || len(d.Percepts.Balls) != 1 || d.Percepts.BallHeld != hasBall {
				t.Fatalf("debug record %+v", d)
			}
			if ball := d.Percepts.Balls[0]; math.Abs(float64(ball.Range)-3) > 1e-6 || ball.Bearing != 0 {
				t.Fatalf("percept %+v, want 3 m ahead", ball)
			}
			if b := d.Booking; b.Protocol != team.Lease || !b.Booked || b.Booker != 2 || b.Epoch != 1 || b.Left < 0.2 {
				t.Fatalf("booking %+v, want that of robot 2", b)
			}
		}
	}
}

// A teammate that sends beliefs and no packages is a peer of the debug record until a second after its last belief. Its
// ball is not fused.
func TestReceiveBelief(t *testing.T) {
	r := start(t, 2)
	begin := soccer.Epoch.Add(time.Second)
	b := &team.Belief{Ball: team.Ball{Known: true, X: 4}, Self: team.Self{Known: true, X: 7, Y: 1}}
	for i := range 100 {
		r.receiveBelief(uint8(3+i%2), begin.Add(time.Duration(i)*20*time.Millisecond), b)
	}
	end := begin.Add(99 * 20 * time.Millisecond)
	peers := func(at soccer.Time) (n int) {
		for _, s := range sentBy(t, r, at, 100*time.Millisecond, func(at soccer.Time) *soccer.Sense {
			return picture(at, soccer.Pose{})
		}) {
			if s.debug == nil {
				continue
			}
			n = len(s.debug.Peers)
			for _, p := range s.debug.Peers {
				if p.X != 7 || p.Y != 1 || p.Number < 3 || p.Number > 4 {
					t.Errorf("peer %+v, want 3 or 4 at (7, 1)", p)
				}
			}
			if s.debug.Ball.Known {
				t.Errorf("the ball of a belief is in the world: %+v", s.debug.Ball)
			}
		}
		return n
	}
	if n := peers(end); n != 2 {
		t.Errorf("%d peers, want the two that sent beliefs", n)
	}
	if n := peers(end.Add(1100 * time.Millisecond)); n != 0 {
		t.Errorf("%d peers a second after their last belief, want none", n)
	}
}

// A Sense that arrives over the TCM is a picture, with the quality of the self-localisation.
func TestSenseMessage(t *testing.T) {
	r := start(t, 1)
	now := soccer.Epoch.Add(time.Second)
	m := &team.Sense{Battery: team.Unknown, Percepts: team.Measurements{
		BallHeld: true,
		Self:     team.Self{Known: true, HasHeading: true, X: -1, Heading: 0.5, HasCov: true, Cov: [6]float32{0: 0.04, 3: 0.01, 5: 0.09}},
		Balls:    []team.Sighting{{Kind: team.TheBall, Range: 2, Bearing: -0.5, Confidence: 0.9}},
	}}
	if err := r.SenseMessage(now, m); err != nil {
		t.Fatal(err)
	}
	p := r.Percepts()
	if len(p.Balls) != 1 || math.Hypot(p.Balls[0].Position.X-1, p.Balls[0].Position.Y) > 1e-6 {
		t.Errorf("got balls %+v, want one at (1, 0)", p.Balls)
	}
	r.Messages(now.Add(10*time.Second), func(m *Message) {
		if s, ok := m.Data[0].(*team.Status); ok {
			if !s.BallEngaged || math.Abs(float64(s.Self.Cov[0])-0.04) > 1e-6 || math.Abs(float64(s.Self.Cov[5])-0.09) > 1e-6 {
				t.Errorf("status %+v, want the ball and the variances 0.04 m^2 and 0.09 rad^2", s)
			}
		}
	})
	for name, change := range map[string]func(*team.Sense){
		"pose":     func(m *team.Sense) { m.Percepts.Self.X = float32(math.NaN()) },
		"ball":     func(m *team.Sense) { m.Percepts.Balls[0].Range = float32(math.Inf(1)) },
		"distance": func(m *team.Sense) { m.Percepts.Balls[0].Range = 1000 },
	} {
		bad := *m
		bad.Percepts.Balls = slices.Clone(m.Percepts.Balls)
		change(&bad)
		if err := r.SenseMessage(now.Add(time.Second), &bad); !errors.Is(err, ErrSense) {
			t.Errorf("%s: got error %v, want ErrSense", name, err)
		}
	}
}

// share passes robot 2 the pictures of robot 3 at (1, 2) that faces the left side: of a ball 3 m ahead and 1 m to its
// left, raw over the TCM and in packages.
func share(t *testing.T, r, mate *Robot, begin soccer.Time, pictures int, raw, packages bool) {
	t.Helper()
	for i := range pictures {
		now := begin.Add(time.Duration(i) * 40 * time.Millisecond)
		s := picture(now, soccer.Pose{X: 1, Y: 2, Theta: math.Pi / 2}, soccer.Vec3{X: 3, Y: 1, Z: 0.11})
		s.Balls[0].Cov = soccer.Cov{XX: 0.04, YY: 0.0025}
		s.Self.Cov = soccer.PoseCov{0: 0.0025, 3: 0.0025, 5: 0.0001}
		mate.Sense(s)
		now = now.Add(60 * time.Millisecond)
		b, err := mate.AppendPacket(nil)
		if err != nil {
			t.Fatal(err)
		}
		mate.Messages(now, func(m *Message) {
			if m, ok := m.Data[0].(*team.Measurements); ok && raw {
				r.receiveMeasurements(tcm.Entity{Kind: tcm.Robot, ID: 3}, s.Time, now, m)
				r.receiveMeasurements(tcm.Entity{Kind: tcm.Computer, ID: 5}, s.Time, now, m)
			}
		})
		if packages {
			r.Receive(&soccer.Packet{Time: now, From: address, Data: b})
		}
	}
}

var address = netip.MustParseAddrPort("127.0.0.1:4003")

// Raw measurements of a teammate give the ball with the teammate's own covariances. Its packages add nothing.
func TestReceiveMeasurements(t *testing.T) {
	begin := soccer.Epoch.Add(time.Second)
	end := begin.Add(2 * time.Second)
	run := func(raw, packages bool) (soccer.World, *Robot) {
		r := start(t, 2)
		share(t, r, start(t, 3), begin, 50, raw, packages)
		var w soccer.World
		r.World(end, &w)
		return w, r
	}
	raw, _ := run(true, false)
	both, r := run(true, true)
	packages, _ := run(false, true)
	if !raw.Ball.Known || math.Hypot(raw.Ball.Position.X, raw.Ball.Position.Y-5) > 0.01 || len(raw.Peers) != 1 {
		t.Fatalf("got ball %+v and peers %+v, want the ball at (0, 5) and robot 3", raw.Ball, raw.Peers)
	}
	// The ray leads along y: its error is the greater one.
	if c := raw.Ball.Cov; c.YY < 1.5*c.XX {
		t.Errorf("covariance %+v, want that of the teammate's camera, greater along y", c)
	}
	if c := packages.Ball.Cov; c.YY > 1.5*c.XX {
		t.Errorf("covariance %+v of packages, want the assumed one", c)
	}
	if both.Ball != raw.Ball || len(both.Peers) != 1 {
		t.Errorf("with packages: got ball %+v, want %+v", both.Ball, raw.Ball)
	}
	if c, _ := r.Counts(); c != (world.Counts{Measured: 50}) {
		t.Errorf("got counts %+v, want 50 packages of a robot that sends measurements", c)
	}
}
