package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/internal/check"
	"touchline/internal/console"
	"touchline/matchlog"
)

// reportFlags are the flags of report.
type reportFlags struct {
	out    string
	replay string
	json   bool
}

// reported is what --json prints for a log.
type reported struct {
	File string `json:"file"`
	Page string `json:"page"` // file of the page; "" with --json and without -o
	*analysis.Report
	Cards []analysislog.Card `json:"cards"` // report cards of the teams' worldstates
	Notes []shownNote        `json:"notes"` // what persons wrote
}

func reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report FILE...",
		Short: "Report from a log how the teams played",
		Long: `Report writes a page about the match in a log: its course, possession, shots with expected goals, passes, set
pieces, lost balls and their causes, what each robot did, how the robots' beliefs compare with the truth, and how much
the radio lost. It reads the same logs as replay: recordings of matches and sessions, match logs of a referee box,
zips of RefBox 2016 and 2.x, and game logs of the 2D simulation. If a log lacks the data for a figure, the page leaves
the figure out and says why.

The page is one file without scripts and opens without a network. Each event links to its moment in the replay; the
links work while touchline replay FILE runs. docs/analysis.md explains each figure.`,
		Example: `  touchline match --seed 3 --record m.mcap && touchline report m.mcap
  touchline report match.zip -o match.html
  touchline report m.mcap --json`,
		Args: console.Args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.StringVarP(&f.out, "out", "o", "", "write the page to FILE, or - for standard output (default: the log's name with .report.html, in this folder)")
	flags.StringVar(&f.replay, "replay", "http://127.0.0.1:8014", "address of the touchline replay page that events link to; none: no links")
	flags.BoolVar(&f.json, "json", false, "print the figures as JSON; a page is written only with -o")
	console.Accept(flags, "an address such as http://127.0.0.1:8014, or none", "replay")
	return c
}

func (f *reportFlags) run(c *cobra.Command, args []string) error {
	if f.out != "" && len(args) > 1 {
		return console.Usage(fmt.Errorf("-o %s is one page, but there are %d logs: leave it out, and each log gets its own page", f.out, len(args)))
	}
	if f.out == "-" && f.json {
		return console.Usage(errors.New("-o - and --json both print to the standard output: leave out one"))
	}
	all := []reported{}
	for _, name := range args {
		r, err := f.report(c, name)
		if err != nil {
			return err
		}
		all = append(all, *r)
	}
	if f.json {
		return console.PrintJSON(c.OutOrStdout(), all)
	}
	return nil
}

// report reads a log and writes its page.
func (f *reportFlags) report(c *cobra.Command, name string) (*reported, error) {
	page := f.out
	if page == "" && !f.json {
		base := filepath.Base(name)
		page = strings.TrimSuffix(base, filepath.Ext(base)) + ".report.html"
	}
	if page != "" && page != "-" {
		if err := console.CheckReplaces("out", page, "<!doctype html>"); err != nil {
			return nil, err
		}
	}
	l, err := matchlog.Open(name)
	if err != nil {
		return nil, console.Usage(err)
	}
	defer l.Close()
	m, err := analysislog.Describe(l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r, err := analyse(c.Context(), c.ErrOrStderr(), l, &m, true)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := &reported{File: name, Page: page, Report: r, Cards: []analysislog.Card{}, Notes: shownNotes(m.Start, l.Annotations())}
	if m.Origin == analysis.FromWorldstates {
		out.Cards = cardsOf(name)
	}
	if page == "" {
		return out, nil
	}
	p := analysislog.Page{Report: r, File: name, Flags: m.Flags, Cards: out.Cards, Notes: l.Annotations(), Link: f.links(l, name)}
	html := p.HTML()
	if page == "-" {
		_, err = io.WriteString(c.OutOrStdout(), html)
		return out, err
	}
	if err := os.WriteFile(page, []byte(html), 0o644); err != nil {
		return nil, console.Usage(fmt.Errorf("-o: %w", err))
	}
	if !f.json {
		v := &r.Figures
		shots := ""
		if goals, ok := r.ShootOut(); ok {
			shots = fmt.Sprintf(" (%d:%d in the penalty shoot-out)", goals[0], goals[1])
		}
		fmt.Fprintf(c.OutOrStdout(), "%s: %s %d:%d %s%s, %d events\n", page, r.Names[0], v.Home.Goals, v.Away.Goals, r.Names[1], shots,
			len(r.Events))
	}
	return out, nil
}

// analyse reads the match of a log, with beliefs or without, and says on errs how far it is.
func analyse(ctx context.Context, errs io.Writer, l *matchlog.Log, m *analysislog.Match, beliefs bool) (*analysis.Report, error) {
	l.SkipDamage()
	a := analysis.NewAnalyst(m.Field)
	progress := console.NewProgress(errs)
	span := max(m.End.Sub(m.Start), 1)
	err := m.Read(l, analysislog.Options{Beliefs: beliefs, Links: a.Links, Decided: a}, func(frame *analysis.Frame) error {
		a.Step(frame)
		progress.Say("reading, %d %%", 100*frame.At.Sub(m.Start)/span)
		return ctx.Err()
	})
	progress.End()
	if err != nil {
		return nil, err
	}
	r := a.Report()
	if r.Frames == 0 {
		return nil, analysislog.ErrNoMatch
	}
	r.Origin, r.Names, r.Seed, r.Start = m.Origin, m.Names, m.Seed, m.Start
	for _, lost := range l.Loss() {
		r.Partial = append(r.Partial, "A part of the log is missing: "+lost+".")
	}
	return r, nil
}

// links returns what tells the address of a time on the page of replay: the match or wall of a record, or the log.
func (f *reportFlags) links(l *matchlog.Log, name string) func(float64) string {
	if f.replay == "none" {
		return nil
	}
	path := "/log#" + url.PathEscape(filepath.Base(name))
	for _, c := range l.Info().Channels {
		switch {
		case c.Count == 0:
		case c.Name == matchlog.TopicPrefix+"match":
			path = "/#match"
		case c.Name == matchlog.TopicPrefix+"wall" && path != "/#match":
			path = "/#wall"
		}
	}
	return func(seconds float64) string {
		return fmt.Sprintf("%s%s&t=%.1f", strings.TrimSuffix(f.replay, "/"), path, seconds)
	}
}

// cardsOf sums up the report cards of a log; none if it cannot be checked: touchline check says why.
func cardsOf(name string) []analysislog.Card {
	cards := []analysislog.Card{}
	inputs, err := new(checkFlags).checkFile(name, bytes.NewReader(nil))
	if err != nil {
		return cards
	}
	for i := range inputs {
		for _, c := range inputs[i].Cards {
			n := c.Faults()
			verdict := "no faults"
			if n > 0 {
				verdict = check.Plural(n, "fault")
			}
			cards = append(cards, analysislog.Card{Team: c.Team, Verdict: verdict, OK: c.OK})
		}
	}
	return cards
}
