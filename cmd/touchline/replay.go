package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/internal/analysis/analysislog"
	"touchline/internal/check"
	"touchline/internal/console"
	"touchline/internal/monitor"
	"touchline/internal/playback"
	"touchline/internal/station/stationnet"
	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	page       pageFlags
	to, iface  string
	from       []string
	speed      float64
	home, away int
	png, at    string
	size       string
	dark       bool
	json       bool
	duration   time.Duration
}

func replayCommand() *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay FILE...",
		Short: "View or retransmit a log",
		Long: `Replay shows logs on a page, with a timeline of events and the beliefs of both teams over time. The recording
of a session opens on the wall, as it looked live: recordings of demo and monitor show the beliefs, the ground truth
and the packets; recordings of packets alone show what a monitor would have shown. Two logs open side by side on one
clock.

For a session, Foxglove and Lichtblick connect to /foxglove on the page's address; the page shows how. Foxglove
controls the playback (docs/foxglove.md).

With --png it draws the picture at one time (--at) to a file and exits. This needs Chromium, Chrome or Edge on this
machine, and opens no window.

With --to it retransmits one log with its original timing. The datagrams of a recording go to a multicast group, on
the loopback interface unless --interface names another, or to a single address. Replay sends the datagrams that were
originally sent to that address; if there are none, it sends all, but TCM datagrams only if there are no others.

The teams' messages in a match log go to a referee box over TCP, as if from two base stations. The away team connects
after the referee has admitted the home team. If the box closes a connection, replay reconnects. To a referee box on
this machine it connects from 127.0.0.T: touchline refbox identifies team T by this address, and RefBox 2.1 admits it
as localhost. --from sets other source addresses.

Times (--from) are MM:SS since the start of the log, 90s, a date such as 2026-07-03T15:50:14Z, or ms since 1970.`,
		Example: `  touchline replay match.zip
  touchline replay s.mcap
  touchline replay before.mcap after.mcap
  touchline replay s.mcap --png goal.png --at 612s
  touchline replay practice.mcap --to 224.16.32.75:2005 --speed 2
  touchline replay match.zip --to 127.0.0.1:28097 --home 63 --away 67 --from 12:41
  touchline replay match.zip --to 172.16.1.2:28097 --from 172.16.63.10,172.16.67.10`,
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel, err := console.Limited(c.Context(), f.duration)
			if err != nil {
				return err
			}
			defer cancel()
			if f.to == "" || f.png != "" {
				return f.show(ctx, c, args)
			}
			return f.send(ctx, c, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.to, "to", "", "retransmit to this ADDRESS:PORT, a multicast group or a referee box, without a page")
	flags.StringVar(&f.iface, "interface", "", "network interface for a multicast group (default: loopback)")
	flags.Float64Var(&f.speed, "speed", 1, "with --to: speed, 0.1 to 64 times the original")
	flags.StringSliceVar(&f.from, "from", nil, "with --to: start time, for example 12:41; with a referee box also the "+
		"source address to connect from, for example 172.16.63.10, or one for each team, 172.16.63.10,172.16.67.10")
	flags.IntVar(&f.home, "home", 0, "with --to a referee box: number of the home team (default: from the log)")
	flags.IntVar(&f.away, "away", 0, "with --to a referee box: number of the away team (default: from the log)")
	flags.StringVar(&f.png, "png", "", "draw the picture at one time to this FILE, without a page")
	flags.StringVar(&f.at, "at", "",
		"with --png: the time, as the page shows it, for example 10:12 or 612s (default: the start)")
	flags.StringVar(&f.size, "size", "1920x1080", "with --png: width and height in pixels")
	flags.BoolVar(&f.dark, "dark", false, "with --png: use the dark theme")
	flags.BoolVar(&f.json, "json", false, "print addresses and results as JSON")
	console.AddDuration(flags, &f.duration)
	console.Accept(flags, "the number of a team, 1 to 254, for example 39", "home", "away")
	console.Accept(flags, "a factor from 0.1 to 64, for example 2", "speed")
	f.page.add(flags)
	return c
}

// show serves the page until the context ends.
func (f *replayFlags) show(ctx context.Context, c *cobra.Command, args []string) error {
	for _, name := range []string{"speed", "from", "interface", "home", "away"} {
		if c.Flags().Changed(name) {
			return console.Usage(fmt.Errorf("--%s requires --to; on the page use the keys, ? shows them", name))
		}
	}
	if err := f.checkPicture(c, len(args)); err != nil {
		return err
	}
	if len(args) == 0 {
		return console.Usage(errors.New("FILE is required, for example touchline replay match.zip"))
	}
	origins := map[string]string{}
	for _, name := range args {
		l, err := matchlog.Open(name)
		if err != nil {
			return console.Usage(err)
		}
		info := l.Info()
		l.Close()
		origins[filepath.Base(name)] = originOf(info.Meta)
		if info.Start == 0 {
			return console.Usage(fmt.Errorf("%s contains no message with a timestamp: see what is in it with touchline check", name))
		}
	}
	if len(args) == 2 && f.png == "" {
		return f.showPair(ctx, c, [2]string(args))
	}
	shown, err := openShown(args)
	if err != nil {
		return err
	}
	defer shown.close()
	token := shown.annotated(&f.page)
	return f.serve(ctx, c, shown.pages, shown.path, shown.replay, token)
}

// reviewParts is the part of logs' addresses that reviews decisions.
func reviewParts() map[string]matchlognet.Part {
	return map[string]matchlognet.Part{"review": new(analysislog.Reviews).Serve}
}

// shownLog is a log with the pages that show it.
type shownLog struct {
	pages  monitor.Config
	path   string           // address of the page that shows it first
	replay *playback.Replay // nil without a session
	logs   *matchlognet.Logs
}

// openShown opens logs for a page, which shows the first one.
func openShown(names []string) (*shownLog, error) {
	s := &shownLog{pages: monitor.DefaultConfig(), logs: &matchlognet.Logs{Files: names, Parts: reviewParts()}}
	s.pages.Handlers, s.pages.Pages, s.path = s.logs.Handlers(), []string{"log"}, "log#"+filepath.Base(names[0])
	replay, err := playback.OpenReplay(names[0])
	switch {
	case errors.Is(err, playback.ErrNoSession):
		return s, nil
	case err != nil:
		s.logs.Close()
		return nil, err
	}
	s.replay = replay
	maps.Copy(s.pages.Handlers, playback.Handlers(replay.Player))
	pages := []string{"wall", "network", "tcm", "booking", "log"}
	if !replay.HasTCM() {
		pages = slices.DeleteFunc(pages, func(page string) bool { return page == "tcm" || page == "booking" })
	}
	s.path = "#wall"
	if replay.HasPictures() {
		pages = slices.Insert(pages, 1, "robot")
	}
	if replay.HasMatch() {
		pages, s.path = slices.Insert(pages, 0, "match"), "#match"
	}
	s.pages.Pages = pages
	return s, nil
}

func (s *shownLog) close() {
	if s.replay != nil {
		s.replay.Close()
	}
	s.logs.Close()
}

// serve prints the address of the page at path and serves it until the context ends; replay is nil without a session, and
// token "" where notes need none.
func (f *replayFlags) serve(ctx context.Context, c *cobra.Command, cfg monitor.Config, path string,
	replay *playback.Replay, token string,
) error {
	if f.png != "" {
		return f.draw(ctx, c, cfg, path, replay)
	}
	what := "log"
	if replay != nil {
		what, cfg = "session", f.page.foxgloveOf(cfg, replay)
	}
	page, err := f.page.open(cfg)
	if err != nil {
		return err
	}
	if f.json {
		err = console.PrintJSON(c.OutOrStdout(), replayPage{page.url + path})
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "%s: %s\n%s", what, page.url+path, notesAddress(page.url+path, token))
		f.page.browse(page.url+path, c.OutOrStdout(), console.Logger(c.ErrOrStderr()))
	}
	if err != nil {
		page.listener.Close()
		return err
	}
	return page.replay(ctx, replay)
}

// replay serves the page until ctx ends; replay is nil without a session.
func (p *page) replay(ctx context.Context, replay *playback.Replay) error {
	if replay == nil {
		return p.serve(ctx)
	}
	run := replay.Run
	if p.reel != nil {
		run = func(ctx context.Context) error {
			group, ctx := errgroup.WithContext(ctx)
			group.Go(func() error { return replay.Run(ctx) })
			group.Go(func() error { return p.reel.Run(ctx, p.clients) })
			return group.Wait()
		}
	}
	return p.run(ctx, run, sessionTopic(replay))
}

// sessionTopic is what a page knows of a recording.
func sessionTopic(replay *playback.Replay) topic {
	return topic{"session", time.Second / 2, replay.State}
}

// checkPicture checks the flags of --png.
func (f *replayFlags) checkPicture(c *cobra.Command, files int) error {
	for _, name := range []string{"at", "size", "dark"} {
		if f.png == "" && c.Flags().Changed(name) {
			return console.Usage(fmt.Errorf("--%s requires --png FILE", name))
		}
	}
	if f.png == "" {
		return nil
	}
	if f.to != "" || c.Flags().Changed("http") {
		return console.Usage(errors.New("--png draws one picture and ends: leave out --to and --http"))
	}
	if files > 1 {
		return console.Usage(errors.New("--png draws one log: give one FILE"))
	}
	return console.CheckReplaces("png", f.png, "\x89PNG")
}

// picture returns the configuration of the picture, and its time in s, without which it shows the start.
func (f *replayFlags) picture() (cfg monitor.ScreenshotConfig, at float64, err error) {
	const latest = 1e6 // s; a date or a time since 1970 is later
	cfg = monitor.DefaultScreenshotConfig()
	cfg.Dark, cfg.Settled = f.dark, "touchline.drawn().settled"
	t, err := parseTime("--at", f.at, 0, 0)
	if at = t.Sub(0).Seconds(); err != nil || at > latest {
		return cfg, 0, console.Usage(fmt.Errorf("--at %.40s: want a time as the page shows it, for example 10:12 or 612s",
			f.at))

	}
	width, height, _ := strings.Cut(f.size, "x")
	w, errW := strconv.Atoi(width)
	h, errH := strconv.Atoi(height)
	if errW != nil || errH != nil || w < 320 || h < 240 || w > 7680 || h > 4320 {
		return cfg, 0, console.Usage(fmt.Errorf("--size %.40s: want a width and a height from 320x240 to 7680x4320, "+
			"for example 1366x768", f.size))

	}
	cfg.Width, cfg.Height = w, h
	return cfg, at, nil
}

// draw draws the page at path into the file of --png.
func (f *replayFlags) draw(ctx context.Context, c *cobra.Command, cfg monitor.Config, path string,
	replay *playback.Replay,
) error {
	picture, at, err := f.picture()
	if err != nil {
		return err
	}
	if picture.Browser, err = monitor.Find(); err != nil {
		return console.Usage(fmt.Errorf("--png %s: %w", f.png, err))
	}
	f.page.http = "127.0.0.1:0"
	page, err := f.page.open(cfg)
	if err != nil {
		return err
	}
	picture.URL = fmt.Sprintf("%s%s&t=%.3f", page.url, path, at)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return page.replay(ctx, replay) })
	group.Go(func() error {
		defer stop()
		png, shown, err := monitor.Take(ctx, picture)
		if err != nil {
			return fmt.Errorf("--png %s: %w", f.png, err)
		}
		if f.at != "" && math.Abs(shown-at) > 0.5 {
			return console.Usage(fmt.Errorf("--at %s: the log has no such time; the nearest is %.1f s", f.at, shown))
		}
		if err := os.WriteFile(f.png, png, 0o644); err != nil {
			return fmt.Errorf("--png: %w", err)
		}
		return f.report(c, shown)
	})
	return group.Wait()
}

// replayPage is what replay prints as JSON while it shows a log.
type replayPage struct {
	Page string `json:"page"` // address
}

// replayPicture is what replay --png prints as JSON.
type replayPicture struct {
	At  float64 `json:"at"`  // s since the start of the log
	PNG string  `json:"png"` // file
}

// report prints which picture was drawn.
func (f *replayFlags) report(c *cobra.Command, shown float64) error {
	if f.json {
		return console.PrintJSON(c.OutOrStdout(), replayPicture{shown, f.png})
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s: the picture at %.3f s\n", f.png, shown)
	return err
}

// send retransmits a log.
func (f *replayFlags) send(ctx context.Context, c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return console.Usage(errors.New("--to retransmits one log: give one FILE"))
	}
	if !(f.speed >= 0.1 && f.speed <= 64) {
		return console.Usage(fmt.Errorf("--speed %g: want 0.1 to 64", f.speed))
	}
	if c.Flags().Changed("http") {
		return console.Usage(errors.New("--http serves a page, and --to has none: leave out one of them"))
	}
	to := f.to
	if _, _, err := net.SplitHostPort(to); err != nil {
		if a, err := netip.ParseAddr(to); err == nil && a.IsMulticast() {
			return console.Usage(fmt.Errorf("--to %s: the port is missing, for example %s", to, mixedteam.Group))
		}
		to = net.JoinHostPort(to, strconv.Itoa(msl.Port))
	}
	l, err := openLog(args[0])
	if err != nil {
		return err
	}
	defer l.Close()
	start := l.Info().Start
	begin, own, err := f.origin()
	if err != nil {
		return err
	}
	from, err := parseTime("--from", begin, start, start)
	if err != nil {
		return err
	}
	var packets, messages uint64
	for _, ch := range l.Info().Channels {
		switch ch.Name {
		case matchlog.Packets, matchlog.TCM:
			packets += ch.Count
		case matchlog.Home, matchlog.Away:
			messages += ch.Count
		}
	}
	cfg := stationnet.ReplayConfig{From: from, Speed: f.speed, Interface: f.iface, Own: own, Teams: [2]int{
		f.teamOf(l, f.home, matchlog.MetaHomeID, matchlog.MetaHome), f.teamOf(l, f.away, matchlog.MetaAwayID, matchlog.MetaAway),
	}, Waiting: func(side string, team int) {
		fmt.Fprintf(c.ErrOrStderr(), "waiting until the referee admits %s (team %d)\n", side, team)
	}}
	group, _ := netip.ParseAddrPort(to)
	original, err := stationnet.SentTo(l, to)
	if err != nil {
		return err
	}
	var r stationnet.ReplayResult
	switch {
	case group.Addr().IsMulticast() && packets == 0, packets+messages == 0:
		return console.Usage(fmt.Errorf("%s has nothing to send to %s: it contains %d datagrams and %d messages of teams",
			args[0], to, packets, messages))

	case from > l.Info().End:
		return console.Usage(fmt.Errorf("the log has no message after --from %s: it covers %s",
			begin, coverText(start, l.Info().End)))
	case original, packets > 0 && (messages == 0 || group.Addr().IsMulticast()):
		r, err = stationnet.ReplayPackets(ctx, l, to, cfg)
	default:
		r, err = stationnet.ReplayMatch(ctx, l, to, cfg, console.Logger(c.ErrOrStderr()))
	}
	if errors.Is(err, stationnet.ErrTarget) {
		return console.Usage(fmt.Errorf("--to %s: %w", f.to, err))
	}
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if f.json {
		return console.PrintJSON(c.OutOrStdout(), r)
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "sent %s, %.1f MB in %.1f s\n",
		check.Plural(r.Messages, "message"), float64(r.Bytes)/1e6, r.Seconds)
	return err
}

// origin returns the values of --from: a start time, "" without one, and the own addresses of the home and the away
// team, zero without one.
func (f *replayFlags) origin() (start string, own [2]netip.Addr, err error) {
	given := 0
	for _, value := range f.from {
		addr, notAddr := netip.ParseAddr(value)
		switch {
		case notAddr == nil && given < 2:
			own[given] = addr
			given++
		case notAddr == nil, start != "":
			return "", own, console.Usage(fmt.Errorf("--from %s: want one start time, and one address for each team, "+
				"for example --from 12:41 --from 172.16.63.10,172.16.67.10", strings.Join(f.from, ",")))

		default:
			start = value
		}
	}
	if given == 1 {
		own[1] = own[0]
	}
	return start, own, nil
}

// teamOf returns a team's number: the given one, the one in the log, or the one of the team's name; 0 if all are
// unknown.
func (f *replayFlags) teamOf(l *matchlog.Log, given int, id, name string) int {
	meta := l.Info().Meta
	if n, err := strconv.Atoi(meta[id]); given == 0 && err == nil {
		given = n
	}
	for _, t := range soccer.MSLTeams() {
		if given == 0 && (strings.EqualFold(t.Name, meta[name]) || strings.EqualFold(t.Short, meta[name])) {
			given = t.ID
		}
	}
	return given
}
