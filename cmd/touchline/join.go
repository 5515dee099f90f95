package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
)

// joinCommand returns the command join.
func joinCommand() *cobra.Command {
	var cfg matchnet.JoinConfig
	var plays string
	var duration time.Duration
	c := &cobra.Command{
		Use:   "join [-- PROGRAM ARGUMENTS...]",
		Short: "Enter a team in a lobby and play its matches",
		Long: `Join enters a team in a "touchline lobby", on this machine or another, and plays until all matches are over.
The lobby prints its address and the key.

Without a program the robots run touchline's software. With one, join starts it for each match: in its arguments
{field}, {team} and {robots} become the address of the field, the number of the team and its number of robots, and
TOUCHLINE_KEY in its environment is the key that it must sign with. Join interrupts the program when the match is
over. docs/lobby.md describes what it sends and receives.`,
		Example: `  touchline join --lobby 192.0.2.1:8014 --key KEY --name A
  touchline join --lobby 192.0.2.1:8014 --key KEY --name B --plays play:new.json
  touchline join --lobby 192.0.2.1:8014 --key KEY --name C -- python3 docs/team.py {field} {team} {robots}`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() != 0 && len(args) > 0 {
				return console.Usage(fmt.Errorf("join %.40s: want a program after --, for example: -- python3 docs/team.py {field} {team}",
					args[0]))
			}
			if _, _, err := net.SplitHostPort(cfg.Lobby); err != nil {
				return console.Usage(fmt.Errorf("--lobby %.60s: want the address and the port that touchline lobby prints, "+
					"for example 192.0.2.1:8014", cfg.Lobby))
			}
			if cfg.Key == "" || cfg.Name == "" {
				return console.Usage(errors.New("--key and --name are required: the key that touchline lobby prints, and a name for your team"))
			}
			var err error
			if cfg.Team, err = match.FindTeam(plays, os.ReadFile); err != nil {
				return console.Usage(fmt.Errorf("--plays %w", err))
			}
			if cfg.Team.External {
				return console.Usage(errors.New("--plays external: give your program after --, or choose a team of touchline"))
			}
			if cfg.Output = c.ErrOrStderr(); len(args) > 0 {
				cfg.Program = args
			}
			cfg.Tell = func(text string) { fmt.Fprintln(c.OutOrStdout(), text) }
			ctx, cancel, err := console.Limited(c.Context(), duration)
			if err != nil {
				return err
			}
			defer cancel()
			return matchnet.Join(ctx, cfg, console.Logger(c.ErrOrStderr()))
		},
	}
	flags := c.Flags()
	flags.StringVar(&cfg.Lobby, "lobby", "", "address and port of the lobby, as touchline lobby prints them")
	flags.StringVar(&cfg.Key, "key", "", "key that touchline lobby prints")
	flags.StringVar(&cfg.Name, "name", "", "name of the team, 1 to 24 letters")
	flags.StringVar(&plays, "plays", match.Teams()[0].Name,
		"software that the robots run: a team from touchline match --help")
	console.AddDuration(flags, &duration)
	return c
}
