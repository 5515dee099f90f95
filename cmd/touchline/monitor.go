package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/internal/console"
	"touchline/internal/control"
	"touchline/internal/manager/managernet"
	"touchline/internal/match/matchnet"
	"touchline/internal/monitor"
	"touchline/internal/playback"
	"touchline/internal/watch/watchnet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// monitorFlags are the flags of the monitor.
type monitorFlags struct {
	page     pageFlags
	network  networkFlags
	field    fieldFlag
	record   recordFlag
	league   leagueFlags
	tcm, as  string
	profiles string
	duration time.Duration
}

func monitorCommand() *cobra.Command {
	var f monitorFlags
	c := &cobra.Command{
		Use:   "monitor",
		Short: "Show what the robots on the network send",
		Long: `Monitor shows the packets in the mixed teams' multicast group: a tile for each sender with the contents of
its packets, the fusion of all of them, and the network load by sender. It joins the group and sends no packets. At a
venue, name the network interface with --interface. Foxglove and Lichtblick connect to /foxglove on the page's
address; the page shows how (docs/foxglove.md).

With --tcm it also shows how a team's robots talk over the TCM (docs/teamcom.md). It joins the team as the computer
that TCM.ini reserves for it, receives messages to all computers and to the robots' group, and answers with empty
datagrams, which measure latency and clocks. A robot's page, /robot/3, requests its pictures and parameters, and
drives it; docs/manager.md lists the messages that the robot must support.

With --league hsl it shows a game of the Humanoid Soccer League (docs/hsl.md): the beliefs of both teams, the score
and the clock. With --league ssl it shows a game of the Small Size League (docs/ssl.md): what the tracker or the
cameras see, and the referee's state.

In a Humanoid game it asks the GameController for the true state and the robots' messages, and sends nothing else. Run
it on a host that sends no return messages: the GameController does not answer robots.`,
		Example: `  touchline monitor --interface eth0
  touchline monitor --interface wlan0 --field 22x14 --http 127.0.0.1:9000
  touchline monitor --interface eth0 --record practice.mcap
  touchline monitor --interface eth0 --tcm TCM.ini --tcm-as computer:2
  touchline monitor --tcm TCM.ini --profiles venues
  touchline monitor --league hsl --interface eth0 --record game.mcap
  touchline monitor --league ssl --interface eth0`,
		RunE: func(c *cobra.Command, _ []string) error { return runMonitor(c, &f) },
	}
	flags := c.Flags()
	f.network.add(flags, false)
	f.field.add(flags)
	f.record.add(flags)
	f.league.add(flags)
	f.page.add(flags)
	flags.StringVar(&f.tcm, "tcm", "", "also show the TCM traffic of the team with this TCM.ini")
	flags.StringVar(&f.as, "tcm-as", "computer:2", "with --tcm: the computer in TCM.ini that this monitor acts as")
	flags.StringVar(&f.profiles, "profiles", "", "with --tcm: folder for profiles of the robots' parameters (docs/manager.md)")
	console.AddDuration(flags, &f.duration)
	return c
}

func runMonitor(c *cobra.Command, f *monitorFlags) (err error) {
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	if err := f.league.check(c); err != nil {
		return err
	}
	if f.league.name != "msl" {
		return runLeague(ctx, c, f)
	}
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
	shown, run, topics := playback.Session(m), m.Run, append(wallTopics(m), recordingTopics(tape)...)
	live, pages, use := shownLive{session: m}, monitor.DefaultConfig(), "record"
	pages.Pages = []string{"wall", "network"}
	pages.Commands = control.Refuse(errOnlyWatches, matchnet.SessionCommands()...)
	if f.tcm != "" {
		team, err := f.openTeam(cfg.Field, tape, log)
		if err != nil {
			return err
		}
		defer team.close()
		pages.Pages = append(pages.Pages, "robot", "tcm", "booking")
		pages.Commands = control.Join(f.page.guarded("a robot", team.office.Commands()), pages.Commands)
		shown = teamSession{m, team.Team}
		topics = slices.Concat(topics, teamTopics(team.Team), managedTopics(team.office.Topic))
		live, use = shownLive{session: shown, managed: team.office.Topic}, "record and manage robots"
		run = func(ctx context.Context) error { return team.run(ctx, m.Run) }
	}
	page, err := f.page.openMonitor(c, pages, tape, live, cfg.Network.Group.String(), use)
	if err != nil {
		return err
	}
	return page.run(ctx, taped(shown, tape, run), topics...)
}

// config converts the flags.
func (f *monitorFlags) config(c *cobra.Command) (watchnet.Config, error) {
	cfg := watchnet.DefaultConfig()
	cfg.Flags = given(c, "group", "field", "http")
	if err := errors.Join(needs(c, "tcm", "tcm-as", "profiles"), checkProfiles(f.profiles)); err != nil {
		return cfg, err
	}
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
	office *managernet.Workstation

	mu    sync.Mutex
	poses map[uint8]soccer.Pose // of robots that know theirs, by their newest status
}

// openTeam opens the node of --tcm. Its messages go to the tape, too.
func (f *monitorFlags) openTeam(field soccer.Field, tape *playback.Recorder, log *slog.Logger) (*teamNode, error) {
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
	t := &teamNode{node: node, poses: map[uint8]soccer.Pose{}}
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
	module := node.Module(tcm.Manager) // messages are measured if a module listens
	for typ := tcm.Belief; typ <= tcm.Scene; typ++ {
		teamcom.HandleBytes(module, typ, func(teamcom.From, []byte) {})
	}
	teamcom.Handle(module, t.receiveStatus)
	t.office = managernet.NewWorkstation(node, managernet.WorkstationConfig{
		Field: field, Self: t.self, Profiles: f.profiles, Picture: tape.Picture, Log: log,
	})
	if t.robots, err = f.joinRobots(packet); err != nil {
		node.Close()
		return nil, err
	}
	return t, nil
}

// receiveStatus keeps where a robot believes to stand.
func (t *teamNode) receiveStatus(from teamcom.From, m *team.Status) {
	if from.Entity.Kind != tcm.Robot {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !m.Self.Known || !m.Self.HasHeading {
		delete(t.poses, from.Entity.ID)
		return
	}
	t.poses[from.Entity.ID] = soccer.Pose{X: float64(m.Self.X), Y: float64(m.Self.Y), Theta: float64(m.Self.Heading)}
}

// self returns where a robot believes to stand.
func (t *teamNode) self(robot uint8) (soccer.Pose, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	pose, ok := t.poses[robot]
	return pose, ok
}

// errOnlyWatches refuses the commands that change the field of a session.
const errOnlyWatches = monitor.Forbidden("this program watches real robots: it moves no ball and no robot")

// managedTopics returns the topics of the pages of robots that are managed.
func managedTopics(of func(topic string) any) []topic {
	return []topic{
		{"robot/", managernet.RobotPeriod, of},
		{"drive/", managernet.DrivePeriod, of},
		{"checks/", managernet.ChecksPeriod, of},
		{"machine/", managernet.MachinePeriod, of},
		{"calibration/", managernet.CalibrationPeriod, of},
		{"picture/", managernet.PicturePeriod, of},
		{"profiles/", managernet.ProfilesPeriod, of},
	}
}

// joinRobots joins the group of the robots, if TCM.ini names one.
func (f *monitorFlags) joinRobots(tap func(*soccer.Packet)) (*transport.Receiver, error) {
	text, err := os.ReadFile(f.tcm)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--tcm: %w", err))
	}
	d, err := teamcom.Parse(text)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--tcm %s: %w", f.tcm, err))
	}
	group, ok := d.Multicast(tcm.Robot)
	if !ok {
		return nil, nil
	}
	cfg := transport.DefaultConfig(teamcom.Port(group, tcm.Robots))
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
	group.Go(func() error { t.office.Run(ctx); return nil })
	if t.robots != nil {
		group.Go(func() error {
			defer context.AfterFunc(ctx, func() { t.robots.Close() })()
			buf := make([]byte, transport.MaxDatagram)
			for {
				if _, err := t.robots.ReadPacket(buf); err != nil {
					if ctx.Err() != nil {
						return nil
					}
					return fmt.Errorf("cannot receive from the robots' group: %w", err)
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
