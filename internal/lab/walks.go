package lab

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/sim"
	"touchline/soccer"
)

// WalksScenario describes games of one kind.
type WalksScenario struct {
	Name, About string
	Field       soccer.Field
	Slip        sim.Slip
	Camera      sim.LineCamera
	FOV         float64 // rad
	Speed       float64 // m/s at most
	Pull        float64 // m/s^2, acceleration at most
	Turn        float64 // rad/s at most
	Kidnaps     bool    // after 20 and 40 s somebody carries the robot away
	Unplaced    bool    // nobody tells the pose at the start
	Mates       bool    // four teammates tell which robots they see
	Compass     bool    // the robot has one, exact to 0.3 rad
}

// sided reports whether something tells a place from the opposite one.
func (s *WalksScenario) sided() bool { return s.Mates || s.Compass || !s.Unplaced && !s.Kidnaps }

// WalksScenarios returns all scenarios.
func WalksScenarios() []WalksScenario {
	base := WalksScenario{
		Field: soccer.MSL18x12(), Slip: sim.DefaultSlip(), Camera: sim.DefaultLineCamera(), FOV: 2 * math.Pi,
		Speed: 2, Pull: 2.5, Turn: 2,
	}
	var all []WalksScenario
	add := func(name, about string, change func(*WalksScenario)) {
		s := base
		s.Name, s.About = name, about
		change(&s)
		all = append(all, s)
	}
	add("nominal", "drives at up to 2 m/s", func(*WalksScenario) {})
	add("fast", "drives at up to 4 m/s, starts and stops with 4 m/s^2, turns with up to 4 rad/s", func(s *WalksScenario) {
		s.Speed, s.Pull, s.Turn = 4, 4, 4
	})
	add("slip", "fast, and the wheels slip three times as much", func(s *WalksScenario) {
		s.Speed, s.Pull, s.Turn = 4, 4, 4
		s.Slip.Scale, s.Slip.ScaleTurn, s.Slip.Noise, s.Slip.NoiseTurn, s.Slip.Rate = 0.045, 0.045, 0.03, 0.03, 6
	})
	add("noisy", "line points with twice the noise, half of them missed, and 15 false ones", func(s *WalksScenario) {
		c := &s.Camera
		c.SigmaBase, c.SigmaRange, c.SigmaBearing = 2*c.SigmaBase, 2*c.SigmaRange, 2*c.SigmaBearing
		c.Miss, c.False = 1, 15
	})
	add("tilt", "a camera that shakes by half a degree and measures distances wrong by 3 %", func(s *WalksScenario) {
		s.Camera.Tilt, s.Camera.Scale = 0.5*math.Pi/180, 0.03
	})
	add("near", "a camera that sees lines up to 2.5 m away", func(s *WalksScenario) { s.Camera.Range = 2.5 })
	add("ahead", "a camera that sees 90 degrees ahead", func(s *WalksScenario) { s.FOV = math.Pi / 2 })
	add("large", "a field of 22 x 14 m", func(s *WalksScenario) { s.Field = soccer.MSL22x14() })
	add("unplaced", "nobody tells the pose at the start", func(s *WalksScenario) { s.Unplaced = true })
	add("kidnap", "somebody carries the robot away, twice", func(s *WalksScenario) { s.Kidnaps = true })
	add("kidnap-mates", "kidnap; four teammates tell which robots they see", func(s *WalksScenario) {
		s.Kidnaps, s.Mates = true, true
	})
	add("kidnap-compass", "kidnap; a compass that is exact to 0.3 rad", func(s *WalksScenario) { s.Kidnaps, s.Compass = true, true })
	return all
}

// WalksFind returns the scenarios with these names; all of them for none.
func WalksFind(names []string) ([]WalksScenario, error) {
	all := WalksScenarios()
	if len(names) == 0 {
		return all, nil
	}
	var found []WalksScenario
	for _, name := range names {
		i := slices.IndexFunc(all, func(s WalksScenario) bool { return s.Name == name })
		if i < 0 {
			var known []string
			for _, s := range all {
				known = append(known, s.Name)
			}
			return nil, fmt.Errorf("%.40q is none: want %s", name, strings.Join(known, ", "))
		}
		found = append(found, all[i])
	}
	return found, nil
}

// WalksConfig says what Run plays.
type WalksConfig struct {
	Scenarios []WalksScenario
	First     uint64        // seed
	Seeds     int           // games of each scenario
	Length    time.Duration // of a game
}

// DefaultWalksConfig returns all scenarios, with 20 seeds from 101 on that no default was tuned on.
func DefaultWalksConfig() WalksConfig {
	return WalksConfig{Scenarios: WalksScenarios(), First: 101, Seeds: 20, Length: time.Minute}
}

// WalksResult holds the figures of one estimator in one scenario.
type WalksResult struct {
	Scenario  string `json:"scenario"`
	Estimator string `json:"estimator"`
	WalksFigures
}

// WalksRun plays the games, several at a time, and passes on the results of each scenario when it is done.
func WalksRun(ctx context.Context, cfg WalksConfig, report func([]WalksResult)) error {
	for i := range cfg.Scenarios {
		s := &cfg.Scenarios[i]
		games, errs := make([][]WalksScore, cfg.Seeds), make([]error, cfg.Seeds)
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for n := range cfg.Seeds {
			group.Go(func() error {
				if ctx.Err() == nil {
					games[n], errs[n] = walksPlay(s, cfg.First+uint64(n), cfg.Length)
				}
				return nil
			})
		}
		_ = group.Wait() // errs has the errors, in the order of the seeds
		if err := cmp.Or(append([]error{ctx.Err()}, errs...)...); err != nil {
			return err
		}
		var results []WalksResult
		for k, name := range estimatorNames() {
			var sum WalksScore
			for n := range games {
				sum.add(&games[n][k])
			}
			results = append(results, WalksResult{Scenario: s.Name, Estimator: name, WalksFigures: sum.figures()})
		}
		report(results)
	}
	return nil
}

// Print prints the results of a scenario as a row of the table in docs/world.md, with its head before the first one.
// Errors are the median and those that 68 % and 95 % of all do not exceed.
func Print(out io.Writer, results []WalksResult, first bool) {
	if first {
		fmt.Fprintln(out, "| scenario | position m: ours | Tribots | odometry | heading rad: ours | Tribots | odometry | NEES "+
			"| known % | turned % | found % | after s (p90) |")
		fmt.Fprintln(out, "|"+strings.Repeat("---|", 12))
	}
	fmt.Fprintf(out, "| %s |", results[0].Scenario)
	for i := range results {
		printErrors(out, "%.3f %.3f %.3f", &results[i], results[i].Median, results[i].Sigma, results[i].P95)
	}
	for i := range results {
		printErrors(out, "%.4f %.4f %.4f", &results[i], results[i].Turn, results[i].TurnSig, results[i].Turn95)
	}
	r := &results[0]
	fmt.Fprintf(out, " %.1f | %.1f | %.1f |", r.NEES, r.Known, r.Turned)
	if r.Searches == 0 {
		fmt.Fprintln(out, " - | - |")
		return
	}
	fmt.Fprintf(out, " %.0f | %.2f (%.2f) |\n", r.Share, r.Again, r.Again90)
}

func printErrors(out io.Writer, format string, r *WalksResult, values ...any) {
	if r.Known == 0 {
		fmt.Fprint(out, " - |")
		return
	}
	fmt.Fprintf(out, " "+format+" |", values...)
}
