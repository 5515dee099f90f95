// Touchline is the robot-soccer field in one program. See the README, or touchline --help.
package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/manager/managernet"
)

func main() { console.Main(rootCommand()) }

func rootCommand() *cobra.Command {
	demo, _ := demoCommand()
	root := &cobra.Command{
		Use:   "touchline",
		Short: "The robot-soccer field in one program",
		Long: `touchline is the robot-soccer field in one program: robots that exchange real packets, a referee box,
simulators, and monitors that show what each robot believes. Without a command it runs "touchline demo".`,
		Example: `  touchline                                      the practical session, on this machine alone
  touchline --seed 7 --loss 0.1 --package v1     another session, with packet loss and the package of 2014
  touchline monitor --interface eth0             show what real robots send
  touchline refbox --home 39 --away 63           referee a match: pages, base stations, log
  touchline sim vss                              simulate a VSS field in place of FIRASim
  touchline check capture.pcapng                 check recorded packets`,
		SilenceUsage: true, SilenceErrors: true,
	}
	root.Flags().AddFlagSet(demo.Flags())
	root.AddCommand(recordCommand(), replayCommand(), logCommand(), checkCommand(), tcmCommand())
	completion := CompletionCommand()
	completion.Args = console.Args(completion.Args)
	root.AddCommand(completion)
	root.CompletionOptions.DisableDefaultCmd = true
	root.Flags().BoolP("version", "v", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if shows, _ := cmd.Flags().GetBool("version"); shows {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), Current())
			return err
		}
		return demo.RunE(cmd, args)
	}
	root.Args = console.NoArgs
	withoutArgs := []*cobra.Command{demo, matchCommand(fields), robotCommand(), monitorCommand(), simCommand(),
		learnCommand(), stationCommand(), refboxCommand(),
		VersionCommand()}
	for _, c := range withoutArgs {
		c.Args, c.ValidArgsFunction = console.NoArgs, cobra.NoFileCompletions
		for _, sub := range c.Commands() {
			sub.Args, sub.ValidArgsFunction = console.NoArgs, cobra.NoFileCompletions
		}
		root.AddCommand(c)
	}
	Complete(root, map[string][]string{
		"package": slices.Sorted(maps.Keys(Variants)), "field": slices.Sorted(maps.Keys(fields)), "color": {"cyan", "magenta"},
		"kind": strings.Split(kindNames(), ", "), "physics": {"firasim", "rsim"}, "lockstep": {"blue", "yellow", "both"},
		"blue": {"builtin"}, "yellow": {"builtin"},
	})
	return root
}

// besideField are the flags of the command robot that it has beside a field only.
var besideField = []string{"id", "team", "field", "package", "trailer", "booking", "plays", "size", "seed", "json"}

// robotCommand returns the command robot, which with --alone simulates the field of one robot as well.
func robotCommand() *cobra.Command {
	c := RobotCommand(fields)
	beside, alone := c.RunE, false
	var page pageFlags
	var profiles string
	c.Flags().BoolVar(&alone, "alone", false, "simulate one robot on an empty field, with a page to manage it")
	page.add(c.Flags())
	var record recordFlag
	AddRecordPictures(c.Flags(), &record.pictures)
	c.Flags().StringVar(&profiles, "profiles", "", "with --alone: folder for profiles of the robot's parameters")
	c.Long += `

With --alone it needs no field: one robot with a camera stands on an empty field with a ball, and the page manages it
(docs/manager.md).`
	c.Example += "\n  touchline robot --alone\n  touchline robot --alone --pictures recorded"
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := needs(c, "alone", "profiles", "http"); err != nil {
			return err
		}
		if !alone {
			return beside(c, args)
		}
		for _, name := range besideField {
			if c.Flags().Changed(name) {
				return console.Usage(fmt.Errorf("--%s: leave it out with --alone, which simulates robot 1 and its field", name))
			}
		}
		demo, f := demoCommand()
		demo.SetContext(c.Context())
		demo.SetOut(c.OutOrStdout())
		demo.SetErr(c.ErrOrStderr())
		f.session.Alone, f.session.Robots, f.session.Obstacles, f.page, f.profiles = true, 1, 0, page, profiles
		f.session.Kick, f.session.Substitute = [2]time.Duration{}, [2]time.Duration{}
		f.duration, _ = c.Flags().GetDuration("duration") // the command has these three
		f.network.group, _ = c.Flags().GetString("group")
		f.network.iface, _ = c.Flags().GetString("interface")
		folder, err := pictures(c)
		if err != nil {
			return console.Usage(err)
		}
		f.folder, f.record = folder, record
		return runDemo(demo, f)
	}
	return c
}

// pictures opens the folder that the flags of a command robot name.
func pictures(c *cobra.Command) (*managernet.PictureFolder, error) {
	var p Pictures
	p.Dir, _ = c.Flags().GetString("pictures") // the command has both
	p.Rate, _ = c.Flags().GetFloat64("pictures-rate")
	return p.Open()
}
