package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/match/matchnet"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/teamcom"
)

// Squads are the crews of both teams of a match in real time, each robot in a process of its own. They are its
// matchnet.Robots.
type Squads struct{ crews [2]*Crew }

// OfMatch returns the crews of a match that leaves its robots to other processes; those of external teams are empty.
// errs receives what the robots log.
func OfMatch(live *matchnet.Live, log *slog.Logger, errs io.Writer) (*Squads, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program does not find its own file to start robots: %w", err)
	}
	s := new(Squads)
	cfg := live.Config().Match
	for i, side := range game.Sides {
		team := cfg.Team(side)
		var wanted soccer.RobotSet
		for n := 1; n <= team.Robots && !team.External; n++ {
			wanted = wanted.With(uint8(n))
		}
		s.crews[i] = New(Config{
			Program: program, Args: []string{
				"--field", live.Field(side).String(), "--team", string(side), "--plays", team.Name,
				"--size", fmt.Sprintf("%.0fx%.0f", cfg.Field.Length, cfg.Field.Width), "--seed", strconv.FormatUint(cfg.Seed, 10),
			},
			Wanted: func() soccer.RobotSet { return wanted }, Errors: errs,
			Mark: func(kind string, number uint8, text string) { live.Note(kind, number, string(side)+" "+text) },
			Air:  func(number uint8) robotnet.Air { return live.Air(side, number) },
		}, log.With("team", side))
	}
	live.Attach(s)
	return s, nil
}

// Run runs the robots until ctx ends.
func (s *Squads) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, c := range s.crews {
		group.Go(func() error { return c.Run(ctx) })
	}
	return group.Wait()
}

// Kill kills the process of a robot: a crash. It returns false if none runs.
func (s *Squads) Kill(side game.Side, number uint8) bool { return s.crews[side.Index()].Kill(number) }

// Reports returns what the nodes of the robots of a team measured.
func (s *Squads) Reports(side game.Side) []teamcom.Report { return s.crews[side.Index()].Reports() }

// Timings returns how well the loops of the running robots keep their periods.
func (s *Squads) Timings() (all []matchnet.Timing) {
	for i, c := range s.crews {
		c.mu.Lock()
		for _, number := range slices.Sorted(maps.Keys(c.reports)) {
			all = append(all, matchnet.Timing{Side: game.Sides[i], Number: number, Timing: c.reports[number].Loop})
		}
		c.mu.Unlock()
	}
	return all
}

// CPU returns the processor time that the processes used, those that ended included.
func (s *Squads) CPU() (used time.Duration) {
	for _, c := range s.crews {
		c.mu.Lock()
		used += c.used
		for _, l := range c.reports {
			used += cpu(l)
		}
		c.mu.Unlock()
	}
	return used
}

// cpu returns the processor time of a process.
func cpu(l line) time.Duration { return time.Duration(l.CPU * float64(time.Second)) }
