package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/batch/queue"
	"touchline/internal/console"
	"touchline/internal/fleet"
)

func archiveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "archive",
		Short: "Mirror the recordings of a tournament's fields on the servers",
		Long: `Archive mirrors a field's folder of recordings and journals on the servers while the files are being written:
packets from touchline record, matches from touchline match, the game of touchline refbox. The files on the field's
disk bridge a lost connection: when it is back, archive sends what the servers lack. Anyone with the key can pull the
files and replay them, even while they grow.`,
		Example: `  touchline record --dir field3                                    on the field's laptop
  touchline-fleet archive send field3 --field 3 --nats nats://10.0.0.5:4222 --credentials fleet.key
  touchline-fleet archive pull --field 3 --dir here                 in the office`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return console.Usage(errors.New("archive needs a command: send, pull or list"))
		},
	}
	c.AddCommand(archiveSendCommand(), archivePullCommand(), archiveListCommand())
	return c
}

// openArchive connects to the servers' archive.
func openArchive(at queue.Address) (*fleet.Archive, func(), error) {
	conn, err := queue.Dial(at, "fleet archive")
	if err != nil {
		return nil, nil, console.Usage(err)
	}
	a, err := fleet.NewArchive(conn)
	return a, conn.Close, err
}

// archiveSendFlags are the flags of archive send.
type archiveSendFlags struct {
	at       queue.Address
	field    string
	keep     time.Duration
	most     int64
	replicas int
	once     bool
}

func archiveSendCommand() *cobra.Command {
	var f archiveSendFlags
	c := &cobra.Command{
		Use:   "send DIR --field NAME",
		Short: "Send the files in a folder to the servers as they grow",
		Long: `Send checks the files in a folder once a second and sends what the servers lack. While the servers are
unreachable it waits and catches up later from the files. If a file was replaced by another one of the same name, send
reports it and leaves it out.

The first send creates the archive. It keeps 90 days and 100 GB, unless --keep and --keep-gb say otherwise; the oldest
parts are dropped first.`,
		Example: `  touchline-fleet archive send game --field 3 --nats nats://10.0.0.5:4222 --credentials fleet.key`,
		Args:    console.Args(cobra.ExactArgs(1)),
		RunE:    func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	set := c.Flags()
	set.StringVar(&f.field, "field", "", "name of the field, for example 3 (required)")
	f.at.AddFlags(set, queue.Local)
	set.DurationVar(&f.keep, "keep", 90*24*time.Hour, "how long a new archive keeps data")
	set.Int64Var(&f.most, "keep-gb", 100, "how many GB a new archive keeps")
	set.IntVar(&f.replicas, "replicas", 1, "how many servers keep each part of a new archive: 1, or 3 in a cluster")
	set.BoolVar(&f.once, "once", false, "send what is there and stop")
	console.Accept(set, "a whole number of at least 1, for example 100", "keep-gb")
	console.Accept(set, "1, 3 or 5", "replicas")
	return c
}

func (f *archiveSendFlags) run(c *cobra.Command, dir string) error {
	if err := fleet.CheckField(f.field); err != nil {
		return console.Usage(fmt.Errorf("--field: %w", err))
	}
	if f.keep < time.Minute || f.most < 1 || f.most > 1<<20 {
		return console.Usage(fmt.Errorf("--keep %v and --keep-gb %d: want at least 1m, and 1 to 1048576", f.keep, f.most))
	}
	a, closed, err := openArchive(f.at)
	if err != nil {
		return err
	}
	defer closed()
	ctx, progress := c.Context(), console.NewProgress(c.ErrOrStderr())
	if err := a.Prepare(ctx, f.keep, f.most*1e9, f.replicas); err != nil {
		return err
	}
	defer progress.End()
	var sent []fleet.Sent
	told := map[string]bool{}
	away := ""
	for {
		sent, err = a.Mirror(ctx, f.field, dir, sent)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && f.once {
			return err
		}
		away = f.tell(c, progress, sent, told, err, away)
		if f.once {
			return nil
		}
		if !queue.Pause(ctx, time.Second) {
			return nil
		}
	}
}

// tell says how much was sent, what is not mirrored, and once why nothing goes on.
func (f *archiveSendFlags) tell(c *cobra.Command, progress *console.Progress, sent []fleet.Sent, told map[string]bool, err error,
	away string) string {
	var bytes int64
	note := func(text string) {
		progress.End()
		fmt.Fprintln(c.ErrOrStderr(), text)
	}
	for _, s := range sent {
		bytes += s.Sent
		if s.Lost > 0 && !told[s.File] {
			told[s.File] = true
			note(fmt.Sprintf("%s disappeared before %d bytes of it were sent: these bytes are lost", s.File, s.Lost))
		}
		if s.Why != "" && !told[s.File] {
			told[s.File] = true
			note(fmt.Sprintf("%s is not mirrored: %s", s.File, s.Why))
		}
	}
	if err != nil {
		if err.Error() != away {
			note(fmt.Sprintf("cannot send now; the data stays in the files: %s", console.Plain(err.Error())))
		}
		return err.Error()
	}
	progress.Say("%d files, %.1f MB sent", len(sent), float64(bytes)/1e6)
	return ""
}

// fetched is what archive pull --json prints of a file.
type fetched struct {
	fleet.Kept
	Came int64 `json:"came"` // bytes that came now
	Gone int64 `json:"gone"` // bytes that the archive holds no more, so that nothing behind them is written

	next uint64 // where the archive goes on
}

func archivePullCommand() *cobra.Command {
	var at queue.Address
	var field, dir string
	var follow, asJSON bool
	c := &cobra.Command{
		Use:   "pull --field NAME --dir DIR",
		Short: "Copy the files of a field from the servers",
		Long: `Pull copies the files of a field to a folder, and appends new data to files that are there. With --follow it
continues until Ctrl-C: touchline replay can show a recording that is still growing. If the archive's limits have
dropped part of a file, pull counts the missing bytes, writes nothing after such a gap, and exits with 1.`,
		Example: `  touchline-fleet archive pull --field 3 --dir here && touchline replay here/game.mcap`,
		Args:    console.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := fleet.CheckField(field); err != nil {
				return console.Usage(fmt.Errorf("--field: %w", err))
			}
			if dir == "" {
				return console.Usage(errors.New("--dir is missing: name a folder for the files, for example --dir here"))
			}
			return pullArchive(c, at, field, dir, follow, asJSON)
		},
	}
	set := c.Flags()
	set.StringVar(&field, "field", "", "name of the field, for example 3 (required)")
	set.StringVar(&dir, "dir", "", "folder for the files (required)")
	at.AddFlags(set, queue.Local)
	set.BoolVar(&follow, "follow", false, "keep copying until Ctrl-C")
	set.BoolVar(&asJSON, "json", false, "print the files as JSON at the end")
	return c
}

func pullArchive(c *cobra.Command, at queue.Address, field, dir string, follow, asJSON bool) error {
	a, closed, err := openArchive(at)
	if err != nil {
		return err
	}
	defer closed()
	ctx := c.Context()
	all := map[string]*fetched{}
	var list []*fetched
	for {
		kept, err := a.List(ctx, field)
		for i := 0; err == nil && i < len(kept); i++ {
			k := kept[i]
			if all[k.File] == nil {
				all[k.File] = new(fetched)
				list = append(list, all[k.File])
			}
			f := all[k.File]
			var came int64
			came, f.Gone, err = a.Fetch(ctx, k, dir, &f.next)
			f.Kept, f.Came = k, f.Came+came
		}
		if follow && ctx.Err() == nil && queue.Pause(ctx, time.Second) {
			continue // the servers may be away for a while
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		return printFetched(c, list, asJSON)
	}
}

func printFetched(c *cobra.Command, list []*fetched, asJSON bool) error {
	var gone int64
	text := ""
	for _, f := range list {
		gone += f.Gone
		text += fmt.Sprintf("%s: %d bytes came", f.File, f.Came)
		if f.Gone > 0 {
			text += fmt.Sprintf("; %d bytes are missing from the archive, and nothing after them was written", f.Gone)
		}
		text += "\n"
	}
	if text == "" {
		text = "the archive has no file of this field\n"
	}
	var err error
	if asJSON {
		err = console.PrintJSON(c.OutOrStdout(), append([]*fetched{}, list...))
	} else {
		_, err = fmt.Fprint(c.OutOrStdout(), text)
	}
	if err == nil && gone > 0 {
		err = console.Finding()
	}
	return err
}

func archiveListCommand() *cobra.Command {
	var at queue.Address
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the files in the archive",
		Example: `  touchline-fleet archive list --nats nats://10.0.0.5:4222 --credentials fleet.key`,
		Args:    console.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			a, closed, err := openArchive(at)
			if err != nil {
				return err
			}
			defer closed()
			kept, err := a.List(c.Context(), "")
			if err != nil {
				return err
			}
			if asJSON {
				return console.PrintJSON(c.OutOrStdout(), append([]fleet.Kept{}, kept...))
			}
			for _, k := range kept {
				fmt.Fprintf(c.OutOrStdout(), "%-12s %12d bytes  %s", k.Field, k.To-k.From, k.File)
				if k.From > 0 {
					fmt.Fprintf(c.OutOrStdout(), "  (its first %d bytes are missing)", k.From)
				}
				fmt.Fprintln(c.OutOrStdout())
			}
			return nil
		},
	}
	at.AddFlags(c.Flags(), queue.Local)
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}
