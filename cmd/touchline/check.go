package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"touchline/capture"
	"touchline/conform"
	"touchline/reportcard"
	"touchline/wire/mixedteam"
)

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

// packets reports whether mixed team packages were expected in the input, or there are some.
func (i *checkInput) packets() bool {
	switch i.Kind {
	case "capture", "hex", "datagram", "live":
		return true
	}
	return len(i.Report.Senders) > 0
}

// stations reports whether messages of base stations were expected in the input.
func (i *checkInput) stations() bool {
	switch i.Kind {
	case "capture", "hex", "datagram", "live":
		return false
	}
	return len(i.Cards) > 0 || !i.packets()
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
