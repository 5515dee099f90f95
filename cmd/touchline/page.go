package main

import (
	"cmp"
	"context"
	"crypto/rand"
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
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/internal/console"
	"touchline/internal/control"
	"touchline/internal/manager"
	"touchline/internal/match"
	"touchline/internal/monitor"
	"touchline/internal/playback"
	"touchline/internal/playback/foxglovenet"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/watch"
	"touchline/internal/watch/watchnet"
	"touchline/teamcom"
	"touchline/transport"
)

// defaultHTTP is the default address of the page.
const defaultHTTP = "127.0.0.1:8014"

// pageFlags are the flags of the page.
type pageFlags struct {
	http      string
	noBrowser bool
	viewOnly  bool

	clients *foxglovenet.Server // of Foxglove, on the page that open opens; nil: none
	reel    *playback.Reel      // what they see of a recording
}

func (p *pageFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.http, "http", "", "address of the page (default "+defaultHTTP+", or a free port if that one is taken)")
	flags.BoolVar(&p.noBrowser, "no-browser", false, "do not open a browser (default: open one if there is a desktop and a terminal)")
	flags.BoolVar(&p.viewOnly, "view-only", false, "do not accept commands from the pages, even with the token")
}

// guard gives the commands of a page that other machines reach a token, and returns it; "" for no such page.
func (p *pageFlags) guard(cfg *monitor.Config) (token string) {
	if !p.beyondLoopback() {
		return ""
	}
	token = rand.Text()
	cfg.Guard = monitor.NewGuard(token, transport.Trust)
	return token
}

// openMonitor opens the page of a monitor of something, and prints its address; the token is for a use.
func (p *pageFlags) openMonitor(
	c *cobra.Command, cfg monitor.Config, tape *playback.Recorder, live shownLive, of, use string,
) (*page, error) {
	token := p.guard(&cfg)
	page, err := p.open(p.foxglove(p.withTape(cfg, tape), tape, live))
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("monitor of %s: %s\n", of, page.url)
	if token != "" {
		text += fmt.Sprintf("to %s from the page: %s#token=%s\n", use, page.url, token)
	}
	return page, page.print(c.OutOrStdout(), text)
}

// matchPages are the pages of a referee box; the first is public.
var matchPages = []string{"scoreboard", "referee", "teams", "log"}

// page is the web page with its socket.
type page struct {
	server    *monitor.Server
	listener  net.Listener
	url       string
	hosts     []string
	public    bool // other machines reach it
	viewOnly  bool
	elsewhere []string            // addresses for browsers on other machines, the best first
	clients   *foxglovenet.Server // of Foxglove; nil: none
	reel      *playback.Reel      // what they see of a recording; nil: none
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
		return nil, fmt.Errorf("cannot serve the page on %s: %w; %s", address, err, why)
	}
	host, _, _ := net.SplitHostPort(address) // Listen accepted it
	at := l.Addr().(*net.TCPAddr)
	cfg.Hosts = hosts(host, at)
	if cfg.ViewOnly = p.viewOnly; p.viewOnly {
		live := len(cfg.Commands) > 0 // a robot sends its pictures to a page that asks for them
		cfg.Pages = slices.DeleteFunc(slices.Clone(cfg.Pages), func(name string) bool {
			return name == "referee" || live && name == "robot"
		})
	}
	if len(cfg.Commands) > 0 { // the pages of every session can show recordings and reviews
		cfg.Commands = control.Join(cfg.Commands, control.Refuse(errNoNotes, "note", "session-note"),
			control.Refuse(errNoReferee, "verdict"))
	}
	opened := &page{
		listener: l, hosts: cfg.Hosts, url: pageURL(host, at, transport.Prefixes()), public: p.beyondLoopback(),
		viewOnly: p.viewOnly, clients: p.clients, reel: p.reel,
	}
	if opened.public {
		opened.elsewhere = pageURLs(host, at, transport.Prefixes())
	}
	if len(opened.elsewhere) > 0 {
		cfg.Addresses = opened.elsewhere
		cfg.Handlers = maps.Clone(cfg.Handlers)
		if cfg.Handlers == nil {
			cfg.Handlers = map[string]http.Handler{}
		}
		cfg.Handlers["GET /api/code.svg"] = codePicture(opened.elsewhere[0])
	}
	opened.server = monitor.New(cfg)
	return opened, nil
}

// commanded returns the configuration of pages whose commands need no token.
func commanded(commands control.Table, pages ...string) monitor.Config {
	cfg := monitor.DefaultConfig()
	cfg.Pages, cfg.Commands = pages, commands.Around(plainErrors)
	return cfg
}

// errNoReferee refuses the verdict of a review where no referee box runs.
var errNoReferee = errors.New("this program has no referee box whose journal takes a verdict: touchline refbox and " +
	"touchline demo --match have one")

// plainErrors carries out a command, and says in plain words what failed.
func plainErrors(_ control.Request, do func() (any, error)) (any, error) {
	v, err := do()
	if err != nil {
		return nil, errors.New(console.Plain(err.Error()))
	}
	return v, nil
}

// referee returns the line with the address of the referee's page; none if it could do nothing.
func (p *page) referee(box *refboxnet.Server) string {
	if p.viewOnly {
		return ""
	}
	return fmt.Sprintf("referee:       %sreferee#token=%s\n", p.url, box.Token())
}

// pageURL returns the page's address for a browser: on this machine, or if the page is served on every interface, on
// other machines too. addresses are this machine's.
func pageURL(host string, at *net.TCPAddr, addresses []netip.Prefix) string {
	if all := pageURLs(host, at, addresses); len(all) > 0 {
		return all[0]
	}
	return "http://" + net.JoinHostPort("localhost", strconv.Itoa(at.Port)) + "/"
}

// pageURLs returns all addresses of the page for browsers: for one that is served on every interface, those of this
// machine's IPv4 addresses that others may reach.
func pageURLs(host string, at *net.TCPAddr, addresses []netip.Prefix) (all []string) {
	names := []string{cmp.Or(host, at.IP.String())}
	if at.IP.IsUnspecified() {
		names = nil
		for _, p := range addresses {
			if a := p.Addr(); a.Is4() && a.IsGlobalUnicast() {
				names = append(names, a.String())
			}
		}
	}
	for _, name := range names {
		all = append(all, "http://"+net.JoinHostPort(name, strconv.Itoa(at.Port))+"/")
	}
	return all
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
	ctx, cancel := context.WithCancel(ctx)
	var foxglove sync.WaitGroup
	defer foxglove.Wait()
	defer cancel()
	if p.clients != nil {
		foxglove.Go(func() { p.clients.Run(ctx) })
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
	if p.public && !p.viewOnly {
		log.Warn(fmt.Sprintf("every machine that reaches %s may %s: the page needs no token", p.url, what))
	}
}

// withTape adds a tape to the configuration of a page: its past, and the command that records. Where other machines
// reach the page the command needs the token, because it writes files.
func (p *pageFlags) withTape(cfg monitor.Config, tape *playback.Recorder) monitor.Config {
	handlers := playback.Handlers(tape.Player())
	maps.Copy(handlers, cfg.Handlers)
	cfg.Handlers = handlers
	record := control.Table{"record": control.Handle(func(b recordSwitch) error {
		if b.On {
			return tape.Start("")
		}
		return tape.Stop()
	})}
	cfg.Commands = control.Join(p.guarded("recording", record.Around(plainErrors)), cfg.Commands)
	return cfg
}

// recordSwitch is the body of the command record.
type recordSwitch struct {
	On bool `json:"on"`
}

// guarded returns commands of which the named ones, or without names all, need the token where other machines reach the
// page.
func (p *pageFlags) guarded(what string, commands control.Table, names ...string) control.Table {
	return commands.Around(func(r control.Request, do func() (any, error)) (any, error) {
		needs := len(names) == 0 || slices.Contains(names, r.Name)
		if needs && p.beyondLoopback() && !r.Authorised {
			return nil, monitor.Forbidden(what + " needs the token, because other machines reach this page: " +
				"open the page with the address that the program printed")
		}
		return do()
	})
}

// fileCommands are the commands of a robot's page that write files of this machine, or replace those of a robot.
var fileCommands = []string{manager.SaveProfile, manager.LoadProfile, "robot-machine", "robot-send-colors"}

// sessionPage returns the pages of a session and of its referee box, with the commands of both.
func sessionPage(box *refboxnet.Server, commands control.Table, pages ...string) monitor.Config {
	cfg := refereePage(box, box.Token())
	cfg.Commands = control.Join(cfg.Commands, commands)
	cfg.Pages = slices.Concat(pages, matchPages)
	return cfg
}

// recordingTopics returns the topic of a recording.
func recordingTopics(t *playback.Recorder) []topic {
	return []topic{{"session", time.Second / 2, t.State}}
}

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
	if len(p.elsewhere) > 1 {
		text += "pages:         " + strings.Join(p.elsewhere, ", ") + "\n"
	}
	if len(p.elsewhere) > 0 && console.Terminal(out) {
		text += codeText(p.elsewhere[0])
	}
	if _, err := io.WriteString(out, text); err != nil {
		p.listener.Close()
		return fmt.Errorf("cannot print the page's address: %w", err)
	}
	return nil
}

// withoutControls returns a snapshot in which pages have no controls.
func withoutControls(snapshot func(string) any) func(string) any {
	return func(topic string) any {
		v := snapshot(topic)
		switch v := v.(type) {
		case *watch.Wall:
			v.Controls = false
		case *match.ShowView:
			v.Controls = false
		}
		return v
	}
}

// publish publishes topics until ctx ends, in goroutines of group.
func (p *page) publish(ctx context.Context, group *errgroup.Group, topics ...topic) {
	for _, t := range topics {
		if p.viewOnly {
			t.snapshot = withoutControls(t.snapshot)
		}
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
