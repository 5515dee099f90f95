package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/refbox"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/station"
	"touchline/internal/station/stationnet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire"
	"touchline/wire/msl"
)

// stationFlags are the flags of the base station.
type stationFlags struct {
	record              recordFlag
	network             networkFlags
	team                int
	name, refbox, color string
	from, forward       string
	rate                float64
	events              []string
	json                bool
	checkReader         bool
	listen              string
	duration            time.Duration
}

func stationCommand() *cobra.Command {
	var f stationFlags
	c := &cobra.Command{
		Use:   "station",
		Short: "Run a team's base station, between its robots and the RefBox",
		Long: `Station runs the base station of a Middle Size League team. It receives its robots' mixed team packages,
sends their fusion to the RefBox as a worldstate twenty times a second, and prints the RefBox's commands as they
arrive. It sends nothing until the referee admits the team, and reconnects when the RefBox restarts.

RefBoxes identify teams by their address. To a RefBox on this machine, station connects from this machine's address in
the team's network 172.16.T.*, or else from 127.0.0.T: touchline refbox identifies team T by that address, and RefBox
2.1 admits it as its team localhost. --from sets another address; RefBox 2.1 rejects addresses that its table lacks,
and then sends RESET to the teams in its game.

With --check-reader it tests how your own base station reads: station listens in place of a referee box, starts the
program that follows --, sends it messages far apart, 25 ms apart, all at once, and in pieces, and reports which of
them the program printed or answered. If your program prints nothing, leave out --, start it by hand, and compare what
it showed with what was sent. The messages are IS_ALIVE for a team that does not play, so no robot moves. The exit
code is 1 if messages are lost.`,
		Example: `  touchline station --team 39 --refbox 127.0.0.1
  touchline station --team 39 --refbox 172.16.1.2:28097 --interface eth0 --forward 172.16.39.20:30000
  touchline station --team 39 --refbox 127.0.0.1 --json --event 2:kick
  touchline station --team 39 --check-reader -- python3 station.py 127.0.0.1 28097`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.checkReader {
				return runReaderCheck(c, &f, args)
			}
			if err := needs(c, "check-reader", "listen"); err != nil {
				return err
			}
			return runStation(c, &f)
		},
	}
	flags := c.Flags()
	flags.IntVar(&f.team, "team", 0, "the team's number, the last octet of its multicast group: 39 is CAMBADA (required)")
	flags.StringVar(&f.name, "name", "", "the team's name in worldstates (default: the name in the league's team table)")
	flags.StringVar(&f.color, "color", "cyan",
		"team colour of the robots' packages, cyan or magenta; packages of the other colour are ignored")
	flags.StringVar(&f.refbox, "refbox", "127.0.0.1",
		"RefBox, HOST or HOST:PORT; the default port is "+strconv.Itoa(msl.Port))
	flags.StringVar(&f.from, "from", "",
		"source address, for example 172.16.39.10 (default: chosen by the system; to a RefBox on this "+
			"machine 127.0.0.T)")
	flags.Float64Var(&f.rate, "rate", stationnet.DefaultRate,
		"worldstates a second, 1 to 200; the league requires at least 10")
	flags.StringVar(&f.forward, "forward", "",
		"forward each command to the robots, as JSON in a datagram to this ADDRESS:PORT")
	flags.StringArrayVar(&f.events, "event", nil,
		"ROBOT:TEXT, for example 2:kick: send this event once the RefBox has admitted the team")
	flags.BoolVar(&f.json, "json", false, "print commands as JSON, one per line; with --check-reader, print the report as JSON")
	flags.BoolVar(&f.checkReader, "check-reader", false,
		"test how your own base station reads: the program after --, or any program that connects")
	flags.StringVar(&f.listen, "listen", refboxnet.DefaultReaderConfig().Listen,
		"with --check-reader: address and port that your base station connects to")
	console.AddDuration(flags, &f.duration)
	console.Accept(flags, "the number of a team, 1 to 254, for example 39", "team")
	console.Accept(flags, "a number from 1 to 200, for example 20", "rate")
	f.network.add(flags, false)
	f.record.add(flags)
	return c
}

func runStation(c *cobra.Command, f *stationFlags) (err error) {
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	cfg, err := f.config()
	if err != nil {
		return console.Usage(err)
	}
	r := stationRun{log: stationnet.LimitLog(console.Logger(c.ErrOrStderr())), lines: make(chan station.Command, 256)}
	defer r.close()
	if err := r.open(f); err != nil {
		return console.Usage(err)
	}
	record, err := f.record.open(r.log, map[string]string{
		matchlog.MetaHome: cfg.Station.Name, matchlog.MetaHomeID: strconv.Itoa(f.team),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, record.close()) }()
	cfg.OnCommand, cfg.Tap, r.robots.Tap = r.onCommand, record.connection, record.packet
	if r.client, err = stationnet.New(cfg, r.log); err != nil {
		return console.Usage(err)
	}
	out := c.OutOrStdout()
	if !f.json {
		_, err := fmt.Fprintf(out, "station of team %d, RefBox %s, robots on %s\n", f.team, cfg.RefBox, r.robots.Channel())
		if err != nil {
			return fmt.Errorf("cannot write the output: %w", err)
		}
	}
	return r.run(ctx, out, f.json)
}

// config converts the flags.
func (f *stationFlags) config() (stationnet.Config, error) {
	cfg := stationnet.DefaultConfig(f.team)
	if f.team == 0 {
		return cfg, errors.New("--team is required, for example --team 39 for CAMBADA")
	}
	if f.name != "" {
		cfg.Station.Name = f.name
	}
	switch f.color {
	case "cyan":
	case "magenta":
		cfg.Station.Color = soccer.Magenta
	default:
		return cfg, fmt.Errorf("--color %.40s: want cyan or magenta", f.color)
	}
	cfg.Rate = f.rate
	var err error
	if cfg.RefBox, err = stationnet.ParseTarget(f.refbox); err != nil {
		return cfg, fmt.Errorf("--refbox %.60s: want HOST or HOST:PORT, for example 172.16.1.2:%d", f.refbox, msl.Port)
	}
	if f.from != "" {
		if cfg.RefBox.From, err = netip.ParseAddr(f.from); err != nil {
			return cfg, fmt.Errorf("--from %.60s: want an address of this machine, for example 172.16.39.10", f.from)
		}
	}
	return cfg, nil
}

// stationRun is a running station with its sockets.
type stationRun struct {
	client  *stationnet.Client
	log     *slog.Logger
	robots  *transport.Receiver
	forward func([]byte) error   // sends a command to the robots
	end     func() error         // closes the socket of forward; nil before open
	events  []robotEvent         // to be sent
	lines   chan station.Command // to be printed; the output may block without delaying the robots
}

// open opens the sockets of the flags, and parses the events.
func (r *stationRun) open(f *stationFlags) error {
	network, err := f.network.config()
	if err != nil {
		return err
	}
	if r.events, err = parseEvents(f.events); err != nil {
		return err
	}
	if r.robots, err = transport.Listen(network); err != nil {
		return err
	}
	r.forward, r.end, err = openForward(f.forward, f.network.iface)
	return err
}

func (r *stationRun) close() {
	if r.robots != nil {
		r.robots.Close()
	}
	if r.end != nil {
		r.end()
	}
}

// onCommand forwards and prints a command, and sends the events after WELCOME.
func (r *stationRun) onCommand(command station.Command, message []byte) {
	if err := r.forward(message); err != nil {
		r.log.Warn("cannot forward a command", "command", command.Name, "err", err)
	}
	select {
	case r.lines <- command:
	default:
		r.log.Warn("cannot print a command: the output is blocked", "command", command.Name)
	}
	if command.Name != msl.Welcome {
		return
	}
	for _, e := range r.events {
		if err := r.client.Event(e.robot, e.text); err != nil {
			r.log.Warn("an event is not sent", "err", err)
		}
	}
	r.events = nil
}

// run runs the station until ctx ends or a command cannot be printed.
func (r *stationRun) run(ctx context.Context, out io.Writer, asJSON bool) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		for command := range r.lines {
			if err := printCommand(out, &command, asJSON); err != nil {
				fail(fmt.Errorf("cannot print a command: %w", err))
				return
			}
		}
	}()
	go r.watchRobots(ctx)
	err := r.client.Run(ctx, r.robots)
	close(r.lines)
	select {
	case <-printed:
	case <-time.After(time.Second):
	}
	h := r.client.Health()
	r.log.Info("the station stops",
		"packages", h.Received, "too many", h.Excess, "worldstates", h.Sent, "dropped", h.Dropped, "events", h.Events)
	cause := context.Cause(ctx)
	if err != nil || errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return err
	}
	return cause
}

// silences are the warnings about worldstates without robots.
var silences = map[station.Silence]string{
	station.NoDatagram: "no robot received, worldstates are empty: check --group and --interface",
	station.OtherSide:  "all packages are of the other side, worldstates are empty: check --color",
	station.Foreign:    "no datagram is a mixed team package, worldstates are empty: check --group",
	station.Unnumbered: "no package has a robot number from 1 to 99, worldstates are empty: set mixed_team_robot_id",
}

// watchRobots warns while worldstates list no robot: when that begins, when its reason changes, and every ten seconds.
func (r *stationRun) watchRobots(ctx context.Context) {
	const period, again = 250 * time.Millisecond, 10 * time.Second
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	var warned station.Silence
	var at, excessAt time.Time
	var excess uint64
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now, group := time.Now(), r.robots.Channel()
		if h := r.client.Health(); h.Excess > excess && now.Sub(excessAt) >= again {
			r.log.Warn("too many packages: some are dropped", "dropped", h.Excess-excess, "of", h.ExcessOf)
			excess, excessAt = h.Excess, now
		}
		why, datagrams := r.client.Silence()
		switch {
		case why == station.NotSilent && warned != station.NotSilent:
			r.log.Info("robots are received again", "group", group)
		case why != station.NotSilent && (why != warned || now.Sub(at) >= again):
			r.log.Warn(silences[why], "group", group, "datagrams", datagrams)
			at = now
		}
		warned = why
	}
}

// robotEvent is the value of an --event flag.
type robotEvent struct {
	robot int
	text  string
}

func parseEvents(values []string) ([]robotEvent, error) {
	var events []robotEvent
	for _, e := range values {
		number, text, ok := strings.Cut(e, ":")
		robot, err := strconv.Atoi(number)
		if !ok || err != nil || robot < 1 || robot > msl.MaxNumber || text == "" {
			return nil, fmt.Errorf("--event %.60s: want ROBOT:TEXT with a robot from 1 to %d, for example 2:kick", e,
				msl.MaxNumber)
		}
		events = append(events, robotEvent{robot, text})
	}
	return events, nil
}

// openForward opens the socket to the robots; without an address nothing is forwarded.
func openForward(address, iface string) (send func([]byte) error, end func() error, err error) {
	if address == "" {
		return func([]byte) error { return nil }, func() error { return nil }, nil
	}
	if group, err := netip.ParseAddrPort(address); err == nil && group.Addr().Is4() && group.Addr().IsMulticast() {
		cfg := transport.DefaultConfig(group)
		cfg.Interface = iface
		sender, err := transport.Dial(cfg)
		if err != nil {
			return nil, nil, err
		}
		return sender.Send, sender.Close, nil
	}
	conn, err := net.Dial("udp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("--forward %.60s: want an address and a port, for example 172.16.39.20:30000", address)
	}
	return func(b []byte) error { _, err := conn.Write(b); return err }, conn.Close, nil
}

// printedCommand is a command of the referee box as JSON.
type printedCommand struct {
	Time       int64        `json:"time"` // ms since 1970
	Command    string       `json:"command"`
	Side       station.Side `json:"side"` // ours, theirs, both
	TargetTeam string       `json:"targetTeam"`
	RobotID    int          `json:"robotID,omitempty"`
}

// printCommand prints a command in one line.
func printCommand(w io.Writer, c *station.Command, asJSON bool) error {
	at := time.Unix(0, int64(c.Time))
	if asJSON {
		return console.JSONEncoder(w).Encode(printedCommand{at.UnixMilli(), c.Name, c.Side, c.TargetTeam, c.RobotID})
	}
	line := at.Format("15:04:05.000") + " " + wire.Printable(c.Name)
	switch {
	case c.Name == msl.Welcome:
		line += " " + wire.Printable(c.TargetTeam)
	case c.Side != station.Both:
		line += " " + string(c.Side)
	}
	if c.RobotID != 0 {
		line += fmt.Sprintf(" robot %d", c.RobotID)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// runReaderCheck checks how the base station of a team reads.
func runReaderCheck(c *cobra.Command, f *stationFlags, program []string) error {
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	out, errs := c.OutOrStdout(), c.ErrOrStderr()
	cfg := refboxnet.DefaultReaderConfig()
	cfg.Listen, cfg.Program, cfg.Output = f.listen, program, errs
	cfg.Progress = func(text string) { fmt.Fprintln(errs, text) }
	if f.team != 0 {
		cfg.Group = (&soccer.Team{ID: f.team}).Group()
	}
	report, err := refboxnet.CheckReader(ctx, cfg)
	if err != nil {
		return err
	}
	if f.json {
		err = console.JSONEncoder(out).Encode(report)
	} else {
		err = printReaderReport(out, &report)
	}
	if err == nil && report.Verdict == refbox.Loses {
		return console.Finding()
	}
	return err
}

func printReaderReport(w io.Writer, r *refboxnet.ReaderReport) error {
	text := ""
	for _, s := range r.Stages {
		read := "unknown"
		if s.Read != nil {
			read = fmt.Sprintf("%d of %d read", *s.Read, s.Sent)
		}
		text += fmt.Sprintf("%-9s %-12s %s\n", s.Name, read, wire.Printable(s.Text))
	}
	_, err := fmt.Fprintf(w, "%s%s: %s\n", text, r.Verdict, r.Text)
	return err
}
