package main

import (
	"io"
	"log/slog"
	"math"
	"os"
	"strconv"
	"sync"
	"testing"

	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

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
	log := &pids{all: map[string]int{}}
	live, err := matchnet.OpenMatch(t.Context(), matchnet.MatchConfig{
		Match: cfg, Processes: &matchnet.Processes{Errors: io.Discard},
	}, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- live.Run(t.Context()) }()
	t.Cleanup(func() { // after the end of t.Context
		if err := <-done; err != nil {
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
	if _, err := live.Commands().Do("crash", []byte(`{"team":"home","number":4}`)); err != nil {
		t.Fatal(err)
	}
	wiretest.Eventually(t, "the page's crash kills a process", func() bool { return !view().Robots[3].Running })
	if r := live.Report(); len(r.Robots) < 9 || r.CPU <= 0 {
		t.Errorf("%d loops are measured, the processes used %v of a core", len(r.Robots), r.CPU)
	}
}
