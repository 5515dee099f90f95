package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/monitor"
	"touchline/transport"
)

// lobbyFlags are the flags of the command lobby.
type lobbyFlags struct {
	cfg      matchnet.LobbyConfig
	page     pageFlags
	iface    string
	robots   int
	json     bool
	duration time.Duration
}

// lobbyCommand returns the command lobby.
func lobbyCommand() *cobra.Command {
	f := lobbyFlags{cfg: matchnet.DefaultLobbyConfig()}
	c := &cobra.Command{
		Use:   "lobby",
		Short: "Host matches between the teams of a class, one after the other",
		Long: `Lobby waits for teams, each driven by a program on this machine or another, and plays matches between them in
real time, one after the other. The connected team with the fewest matches plays next, against an opponent that it has
met least often. The page /lobby shows the table, and /#match the match.

A team joins with "touchline join" and the key that lobby prints. Requests and datagrams are signed, so a program
without the key cannot interfere. A team that does not drive any of its robots loses 0:3. docs/lobby.md describes the
protocol.

Nothing leaves this machine unless you give --interface.`,
		Example: `  touchline lobby
  touchline lobby --interface eth0 --teams 30 --half 60s
  touchline lobby --interface eth0 --wait-for 4 --matches 6 --json
  touchline join --lobby 192.0.2.1:8014 --key KEY --name A          # on each team's machine`,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	flags.StringVar(&f.iface, "interface", "",
		"network interface of the page and the fields, for example eth0 (default: loopback, nothing leaves this machine)")
	flags.StringVar(&f.cfg.Key, "key", "", "key of the lobby, at least 16 letters (default: a new key)")
	flags.IntVar(&f.cfg.Lobby.Teams, "teams", f.cfg.Lobby.Teams, "admit at most this many teams, 2 to 64")
	flags.IntVar(&f.cfg.Lobby.PerAddress, "per-address", f.cfg.Lobby.PerAddress, "admit at most this many teams from one address")
	flags.IntVar(&f.cfg.Lobby.Wait, "wait-for", f.cfg.Lobby.Wait, "start the first match when this many teams have joined")
	flags.IntVar(&f.cfg.Lobby.Matches, "matches", 0, "stop after this many matches (default: at Ctrl-C)")
	flags.DurationVar(&f.cfg.Match.Half, "half", time.Minute, "length of each half, 1s to 1h in whole seconds")
	flags.IntVar(&f.robots, "robots", match.MostRobots, "robots of each team, 1 to 5")
	flags.DurationVar(&f.cfg.Patience, "patience", f.cfg.Patience, "how long to wait before a match for both teams to drive their robots")
	flags.Uint64Var(&f.cfg.Match.Seed, "seed", f.cfg.Match.Seed, "seed of the match draw and of the fields")
	flags.BoolVar(&f.json, "json", false, "print the table and the matches as JSON at the end")
	console.AddDuration(flags, &f.duration)
	console.Accept(flags, "whole seconds from 1s to 1h, for example 60s", "half")
	console.Accept(flags, "a time from 1s, for example 15s", "patience")
	console.Accept(flags, "a whole number from 1 to 5, for example 3", "robots")
	console.Accept(flags, "a whole number, for example 4", "teams", "per-address", "wait-for", "matches")
	f.page.add(flags)
	return c
}

// config converts the flags.
func (f *lobbyFlags) config() (err error) {
	cfg := &f.cfg
	cfg.Lobby.Seed = cfg.Match.Seed
	cfg.Match.Home.Robots, cfg.Match.Away.Robots = f.robots, f.robots
	if f.robots < 1 || f.robots > match.MostRobots {
		return fmt.Errorf("--robots %d: want 1 to %d", f.robots, match.MostRobots)
	}
	if err := cfg.Lobby.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if err := cfg.Match.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if cfg.Patience < time.Second {
		return fmt.Errorf("--patience %v: want 1s or more", cfg.Patience)
	}
	if f.iface == "" && f.page.beyondLoopback() {
		return errors.New("--http: other machines reach the page, but not the fields: name the interface of both, for example " +
			"--interface eth0")
	}
	if cfg.Address, err = transport.Address(f.iface); err != nil {
		return fmt.Errorf("--interface %w", err)
	}
	if f.iface != "" && f.page.http == "" {
		_, port, _ := net.SplitHostPort(defaultHTTP)
		f.page.http = net.JoinHostPort(cfg.Address.String(), port)
	}
	return nil
}

// run runs the lobby.
func (f *lobbyFlags) run(c *cobra.Command) error {
	if err := f.config(); err != nil {
		return console.Usage(err)
	}
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	out, told := c.OutOrStdout(), c.OutOrStdout()
	if f.json {
		told = c.ErrOrStderr()
	}
	f.cfg.OnResult = func(m match.Fixture) { fmt.Fprintln(told, result(&m)) }
	lobby, err := matchnet.NewLobby(f.cfg, console.Logger(c.ErrOrStderr()))
	if err != nil {
		return console.Usage(err)
	}
	cfg := monitor.DefaultConfig()
	cfg.Pages, cfg.Handlers = append([]string{"lobby"}, gamePages...), lobby.Handlers()
	page, err := f.page.open(cfg)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("lobby: %slobby\nkey:   %s\njoin:  touchline join --lobby %s --key %s --name NAME\n", page.url, lobby.Key(),
		page.listener.Addr(), lobby.Key())
	if err := page.print(told, text); err != nil {
		return err
	}
	if err := page.run(ctx, f.untilOver(lobby), lobbyTopics(lobby)...); err != nil && !errors.Is(err, errLobbyOver) {
		return err
	}
	v := lobby.View("").(*match.LobbyView)
	if f.json {
		return console.PrintJSON(out, v)
	}
	_, err = io.WriteString(out, lobbyTable(v))
	return err
}

// errLobbyOver ends a lobby that has played all matches.
var errLobbyOver = errors.New("the lobby is over")

// untilOver returns a function that plays the matches. After the last one the page stays; with --json the lobby ends as soon
// as the teams have heard it.
func (f *lobbyFlags) untilOver(lobby *matchnet.Lobby) func(context.Context) error {
	const farewell = 3 * time.Second
	return func(ctx context.Context) error {
		if err := lobby.Run(ctx); err != nil {
			return err
		}
		if !f.json {
			<-ctx.Done()
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(farewell):
			return errLobbyOver
		}
	}
}

// result returns a match in words.
func result(m *match.Fixture) string {
	text := fmt.Sprintf("match %d: %s %d : %d %s", m.Number, m.Home, m.Goals[0], m.Goals[1], m.Away)
	if m.Reason != "" {
		text += ", " + m.Reason
	}
	return text
}

// lobbyTable returns the table for people.
func lobbyTable(v *match.LobbyView) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %6s %5s %5s %5s %7s %6s\n", "", "played", "won", "drawn", "lost", "goals", "points")
	for _, r := range v.Table {
		fmt.Fprintf(&b, "%-24s %6d %5d %5d %5d %3d:%-3d %6d\n", r.Name, r.Played, r.Won, r.Drawn, r.Lost, r.For, r.Against, r.Points)
	}
	return b.String()
}

// lobbyTopics returns the topics of a lobby and of the match that is played.
func lobbyTopics(l *matchnet.Lobby) []topic {
	return append(gameTopics(l.Current), topic{"lobby", time.Second / 2, l.View})
}
