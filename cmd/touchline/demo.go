package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/match"
	"touchline/match/matchnet"
	"touchline/monitor"
	"touchline/refbox/refboxnet"
	"touchline/transport"
	"touchline/watch"
	"touchline/wire/mixedteam"
)

// demoFlags is what the practical session can be told.
type demoFlags struct {
	page     pageFlags
	network  networkFlags
	field    fieldFlag
	session  match.Config
	record   recordFlag
	variant  string
	dir      string
	headless bool
	json     bool
	duration time.Duration
}

func demoCommand() *cobra.Command {
	f := demoFlags{session: match.DefaultConfig()}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run the practical session: five robots, one ball, five monitors",
		Long: `Demo runs the practical session of the MSL workshop of 2014: robots and stand-ins of six teams, five of them on an
18 x 12 m field, share what they see of one ball in mixed team packages over UDP multicast. The page shows the truth
and, side by side on one clock, what each robot believes. Everything stays on this machine unless --interface is given.

Beside the field stands what a match has: the mixed team's base station hears all robots and reports over TCP to a referee
box, which logs the session. The referee works at the second address that is printed; another team's base station may
connect as away.`,
		Example: `  touchline demo
  touchline demo --seed 7 --loss 0.1 --delay 20ms
  touchline demo --package falcons --trailer 64
  touchline demo --headless --duration 60s --json
  touchline demo --dir logs`,
		RunE: func(c *cobra.Command, _ []string) error { return runDemo(c, &f) },
	}
	flags := c.Flags()
	flags.Uint64Var(&f.session.Seed, "seed", f.session.Seed, "seed of everything random")
	flags.IntVar(&f.session.Robots, "robots", f.session.Robots, "robots on the field, 1 to 5; one more waits outside")
	flags.StringVar(&f.variant, "package", "v2", "what the senders put on the wire: v1, v2, or falcons (the padded 188 bytes)")
	flags.IntVar(&f.session.Trailer, "trailer", 0, "foreign bytes after each package")
	flags.Float64Var(&f.session.Link.Loss, "loss", 0, "share of packets that each receiver loses, 0 to 1")
	flags.Float64Var(&f.session.Link.Burst, "burst", 1, "mean length of a run of losses, in packets")
	flags.DurationVar(&f.session.Link.Delay, "delay", 0, "time that each packet is under way")
	flags.DurationVar(&f.session.Link.Jitter, "jitter", 0, "and up to so much more")
	flags.StringVar(&f.dir, "dir", "", "keep the log of the match in this folder (default: a temporary one, gone at the end)")
	flags.BoolVar(&f.headless, "headless", false, "no page; a line every ten seconds and the scores at the end")
	flags.BoolVar(&f.json, "json", false, "with --headless: the scores as JSON")
	flags.DurationVar(&f.duration, "duration", 0, "end after so long (default: at Ctrl-C)")
	f.network.add(flags, true)
	f.field.add(flags)
	f.record.add(flags)
	f.page.add(flags)
	return c
}

// variants are the names of --package.
var variants = map[string]mixedteam.Variant{"v1": mixedteam.V1, "v2": mixedteam.V2, "falcons": mixedteam.V2Padded}

func runDemo(c *cobra.Command, f *demoFlags) (err error) {
	ctx, out := c.Context(), c.OutOrStdout()
	variant, ok := variants[strings.ToLower(f.variant)]
	if !ok {
		return exitError{2, fmt.Errorf("--package %s: there are v1, v2 and falcons", f.variant)}
	}
	f.session.Variant = variant
	field, err := f.field.field()
	if err != nil {
		return err
	}
	f.session.Field = field
	network, err := f.network.config()
	if err != nil {
		return exitError{2, err}
	}
	if f.json && !f.headless {
		return exitError{2, errors.New("--json is the output of --headless: give both")}
	}
	ctx, cancel, err := limited(ctx, f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	box := refboxnet.DefaultConfig()
	box.Listen, box.Dir, box.Box.Name = "", f.dir, "practical session"
	log := logger(c.ErrOrStderr())
	record, err := f.record.open(log, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, record.close()) }()
	session, err := matchnet.New(matchnet.Config{
		Match: f.session, Network: network, RefBox: &box, Flags: keep(c, "group", "field", "http"), Tap: record.packet,
	}, log)
	if err != nil {
		return exitError{2, err}
	}
	if err := session.Open(ctx); err != nil {
		return exitError{2, err}
	}
	defer session.Close()
	record.snapshots(topic{"wall", watch.WallPeriod, session.Wall})
	if f.headless {
		return runHeadless(ctx, session, log, f.json, out)
	}
	page, err := f.page.open(demoPage(session))
	if err != nil {
		return err
	}
	session.RefBox().Changed = refreshReferee(page.server)
	if _, err := io.WriteString(out, f.addresses(session, page)); err != nil {
		page.listener.Close()
		return fmt.Errorf("the page's address cannot be printed: %w", err)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return page.serve(ctx) })
	page.publish(ctx, group, append(wallTopics(session), refereeTopics(session.RefBox())...)...)
	group.Go(func() error { return session.Run(ctx) })
	return group.Wait()
}

// demoPage returns the page of the session and of its referee box.
func demoPage(s *matchnet.Session) monitor.Config {
	cfg := refereePage(s.RefBox(), s.RefBox().Token())
	referee := cfg.Command
	cfg.Command = func(r monitor.Request) (any, error) {
		if slices.Contains(matchnet.RefereeCommands(), r.Name) {
			return referee(r)
		}
		return nil, s.Command(r.Name, r.Body)
	}
	cfg.Pages = append([]string{"wall", "network"}, matchPages...)
	return cfg
}

// addresses says where everything is.
func (f *demoFlags) addresses(s *matchnet.Session, page *page) string {
	box, log := s.RefBox(), f.dir
	if log == "" {
		log = "until the end, --dir keeps it: " + page.url + "log"
	}
	return fmt.Sprintf("practical session, seed %d: %s\n"+
		"referee:       %sreferee#token=%s\nbase stations: %s\nlog:           %s\n",
		f.session.Seed, page.url, page.url, box.Token(), box.Addr(), log)
}

// runHeadless runs the session without a page and ends with everybody's score.
func runHeadless(ctx context.Context, s *matchnet.Session, log *slog.Logger, asJSON bool, out io.Writer) error {
	began := time.Now()
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	progress := time.NewTicker(10 * time.Second)
	defer progress.Stop()
	for {
		select {
		case <-progress.C:
			log.Info("running", "seconds", int(time.Since(began).Seconds()))
		case err := <-done:
			if err != nil {
				return err
			}
			return printScores(out, s.Scores(), asJSON)
		}
	}
}

// scoreRow is a participant's score as --json prints it; errors in m, null where there was no ball.
type scoreRow struct {
	Number   uint8    `json:"number"`
	Team     string   `json:"team"`
	Packets  uint64   `json:"packets"`
	Waited   bool     `json:"waited"` // outside, so far as was looked
	Fused    *float64 `json:"fusedRMSE"`
	Alone    *float64 `json:"aloneRMSE"`
	HasBall  float64  `json:"hasBall"` // share of the time, 0..1
	AloneHas float64  `json:"aloneHasBall"`
}

func printScores(out io.Writer, scores []match.Score, asJSON bool) error {
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
		rows = append(rows, scoreRow{s.Number, s.Team, s.Sent, s.Fused.Samples == 0, rmse(&s.Fused), rmse(&s.Alone), s.Fused.Share(), s.Alone.Share()})
	}
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(rows)
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
			fmt.Fprintf(&b, "%d %-22s          waited outside\n", r.Number, r.Team)
			continue
		}
		fmt.Fprintf(&b, "%d %-22s %8d %12s %12s %10.1f %%\n", r.Number, r.Team, r.Packets, metres(r.Fused), metres(r.Alone), 100*r.HasBall)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// limited returns a context that ends after d; 0 is never.
func limited(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc, error) {
	if d < 0 {
		return nil, nil, exitError{2, fmt.Errorf("--duration %v is over before it begins", d)}
	}
	if d == 0 {
		return ctx, func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	return ctx, cancel, nil
}

// addDuration adds the flag --duration.
func addDuration(flags *pflag.FlagSet, d *time.Duration) {
	flags.DurationVar(d, "duration", 0, "stop after this time, for example 90s (default: at Ctrl-C)")
}

// keep returns those of the named flags that were given, to be typed again.
func keep(c *cobra.Command, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		if f := c.Flags().Lookup(name); f.Changed {
			fmt.Fprintf(&b, " --%s %s", name, f.Value)
		}
	}
	return b.String()
}

// networkFlags say which group to use and where.
type networkFlags struct {
	group, iface string
	ttl          int
}

func (n *networkFlags) add(flags *pflag.FlagSet, sends bool) {
	flags.StringVar(&n.iface, "interface", "", "network interface, for example eth0 (default: loopback, nothing leaves this machine)")
	flags.StringVar(&n.group, "group", mixedteam.Group, "multicast group and port")
	if sends {
		flags.IntVar(&n.ttl, "ttl", 1, "TTL of sent packets: routers to cross, plus one")
	}
}

func (n *networkFlags) config() (transport.Config, error) {
	group, err := netip.ParseAddrPort(n.group)
	if err != nil {
		return transport.Config{}, fmt.Errorf("--group %s: want an address and a port, for example %s", n.group, mixedteam.Group)
	}
	if group.Port() == 0 {
		return transport.Config{}, fmt.Errorf("--group %s: name a port, the robots send to %s", n.group, mixedteam.Group)
	}
	cfg := transport.DefaultConfig(group)
	cfg.Interface, cfg.TTL = n.iface, n.ttl
	return cfg, nil
}
