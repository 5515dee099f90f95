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

	"touchline/internal/capture"
	"touchline/internal/check"
	"touchline/internal/console"
	"touchline/wire"
)

// print writes the report as text.
func (r *checkReport) print(out io.Writer) error {
	var b strings.Builder
	var sum check.Report
	packets := false
	for i := range r.Inputs {
		input := &r.Inputs[i]
		if input.stations() {
			input.printCards(&b)
		}
		if !input.packets() {
			continue
		}
		packets = true
		input.printPackets(&b)
		sum.Packages += input.Report.Packages
		sum.FIRASim += input.Report.FIRASim
		sum.TCM += input.Report.TCM
		sum.Wrong += input.Report.Wrong
		sum.Packets += input.Report.Packets
	}
	checked := kindsOf(&sum)
	switch {
	case !packets:
	case sum.Wrong > 0:
		fmt.Fprintf(&b, "WRONG: %d of %s (%s)\n", sum.Wrong, count(sum.Packets, "packet"), checked)
	case r.OK:
		fmt.Fprintf(&b, "OK: no faults in %s\n", checked)
	case sum.Packages+sum.FIRASim+sum.TCM > 0:
		fmt.Fprintf(&b, "NOT CHECKED: one input has no mixed team, FIRASim or TCM packet; no faults in %s of the others\n",
			checked)
	default:
		fmt.Fprintf(&b, "NOT CHECKED: no mixed team package and no TCM datagram among %s; --kind checks other packets\n",
			count(sum.Packets, "packet"))
		if len(r.Inputs) == 1 && r.Inputs[0].Kind == string(capture.Datagram) {
			fmt.Fprintf(&b, "If the file is not a datagram, it is none of the kinds that check reads: %s\n", fileKinds)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// kindsOf counts the packets of a report by kind: "2 FIRASim packets and 1 mixed team package".
func kindsOf(r *check.Report) string {
	var kinds []string
	for _, k := range []struct {
		n    uint64
		noun string
	}{{r.FIRASim, "FIRASim packet"}, {r.TCM, "TCM datagram"}, {r.Packages, "mixed team package"}} {
		if k.n > 0 {
			kinds = append(kinds, count(k.n, k.noun))
		}
	}
	if len(kinds) == 0 {
		return count(0, "mixed team package")
	}
	return strings.Join(kinds, " and ")
}

// printNotes writes what is irregular about the file.
func (i *checkInput) printNotes(b *strings.Builder) {
	for _, note := range i.Notes {
		fmt.Fprintf(b, "  %s\n", wire.Printable(note))
	}
}

// printPackets writes the packets of one input as text.
func (i *checkInput) printPackets(b *strings.Builder) {
	packets := i.Report.Packages + i.Report.FIRASim + i.Report.TCM + i.Report.Foreign
	fmt.Fprintf(b, "%s (%s): %s\n", i.Name, i.Kind, count(packets, "packet"))
	for _, l := range []struct {
		n    uint64
		text string
	}{
		{uint64(i.Skipped.Fragments), "skipped: fragments of IPv4 datagrams (a package fits into one datagram)"},
		{uint64(i.Skipped.Cut), "skipped: shortened by the capturing program; capture whole packets (tcpdump -s 0)"},
		{uint64(i.Skipped.Unknown), "skipped: unsupported link type, or broken"},
		{uint64(i.Skipped.Other), "skipped: to other addresses, or not UDP over IPv4"},
		{i.Dropped, "dropped by this machine before they were read"},
	} {
		if l.n > 0 {
			fmt.Fprintf(b, "  %d %s\n", l.n, l.text)
		}
	}
	if !i.stations() {
		i.printNotes(b)
	}
	if i.Kind == "live" && packets == 0 {
		b.WriteString("  no packets received: check --interface, --group and --tcm, and that a robot sends\n")
	}
	for k := range i.Report.Senders {
		printSender(b, &i.Report.Senders[k])
	}
}

// printSender writes one sender of packets.
func printSender(b *strings.Builder, s *check.Sender) {
	switch {
	case s.Others:
		b.WriteString("  all other senders")
	case s.Foreign:
		b.WriteString("  other traffic")
	case s.TCM != nil:
		fmt.Fprintf(b, "  %s of team %d", s.TCM.Entity, s.TCM.Team)
	case s.Message == "TCM":
		b.WriteString("  unreadable TCM datagrams")
	case s.Message != "":
		fmt.Fprintf(b, "  FIRASim %s", s.Message)
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
	if !s.Foreign && !s.Others && s.Variant != "" {
		fmt.Fprintf(b, ", %s", s.Variant)
	}
	loss := ", %.1f %% packet loss (estimate)"
	if s.TCM != nil {
		loss = ", %.1f %% packet loss"
	}
	for _, f := range []struct {
		value  *float64
		format string
		scale  float64
	}{
		{s.Rate, ", %.1f Hz", 1}, {s.GapP99, ", gap p99 %.0f ms", 1}, {s.GapMax, " (longest %.0f)", 1},
		{s.Jitter, ", jitter %.1f ms", 1}, {s.Missing, loss, 100},
	} {
		if f.value != nil {
			fmt.Fprintf(b, f.format, *f.value*f.scale)
		}
	}
	if s.Repeated > 0 {
		fmt.Fprintf(b, ", %s", count(s.Repeated, "duplicate"))
	}
	b.WriteString("\n")
	if s.TCM != nil {
		printStreams(b, s.TCM)
	}
	for k := range s.Findings {
		printFinding(b, &s.Findings[k])
	}
	if s.Further > 0 {
		fmt.Fprintf(b, "    and %d more findings of other kinds\n", s.Further)
	}
}

// printStreams writes the streams and types of a sender of TCM datagrams.
func printStreams(b *strings.Builder, s *check.TCMSender) {
	figures := func(list ...figure) {
		for _, f := range list {
			if f.n > 0 {
				fmt.Fprintf(b, ", %d %s", f.n, f.what)
			}
		}
		b.WriteString("\n")
	}
	if s.Restarts > 0 {
		fmt.Fprintf(b, "    restarted: %s\n", count(uint64(s.Restarts), "time"))
	}
	for _, st := range s.Streams {
		fmt.Fprintf(b, "    to %s, socket %s: %s", st.To, st.Socket, count(st.Received, "datagram"))
		figures(figure{st.Lost, "lost"}, figure{st.Duplicates, "again"}, figure{st.Reordered, "reordered"})
	}
	for _, t := range s.Types {
		fmt.Fprintf(b, "    %s from %s to %s: %s, %.1f kB", t.Type, t.Module, t.To, count(t.Received, "message"),
			float64(t.Bytes)/1e3)
		figures(figure{t.Lost, "lost"}, figure{t.Incomplete, "incomplete"}, figure{t.Repeated, "repeated"})
	}
}

// figure is a count that is printed unless it is 0.
type figure struct {
	n    uint64
	what string
}

// severity is the word for a finding.
func severity(note bool) string {
	if note {
		return "note"
	}
	return "fault"
}

// printFinding writes one finding of packets.
func printFinding(b *strings.Builder, f *check.Finding) {
	fmt.Fprintf(b, "    %-5s %6d x  %s\n", severity(f.Note), f.Count, f.Issue)
	if f.Hex == "" {
		return
	}
	data, _ := hex.DecodeString(f.Hex)
	fmt.Fprintf(b, "%18sfirst in packet %d", "", f.Packet)
	if f.Time != 0 {
		fmt.Fprintf(b, " at %.3f s", f.Time)
	}
	if f.Value != "" {
		fmt.Fprintf(b, ", %s = %s", f.Field, f.Value)
	}
	from := max(min(f.Offset, len(data))-8, 0)
	fmt.Fprintf(b, ", bytes from %d:", from)
	for k := from; k < min(from+20, len(data)); k++ {
		format := " %02x"
		if k == f.Offset {
			format = " [%02x]"
		}
		fmt.Fprintf(b, format, data[k])
	}
	b.WriteString("\n")
}

// count returns a number with the noun in the right form.
func count(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// printCards writes the report cards of one input as text.
func (i *checkInput) printCards(b *strings.Builder) {
	fmt.Fprintf(b, "%s (%s):\n", i.Name, i.Kind)
	i.printNotes(b)
	var verdicts []string
	var messages uint64
	ok := true
	for k := range i.Cards {
		c := &i.Cards[k]
		printCard(b, c)
		messages += c.Messages
		ok = ok && c.OK
		faults := 0
		for _, f := range c.Findings {
			if !f.Note {
				faults++
			}
		}
		if c.Error != "" {
			faults++
		}
		if faults > 0 {
			verdicts = append(verdicts, fmt.Sprintf("%s has %s", wire.Printable(c.Team), count(uint64(faults), "fault")))
		}
	}
	switch {
	case len(verdicts) > 0:
		fmt.Fprintf(b, "WRONG: %s\n", strings.Join(verdicts, ", "))
	case len(i.Cards) == 0 && i.Kind == "live base stations":
		b.WriteString("NOT CHECKED: no base station connected: check the address that it uses, and firewalls\n")
	case len(i.Cards) == 0:
		b.WriteString("NOT CHECKED: no message of a base station, and no packet\n")
	case !ok:
		fmt.Fprintf(b, "NOT CHECKED: one team sent no message; no faults in %s of the others\n", count(messages, "message"))
	default:
		fmt.Fprintf(b, "OK: no faults in %s\n", count(messages, "message"))
	}
}

// printCard writes the report card of one team.
func printCard(b *strings.Builder, c *check.StationReport) {
	fmt.Fprintf(b, "  %s: %s", strings.TrimSpace(c.Side+" "+wire.Printable(c.Team)), count(c.Worldstates, "worldstate"))
	if c.Events > 0 {
		fmt.Fprintf(b, ", %s", count(c.Events, "event"))
	}
	if c.Commands > 0 {
		fmt.Fprintf(b, ", %s of a referee box", count(c.Commands, "command"))
	}
	if c.Broken > 0 {
		fmt.Fprintf(b, ", %d unreadable", c.Broken)
	}
	if c.Rate != nil {
		fmt.Fprintf(b, " in %.0f s, %.1f Hz, gap p50 %.0f ms, p99 %.0f, longest %.0f",
			c.Seconds, *c.Rate, *c.GapP50, *c.GapP99, *c.GapMax)
	}
	if c.AgeP50 != nil {
		fmt.Fprintf(b, ", reported ageMs p50 %.0f, largest %.0f", *c.AgeP50, *c.AgeMax)
	}
	b.WriteString("\n")
	if c.Messages == 0 {
		b.WriteString("    no messages\n")
	}
	if c.Filled > 0 {
		fmt.Fprintf(b, "    %s without a worldstate, logged as empty by the RefBox\n", count(c.Filled, "window"))
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

// printCardFinding writes one finding of a report card.
func printCardFinding(b *strings.Builder, timed bool, f *check.StationFinding) {
	fmt.Fprintf(b, "    %-5s %6d x  %s (%.3g %%): %s (%s)\n",
		severity(f.Note), f.Count, f.Rule, 100*f.Share, wire.Printable(f.Text), f.Source)
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
	var page check.Page
	var names []string
	var packets strings.Builder
	for i := range r.Inputs {
		input := &r.Inputs[i]
		names = append(names, filepath.Base(input.Name))
		for _, c := range input.Cards {
			page.Cards = append(page.Cards, check.PageCard{Input: input.Name, StationReport: c})
		}
		if input.packets() {
			input.printPackets(&packets)
		}
	}
	page.Title, page.Packets = "Report: "+strings.Join(names, ", "), packets.String()
	if name == "-" {
		return check.WriteHTML(out, &page)
	}
	file, err := os.Create(name)
	if err != nil {
		return console.Usage(fmt.Errorf("--html: %w", err))
	}
	err = check.WriteHTML(file, &page)
	if err = errors.Join(err, file.Close()); err != nil {
		return console.Usage(fmt.Errorf("--html: %w", err))
	}
	return nil
}
