package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/game"
	"touchline/internal/check/checknet"
	"touchline/internal/console"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/playback"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/soccer"
	"touchline/teamcom"
)

// demoMatchFlags are the flags of demo that only a match has.
type demoMatchFlags struct {
	match   bool // play a match at all
	virtual bool // in virtual time
	home    string
	away    string
	half    time.Duration
	named   match.MatchConfig // the titles of its teams
}

func (f *demoMatchFlags) add(set *pflag.FlagSet) {
	cfg := match.DefaultMatchConfig()
	set.BoolVar(&f.match, "match", false, "play a match of five against five instead, in real time, with its page")
	set.BoolVar(&f.virtual, "virtual", false,
		"with --match: play in virtual time without sockets; the page pauses, steps and sets the speed; the same seed gives the same match")
	set.StringVar(&f.home, "home", cfg.Home.Name, "with --match: home team; touchline match --help lists the teams")
	set.StringVar(&f.away, "away", cfg.Away.Name, "with --match: away team")
	addTitles(set, "with --match: ", &f.named)
	set.DurationVar(&f.half, "half", cfg.Half, "with --match: length of each half, 1s to 1h in whole seconds")
}

// Flags of demo that a match does not have, and those that it has in real time only.
var (
	notInMatch = []string{
		"robots", "package", "trailer", "speed", "no-tcm", "drawn-poses", "booking", "story", "auto", "group", "ttl", "vision", "profiles", "record-pictures",
	}
	onlyInRealTime = []string{"interface", "dir", "headless", "json", "processes"}
)

// check returns an error that names flags of demo that contradict each other.
func (f *demoMatchFlags) check(set *pflag.FlagSet) error {
	changed := func(name string) bool {
		flag := set.Lookup(name)
		return flag != nil && flag.Changed
	}
	if !f.match {
		for _, name := range []string{"virtual", "home", "away", "home-name", "away-name", "half"} {
			if changed(name) {
				return fmt.Errorf("--%s is for a match: add --match", name)
			}
		}
		return nil
	}
	for _, name := range notInMatch {
		if changed(name) {
			return fmt.Errorf("--match plays five against five and has no --%s: leave it out", name)
		}
	}
	for _, name := range onlyInRealTime {
		if f.virtual && changed(name) {
			return fmt.Errorf("--virtual plays a match in virtual time on the page: leave out --%s", name)
		}
	}
	if changed("headless") && changed("http") {
		return errors.New("--http: with --headless there is no page: leave out one of them")
	}
	if changed("json") && !changed("headless") {
		return errors.New("--json needs --headless: it prints the result of a match without a page")
	}
	return nil
}

// configure sets what the flags say of a match.
func (f *demoMatchFlags) configure(cfg *match.MatchConfig, processes bool) (err error) {
	cfg.Half, cfg.Localise = f.half, true
	if cfg.Home, err = match.FindTeam(f.home, os.ReadFile); err != nil {
		return fmt.Errorf("--home %w", err)
	}
	if cfg.Away, err = match.FindTeam(f.away, os.ReadFile); err != nil {
		return fmt.Errorf("--away %w", err)
	}
	cfg.Home.Title, cfg.Away.Title = f.named.Home.Title, f.named.Away.Title
	for _, side := range game.Sides {
		if cfg.Team(side).Program != nil {
			return fmt.Errorf("--%s: a match with a program in lockstep has no live page: run touchline match --record m.mcap, then "+
				"touchline replay m.mcap", side)
		}
	}
	switch external := cfg.Home.External || cfg.Away.External; {
	case external && f.virtual:
		return errors.New("--virtual: external programs play in real time: leave it out")
	case processes && cfg.Home.External && cfg.Away.External:
		return errors.New("--processes: no team runs robots of touchline: leave it out")
	}
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("--match: %w", err)
	}
	return nil
}

// wallOfMatch is the period of a match's wall, whose tiles are seldom looked at.
const wallOfMatch = 100 * time.Millisecond

// runMatch plays five against five with its page.
func (f *demoFlags) runMatch(c *cobra.Command, log *slog.Logger) (err error) {
	cfg := match.DefaultMatchConfig()
	cfg.Seed, cfg.Link = f.session.Seed, f.session.Link
	if cfg.Field, err = f.field.field(); err != nil {
		return err
	}
	if err := f.game.configure(&cfg, f.session.Outside); err != nil {
		return console.Usage(err)
	}
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	tape, err := f.record.tape(log, withOrigin(map[string]string{matchlog.MetaField: "match", matchlog.MetaSize: f.field.name,
		matchlog.MetaHome: cfg.Home.Shown(), matchlog.MetaAway: cfg.Away.Shown()}, c, cfg.Seed))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.record.stop(tape)) }()
	if !f.game.virtual {
		return f.runLive(ctx, c, log, cfg, tape)
	}
	m, err := matchnet.VirtualMatch(cfg, match.Tap{
		Packet: func(_ game.Side, p *soccer.Packet) { tape.Packet(p) }, Sample: tape.Figures,
	})
	if err != nil {
		return console.Usage(err)
	}
	shown := f.page.withTape(commanded(m.Commands(), gamePages...), tape)
	shown = f.page.foxglove(shown, tape, shownLive{session: m, services: virtualServices})
	logs := matchlognet.Logs{Files: []string{f.record.file}, Parts: reviewParts()}
	defer logs.Close()
	if f.record.file != "" {
		maps.Copy(shown.Handlers, logs.Handlers())
		shown.Pages = append(slices.Clone(shown.Pages), "log")
	}
	page, err := f.page.open(shown)
	if err != nil {
		return err
	}
	page.warn(log, "pause the match and trouble its robots")
	if err := page.print(c.OutOrStdout(), fmt.Sprintf("five against five, seed %d, open this: %s\nCtrl-C ends it\n", cfg.Seed, page.url)); err != nil {
		return err
	}
	f.page.browse(page.url, c.OutOrStdout(), log)
	return page.run(ctx, taped(m, tape, m.Run), append(gameTopics(func() *matchnet.Match { return m }), recordingTopics(tape)...)...)
}

// runLive plays five against five in real time, with its page and that of its referee box.
func (f *demoFlags) runLive(ctx context.Context, c *cobra.Command, log *slog.Logger, cfg match.MatchConfig,
	tape *playback.Recorder,
) error {
	if f.network.iface != "" && !cfg.Home.External && !cfg.Away.External {
		return console.Usage(errors.New("--interface: with --match it is for an external team, for example --away external"))
	}
	live := matchnet.MatchConfig{
		Match: cfg, Interface: f.network.iface, Dir: f.dir, NewCard: checknet.NewRefBoxCard, Tap: tape.Packet, Sample: tape.Figures,
		CPU: console.CPUTime,
	}
	if f.session.Outside {
		live.Processes = &matchnet.Processes{Errors: c.ErrOrStderr()}
	}
	m, err := matchnet.OpenMatch(ctx, live, log)
	if err != nil {
		return console.Usage(err)
	}
	defer m.Close()
	run := taped(m, tape, m.Run)
	if f.headless {
		fmt.Fprint(c.ErrOrStderr(), waiting(m, &cfg))
		return runHeadlessMatch(ctx, m, run, c.OutOrStdout(), f.json)
	}
	shown := f.page.withTape(sessionPage(m.RefBox(), m.Commands(), append(gamePages, "robot")...), tape)
	page, err := f.page.open(f.page.foxglove(shown, tape, shownLive{session: m, services: matchServices}))
	if err != nil {
		return err
	}
	page.warn(log, "trouble the robots of the match")
	m.RefBox().Changed = refreshReferee(page.server)
	box := m.RefBox()
	more := ""
	if f.addressed {
		more = fmt.Sprintf("base stations: %s\nfoxglove:      %s\n", box.Addr(), page.foxglove())
	}
	text := startLines(fmt.Sprintf("five against five in real time, seed %d", cfg.Seed), page, box, more, waiting(m, &cfg))
	if err := page.print(c.OutOrStdout(), text); err != nil {
		return err
	}
	f.page.browse(page.url, c.OutOrStdout(), log)
	return page.run(ctx, run, slices.Concat(gameTopics(func() *matchnet.Match { return m }), recordingTopics(tape), refereeTopics(box), []topic{
		{"robot/", managernet.RobotPeriod, m.Robot}, {"picture/", managernet.PicturePeriod, m.Robot},
	})...)
}

// waiting returns what a match in real time waits for, one external team a line.
func waiting(m *matchnet.Match, cfg *match.MatchConfig) (text string) {
	for _, side := range game.Sides {
		if !cfg.Team(side).External {
			continue
		}
		at, number := m.Field(side), matchnet.TeamNumber(side)
		text += fmt.Sprintf("%s:          waits for a program that drives its robots at the field %s, team %d: %spython3 docs/team.py %s %d\n",
			side, at, number, withKey(m.Key(side)), at, number)
	}
	return text
}

// runHeadlessMatch runs a match in real time without a page, and prints its report at the end.
func runHeadlessMatch(ctx context.Context, m *matchnet.Match, run func(context.Context) error, out io.Writer, asJSON bool) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	var r matchnet.Report
	period := time.NewTicker(500 * time.Millisecond)
	defer period.Stop()
	for {
		select {
		case err := <-done:
			switch {
			case err != nil:
				return err
			case asJSON:
				return console.JSONEncoder(out).Encode(r)
			}
			_, err = io.WriteString(out, r.String())
			return err
		case <-period.C:
			if ctx.Err() != nil {
				continue
			}
			if r = m.Report(); r.Part == string(game.End) {
				end()
			}
		}
	}
}

// gamePages are the pages of a match.
var gamePages = []string{"match", "wall", "tcm", "booking"}

// gameTopics returns the topics of a match, or of the one that is current. There may be none yet.
func gameTopics(current func() *matchnet.Match) []topic {
	of := func(show func(*matchnet.Match, string) any) func(string) any {
		return func(topic string) any {
			if m := current(); m != nil {
				return show(m, topic)
			}
			return nil
		}
	}
	return []topic{
		{"match", watch.WallPeriod, of((*matchnet.Match).Match)},
		{"wall", wallOfMatch, of((*matchnet.Match).Wall)},
		{"network", watch.NetworkPeriod, of((*matchnet.Match).Network)},
		{"teamcom", teamcom.OverviewPeriod, of((*matchnet.Match).Nodes)},
		{"teamcom.away", teamcom.OverviewPeriod, of((*matchnet.Match).Nodes)},
		{"booking", watch.BookingPeriod, of((*matchnet.Match).Booking)},
		{"booking.away", watch.BookingPeriod, of((*matchnet.Match).Booking)},
		{"behaviour", watch.BehaviourPeriod, of((*matchnet.Match).Behaviour)},
	}
}
