package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/capture"
	"touchline/internal/check"
	"touchline/internal/check/checknet"
	"touchline/internal/console"
	"touchline/wire"
	"touchline/wire/mixedteam"
	"touchline/wire/msl"
)

// checkReport is what "touchline check --json" prints. Fields may be added, none change.
type checkReport struct {
	OK       bool           `json:"ok"` // all inputs are; the exit code is 0
	Inputs   []checkInput   `json:"inputs"`
	Findings []checkFinding `json:"findings"` // findings of all teams' cards
}

// checkFinding is a finding of a team's report card with its input.
type checkFinding struct {
	Input string `json:"input"`
	Side  string `json:"side"`
	check.StationFinding
}

// checkInput is one file, or the messages that were received live.
type checkInput struct {
	Name    string                `json:"name"`    // name as given; "-" is stdin; the group or address if live
	Kind    string                `json:"kind"`    // a capture.Format, "live" or "live base stations"
	Skipped capture.Skipped       `json:"left"`    // frames of a capture that were not checked
	Dropped uint64                `json:"dropped"` // live: packets that the kernel dropped
	Notes   []string              `json:"notes"`   // on a file, such as a torn end, or files in a zip that were not read
	Report  check.Report          `json:"report"`  // packets; for base stations only ok and packets, the number of their messages
	Cards   []check.StationReport `json:"cards"`   // report cards of base stations, one a team
}

// Kinds of inputs that are received.
const (
	livePackets  = "live"
	liveStations = "live base stations"
)

// packets reports whether the input has packets, or should have some.
func (i *checkInput) packets() bool {
	switch i.Kind {
	case string(capture.Pcap), string(capture.Hex), string(capture.Datagram), livePackets:
		return len(i.Report.Senders) > 0 || len(i.Cards) == 0
	}
	return len(i.Report.Senders) > 0
}

// stations reports whether the input has messages of base stations, or should have some.
func (i *checkInput) stations() bool {
	return len(i.Cards) > 0 || !i.packets()
}

// checkFlags is the command line of check.
type checkFlags struct {
	json   bool
	html   string
	live   time.Duration
	group  string
	kind   string
	iface  string
	listen string
	tcm    string
	as     string

	to   netip.AddrPort // --group
	team checkedTeam    // --tcm
}

// kindNames returns the values of --kind for people.
func kindNames() string { return strings.Join(check.Kinds(), ", ") }

func checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check [FILE|-]...",
		Short: "Check recorded or live messages: worldstates, match logs, packets",
		Long: `Check reads messages from base stations, robots and simulators and lists their faults: the rule with its
source, how many messages break it, the first of them, and how to fix it. Notes are recommendations that no document
requires.

Check recognises FILE, or - for stdin, by its contents:
  match log   a RefBox zip (2016, 2.x), a team's .A.msl or .B.msl, or a touchline log (.mcap): a report card for each
              team with rate, gaps, timing, keys, ranges, units, frame and stuck ball; also the packets in the log.
              From a log of the Small Size League (.log, .log.gz) only the packets
  messages    worldstates and events as JSON: one message, or several that each end with a NUL as on the wire
  capture     pcap or pcapng, up to 1 GiB: UDP datagrams to port 2005 or to 224.16.32.75, and datagrams in the formats
              of docs/formats.md; with --group only datagrams to that group
  hex         "7b02..." or "7b 02 ..."; # starts a comment. Empty lines separate datagrams; if the first line of a
              block holds 64 bytes or more, each line is a datagram. The files in wire/vectors can be read too
  datagram    the bytes of one datagram

If a robot drives, check also tests whether its packages make sense: units, frame, heading and timestamps. It reports
each fault with its fix. Behaviour that may be intended on an omnidirectional robot gives a note that begins with
"suspicion".

Check finds the format of a packet (docs/formats.md) by --kind, by its first bytes, by its destination port, or, if the
port is unknown as in hex, by the decoder that accepts it. Messages of base stations get a report card. TCM datagrams
are checked as one stream per robot and computer: sequence, boots, clocks, fragments, parity, and message contents.
--tcm also compares them with TCM.ini and verifies their signatures.

With --live, check listens for mixed team packages on a network. With --live and --tcm it listens for a team's
broadcasts; add --as to receive in place of a robot or computer. With --live and --listen it acts as a RefBox: it
admits base stations and checks their messages.

The exit code is 0 if there are no faults, 1 if there are some or there was nothing to check, and 2 if an input cannot
be read or the command line is wrong.`,
		Example: `  touchline check 20160703_155014.zip
  touchline check --html report.html match.zip
  touchline check worldstate.json
  touchline check --live 10s --listen 127.0.0.1:28097
  touchline check capture.pcapng
  tcpdump -i eth0 -w - -c 1000 udp port 2005 | touchline check -
  touchline check --live 5s --interface eth0
  touchline check --live 10s --tcm TCM.ini
  touchline check --live 10s --tcm TCM.ini --as robot:3
  touchline check --kind environment vision.hex
  touchline check --json match.zip | jq '.findings[] | select(.note | not) | {team, rule, count}'`,
		RunE: func(c *cobra.Command, args []string) error {
			report, err := f.check(c.Context(), args, c.InOrStdin(), c.ErrOrStderr())
			if err != nil {
				return console.Usage(err)
			}
			return f.write(&report, c.OutOrStdout())
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.json, "json", false, "print the report as JSON")
	flags.StringVar(&f.html, "html", "", "also write the report as a page to this FILE; - prints the page instead")
	flags.DurationVar(&f.live, "live", 0, "listen for this time instead of reading files")
	flags.StringVar(&f.group, "group", "", "check only datagrams to this ADDR:PORT (live: default "+mixedteam.Group+")")
	flags.StringVar(&f.kind, "kind", "",
		"format of all packets: "+kindNames()+" (default: by first bytes, port or decoder)")
	flags.StringVar(&f.listen, "listen", "", "with --live: act as a RefBox on this ADDR:PORT, for example 127.0.0.1:28097")
	flags.StringVar(&f.tcm, "tcm", "", "compare TCM datagrams with this TCM.ini; with --live: listen on its groups")
	flags.StringVar(&f.as, "as", "", "with --live and --tcm: receive in place of a robot or computer, for example robot:3")
	flags.StringVar(&f.iface, "interface", "", "with --live: the network interface (default loopback)")
	return c
}

// write prints the report and returns the exit code as an error.
func (f *checkFlags) write(report *checkReport, out io.Writer) error {
	var err error
	switch {
	case f.json:
		err = console.PrintJSON(out, report)
	case f.html != "-":
		err = report.print(out)
	}
	if f.html != "" && err == nil {
		err = report.writePage(f.html, out)
	}
	if err == nil && !report.OK {
		return console.Finding()
	}
	return err
}

// validate returns the first error in the command line.
func (f *checkFlags) validate(files int) error {
	if f.group != "" {
		var err error
		if f.to, err = netip.ParseAddrPort(f.group); err != nil {
			return fmt.Errorf("--group %s: write an address and a port, for example %s", f.group, mixedteam.Group)
		}
	}
	switch {
	case f.kind != "" && !slices.Contains(check.Kinds(), f.kind):
		return fmt.Errorf("--kind %s: choose one of %s", f.kind, kindNames())
	case f.live < 0:
		return fmt.Errorf("--live %v: give a positive time, for example 5s", f.live)
	case f.live > 0 && files > 0:
		return errors.New("--live listens to the network: remove the files, or --live")
	case f.json && f.html == "-":
		return errors.New("--json and --html - both print to stdout: name a file, --html report.html")
	case f.live == 0 && f.listen != "":
		return errors.New("--listen needs --live, for example --live 10s")
	case f.listen != "" && (f.iface != "" || f.group != "" || f.kind != "" || f.tcm != ""):
		return errors.New("--listen is for base stations, --group, --kind, --tcm and --interface are for packets: remove one of them")
	case f.as != "" && (f.live == 0 || f.tcm == ""):
		return errors.New("--as needs --live and --tcm, for example --live 10s --tcm TCM.ini --as robot:3")
	case f.live > 0 && f.tcm != "" && f.group != "":
		return errors.New("--tcm names the groups of the team: remove --group or --tcm")
	case f.live == 0 && f.iface != "":
		return errors.New("--interface needs --live, for example --live 5s")
	case f.live == 0 && files == 0:
		return errors.New("nothing to check: name a FILE, or - for stdin, or listen with --live 5s; see --help")
	}
	if f.html == "-" {
		return nil
	}
	return console.CheckReplaces("html", f.html, "<!doctype html>")
}

// check checks every input.
func (f *checkFlags) check(ctx context.Context, args []string, in io.Reader, progress io.Writer) (checkReport, error) {
	report := checkReport{OK: true, Findings: []checkFinding{}}
	if err := f.validate(len(args)); err != nil {
		return report, err
	}
	if err := f.readTeam(); err != nil {
		return report, err
	}
	if f.live > 0 {
		listen := f.receive
		if f.listen != "" {
			listen = f.accept
		}
		input, err := listen(ctx, progress)
		report.add(input)
		return report, err
	}
	for _, name := range args {
		inputs, err := f.checkFile(name, in)
		if err != nil {
			if name == "-" {
				name = "stdin"
			}
			return report, fmt.Errorf("%s: %w", name, err)
		}
		for _, input := range inputs {
			report.add(input)
		}
	}
	return report, nil
}

// add adds an input to the report.
func (r *checkReport) add(input checkInput) {
	r.OK = r.OK && input.Report.OK
	if input.Cards == nil {
		input.Cards = []check.StationReport{}
	}
	if input.Notes == nil {
		input.Notes = []string{}
	}
	r.Inputs = append(r.Inputs, input)
	for _, c := range input.Cards {
		for _, f := range c.Findings {
			r.Findings = append(r.Findings, checkFinding{input.Name, c.Side, f})
		}
	}
}

// accept acts as a RefBox for the time of --live: it welcomes base stations and checks their messages.
func (f *checkFlags) accept(ctx context.Context, progress io.Writer) (checkInput, error) {
	addr, err := netip.ParseAddrPort(f.listen)
	if err != nil {
		return checkInput{}, fmt.Errorf("--listen %s: write an address and a port, for example 127.0.0.1:%d",
			f.listen, msl.Port)
	}
	listener, err := net.ListenTCP("tcp", net.TCPAddrFromAddrPort(addr))
	if err != nil {
		return checkInput{}, err
	}
	defer listener.Close()
	input := checkInput{Name: listener.Addr().String(), Kind: liveStations}
	fmt.Fprintf(progress, "waiting for base stations on %s for %v\n", listener.Addr(), f.live)
	if input.Cards, err = checknet.Stations(ctx, listener, time.Now().Add(f.live)); err != nil {
		return input, err
	}
	slices.SortFunc(input.Cards, func(a, b check.StationReport) int { return cmp.Compare(a.Team, b.Team) })
	input.sumUp()
	return input, nil
}

// print writes the report as text.
func (r *checkReport) print(out io.Writer) error {
	var b strings.Builder
	sum := check.Report{Formats: map[string]uint64{}}
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
		for name, n := range input.Report.Formats {
			sum.Formats[name] += n
		}
		sum.Wrong += input.Report.Wrong
		sum.Packets += input.Report.Packets
	}
	checked := sum.Checked()
	switch {
	case !packets:
	case sum.Wrong > 0:
		fmt.Fprintf(&b, "WRONG: %d of %s (%s)\n", sum.Wrong, check.Plural(sum.Packets, "packet"), checked)
	case r.OK:
		fmt.Fprintf(&b, "OK: no faults in %s\n", checked)
	case len(sum.Formats) > 0:
		fmt.Fprintf(&b, "NOT CHECKED: one input has no packet of a known format; no faults in %s of the others\n", checked)
	default:
		fmt.Fprintf(&b, "NOT CHECKED: no packet of a known format among %s; --kind says what they are: %s\n",
			check.Plural(sum.Packets, "packet"), kindNames())
		if len(r.Inputs) == 1 && r.Inputs[0].Kind == string(capture.Datagram) {
			fmt.Fprintf(&b, "If the file is not a datagram, it is none of the kinds that check reads: %s\n", fileKinds)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// printNotes writes what is irregular about the file.
func (i *checkInput) printNotes(b *strings.Builder) {
	for _, note := range i.Notes {
		fmt.Fprintf(b, "  %s\n", wire.Printable(note))
	}
}

// printPackets writes the packets of one input as text.
func (i *checkInput) printPackets(b *strings.Builder) {
	fmt.Fprintf(b, "%s (%s): %s\n", wire.Printable(i.Name), i.Kind, check.Plural(i.Report.Packets, "packet"))
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
	if i.Kind == livePackets && i.Report.Packets == 0 {
		b.WriteString("  no packets received: check --interface, --group and --tcm, and that a robot sends\n")
	}
	for k := range i.Report.Senders {
		i.Report.Senders[k].WriteText(b)
	}
}

// printCards writes the report cards of one input as text.
func (i *checkInput) printCards(b *strings.Builder) {
	fmt.Fprintf(b, "%s (%s):\n", wire.Printable(i.Name), i.Kind)
	i.printNotes(b)
	var verdicts []string
	var messages uint64
	ok := true
	for k := range i.Cards {
		c := &i.Cards[k]
		c.WriteText(b)
		messages += c.Messages
		ok = ok && c.OK
		faults := c.Faults()
		if c.Error != "" {
			faults++
		}
		if faults > 0 {
			verdicts = append(verdicts, fmt.Sprintf("%s has %s", wire.Printable(c.Team), check.Plural(faults, "fault")))
		}
	}
	switch {
	case len(verdicts) > 0:
		fmt.Fprintf(b, "WRONG: %s\n", strings.Join(verdicts, ", "))
	case len(i.Cards) == 0 && i.Kind == liveStations:
		b.WriteString("NOT CHECKED: no base station connected: check the address that it uses, and firewalls\n")
	case len(i.Cards) == 0:
		b.WriteString("NOT CHECKED: no message of a base station, and no packet\n")
	case !ok:
		fmt.Fprintf(b, "NOT CHECKED: one team sent no message; no faults in %s of the others\n", check.Plural(messages, "message"))
	default:
		fmt.Fprintf(b, "OK: no faults in %s\n", check.Plural(messages, "message"))
	}
}

// writePage writes the report as a page to a file, or to out for "-".
func (r *checkReport) writePage(name string, out io.Writer) error {
	var page check.Page
	var names []string
	var packets strings.Builder
	for i := range r.Inputs {
		input := &r.Inputs[i]
		names = append(names, wire.Printable(filepath.Base(input.Name)))
		for _, c := range input.Cards {
			page.Cards = append(page.Cards, check.PageCard{Input: wire.Printable(input.Name), StationReport: c})
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
