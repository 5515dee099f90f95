package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"touchline/internal/console"
	"touchline/internal/doctor"
	"touchline/internal/doctor/doctornet"
	"touchline/wire"
	"touchline/wire/mixedteam"
)

// doctorFlags is the command line of doctor.
type doctorFlags struct {
	net   doctornet.Config
	group string
	serve bool
	json  bool
}

func doctorCommand() *cobra.Command {
	var f doctorFlags
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why a machine receives no packets, and how to fix it",
		Long: `Doctor finds out why robots, or programs on this machine, receive nothing from the group. For each cause it
prints what it saw, what that means, and the command that fixes it; the root cause comes first. By itself it
needs no root and no second machine, and takes less than 5 s. It tests addresses, routes, the port and its owner, the
firewall, multicast to itself, group memberships, kernel filters and counters, MTU, VPN, containers, and what others
send to the group.

With --serve on one machine and --peer on another, the two exchange datagrams of 100, 169, 1,472 and 3,717 bytes for a
few seconds, by unicast and multicast, in both directions. Doctor then also finds client isolation, filtered
multicast, lost fragments, loss in one direction, duplicates and clocks that disagree. With --snooping it also finds a
switch that forgets group members.

Doctor sends only on the interface that --interface names. Replies of --serve are never longer than the requests.

The exit code is 0 if nothing is wrong, 1 if there is a fault, and 2 if the command line is wrong.`,
		Example: `  touchline doctor --interface eth0
  touchline doctor --interface eth0 --serve                       on one machine
  touchline doctor --interface wlan0 --peer 172.16.100.10         on the other one
  touchline doctor --interface eth0 --peer 172.16.100.10 --snooping
  touchline doctor --interface eth0 --json | jq -r '.findings[0].fix'`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.validate(c); err != nil {
				return console.Usage(err)
			}
			if f.serve {
				return f.answer(c.Context(), c.OutOrStdout())
			}
			return f.examine(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.net.Interface, "interface", "", "the network interface, for example eth0 (default loopback)")
	flags.StringVar(&f.group, "group", mixedteam.Group, "group and port of the robots, as ADDR:PORT")
	flags.StringVar(&f.net.Peer, "peer", "", "HOST that runs another doctor with --serve")
	flags.BoolVar(&f.serve, "serve", false, "answer doctor --peer from another machine until Ctrl-C")
	flags.Uint16Var(&f.net.Port, "port", doctornet.Port, "UDP port of doctor --serve")
	flags.DurationVar(&f.net.Snooping, "snooping", 0,
		"with --peer: watch whether multicast stops, for 3 minutes or the given time, for example --snooping=5m")
	flags.Lookup("snooping").NoOptDefVal = "3m"
	flags.BoolVar(&f.json, "json", false, "print the report as JSON")
	return c
}

// validate returns the first error in the command line.
func (f *doctorFlags) validate(c *cobra.Command) error {
	var err error
	f.net.Group, err = netip.ParseAddrPort(f.group)
	switch {
	case err != nil || !f.net.Group.Addr().Is4() || !f.net.Group.Addr().IsMulticast() || f.net.Group.Port() == 0:
		return fmt.Errorf("--group %.60s: want a group from 224.0.0.0 to 239.255.255.255 and a port, for example %s",
			wire.Printable(f.group), mixedteam.Group)
	case f.serve && f.net.Peer != "":
		return errors.New("--serve runs on one machine and --peer on the other: remove one of them")
	case f.serve && f.json:
		return errors.New("--serve prints no report: remove --json")
	case f.net.Port == 0:
		return errors.New("--port 0: want a port from 1 to 65535")
	case c.Flags().Changed("snooping") && (f.net.Snooping < 5*time.Second || f.net.Snooping > 10*time.Minute):
		return fmt.Errorf("--snooping %v: want a time from 5s to 10m", f.net.Snooping)
	}
	if f.net.Peer == "" {
		return needs(c, "peer", "snooping")
	}
	return nil
}

// answer serves the doctor of another machine.
func (f *doctorFlags) answer(ctx context.Context, out io.Writer) error {
	err := doctornet.Serve(ctx, &f.net, func(at netip.AddrPort, ifi doctor.Interface) {
		port := ""
		if f.net.Port != doctornet.Port {
			port = fmt.Sprintf(" --port %d", f.net.Port)
		}
		fmt.Fprintf(out, "serving on %s (%s) until Ctrl-C; on the other machine run, with its interface for IF:\n"+
			"  touchline doctor --interface IF --peer %s%s\n", at, ifi.Name, at.Addr(), port)
	})
	if err != nil {
		return console.Usage(err)
	}
	return nil
}

// examine examines this machine and prints what is wrong.
func (f *doctorFlags) examine(ctx context.Context, out, errs io.Writer) error {
	began := time.Now()
	if console.Terminal(errs) {
		f.net.Progress = func(text string) { fmt.Fprintln(errs, text+" …") }
	}
	facts, notes, err := doctornet.Examine(ctx, &f.net)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: the diagnosis is not complete")
	case err != nil:
		return console.Usage(err)
	}
	findings := doctor.Diagnose(facts)
	r := doctor.Report{
		OK: len(findings) == 0, Interface: facts.Interface.Name, Group: facts.Group, Findings: findings,
		Notes: append(doctor.Notes(facts), notes...), Peer: facts.Peer, Seconds: time.Since(began).Seconds(),
	}
	if f.json {
		err = console.PrintJSON(out, &r)
	} else {
		err = printDoctor(out, &r)
	}
	if err == nil && !r.OK {
		return console.Finding()
	}
	return err
}

// printDoctor prints a report for people.
func printDoctor(out io.Writer, r *doctor.Report) error {
	for i, x := range r.Findings {
		fmt.Fprintf(out, "%d. %s\n   seen:  %s\n   means: %s\n", i+1, x.Cause, x.Seen, x.Means)
		if x.Fix != "" {
			fmt.Fprintf(out, "   fix:   %s\n          (%s)\n", x.Fix, x.Where)
		} else {
			fmt.Fprintf(out, "   fix:   %s\n", x.Where)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(out, "note: %s\n", wire.Printable(n))
	}
	if r.Peer != nil && r.Peer.Answered {
		printStreams(out, r.Peer)
	}
	what := "nothing is wrong"
	if !r.OK {
		what = fmt.Sprintf("%d found; fix the first one and run doctor again", len(r.Findings))
	}
	_, err := fmt.Fprintf(out, "%s, %v: %s (%.1f s)\n", r.Interface, r.Group, what, r.Seconds)
	return err
}

// printStreams prints what the streams between two machines gave.
func printStreams(out io.Writer, p *doctor.Peer) {
	fmt.Fprintf(out, "%s: clock %+.1f ms, round trip %.2f ms\n", p.Host, p.Offset.Seconds()*1000, p.RTT.Seconds()*1000)
	fmt.Fprintln(out, "                bytes   sent  there   back  twice  TTL there, here")
	for _, s := range p.Streams {
		fmt.Fprintf(out, "%-14s %6d %6d %6d %6d %6d  %d, %d\n", s.Kind, s.Size, s.Sent, s.PeerGot, s.Got, s.PeerTwice+s.Twice,
			s.PeerTTL, s.TTL)
	}
}
