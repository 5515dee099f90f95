package match_test

import (
	"bytes"
	"math"
	"net/netip"
	"testing"
	"time"

	"touchline/game"
	"touchline/match"
	"touchline/refbox"
	"touchline/reportcard"
	"touchline/soccer"
	"touchline/station"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

// chain is a session, a base station that receives its robots, and a referee box that the station reports to, all in
// virtual time.
type chain struct {
	session *match.Session
	station *station.Station
	box     *refbox.Box
	now     soccer.Time
	truth   [400]soccer.Vec // the recent balls, one each 5 ms
	errors  match.Errors    // of the worldstates' ball at the time of each worldstate
	robots  int             // fewest in a worldstate after the first second
}

func newChain(t *testing.T, cfg match.Config) *chain {
	t.Helper()
	c := &chain{now: soccer.Epoch, robots: 99}
	var err error
	c.session, err = match.New(cfg, func(number uint8, b []byte) {
		from := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), 40000+uint16(number))
		p := soccer.Packet{Time: c.session.Now().Add(300 * time.Microsecond), From: from, Data: b}
		for _, m := range match.Participants() {
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
	for name, change := range map[string]func(*match.Config){
		"v2": func(*match.Config) {}, "v1": func(c *match.Config) { c.Variant = mixedteam.V1 },
		"padded": func(c *match.Config) { c.Variant = mixedteam.V2Padded },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := match.DefaultConfig()
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
				if !f.Note || f.Rule == reportcard.RuleBackwards { // notes on headings in whole milliradians are expected
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
