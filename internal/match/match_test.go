package match

import (
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"touchline/game"

	"touchline/soccer"
	"touchline/transport/traffic"
)

// open returns a match.
func open(t *testing.T, cfg MatchConfig, tap Tap) *Match {
	t.Helper()
	m, err := NewMatch(cfg, tap)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if m.Err() != nil {
			t.Error(m.Err())
		}
	})
	return m
}

func matchAdvance(m *Match, d time.Duration) { m.Advance(m.Now().Add(d)) }

// short is a match of few seconds a half.
func short() MatchConfig {
	cfg := DefaultMatchConfig()
	cfg.Half = 10 * time.Second
	return cfg
}

// play plays a match to its end and returns a hash of all datagrams.
func playMatch(t *testing.T, cfg MatchConfig) uint64 {
	t.Helper()
	h := fnv.New64a()
	m := open(t, cfg, Tap{Packet: func(_ game.Side, p *soccer.Packet) { h.Write(p.Data) }})
	for range 200 {
		if m.Over() {
			return h.Sum64()
		}
		matchAdvance(m, time.Second)
	}
	t.Fatal("the match does not end")
	return 0
}

// The same seed gives the same datagrams, another seed others.
func TestSameSeed(t *testing.T) {
	cfg := short()
	cfg.Link = traffic.Link{Loss: 0.1, Burst: 3, Delay: 5 * time.Millisecond, Jitter: 20 * time.Millisecond}
	cfg.Mixed = true
	first := playMatch(t, cfg)
	if again := playMatch(t, cfg); again != first {
		t.Errorf("the same seed gave %x and %x", first, again)
	}
	cfg.Seed++
	if other := playMatch(t, cfg); other == first {
		t.Errorf("another seed gave %x, too", other)
	}
}

// A step of Advance has no influence on the match.
func TestAdvanceInAnySteps(t *testing.T) {
	end := func(step time.Duration) (v View) {
		m := open(t, short(), Tap{})
		for m.Now() < soccer.Epoch.Add(8*time.Second) {
			matchAdvance(m, step)
		}
		m.View(&v)
		return v
	}
	fine, coarse := end(2*time.Millisecond), end(8*time.Second)
	if fine.Ball != coarse.Ball || len(fine.Robots) != 10 {
		t.Errorf("in steps of 2 ms the ball is at %v, in one step at %v", fine.Ball, coarse.Ball)
	}
	for i := range fine.Robots {
		if fine.Robots[i] != coarse.Robots[i] {
			t.Errorf("robot %d: %+v in steps of 2 ms, %+v in one step", i, fine.Robots[i], coarse.Robots[i])
		}
	}
}

// Robots see the ball and receive their teammates' pictures; they receive nothing of the other team.
func TestRobotsTalkAndSee(t *testing.T) {
	t.Run("drawn poses", func(t *testing.T) { talkAndSee(t, short()) })
	cfg := short()
	cfg.Localise = true
	t.Run("localised", func(t *testing.T) { talkAndSee(t, cfg) })
}

func talkAndSee(t *testing.T, cfg MatchConfig) {
	m := open(t, cfg, Tap{})
	matchAdvance(m, 3*time.Second)
	var v View
	m.View(&v)
	for i := range v.Robots {
		r := &v.Robots[i]
		var w soccer.World
		if !m.World(r.Side, r.Number, &w) {
			t.Fatalf("%s %d does not run", r.Side, r.Number)
		}
		ball, pose := w.Ball.Position, w.Self.Pose
		if r.Side == game.Away {
			ball, pose = ball.Turned(), pose.Turned()
		}
		if d := ball.XY().Sub(v.Ball.XY()).Len(); !w.Ball.Known || d > 0.5 {
			t.Errorf("%s %d believes the ball %.2f m from its place (known: %t)", r.Side, r.Number, d, w.Ball.Known)
		}
		if len(w.Peers) != 4 {
			t.Errorf("%s %d has %d teammates, want 4: %+v", r.Side, r.Number, len(w.Peers), w.Peers)
		}
		if d := pose.XY().Sub(r.Pose.XY()).Len(); w.Self.Known && d > 0.6 {
			t.Errorf("%s %d believes itself %.2f m from its place", r.Side, r.Number, d)
		}
	}
}

// The halves have their lengths, the teams change ends, and the match ends.
func TestPartsOfAMatch(t *testing.T) {
	var decisions []string
	m := open(t, short(), Tap{Decision: func(d *game.Decision, _ *game.Outcome) {
		decisions = append(decisions, string(d.Command))
	}})
	var v View
	var sides [2]float64 // mean x of home in each half
	for half, part := range []game.Part{game.FirstHalf, game.SecondHalf} {
		for range 60 {
			if m.View(&v); v.Game.Part == part && v.Game.Running {
				break
			}
			matchAdvance(m, time.Second)
		}
		for _, r := range v.Robots[:5] {
			sides[half] += r.Pose.X / 5
		}
		if v.Turned != (half == 1) {
			t.Errorf("in the %s home attacks -x: %t", part, v.Turned)
		}
	}
	if !(sides[0] < -1 && sides[1] > 1) {
		t.Errorf("home stands at x = %.1f m, then at %.1f m: want its own half, then the other", sides[0], sides[1])
	}
	for range 60 {
		matchAdvance(m, time.Second)
	}
	if !m.Over() {
		t.Errorf("the match did not end: %v", decisions)
	}
	if got := strings.Join(decisions, " "); !strings.HasPrefix(got, "KICKOFF START") || !strings.HasSuffix(got, "END_PART") {
		t.Errorf("decisions: %s", got)
	}
}

// A robot that crashes is gone for its team and returns; without the referee box the robots hear nothing of it.
func TestFaults(t *testing.T) {
	cfg := short()
	cfg.Faults = []Fault{
		{From: 2 * time.Second, To: 5 * time.Second, What: Crash, Side: game.Home, Robot: 1},
		{From: 6 * time.Second, To: 8 * time.Second, What: Gone, Side: game.Away},
		{From: 2 * time.Second, To: forever, What: Silent},
	}
	m := open(t, cfg, Tap{})
	var v View
	running := func() (home, away int) {
		m.View(&v)
		for _, r := range v.Robots {
			switch {
			case r.Running && r.Side == game.Home:
				home++
			case r.Running:
				away++
			}
		}
		return home, away
	}
	for _, want := range [][3]int{{1, 5, 5}, {4, 4, 5}, {7, 5, 0}, {9, 5, 5}} {
		m.Advance(soccer.Epoch.Add(time.Duration(want[0]) * time.Second))
		if home, away := running(); home != want[1] || away != want[2] {
			t.Errorf("after %d s %d robots of home run and %d of away, want %v", want[0], home, away, want[1:])
		}
	}
	matchAdvance(m, time.Minute)
	if m.View(&v); v.Game.Part != game.PreGame {
		t.Errorf("a silent referee box began the %s", v.Game.Part)
	}
}

// Values out of range are refused with the range.
func TestBadConfig(t *testing.T) {
	for want, change := range map[string]func(*MatchConfig){
		"half 0s":            func(c *MatchConfig) { c.Half = 0 },
		"half 1.5s":          func(c *MatchConfig) { c.Half = 1500 * time.Millisecond },
		"home-robots 6":      func(c *MatchConfig) { c.Home.Robots = 6 },
		"away-robots 0":      func(c *MatchConfig) { c.Away.Robots = 0 },
		"away: booking luck": func(c *MatchConfig) { c.Away.Booking = "luck" },
		"loss 2":             func(c *MatchConfig) { c.Link.Loss = 2 },
		"crash": func(c *MatchConfig) {
			c.Faults = []Fault{{To: 1, What: Crash, Side: game.Home}}
		},
		"earthquake": func(c *MatchConfig) {
			c.Faults = []Fault{{To: 1, What: "earthquake", Side: game.Home}}
		},
		"from 5s to 5s": func(c *MatchConfig) {
			c.Faults = []Fault{{From: 5e9, To: 5e9, What: Silent}}
		},
	} {
		cfg := short()
		change(&cfg)
		if _, err := NewMatch(cfg, Tap{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if _, err := FindTeam("barcelona", nil); err == nil || !strings.Contains(err.Error(), "touchline-nobooking") {
		t.Errorf("got %v, want the names", err)
	}
}
