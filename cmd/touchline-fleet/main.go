// Touchline-fleet keeps the matches of batches for workers on many machines. See touchline-fleet --help.
package main

import (
	"errors"

	"github.com/spf13/cobra"

	"touchline/internal/console"
)

func main() { console.Main(rootCommand()) }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "touchline-fleet",
		Short: "Serve batch matches to workers on many machines",
		Long: `touchline-fleet is the server between touchline batch run --nats, which has a plan, and touchline worker
--nats, which plays its matches. It is an embedded NATS server that keeps plans, jobs and results on its disk. One
server is enough; with three, the other two continue when one dies. Any other NATS server with JetStream works as
well.`,
		Example: `  touchline-fleet up                                        a server on this machine
  touchline worker                                          in another terminal, or in many
  touchline batch run plan.json --dir results --nats nats://127.0.0.1:4222`,
		RunE: func(*cobra.Command, []string) error {
			return console.Usage(errors.New("name a command: touchline-fleet up, pull, gc or archive"))
		},
		Args: console.NoArgs,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(upCommand(), pullCommand(), gcCommand(), archiveCommand())
	return root
}
