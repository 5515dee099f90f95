package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/cmd/touchline/console"
	"touchline/matchlog"
	"touchline/monitor"
	"touchline/playback/playbacknet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/directory"
	"touchline/teamcom/teamcomnet"
	"touchline/transport"
	"touchline/transport/listen"
	"touchline/watch/watchnet"
	"touchline/wire/tcm"
)

// monitorFlags are the flags of the monitor.
type monitorFlags struct {
	page     pageFlags
	network  networkFlags
	field    fieldFlag
	record   recordFlag
	tcm, as  string
	duration time.Duration
}

func monitorCommand() *cobra.Command {
	var f monitorFlags
	c := &cobra.Command{
		Use:   "monitor",
		Short: "Show what robots on the network send",
		Long: `Monitor shows the packets of the mixed teams' multicast group: a tile for each sender with the contents of its
packets, the fusion of all of them, and the network load by sender. It joins the group and sends no packets. At a venue,
name the interface of its network with --interface.

With --tcm it also shows how a team's robots talk over the TCM (docs/teamcom.md): it joins the team as the computer that
TCM.ini lists for it, receives what is sent to all computers and to the robots' group, and answers with datagrams without
messages, which measure latency and clocks.`,
		Example: `  touchline monitor --interface eth0
  touchline monitor --interface wlan0 --field 22x14 --http 127.0.0.1:9000
  touchline monitor --interface eth0 --record practice.mcap
  touchline monitor --interface eth0 --tcm TCM.ini --tcm-as computer:2`,
		RunE: func(c *cobra.Command, _ []string) error { return runMonitor(c, &f) },
	}
	flags := c.Flags()
	f.network.add(flags, false)
	f.field.add(flags)
	f.record.add(flags)
	f.page.add(flags)
	flags.StringVar(&f.tcm, "tcm", "", "also show the TCM of the team with this TCM.ini")
	flags.StringVar(&f.as, "tcm-as", "computer:2", "with --tcm: the computer in TCM.ini that this monitor is")
	console.AddDuration(flags, &f.duration)
	return c
}

func runMonitor(c *cobra.Command, f *monitorFlags) (err error) {
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	cfg, err := f.config(c)
	if err != nil {
		return err
	}
	receiver, err := transport.Listen(cfg.Network)
	if err != nil {
		return console.Usage(err)
	}
	defer receiver.Close()
	log := console.Logger(c.ErrOrStderr())
	tape, err := f.record.tape(log, map[string]string{matchlog.MetaSize: f.field.name})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.record.stop(tape)) }()
	receiver.Tap = tape.Packet
	m := watchnet.New(cfg, receiver, log)
	shown, run, topics := playbacknet.Session(m), m.Run, append(wallTopics(m), tapeTopics(tape)...)
	pages := monitor.DefaultConfig()
	pages.Pages = []string{"wall", "network"}
	if f.tcm != "" {
		team, err := f.openTeam(tape, log)
		if err != nil {
			return err
		}
		defer team.close()
		pages.Pages = append(pages.Pages, "tcm", "booking")
		shown, topics = teamSession{m, team.Team}, append(topics, teamTopics(team.Team)...)
		run = func(ctx context.Context) error { return team.run(ctx, m.Run) }
	}
	token := ""
	if f.page.beyondLoopback() {
		token = rand.Text()
		pages.Guard = monitor.NewGuard(token, listen.Trust)
	}
	page, err := f.page.open(f.page.withTape(pages, tape))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("monitor of %s: %s\n", cfg.Network.Group, page.url)
	if token != "" {
		text += fmt.Sprintf("to record from the page: %s#token=%s\n", page.url, token)
	}
	if _, err := io.WriteString(c.OutOrStdout(), text); err != nil {
		page.listener.Close()
		return fmt.Errorf("the page's address cannot be printed: %w", err)
	}
	return page.run(ctx, taped(shown, tape, run), topics...)
}

// config converts the flags.
func (f *monitorFlags) config(c *cobra.Command) (watchnet.Config, error) {
	cfg := watchnet.DefaultConfig()
	cfg.Flags = given(c, "group", "field", "http")
	var err error
	if cfg.Field, err = f.field.field(); err != nil {
		return cfg, err
	}
	if cfg.Network, err = f.network.config(); err != nil {
		return cfg, console.Usage(err)
	}
	return cfg, nil
}

// teamNode is the monitor's node of a team's TCM, with the group of the robots, which the node itself does not receive.
type teamNode struct {
	*watchnet.Team
	node   *teamcomnet.Endpoint
	robots *transport.Receiver // nil without a group
}

// openTeam opens the node of --tcm. What it receives goes to the tape, too.
func (f *monitorFlags) openTeam(tape *playbacknet.Tape, log *slog.Logger) (*teamNode, error) {
	self, err := tcm.ParseEntity(f.as)
	if err != nil || self.Kind != tcm.Computer || self.ID == 0 {
		return nil, console.Usage(fmt.Errorf("--tcm-as %.40s: want a computer of TCM.ini, for example computer:2", f.as))
	}
	cfg := teamcomnet.DefaultConfig(self)
	cfg.Ini, cfg.Interface, cfg.Node.Name = f.tcm, f.network.iface, "this monitor"
	node, err := teamcomnet.Open(cfg, log)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--tcm: %w", err))
	}
	t := &teamNode{node: node}
	own := node.Address()
	t.Team = watchnet.NewTeam(func() []teamcom.Report { return []teamcom.Report{node.Report(node.Now())} },
		fmt.Sprintf("This monitor is %s at %s and the next three ports.", self, own),
		fmt.Sprintf("The robots send to it if their TCM.ini lists it there, or if all name the same group of managers. "+
			"Compare their files with %s.", f.tcm))
	packet := func(p *soccer.Packet) {
		t.Packet(p)
		tape.Packet(p)
	}
	node.Record = func(at soccer.Time, from, to netip.AddrPort, data []byte) {
		if from.Addr() != own.Addr() || from.Port()-own.Port() >= tcm.Sockets { // it did not send them
			packet(&soccer.Packet{Time: at, Channel: to.String(), From: from, Data: data})
		}
	}
	manager := node.Module(tcm.Manager) // messages are measured if a module listens
	for typ := tcm.Belief; typ <= tcm.Scene; typ++ {
		teamcom.HandleBytes(manager, typ, func(teamcom.From, []byte) {})
	}
	if t.robots, err = f.joinRobots(packet); err != nil {
		node.Close()
		return nil, err
	}
	return t, nil
}

// joinRobots joins the group of the robots, if TCM.ini names one.
func (f *monitorFlags) joinRobots(tap func(*soccer.Packet)) (*transport.Receiver, error) {
	text, err := os.ReadFile(f.tcm)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--tcm: %w", err))
	}
	d, err := directory.Parse(text)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--tcm %s: %w", f.tcm, err))
	}
	group, ok := d.Multicast(tcm.Robot)
	if !ok {
		return nil, nil
	}
	cfg := transport.DefaultConfig(directory.Port(group, tcm.Robots))
	cfg.Interface, cfg.ThisMachine = f.network.iface, f.network.iface == ""
	r, err := transport.Listen(cfg)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--tcm: %w", err))
	}
	r.Tap = tap
	return r, nil
}

// run runs the node beside the monitor.
func (t *teamNode) run(ctx context.Context, monitor func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return monitor(ctx) })
	group.Go(func() error { return t.node.Run(ctx) })
	if t.robots != nil {
		group.Go(func() error {
			defer context.AfterFunc(ctx, func() { t.robots.Close() })()
			buf := make([]byte, transport.MaxDatagram)
			for {
				if _, err := t.robots.ReadPacket(buf); err != nil {
					if ctx.Err() != nil {
						return nil
					}
					return fmt.Errorf("the group of the robots cannot be read: %w", err)
				}
			}
		})
	}
	return group.Wait()
}

// close closes the sockets.
func (t *teamNode) close() {
	t.node.Close()
	if t.robots != nil {
		t.robots.Close()
	}
}
