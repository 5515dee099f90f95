package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"touchline/conform"
	"touchline/reportcard"
	"touchline/wire"
)

// print writes the report for people.
func (r *checkReport) print(out io.Writer) error {
	var b strings.Builder
	var packages, wrong, packets uint64
	others := false
	for i := range r.Inputs {
		input := &r.Inputs[i]
		if input.stations() {
			input.printCards(&b)
		}
		if !input.packets() {
			continue
		}
		others = true
		input.print(&b)
		packages, wrong, packets = packages+input.Report.Packages, wrong+input.Report.Wrong, packets+input.Report.Packets
	}
	switch {
	case !others:
	case wrong > 0:
		fmt.Fprintf(&b, "WRONG: %d of %s (%s)\n", wrong, count(packets, "packet"), count(packages, "mixed team package"))
	case r.OK:
		fmt.Fprintf(&b, "OK: nothing wrong with %s\n", count(packages, "mixed team package"))
	case packages > 0:
		fmt.Fprintf(&b, "NOT CHECKED: an input without any mixed team package; nothing wrong with the %d of the others\n", packages)
	default:
		fmt.Fprintf(&b, "NOT CHECKED: no mixed team package among %s\n", count(packets, "packet"))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (i *checkInput) print(b *strings.Builder) {
	fmt.Fprintf(b, "%s (%s): %s\n", i.Name, i.Kind, count(i.Report.Packets, "packet"))
	for _, l := range []struct {
		n    uint64
		text string
	}{
		{uint64(i.Skipped.Fragments), "left out, fragments of IPv4 datagrams: a package fits into one packet"},
		{uint64(i.Skipped.Cut), "left out, cut short by the capture: capture whole packets (tcpdump -s 0)"},
		{uint64(i.Skipped.Unknown), "left out, of an unknown kind of link or broken"},
		{uint64(i.Skipped.Other), "left out, to other addresses or no UDP"},
		{i.Dropped, "lost in this machine before they were read"},
	} {
		if l.n > 0 {
			fmt.Fprintf(b, "  %d %s\n", l.n, l.text)
		}
	}
	if i.Skipped.Torn {
		b.WriteString("  the file ends in the middle of a packet\n")
	}
	if i.Kind == "live" && i.Report.Packets == 0 {
		b.WriteString("  nothing heard: is it the right --interface and --group, and does anybody send?\n")
	}
	for k := range i.Report.Senders {
		printSender(b, &i.Report.Senders[k])
	}
}

func printSender(b *strings.Builder, s *conform.Sender) {
	switch {
	case s.Others:
		b.WriteString("  all further senders")
	case s.Foreign:
		b.WriteString("  other traffic")
	default:
		number := "without a number"
		if s.Number != 0 {
			number = strconv.Itoa(int(s.Number))
		}
		fmt.Fprintf(b, "  robot %s, %s", number, s.Color)
		if s.Team != "" {
			fmt.Fprintf(b, ", %s", s.Team)
		}
	}
	if s.Addr != "" {
		fmt.Fprintf(b, ", from %s", s.Addr)
	}
	fmt.Fprintf(b, ": %s", count(s.Packets, "packet"))
	if !s.Foreign && !s.Others {
		fmt.Fprintf(b, ", %s", s.Variant)
	}
	for _, f := range []struct {
		value  *float64
		format string
		scale  float64
	}{{s.Rate, ", %.1f Hz", 1}, {s.GapP99, ", gap p99 %.0f ms", 1}, {s.GapMax, " (longest %.0f)", 1}, {s.Jitter, ", jitter %.1f ms", 1}, {s.Missing, ", missing %.1f %%", 100}} {
		if f.value != nil {
			fmt.Fprintf(b, f.format, *f.value*f.scale)
		}
	}
	if s.Repeated > 0 {
		fmt.Fprintf(b, ", %d came twice", s.Repeated)
	}
	b.WriteString("\n")
	for k := range s.Findings {
		printFinding(b, &s.Findings[k])
	}
	if s.Further > 0 {
		fmt.Fprintf(b, "    and %d more findings of further kinds\n", s.Further)
	}
}

func printFinding(b *strings.Builder, f *conform.Finding) {
	what := "wrong"
	if f.Note {
		what = "note"
	}
	fmt.Fprintf(b, "    %-5s %6d x  %s\n", what, f.Count, f.Issue)
	if f.Hex == "" {
		return
	}
	data, _ := hex.DecodeString(f.Hex)
	fmt.Fprintf(b, "%18sfirst in packet %d", "", f.Packet)
	if f.Time != 0 {
		fmt.Fprintf(b, " at %.3f s", f.Time)
	}
	from := max(min(f.Offset, len(data))-8, 0)
	fmt.Fprintf(b, ", from byte %d:", from)
	for k := from; k < min(from+20, len(data)); k++ {
		format := " %02x"
		if k == f.Offset {
			format = " [%02x]"
		}
		fmt.Fprintf(b, format, data[k])
	}
	b.WriteString("\n")
}

// count writes a number of things.
func count(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printCards writes the cards of one input for people.
func (i *checkInput) printCards(b *strings.Builder) {
	fmt.Fprintf(b, "%s (%s):\n", i.Name, i.Kind)
	var verdicts []string
	var messages uint64
	for k := range i.Cards {
		c := &i.Cards[k]
		printCard(b, c)
		messages += c.Messages
		wrong := 0
		for _, f := range c.Findings {
			if !f.Note {
				wrong++
			}
		}
		if c.Error != "" {
			wrong++
		}
		if wrong > 0 {
			verdicts = append(verdicts, fmt.Sprintf("%s with %s", count(uint64(wrong), "thing"), wire.Printable(c.Team)))
		}
	}
	switch {
	case len(verdicts) > 0:
		fmt.Fprintf(b, "WRONG: %s\n", strings.Join(verdicts, ", "))
	case len(i.Cards) == 0:
		b.WriteString("NOT CHECKED: no base station connected: does it know this address, and is there a firewall?\n")
	case !i.Report.OK:
		fmt.Fprintf(b, "NOT CHECKED: a team without a message; nothing wrong with the %s of the others\n", count(messages, "message"))
	default:
		fmt.Fprintf(b, "OK: nothing wrong with %s\n", count(messages, "message"))
	}
}

// printCard writes one team's card for people.
func printCard(b *strings.Builder, c *reportcard.Report) {
	fmt.Fprintf(b, "  %s: %s", strings.TrimSpace(c.Side+" "+wire.Printable(c.Team)), count(c.Worldstates, "worldstate"))
	if c.Events > 0 {
		fmt.Fprintf(b, ", %s", count(c.Events, "event"))
	}
	if c.Broken > 0 {
		fmt.Fprintf(b, ", %d unreadable", c.Broken)
	}
	if c.Rate != nil {
		fmt.Fprintf(b, " in %.0f s, %.1f Hz, gap p50 %.0f ms, p99 %.0f, longest %.0f", c.Seconds, *c.Rate, *c.GapP50, *c.GapP99, *c.GapMax)
	}
	if c.AgeP50 != nil {
		fmt.Fprintf(b, ", age p50 %.0f ms, largest %.0f", *c.AgeP50, *c.AgeMax)
	}
	b.WriteString("\n")
	if c.Messages == 0 {
		b.WriteString("    no message\n")
	}
	if c.Filled > 0 {
		fmt.Fprintf(b, "    %s filled in by the referee box: no worldstate came in them\n", count(c.Filled, "window"))
	}
	if c.Error != "" {
		fmt.Fprintf(b, "    the rest could not be read: %s\n", wire.Printable(c.Error))
	}
	if c.Torn {
		b.WriteString("    the input ends in the middle of a message\n")
	}
	for i := range c.Findings {
		printCardFinding(b, c.Rate != nil, &c.Findings[i])
	}
}

func printCardFinding(b *strings.Builder, timed bool, f *reportcard.Finding) {
	what := "wrong"
	if f.Note {
		what = "note"
	}
	fmt.Fprintf(b, "    %-5s %6d x  %s (%.3g %%): %s (%s)\n", what, f.Count, f.Rule, 100*f.Share, wire.Printable(f.Text), f.Source)
	const indent = "                  "
	var where []string
	if timed {
		where = append(where, fmt.Sprintf("at %.2f s", f.Time))
	}
	if f.Game > 0 {
		where = append(where, fmt.Sprintf("game clock %d:%02d", int(f.Game)/60, int(f.Game)%60))
	}
	if f.Line > 0 {
		where = append(where, fmt.Sprintf("line %d, byte %d", f.Line, f.First+int64(f.Offset)))
	} else {
		where = append(where, fmt.Sprintf("message %d, byte %d", f.First, f.Offset))
	}
	fmt.Fprintf(b, "%sfirst %s:\n", indent, strings.Join(where, ", "))
	if f.Excerpt != "" {
		at := utf8.RuneCountInString(f.Excerpt[:f.At])
		n := max(utf8.RuneCountInString(f.Excerpt[f.At:f.At+f.Len]), 1)
		fmt.Fprintf(b, "%s  %s\n%s  %s%s\n", indent, f.Excerpt, indent, strings.Repeat(" ", at), strings.Repeat("^", n))
	}
	if f.Fix != "" {
		fmt.Fprintf(b, "%s%s\n", indent, f.Fix)
	}
}

// writePage writes the report as a page to a file, or to out for "-".
func (r *checkReport) writePage(name string, out io.Writer) error {
	var page reportcard.Page
	var names []string
	var plain strings.Builder
	for i := range r.Inputs {
		input := &r.Inputs[i]
		names = append(names, filepath.Base(input.Name))
		for _, c := range input.Cards {
			page.Cards = append(page.Cards, reportcard.PageCard{Input: input.Name, Report: c})
		}
		if input.packets() {
			input.print(&plain)
		}
	}
	page.Title, page.Packets = "What teams sent: "+strings.Join(names, ", "), plain.String()
	if name == "-" {
		return reportcard.WriteHTML(out, &page)
	}
	file, err := os.Create(name)
	if err != nil {
		return exitError{2, fmt.Errorf("--html: %w", err)}
	}
	err = reportcard.WriteHTML(file, &page)
	if err = errors.Join(err, file.Close()); err != nil {
		return exitError{2, fmt.Errorf("--html: %w", err)}
	}
	return nil
}
