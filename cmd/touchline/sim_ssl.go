package main

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/ssl/sslnet"
	"touchline/soccer"
	"touchline/wire/ssl"
)

// simSSLFlags are the values of the flags.
type simSSLFlags struct {
	config   sslnet.Config
	host     string
	tracker  bool
	sync     bool
	syncTeam string
	json     bool
}

// simSSLSummary is what a simulation did.
type simSSLSummary struct {
	Port uint16 `json:"port"` // for SimulatorCommand
	sslnet.Counts
}

func simSSLCommand() *cobra.Command {
	f := simSSLFlags{config: sslnet.DefaultConfig()}
	c := &cobra.Command{
		Use:   "ssl",
		Short: "Simulate the Small Size League over its simulation protocol",
		Long: `Ssl simulates the Small Size League for programs that speak its simulation protocol. It takes
SimulatorCommand on UDP port 10300 and RobotControl on 10301 (blue) and 10302 (yellow), and sends SSL-Vision packets
to 224.5.23.2:10020. All packets stay on this machine unless --host or --interface names another network.

Each of the three ports also takes a SimulationSyncRequest: the simulator makes its step and answers with what the
camera sees. After the first request the simulator waits for the next one, until a SimulatorCommand sets
simulation_speed. The same requests give the same bytes. docs/ssl.md lists what is simulated.`,
		Example: `  touchline sim ssl
  touchline sim ssl --division A --robots 11 --tracker
  touchline sim ssl --sync --vision ""
  touchline sim ssl --noise-ball 0.002 --noise-robot 0.001 --vanish 0.01 --seed 7`,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags, cfg, game := c.Flags(), &f.config, &f.config.Game
	flags.StringVar(&game.Division, "division", game.Division, "A: 12 x 9 m, or B: 9 x 6 m")
	flags.IntVar(&game.Robots, "robots", game.Robots, "robots of each team at the start, 0 to 11")
	flags.Uint64Var(&game.Seed, "seed", game.Seed, "seed of the noise")
	flags.Float64Var(&game.Noise.Ball, "noise-ball", 0, "standard deviation of the ball's position in vision, m")
	flags.Float64Var(&game.Noise.Robot, "noise-robot", 0, "standard deviation of robot positions in vision, m")
	flags.Float64Var(&game.Noise.Heading, "noise-heading", 0, "standard deviation of headings in vision, rad")
	flags.Float64Var(&game.Noise.Vanish, "vanish", 0, "probability that an object is missing in a vision packet, 0 to 1")
	flags.Float64Var(&cfg.Rate, "rate", cfg.Rate, "vision packets a second of simulated time")
	flags.Float64Var(&cfg.Speed, "speed", cfg.Speed, "simulation speed in multiples of real time")
	flags.BoolVar(&f.sync, "sync", false, "start in synchronous mode: wait for requests, and begin at a fixed time")
	flags.StringVar(&f.syncTeam, "sync-team", "blue", "team of the robot commands in synchronous requests on the first port")
	flags.DurationVar(&cfg.Duration, "duration", 0, "stop after this simulated time (default: at Ctrl-C)")
	flags.StringVar(&f.host, "host", cfg.Host.String(), "address to listen on")
	flags.Uint16Var(&cfg.Port, "port", cfg.Port, "first of the three ports; 0 chooses free ones")
	flags.StringVar(&cfg.Vision, "vision", cfg.Vision, `group and port of vision, "" for none`)
	flags.BoolVar(&f.tracker, "tracker", false, "also send the truth as tracker packets to "+ssl.TrackerGroup)
	flags.StringVar(&cfg.Interface, "interface", "",
		"network interface for multicast, for example eth0 (default: loopback; nothing leaves this machine)")
	flags.BoolVar(&f.json, "json", false, "print a summary as JSON at the end; the addresses go to stderr")
	console.Accept(flags, "a probability from 0 to 1, for example 0.1", "vanish")
	console.Accept(flags, "a standard deviation of at least 0, for example 0.01", "noise-ball", "noise-robot", "noise-heading")
	return c
}

func (f *simSSLFlags) run(c *cobra.Command) (err error) {
	cfg := &f.config
	if cfg.Host, err = netip.ParseAddr(f.host); err != nil {
		return console.Usage(fmt.Errorf("--host %s: want an IP address of this machine, for example 127.0.0.1", f.host))
	}
	switch f.syncTeam {
	case "blue":
	case "yellow":
		cfg.SyncTeam = ssl.Yellow
	default:
		return console.Usage(fmt.Errorf("--sync-team %s: want blue or yellow", f.syncTeam))
	}
	if f.sync {
		cfg.Speed = 0
	} else {
		now := time.Now()
		cfg.Game.Start = soccer.NewClock(now).At(now)
	}
	if f.tracker {
		cfg.Tracker = ssl.TrackerGroup
	}
	server, err := sslnet.New(*cfg, console.Logger(c.ErrOrStderr()))
	if err != nil {
		return console.Usage(err)
	}
	if err := server.Open(); err != nil {
		return console.Usage(err)
	}
	port, vision := server.Port(), "no vision"
	if cfg.Vision != "" {
		vision = "vision to " + cfg.Vision
	}
	to := c.OutOrStdout()
	if f.json {
		to = c.ErrOrStderr()
	}
	if _, err := fmt.Fprintf(to, "division %s, %d against %d, control at %s, blue at %d, yellow at %d, %s\n", cfg.Game.Division,
		cfg.Game.Robots, cfg.Game.Robots, netip.AddrPortFrom(cfg.Host, port), port+1, port+2, vision); err != nil {
		server.Close()
		return fmt.Errorf("cannot print the addresses: %w", err)
	}
	if err := server.Run(c.Context()); err != nil {
		return err
	}
	if sum := (simSSLSummary{port, server.Counts()}); f.json {
		return console.PrintJSON(c.OutOrStdout(), sum)
	}
	return nil
}
