package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/internal/console"
	"touchline/internal/hslgame"
	"touchline/internal/hslgame/hslgamenet"
	"touchline/internal/league"
	"touchline/wire/hsl"
)

// hslFlags are the flags of the GameController for tests.
type hslFlags struct {
	net      hslgamenet.Config
	teams    []string
	division string
	phase    string
	budget   uint
	json     bool
	duration time.Duration
}

// divisions are the names of the divisions of the Humanoid Soccer League.
var divisions = []string{hsl.Small.String(), hsl.Middle.String(), hsl.Large.String()}

func hslCommand() *cobra.Command {
	f := hslFlags{net: hslgamenet.Config{Game: hslgame.DefaultConfig()}}
	c := &cobra.Command{
		Use:   "hsl",
		Short: "Simulate the GameController of the Humanoid Soccer League to test robots",
		Long: `Hsl replaces the GameController of the Humanoid Soccer League (docs/hsl.md) and needs no operator. It plays a game
of two halves with goals, set plays, penalties and timeouts, all drawn from a seed, and broadcasts control messages at
2 Hz. With --knockout a draw leads to extra time and a penalty shoot-out; --phase starts the game there, or in a timeout.
Hsl receives the robots' return messages, forwards them to monitors that ask for them, and counts the teams' messages
against their budget. It names each packet that breaks a rule, as touchline check does.

With --robots both teams have synthetic robots that walk, see the ball and report it. Nothing leaves this machine unless
--interface names a network. The exit code is 0 if no packet broke a rule, and 1 otherwise. The game ends by itself;
Ctrl-C ends it early.`,
		Example: `  touchline hsl --teams 5,24
  touchline hsl --interface eth0 --teams 5,24 --half 2m --no-delay
  touchline hsl --robots --players 20 --seed 7         and touchline monitor --league hsl in a second terminal
  touchline hsl --phase shootout --robots              the penalty shoot-out at once; also timeout and extra
  touchline hsl --half 1m --speed 10 --json`,
		RunE: func(c *cobra.Command, _ []string) error { return runHSL(c, &f) },
	}
	flags, game := c.Flags(), &f.net.Game
	flags.StringSliceVar(&f.teams, "teams", []string{"5", "17"},
		"numbers of the two teams, the one that defends the left goal first")
	flags.IntVar(&game.Players, "players", game.Players, "players of a team, 1 to 20")
	flags.StringVar(&f.division, "division", divisions[0], "division: "+strings.Join(divisions, ", "))
	flags.DurationVar(&game.Half, "half", game.Half, "length of a half in game time, 20s to 2h")
	flags.StringVar(&f.phase, "phase", hslgame.Beginnings[0], "phase in which the game begins: "+strings.Join(hslgame.Beginnings, ", "))
	flags.BoolVar(&game.Knockout, "knockout", false, "play extra time after a draw, and a penalty shoot-out if that is a draw too")
	flags.DurationVar(&game.Break, "break", game.Break, "length of half-time and of timeouts in game time, 1s to 10m")
	flags.Float64Var(&game.Speed, "speed", game.Speed, "game time a second, 0.1 to 100")
	flags.Uint64Var(&game.Seed, "seed", game.Seed, "seed of the random events in the game")
	flags.UintVar(&f.budget, "budget", hsl.Budget, "team messages of a team in the game, up to 65535")
	flags.BoolVar(&game.NoDelay, "no-delay", false, "robots learn at once that play has started, not up to 10 s later")
	flags.BoolVar(&game.Robots, "robots", false, "both teams have synthetic robots, which send return and team messages")
	flags.StringVar(&f.net.Interface, "interface", "",
		"network interface, for example eth0 (default: loopback, nothing leaves this machine)")
	addShift(flags, &f.net.Shift)
	flags.BoolVar(&f.json, "json", false, "print what was heard as JSON, at the end")
	console.AddDuration(flags, &f.duration)
	console.Accept(flags, "a time from 20s to 2h, for example 2m", "half")
	console.Accept(flags, "a time from 1s to 10m, for example 5m", "break")
	console.Accept(flags, "a factor from 0.1 to 100, for example 10", "speed")
	console.Accept(flags, "a whole number from 1 to 20, for example 7", "players")
	return c
}

// config checks the flags.
func (f *hslFlags) config() error {
	wrong := fmt.Errorf("--teams %.40s: want two different numbers from 0 to 254, for example 5,17", strings.Join(f.teams, ","))
	if len(f.teams) != 2 {
		return console.Usage(wrong)
	}
	for i, text := range f.teams {
		n, err := strconv.ParseUint(text, 10, 8)
		if err != nil {
			return console.Usage(wrong)
		}
		f.net.Game.Teams[i] = uint8(n)
	}
	division := slices.Index(divisions, f.division)
	if division < 0 {
		return console.Usage(fmt.Errorf("--division %.40s: want %s", f.division, strings.Join(divisions, ", ")))
	}
	phase := slices.Index(hslgame.Beginnings, f.phase)
	if phase < 0 {
		return console.Usage(fmt.Errorf("--phase %.40s: want %s", f.phase, strings.Join(hslgame.Beginnings, ", ")))
	}
	if f.budget > 1<<16-1 {
		return console.Usage(fmt.Errorf("--budget %d: want 0 to 65535", f.budget))
	}
	f.net.Game.Division, f.net.Game.Budget = hsl.Competition(division), uint16(f.budget)
	f.net.Game.Begin = hslgame.Begin(phase)
	if err := f.net.Game.Validate(); err != nil {
		return console.Usage(fmt.Errorf("touchline hsl: %w", err))
	}
	return checkShift(f.net.Shift)
}

// errBroken ends touchline hsl with exit code 1: the lines before say which packets broke rules.
var errBroken = errors.New("some packets broke rules of the league")

func runHSL(c *cobra.Command, f *hslFlags) error {
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	if err := f.config(); err != nil {
		return err
	}
	s, err := hslgamenet.Open(f.net, console.Logger(c.ErrOrStderr()))
	if err != nil {
		return console.Usage(err)
	}
	game := &f.net.Game
	fmt.Fprintf(c.ErrOrStderr(), "GameController for tests: %s against %s, control messages to %v; stop with Ctrl-C\n",
		league.HSLTeam(game.Teams[0]), league.HSLTeam(game.Teams[1]), s.Broadcast())
	group, ctx := errgroup.WithContext(ctx)
	played := make(chan struct{})
	group.Go(func() error { defer close(played); return s.Run(ctx) })
	if !f.json {
		group.Go(func() error { return tellHSL(ctx, c.OutOrStdout(), s, played) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	report := s.Report()
	if f.json {
		err = console.PrintJSON(c.OutOrStdout(), report)
	} else {
		err = printHSL(c.OutOrStdout(), &report)
	}
	if err == nil && !report.OK {
		err = errBroken
	}
	return err
}

// tellHSL prints what is new: the state of the game, robots that begin or end to send, and findings.
func tellHSL(ctx context.Context, out io.Writer, s *hslgamenet.Server, played <-chan struct{}) error {
	ticker := time.NewTicker(time.Second / 2)
	defer ticker.Stop()
	said := map[string]bool{}
	state, robots := "", ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-played:
			return nil
		case <-ticker.C:
		}
		r := s.Report()
		var lines []string
		if now, _, _ := strings.Cut(r.State+" ", " left"); stateOnly(now) != state {
			state = stateOnly(now)
			lines = append(lines, fmt.Sprintf("%6.1f s  %d:%d  %s", r.Seconds, r.Score[0], r.Score[1], r.State))
		}
		if now := onlineHSL(&r); now != robots {
			robots = now
			lines = append(lines, robots)
		}
		for _, text := range findingsHSL(&r) {
			if !said[text] && len(said) < 1000 {
				said[text] = true
				lines = append(lines, text)
			}
		}
		for _, line := range lines {
			if _, err := fmt.Fprintln(out, line); err != nil {
				return err
			}
		}
	}
}

// stateOnly returns the text of a state without its clock.
func stateOnly(text string) string { return text[:max(0, strings.LastIndex(text, ","))] }

// onlineHSL says how many robots send.
func onlineHSL(r *hslgame.Report) string {
	online, seen := map[uint8]int{}, map[[2]uint8]bool{}
	for i := range r.Robots {
		row := &r.Robots[i]
		if robot := [2]uint8{row.Team, row.Player}; !row.Offline() && !seen[robot] {
			seen[robot] = true // another address may send as it, too
			online[row.Team]++
		}
	}
	var parts []string
	for i := range r.Robots {
		if team := r.Robots[i].Team; online[team] > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s", online[team], league.HSLTeam(team)))
			online[team] = 0
		}
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	return fmt.Sprintf("robots online: %s; monitors: %d", strings.Join(parts, ", "), len(r.Monitors))
}

// findingsHSL returns what is wrong, a line each.
func findingsHSL(r *hslgame.Report) (lines []string) {
	line := func(who string, f *hslgame.Finding) {
		level := "fault"
		if f.Note {
			level = "note"
		}
		lines = append(lines, fmt.Sprintf("%s: %s%s", level, who, f.Text))
	}
	for i := range r.Robots {
		row := &r.Robots[i]
		for k := range row.Findings {
			line(fmt.Sprintf("%s, robot %d (%s): ", league.HSLTeam(row.Team), row.Player, row.Address), &row.Findings[k])
		}
	}
	for i := range r.Others {
		line("", &r.Others[i])
	}
	return lines
}

// printHSL prints the result of a game.
func printHSL(out io.Writer, r *hslgame.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, score %d:%d, messages left %d and %d\n", r.State, r.Score[0], r.Score[1], r.Left[0], r.Left[1])
	for i := range r.Robots {
		row := &r.Robots[i]
		fmt.Fprintf(&b, "%-20s robot %2d  %-15s %6d messages  %5d wrong  %.2f Hz\n", league.HSLTeam(row.Team), row.Player,
			row.Address, row.Messages, row.Wrong, row.Rate)
	}
	if len(r.Robots) == 0 {
		b.WriteString("no robot sent a return message\n")
	}
	for _, text := range findingsHSL(r) {
		b.WriteString(text + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}
