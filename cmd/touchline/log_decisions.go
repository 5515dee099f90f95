package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/internal/console"
	"touchline/internal/refbox"
	"touchline/wire"
)

// decisionList is what log decisions prints as JSON.
type decisionList struct {
	File      string         `json:"file"`
	Names     [2]string      `json:"names"` // of the teams, home and away
	Decisions []decisionLine `json:"decisions"`
}

// decisionLine is a decision with the verdict of its review.
type decisionLine struct {
	analysis.Ruling
	// With --measure: what the log says about the decision, in sentences, and what it lacks.
	Says     analysis.Says `json:"says"`
	Measured []string      `json:"measured"`
	Partial  []string      `json:"partial"`
}

func logDecisionsCommand() *cobra.Command {
	var f logFlags
	var measure bool
	c := &cobra.Command{
		Use:   "decisions FILE",
		Short: "List the referee's decisions and their review verdicts",
		Long: `Decisions lists the referee's decisions in a log and the verdicts of the reviews. With --measure it measures
each decision as the review page does: how far the ball was over the line, which robot touched it last, and how far
the robots stood from it.`,
		Example: "  touchline log decisions 20260703_155014.mcap\n  touchline log decisions m.mcap --measure --json",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usage(errors.New(
					"log decisions needs one FILE, for example touchline log decisions match.zip"))
			}
			list, err := listDecisions(args[0], measure)
			if err != nil {
				return err
			}
			if f.json {
				return console.PrintJSON(c.OutOrStdout(), list)
			}
			for i := range list.Decisions {
				if _, err := fmt.Fprint(c.OutOrStdout(), list.Decisions[i].text(list)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&measure, "measure", false, "measure each decision; about 10 a second")
	f.addJSON(c)
	return c
}

// listDecisions reads the decisions of a log.
func listDecisions(name string, measure bool) (*decisionList, error) {
	l, err := openLog(name)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var reviews analysislog.Reviews
	found, err := reviews.Decisions(l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	list := &decisionList{File: name, Names: found.Names, Decisions: []decisionLine{}}
	for _, r := range found.Decisions {
		d := decisionLine{Ruling: r, Measured: []string{}, Partial: []string{}}
		if measure {
			v, err := reviews.Review(l, r.Number)
			if err != nil {
				return nil, fmt.Errorf("%s: decision %d: %w", name, r.Number, err)
			}
			d.Says, d.Measured, d.Partial, list.Names = v.Says, v.Measured, v.Partial, v.Names
		}
		list.Decisions = append(list.Decisions, d)
	}
	return list, nil
}

// text returns a decision as lines.
func (d *decisionLine) text(list *decisionList) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%4d  %s  %s %-12s %s", d.Number, time.UnixMilli(int64(d.Time)).UTC().Format("15:04:05"),
		refbox.FormatClock(time.Duration(d.Clock*float64(time.Second))), d.Part, d.Command)
	if d.Side != game.Both {
		name := list.Names[d.Side.Index()]
		if name == "" {
			name = string(d.Side)
		}
		fmt.Fprintf(&b, " %s", name)
	}
	if d.Robot != 0 {
		fmt.Fprintf(&b, " %d", d.Robot)
	}
	if d.Gone {
		b.WriteString(", undone")
	}
	if d.Says != analysis.SaysNothing {
		fmt.Fprintf(&b, ", measured: %s", d.Says)
	}
	if v := d.Verdict; v != nil {
		fmt.Fprintf(&b, ": %s", v.Found)
		if v.Note != "" {
			fmt.Fprintf(&b, ", %s", v.Note)
		}
	}
	text := wire.Printable(b.String()) + "\n"
	for _, line := range append(append([]string{}, d.Measured...), d.Partial...) {
		text += "      " + wire.Printable(line) + "\n"
	}
	return text
}
