package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/check/checknet"
	"touchline/internal/console"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/monitor"
	"touchline/internal/playback"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/watch"
	"touchline/internal/watch/watchnet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport"
	"touchline/wire"
)

// defaultHTTP is the default address of the page.
const defaultHTTP = "127.0.0.1:8014"

// pageFlags are the flags of the page.
type pageFlags struct{ http string }

func (p *pageFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.http, "http", "", "address of the page (default "+defaultHTTP+", or a free port if that is taken)")
}

// matchPages are the pages of a referee box; the first is public.
var matchPages = []string{"scoreboard", "referee", "teams", "log"}

// page is the web page with its socket.
type page struct {
	server   *monitor.Server
	listener net.Listener
	url      string
	public   bool // other machines reach it
}

// open opens the page's socket. It fills in the host names of the page.
func (p *pageFlags) open(cfg monitor.Config) (*page, error) {
	address := p.http
	if address == "" {
		address = defaultHTTP
	}
	if _, port, err := net.SplitHostPort(address); err != nil {
		return nil, console.Usage(fmt.Errorf("--http %.60s: want an address and a port, for example %s", address, defaultHTTP))
	} else if _, err := net.LookupPort("tcp", port); err != nil {
		return nil, console.Usage(fmt.Errorf("--http %.60s: want a port from 0 to 65535, for example %s", address,
			defaultHTTP))

	}
	l, err := net.Listen("tcp", address)
	if err != nil && p.http == "" {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		why := cmp.Or(transport.ForeignAddress(err), "choose another address with --http")
		return nil, fmt.Errorf("the page cannot be served on %s: %w; %s", address, err, why)
	}
	host, _, _ := net.SplitHostPort(address) // Listen accepted it
	cfg.Hosts = hosts(host, l.Addr().(*net.TCPAddr))
	return &page{monitor.New(cfg), l, pageURL(host, l.Addr().(*net.TCPAddr), transport.Prefixes()), p.beyondLoopback()}, nil
}

// commanded returns the configuration of pages whose commands return no value and need no token.
func commanded(command func(context.Context, string, json.RawMessage) error, pages ...string) monitor.Config {
	cfg := monitor.DefaultConfig()
	cfg.Pages = pages
	cfg.Command = func(r monitor.Request) (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := command(ctx, r.Name, r.Body); err != nil {
			return nil, errors.New(console.Plain(err.Error()))
		}
		return nil, nil
	}
	return cfg
}

// pageURL returns the page's address for a browser: on this machine, or if the page is served on every interface, on
// other machines too. addresses are this machine's.
func pageURL(host string, at *net.TCPAddr, addresses []netip.Prefix) string {
	if at.IP.IsUnspecified() {
		host = "localhost"
		for _, p := range addresses {
			if a := p.Addr(); a.Is4() && a.IsGlobalUnicast() {
				host = a.String()
				break
			}
		}
	} else if host == "" {
		host = at.IP.String()
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(at.Port)) + "/"
}

// hosts returns the host names of the page besides loopback: the one that the user gave and its address, or all of this
// machine's if the page is served on every interface.
func hosts(host string, at *net.TCPAddr) []string {
	if !at.IP.IsUnspecified() {
		return []string{host, at.IP.String()}
	}
	var names []string
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	for _, p := range transport.Prefixes() { // localhost works without them
		names = append(names, p.Addr().String())
	}
	return names
}

// serve serves the page until ctx ends.
func (p *page) serve(ctx context.Context) error {
	server := &http.Server{
		Handler: p.server, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	stop := context.AfterFunc(ctx, func() {
		p.server.Close()
		server.Close()
	})
	defer stop()
	if err := transport.Limit(p.listener, transport.DefaultLimits()).Serve(server); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the page stopped: %w", err)
	}
	return nil
}

// beyondLoopback reports whether other machines reach the page.
func (p *pageFlags) beyondLoopback() bool {
	host, _, _ := net.SplitHostPort(p.http)
	addr, err := netip.ParseAddr(host)
	return p.http != "" && host != "localhost" && (err != nil || !addr.IsLoopback())
}

// warn logs that everybody who reaches the page may do something, if other machines reach it.
func (p *page) warn(log *slog.Logger, what string) {
	if p.public {
		log.Warn(fmt.Sprintf("every machine that reaches %s may %s: the page needs no token", p.url, what))
	}
}

// withTape adds a tape to the configuration of a page: its past, and the command that records. Where other machines
// reach the page the command needs the token, because it writes files.
func (p *pageFlags) withTape(cfg monitor.Config, tape *playback.Recorder) monitor.Config {
	handlers := playback.Handlers(tape.Player())
	maps.Copy(handlers, cfg.Handlers)
	cfg.Handlers = handlers
	others := cfg.Command
	cfg.Command = func(r monitor.Request) (any, error) {
		switch {
		case r.Name != "record" && others == nil:
			return nil, monitor.Forbidden("this page accepts only the command record")
		case r.Name != "record":
			return others(r)
		case p.beyondLoopback() && !r.Authorised:
			return nil, monitor.Forbidden("recording needs the token, because other machines reach this page: " +
				"open the page with the address that the program printed")
		}
		var body struct {
			On bool `json:"on"`
		}
		if err := wire.DecodeJSON(r.Body, r.Name, &body); err != nil {
			return nil, err
		}
		record := tape.Stop
		if body.On {
			record = func() error { return tape.Start("") }
		}
		if err := record(); err != nil {
			return nil, errors.New(console.Plain(err.Error()))
		}
		return nil, nil
	}
	return cfg
}

// sessionPage returns the pages of a session and of its referee box. command executes the commands of the session.
func sessionPage(box *refboxnet.Server, command func(name string, body json.RawMessage) (any, error), pages ...string,
) monitor.Config {
	cfg := refereePage(box, box.Token())
	referee := cfg.Command
	cfg.Command = func(r monitor.Request) (any, error) {
		if slices.Contains(matchnet.RefereeCommands(), r.Name) {
			return referee(r)
		}
		return command(r.Name, r.Body)
	}
	cfg.Pages = slices.Concat(pages, matchPages)
	return cfg
}

// tapeTopics returns the topic of a tape.
func tapeTopics(t *playback.Recorder) []topic { return []topic{{"session", time.Second / 2, t.State}} }

// taped returns a function that runs a session and its tape.
func taped(s playback.Session, tape *playback.Recorder, run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return run(ctx) })
		group.Go(func() error { return tape.Run(ctx, s) })
		return group.Wait()
	}
}

// topic is a value that pages can watch.
type topic struct {
	name     string // a name that ends in "/" stands for every topic with that prefix
	period   time.Duration
	snapshot func(topic string) any
}

// print prints the addresses of the page. Without them nobody finds it: it is closed where they cannot be printed.
func (p *page) print(out io.Writer, text string) error {
	if _, err := io.WriteString(out, text); err != nil {
		p.listener.Close()
		return fmt.Errorf("the page's address cannot be printed: %w", err)
	}
	return nil
}

// publish publishes topics until ctx ends, in goroutines of group.
func (p *page) publish(ctx context.Context, group *errgroup.Group, topics ...topic) {
	for _, t := range topics {
		group.Go(func() error { return p.server.Every(ctx, t.name, t.period, t.snapshot) })
	}
}

// run serves the page with its topics, and runs what it shows, until ctx ends.
func (p *page) run(ctx context.Context, shown func(context.Context) error, topics ...topic) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return p.serve(ctx) })
	p.publish(ctx, group, topics...)
	group.Go(func() error { return shown(ctx) })
	return group.Wait()
}

// teamSession is a session whose team talks over the TCM.
type teamSession struct {
	playback.Session
	*watchnet.Team
}

// teamTopics returns the topics of the page tcm.
func teamTopics(t *watchnet.Team) []topic {
	return []topic{
		{"teamcom", teamcom.OverviewPeriod, t.Nodes},
		{"messages", watch.OverviewPeriod, t.Traffic},
		{"booking", watch.BookingPeriod, t.Booking},
		{"behaviour", watch.BehaviourPeriod, t.Behaviour},
		{"messages/", watch.MessagesPeriod, t.Messages},
	}
}

// wallTopics returns the topics of the pages wall and network.
func wallTopics(source interface {
	Wall(string) any
	Network(string) any
	Packets(string) any
}) []topic {
	return []topic{
		{"wall", watch.WallPeriod, source.Wall},
		{"network", watch.NetworkPeriod, source.Network},
		{"packets/", watch.PacketsPeriod, source.Packets},
	}
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
	if err := f.game.Configure(&cfg, f.session.Outside); err != nil {
		return console.Usage(err)
	}
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	tape, err := f.record.tape(log, map[string]string{matchlog.MetaField: "match", matchlog.MetaSize: f.field.name,
		matchlog.MetaHome: cfg.Home.Name, matchlog.MetaAway: cfg.Away.Name})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.record.stop(tape)) }()
	if !f.game.Virtual {
		return f.runLive(ctx, c, log, cfg, tape)
	}
	game, err := NewDemo(cfg, match.Tap{Packet: func(_ game.Side, p *soccer.Packet) { tape.Packet(p) }})
	if err != nil {
		return console.Usage(err)
	}
	command := func(_ context.Context, name string, body json.RawMessage) error {
		_, err := game.Command(name, body)
		return err
	}
	page, err := f.page.open(f.page.withTape(commanded(command, gamePages...), tape))
	if err != nil {
		return err
	}
	page.warn(log, "pause the match and trouble its robots")
	if err := page.print(c.OutOrStdout(), fmt.Sprintf("five against five, seed %d: %s#match\n", cfg.Seed, page.url)); err != nil {
		return err
	}
	return page.run(ctx, taped(game, tape, game.Run), append(gameTopics(game), tapeTopics(tape)...)...)
}

// runLive plays five against five in real time, with its page and that of its referee box.
func (f *demoFlags) runLive(ctx context.Context, c *cobra.Command, log *slog.Logger, cfg match.MatchConfig,
	tape *playback.Recorder,
) error {
	live := matchnet.LiveConfig{
		Match: cfg, Outside: f.session.Outside, Dir: f.dir, NewCard: checknet.NewRefBoxCard, Tap: tape.Packet,
	}
	game, err := Open(ctx, live, log, func(live *matchnet.Live) (DemoCrew, error) {
		return OfMatch(live, log, c.ErrOrStderr())
	})
	if err != nil {
		return console.Usage(err)
	}
	defer game.Close()
	run := taped(game, tape, game.Run)
	if f.headless {
		fmt.Fprint(c.ErrOrStderr(), game.Waiting())
		return game.Headless(ctx, run, c.OutOrStdout(), f.json)
	}
	page, err := f.page.open(f.page.withTape(sessionPage(game.RefBox(), game.Command, append(gamePages, "robot")...), tape))
	if err != nil {
		return err
	}
	page.warn(log, "trouble the robots of the match")
	game.RefBox().Changed = refreshReferee(page.server)
	if err := page.print(c.OutOrStdout(), game.Addresses(page.url)); err != nil {
		return err
	}
	return page.run(ctx, run, slices.Concat(gameTopics(game), tapeTopics(tape), refereeTopics(game.RefBox()), []topic{
		{"robot/", managernet.RobotPeriod, game.Robot}, {"picture/", managernet.PicturePeriod, game.Robot},
	})...)
}

// gamePages are the pages of a match.
var gamePages = []string{"match", "wall", "tcm", "booking"}

// gameTopics returns the topics of a match.
func gameTopics(g *Game) []topic {
	return []topic{
		{"match", watch.WallPeriod, g.Match},
		{"wall", wallOfMatch, g.Wall},
		{"network", watch.NetworkPeriod, g.Network},
		{"teamcom", teamcom.OverviewPeriod, g.Nodes},
		{"teamcom.away", teamcom.OverviewPeriod, g.Nodes},
		{"booking", watch.BookingPeriod, g.Booking},
		{"booking.away", watch.BookingPeriod, g.Booking},
		{"behaviour", watch.BehaviourPeriod, g.Behaviour},
	}
}
