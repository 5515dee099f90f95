// Touchline is the robot-soccer field in one program. See the README, or touchline --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/cmd/touchline/console"
	"touchline/cmd/touchline/crew"
	"touchline/cmd/touchline/install"
	"touchline/cmd/touchline/learncmd"
	"touchline/cmd/touchline/matchcmd"
	"touchline/cmd/touchline/tcmfile"
	"touchline/manager/film"
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does, so that the program outlives its terminal
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	context.AfterFunc(ctx, func() { // a second Ctrl-C kills a program that does not stop by itself
		// A signal that follows at once is the same one: timeout(1) sends it to the program and then to its group.
		time.Sleep(200 * time.Millisecond)
		stop()
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes the command line and returns the exit code: 0 success, 1 a failure or a finding, 2 wrong usage.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	printed := &console.Output{Writer: out}
	root.SetOut(printed)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if failed := printed.Err(); failed != nil && (err == nil || err.Error() == "") {
		err = failed
	}
	if err == nil {
		return 0
	}
	code := 1
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(errs, "touchline:", console.Plain(text))
	}
	return code
}

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
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(recordCommand(), replayCommand(), logCommand(), checkCommand(), tcmfile.Command())
	completion := install.CompletionCommand()
	completion.Args = usage(completion.Args)
	root.AddCommand(completion)
	root.CompletionOptions.DisableDefaultCmd = true
	root.Flags().BoolP("version", "v", false, "print the version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if shows, _ := cmd.Flags().GetBool("version"); shows {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), install.Current())
			return err
		}
		return demo.RunE(cmd, args)
	}
	root.Args = noArgs
	withoutArgs := []*cobra.Command{demo, matchcmd.Command(fields), robotCommand(), monitorCommand(), simCommand(),
		learncmd.Command(), stationCommand(), refboxCommand(), labCommand(),
		install.VersionCommand()}
	for _, c := range withoutArgs {
		c.Args, c.ValidArgsFunction = noArgs, cobra.NoFileCompletions
		for _, sub := range c.Commands() {
			sub.Args, sub.ValidArgsFunction = noArgs, cobra.NoFileCompletions
		}
		root.AddCommand(c)
	}
	install.Complete(root, map[string][]string{
		"package": slices.Sorted(maps.Keys(crew.Variants)), "field": slices.Sorted(maps.Keys(fields)), "color": {"cyan", "magenta"},
		"kind": strings.Split(kindNames(), ", "), "physics": {"firasim", "rsim"}, "lockstep": {"blue", "yellow", "both"},
		"blue": {"builtin"}, "yellow": {"builtin"},
	})
	return root
}

// besideField are the flags of the command robot that it has beside a field only.
var besideField = []string{"id", "team", "field", "package", "trailer", "booking", "plays", "size", "seed", "json"}

// robotCommand returns the command robot, which with --alone simulates the field of one robot as well.
func robotCommand() *cobra.Command {
	c := crew.RobotCommand(fields)
	beside, alone := c.RunE, false
	var page pageFlags
	var profiles string
	c.Flags().BoolVar(&alone, "alone", false, "simulate one robot on an empty field, with a page to manage it")
	page.add(c.Flags())
	var record recordFlag
	crew.AddRecordPictures(c.Flags(), &record.pictures)
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
		reel, err := pictures(c)
		if err != nil {
			return console.Usage(err)
		}
		f.reel, f.record = reel, record
		return runDemo(demo, f)
	}
	return c
}

// pictures opens the folder that the flags of a command robot name.
func pictures(c *cobra.Command) (*film.Reel, error) {
	var p crew.Pictures
	p.Dir, _ = c.Flags().GetString("pictures") // the command has both
	p.Rate, _ = c.Flags().GetFloat64("pictures-rate")
	return p.Open()
}

// usage makes the errors of a command's arguments those of wrong usage.
func usage(args cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if err := args(c, given); err != nil {
			return console.Usage(err)
		}
		return nil
	}
}

// noArgs refuses arguments that are not flags.
func noArgs(c *cobra.Command, args []string) error {
	if f := c.Flags().Lookup("check-reader"); len(args) == 0 || f != nil && f.Changed { // a program follows
		return nil
	}
	hint := ""
	if found := c.SuggestionsFor(args[0]); len(found) > 0 {
		hint = "; did you mean " + strings.Join(found, " or ") + "?"
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.NoOptDefVal != "" && f.Value.Type() != "bool" {
			hint = fmt.Sprintf("; the value of --%s follows an equals sign: --%s=%.40s", f.Name, f.Name, args[0])
		}
	})
	return console.Usage(fmt.Errorf("%.60q is neither a command nor a flag of %s%s; see --help", args[0], c.CommandPath(), hint))
}
