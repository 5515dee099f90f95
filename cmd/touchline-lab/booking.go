package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/internal/console"
	"touchline/internal/lab"
	"touchline/internal/lab/explore"
)

// flags are the flags of the command.
type flags struct {
	cfg      lab.RivalsConfig
	protocol string
	scene    string
	seconds  float64
	json     bool
	table    bool
	page     bool
	check    bool
	n        int // robots of the check
}

// bookingCommand returns the command booking.
func bookingCommand() *cobra.Command {
	f := flags{cfg: lab.DefaultRivalsConfig(), n: 3}
	f.protocol, f.scene, f.seconds = string(f.cfg.Protocol), string(f.cfg.Scene), f.cfg.Length.Seconds()
	c := &cobra.Command{
		Use:   "booking",
		Short: "Measure ball booking against other protocols",
		Long: `Booking plays games of robots that book the ball on a lossy network, in virtual time. The booker drives to
the ball and the others support it; the ball is kicked every few seconds, and the booker crashes every 15 s for 5 s.
It measures how long two robots, or none, go to the ball, and how soon a crashed booker is replaced. The same seeds
give the same figures. docs/booking.md explains them.

With --check it visits every state that a team of 3 or 4 robots can reach with the lease, checks the guarantees in
each, and shows how the protocol as printed in the paper never settles. The exit code is 1 if a guarantee does not
hold.

Protocols:
  lease     the protocol that the robots use
  budget    the lease for a team limited to 1,200 messages a game: it sends little unless something changes
  literal   the protocol as printed in the TeamChaos paper
  nearest   each robot sends its distance, and the nearest one goes: mitecom's rule
  auction   the consensus-based bundle algorithm for one task; cbba is the same

Scenes:
  match     the game described above
  lockstep  as match, but all robots start together and their control cycles coincide
  equal     the robots stand at equal distances from a ball at rest, and nothing happens`,
		Example: `  touchline-lab booking --protocol lease --loss 0.3 --burst 5 --robots 4 --seeds 1000 --json
  touchline-lab booking --check -n 4
  touchline-lab booking --page
  touchline-lab booking --table --seeds 100
  touchline-lab booking --scene equal --robots 2 --seconds 600 --seeds 20 --loss 0`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.check {
				if f.n < 3 || f.n > explore.MaxRobots {
					return console.Usage(fmt.Errorf("-n %d: want 3 or %d robots", f.n, explore.MaxRobots))
				}
				return check(c.Context(), f.n, f.json, c.OutOrStdout(), c.ErrOrStderr())
			}
			batches, err := f.prepare(c.Flags())
			if err != nil {
				return console.Usage(err)
			}
			if f.page {
				return serveChart(c.Context(), batches, c.OutOrStdout())
			}
			return f.run(c.Context(), batches, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f.add(c.Flags())
	return c
}

func (f *flags) add(set *pflag.FlagSet) {
	cfg := &f.cfg
	set.StringVar(&f.protocol, "protocol", f.protocol, "lease, budget, literal, nearest or auction (cbba)")
	set.Float64Var(&cfg.Loss, "loss", cfg.Loss, "share of datagrams lost on the way to each receiver, from 0 to below 1")
	set.Float64Var(&cfg.Burst, "burst", cfg.Burst, "mean number of datagrams lost in a row; up to 1: independent losses")
	set.IntVar(&cfg.Robots, "robots", cfg.Robots, "robots of the team, 2 to 16")
	set.IntVar(&cfg.Seeds, "seeds", cfg.Seeds, "games, each with its own seed")
	set.Uint64Var(&cfg.First, "first", cfg.First, "first seed")
	set.Float64Var(&f.seconds, "seconds", f.seconds, "length of a game in seconds")
	set.StringVar(&f.scene, "scene", f.scene, "what happens: match, lockstep or equal")
	set.BoolVar(&f.table, "table", false,
		"print Markdown rows for all protocols and the networks of docs/booking.md, or for those given by flags")
	set.BoolVar(&f.json, "json", false, "print the figures as JSON")
	set.BoolVar(&f.check, "check", false, "visit all states that a small team can reach, and check the guarantees in each")
	set.IntVarP(&f.n, "n", "n", f.n, "robots of --check, 3 or 4")
	set.BoolVar(&f.page, "page", false, "show a chart of the protocols against the loss in the browser, with 100 seeds each")
	console.Accept(set, "a share from 0 to below 1, for example 0.3", "loss")
	console.Accept(set, "a number of datagrams, for example 5, or 0 for independent losses", "burst")
	console.Accept(set, "a number of seconds, for example 120", "seconds")
}

// networks are those of the table: loss and burst.
var networks = [][2]float64{{0, 0}, {0.3, 0}, {0.3, 5}, {0.5, 0}}

// prepare checks the flags and returns the batches to play.
func (f *flags) prepare(set *pflag.FlagSet) ([]lab.RivalsConfig, error) {
	if f.json && f.table || f.page && (f.json || f.table) {
		return nil, errors.New("--page, --table and --json: want one of them")
	}
	name := lab.RivalsName(f.protocol)
	if name == "cbba" {
		name = lab.Auction
	}
	if !slices.Contains(lab.Names(), name) {
		return nil, fmt.Errorf("--protocol %.40q: want lease, budget, literal, nearest or auction (cbba)", f.protocol)
	}
	if f.cfg.Scene = lab.Scene(f.scene); !slices.Contains(lab.Scenes(), f.cfg.Scene) {
		return nil, fmt.Errorf("--scene %.40q: want match, lockstep or equal", f.scene)
	}
	if !(f.seconds >= 1 && f.seconds <= 3600) {
		return nil, fmt.Errorf("--seconds %v: want 1 to 3600, for example 120", f.seconds)
	}
	f.cfg.Protocol, f.cfg.Length = name, time.Duration(f.seconds*float64(time.Second))
	names, nets := []lab.RivalsName{name}, [][2]float64{{f.cfg.Loss, f.cfg.Burst}}
	if f.table && !set.Changed("protocol") {
		names = lab.Names()
	}
	if f.table && !set.Changed("loss") && !set.Changed("burst") {
		nets = networks
	}
	if f.page {
		names, nets = f.chart(set, names)
	}
	var batches []lab.RivalsConfig
	for _, net := range nets {
		for _, n := range names {
			cfg := f.cfg
			cfg.Protocol, cfg.Loss, cfg.Burst = n, net[0], net[1]
			if err := cfg.Validate(); err != nil {
				return nil, fmt.Errorf("--%w", err)
			}
			batches = append(batches, cfg)
		}
	}
	return batches, nil
}

// run plays the batches and prints their figures.
func (f *flags) run(ctx context.Context, batches []lab.RivalsConfig, out, errs io.Writer) error {
	last := time.Now()
	for i, cfg := range batches {
		r, err := lab.RivalsRun(ctx, cfg, func(done int) {
			if time.Since(last) > 2*time.Second {
				last = time.Now()
				fmt.Fprintf(errs, "%s: %d of %d games\n", cfg.Protocol, done, cfg.Seeds)
			}
		})
		if err = console.Interrupted(err, r.Seeds, cfg.Seeds, "games"); err != nil && r.Seeds == 0 {
			return err
		}
		switch {
		case f.json:
			err = errors.Join(err, console.PrintJSON(out, r))
		case f.table:
			printRow(out, r, i == 0)
		default:
			printReport(out, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// printRow prints a row of the table in docs/booking.md, with the head of the table before the first one.
func printRow(out io.Writer, r lab.RivalsReport, first bool) {
	if first {
		fmt.Fprintln(out, "| loss | protocol | double % | zero % | wrong % | farther % | hand-overs/min | crash gap p50, p99, max ms "+
			"| messages/(robot s) |")
		fmt.Fprintln(out, "|"+strings.Repeat("---|", 9))
	}
	fmt.Fprintf(out, "| %s | %s | %.3f ± %s | %.2f ± %s | %.3f ± %s | %.2f ± %s | %.1f ± %s | %.0f, %.0f, %.0f | %.2f |\n",
		network(r), r.Protocol, r.Double, half(r.DoubleCI, 3), r.Zero, half(r.ZeroCI, 2), r.Wrong, half(r.WrongCI, 3),
		r.Farther, half(r.FartherCI, 2), r.Handovers, half(r.HandoversCI, 1), r.Gap.P50, r.Gap.P99, r.Gap.Max, r.Messages)
}

// half returns half the width of an interval as text.
func half(r lab.Range, digits int) string {
	if r == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f", digits, (r[1]-r[0])/2)
}

// fromTo returns an interval as text.
func fromTo(r lab.Range, digits int) string {
	if r == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f to %.*f", digits, r[0], digits, r[1])
}

func network(r lab.RivalsReport) string {
	if r.Burst > 1 {
		return fmt.Sprintf("%.0f %%, bursts of %.0f", 100*r.Loss, r.Burst)
	}
	return fmt.Sprintf("%.0f %%", 100*r.Loss)
}

func printReport(out io.Writer, r lab.RivalsReport) {
	fmt.Fprintf(out, "%s: %d games of %.0f s, %d robots, loss %s\n", r.Protocol, r.Seeds, r.Seconds, r.Robots, network(r))
	line := func(what, unit string, mean float64, ci lab.Range) {
		fmt.Fprintf(out, "%-42s %8.3f %-6s (95 %%: %s)\n", what, mean, unit, fromTo(ci, 3))
	}
	line("one robot goes to the ball", "%", r.One, r.OneCI)
	line("two or more", "%", r.Double, r.DoubleCI)
	line("none", "%", r.Zero, r.ZeroCI)
	line("one goes that is farther by more than 1 m", "%", r.Wrong, r.WrongCI)
	line("by more than 0.3 m", "%", r.Farther, r.FartherCI)
	line("hand-overs", "1/min", r.Handovers, r.HandoversCI)
	line("messages of a robot", "1/s", r.Messages, r.MessagesCI)
	fmt.Fprintf(out, "messages of the team in a game of 20 min: %.0f\n", r.PerGame)
	fmt.Fprintf(out, "from the start to one booker for all: median %.0f ms, most %.0f ms; later than 150 ms: %.1f %% of the games",
		r.Start.P50, r.Start.Max, r.Start.Late)
	if r.Start.Never > 0 {
		fmt.Fprintf(out, "; in %d games never", r.Start.Never)
	}
	fmt.Fprintln(out)
	if r.Gap.Crashes > 0 {
		fmt.Fprintf(out, "from a crash to the next booker: median %.0f ms, p99 %.0f ms (95 %%: %s), most %.0f ms of %d\n",
			r.Gap.P50, r.Gap.P99, fromTo(r.Gap.P99CI, 0), r.Gap.Max, r.Gap.Crashes)
	}
}
