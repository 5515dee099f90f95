package match

import (
	"bytes"
	"math"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/check"

	"touchline/internal/refbox"
	"touchline/internal/station"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

// chain is a session, a base station that receives its robots, and a referee box that the station reports to, all in
// virtual time.
type chain struct {
	session *Session
	station *station.Station
	box     *refbox.Box
	now     soccer.Time
	truth   [400]soccer.Vec // the recent balls, one each 5 ms
	errors  Errors          // errors of the worldstates' ball at the time of each worldstate
	robots  int             // fewest in a worldstate after the first second
}

func newChain(t *testing.T, cfg Config) *chain {
	t.Helper()
	c := &chain{now: soccer.Epoch, robots: 99}
	var err error
	c.session, err = New(cfg, func(number uint8, b []byte) {
		from := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), 40000+uint16(number))
		p := soccer.Packet{Time: c.session.Now().Add(300 * time.Microsecond), From: from, Data: b}
		for _, m := range Participants() {
			c.session.Deliver(m.Number, &p)
		}
		c.station.Receive(&p)
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.station, err = station.New(station.DefaultConfig(100)); err != nil {
		t.Fatal(err)
	}
	rules := refbox.DefaultConfig()
	rules.HomeID, rules.Field = 100, cfg.Field
	c.box = refbox.New(rules, c.now)
	c.deliver(t, c.box.Connect(c.now, 1, netip.MustParseAddrPort("127.0.100.1:5000")))
	if !c.station.State().Accepted {
		t.Fatal("the box does not admit team 100")
	}
	return c
}

// deliver delivers the box's messages to the station.
func (c *chain) deliver(t *testing.T, e refbox.Effects) {
	t.Helper()
	for _, s := range e.Send {
		for message := range bytes.SplitSeq(bytes.TrimSuffix(s.Data, []byte{0}), []byte{0}) {
			if _, err := c.station.Apply(c.now, message); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// run advances by d; the station sends 20 worldstates a second.
func (c *chain) run(t *testing.T, d time.Duration) {
	t.Helper()
	var w msl.Worldstate
	const step = 5 * time.Millisecond
	for i, end := 0, c.now.Add(d); c.now < end; i++ {
		c.now = c.now.Add(step)
		c.session.Advance(c.now)
		ball := c.session.Wall().Truth.Ball
		at := int(c.now.Sub(soccer.Epoch) / step)
		c.truth[at%len(c.truth)] = soccer.Vec{X: ball.X, Y: ball.Y}
		c.deliver(t, c.box.Tick(c.now))
		if i%10 != 9 {
			continue
		}
		b, err := c.station.AppendWorldstate(nil, c.now)
		if err != nil {
			t.Fatal(err)
		}
		b = b[:len(b)-1]
		c.deliver(t, c.box.Receive(c.now, 1, b))
		if err := w.UnmarshalBinary(b); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		if at < 400 {
			continue // until all robots have sent
		}
		c.robots = min(c.robots, len(w.Robots))
		c.errors.Samples++
		if len(w.Balls) > 0 {
			o, _ := w.Balls[0].Observation()
			then := c.truth[(at-int(math.Round(w.AgeMillis.Value/5)))%len(c.truth)]
			off := o.Position.XY().Sub(then).Len()
			c.errors.Known++
			c.errors.Squares += off * off
		}
	}
}

// Five robots' packages become worldstates without findings and without an empty window of 100 ms, and the ball is
// where it was ageMs ago.
func TestRobotsStationRefBox(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"v2": func(*Config) {}, "v1": func(c *Config) { c.Variant = mixedteam.V1 },
		"padded": func(c *Config) { c.Variant = mixedteam.V2Padded },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := DefaultConfig()
			change(&cfg)
			c := newChain(t, cfg)
			for _, d := range []game.Decision{{Command: game.KickOff, Side: game.Home}, {Command: game.Start}} {
				_, effects, err := c.box.Decide(c.now, d)
				if err != nil {
					t.Fatal(err)
				}
				c.deliver(t, effects)
			}
			if st := c.station.State(); !st.Running || st.Part != msl.FirstHalf || st.SetPiece != msl.KickOff ||
				st.For != station.Ours {
				t.Errorf("after kick-off and START: %+v", st)
			}
			c.run(t, 20*time.Second)
			home := c.box.Teams(c.now, true).Teams[0]
			if home.ID != 100 || home.Messages != 400 || home.Broken != 0 || home.Level != "good" || home.Empty != 0 ||
				home.Windows < 199 {
				t.Errorf("the box reports %+v", home)
			}
			for _, f := range home.Findings {
				if !f.Note || f.Rule == check.RuleBackwards { // notes on headings in whole milliradians are expected
					t.Errorf("finding %s: %s: %s", f.Rule, f.Text, f.Excerpt)
				}
			}
			if c.robots < 5 {
				t.Errorf("%d robots in a worldstate, want five", c.robots)
			}
			t.Logf("ball: RMSE %.3f m, known %.1f %% of the time", c.errors.RMSE(), 100*c.errors.Share())
			if !(c.errors.RMSE() < 0.5) || c.errors.Share() < 0.9 {
				t.Errorf("ball: RMSE %.3f m, known %.2f of the time", c.errors.RMSE(), c.errors.Share())
			}
		})
	}
}

// loaded runs a session for a time, with substitutions and robots that are switched off. The machine's load delays the
// station now and then: meanwhile the kernel collects packets. Each worldstate goes to check.
func loaded(t *testing.T, cfg Config, d time.Duration, check func(now soccer.Time, worldstate []byte)) {
	t.Helper()
	c := newChain(t, cfg)
	var waiting []soccer.Packet
	var err error
	c.session, err = New(cfg, func(number uint8, b []byte) {
		from := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), 40000+uint16(number))
		p := soccer.Packet{Time: c.session.Now().Add(300 * time.Microsecond), From: from, Data: bytes.Clone(b)}
		for _, m := range Participants() {
			c.session.Deliver(m.Number, &p)
		}
		waiting = append(waiting, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	const step = 10 * time.Millisecond
	rng, stalled := rand.New(rand.NewPCG(7, 11)), c.now
	for i := range int(d / step) {
		c.now = c.now.Add(step)
		c.session.Advance(c.now)
		switch number := uint8(1 + rng.IntN(6)); i % 2000 { // 6 and the substituted one are not on the field
		case 500:
			_ = c.session.Switch(number, false)
		case 800:
			for number := range uint8(7) {
				_ = c.session.Switch(number, true)
			}
		}
		if rng.IntN(300) == 0 {
			stalled = c.now.Add(time.Duration(rng.IntN(200)) * time.Millisecond)
		}
		if c.now < stalled {
			continue
		}
		for j := range waiting {
			c.station.Receive(&waiting[j])
		}
		waiting = waiting[:0]
		if i%5 != 0 {
			continue
		}
		b, err := c.station.AppendWorldstate(nil, c.now)
		if err != nil {
			t.Fatal(err)
		}
		check(c.now, b[:len(b)-1])
	}
}

// The worldstates of a long session on a loaded machine have no faults: the report card finds only that headings are in
// whole milliradians, as in mixed team packages.
func TestLoadedSessionHasNoFaults(t *testing.T) {
	for robots, d := range map[int]time.Duration{2: 2 * time.Minute, 5: 10 * time.Minute} {
		cfg := DefaultConfig()
		cfg.Robots = robots
		card := check.NewCard("Mixed teams", cfg.Field)
		number := int64(0)
		loaded(t, cfg, d, func(now soccer.Time, worldstate []byte) {
			number++
			age := time.Duration(0)
			var w msl.Worldstate
			if err := w.UnmarshalBinary(worldstate); err == nil {
				age = time.Duration(w.AgeMillis.Value * 1e6)
			}
			card.Add(&check.StationMessage{Received: now, Published: now.Add(-age), Offset: number, Data: worldstate})
		})
		report := card.Report()
		for _, f := range report.Findings {
			if f.Rule != check.RuleResolution {
				t.Errorf("%d robots: %d x %s: %s in %s", robots, f.Count, f.Rule, f.Text, f.Excerpt)
			}
		}
		if report.Worldstates < uint64(15*d.Seconds()) {
			t.Errorf("%d robots: got %d worldstates", robots, report.Worldstates)
		}
	}
}

// A robot that is dragged over the field reports its velocity, and the report card finds no fault.
func TestDraggedRobotHasVelocity(t *testing.T) {
	cfg := DefaultConfig()
	c := newChain(t, cfg)
	card := check.NewCard("Mixed teams", cfg.Field)
	fastest, standing := 0.0, 0
	var w msl.Worldstate
	for i := range 3000 { // each 20 ms
		if i%500 < 400 { // 2 m/s up and down for 8 s, then it stands
			phase := float64(i%500%200) / 100
			if err := c.session.MoveRobot(3, soccer.Pose{X: 4 * math.Abs(1-phase), Y: 3}); err != nil {
				t.Fatal(err)
			}
		}
		c.now = c.now.Add(20 * time.Millisecond)
		c.session.Advance(c.now)
		if i%3 != 0 {
			continue
		}
		b, err := c.station.AppendWorldstate(nil, c.now)
		if err != nil {
			t.Fatal(err)
		}
		b = b[:len(b)-1]
		card.Add(&check.StationMessage{Received: c.now, Offset: int64(i), Data: b})
		if err := w.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		for j := range w.Robots {
			if w.Robots[j].ID.Value == 3 {
				v := &w.Robots[j].Velocity
				speed := math.Hypot(v.At[0].Value, v.At[1].Value)
				fastest = max(fastest, speed)
				if i%500 > 450 && speed != 0 {
					standing++
				}
			}
		}
	}
	if fastest < 1.5 || fastest > 3 || standing > 0 {
		t.Errorf("it moves at %.2f m/s, and %d times while it stands; want 2 m/s, and 0", fastest, standing)
	}
	for _, f := range card.Report().Findings {
		if !f.Note {
			t.Errorf("%d x %s: %s in %s", f.Count, f.Rule, f.Text, f.Excerpt)
		}
	}
}

// A substitute takes the place of a robot: worldstates have both there only until its silence is certain.
func TestSubstituteIsNotInTheOthersPlace(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Robots, cfg.Substitute = 3, [2]time.Duration{4 * time.Second, 5 * time.Second}
	var both soccer.Time // when two robots were first at one place; 0 if they are not
	n := 0
	var w msl.Worldstate
	loaded(t, cfg, time.Minute, func(now soccer.Time, worldstate []byte) {
		if err := w.UnmarshalBinary(worldstate); err != nil {
			t.Fatal(err)
		}
		n++
		together := false
		for i := range w.Robots {
			for j := range i {
				a, b := &w.Robots[i].Pose, &w.Robots[j].Pose
				if math.Hypot(a.At[0].Value-b.At[0].Value, a.At[1].Value-b.At[1].Value) < 0.25 {
					together = true
				}
			}
		}
		switch {
		case !together:
			both = 0
		case both == 0:
			both = now
		case now.Sub(both) > 500*time.Millisecond: // with the stalls
			t.Fatalf("after %v worldstates have two robots at one place since %v: %s", now.Sub(soccer.Epoch), now.Sub(both),
				worldstate)
		}
	})
	if n < 1000 {
		t.Errorf("got %d worldstates", n)
	}
}
