// Package lab holds batches of runs that are too long for a test: what they measure is printed by touchline lab.
package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// KillConfig says how a referee box is killed.
type KillConfig struct {
	Program  string        // touchline's binary
	Kills    int           // default 1000
	PerGame  int           // kills in one game: the log of a game grows, and is read after each; default 20
	Seed     uint64        // of the game and of the moments; default 1
	Rate     int           // worldstates a second of each of two base stations; default 100
	Takeover time.Duration // that a restart may take until the port is open and the state is served; default 3 s
	Dir      string        // for the logs: a folder of its own for each game, removed unless something failed; "" a temporary one
}

// DefaultKillConfig returns what touchline lab refbox-kill does.
func DefaultKillConfig() KillConfig {
	return KillConfig{Kills: 1000, PerGame: 20, Seed: 1, Rate: 100, Takeover: 3 * time.Second}
}

// failures is what is wrong.
type failures struct {
	Failed   int      `json:"failed"`
	Failures []string `json:"failures"` // the first 20
}

func (f *failures) fail(format string, args ...any) {
	f.Failed++
	if len(f.Failures) < 20 {
		f.Failures = append(f.Failures, fmt.Sprintf(format, args...))
	}
}

// KillReport is what came of it. Everything that is wrong counts in Failed and is one of Failures.
type KillReport struct {
	Kills       int `json:"kills"`
	Games       int `json:"games"`
	Decisions   int `json:"decisions"`   // acknowledged: answered with 200
	Refused     int `json:"refused"`     // by the rules
	Unanswered  int `json:"unanswered"`  // cut off by a kill; Unasked of them are in the journal
	Unasked     int `json:"unasked"`     // decisions that were on the disk before anybody was told
	AtStart     int `json:"atStart"`     // kills while the box started
	Torn        int `json:"torn"`        // logs whose end was cut off
	Worldstates int `json:"worldstates"` // in the logs
	Commands    int `json:"commands"`    // that both base stations heard
	StopsAhead  int `json:"stopsAhead"`  // repeated STOPs, which change nothing, that a team heard before they were written
	failures
	StartMillis  Spread `json:"startMillis"`  // from the start of the program to the open port and the served state
	DecideMillis Spread `json:"decideMillis"` // from the request to its answer
}

// Spread is how a figure is spread.
type Spread struct {
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
	Most   float64 `json:"most"`
}

func spread(all []float64) (s Spread) {
	if len(all) == 0 {
		return s
	}
	all = slices.Sorted(slices.Values(all))
	at := func(q float64) float64 { return all[int(q*float64(len(all)-1))] }
	return Spread{at(0.5), at(0.95), at(0.99), all[len(all)-1]}
}

// folder returns the folder for the logs: Dir, or a temporary one.
func (cfg *KillConfig) folder(name string) (string, error) {
	if cfg.Dir != "" {
		return cfg.Dir, nil
	}
	return os.MkdirTemp("", name)
}

// Kill plays games with a referee box, kills it with SIGKILL at random moments, starts it again, and compares what is
// there with what was acknowledged. progress is called after each kill. An interrupted batch reports what it has. The error
// says why it could not go on, or that something was lost.
func Kill(ctx context.Context, cfg KillConfig, progress func(*KillReport)) (*KillReport, error) {
	report := &KillReport{failures: failures{Failures: []string{}}}
	dir, err := cfg.folder("refbox-kill")
	if err != nil {
		return report, err
	}
	if dir != cfg.Dir {
		defer os.Remove(dir) // only an empty one
	}
	var starts, answers []float64
	for report.Kills < cfg.Kills && ctx.Err() == nil {
		before := report.Failed
		g := &killing{
			cfg: &cfg, report: report, dir: filepath.Join(dir, fmt.Sprintf("game-%04d", report.Games)),
			random: rand.New(rand.NewPCG(cfg.Seed, uint64(report.Games))),
		}
		report.Games++
		err := g.run(ctx, min(cfg.PerGame, cfg.Kills-report.Kills), func() {
			report.StartMillis, report.DecideMillis = spread(append(starts, g.starts...)), spread(append(answers, g.answers...))
			progress(report)
		})
		starts, answers = append(starts, g.starts...), append(answers, g.answers...)
		if err != nil && !ended(ctx) {
			return report, fmt.Errorf("game %d, seed %d, folder %s: %w", report.Games-1, cfg.Seed, g.dir, err)
		}
		if report.Failed == before {
			if err := os.RemoveAll(g.dir); err != nil {
				return report, err
			}
		}
	}
	report.StartMillis, report.DecideMillis = spread(starts), spread(answers)
	if report.Failed > 0 {
		return report, errors.New("something was lost or broken: see the failures")
	}
	return report, nil
}

// ended reports whether the batch was interrupted. A Ctrl-C ends the box, too, and that may be noticed first.
func ended(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-time.After(300 * time.Millisecond):
		return false
	}
}
