package main

import (
	"io"
	"log/slog"
	"math"
	"os"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// sizes are the sizes of fields.
var sizes = map[string]func() soccer.Field{"18x12": soccer.MSL18x12, "22x14": soccer.MSL22x14}

// pids notes the processes of a log: "home 3" has the pid of home's robot 3.
type pids struct {
	mu  sync.Mutex
	all map[string]int
}

func (p *pids) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pid, err := strconv.Atoi(attr(string(line), "pid=")); err == nil {
		p.all[attr(string(line), "team=")+" "+attr(string(line), "robot=")] = pid
	}
	return len(line), nil
}

// Ten processes play a match. One that is killed is down, the match goes on, and the robot comes back.
func TestMatchOfProcesses(t *testing.T) {
	cfg := match.DefaultMatchConfig()
	cfg.Field = soccer.MSL22x14()
	cfg.Home = match.Teams()[1]
	live, err := matchnet.OpenLive(t.Context(), matchnet.LiveConfig{Match: cfg, Outside: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	log := &pids{all: map[string]int{}}
	robots, err := OfMatch(live, slog.New(slog.NewTextHandler(log, nil)), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	group, ctx := errgroup.WithContext(t.Context())
	group.Go(func() error { return live.Run(ctx) })
	group.Go(func() error { return robots.Run(ctx) })
	t.Cleanup(func() { // after the end of t.Context
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	})
	view := func() (v *match.ShowView) {
		live.Look(func(s *match.Show) { v = s.State() })
		return v
	}
	running := func() (n int) {
		for _, r := range view().Robots {
			if r.Running && r.State != "" {
				n++
			}
		}
		return n
	}
	wiretest.Eventually(t, "ten processes play", func() bool { return running() == 10 && view().Running })
	log.mu.Lock()
	pid := log.all["away 2"]
	log.mu.Unlock()
	process, err := os.FindProcess(pid)
	if err != nil || pid == 0 {
		t.Fatalf("process %d: %v", pid, err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "the killed robot is down", func() bool { return !view().Robots[6].Running })
	ball := view().Ball
	wiretest.Eventually(t, "the match goes on", func() bool {
		now := view().Ball
		return math.Hypot(now.X-ball.X, now.Y-ball.Y) > 0.3
	})
	wiretest.Eventually(t, "the robot comes back", func() bool { return running() == 10 })
	if err := live.Crash(game.Home, 4); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "the page's crash kills a process", func() bool { return !view().Robots[3].Running })
	if n := len(live.Timings()); n < 9 || robots.CPU() <= 0 {
		t.Errorf("%d loops are measured, the processes used %v", n, robots.CPU())
	}
}
