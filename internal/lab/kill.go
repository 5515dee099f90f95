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

// KillConfig describes a batch that kills referee boxes.
type KillConfig struct {
	Program  string        // path of the program touchline
	Kills    int           // default 1000
	PerGame  int           // kills in one game, whose growing log is read after each; default 20
	Seed     uint64        // of games and kill times; default 1
	Rate     int           // worldstates a second of each base station; default 100
	Takeover time.Duration // limit for a restart until the port is open and the state is served; default 3 s
	Dir      string        // folder for the logs, a subfolder a game, removed unless something failed; default "": a temporary one
}

// DefaultKillConfig returns the defaults of touchline-lab refbox-kill.
func DefaultKillConfig() KillConfig {
	return KillConfig{Kills: 1000, PerGame: 20, Seed: 1, Rate: 100, Takeover: 3 * time.Second}
}

// failures collects what went wrong.
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

// KillReport is the report of Kill. Every fault counts in Failed and is among Failures.
type KillReport struct {
	Kills       int `json:"kills"`
	Games       int `json:"games"`
	Decisions   int `json:"decisions"`   // acknowledged: answered with 200
	Refused     int `json:"refused"`     // by the rules
	Unanswered  int `json:"unanswered"`  // interrupted by a kill
	Unasked     int `json:"unasked"`     // of Unanswered: in the journal
	AtStart     int `json:"atStart"`     // kills while the box started
	Torn        int `json:"torn"`        // logs with a torn end
	Worldstates int `json:"worldstates"` // in the logs
	Commands    int `json:"commands"`    // received by both base stations
	StopsAhead  int `json:"stopsAhead"`  // repeated STOPs, which change nothing, received before they were written
	failures
	StartMillis  Spread `json:"startMillis"`  // from the start of the program to the open port and the served state
	DecideMillis Spread `json:"decideMillis"` // from the request to its answer
}

// Spread is the distribution of a measurement.
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

// Kill plays games with a referee box, kills it with SIGKILL at random times, starts it again, and compares the log
// with the acknowledged decisions. It calls progress after each kill. The error tells why the batch ended early, or that
// something was lost. When ctx ends, it returns the report so far, and the cause.
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
			report.StartMillis, report.DecideMillis = spread(append(starts, g.starts...)), spread(append(answers,
				g.answers...))
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
		return report, errors.New("something was lost or broken: see the failures in the report")
	}
	if report.Kills < cfg.Kills {
		return report, ctx.Err()
	}
	return report, nil
}

// ended reports whether the batch was interrupted. Ctrl-C also ends the box, which may be noticed first.
func ended(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-time.After(300 * time.Millisecond):
		return false
	}
}
