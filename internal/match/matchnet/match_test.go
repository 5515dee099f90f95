package matchnet_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/refbox"
	"touchline/wire/wiretest"
)

// live runs a match in real time until the test ends.
func live(t *testing.T, change func(*matchnet.MatchConfig)) *matchnet.Match {
	t.Helper()
	if testing.Short() {
		t.Skip("it plays in real time")
	}
	t.Parallel()
	cfg := matchnet.MatchConfig{Match: match.DefaultMatchConfig()}
	change(&cfg)
	l, err := matchnet.OpenMatch(t.Context(), cfg, liveQuiet)
	if err != nil {
		t.Fatal(err)
	}
	background(t, l.Run)
	return l
}

// view returns what the page shows.
func view(l *matchnet.Match) (v *match.ShowView) {
	l.Look(func(s *match.Show) { v = s.State() })
	return v
}

// fastest returns the speed of the fastest robot in m/s.
func fastest(l *matchnet.Match) (speed float64) {
	var v match.View
	l.Look(func(s *match.Show) { s.View(&v) })
	for _, r := range v.Robots {
		speed = max(speed, math.Hypot(r.Twist.X, r.Twist.Y))
	}
	return speed
}

// A match over sockets in real time: the referee box starts the game, every robot runs, tells what it believes and
// decides, hears its team, and keeps the time; the ball moves. Then a user makes trouble.
func TestLive(t *testing.T) {
	l := live(t, func(cfg *matchnet.MatchConfig) { cfg.Match.Localise = true })
	var v *match.ShowView
	wiretest.Eventually(t, "the game begins with all robots", func() bool {
		v = view(l)
		for _, r := range v.Robots {
			if !r.Running || r.State == "" {
				return false
			}
		}
		return v.Running && v.Home.Ball != nil && v.Away.Ball != nil && len(v.Robots) == 10
	})
	wiretest.Eventually(t, "somebody moves the ball", func() bool {
		v = view(l)
		return math.Hypot(v.Ball.X, v.Ball.Y) > 0.5
	})
	for _, side := range game.Sides {
		l.Look(func(s *match.Show) {
			if n := len(s.Nodes(side).Nodes); n != 6 {
				t.Errorf("%s: %d nodes report, want five robots and the station", side, n)
			}
			if b := s.Booking(side); len(b.Robots) != 5 {
				t.Errorf("%s: the booking of %d robots", side, len(b.Robots))
			}
		})
	}
	timings := l.Report().Robots
	if len(timings) != 10 {
		t.Errorf("the loops of %d robots are measured, want 10", len(timings))
	}
	for _, r := range timings {
		if r.Period != 20 || r.Periods < 50 {
			t.Errorf("%s %d: %+v, want a period of 20 ms", r.Side, r.Number, r.Timing)
		}
	}
	if st, err := l.RefBox().Game(); err != nil || st.Part != game.FirstHalf {
		t.Errorf("the referee box is in %q: %v", st.Part, err)
	}
	wiretest.Eventually(t, "the referee box knows the robots of both teams", func() bool {
		box, ok := l.RefBox().Snapshot("refbox").(refbox.Show)
		return ok && len(box.Home.Robots) == 5 && len(box.Away.Robots) == 5
	})
	troubleLive(t, l)
}

// troubleLive makes trouble during a match: a robot crashes and comes back, robots are cut off, and a network that loses
// everything stops all robots until it is back.
func troubleLive(t *testing.T, l *matchnet.Match) {
	t.Helper()
	running := func(i int) bool { return view(l).Robots[i].Running }
	do := func(name, body string) error {
		_, err := l.Commands().Do(name, []byte(body))
		return err
	}
	must := func(name, body string) {
		t.Helper()
		if err := do(name, body); err != nil {
			t.Fatal(err)
		}
	}
	must("crash", `{"team":"home","number":4}`)
	wiretest.Eventually(t, "the robot crashes", func() bool { return !running(3) })
	wiretest.Eventually(t, "the robot comes back", func() bool { return running(3) })

	heard := func() (up int) {
		l.Look(func(s *match.Show) {
			for _, r := range s.Reports(game.Away) {
				for _, link := range r.Links {
					if r.Entity == "robot:2" && link.Up {
						up++
					}
				}
			}
		})
		return up
	}
	wiretest.Eventually(t, "robot 2 of away hears its team", func() bool { return heard() == 5 })
	must("partition", `{"team":"away","robots":[2]}`)
	wiretest.Eventually(t, "robot 2 of away is cut off", func() bool { return heard() == 0 })
	must("partition", `{"team":"away","robots":[]}`)
	wiretest.Eventually(t, "robot 2 of away hears its team again", func() bool { return heard() == 5 })

	must("link", `{"loss":1}`)
	wiretest.Eventually(t, "all is lost, and the robots stand", func() bool { return heard() == 0 && fastest(l) < 0.01 })
	must("link", `{"loss":0}`)
	wiretest.Eventually(t, "the game goes on after the loss", func() bool { return fastest(l) > 0.3 })

	must("mirror", `{"team":"home","number":2,"on":true}`)
	for _, name := range []string{"gone", "silent"} {
		if err := do(name, `{"team":"home","on":true}`); err == nil || !strings.Contains(err.Error(), "--virtual") {
			t.Errorf("%s: %v, want a hint at virtual time", name, err)
		}
	}
	if do("link", `{"loss":2}`) == nil || do("crash", `{"team":"home","number":6}`) == nil ||
		do("crash", `{"team":"both","number":1}`) == nil {
		t.Error("a loss of 2, or the crash of a robot that is not there, is accepted")
	}
}

// A match waits for the program of its external team, which gets what touchline's robots get.
func TestLiveExternal(t *testing.T) {
	l := live(t, func(cfg *matchnet.MatchConfig) {
		cfg.Match.Away.External, cfg.Match.Away.Robots, cfg.Match.Home.Robots = true, 1, 1
	})
	wiretest.Eventually(t, "home runs", func() bool { return view(l).Robots[0].Running })
	p := drive(t, l.Field(game.Away), 2, 1)
	if st, err := l.RefBox().Game(); err != nil || st.SetPiece.Command != "" {
		t.Errorf("the game begins without away: %s, %v", st.SetPiece.Command, err)
	}
	wiretest.Eventually(t, "the game begins", func() bool {
		p.send(0)
		time.Sleep(20 * time.Millisecond)
		senses, referee := p.heard()
		return len(senses) > 20 && referee.Sequence > 0 && view(l).Running
	})
	if _, err := l.Commands().Do("crash", []byte(`{"team":"away","number":1}`)); err == nil {
		t.Error("the match crashes a program that it did not start")
	}
}

// A configuration that a match in real time cannot play is refused, and nothing stays open.
func TestOpenLiveRefuses(t *testing.T) {
	for what, change := range map[string]func(*matchnet.MatchConfig){
		"a fault":      func(cfg *matchnet.MatchConfig) { cfg.Match.Faults = []match.Fault{{What: match.Silent}} },
		"six robots":   func(cfg *matchnet.MatchConfig) { cfg.Match.Home.Robots = 6 },
		"half a half":  func(cfg *matchnet.MatchConfig) { cfg.Match.Half = time.Second / 2 },
		"a bad folder": func(cfg *matchnet.MatchConfig) { cfg.Dir = "/dev/null/x" },
	} {
		cfg := matchnet.MatchConfig{Match: match.DefaultMatchConfig()}
		change(&cfg)
		if _, err := matchnet.OpenMatch(context.Background(), cfg, liveQuiet); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}
