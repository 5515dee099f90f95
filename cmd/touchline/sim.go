package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/internal/console"
	"touchline/internal/playback"
	"touchline/internal/vss"
	"touchline/internal/vss/vssnet"
	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
	"touchline/soccer"
	"touchline/wire/firasim"
)

func simCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "sim",
		Short: "Simulate a field for teams' own software",
		RunE: func(c *cobra.Command, _ []string) error {
			return console.Usage(errors.New("name the league: touchline sim vss or touchline sim ssl"))
		},
	}
	c.AddCommand(simVSSCommand(), simSSLCommand())
	return c
}

// simFlags are the values of the flags.
type simFlags struct {
	config    vssnet.Config
	record    recordFlag
	five      bool
	compat    string
	placement string
	speed     string
	format    string
	lockstep  string
	blue      string
	yellow    string
	http      string
	headless  bool
	xlr8      bool
	atkFault  bool
	json      bool
}

func simVSSCommand() *cobra.Command {
	f := simFlags{config: vssnet.DefaultConfig()}
	c := &cobra.Command{
		Use:   "vss",
		Short: "Simulate the Very Small Size league in place of FIRASim",
		Long: `Vss simulates the Very Small Size league with FIRASim's addresses and messages: it sends vision to 224.0.0.1,
ports 10002 and 10020, and receives commands and replacements on UDP port 20011. All packets stay on this machine
unless an address or --interface names another network. With --lockstep the same port number serves gRPC over TCP:
Simulate(Packet) returns (Environment).

FIRASim's bugs are fixed; --compat brings them back by name, separated by commas:
` + vss.CompatHelp() + `
Scripts control the simulator with curl -X POST -d BODY http://127.0.0.1:8014/api/command/NAME, where NAME and BODY are
  pause {"on":true}   step {"ticks":1}   speed {"x":2} (0: max)   reset {}
  ball {"x":0,"y":0,"vx":1,"vy":0}   robot {"team":"blue","id":0,"x":0,"y":0,"theta":1.57}
  switch {"team":"blue","id":0,"on":false}   save {"slot":"a"}   restore {"slot":"a"}
  referee {"command":"kickoff blue"}; "resume" takes control back from another referee`,
		Example: `  touchline sim vss
  touchline sim vss --yellow weak --referee
  touchline sim vss --5v5 --blue builtin --yellow builtin --referee
  touchline sim vss --lockstep=blue --yellow builtin --speed max -H
  touchline sim vss --vision-format ssl
  touchline sim vss --vision 127.0.0.1:10002 --noise-position 0.003 --vanish 0.02 --seed 7`,
		RunE: func(c *cobra.Command, _ []string) error { return runSimVSS(c, &f) },
	}
	f.addGame(c)
	f.addNetwork(c)
	return c
}

func (f *simFlags) addGame(c *cobra.Command) {
	flags, cfg, game := c.Flags(), &f.config, &f.config.Game
	flags.BoolVar(&f.five, "5v5", false, "five robots a team on 2.2 x 1.8 m (default: three on 1.5 x 1.3 m)")
	flags.StringVar(&game.Physics, "physics", game.Physics, "physics model: firasim or rsim")
	flags.Uint64Var(&game.Seed, "seed", game.Seed, "seed of all random numbers")
	flags.StringVar(&f.placement, "placement", "",
		"JSON file with start positions in m and rad; missing ones default to FIRASim's")
	flags.StringVar(&f.compat, "compat", "", "FIRASim bugs to reproduce, or list to print them")
	flags.DurationVar(&game.CommandTimeout, "command-timeout", 0,
		"stop a robot after this simulated time without a command (default: never)")
	flags.StringVar(&f.speed, "speed", "1", "simulation speed in multiples of real time, or max")
	flags.DurationVar(&cfg.Duration, "duration", 0, "stop after this simulated time (default: at Ctrl-C)")
	flags.StringVar(&f.lockstep, "lockstep", "",
		"before each tick, wait for commands from blue, yellow or both; runs as fast as they arrive, unless --speed is given")
	flags.Lookup("lockstep").NoOptDefVal = "both"
	flags.DurationVar(&cfg.LockstepWait, "lockstep-wait", cfg.LockstepWait,
		"after the first commands of a tick, wait at most this long for the others; 0: no limit")
	flags.StringVar(&f.blue, "blue", "",
		"the built-in team plays blue, over UDP, or inside this process with --speed max or --lockstep: "+
			strings.Join(vss.Rungs, ", ")+" (docs/learning.md)")
	flags.StringVar(&f.yellow, "yellow", "", "the built-in team plays yellow, like --blue: "+strings.Join(vss.Rungs, ", "))
	flags.BoolVar(&cfg.Referee, "referee", false,
		"start the built-in referee; it stops sending once it receives another referee. "+
			"With --speed max and both built-in teams the program stops after the match")
	flags.Float64Var(&game.NoisePosition, "noise-position", 0, "standard deviation of positions in vision, m")
	flags.Float64Var(&game.NoiseHeading, "noise-heading", 0, "standard deviation of headings in vision, rad")
	flags.Float64Var(&game.Vanish, "vanish", 0,
		"probability that a robot or the ball is missing in a vision packet, 0 to 1")
	flags.DurationVar(&game.Latency, "latency", 0, "latency of vision in simulated time, rounded up to ticks")
	flags.Float64Var(&game.Loss, "loss", 0,
		"probability that a vision packet is lost, 0 to 1; in lockstep the previous one is repeated")
	flags.DurationVar(&game.CommandLatency, "command-latency", 0,
		"latency of commands in simulated time, rounded up to ticks")
	flags.Float64Var(&game.CommandLoss, "command-loss", 0, "probability that a command packet is lost, 0 to 1")
}

func (f *simFlags) addNetwork(c *cobra.Command) {
	flags, cfg := c.Flags(), &f.config
	flags.StringVar(&cfg.Commands, "commands", cfg.Commands, "address for UDP commands; localhost is 127.0.0.1 and ::1")
	flags.StringSliceVar(&cfg.Vision, "vision", cfg.Vision,
		"addresses to send vision to: multicast groups in 224.0.0.0-239.255.255.255 or single machines")
	flags.StringVar(&f.format, "vision-format", "firasim",
		"firasim, or ssl: vision in SSL-Vision's format to "+firasim.SSLVisionVSS+" beside the groups of FIRASim, "+
			"or only to the addresses of --vision; commands may be those of grSim, too")
	flags.StringVar(&cfg.Interface, "interface", "",
		"network interface for multicast, for example eth0 (default: loopback; nothing leaves this machine)")
	flags.StringVar(&cfg.RefereeGroup, "referee-group", cfg.RefereeGroup,
		"multicast group and port of referee commands")
	flags.StringVar(&cfg.PlacementGroup, "placement-group", cfg.PlacementGroup,
		"multicast group and port of the placements from teams to the built-in referee")
	flags.StringVar(&f.record.file, "record", "",
		"record all packets to a file, gRPC messages as datagrams: x.mcap is a log that also holds the page's data, any other name a pcap file")
	flags.StringVar(&f.http, "http", "",
		"address of the page, or off (default "+defaultHTTP+", or another port if it is in use)")
	flags.BoolVarP(&f.headless, "headless", "H", false, "no page, like --http off")
	flags.BoolVar(&f.json, "json", false, "print a summary as JSON at the end; the addresses go to stderr")
	flags.BoolVar(&f.xlr8, "xlr8", false, "accepted for compatibility, ignored")
	flags.BoolVar(&f.atkFault, "atkfault", false, "accepted for compatibility, ignored")
	console.Accept(flags, "a probability from 0 to 1, for example 0.1", "vanish", "loss", "command-loss")
	console.Accept(flags, "a time with its unit, for example 20ms", "latency", "command-latency", "command-timeout")
	console.Accept(flags, "a standard deviation of at least 0, for example 0.01", "noise-position", "noise-heading")
}

// parse completes the configuration from the flags.
func (f *simFlags) parse(c *cobra.Command) (err error) {
	cfg := &f.config
	if f.five {
		cfg.Game.Robots = 5
	}
	if cfg.Game.Compat, err = vss.ParseCompat(f.compat); err != nil {
		return fmt.Errorf("--compat %s: %w", f.compat, err)
	}
	for i, rung := range []string{f.blue, f.yellow} {
		if _, ok := vss.Pace(rung); !ok && rung != "" {
			return fmt.Errorf("--%s %s: want one of %s; without the flag, a client drives the team", vss.Teams[i], rung,
				strings.Join(vss.Rungs, ", "))
		}
		cfg.Builtin[i] = rung
	}
	switch f.format {
	case "firasim":
	case "ssl":
		cfg.SSLVision = []string{firasim.SSLVisionVSS}
		if c.Flags().Changed("vision") {
			cfg.SSLVision, cfg.Vision = cfg.Vision, nil
		}
	default:
		return fmt.Errorf("--vision-format %s: want firasim or ssl", f.format)
	}
	switch f.lockstep {
	case "":
	case "both":
		cfg.Lockstep = [2]bool{true, true}
	case "blue", "yellow":
		cfg.Lockstep = [2]bool{f.lockstep == "blue", f.lockstep == "yellow"}
	default:
		return fmt.Errorf("--lockstep=%s: want blue, yellow or both", f.lockstep)
	}
	if cfg.Speed, err = f.times(c.Flags().Changed("speed")); err != nil {
		return err
	}
	if f.placement == "" {
		return nil
	}
	b, err := os.ReadFile(f.placement)
	if err != nil {
		return fmt.Errorf("--placement: %w", err)
	}
	if cfg.Game.Lineup, err = vss.ParseLineup(b, cfg.Game.Robots); err != nil {
		return fmt.Errorf("--placement %s: %w", f.placement, err)
	}
	return nil
}

// times returns the speed. In lockstep the clients set it, unless --speed is given.
func (f *simFlags) times(asked bool) (float64, error) {
	if f.speed == "max" || f.lockstep != "" && !asked {
		return 0, nil
	}
	var x float64
	if n, err := fmt.Sscanf(strings.TrimSuffix(f.speed, "x")+"\n", "%g\n", &x); err != nil || n != 1 || !(x > 0) {
		return 0, fmt.Errorf("--speed %s: want a number above 0, where 1 is real time, or max", f.speed)
	}
	return x, nil
}

func runSimVSS(c *cobra.Command, f *simFlags) error {
	out, log := c.OutOrStdout(), console.Logger(c.ErrOrStderr())
	if len(f.config.Vision) == 0 || slices.Contains(f.config.Vision, "") {
		return console.Usage(errors.New("--vision without an address: leave the flag out for the two groups of FIRASim, " +
			"or give an address, for example 127.0.0.1:10002"))

	}
	if f.compat == "list" {
		_, err := io.WriteString(out, vss.CompatHelp())
		return err
	}
	if err := f.parse(c); err != nil {
		return console.Usage(err)
	}
	f.logIgnored(log)
	run, err := f.open(log)
	if err != nil {
		return err
	}
	if !f.json || run.page != nil {
		game, where, to := f.config.Game, "no page", out
		if run.page != nil {
			where = run.page.url
		}
		if f.json {
			to = c.ErrOrStderr()
		}
		if _, err := fmt.Fprintf(to, "%d against %d, seed %d, commands at %s, vision to %s: %s\n", game.Robots,
			game.Robots,
			game.Seed, run.server.CommandsAt(), strings.Join(run.server.Show().Vision, ", "), where); err != nil {
			run.close()
			return fmt.Errorf("cannot print the page's address: %w", err)
		}
	}
	if run.page != nil {
		run.page.warn(log, "move the ball and the robots")
	}
	err = run.play(c.Context())
	gaps := run.close()
	if err != nil {
		return err
	}
	sum := simSummary{Summary: run.server.Summary()}
	if gaps != nil {
		sum.RecordError = gaps.Error()
	}
	if err := f.printSummary(out, sum); err != nil {
		return err
	}
	return gaps
}

// logIgnored logs which flags of FIRASim are ignored.
func (f *simFlags) logIgnored(log *slog.Logger) {
	if f.xlr8 {
		log.Info("--xlr8 is ignored: the simulator has one solver; --speed changes the speed")
	}
	if f.atkFault {
		log.Info("--atkfault is ignored, as in FIRASim; --referee starts a referee")
	}
}

// simRun is a simulator with its page and its record.
type simRun struct {
	server *vssnet.Server
	page   *page      // nil: no page
	record *recording // nil: no record
	logs   matchlognet.Logs
}

// open opens the sockets of the simulator and its page, and the record.
func (f *simFlags) open(log *slog.Logger) (run *simRun, err error) {
	run = &simRun{}
	defer func() {
		if err != nil {
			run.close()
		}
	}()
	if run.server, err = vssnet.New(f.config, log); err != nil {
		return run, console.Usage(err)
	}
	if f.http != "off" && !f.headless {
		flags, cfg := pageFlags{http: f.http}, commanded(run.server.Commands(), "vss")
		if strings.HasSuffix(f.record.file, ".mcap") { // its log is watched while it grows
			run.logs.Files = []string{f.record.file}
			cfg.Handlers, cfg.Pages = run.logs.Handlers(), []string{"vss", "log"}
		}
		if run.page, err = flags.open(flags.foxgloveVSS(cfg, run.server.Show)); err != nil {
			return run, err
		}
	}
	if err = run.server.Open(); err != nil {
		return run, console.Usage(err)
	}
	switch {
	case strings.HasSuffix(f.record.file, ".mcap"):
		run.record, err = f.record.open(log, nil)
	case f.record.file != "":
		run.record, err = openPcap(f.record.file, log)
	}
	if err != nil {
		return run, err
	}
	if run.record != nil {
		run.server.Record = run.record.datagram
		run.server.Marked = func(at soccer.Time, m vss.ShowMark) { run.record.JSON(at, matchlog.Marks, m) }
		run.record.snapshots(topic{"vss", vssnet.ShowPeriod, run.show})
	}
	return run, nil
}

// close closes everything that is still open. The error tells which part of the record is missing.
func (r *simRun) close() error {
	if r.server != nil {
		r.server.Close()
	}
	if r.page != nil {
		r.page.listener.Close()
	}
	r.logs.Close()
	return r.record.close()
}

// play runs the simulator and its page until one of them ends.
func (r *simRun) play(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	if r.page != nil {
		group.Go(func() error { return r.page.serve(ctx) })
		group.Go(func() error { return r.page.server.Every(ctx, "vss", vssnet.ShowPeriod, r.show) })
		group.Go(func() error { return r.page.server.Every(ctx, packetTopic, vssnet.PacketPeriod, r.showPacket) })
		group.Go(func() error { return playback.ServeVSS(ctx, r.page.clients, r.server.Show) })
	}
	group.Go(func() error {
		defer cancel()
		return r.server.Run(ctx)
	})
	return group.Wait()
}

// show returns topic "vss".
func (r *simRun) show(string) any {
	v := r.server.Show()
	if text := r.record.trouble(); text != "" {
		v.Trouble = strings.TrimPrefix(v.Trouble+"; "+text, "; ")
	}
	return v
}

// packetTopic begins the topics of clients' last packets; the client's address follows.
const packetTopic = "vss/packet/"

// showPacket returns a topic of packetTopic.
func (r *simRun) showPacket(topic string) any {
	if v := r.server.ShowPacket(strings.TrimPrefix(topic, packetTopic)); v != nil {
		return v
	}
	return nil
}

// simSummary is the summary of a run with --json.
type simSummary struct {
	vssnet.Summary
	RecordError string `json:"recordError"` // why the record has gaps; "" if it has none, or there is no record
}

// printSummary prints the result of a run.
func (f *simFlags) printSummary(out io.Writer, s simSummary) error {
	if f.json {
		return console.PrintJSON(out, s)
	}
	_, err := fmt.Fprintf(out, "%.3f s simulated in %.3f s, blue %d, yellow %d, %d packets in, %d out\n",
		s.Seconds, s.Real, s.GoalsBlue, s.GoalsYellow, s.In, s.Out)
	return err
}
