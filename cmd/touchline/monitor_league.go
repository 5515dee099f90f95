package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/internal/console"
	"touchline/internal/control"
	"touchline/internal/league/leaguenet"
	"touchline/internal/match/matchnet"
	"touchline/internal/monitor"
	"touchline/matchlog"
	"touchline/soccer"
)

// leagueFlags are the flags of a monitor of another league.
type leagueFlags struct {
	name       string
	controller string
	shift      uint16
}

// leagues are the values of --league.
var leagues = []string{"msl", "hsl", "ssl"}

// leagueNames are the names of the other leagues.
var leagueNames = map[string]string{"hsl": "Humanoid Soccer League", "ssl": "Small Size League"}

// hslFields are the fields of the Humanoid Soccer League by their sizes.
var hslFields = map[string]func() soccer.Field{"9x6": soccer.HSLSmall, "14x9": soccer.HSLMiddle, "22x14": soccer.HSLLarge}

func (f *leagueFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "league", leagues[0],
		"league whose robots play: msl, mixed teams; hsl, the Humanoid Soccer League; ssl, the Small Size League")
	flags.StringVar(&f.controller, "gamecontroller", "",
		"with --league hsl: IPv4 address of the GameController (default: where control messages come from)")
	addShift(flags, &f.shift)
}

// addShift adds the flag --shift-ports.
func addShift(flags *pflag.FlagSet, shift *uint16) {
	flags.Uint16Var(shift, "shift-ports", 0, "add this to all UDP ports of the league: two games on one machine")
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
		return refuse(c, "needs --league hsl or ssl: without it, it has no effect", "gamecontroller", "shift-ports")
	case "hsl", "ssl":
		if err := refuse(c, "is for mixed teams: leave it out with --league "+f.name, "group", "tcm", "tcm-as", "profiles"); err != nil {
			return err
		}
		if f.name == "ssl" {
			if err := refuse(c, "is for --league hsl", "gamecontroller"); err != nil {
				return err
			}
		}
		return checkShift(f.shift)
	}
	return console.Usage(fmt.Errorf("--league %.40s: want msl, hsl or ssl", f.name))
}

// refuse refuses flags that are given.
func refuse(c *cobra.Command, why string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return console.Usage(fmt.Errorf("--%s %s", name, why))
		}
	}
	return nil
}

// leagueConfig converts the flags.
func (f *monitorFlags) leagueConfig(c *cobra.Command) (leaguenet.Config, error) {
	cfg := leaguenet.Config{
		Interface: f.network.iface, Shift: f.league.shift, Flags: given(c, "gamecontroller", "field", "http"),
	}
	if c.Flags().Changed("field") {
		if f.league.name == "ssl" {
			return cfg, console.Usage(errors.New("--field: leave it out with --league ssl, where vision sends the field size"))
		}
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
	tape, err := f.record.tape(log, map[string]string{matchlog.MetaField: strings.ToUpper(f.league.name)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.record.stop(tape)) }()
	cfg.Tap = tape.Packet
	cfg.State = func(at soccer.Time, state []byte) {
		tape.Message(matchlog.Message{Time: at, Channel: matchlog.States, Data: state})
	}
	open := leaguenet.OpenHSL
	if f.league.name == "ssl" {
		open = leaguenet.OpenSSL
	}
	m, err := open(cfg, log)
	if err != nil {
		return console.Usage(err)
	}
	defer m.Close()
	pages := monitor.DefaultConfig()
	pages.Pages = []string{"wall", "network"}
	pages.Commands = control.Refuse(errOnlyWatches, matchnet.SessionCommands()...)
	live := shownLive{session: m, packets: strings.ToUpper(f.league.name) + " packets"}
	page, err := f.page.openMonitor(c, pages, tape, live, "the "+leagueNames[f.league.name], "record")
	if err != nil {
		return err
	}
	return page.run(ctx, taped(m, tape, m.Run), append(wallTopics(m), recordingTopics(tape)...)...)
}
