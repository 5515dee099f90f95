package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
)

// DemoCrew runs the robots of a match in processes of their own.
type DemoCrew interface {
	Run(ctx context.Context) error
	CPU() time.Duration // processor time that they used so far
}

// meter measures the share of one core that the program uses.
type meter struct {
	children func() time.Duration // processor time of other processes
	began    time.Time
	before   time.Duration // used until then

	mu    sync.Mutex
	at    time.Time     // when the window began
	used  time.Duration // up to then
	share float64       // in the window before; 0 in the first one
}

// meterWindow is the time over which the share is taken.
const meterWindow = 5 * time.Second

func newMeter(children func() time.Duration) *meter {
	m := &meter{children: children, began: time.Now()}
	m.before = m.cpu()
	m.at, m.used = m.began, m.before
	return m
}

// cpu returns the processor time of all processes.
func (m *meter) cpu() time.Duration { return console.CPUTime() + m.children() }

// read returns the share in the last full window; in the first one, the share since its begin.
func (m *meter) read(now time.Time) float64 {
	used := m.cpu()
	m.mu.Lock()
	defer m.mu.Unlock()
	passed := now.Sub(m.at)
	share := float64(used-m.used) / float64(max(passed, 1))
	if passed >= meterWindow {
		m.at, m.used, m.share = now, used, share
	}
	if m.share == 0 {
		return share
	}
	return m.share
}

// whole returns the share since the meter began.
func (m *meter) whole(now time.Time) float64 {
	return float64(m.cpu()-m.before) / float64(max(now.Sub(m.began), 1))
}

// loops returns how well the robots keep their periods.
func (g *Game) loops() *match.Loops {
	out := &match.Loops{CPU: g.cpu.read(time.Now())}
	for _, t := range g.live.Timings() {
		out.Robots++
		out.P99 = max(out.P99, t.P99)
	}
	return out
}

// Report is what a match in real time was like. Its JSON is stable.
type Report struct {
	Seconds float64           `json:"seconds"` // of the match
	Part    string            `json:"part"`
	Goals   [2]int            `json:"goals"`  // home, away
	CPU     float64           `json:"cpu"`    // share of one core over the whole run
	Robots  []matchnet.Timing `json:"robots"` // those that run when the match is left
}

// Report returns what a match in real time is like now.
func (g *Game) Report() Report {
	v := g.Match("match").(*match.ShowView)
	return Report{
		Seconds: v.Time, Part: v.Part, Goals: [2]int{v.Home.Tally.Goals, v.Away.Tally.Goals},
		CPU: g.cpu.whole(time.Now()), Robots: g.live.Timings(),
	}
}

// Print prints a report, as JSON or for people.
func (r *Report) Print(out io.Writer, asJSON bool) error {
	if asJSON {
		return console.JSONEncoder(out).Encode(r)
	}
	text := fmt.Sprintf("%s, %.0f s, %d:%d, %.0f %% of one core\n", r.Part, r.Seconds, r.Goals[0], r.Goals[1], 100*r.CPU)
	for _, t := range r.Robots {
		text += fmt.Sprintf("%s %d: period %.0f ms, 99 %% within %.1f ms, worst %.1f ms\n", t.Side, t.Number, t.Period, t.P99,
			t.Worst)
	}
	_, err := io.WriteString(out, text)
	return err
}

// Open opens a match in real time. crew returns the robots of one that leaves them Outside.
func Open(ctx context.Context, cfg matchnet.LiveConfig, log *slog.Logger, crew func(*matchnet.Live) (DemoCrew, error)) (*Game, error) {
	live, err := matchnet.OpenLive(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	g := &Game{live: live, speed: 1}
	if !cfg.Outside {
		g.cpu = newMeter(func() time.Duration { return 0 })
		return g, nil
	}
	if g.crew, err = crew(live); err != nil {
		live.Close()
		return nil, err
	}
	g.cpu = newMeter(g.crew.CPU)
	return g, nil
}

// runLive runs a match in real time and its robots.
func (g *Game) runLive(ctx context.Context) error {
	if g.crew == nil {
		return g.live.Run(ctx)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return g.live.Run(ctx) })
	group.Go(func() error { return g.crew.Run(ctx) })
	return group.Wait()
}

// Close closes what Open opened, if Run is not called.
func (g *Game) Close() { g.live.Close() }

// Headless runs a match in real time without a page, and prints its Report at the end.
func (g *Game) Headless(ctx context.Context, run func(context.Context) error, out io.Writer, asJSON bool) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	var r Report
	period := time.NewTicker(reportPeriod)
	defer period.Stop()
	for {
		select {
		case err := <-done:
			if err == nil {
				err = r.Print(out, asJSON)
			}
			return err
		case <-period.C:
			if ctx.Err() != nil {
				continue
			}
			r = g.Report()
			if r.Part == string(game.End) {
				end()
			}
		}
	}
}

// reportPeriod is the period in which a match without a page is looked at.
const reportPeriod = 500 * time.Millisecond

// Addresses returns the addresses of a match in real time, one a line.
func (g *Game) Addresses(page string) string {
	box := g.live.RefBox()
	return fmt.Sprintf("five against five in real time, seed %d: %s#match\nreferee:       %sreferee#token=%s\n"+
		"base stations: %s\n", g.live.Config().Match.Seed, page, page, box.Token(), box.Addr()) + g.Waiting()
}

// Waiting returns what a match in real time waits for, one external team a line.
func (g *Game) Waiting() (text string) {
	cfg := g.live.Config().Match
	for _, side := range game.Sides {
		if at := g.live.Field(side); cfg.Team(side).External {
			number := matchnet.TeamNumber(side)
			text += fmt.Sprintf("%s:          waits for a program that drives its robots at the field %s, team %d: python3 docs/team.py %s %d\n",
				side, at, number, at, number)
		}
	}
	return text
}
