package check

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"touchline/internal/formats"
	"touchline/wire"
)

// Checked counts the packets that were checked by kind: "2 FIRASim packets and 1 mixed team package".
func (r *Report) Checked() string {
	var kinds []string
	for _, f := range formats.All() {
		if n := r.Formats[f.Name]; n > 0 {
			kinds = append(kinds, Plural(n, f.Title))
		}
	}
	if len(kinds) == 0 {
		return Plural(0, "mixed team package")
	}
	return strings.Join(kinds, " and ")
}

// WriteText writes a sender of packets with its findings.
func (s *Sender) WriteText(b *strings.Builder) {
	fmt.Fprintf(b, "  %s", s.title())
	if s.Addr != "" {
		fmt.Fprintf(b, ", from %s", s.Addr)
	}
	fmt.Fprintf(b, ": %s", Plural(s.Packets, "packet"))
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
		{s.Rate, ", %.1f Hz", 1}, {s.GapP99, ", longest pause (99 %%) %.0f ms", 1}, {s.GapMax, " (of all %.0f)", 1},
		{s.Jitter, ", jitter %.1f ms", 1}, {s.Missing, loss, 100},
	} {
		if f.value != nil {
			fmt.Fprintf(b, f.format, *f.value*f.scale)
		}
	}
	if s.Repeated > 0 {
		fmt.Fprintf(b, ", %s", Plural(s.Repeated, "duplicate"))
	}
	b.WriteString("\n")
	if s.TCM != nil {
		s.TCM.writeText(b)
	}
	for i := range s.Findings {
		s.Findings[i].writeText(b)
	}
	if s.Further > 0 {
		fmt.Fprintf(b, "    and %d more findings of other kinds\n", s.Further)
	}
}

// title names the sender.
func (s *Sender) title() string {
	switch {
	case s.Others:
		return "all other senders"
	case s.Foreign:
		return "other traffic"
	case s.TCM != nil:
		return fmt.Sprintf("%s of team %d", s.TCM.Entity, s.TCM.Team)
	case s.Message == messageTCM:
		return "unreadable TCM datagrams"
	case s.name != "":
		name := s.name
		if s.Number > 0 {
			name += fmt.Sprintf(" of robot %d", s.Number)
		}
		if s.Team != "" {
			name += ", " + s.Team
		}
		return name
	}
	number := "without a number"
	if s.Number != 0 {
		number = strconv.Itoa(int(s.Number))
	}
	name := fmt.Sprintf("robot %s, %s", number, s.Color)
	if s.Team != "" {
		name += ", " + s.Team
	}
	return name
}

// writeText writes the streams and types of a sender of TCM datagrams.
func (s *TCMSender) writeText(b *strings.Builder) {
	count := func(n uint64, what string) {
		if n > 0 {
			fmt.Fprintf(b, ", %d %s", n, what)
		}
	}
	if s.Restarts > 0 {
		fmt.Fprintf(b, "    restarted: %s\n", Plural(uint64(s.Restarts), "time"))
	}
	for _, st := range s.Streams {
		fmt.Fprintf(b, "    to %s, socket %s: %s", st.To, st.Socket, Plural(st.Received, "datagram"))
		count(st.Lost, "lost")
		count(st.Duplicates, "again")
		count(st.Reordered, "reordered")
		b.WriteString("\n")
	}
	for _, t := range s.Types {
		fmt.Fprintf(b, "    %s from %s to %s: %s, %.1f kB", t.Type, t.Module, t.To, Plural(t.Received, "message"),
			float64(t.Bytes)/1e3)
		count(t.Lost, "lost")
		count(t.Incomplete, "incomplete")
		count(t.Repeated, "repeated")
		b.WriteString("\n")
	}
}

// severity is the word for a finding.
func severity(note bool) string {
	if note {
		return "note"
	}
	return "fault"
}

// writeText writes the finding with the bytes of its first packet.
func (f *Finding) writeText(b *strings.Builder) {
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

// Faults counts the findings that are no notes.
func (r *StationReport) Faults() (n uint64) {
	for i := range r.Findings {
		if !r.Findings[i].Note {
			n++
		}
	}
	return n
}

// WriteText writes the report card.
func (r *StationReport) WriteText(b *strings.Builder) {
	fmt.Fprintf(b, "  %s: %s", strings.TrimSpace(r.Side+" "+wire.Printable(r.Team)), Plural(r.Worldstates, "worldstate"))
	if r.Events > 0 {
		fmt.Fprintf(b, ", %s", Plural(r.Events, "event"))
	}
	if r.Commands > 0 {
		fmt.Fprintf(b, ", %s of a referee box", Plural(r.Commands, "command"))
	}
	if r.Broken > 0 {
		fmt.Fprintf(b, ", %d unreadable", r.Broken)
	}
	if r.Rate != nil {
		fmt.Fprintf(b, " in %.0f s, %.1f Hz, pauses: median %.0f ms, longest (99 %%) %.0f, of all %.0f",
			r.Seconds, *r.Rate, *r.GapP50, *r.GapP99, *r.GapMax)
	}
	if r.AgeP50 != nil {
		fmt.Fprintf(b, ", reported ageMs p50 %.0f, largest %.0f", *r.AgeP50, *r.AgeMax)
	}
	if r.BoxAway > 0 {
		fmt.Fprintf(b, ", referee box away %.0f s", r.BoxAway)
	}
	b.WriteString("\n")
	if r.Messages == 0 {
		b.WriteString("    no messages\n")
	}
	if r.Filled > 0 {
		fmt.Fprintf(b, "    %s without a worldstate, logged as empty by the RefBox\n", Plural(r.Filled, "window"))
	}
	if r.Error != "" {
		fmt.Fprintf(b, "    the rest could not be read: %s\n", wire.Printable(r.Error))
	}
	if r.Torn {
		b.WriteString("    the input ends in the middle of a message\n")
	}
	for i := range r.Findings {
		r.Findings[i].writeText(b, r.Rate != nil)
	}
}

// writeText writes the finding with its first place, and the time of it if the times are known.
func (f *StationFinding) writeText(b *strings.Builder, timed bool) {
	fmt.Fprintf(b, "    %-5s %6d x  %s (%.3g %%): %s (%s)\n",
		severity(f.Note), f.Count, f.Rule, 100*f.Share, wire.Printable(f.Text), f.Source)
	const indent = "                  "
	fmt.Fprintf(b, "%sfirst ", indent)
	if timed {
		fmt.Fprintf(b, "at %.2f s, ", f.Time)
	}
	if f.Game > 0 {
		fmt.Fprintf(b, "game clock %s, ", clockText(int64(f.Game)))
	}
	fmt.Fprintf(b, "%s:\n", f.place())
	if f.Excerpt != "" {
		at := utf8.RuneCountInString(f.Excerpt[:f.At])
		n := max(utf8.RuneCountInString(f.Excerpt[f.At:f.At+f.Len]), 1)
		fmt.Fprintf(b, "%s  %s\n%s  %s%s\n", indent, f.Excerpt, indent, strings.Repeat(" ", at), strings.Repeat("^", n))
	}
	if f.Fix != "" {
		fmt.Fprintf(b, "%s%s\n", indent, f.Fix)
	}
}

// place returns where the first message with the finding is in the input.
func (f *StationFinding) place() string {
	if f.Line > 0 {
		return fmt.Sprintf("line %d, byte %d", f.Line, f.First+int64(f.Offset))
	}
	return fmt.Sprintf("message %d, byte %d", f.First, f.Offset)
}
