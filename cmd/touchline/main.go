// Touchline is the robot-soccer field in one program. See the README, or touchline --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { // a second Ctrl-C ends what does not end by itself
		time.Sleep(200 * time.Millisecond) // one that comes at once is the same: timeout tells the program and then its group
		stop()
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes the command line and returns the exit code: 0 done, 1 something was found or failed, 2 misused.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	code := 1
	var exit exitError
	if errors.As(err, &exit) {
		code = exit.code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(errs, "touchline:", text)
	}
	return code
}

func rootCommand() *cobra.Command {
	demo := demoCommand()
	root := &cobra.Command{
		Use:   "touchline",
		Short: "The robot-soccer field in one program",
		Long: `touchline is the robot-soccer field in one program: robots that talk to each other over real packets, and
monitors that show what every one of them believes. Alone it is "touchline demo".`,
		Example: `  touchline                                      the practical session, on this machine alone
  touchline --seed 7 --loss 0.1 --package v1     another session, a lossy network, the package of 2014
  touchline monitor --interface eth0             what real robots send
  touchline refbox --home 39 --away 63           referee a match: pages, base stations, log
  touchline sim vss                              what FIRASim does, for your team's program
  touchline check capture.pcapng                 what is wrong with packets`,
		RunE: demo.RunE, SilenceUsage: true, SilenceErrors: true,
	}
	root.Flags().AddFlagSet(demo.Flags())
	noArgs := func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return exitError{2, fmt.Errorf("%q is neither a command nor a flag of %s; see --help", args[0], c.CommandPath())}
		}
		return nil
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return exitError{2, fmt.Errorf("%w; see --help", err)}
	})
	monitor, sim := monitorCommand(), simCommand()
	root.Args, demo.Args, monitor.Args, sim.Args = noArgs, noArgs, noArgs, noArgs
	for _, field := range sim.Commands() {
		field.Args = noArgs
	}
	base, box, batches := stationCommand(), refboxCommand(), labCommand()
	base.Args, box.Args, batches.Args = noArgs, noArgs, noArgs
	for _, batch := range batches.Commands() {
		batch.Args = noArgs
	}
	root.AddCommand(recordCommand(), replayCommand(), logCommand())
	root.AddCommand(demo, monitor, sim, checkCommand(), base, box, batches)
	return root
}

func logger(errs io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(errs, nil)) }
