package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/analysis/export"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
)

// exportFlags are the flags of export.
type exportFlags struct {
	options export.Options
	format  string
	json    bool
}

func exportCommand() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export FILE --as FORMAT -o DIR",
		Short: "Export a match from a log for match-analysis tools",
		Long: `Export writes the match in a log in a format that analysis programs for human football can read, with a
README.txt that shows how. FILE is any log that replay opens: a recording of a match or session, or a RefBox zip.
docs/exports.md describes the files.

Formats:
  tracab      tracking, for kloppy and floodlight
  statsbomb   events, for mplsoccer and kloppy
  cdf         tracking and events in the Common Data Format 0.2.3
  csv         the tables tracking, beliefs, events, network and matches
  parquet     the same tables, for DuckDB, pandas and others

Without --rate the frames are the ones in the log: ten a second in a recording. A lower rate leaves out frames. For 25
and 50 frames a second, export replays a match of touchline match from the flags in its recording; other logs do not
contain these flags.`,
		Example: `  touchline match --half 60s --seed 7 --record m.mcap
  touchline export m.mcap --as csv -o m-csv
  touchline export m.mcap --as tracab --rate 25 -o m-tracab
  touchline export 20260703_155014.zip --as parquet -o final`,
		Args: console.Args(func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("export needs one FILE, for example touchline export m.mcap --as csv -o m-csv")
			}
			return nil
		}),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().StringVar(&f.format, "as", "", "format: "+strings.Join(export.Formats(), ", ")+" (required)")
	c.Flags().StringVarP(&f.options.Dir, "out", "o", "", "new or empty folder for the files (required)")
	c.Flags().IntVar(&f.options.Rate, "rate", 0, "frames a second (default: the frames in the log)")
	c.Flags().BoolVar(&f.json, "json", false, "print the files as JSON")
	console.Accept(c.Flags(), "a whole number of frames a second, for example 25", "rate")
	return c
}

// run exports a log.
func (f *exportFlags) run(c *cobra.Command, name string) error {
	if c.Flags().Changed("rate") && f.options.Rate < 1 {
		return console.Usage(fmt.Errorf("--rate %d: want a whole number of frames a second, for example 25", f.options.Rate))
	}
	l, err := openLog(name)
	if err != nil {
		return err
	}
	defer l.Close()
	l.SkipDamage()
	o := &f.options
	o.Format = export.Format(f.format)
	o.ID = wire.Printable(strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	o.Progress = exportProgress(c.ErrOrStderr())
	if slices.Contains(replayRates, o.Rate) {
		again, err := newReplayed(l, o.Rate)
		if err != nil {
			return console.Usage(fmt.Errorf("--rate %d: %w", o.Rate, err))
		}
		o.Replay = again.play
	}
	e, err := export.Prepare(l, *o)
	if err != nil {
		return console.Usage(fmt.Errorf("%s: %w", name, err))
	}
	r, err := e.Write(c.Context())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := f.print(c, r); err != nil {
		return err
	}
	if len(l.Loss()) > 0 {
		return fmt.Errorf("%s: the files hold only the readable part of the log (see above)", name)
	}
	return nil
}

// print prints what was written.
func (f *exportFlags) print(c *cobra.Command, r *export.Result) error {
	if f.json {
		return console.PrintJSON(c.OutOrStdout(), r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d frames, %d a second\n", r.Dir, r.Frames, r.Rate)
	for _, file := range r.Files {
		fmt.Fprintf(&b, "  %-16s %9d rows %9.1f kB\n", file.Name, file.Rows, float64(file.Bytes)/1e3)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	_, err := io.WriteString(c.OutOrStdout(), b.String())
	return err
}

// exportProgress returns what prints how far an export is, every two seconds.
func exportProgress(errs io.Writer) func(float64) {
	last, calls := time.Now(), 0
	return func(done float64) {
		if calls++; calls%64 != 0 {
			return
		}
		if now := time.Now(); now.Sub(last) >= 2*time.Second {
			last = now
			fmt.Fprintf(errs, "%.0f %% written\n", 100*done)
		}
	}
}

// replayRates are the rates to which a match is played again: those at which its referee looks at the field.
var replayRates = []int{25, 50}

// replayed is a match that is played again from the flags in its record.
type replayed struct {
	flags matchFlags
	log   *matchlog.Log
	every int // looks of the referee from one frame to the next
}

// newReplayed reads the flags of a record.
func newReplayed(l *matchlog.Log, rate int) (*replayed, error) {
	const hint = "only a record of touchline match is played again, to get more frames than it holds; leave --rate out"
	was, ok, err := recordedSetup(l)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, errors.New(hint)
	}
	r := &replayed{flags: matchFlags{cfg: match.DefaultMatchConfig(), read: os.ReadFile}, log: l, every: 50 / rate}
	set := pflag.NewFlagSet("match", pflag.ContinueOnError)
	r.flags.add(set)
	r.flags.use(was)
	if _, err := r.flags.prepare(set); err != nil {
		return nil, err
	}
	if r.flags.cfg.Home.External || r.flags.cfg.Away.External {
		return nil, errors.New("a match with an external team cannot be replayed: leave out --rate")
	}
	r.flags.cfg.Debug = true // as in a record
	return r, nil
}

// play plays the match, compares its samples with the record, and calls put with each frame.
func (r *replayed) play(ctx context.Context, put func(*analysis.Frame) error) error {
	var failed error
	samples := newSamples(r.log)
	defer samples.stop()
	frame, looks := analysis.Frame{Known: true, Told: true}, 0
	m, err := match.NewMatch(r.flags.cfg, match.Tap{
		Sample: func(now soccer.Time, s *autoref.Scene, _ *game.State) {
			if failed == nil {
				failed = samples.compare(now, s)
			}
		},
		Look: func(now soccer.Time, s *autoref.Scene, st *game.State) {
			if looks++; (looks-1)%r.every != 0 || failed != nil {
				return
			}
			analysis.Sample(&frame.Scene, s)
			frame.Time, frame.At, frame.State = now, now, *st
			failed = put(&frame)
		},
	})
	if err != nil {
		return err
	}
	forks, end := r.flags.forks, r.log.Info().End
	for !m.Over() && m.Err() == nil && failed == nil && m.Now() < end {
		due := min(m.Now().Add(200*time.Millisecond), end)
		forks = pass(m, due, forks, nil)
		m.Advance(due)
	}
	return errors.Join(failed, m.Err())
}

// samples are the samples of the field that a record holds.
type samples struct {
	next func() (matchlog.Message, error, bool)
	stop func()
}

func newSamples(l *matchlog.Log) *samples {
	s := new(samples)
	s.next, s.stop = iter.Pull2(l.Messages(0, 0, matchlog.Truth))
	return s
}

// compare compares a sample of a match that is played again with the next one of its record.
func (s *samples) compare(now soccer.Time, scene *autoref.Scene) error {
	m, err, ok := s.next()
	if err != nil {
		return err
	}
	is, was := analysis.Truth(now, scene), game.Truth{}
	if ok && json.Unmarshal(m.Data, &was) == nil && m.Time == now && is.Ball == was.Ball && slices.Equal(is.Robots, was.Robots) {
		return nil
	}
	return fmt.Errorf("the replayed match differs from its recording after %v: it was recorded by another version of "+
		"touchline, or a team's file has changed; leave out --rate to export the recorded frames", now.Sub(soccer.Epoch))
}
