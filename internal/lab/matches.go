package lab

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/match"
	"touchline/soccer"
	"touchline/transport/traffic"
)

// Config says what Run plays.
type Config struct {
	One, Other match.Team    // the teams. Default touchline, and touchline-nobooking
	Link       traffic.Link  // impairs all datagrams. Default 10 % loss
	First      uint64        // seed. Default 1
	Seeds      int           // matches. Default 20
	Half       time.Duration // of each half. Default 60 s
}

// DefaultConfig returns 20 matches of 2 x 60 s with 10 % loss, with and without the ball booking.
func DefaultConfig() Config {
	teams := match.Teams()
	return Config{
		One: teams[0], Other: teams[1], Link: traffic.Link{Loss: 0.1}, First: 1, Seeds: 20, Half: time.Minute,
	}
}

// Validate returns an error that names the first value out of range and the range.
func (c *Config) Validate() error {
	if c.Seeds < 1 || c.Seeds > 100_000 {
		return fmt.Errorf("seeds %d: want 1 to 100000", c.Seeds)
	}
	for _, t := range []*match.Team{&c.One, &c.Other} {
		if t.External {
			return fmt.Errorf("team %s: no program drives its robots in virtual time; play it with touchline match", t.Name)
		}
	}
	match := c.match(c.First)
	return match.Validate()
}

// match returns the match of a seed.
func (c *Config) match(seed uint64) match.MatchConfig {
	m := match.DefaultMatchConfig()
	m.Seed, m.Half, m.Link, m.Home, m.Away = seed, c.Half, c.Link, c.One, c.Other
	if c.swapped(seed) {
		m.Home, m.Away = c.Other, c.One
	}
	return m
}

// swapped reports whether the first team plays away with a seed.
func (c *Config) swapped(seed uint64) bool { return (seed-c.First)%2 == 1 }

// sides returns the sides of the two teams with a seed.
func (c *Config) sides(seed uint64) [2]game.Side {
	if c.swapped(seed) {
		return [2]game.Side{game.Away, game.Home}
	}
	return [2]game.Side{game.Home, game.Away}
}

// score holds what one match gave.
type score struct {
	teams   [2]analysis.TallyTeam // One, Other
	played  float64               // s
	stuck   int                   // dropped balls because the ball did not move
	broken  [2]map[autoref.Rule]int
	example []Broken
	trouble string // why the match did not end, or failed; "": it ended
	done    bool
}

// Run plays the matches, several at a time. After each one it calls progress, from one goroutine at a time, with the
// number of matches that are done. When ctx ends, it returns the figures of those, and the cause.
func Run(ctx context.Context, cfg Config, progress func(done int)) (Report, error) {
	if err := cfg.Validate(); err != nil {
		return Report{}, errors.New("matches: " + err.Error())
	}
	scores := make([]score, cfg.Seeds)
	var lock sync.Mutex
	done := 0
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for n := range cfg.Seeds {
		group.Go(func() error {
			if scores[n] = play(ctx, &cfg, cfg.First+uint64(n)); scores[n].done {
				lock.Lock()
				defer lock.Unlock()
				done++
				progress(done)
			}
			return nil
		})
	}
	_ = group.Wait() // the scores have the failures, in the order of the seeds
	return newReport(&cfg, scores), ctx.Err()
}

// play plays one match. A panic is a failure of that match only.
func play(ctx context.Context, cfg *Config, seed uint64) (s score) {
	defer func() {
		if p := recover(); p != nil {
			s = score{done: true, trouble: fmt.Sprintf("panic: %v at %s", p, where(debug.Stack()))}
		}
	}()
	game := cfg.match(seed)
	m, err := match.NewMatch(game, match.Tap{})
	if err != nil {
		return score{done: true, trouble: err.Error()}
	}
	for end := m.Now().Add(2*game.Half + time.Minute); !m.Over() && m.Err() == nil; m.Advance(m.Now().Add(time.Second)) {
		if ctx.Err() != nil {
			return s
		}
		if m.Now() > end {
			return score{done: true, trouble: "it was not over a minute after its time"}
		}
	}
	if err := m.Err(); err != nil {
		s.trouble = err.Error()
	}
	s.done = true
	s.read(cfg, m, seed)
	return s
}

// read takes the figures of a match.
func (s *score) read(cfg *Config, m *match.Match, seed uint64) {
	var v match.View
	m.View(&v)
	s.played = v.Tally.Played
	for i, side := range cfg.sides(seed) {
		s.teams[i] = *v.Tally.Team(side)
		s.broken[i] = map[autoref.Rule]int{}
		for _, rule := range autoref.Rules() {
			if n := m.Referee().Count(side, rule); n > 0 {
				s.broken[i][rule] = n
			}
		}
		for k := range v.Broken {
			if b := &v.Broken[k]; b.Side == side {
				s.example = append(s.example, Broken{Seed: seed, Team: cfg.team(i).Name, At: b.Time.Sub(soccer.Epoch).Seconds(), Broken: *b})
			}
		}
	}
	s.stuck = m.Referee().Stuck()
}

// team returns the first team or the second one.
func (c *Config) team(i int) *match.Team {
	if i == 0 {
		return &c.One
	}
	return &c.Other
}

// where returns the place of a panic: the first function of this module in a stack below the call of panic, and its file.
func where(stack []byte) string {
	_, below, _ := strings.Cut(string(stack), "panic(")
	ours := false
	var folder string
	for line := range strings.Lines(below) {
		if !ours {
			if ours = strings.HasPrefix(line, "touchline/"); ours {
				name, _, _ := strings.Cut(line, "(")
				slash := strings.LastIndex(name, "/")
				folder, _, _ = strings.Cut(name[slash+1:], ".")
				folder = name[:slash+1] + folder
			}
			continue
		}
		file, _, _ := strings.Cut(strings.TrimSpace(line), " +0x")
		return path.Join(folder, path.Base(filepath.ToSlash(file)))
	}
	return "an unknown place"
}
