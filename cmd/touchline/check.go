package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"touchline/capture"
	"touchline/conform"
	"touchline/reportcard"
	"touchline/transport"
	"touchline/wire/mixedteam"
)

// exitError is an error with an exit code: 1 something was found (no text: the report said it), 2 misused or unreadable.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

// maxInput is how much of a capture or hex text is read, in bytes.
const maxInput = 1 << 30

// checkReport is what "touchline check --json" prints. Fields may be added, none change.
type checkReport struct {
	OK       bool           `json:"ok"` // of all inputs; the exit code is 0
	Inputs   []checkInput   `json:"inputs"`
	Findings []checkFinding `json:"findings"` // of all teams' cards
}

// checkFinding is a finding of a team's report card with the input that it is of.
type checkFinding struct {
	Input string `json:"input"`
	Side  string `json:"side"`
	reportcard.Finding
}

// checkInput is one file, or what was heard live.
type checkInput struct {
	Name    string              `json:"name"`    // as given; "-" is stdin; the group or address when live
	Kind    string              `json:"kind"`    // "capture", "hex", "datagram", "live"; "zip", "mcap", "team log", "messages", "live base stations"
	Skipped capture.Skipped     `json:"left"`    // frames of a capture that were not checked
	Dropped uint64              `json:"dropped"` // live: packets that the kernel lost
	Report  conform.Report      `json:"report"`  // of mixed team packages; of base stations only ok and packets (messages)
	Cards   []reportcard.Report `json:"cards"`   // of base stations, team by team
}

// stations reports whether the input is of base stations, not of mixed team packages.
func (i *checkInput) stations() bool {
	switch i.Kind {
	case "capture", "hex", "datagram", "live":
		return false
	}
	return true
}

type checkFlags struct {
	json   bool
	html   string
	live   time.Duration
	group  string
	iface  string
	listen string
}

func checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check [FILE|-]...",
		Short: "Say what is wrong with what teams sent: worldstates, logs, mixed team packages",
		Long: `Check reads what base stations and robots sent and says what is wrong with it: each fault with the clause that it
breaks, how often it came, the first place that has it and what to do instead. Notes are worth knowing, but forbidden by
nothing.

A FILE, or - for stdin, is one of these; check looks which:
  a log       the zip of a referee box (2016, 2.x), a team's .A.msl or .B.msl, or a log of touchline (.mcap): the report
              card of each team: rate, gaps, times, keys, ranges, units, frame, stuck ball
  messages    worldstates and events as JSON: one, or several closed by NULs as a base station sends them
  a capture   pcap or pcapng up to 1 GiB: the UDP datagrams to port 2005 or to 224.16.32.75, or those to --group
  hex         "7b02..." or "7b 02 ...", # begins a comment. Datagrams are parted by empty lines; where the first line of
              a block holds 64 bytes or more, each line is a datagram. The files of wire/vectors are read too
  a datagram  the bytes themselves, one datagram a file
The last three are of mixed team packages (v1, v2, and v2 with a compiler's padding), sender by sender; hex may be of
messages as well.

With --live, it listens to mixed team packages on a network; with --live and --listen it plays a referee box for so long:
base stations connect, hear WELCOME, and what they send is checked.

The exit code is 0 when nothing is wrong, 1 when something is or there was nothing to check, 2 when an input cannot be
read or the command line is wrong.`,
		Example: `  touchline check 20160703_155014.zip
  touchline check --html report.html match.zip
  touchline check worldstate.json
  touchline check --live 10s --listen 127.0.0.1:28097
  touchline check capture.pcapng
  tcpdump -i eth0 -w - -c 1000 udp port 2005 | touchline check -
  touchline check --live 5s --interface eth0
  touchline check --json match.zip | jq '.findings[] | select(.note | not) | {team, rule, count}'`,
		RunE: func(c *cobra.Command, args []string) error {
			report, err := f.check(c.Context(), args, c.InOrStdin(), c.ErrOrStderr())
			if err != nil {
				return exitError{2, err}
			}
			switch {
			case f.json:
				e := json.NewEncoder(c.OutOrStdout())
				e.SetIndent("", "  ")
				err = e.Encode(report)
			case f.html != "-":
				err = report.print(c.OutOrStdout())
			}
			if f.html != "" && err == nil {
				err = report.writePage(f.html, c.OutOrStdout())
			}
			if err != nil {
				return err
			}
			if !report.OK {
				return exitError{code: 1}
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.json, "json", false, "print the report as JSON")
	flags.StringVar(&f.html, "html", "", "write the report to this FILE as a page, too; - prints the page instead")
	flags.DurationVar(&f.live, "live", 0, "listen for so long instead of reading files")
	flags.StringVar(&f.group, "group", "", "only datagrams to this ADDR:PORT (live: "+mixedteam.Group+")")
	flags.StringVar(&f.listen, "listen", "", "live: play a referee box on this ADDR:PORT, as 127.0.0.1:28097")
	flags.StringVar(&f.iface, "interface", "", "live: the network interface (default loopback)")
	return c
}

// check reads every input.
func (f *checkFlags) check(ctx context.Context, args []string, in io.Reader, progress io.Writer) (checkReport, error) {
	report := checkReport{OK: true, Findings: []checkFinding{}}
	var group netip.AddrPort
	if f.group != "" {
		var err error
		if group, err = netip.ParseAddrPort(f.group); err != nil {
			return report, fmt.Errorf("--group %s: write it like %s", f.group, mixedteam.Group)
		}
	}
	switch {
	case f.live < 0:
		return report, fmt.Errorf("--live %v: give a time such as 5s", f.live)
	case f.live > 0 && len(args) > 0:
		return report, errors.New("--live listens to the network: leave out the files, or --live")
	case f.json && f.html == "-":
		return report, errors.New("--json and --html - both print to stdout: name a file, --html report.html")
	case f.live == 0 && f.listen != "":
		return report, errors.New("--listen goes with --live, for example --live 10s")
	case f.listen != "" && (f.iface != "" || f.group != ""):
		return report, errors.New("--listen is for base stations, --group and --interface are for mixed team packages: leave out one of them")
	case f.listen != "":
		input, err := f.accept(ctx, progress)
		report.add(input)
		return report, err
	case f.live == 0 && f.iface != "":
		return report, errors.New("--interface goes with --live, for example --live 5s")
	case f.live == 0 && len(args) == 0:
		return report, errors.New("nothing to check: name a FILE, or - for stdin, or listen with --live 5s; see --help")
	case f.live > 0:
		if !group.IsValid() {
			group = netip.MustParseAddrPort(mixedteam.Group)
		}
		input, err := f.hear(ctx, group, progress)
		report.add(input)
		return report, err
	}
	for _, name := range args {
		input, err := checkFile(name, in, group)
		if err != nil {
			return report, fmt.Errorf("%s: %w", name, err)
		}
		report.add(input)
	}
	return report, nil
}

func (r *checkReport) add(input checkInput) {
	r.OK = r.OK && input.Report.OK
	if input.Cards == nil {
		input.Cards = []reportcard.Report{}
	}
	r.Inputs = append(r.Inputs, input)
	for _, c := range input.Cards {
		for _, f := range c.Findings {
			r.Findings = append(r.Findings, checkFinding{input.Name, c.Side, f})
		}
	}
}

// hear checks what comes from the network.
func (f *checkFlags) hear(ctx context.Context, group netip.AddrPort, progress io.Writer) (checkInput, error) {
	input := checkInput{Name: group.String(), Kind: "live"}
	cfg := transport.DefaultConfig(group)
	cfg.Interface = f.iface
	receiver, err := transport.Listen(cfg)
	if err != nil {
		return input, err
	}
	stop := context.AfterFunc(ctx, func() { receiver.Close() })
	defer stop()
	defer receiver.Close()
	if err := receiver.SetReadDeadline(time.Now().Add(f.live)); err != nil {
		return input, err
	}
	fmt.Fprintf(progress, "listening to %s for %v\n", group, f.live)
	var checker conform.Checker
	for buf := make([]byte, transport.MaxDatagram); ; {
		p, err := receiver.ReadPacket(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil {
			return input, err
		}
		checker.Add(&p)
	}
	input.Dropped, input.Report = receiver.Drops(), checker.Report()
	return input, nil
}

// checkFile checks one file, of whatever format it is.
func checkFile(name string, in io.Reader, group netip.AddrPort) (input checkInput, err error) {
	file := os.Stdin
	if name != "-" {
		file, err = os.Open(name)
		if err != nil {
			return input, errors.Unwrap(err)
		}
		defer file.Close()
		in = file
	}
	r := bufio.NewReader(&atMost{in, maxInput})
	format, err := capture.Sniff(r)
	switch {
	case err != nil:
		return input, err
	case format == capture.Gzip:
		return input, errors.New("is compressed: unpack it first, gunzip -c FILE | touchline check -")
	case !format.Packets():
		return checkLog(name, format, file, r)
	}
	accept := capture.ToMixedTeam
	if group.IsValid() {
		accept = func(to netip.AddrPort) bool { return to == group }
	}
	packets, err := capture.NewReader(r, accept)
	if err != nil {
		return input, err
	}
	if format == capture.HexMessages {
		return checkHexMessages(name, packets)
	}
	var checker conform.Checker
	for {
		p, err := packets.Next()
		if err != nil && err != io.EOF {
			return input, err
		}
		if err == io.EOF {
			return checkInput{Name: name, Kind: string(format), Skipped: packets.Skipped, Report: checker.Report()}, nil
		}
		checker.Add(&p)
	}
}

// atMost refuses to read on after left bytes.
type atMost struct {
	r    io.Reader
	left int64
}

func (a *atMost) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, errors.New("is longer than 1 GiB: cut it, for example with editcap -c 1000000 IN OUT")
	}
	n, err := a.r.Read(p[:min(int64(len(p)), a.left)])
	a.left -= int64(n)
	return n, err
}

// print writes the report for people.
func (r *checkReport) print(out io.Writer) error {
	var b strings.Builder
	var packages, wrong, packets uint64
	others := false
	for i := range r.Inputs {
		input := &r.Inputs[i]
		if input.stations() {
			input.printCards(&b)
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
