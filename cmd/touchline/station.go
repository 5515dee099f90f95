package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/soccer"
	"touchline/station"
	"touchline/transport"
	"touchline/wire"
	"touchline/wire/msl"
)

// stationFlags is what the base station can be told.
type stationFlags struct {
	network             networkFlags
	team                int
	name, refbox, color string
	from, handOn        string
	rate                float64
	events              []string
	json                bool
	duration            time.Duration
}

func stationCommand() *cobra.Command {
	var f stationFlags
	c := &cobra.Command{
		Use:   "station",
		Short: "Be a team's base station: robots' packages in, worldstates to the RefBox, its commands back",
		Long: `Station is the base station of a Middle Size League team. It hears its robots' mixed team packages, sends what they say
together to the RefBox as a worldstate twenty times a second, and prints the RefBox's commands as they come. It waits any
time for the referee to accept the team, sends nothing before, and connects again when the RefBox starts again. A RefBox on
this machine is called from 127.0.T.1, so that it knows team T by its address.`,
		Example: `  touchline station --team 39 --refbox 127.0.0.1
  touchline station --team 39 --refbox 172.16.1.2:28097 --interface eth0 --hand-on 172.16.39.20:30000
  touchline station --team 39 --refbox 127.0.0.1 --json --event 2:kick`,
		RunE: func(c *cobra.Command, _ []string) error { return runStation(c, &f) },
	}
	flags := c.Flags()
	flags.IntVar(&f.team, "team", 0, "the team, by the last octet of its multicast group: 39 is CAMBADA (needed)")
	flags.StringVar(&f.name, "name", "", "the team's name in worldstates (default: as the league's table has it)")
	flags.StringVar(&f.color, "color", "cyan", "side of the robots' packages, cyan or magenta; the other's are left out")
	flags.StringVar(&f.refbox, "refbox", "127.0.0.1", "the RefBox, HOST or HOST:PORT; the port is "+strconv.Itoa(msl.Port)+" where none is given")
	flags.StringVar(&f.from, "from", "", "own address to call the RefBox from (default: the system's choice, and 127.0.T.1 on this machine)")
	flags.Float64Var(&f.rate, "rate", station.DefaultRate, "worldstates a second, 1 to 200; the league wants at least ten")
	flags.StringVar(&f.handOn, "hand-on", "", "send each command on to the robots: its JSON in a datagram to this address and port")
	flags.StringArrayVar(&f.events, "event", nil, "ROBOT:TEXT, for example 2:kick: an event that is sent once, when the RefBox has accepted the team")
	flags.BoolVar(&f.json, "json", false, "commands as JSON, one a line")
	flags.DurationVar(&f.duration, "duration", 0, "end after so long (default: at Ctrl-C)")
	f.network.add(flags, false)
	return c
}

func runStation(c *cobra.Command, f *stationFlags) error {
	ctx, cancel, err := limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	events, err := parseEvents(f.events)
	if err != nil {
		return exitError{2, err}
	}
	live, err := f.prepare(c)
	if err != nil {
		return exitError{2, err}
	}
	network, err := f.network.config()
	if err != nil {
		return exitError{2, err}
	}
	robots, err := transport.Listen(network)
	if err != nil {
		return exitError{2, err}
	}
	defer robots.Close()
	forward, end, err := handOn(f.handOn, f.network.iface)
	if err != nil {
		return exitError{2, err}
	}
	defer end()
	out := c.OutOrStdout()
	if !f.json {
		if _, err := fmt.Fprintf(out, "station of team %d, RefBox %s, robots on %s\n", f.team, live.RefBox, network.Group); err != nil {
			return fmt.Errorf("nothing can be printed: %w", err)
		}
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	lines := make(chan station.Told, 256) // who reads them may stop to: a STOP is handed on all the same
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		for t := range lines {
			if err := printTold(out, &t, f.json); err != nil {
				fail(fmt.Errorf("a command cannot be printed: %w", err))
				return
			}
		}
	}()
	live.Told = func(t station.Told, message []byte) {
		if err := forward(message); err != nil {
			live.Log.Warn("a command cannot be handed on", "command", t.Command.Name, "err", err)
		}
		select {
		case lines <- t:
		default:
			live.Log.Warn("a command is not printed: nobody reads", "command", t.Command.Name)
		}
		if t.Command.Name == msl.Welcome {
			for _, e := range events {
				if err := live.Event(e.robot, e.text); err != nil {
					live.Log.Warn("an event is not sent", "err", err)
				}
			}
			events = nil
		}
	}
	err = live.Run(ctx, robots)
	close(lines)
	select {
	case <-printed:
	case <-time.After(time.Second):
	}
	h := live.Health()
	live.Log.Info("the station ends", "heard", h.Heard, "worldstates", h.Sent, "dropped", h.Dropped, "events", h.Events)
	if cause := context.Cause(ctx); err == nil && !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return err
}

// prepare makes the station of what was typed.
func (f *stationFlags) prepare(c *cobra.Command) (*station.Live, error) {
	cfg := station.DefaultConfig(f.team)
	if f.name != "" {
		cfg.Name = f.name
	}
	switch f.color {
	case "cyan":
	case "magenta":
		cfg.Color = soccer.Magenta
	default:
		return nil, fmt.Errorf("--color %s: there are cyan and magenta", f.color)
	}
	if f.team == 0 {
		return nil, errors.New("whose station? Give --team, for example --team 39 for CAMBADA")
	}
	if !(f.rate >= 1 && f.rate <= 200) {
		return nil, fmt.Errorf("--rate %v: give 1 to 200 worldstates a second", f.rate)
	}
	live, err := station.NewLive(cfg, f.refbox, logger(c.ErrOrStderr()))
	if err != nil {
		return nil, err
	}
	live.Rate = f.rate
	if f.from != "" {
		if live.RefBox.From, err = netip.ParseAddr(f.from); err != nil {
			return nil, fmt.Errorf("--from %s: want an address of this machine, for example 172.16.39.10", f.from)
		}
	}
	return live, nil
}

// robotEvent is an event of --event.
type robotEvent struct {
	robot int
	text  string
}

func parseEvents(typed []string) ([]robotEvent, error) {
	var events []robotEvent
	for _, e := range typed {
		number, text, ok := strings.Cut(e, ":")
		robot, err := strconv.Atoi(number)
		if !ok || err != nil || robot < 1 || robot > msl.MaxNumber || text == "" {
			return nil, fmt.Errorf("--event %.60s: want ROBOT:TEXT, for example 2:kick", e)
		}
		events = append(events, robotEvent{robot, text})
	}
	return events, nil
}

// handOn opens where commands are handed on to; nowhere when there is no address.
func handOn(address, iface string) (send func([]byte) error, end func() error, err error) {
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
		return nil, nil, fmt.Errorf("--hand-on %s: want an address and a port, for example 172.16.39.20:30000: %w", address, err)
	}
	return func(b []byte) error { _, err := conn.Write(b); return err }, conn.Close, nil
}

// printTold prints a command as it comes.
func printTold(w io.Writer, t *station.Told, asJSON bool) error {
	at := time.Unix(0, int64(t.Time))
	if asJSON {
		return json.NewEncoder(w).Encode(struct {
			Time       int64        `json:"time"` // ms since 1970
			Command    string       `json:"command"`
			Side       station.Side `json:"side"` // ours, theirs, both
			TargetTeam string       `json:"targetTeam"`
			RobotID    int          `json:"robotID,omitempty"`
		}{at.UnixMilli(), t.Command.Name, t.Side, t.Command.TargetTeam, t.Command.RobotID})
	}
	line := at.Format("15:04:05.000") + " " + wire.Printable(t.Command.Name)
	switch {
	case t.Command.Name == msl.Welcome:
		line += " " + wire.Printable(t.Command.TargetTeam)
	case t.Side != station.Both:
		line += " " + string(t.Side)
	}
	if t.Command.RobotID != 0 {
		line += fmt.Sprintf(" robot %d", t.Command.RobotID)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
