package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/stat"
)

// batchFlags are the flags of the commands that make their plan themselves.
type batchFlags struct {
	matrix batch.Matrix
	field  string
	faults []string
	dir    string
	page   pageFlags
	playerFlags
}

func newBatchFlags(name string) batchFlags {
	f := batchFlags{matrix: batch.DefaultMatrix()}
	f.matrix.Name = name
	return f
}

func (f *batchFlags) add(set *pflag.FlagSet) {
	m := &f.matrix
	set.Uint64Var(&m.First, "seed", m.First, "first seed; each pair of matches takes the next one")
	set.DurationVar(&m.Half, "half", m.Half, "length of each half, 1s to 1h in whole seconds")
	set.StringVar(&f.field, "field", "18x12", "size of the MSL field in m: 18x12 or 22x14")
	addLink(set, &m.Networks[0].Link)
	set.StringArrayVar(&f.faults, "fault", nil, "inject a fault in each match, as in touchline match; may be repeated")
	set.BoolVar(&m.Mixed, "mixed", false, "robots also send mixed team packages to their teammates")
	set.BoolVar(&m.Localise, "localise", false, "robots localise themselves, which takes four times as long")
	set.StringVar(&f.dir, "dir", "", "keep the results in this folder, and play no match twice (default: results are not kept)")
	f.playerFlags.add(set)
	addBatchPage(set, &f.page)
	console.Accept(set, "whole seconds from 1s to 1h, for example 60s", "half")
}

// plan returns the plan of the flags. read reads the files of state machines; nil: those of this folder.
func (f *batchFlags) plan(read func(string) ([]byte, error)) (*batch.Plan, float64, error) {
	if err := f.check(); err != nil {
		return nil, 0, err
	}
	m := &f.matrix
	m.Fields = []string{f.field}
	m.Faults[0].Faults = []match.Fault{}
	for _, text := range f.faults {
		fault, err := match.ParseFault(text)
		if err != nil {
			return nil, 0, console.Usage(fmt.Errorf("--fault %w", err))
		}
		m.Faults[0].Faults = append(m.Faults[0].Faults, fault)
	}
	program, slower := thisProgram()
	plan, err := batchnet.NewPlan(*m, program, ".", read)
	if err != nil {
		return nil, 0, console.Usage(err)
	}
	return plan, slower, f.plays(plan)
}

// folder opens the folder of --dir; nil without it.
func (f *batchFlags) folder(plan *batch.Plan) (*batchnet.Folder, error) {
	if f.dir == "" {
		return nil, nil
	}
	folder, err := batchnet.OpenFolder(f.dir, plan)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--dir: %w", err))
	}
	return folder, nil
}

// batchCompareFlags are the flags of batch compare.
type batchCompareFlags struct {
	batchFlags
	test  stat.SPRT
	pairs int
	json  bool
}

// mostFailed is the number of pairs that may fail before the first one that counts.
const mostFailed = 10

// mostPairs is the number of pairs in the plan of a comparison: one with more --pairs goes on in the same --dir.
const mostPairs = 100_000

// batchCompared is what batch compare --json prints.
type batchCompared struct {
	A        string                `json:"a"`
	B        string                `json:"b"`
	Matches  int                   `json:"matches"` // that count, two a pair
	Pairs    stat.Pairs            `json:"pairs"`   // by the points of B in both matches: 0, 0.5, 1, 1.5, 2
	Won      int                   `json:"won"`     // by B
	Drawn    int                   `json:"drawn"`
	Lost     int                   `json:"lost"`
	Score    float64               `json:"score"`    // mean points of B in a match
	Elo      *float64              `json:"elo"`      // of B above A; null: all was won or lost
	Interval *stat.Interval        `json:"interval"` // 95 %, of the Elo; null: too few matches, or it has no end
	Test     stat.SPRT             `json:"test"`
	LLR      float64               `json:"llr"` // logarithm of the likelihood ratio
	Lower    float64               `json:"lower"`
	Upper    float64               `json:"upper"`
	Verdict  stat.Verdict          `json:"verdict"`
	Failed   int                   `json:"failed"` // pairs with a match that did not end; they do not count
	Figures  []analysis.Difference `json:"figures"`

	a, b [][]float64 // figures of a match, mean of each pair, by figure
}

func batchCompareCommand() *cobra.Command {
	f := batchCompareFlags{
		batchFlags: newBatchFlags("compare"), test: stat.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05}, pairs: 20_000,
	}
	f.matrix.Seeds = mostPairs
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Play two teams against each other until it is clear whether B is better than A",
		Long: `Compare plays pairs of matches with the same seed and swapped sides. It stops as soon as the points show
whether B is stronger than A by --elo1 points of Elo, or by no more than --elo0. This is a sequential probability
ratio test, wrong in 5 of 100 cases each way; it needs about half the matches of a test with a fixed length. It then
prints how the figures besides the score changed. A and B are built-in teams, state machine files, or your own
programs (program:COMMAND).

A difference of 10 Elo points (51.4 % of the points) takes thousands of matches; 100 Elo points (64 %) take a few
dozen. Set --elo1 to the gain that you hope for.

With --nats the matches are played by touchline worker --nats, on any number of machines. The verdict is the same,
byte for byte. The servers keep the results: after Ctrl-C or a kill, run the same command again to continue.

The exit code is 0 if B is better, and 1 if it is not or if --pairs was not enough to decide.`,
		Example: `  touchline batch compare touchline-nobooking touchline --elo1 50
  touchline batch compare touchline new.json --elo0 0 --elo1 30 --loss 0.1 --yes
  touchline batch compare touchline new.json --elo1 30 --nats nats://10.0.0.5:4222 --credentials fleet.key`,
		Args: console.Args(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.add(c.Flags())
	c.Flags().Float64Var(&f.test.Elo0, "elo0", f.test.Elo0, "call B no better if it is stronger by at most this many Elo points")
	c.Flags().Float64Var(&f.test.Elo1, "elo1", f.test.Elo1, "call B better if it is stronger by this many Elo points, more than --elo0")
	c.Flags().IntVar(&f.pairs, "pairs", f.pairs, "play at most this many pairs of matches")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as JSON")
	console.Accept(c.Flags(), "a whole number from 1 to 100000, for example 200", "pairs")
	return c
}

func (f *batchCompareFlags) run(c *cobra.Command, args []string) error {
	if t := &f.test; !(t.Elo0 >= -1000 && t.Elo1 <= 1000 && t.Elo0+1 <= t.Elo1) {
		return console.Usage(fmt.Errorf("--elo0 %g --elo1 %g: want numbers from -1000 to 1000, the second larger by at least 1",
			t.Elo0, t.Elo1))
	}
	if f.pairs < 1 || f.pairs > mostPairs {
		return console.Usage(fmt.Errorf("--pairs %d: want 1 to %d", f.pairs, mostPairs))
	}
	f.matrix.Teams, f.matrix.Against = []string{teamOf(args[1])}, []string{teamOf(args[0])}
	if f.matrix.Teams[0] == f.matrix.Against[0] {
		return console.Usage(fmt.Errorf("%s and %s are the same team: name two teams", args[0], args[1]))
	}
	plan, slower, err := f.plan(nil)
	if err != nil {
		return err
	}
	folder, err := f.folder(plan)
	if err != nil {
		return err
	}
	const variance = 0.07 // of a pair's mean points, as the built-in teams have it
	pairs := min(f.test.FixedPairs(variance), f.pairs)
	jobs := plan.AppendSeed(nil, 0)
	if err := f.ask(c, float64(pairs)*batch.Total(jobs)*slower, fmt.Sprintf("up to %d pairs of matches", pairs)); err != nil {
		return err
	}
	p, err := f.open(c)
	if err != nil {
		return err
	}
	defer p.close()
	r := newCompared(plan.Matrix.Against[0], plan.Matrix.Teams[0], f.test)
	b := f.page.newBatchPage(plan, func() []batch.Job { return firstSeeds(plan, f.pairs) }, f.test, folder)
	p.show(&b)
	if b.live != nil {
		b.live.AtMost = true
	}
	told := toldTo(c.OutOrStdout(), c.ErrOrStderr(), f.json)
	interrupted := serveBatch(c.Context(), &f.page, told, b, func(ctx context.Context) error {
		return f.play(ctx, p, &b, r)
	})
	if interrupted != nil && r.Pairs.Count() == 0 {
		return interrupted
	}
	r.finish()
	if f.json {
		err = console.PrintJSON(c.OutOrStdout(), r)
	} else {
		err = r.print(c.OutOrStdout())
	}
	if err = errors.Join(interrupted, err); err == nil && r.Verdict != stat.Accept1 {
		err = console.Finding()
	}
	return err
}

func newCompared(a, b string, test stat.SPRT) *batchCompared {
	n := len(batch.Metrics())
	r := &batchCompared{A: a, B: b, Test: test, a: make([][]float64, n), b: make([][]float64, n), Verdict: stat.GoOn}
	r.Lower, r.Upper = test.Bounds()
	return r
}

// firstSeeds returns the jobs of the first n seeds of a plan.
func firstSeeds(plan *batch.Plan, n int) (jobs []batch.Job) {
	for seed := range n {
		jobs = plan.AppendSeed(jobs, seed)
	}
	return jobs
}

// play plays pairs until the test stops.
func (f *batchCompareFlags) play(ctx context.Context, p *batchPlayer, b *batchPage, r *batchCompared) error {
	var first *batch.Result
	trouble := "" // why the first match failed
	metrics := batch.Metrics()
	err := p.ordered(ctx, b.plan, b.plan.Seeds(f.pairs), b.folder, func(_ *batch.Job, result *batch.Result) bool {
		b.live.Put(result)
		if first == nil {
			first = result
			return true
		}
		r.add(metrics, first, result)
		trouble = cmp.Or(trouble, first.Trouble, result.Trouble)
		first = nil
		p.say("%d pairs, score %.3f, likelihood ratio %+.2f of %.2f to %.2f", r.Pairs.Count(), r.Score, r.LLR, r.Lower, r.Upper)
		return r.Verdict == stat.GoOn && (r.Failed < mostFailed || r.Pairs.Count() > 0)
	})
	p.progress.End()
	if r.Failed >= mostFailed && r.Pairs.Count() == 0 {
		return fmt.Errorf("none of the first %d pairs of matches ended: %s", r.Failed, console.Plain(trouble))
	}
	return console.Interrupted(err, 2*r.Pairs.Count(), 2*f.pairs, "matches")
}

// add adds a pair: B is home in the first match, and away in the second one.
func (r *batchCompared) add(metrics []analysis.Metric, home, away *batch.Result) {
	if home.Trouble != "" || away.Trouble != "" {
		r.Failed++
		return
	}
	points := 0.0
	for i, result := range []*batch.Result{home, away} {
		p := result.Points(game.Sides[i])
		points += p
		*map[float64]*int{0: &r.Lost, 0.5: &r.Drawn, 1: &r.Won}[p]++
	}
	r.Pairs[int(2*points)]++
	r.Matches += 2
	for k, list := range []*[][]float64{&r.b, &r.a} {
		one := home.Figures(game.Sides[k], metrics)
		two := away.Figures(game.Sides[1-k], metrics)
		for i := range metrics {
			(*list)[i] = append((*list)[i], (one[i]+two[i])/2)
		}
	}
	r.Score, _ = r.Pairs.Score()
	r.Verdict, r.LLR = r.Test.Judge(&r.Pairs)
}

// finish fills in what follows from all pairs.
func (r *batchCompared) finish() {
	elo, in, known := r.Pairs.Elo()
	if r.Pairs.Count() > 0 && !math.IsInf(elo, 0) {
		r.Elo = &elo
	}
	if known && !math.IsInf(in.From, 0) && !math.IsInf(in.To, 0) {
		r.Interval = &in
	}
	metrics := batch.Metrics()
	for i := range metrics {
		r.Figures = append(r.Figures, metrics[i].Compare(r.a[i], r.b[i], true))
	}
	analysis.SortByEffect(r.Figures)
}

func (r *batchCompared) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "A: %s\nB: %s\n%s in %d pairs: B won %d, drew %d and lost %d, score %.3f\n", r.A, r.B, matchesText(r.Matches),
		r.Pairs.Count(), r.Won, r.Drawn, r.Lost, r.Score)
	if r.Failed > 0 {
		fmt.Fprintf(&b, "%d pairs do not count, because one of their matches did not end\n", r.Failed)
	}
	switch {
	case r.Elo == nil:
		b.WriteString("Elo: B won or lost all matches\n")
	case r.Interval == nil:
		fmt.Fprintf(&b, "Elo %+.0f\n", *r.Elo)
	default:
		fmt.Fprintf(&b, "Elo %+.0f, 95 %% interval %+.0f to %+.0f\n", *r.Elo, r.Interval.From, r.Interval.To)
	}
	verdict := map[stat.Verdict]string{
		stat.Accept1: fmt.Sprintf("B is better: by %g points of Elo rather than by %g", r.Test.Elo1, r.Test.Elo0),
		stat.Accept0: fmt.Sprintf("B is no better: by %g points of Elo rather than by %g", r.Test.Elo0, r.Test.Elo1),
		stat.GoOn:    "undecided: it takes more pairs",
	}[r.Verdict]
	fmt.Fprintf(&b, "likelihood ratio %+.2f, bounds %.2f and %.2f (logarithms): %s\n\n", r.LLR, r.Lower, r.Upper, verdict)
	printDifferences(&b, r.Figures)
	_, err := io.WriteString(out, b.String())
	return err
}

func batchLeagueCommand() *cobra.Command {
	f, report := newBatchFlags("league"), batchReportFlags{}
	c := &cobra.Command{
		Use:   "league TEAM...",
		Short: "Play a round robin between teams and rate them",
		Long: `League plays pairs of matches between every two teams, with the same seed and swapped sides, and rates the
teams with 95 % intervals (Bradley and Terry). Teams are built-in teams, state machine files, or programs
(program:COMMAND). The report is the one of touchline batch report. With --nats the matches are played by touchline
worker --nats.`,
		Example: `  touchline batch league touchline touchline-nobooking still --seeds 20
  touchline batch league teams/*.json --seeds 50 --dir league -o league.html
  touchline batch league teams/*.json --seeds 50 --nats nats://10.0.0.5:4222 --credentials fleet.key`,
		Args: console.Args(func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("a league needs at least two teams, for example touchline batch league touchline new.json")
			}
			return nil
		}),
		RunE: func(c *cobra.Command, args []string) error { return f.league(c, args, &report) },
	}
	f.add(c.Flags())
	c.Flags().IntVar(&f.matrix.Seeds, "seeds", f.matrix.Seeds, "pairs of matches of each two teams")
	console.Accept(c.Flags(), "a whole number of at least 1, for example 20", "seeds")
	report.add(c)
	return c
}

// league plays a league and reports on it.
func (f *batchFlags) league(c *cobra.Command, teams []string, report *batchReportFlags) error {
	if err := report.check(); err != nil {
		return err
	}
	for _, name := range teams {
		f.matrix.Teams = append(f.matrix.Teams, teamOf(name))
	}
	plan, slower, err := f.plan(nil)
	if err != nil {
		return err
	}
	folder, err := f.folder(plan)
	if err != nil {
		return err
	}
	jobs := plan.Jobs()
	if err := f.ask(c, batch.Total(jobs)*slower, matchesText(len(jobs))); err != nil {
		return err
	}
	p, err := f.open(c)
	if err != nil {
		return err
	}
	defer p.close()
	results := map[string]*batch.Result{}
	b := f.page.newBatchPage(plan, func() []batch.Job { return jobs }, batchTest, folder)
	p.show(&b)
	told := toldTo(c.OutOrStdout(), c.ErrOrStderr(), report.json)
	err = serveBatch(c.Context(), &f.page, told, b, func(ctx context.Context) error {
		return p.ordered(ctx, plan, batch.Each(jobs), folder, func(job *batch.Job, r *batch.Result) bool {
			results[job.ID] = r
			b.live.Put(r)
			p.say("%d of %d matches", len(results), len(jobs))
			return true
		})
	})
	p.progress.End()
	if err = console.Interrupted(err, len(results), len(jobs), "matches"); err != nil && len(results) == 0 {
		return err
	}
	return errors.Join(err, report.write(c, plan, jobs, func(job *batch.Job) *batch.Result { return results[job.ID] }))
}
