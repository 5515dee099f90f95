package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/vss/learn/learnnet"
)

// learnCommand returns the command.
func learnCommand() *cobra.Command {
	var bare time.Duration
	var grpc string
	c := &cobra.Command{
		Use:   "learn",
		Short: "Serve Very Small Size games to a reinforcement-learning program",
		Long: `Learn serves games to a reinforcement-learning program: wheel speeds in, observations and rewards out, as
fast as the machine can, in a block of shared memory. The Python package in the folder python starts it automatically.
Other programs start it and talk to it over its standard input and output, or with --grpc over TCP (docs/learning.md).`,
		Example: `  python3 -m touchline.bench                        measure steps a second in Python (with the package installed)
  echo '{"games":16,"agents":3}' | touchline learn
  touchline learn --grpc 127.0.0.1:20021            serve programs that cannot share memory
  touchline learn --bare 2s                         measure the speed of the engine alone`,
		RunE: func(c *cobra.Command, _ []string) error {
			if bare <= 0 && c.Flags().Changed("bare") {
				return console.Usage(fmt.Errorf("--bare %v: want a time above 0, for example 2s", bare))
			}
			if bare > 0 {
				speed, err := learnnet.Bare(c.Context(), bare, runtime.GOMAXPROCS(0))
				if err != nil {
					return fmt.Errorf("interrupted before the %v of --bare were over", bare)
				}
				return console.JSONEncoder(c.OutOrStdout()).Encode(speed)
			}
			if grpc != "" {
				return serveSteps(c, grpc)
			}
			if console.Terminal(os.Stdin) {
				return console.Usage(errors.New("learn reads commands from another program: start it from one, as python/touchline does, " +
					"or write a line like {\"games\":16} to its standard input; see docs/learning.md"))
			}
			err := learnnet.Serve(learnnet.Eager(os.Stdin), c.OutOrStdout())
			if errors.Is(err, learnnet.ErrAnswered) {
				return console.Finding()
			}
			return err
		},
	}
	c.Flags().StringVar(&grpc, "grpc", "",
		"serve games over gRPC at this address, for example 127.0.0.1:20021, until Ctrl-C (service touchline.learn.Games)")
	c.Flags().DurationVar(&bare, "bare", 0,
		"measure for this long how many ticks a second the engine alone runs, on one core and on all, and print them as JSON")
	return c
}

// serveSteps serves games over gRPC until the context of the command ends.
func serveSteps(c *cobra.Command, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return console.Usage(fmt.Errorf("--grpc %s: %w", address, err))
	}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "games at %s\n", l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	return learnnet.ServeSteps(c.Context(), l)
}
