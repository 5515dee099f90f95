// Touchline is the robot-soccer field in one program. See the README, or touchline --help.
package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"touchline/internal/analysis"
	"touchline/internal/analysis/export"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/vss"
)

func main() { console.Main(rootCommand()) }

func rootCommand() *cobra.Command {
	demo, _ := demoCommand()
	root := &cobra.Command{
		Use:   "touchline",
		Short: "A robot-soccer field in one program",
		Long: `touchline is the robot-soccer field in one program: robots that exchange real packets, a referee box,
simulators, and monitors that show what each robot believes. Without a command it runs "touchline demo".`,
		Example: `  touchline                                      run the practical session on this machine only
  touchline --seed 7 --loss 0.1 --package v1     another session, with packet loss and the 2014 package format
  touchline monitor --interface eth0             show what real robots send
  touchline refbox --home 39 --away 63           referee a match: pages, base stations, log
  touchline sim vss                              simulate a VSS field in place of FIRASim
  touchline sim ssl                              simulate a Small Size field over its simulation protocol
  touchline check capture.pcapng                 check recorded packets`,
	}
	root.Flags().AddFlagSet(demo.Flags())
	root.AddCommand(recordCommand(), replayCommand(), reportCommand(), compareCommand(), exportCommand(), logCommand(),
		checkCommand(), tcmCommand(), joinCommand(), batchCommand())
	completion := completionCommand()
	completion.Args = console.Args(completion.Args)
	root.AddCommand(completion)
	root.CompletionOptions.DisableDefaultCmd = true
	root.Flags().BoolP("version", "v", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if shows, _ := cmd.Flags().GetBool("version"); shows {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), currentVersion())
			return err
		}
		return demo.RunE(cmd, args)
	}
	root.Args = console.NoArgs
	withoutArgs := []*cobra.Command{demo, matchCommand(), robotCommand(), monitorCommand(), simCommand(), learnCommand(),
		stationCommand(), refboxCommand(), lobbyCommand(), workerCommand(), dissectorCommand(), codecCommand(),
		doctorCommand(), hslCommand(), versionCommand()}
	for _, c := range withoutArgs {
		c.Args, c.ValidArgsFunction = console.NoArgs, cobra.NoFileCompletions
		for _, sub := range c.Commands() {
			sub.Args, sub.ValidArgsFunction = console.NoArgs, cobra.NoFileCompletions
		}
		root.AddCommand(c)
	}
	var teams []string
	for _, team := range match.Teams() {
		teams = append(teams, team.Name)
	}
	teams = append(teams, "play:")
	bookings, visions := []string{"lease", "literal", "nearest", "none"}, []string{"sensor", "pixels"}
	complete(root, map[string][]string{
		"match home": teams, "match away": teams, "match speed": {"max", "1"},
		"demo booking": bookings, "touchline booking": bookings, "demo vision": visions, "touchline vision": visions,
		"demo speed":      {"max", "1"},
		"compare metrics": append(analysis.MetricNames(), "none"), "compare side": {"home", "away"},
		"vision-format": {"firasim", "ssl"},
		"package":       slices.Sorted(maps.Keys(packageVariants)), "field": slices.Sorted(maps.Keys(match.Fields)), "color": {"cyan", "magenta"},
		"story":  match.Stories(),
		"as":     export.Formats(),
		"league": leagues, "division": divisions,
		"kind": strings.Split(kindNames(), ", "), "physics": {"firasim", "rsim"}, "lockstep": {"blue", "yellow", "both"},
		"blue": vss.Rungs, "yellow": vss.Rungs,
	})
	addSchemas(root)
	return root
}
