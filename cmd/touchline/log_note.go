package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
)

// noteFlags are the flags of log note.
type noteFlags struct {
	at, to string
	remove int
	json   bool
}

// shownNote is a note of a log as log note and report print it as JSON.
type shownNote struct {
	matchlog.Annotation
	Start float64 `json:"start"` // s since the start of the log
	End   float64 `json:"end"`
}

func logNoteCommand() *cobra.Command {
	var f noteFlags
	c := &cobra.Command{
		Use:   "note FILE [TEXT]",
		Short: "Add a note at a time in a log, or list the notes",
		Long: `Note adds a note to a log, at the time --at or for the span from --at to --to. Without TEXT it lists the
notes. The replay pages show the notes on the timeline, where J adds one; report and export include them.

A note is stored in the log file itself, as MCAP metadata. Note writes a new copy of the file and then replaces the
old one: the disk needs room for both, and the old file survives a full disk or a crash. You can annotate a log only
after it has been written. For RefBox zips, MCAP files of other programs and unfinished logs, first make a log with
touchline log cut.

A removed note disappears from the lists; its text stays in the file until touchline log cut copies the log.`,
		Example: `  touchline log note s.mcap
  touchline log note s.mcap --at 1:12 "the keeper saw the ball too late"
  touchline log note s.mcap --at 1:12 --to 1:20 "good pressing"
  touchline log note s.mcap --remove 2`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.StringVar(&f.at, "at", "", "time of the note, for example 1:12")
	flags.StringVar(&f.to, "to", "", "end of the note's span (default: a single moment)")
	flags.IntVar(&f.remove, "remove", 0, "remove the note with this number")
	flags.BoolVar(&f.json, "json", false, "print the notes as JSON")
	console.Accept(flags, "the number of a note, as the list shows it, for example 2", "remove")
	return c
}

func (f *noteFlags) run(c *cobra.Command, args []string) error {
	removes := c.Flags().Changed("remove")
	wrong := ""
	switch {
	case len(args) == 0:
		wrong = `FILE is required, for example touchline log note s.mcap --at 1:12 "good pass"`
	case len(args) > 2:
		wrong = fmt.Sprintf("log note takes one FILE and one TEXT: put the text in quotes, %q", strings.Join(args[1:], " "))
	case removes && (len(args) == 2 || f.at != "" || f.to != ""):
		wrong = "--remove takes no TEXT, --at or --to: give them in a second call"
	case removes && f.remove < 1:
		wrong = fmt.Sprintf("--remove %d: want the number of a note, which touchline log note FILE lists", f.remove)
	case len(args) == 2 && f.at == "":
		wrong = "a note needs its time: add --at, for example --at 1:12"
	case len(args) == 1 && (f.at != "" || f.to != ""):
		wrong = `--at and --to need the TEXT of a note, for example --at 1:12 "good pass"`
	}
	if wrong != "" {
		return console.Usage(errors.New(wrong))
	}
	start, list, err := notesOf(args[0])
	if err != nil {
		return err
	}
	if len(args) == 1 && !removes {
		return f.print(c, args[0], start, list)
	}
	note := matchlog.Annotation{ID: f.remove}
	if !removes {
		note.Text = strings.TrimSpace(args[1])
		if note.From, err = parseTime("--at", f.at, start, 0); err != nil {
			return err
		}
		if note.To, err = parseTime("--to", f.to, start, note.From); err != nil {
			return err
		}
		if note.To < note.From {
			return console.Usage(fmt.Errorf("--to %s is before --at %s", f.to, f.at))
		}
	}
	if note, err = matchlog.Annotate(args[0], note); err != nil {
		return console.Usage(err)
	}
	if f.json || !removes {
		return f.print(c, args[0], start, []matchlog.Annotation{note})
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "%s: note %d is removed\n", args[0], note.ID)
	return err
}

// notesOf returns the start of a log and its notes. It reads only the end of a finished log.
func notesOf(name string) (start soccer.Time, list []matchlog.Annotation, err error) {
	list, err = matchlog.Annotations(name)
	if i, whole := matchlog.Glance(name); err == nil && whole {
		return i.Start, list, nil
	}
	l, err := openLog(name)
	if err != nil {
		return 0, nil, err
	}
	defer l.Close()
	return l.Info().Start, l.Annotations(), nil
}

// print prints notes of a log that started at start.
func (f *noteFlags) print(c *cobra.Command, name string, start soccer.Time, list []matchlog.Annotation) error {
	if f.json {
		return console.PrintJSON(c.OutOrStdout(), shownNotes(start, list))
	}
	text := cmp.Or(notesText(start, list), "  no notes\n")
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s\n%s", name, text)
	return err
}

func shownNotes(start soccer.Time, list []matchlog.Annotation) []shownNote {
	shown := []shownNote{}
	for _, a := range list {
		shown = append(shown, shownNote{a, a.From.Sub(start).Seconds(), a.To.Sub(start).Seconds()})
	}
	return shown
}

// notesText lists notes of a log that started at start, one a line.
func notesText(start soccer.Time, list []matchlog.Annotation) string {
	var b strings.Builder
	for _, a := range list {
		when := clockText(a.From.Sub(start).Seconds())
		if a.To > a.From {
			when += " to " + clockText(a.To.Sub(start).Seconds())
		}
		fmt.Fprintf(&b, "  note %d at %s: %s\n", a.ID, when, wire.Printable(a.Text))
	}
	return b.String()
}

// copyNotes writes the notes of logs between two times into a copy of them, cut to these times. A note keeps its
// number, unless one of a log before has it.
func copyNotes(w *matchlog.Writer, logs []*matchlog.Log, from, to soccer.Time) error {
	taken := map[int]bool{}
	for _, l := range logs {
		for _, a := range l.Annotations() {
			if a.To < from || a.From >= to {
				continue
			}
			a.From, a.To = max(a.From, from), min(a.To, to-1)
			if taken[a.ID] {
				a.ID = 0
			}
			a, err := w.Annotate(a)
			if err != nil {
				return err
			}
			taken[a.ID] = true
		}
	}
	return nil
}
