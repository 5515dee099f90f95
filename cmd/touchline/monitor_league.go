package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/internal/console"
	"touchline/internal/control"
	"touchline/internal/league/leaguenet"
	"touchline/internal/match/matchnet"
	"touchline/internal/monitor"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/transport"
)

// leagueFlags are the flags of a monitor of another league.
type leagueFlags struct {
	name       string
	controller string
	shift      uint16
}

// leagues are the values of --league.
var leagues = []string{"msl", "hsl"}

// hslFields are the fields of the Humanoid Soccer League by their sizes.
var hslFields = map[string]func() soccer.Field{"9x6": soccer.HSLSmall, "14x9": soccer.HSLMiddle, "22x14": soccer.HSLLarge}

func (f *leagueFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "league", leagues[0], "league whose robots play: msl, mixed teams, or hsl, the Humanoid Soccer League")
	flags.StringVar(&f.controller, "gamecontroller", "",
		"with --league hsl: IPv4 address of the GameController (default: where control messages come from)")
	addShift(flags, &f.shift)
}

// addShift adds the flag --shift-ports.
func addShift(flags *pflag.FlagSet, shift *uint16) {
	flags.Uint16Var(shift, "shift-ports", 0, "add this to all UDP ports of the Humanoid Soccer League: two games on one machine")
	console.Accept(flags, "a whole number from 0 to 50000, for example 1000", "shift-ports")
}

func checkShift(shift uint16) error {
	if shift > 50_000 {
		return console.Usage(fmt.Errorf("--shift-ports %d: want 0 to 50000", shift))
	}
	return nil
}

// check refuses flags that have no effect.
func (f *leagueFlags) check(c *cobra.Command) error {
	switch f.name {
	case "msl":
		for _, name := range []string{"gamecontroller", "shift-ports"} {
			if c.Flags().Changed(name) {
				return console.Usage(fmt.Errorf("--%s needs --league hsl: without it, it has no effect", name))
			}
		}
		return nil
	case "hsl":
		for _, name := range []string{"group", "tcm", "tcm-as", "profiles"} {
			if c.Flags().Changed(name) {
				return console.Usage(fmt.Errorf("--%s is for mixed teams: leave it out with --league hsl", name))
			}
		}
		return checkShift(f.shift)
	}
	return console.Usage(fmt.Errorf("--league %.40s: want msl or hsl", f.name))
}

// config converts the flags.
func (f *monitorFlags) leagueConfig(c *cobra.Command) (leaguenet.Config, error) {
	cfg := leaguenet.Config{Interface: f.network.iface, Shift: f.league.shift, Flags: given(c, "gamecontroller", "field", "http")}
	if c.Flags().Changed("field") {
		preset, ok := hslFields[f.field.name]
		if !ok {
			return cfg, console.Usage(fmt.Errorf("--field %.40s: want 9x6, 14x9 or 22x14 with --league hsl", f.field.name))
		}
		cfg.Field = preset()
	}
	if f.league.controller != "" {
		at, err := netip.ParseAddr(f.league.controller)
		if err != nil || !at.Is4() {
			return cfg, console.Usage(fmt.Errorf("--gamecontroller %.40s: want an IPv4 address, for example 10.0.0.1",
				f.league.controller))
		}
		cfg.GameController = at
	}
	return cfg, nil
}

// runLeague runs the monitor of another league.
func runLeague(ctx context.Context, c *cobra.Command, f *monitorFlags) (err error) {
	cfg, err := f.leagueConfig(c)
	if err != nil {
		return err
	}
	log := console.Logger(c.ErrOrStderr())
	tape, err := f.record.tape(log, map[string]string{matchlog.MetaField: "HSL"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.record.stop(tape)) }()
	cfg.Tap = tape.Packet
	cfg.State = func(at soccer.Time, state []byte) {
		tape.Message(matchlog.Message{Time: at, Channel: matchlog.States, Data: state})
	}
	m, err := leaguenet.OpenHSL(cfg, log)
	if err != nil {
		return console.Usage(err)
	}
	defer m.Close()
	pages := monitor.DefaultConfig()
	pages.Pages = []string{"wall", "network"}
	pages.Commands = control.Refuse(errOnlyWatches, matchnet.SessionCommands()...)
	token := ""
	if f.page.beyondLoopback() {
		token = rand.Text()
		pages.Guard = monitor.NewGuard(token, transport.Trust)
	}
	page, err := f.page.open(f.page.withTape(pages, tape))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("monitor of the Humanoid Soccer League: %s\n", page.url)
	if token != "" {
		text += fmt.Sprintf("to record from the page: %s#token=%s\n", page.url, token)
	}
	if _, err := io.WriteString(c.OutOrStdout(), text); err != nil {
		page.listener.Close()
		return fmt.Errorf("the page's address cannot be printed: %w", err)
	}
	return page.run(ctx, taped(m, tape, m.Run), append(wallTopics(m), recordingTopics(tape)...)...)
}
