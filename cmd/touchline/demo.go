package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/check/checknet"
	"touchline/internal/console"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/monitor"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/robot"
	"touchline/internal/watch/watchnet"
	"touchline/soccer"
	"touchline/teamcom"
)

// demoFlags are the flags of the practical session.
type demoFlags struct {
	page      pageFlags
	network   networkFlags
	field     fieldFlag
	session   match.Config
	record    recordFlag
	variant   string
	speed     string
	dir       string
	profiles  string
	story     string
	vision    visionFlag
	folder    *managernet.PictureFolder // of touchline robot --alone
	auto      bool
	game      demoMatchFlags
	headless  bool
	addressed bool // all addresses are printed
	json      bool
	drawn     bool
	duration  time.Duration
}

const demoLong = `Demo runs the practical session of the MSL Workshop 2014: robots and stand-ins from six teams, five of them
on an 18 x 12 m field, share what they see of one ball in mixed team packages over UDP multicast. The page shows the
ground truth next to what each robot believes. Nothing leaves this machine unless you give --interface.

The robots localise themselves by odometry with slip, the field lines that they see, and a compass (docs/world.md).

The robots also talk over the TCM, with the same loss and delay: they measure the links to each other and send their
status to the station (docs/teamcom.md). --addresses prints the path of their TCM.ini and the address of the field, so
that a robot in another process can join.

With --interface the session runs on a network: robots on other machines can join it. The TCM is then signed with a
key, which demo prints.

With --processes each robot runs in its own process, in a match too. Kill one to crash that robot: its teammates
notice within a second, and demo restarts it after three seconds. The robots run in real time, so pause and slow
motion affect only the field.

The mixed team's base station receives packages from all robots and reports over TCP to a referee box, which logs the
session. Another team's base station may connect as away. Foxglove and Lichtblick connect to /foxglove on the page's
address; the page shows how (docs/foxglove.md).

With --story it plays a story in several figures: booking is the experiment with the ball booking protocol (TeamChaos
paper, section 5, figures 6 to 10), liar follows a robot that reports false poses until its teammates identify it, and
network shows the booking while messages are lost and late. The page stops at each figure until you press "next"; its
buttons replay any figure. With --auto the figures are printed in virtual time instead.

With --match two teams of five robots play a match in real time. Each robot has its own loop and sockets, and the base
stations talk to a referee box over TCP. docs/match.md describes the match and its page. With --virtual the match runs
without sockets, at the speed set on the page: the same seed gives the same match unless someone intervenes.

With --headless --speed max the session runs in virtual time, without sockets, base station or referee box. The same
flags then print the same scores and write the same recording, byte for byte, on every machine.`

func demoCommand() (*cobra.Command, *demoFlags) {
	f := &demoFlags{session: match.DefaultConfig()}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run the practical session: five robots, one ball, five monitors",
		Long:  demoLong,
		Example: `  touchline demo
  touchline demo --seed 7 --loss 0.1 --delay 20ms
  touchline demo --package falcons --trailer 64
  touchline demo --headless --duration 60s --json
  touchline demo --seed 3 --headless --speed max --duration 60s --record s.mcap
  touchline demo --processes      # then kill -9 a robot: pgrep -f 'robot --id 3'
  touchline demo --story liar
  touchline demo --story network --auto
  touchline demo --match
  touchline demo --match --half 60s --away external
  touchline demo --dir logs`,
		RunE: func(c *cobra.Command, _ []string) error { return runDemo(c, f) },
	}
	flags := c.Flags()
	flags.Uint64Var(&f.session.Seed, "seed", f.session.Seed, "seed of all random numbers")
	flags.IntVar(&f.session.Robots, "robots", f.session.Robots, "robots on the field, 1 to 5, plus one substitute")
	flags.StringVar(&f.variant, "package", "v2",
		"format of the robots' packages: v1, v2, or falcons (v2 padded to 188 bytes)")
	flags.IntVar(&f.session.Trailer, "trailer", 0, "extra bytes after each package, 0 to 1200")
	addLink(flags, &f.session.Link)
	flags.StringVar(&f.dir, "dir", "", "folder for the match log (default: a temporary one, deleted at the end)")
	flags.StringVar(&f.profiles, "profiles", "", "folder for profiles of the robots' parameters (docs/manager.md)")
	flags.BoolVar(&f.headless, "headless", false, "run without a page and print the scores at the end")
	flags.BoolVar(&f.json, "json", false, "with --headless: print the scores as JSON")
	flags.StringVar(&f.speed, "speed", "1", "1: in real time; max, with --headless: as fast as possible, in virtual time")
	flags.BoolVar(&f.session.NoTCM, "no-tcm", false, "robots send mixed team packages only, and no TCM messages")
	flags.BoolVar(&f.drawn, "drawn-poses", false,
		"draw the robots' pose errors at random, as stories do, instead of localising by odometry, field lines and a compass")
	flags.StringVar(&f.session.Booking, "booking", f.session.Booking,
		"how the robots book the ball: lease, literal (the protocol as printed in the paper), nearest, or none")
	f.vision.add(flags)
	flags.BoolVar(&f.session.Outside, "processes", false, "run each robot in its own process, which you may kill")
	flags.StringVar(&f.story, "story", "", "play a story instead of kick-ins and substitutions: "+strings.Join(match.Stories(), ", "))
	flags.BoolVar(&f.addressed, "addresses", false, "print the addresses for base stations and robots of other programs, and the path of the log")
	flags.BoolVar(&f.auto, "auto", false, "with --story: print the figures in virtual time, without a page")
	f.game.add(flags)
	console.AddDuration(flags, &f.duration)
	console.Accept(flags, "a whole number from 1 to 5, for example 3", "robots")
	console.Accept(flags, "a whole number from 0 to 1200, for example 64", "trailer")
	f.network.add(flags, true)
	f.field.add(flags)
	f.record.add(flags)
	addRecordPictures(flags, &f.record.pictures)
	f.page.add(flags)
	return c, f
}

func runDemo(c *cobra.Command, f *demoFlags) (err error) {
	out, log := c.OutOrStdout(), console.Logger(c.ErrOrStderr())
	if err := f.game.check(c.Flags()); err != nil {
		return console.Usage(err)
	}
	if f.game.match {
		return f.runMatch(c, log)
	}
	cfg, err := f.config(c)
	if err != nil {
		return err
	}
	if f.speed == maxSpeed || f.auto {
		return f.runVirtual(c, cfg, out)
	}
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	tape, err := f.record.tape(log, withOrigin(f.meta(cfg), c, cfg.Match.Seed))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.record.stop(tape)) }()
	cfg.Tap, cfg.RefBox.Tap, cfg.Picture = tape.Packet, tape.Message, tape.Picture
	cfg.Processes = f.processes(c.ErrOrStderr())
	var session *matchnet.Session
	team := watchnet.NewTeam(func() []teamcom.Report { return session.Teamcom() })
	cfg.TapTCM = func(p *soccer.Packet) {
		tape.Packet(p)
		team.Packet(p)
	}
	if session, err = matchnet.New(cfg, log); err != nil {
		return console.Usage(err)
	}
	team.Follow(session.Elapsed)
	if err := session.Open(ctx); err != nil {
		return console.Usage(err)
	}
	defer session.Close()
	run := taped(teamSession{session, team}, tape, f.record.film(session, tape, session.Run))
	if f.headless {
		return runHeadless(ctx, session, run, log, f.json, out)
	}
	beside := newSides(log)
	page, err := f.page.open(f.page.foxglove(f.page.withTape(f.demoPage(session, beside), tape), tape, shownLive{
		session: teamSession{session, team}, services: sessionServices, managed: session.Managed,
	}))
	if err != nil {
		return err
	}
	if f.starts() {
		run = beside.run(run, page)
	}
	page.warn(log, "move the ball and the robots")
	session.RefBox().Changed = refreshReferee(page.server)
	if err := page.print(out, f.addresses(session, page)); err != nil {
		return err
	}
	f.page.browse(page.url, out, log)
	return page.run(ctx, run, slices.Concat(wallTopics(session), teamTopics(team), managedTopics(session.Managed), recordingTopics(tape),
		refereeTopics(session.RefBox()), []topic{{"preview/session", previewPeriod, func(string) any { return session.Preview() }},
			{"preview/", previewPeriod, beside.preview}})...)
}

// starts reports whether the page begins with the choice of what to look at.
func (f *demoFlags) starts() bool { return f.story == "" && !f.session.Alone }

// processes returns how the robots of --processes run; without it, nil.
func (f *demoFlags) processes(errs io.Writer) *matchnet.Processes {
	if !f.session.Outside {
		return nil
	}
	return &matchnet.Processes{Errors: errs, Args: []string{
		"--group", f.network.group, "--interface", f.network.iface, "--package", f.variant,
		"--trailer", strconv.Itoa(f.session.Trailer), "--seed", strconv.FormatUint(f.session.Seed, 10),
		"--booking", f.session.Booking, "--size", f.field.name,
	}}
}

// config converts the flags.
func (f *demoFlags) config(c *cobra.Command) (matchnet.Config, error) {
	box := refboxnet.DefaultConfig()
	box.Listen, box.Dir, box.Box.Name, box.Box.NewCard = "", f.dir, f.session.Name(), checknet.NewRefBoxCard
	cfg := matchnet.DefaultConfig()
	cfg.Match, cfg.Story, cfg.RefBox = f.session, f.story, &box
	cfg.Profiles, cfg.PictureFolder = f.profiles, f.folder
	cfg.Match.Localise = !f.drawn && cfg.Story == ""
	if err := checkProfiles(f.profiles); err != nil {
		return cfg, err
	}
	var ok bool
	if cfg.Match.Variant, ok = packageVariants[strings.ToLower(f.variant)]; !ok {
		return cfg, console.Usage(fmt.Errorf("--package %.40s: want v1, v2 or falcons", f.variant))
	}
	var err error
	if cfg.Match.Field, err = f.field.field(); err != nil {
		return cfg, err
	}
	if cfg.Match.Pixels, err = f.vision.robots(cfg.Story != ""); err != nil {
		return cfg, console.Usage(err)
	}
	if cfg.Network, err = f.network.config(); err != nil {
		return cfg, console.Usage(err)
	}
	if f.json && !f.headless {
		return cfg, console.Usage(errors.New("--json needs --headless: it prints the scores of a session without a page"))
	}
	if err := robot.CheckBooking(f.session.Booking); err != nil {
		return cfg, console.Usage(fmt.Errorf("--booking %w", err))
	}
	switch {
	case f.story != "" && !slices.Contains(match.Stories(), f.story):
		return cfg, console.Usage(fmt.Errorf("--story %.40s: want one of %s", f.story, strings.Join(match.Stories(), ", ")))
	case f.auto && f.story == "":
		return cfg, console.Usage(errors.New("--auto needs --story: it prints the figures of a story"))
	case f.story != "" && (f.session.Outside || f.session.NoTCM || f.headless || f.speed == maxSpeed):
		return cfg, console.Usage(errors.New("--story runs three robots in the session, over the TCM, and waits at each figure " +
			"for the page: leave out --processes, --no-tcm, --headless and --speed, or print the figures with --auto"))
	case f.speed != "1" && f.speed != maxSpeed:
		return cfg, console.Usage(fmt.Errorf("--speed %.40s: want 1 for real time, or max for virtual time", f.speed))
	case f.session.Outside && (f.speed == maxSpeed || f.session.NoTCM):
		return cfg, console.Usage(errors.New("--processes runs robots in real time and over the TCM: leave out --speed and " +
			"--no-tcm"))
	case f.record.pictures > 25 || f.record.pictures > 0 && (f.speed == maxSpeed || f.session.NoTCM):
		return cfg, console.Usage(errors.New("--record-pictures: want 0 to 25 pictures a second, in real time and with the TCM"))
	case f.speed == maxSpeed && (!f.headless || f.duration <= 0):
		return cfg, console.Usage(errors.New("--speed max needs --headless and a --duration, for example 60s"))
	}
	return cfg, f.refuseIdle(c)
}

// refuseIdle returns an error for flags that have no effect without a page, or in virtual time.
func (f *demoFlags) refuseIdle(c *cobra.Command) error {
	virtual := f.speed == maxSpeed || f.auto
	if idle := given(c, "dir", "group", "interface", "ttl"); idle != "" && virtual {
		return console.Usage(fmt.Errorf("virtual time has no sockets and no referee box:%s has no effect; leave it out", idle))
	}
	if idle := given(c, "http", "view-only", "profiles"); idle != "" && (virtual || f.headless) {
		return console.Usage(fmt.Errorf("there is no page:%s has no effect; leave it out", idle))
	}
	return nil
}

// maxSpeed is the value of --speed for a session in virtual time.
const maxSpeed = "max"

// runVirtual runs the session in virtual time and prints the scores.
func (f *demoFlags) runVirtual(c *cobra.Command, cfg matchnet.Config, out io.Writer) (err error) {
	ctx := c.Context()
	record, err := f.record.create(withOrigin(f.meta(cfg), c, cfg.Match.Seed))
	if err != nil {
		return err
	}
	if record != nil {
		defer func() { err = errors.Join(err, record.Close()) }()
	}
	cfg.Match.Group = cfg.Network.Group.String()
	if f.auto {
		return runStory(ctx, cfg.Story, cfg.Match, record, out)
	}
	scores, err := runVirtual(ctx, cfg.Match, f.duration, record)
	if err != nil {
		return err
	}
	return printScores(out, scores, nil, f.json)
}

// demoPage returns the page of the session and of its referee box.
func (f *demoFlags) demoPage(s *matchnet.Session, beside *sides) monitor.Config {
	pages := []string{"wall", "network", "robot", "tcm", "booking"}
	if ini, _ := s.TCM(); ini == "" {
		pages = pages[:2]
	}
	switch {
	case f.starts():
		pages = append([]string{"start"}, pages...)
	case f.story != "":
		pages = []string{"booking", "wall", "network", "robot", "tcm"}
	}
	commands := f.page.guarded("files of a robot", s.Commands(), fileCommands...)
	cfg := sessionPage(s.RefBox(), commands, pages...)
	if f.starts() {
		maps.Copy(cfg.Handlers, beside.handlers())
	}
	return cfg
}

// runHeadless runs the session without a page, logs its progress and prints the scores at the end.
func runHeadless(ctx context.Context, s *matchnet.Session, run func(context.Context) error, log *slog.Logger, asJSON bool,
	out io.Writer,
) error {
	start := time.Now()
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	progress := time.NewTicker(10 * time.Second)
	defer progress.Stop()
	for {
		select {
		case <-progress.C:
			log.Info("running", "seconds", int(time.Since(start).Seconds()))
		case err := <-done:
			if err != nil {
				return err
			}
			return printScores(out, s.Scores(), s.Outages(), asJSON)
		}
	}
}

// scoreRow is a participant's score as --json prints it; errors in m, null without a ball.
type scoreRow struct {
	Number   uint8    `json:"number"`
	Team     string   `json:"team"`
	Packets  uint64   `json:"packets"`
	Waited   bool     `json:"waited"` // it never played
	Fused    *float64 `json:"fusedRMSE"`
	Alone    *float64 `json:"aloneRMSE"`
	HasBall  float64  `json:"hasBall"` // share of the time, 0..1
	AloneHas float64  `json:"aloneHasBall"`

	Outages []matchnet.Outage `json:"outages,omitempty"` // with --processes
}

func scoreRows(scores []match.Score, outages []matchnet.Outage) []scoreRow {
	rmse := func(e *match.Errors) *float64 {
		if e.Known == 0 {
			return nil
		}
		r := e.RMSE()
		return &r
	}
	rows := make([]scoreRow, 0, len(scores))
	for i := range scores {
		s := &scores[i]
		rows = append(rows, scoreRow{
			Number: s.Number, Team: s.Team, Packets: s.Sent, Waited: s.Fused.Samples == 0,
			Fused: rmse(&s.Fused), Alone: rmse(&s.Alone), HasBall: s.Fused.Share(), AloneHas: s.Alone.Share(),
		})
		for _, o := range outages {
			if o.Robot == s.Number {
				rows[i].Outages = append(rows[i].Outages, o)
			}
		}
	}
	return rows
}

func printScores(out io.Writer, scores []match.Score, outages []matchnet.Outage, asJSON bool) error {
	rows := scoreRows(scores, outages)
	if asJSON {
		return console.PrintJSON(out, rows)
	}
	metres := func(r *float64) string {
		if r == nil {
			return "-"
		}
		return fmt.Sprintf("%.2f m", *r)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %8s %12s %12s %12s\n", "robot", "packets", "ball error", "alone", "has a ball")
	for _, r := range rows {
		if r.Waited {
			fmt.Fprintf(&b, "%d %-22s          substitute, did not play\n", r.Number, r.Team)
			continue
		}
		fmt.Fprintf(&b, "%d %-22s %8d %12s %12s %10.1f %%\n",
			r.Number, r.Team, r.Packets, metres(r.Fused), metres(r.Alone), 100*r.HasBall)
		for _, o := range r.Outages {
			fmt.Fprintf(&b, "  crashed: gone for its teammates after %.2f s, back %.2f s after its start\n", o.Gone.Last, o.Back.Last)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
