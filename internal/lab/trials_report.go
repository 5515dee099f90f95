package lab

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"
)

// TrialsConfig says what Run plays.
type TrialsConfig struct {
	Source    Source
	Scenarios []Scenario
	First     uint64 // seed
	Seeds     int    // games of each scenario
	Length    time.Duration
}

// DefaultTrialsConfig returns all scenarios of the generator, with the 40 seeds from 101 on that no default was tuned on.
func DefaultTrialsConfig() TrialsConfig {
	return TrialsConfig{Source: Generator, Scenarios: Scenarios(Generator), First: 101, Seeds: 40, Length: time.Minute}
}

// Result holds the figures of one estimator in one scenario.
type Result struct {
	Source    Source `json:"source"`
	Scenario  string `json:"scenario"`
	Estimator string `json:"estimator"`
	TrialsFigures
	Naming *NamingFigures `json:"naming,omitempty"` // of estimators that say which robots are faulty
	Flight *FlightFigures `json:"flight,omitempty"` // where the ball flies
}

// TrialsRun plays the games, several at a time, and passes on the results of each scenario when it is done.
func TrialsRun(ctx context.Context, cfg TrialsConfig, report func([]Result)) error {
	play := playGame
	if cfg.Source == Simulator {
		play = playSession
	}
	for i := range cfg.Scenarios {
		s := &cfg.Scenarios[i]
		games, errs := make([][]Score, cfg.Seeds), make([]error, cfg.Seeds)
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for n := range cfg.Seeds {
			group.Go(func() error {
				if ctx.Err() == nil {
					games[n], errs[n] = play(ctx, s, cfg.First+uint64(n), cfg.Length)
				}
				return nil
			})
		}
		_ = group.Wait() // errs has the errors, in the order of the seeds
		if err := cmp.Or(append([]error{ctx.Err()}, errs...)...); err != nil {
			return err
		}
		report(results(cfg.Source, s, games))
	}
	return nil
}

// results adds up the scores of games.
func results(source Source, s *Scenario, games [][]Score) []Result {
	var all []Result
	for k, e := range estimators(source, s) {
		var sum Score
		for n := range games {
			sum.add(&games[n][k])
		}
		r := Result{Source: source, Scenario: s.Name, Estimator: e.name, TrialsFigures: sum.figures()}
		if _, names := e.Estimator.(*ours); names {
			r.Naming = new(sum.Naming.figures())
		}
		if sum.Aloft > 0 {
			r.Flight = new(sum.Flight.figures(sum.Moments))
		}
		all = append(all, r)
	}
	return all
}
