package main

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/batch"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/match/programnet"
	"touchline/soccer"
	"touchline/teamcom/teamcomnet"
)

// matchFlags are the flags of the command match.
type matchFlags struct {
	cfg    match.MatchConfig
	home   string
	away   string
	field  string
	speed  string
	faults []string
	json   bool
	record string
	junit  string
	assert []string
	quiet  bool
	fork   string
	at     time.Duration
	forks  []matchFork // of the record, and its own
	port   uint16
	iface  string
	job    string
	plan   string

	outside  *outside
	programs *programnet.Programs
	dir      string                            // where programs are started; "": here
	read     func(path string) ([]byte, error) // the file of a team's state machine
	stored   *batch.Result                     // of --job in its folder; nil: there is none
	// advanced is called with the time of the match as it goes on; nil for nobody
	advanced func(soccer.Time)
	origin   map[string]string // what a record says of the command; nil for nothing
}

// matchCommand returns the command match.
func matchCommand() *cobra.Command {
	f := matchFlags{cfg: match.DefaultMatchConfig(), read: os.ReadFile}
	f.home, f.away = f.cfg.Home.Name, f.cfg.Away.Name
	c := &cobra.Command{
		Use:   "match",
		Short: "Play a match of five against five in virtual time, and check its result",
		Long: `Match plays two halves of five against five on one core, as fast as it can compute them. The robots have
cameras and world models and talk over their team's TCM; each team has a base station, and a referee box runs an
automatic referee. The same flags give the same match and the same recording, byte for byte, on every machine.
docs/match.md explains the figures.

Each --assert compares a number from the result, as --json prints it, with a limit. If an assertion fails or the match
is interrupted, the exit code is 1.

Teams:
  touchline             the robots book the ball with a lease, so that only one of them goes to it
  touchline-nobooking   the same robots without ball booking
  touchline-literal     ball booking as printed in the TeamChaos paper
  touchline-nearest     each robot sends its distance to the ball, and the nearest one goes
  still                 robots that never move
  external              robots driven by another program, in real time (docs/match.md)
  play:FILE             touchline with the state machine in FILE (docs/robot.md); docs/play.json is the default
  program:COMMAND       your program: the match starts it and talks to it in lockstep over its standard input and output
                        (docs/match.md). COMMAND is split at white space and run without a shell. In its words,
                        {team} becomes 1 for home or 2 for away, {robots} the number of robots, {seed} the --seed

Faults, each from BEGIN to END in match time, or to the end of the match:
` + faultList(),
		Example: `  touchline match --half 60s
  touchline match --seed 7 --loss 0.1 --home touchline --away touchline-nobooking --json --record m.mcap
  touchline match --half 60s --assert 'goals.home>=1' --assert 'crowding.home<1.5' --junit result.xml
  touchline match --half 60s --fault 'crash home 1 10s 20s' --fault 'silent 30s 33s'
  touchline match --home play:new.json --away touchline
  touchline match --half 60s --home-name Lions --away-name 'Blue Sharks'
  touchline match --fork m.mcap --at 612s --seed 8
  touchline match --half 60s --away external --port 23020   # then: python3 docs/team.py 127.0.0.1:23020 2
  touchline match --half 60s --away 'program:python3 docs/team.py - {team} {robots}'
  touchline match --job 1f00c4 --plan results --record m.mcap
  touchline replay m.mcap`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.add(c.Flags())
	return c
}

// faultList returns the faults of a match, one a line.
func faultList() string {
	var b strings.Builder
	for _, k := range match.Faults() {
		fmt.Fprintf(&b, "  %-39s %s\n", k.Syntax, k.Help)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (f *matchFlags) add(set *pflag.FlagSet) {
	cfg := &f.cfg
	set.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "seed of all random numbers")
	set.DurationVar(&cfg.Half, "half", cfg.Half, "length of each half on the match clock, 1s to 1h in whole seconds")
	set.StringVar(&f.home, "home", f.home, "home team")
	set.StringVar(&f.away, "away", f.away, "away team")
	addTitles(set, "", cfg)
	set.IntVar(&cfg.Home.Robots, "home-robots", cfg.Home.Robots, "robots of the home team, 1 to 5")
	set.IntVar(&cfg.Away.Robots, "away-robots", cfg.Away.Robots, "robots of the away team, 1 to 5")
	set.StringVar(&f.field, "field", "18x12", "size of the MSL field in m: 18x12 or 22x14")
	set.Uint16Var(&f.port, "port", 0, "first of the four UDP ports of the field for an external team (default: free ports)")
	set.StringVar(&f.iface, "interface", "",
		"network interface for an external team on another machine, for example eth0 (default: loopback)")
	set.StringVar(&f.speed, "speed", "max", "speed in multiples of real time, for example 1, or max")
	addLink(set, &cfg.Link)
	set.BoolVar(&cfg.Mixed, "mixed", false, "robots also send mixed team packages to their teammates")
	set.BoolVar(&cfg.Localise, "localise", false,
		"robots localise by odometry, field lines and a compass, instead of getting poses with random errors")
	set.StringArrayVar(&f.faults, "fault", nil, "inject a fault during part of the match; see above; may be repeated")
	set.StringVar(&f.fork, "fork", "", "fork this recording of touchline match: replay it up to --at, then go on with another --seed")
	set.DurationVar(&f.at, "at", 0, "with --fork: time since the start of the recording, for example 612s")
	set.StringVar(&f.job, "job", "", "play this match of a batch again: its id, or the first characters of it; needs --plan")
	set.StringVar(&f.plan, "plan", "", "with --job: the plan, or the folder with its results; with a folder, the match is compared with its stored result")
	set.StringVar(&f.record, "record", "", "record the match in this new log, for example m.mcap")
	set.BoolVar(&f.json, "json", false, "print the result as JSON")
	set.StringArrayVar(&f.assert, "assert", nil, "check a number in the result, for example 'goals.home>=1'; may be repeated")
	set.StringVar(&f.junit, "junit", "", "write the assertions to this file as JUnit XML")
	set.BoolVar(&f.quiet, "quiet", false, "print no progress")
	console.Accept(set, "whole seconds from 1s to 1h, for example 60s", "half")
	console.Accept(set, "a whole number from 1 to 5, for example 3", "home-robots", "away-robots")
}

// addTitles adds the flags with the names of the teams. when begins their help.
func addTitles(set *pflag.FlagSet, when string, cfg *match.MatchConfig) {
	for side, title := range map[string]*string{"home": &cfg.Home.Title, "away": &cfg.Away.Title} {
		name := side + "-name"
		set.StringVar(title, name, "", fmt.Sprintf("%sname of the %s team on pages, in results and reports, at most %d characters "+
			"(default: the team's)", when, side, match.MostTitle))
		console.Accept(set, fmt.Sprintf("a name of 1 to %d printable characters, for example Lions", match.MostTitle), name)
	}
}

// prepare checks the flags.
func (f *matchFlags) prepare(set *pflag.FlagSet) ([]assertion, error) {
	if err := f.prepareJob(set); err != nil {
		return nil, err
	}
	if err := f.prepareFork(set); err != nil {
		return nil, err
	}
	for _, text := range f.faults {
		fault, err := match.ParseFault(text)
		if err != nil {
			return nil, fmt.Errorf("--fault %w", err)
		}
		f.cfg.Faults = append(f.cfg.Faults, fault)
	}
	cfg, err := f.setup().Config(f.read)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	f.cfg = cfg
	if err := f.prepareExternal(set.Changed("speed")); err != nil {
		return nil, err
	}
	if _, err := f.factor(); err != nil {
		return nil, err
	}
	if folder, err := os.Stat(filepath.Dir(f.junit)); f.junit != "" && (err != nil || !folder.IsDir()) {
		return nil, fmt.Errorf("--junit %.60s: its folder does not exist", f.junit)
	}
	if err := console.CheckReplaces("junit", f.junit, xml.Header); err != nil {
		return nil, err
	}
	f.cfg.Debug = f.record != ""
	return parseAssertions(f.assert)
}

// factor returns how much faster than real time the match runs at most; 0: as fast as possible.
func (f *matchFlags) factor() (float64, error) {
	if f.speed == "max" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(f.speed, 64)
	if err != nil || !(v >= 0.01 && v <= 1000) {
		return 0, fmt.Errorf("--speed %.40s: want max, or a factor of real time from 0.01 to 1000", f.speed)
	}
	return v, nil
}

// run plays the match.
func (f *matchFlags) run(c *cobra.Command) error {
	asserted, err := f.prepare(c.Flags())
	if err != nil {
		return console.Usage(err)
	}
	f.origin = withOrigin(map[string]string{}, c, f.cfg.Seed)
	errs := c.ErrOrStderr()
	if f.quiet {
		errs = io.Discard
	}
	result, played := f.play(c.Context(), errs)
	if result == nil {
		return played
	}
	if err := f.print(result, c.OutOrStdout()); err != nil {
		return errors.Join(played, err)
	}
	failures := checkAssertions(asserted, result, c.ErrOrStderr())
	if f.junit != "" {
		if err := writeJUnit(f.junit, asserted, failures, result, played); err != nil {
			return errors.Join(played, err)
		}
	}
	for _, failure := range failures {
		if failure != "" && played == nil {
			return console.Finding()
		}
	}
	return played
}

func (f *matchFlags) print(r *matchResult, out io.Writer) error {
	if f.json {
		return console.PrintJSON(out, r)
	}
	_, err := io.WriteString(out, r.words())
	return err
}

// play plays the match. Without a result the match did not begin; an error beside one says why it did not end.
func (f *matchFlags) play(ctx context.Context, errs io.Writer) (*matchResult, error) {
	record, err := newMatchRecord(f)
	if err != nil {
		return nil, err
	}
	original, err := f.original()
	if err != nil {
		return nil, errors.Join(err, record.close())
	}
	defer original.close()
	if f.outside, err = f.openOutside(ctx, errs); err != nil {
		return nil, errors.Join(err, record.close())
	}
	defer f.outside.close()
	f.programs, err = programnet.Start(ctx, programnet.Config{Dir: f.dir, Tell: func(line string) { fmt.Fprintln(errs, line) }}, &f.cfg)
	if err != nil {
		return nil, errors.Join(console.Usage(err), record.close())
	}
	defer f.programs.Close()
	m, err := f.open(record, original)
	if err != nil {
		return nil, errors.Join(console.Usage(err), record.close())
	}
	factor, _ := f.factor() // prepare checked it
	p := progress{errs: errs, began: time.Now(), from: m.Now(), factor: factor}
	due, forks := m.Now(), f.forks
	for !m.Over() && ctx.Err() == nil && m.Err() == nil && record.err() == nil && original.err() == nil {
		due = due.Add(record.step())
		forks = pass(m, due, forks, original)
		for len(f.outside.fields) > 0 && m.Now() < due && !m.Over() && ctx.Err() == nil {
			m.Advance(min(m.Now().Add(externalStep), due))
			p.wait(ctx, m)
			f.outside.execute(m)
		}
		m.Advance(due)
		record.sample()
		p.report(ctx, m)
		if f.advanced != nil {
			f.advanced(m.Now())
		}
	}
	err = errors.Join(m.Err(), original.err(), record.close())
	if !m.Over() && err == nil {
		err = fmt.Errorf("interrupted after %.1f s of the match", m.Now().Sub(soccer.Epoch).Seconds())
	}
	p.done(m)
	return f.resultOf(m), errors.Join(err, f.compareStored(m))
}

// progress reports on a match that runs.
type progress struct {
	errs   io.Writer
	began  time.Time
	last   time.Time
	from   soccer.Time
	factor float64 // of real time; 0: as fast as possible
	view   match.View
}

// matchMaxCatchUp is how far a match may fall behind real time and catch up. After a longer standstill of the machine it goes
// on from where it was.
const matchMaxCatchUp = 250 * time.Millisecond

// wait waits until the match is due.
func (p *progress) wait(ctx context.Context, m *match.Match) {
	if p.factor == 0 {
		return
	}
	played := m.Now().Sub(p.from).Seconds()
	wait := time.Duration((played/p.factor - time.Since(p.began).Seconds()) * float64(time.Second))
	if wait < -matchMaxCatchUp {
		p.began = p.began.Add(-wait)
	}
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// report waits until the match is due, and prints where it is every two seconds.
func (p *progress) report(ctx context.Context, m *match.Match) {
	p.wait(ctx, m)
	now := time.Now()
	if p.last.IsZero() {
		p.last = now
	}
	if now.Sub(p.last) >= 2*time.Second {
		p.last = now
		p.line(m, "")
	}
}

// line prints the score and the speed.
func (p *progress) line(m *match.Match, end string) {
	m.View(&p.view)
	g := &p.view.Game
	speed := m.Now().Sub(p.from).Seconds() / max(time.Since(p.began).Seconds(), 1e-9)
	fmt.Fprintf(p.errs, "%s %d:%d, %s, %.0f s%s; %.0f x real time\n", "score", g.Home.Goals, g.Away.Goals, g.Part,
		math.Round(m.Now().Sub(soccer.Epoch).Seconds()), end, speed)
}

func (p *progress) done(m *match.Match) { p.line(m, " played") }

// externalStep is the time in which a match hands over the motor commands that arrived.
const externalStep = 10 * time.Millisecond

// outside are the fields on which programs outside drive the robots of external teams.
type outside struct {
	fields []*matchnet.Field
	keys   []string // of fields; "": the team does not sign
	group  *errgroup.Group
	cancel context.CancelFunc
}

// prepareExternal checks the flags of external teams.
func (f *matchFlags) prepareExternal(speedGiven bool) error {
	if f.fork != "" && (f.cfg.Home.External || f.cfg.Away.External) {
		return errors.New("--fork: one team of the match is an external program, so the match cannot be replayed from its recording")
	}
	if !f.cfg.Home.Live() && !f.cfg.Away.Live() {
		if f.port != 0 {
			return errors.New("--port: it is for an external team, for example --away external")
		}
		if f.iface != "" {
			return errors.New("--interface: it is for an external team, for example --away external")
		}
		return nil
	}
	switch {
	case speedGiven && f.speed != "1":
		return fmt.Errorf("--speed %s: a match with an external team runs in real time", f.speed)
	case f.port > 65532:
		return fmt.Errorf("--port %d: want 1 to 65532, the first of four ports", f.port)
	case f.port != 0 && f.cfg.Home.Live() && f.cfg.Away.Live():
		return errors.New("--port: leave it out if both teams are external")
	}
	f.speed = "1"
	return nil
}

// openOutside opens the fields of external teams and waits for their first motor commands. It returns nil without one.
func (f *matchFlags) openOutside(ctx context.Context, errs io.Writer) (*outside, error) {
	o := new(outside)
	ctx, o.cancel = context.WithCancel(ctx)
	o.group, ctx = errgroup.WithContext(ctx)
	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	for _, side := range game.Sides {
		if !f.cfg.Team(side).Live() {
			continue
		}
		var field *matchnet.Field
		var key string
		var err error
		if f.iface != "" {
			field, key, err = matchnet.OpenRemoteField(side, f.iface, f.port, log)
		} else {
			field, err = matchnet.OpenField(side, teamcomnet.Loopback(f.port), nil, log)
		}
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		o.fields, o.keys = append(o.fields, field), append(o.keys, key)
		o.group.Go(func() error { return field.Run(ctx) })
	}
	for i, field := range o.fields {
		side := field.Side()
		number := matchnet.TeamNumber(side)
		fmt.Fprintf(errs, "waiting for the %s team: its program sends motor commands of robots 1 to %d, team %d, to the field %s "+
			"(docs/match.md), for example: %spython3 docs/team.py %s %d\n", side, f.cfg.Team(side).Robots, number,
			field.Address(), withKey(o.keys[i]), field.Address(), number)
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("interrupted before the %s team connected", side), o.close())
		case <-field.Arrived():
		}
	}
	return o, nil
}

// withKey returns what stands before the command of a program that signs with a key; nothing without one.
func withKey(key string) string {
	if key == "" {
		return ""
	}
	return matchnet.KeyVariable + "=" + key + " "
}

// tap completes a match's tap.
func (o *outside) tap(tap *match.Tap) {
	for _, field := range o.fields {
		field.Tap(tap)
	}
}

// execute hands the motor commands that arrived to the match.
func (o *outside) execute(m *match.Match) {
	for _, field := range o.fields {
		field.Execute(m)
	}
}

// close ends the fields.
func (o *outside) close() error {
	o.cancel()
	return o.group.Wait()
}
