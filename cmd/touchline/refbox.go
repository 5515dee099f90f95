package main

import (
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/refbox"
	"touchline/refbox/refboxnet"
)

// refboxFlags are the flags of touchline refbox.
type refboxFlags struct {
	config     refboxnet.Config
	page       pageFlags
	field      fieldFlag
	record     recordFlag
	teams      string
	rules      string
	clients    string
	follow     string
	printTeams bool
	printRules bool
	duration   time.Duration
	json       bool
}

const refboxLong = `Refbox takes the place of the league's RefBox: base stations connect to TCP port 28097, receive the
referee's commands and send their worldstates and events. The referee works in a browser, on the page whose link with
the token is printed first. A base station is recognised by its address: 172.16.T.* is team T, and on this machine
127.0.T.* is. It is sent nothing until the referee admits it, or at once if --home or --away names its team.

A journal in --dir records every byte and every decision. After a crash, Ctrl-C or a power loss the next start resumes
the game; --new begins another one. At its end --dir and the page /log have the game's log as the RefBox's zip.

Scripts use curl -H "Authorization: Bearer TOKEN" -d BODY http://127.0.0.1:8014/api/command/NAME with
  decide {"command":"FREEKICK","side":"home"}   preview with the same body: what would be sent
  admit {"conn":7,"side":"home"}   refuse {"conn":7}   release {"side":"home"}

To let other machines connect, give --listen and --http an address that they reach. With --json the first line is an
object with the addresses referee, scoreboard, teams, logs and baseStations, and with dir, token and resumed.`

func refboxCommand() *cobra.Command {
	f := refboxFlags{config: refboxnet.DefaultConfig()}
	c := &cobra.Command{
		Use:   "refbox",
		Short: "Referee a Middle Size League match",
		Long:  refboxLong,
		Example: `  touchline refbox --home 39 --away 63
  touchline refbox --listen 172.16.1.2:28097 --http 172.16.1.2:8014 --name 'Field A'
  touchline refbox --follow 172.16.1.2:8014 --token TOKEN --listen 172.16.1.2:28097     the second laptop
  touchline refbox --print-teams > teams.json
  touchline refbox --teams teams.json
  curl -H "Authorization: Bearer TOKEN" -d '{"command":"STOP"}' http://127.0.0.1:8014/api/command/decide`,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.add(c.Flags())
	return c
}

// add adds the flags of the command.
func (f *refboxFlags) add(flags *pflag.FlagSet) {
	cfg := &f.config
	f.page.add(flags)
	f.field.add(flags)
	f.field.name = "22x14" // of today's matches; report cards check positions against it
	flags.Lookup("field").DefValue = f.field.name
	f.record.add(flags)
	flags.StringVar(&cfg.Listen, "listen", cfg.Listen,
		"address for base stations; one beyond this machine lets others connect")
	flags.IntVar(&cfg.Box.HomeID, "home", 0,
		"number of the team that is admitted automatically as home, for example 39")
	flags.IntVar(&cfg.Box.AwayID, "away", 0, "number of the team that is admitted automatically as away")
	accept(flags, "the number of a team, 1 to 254, for example 39", "home", "away")
	flags.StringVar(&f.teams, "teams", "", "file with the team table (default: the league's; see --print-teams)")
	flags.StringVar(&f.rules, "rules", "", "file with the year's rules (default: those of 2026; see --print-rules)")
	flags.BoolVar(&f.printTeams, "print-teams", false, "print the team table and exit")
	flags.BoolVar(&f.printRules, "print-rules", false, "print the rules and exit")
	flags.StringVar(&cfg.Dir, "dir", cfg.Dir, "folder for journals, logs and the token; created if it does not exist")
	flags.StringVar(&cfg.Box.Name, "name", cfg.Box.Name, "name of the field on every page")
	flags.BoolVar(&cfg.Box.Resync, "resync", false,
		"send the state of the game to a base station that reconnects; RefBox 2.1 does not")
	flags.BoolVar(&cfg.Box.StrictUpstream, "strict-upstream", false,
		"count only the worldstates that RefBox 2.1 accepts, for tests of a team")
	flags.BoolVar(&cfg.New, "new", false, "begin a new game instead of resuming an unfinished one")
	flags.StringVar(&cfg.Token, "token", "",
		"the referee's token (default: the one in --dir, created at the first start)")
	flags.StringVar(&f.clients, "score-clients", joined(cfg.ScoreClients),
		"addresses that receive the score over UDP, separated by commas; \"\": none")
	flags.StringVar(&f.follow, "follow", "",
		"run as the standby of the referee box with its page at HOST:PORT, with its --token; the page takes over")
	addDuration(flags, &f.duration)
	flags.BoolVar(&f.json, "json", false, "print the addresses as JSON")
}

func joined(addresses []netip.AddrPort) string {
	texts := make([]string, len(addresses))
	for i, a := range addresses {
		texts[i] = a.String()
	}
	return strings.Join(texts, ",")
}

// parse fills in the configuration.
func (f *refboxFlags) parse() error {
	var err error
	if f.config.Box.Field, err = f.field.field(); err != nil {
		return err
	}
	if f.teams != "" {
		b, err := os.ReadFile(f.teams)
		if err == nil {
			f.config.Box.Teams, err = refbox.ParseTeams(b)
		}
		if err != nil {
			return fmt.Errorf("--teams %s: %w", f.teams, err)
		}
	}
	if f.rules != "" {
		b, err := os.ReadFile(f.rules)
		if err == nil {
			f.config.Box.Rules, err = refbox.ParseRules(b)
		}
		if err != nil {
			return fmt.Errorf("--rules %s: %w", f.rules, err)
		}
	}
	f.config.ScoreClients = nil
	for _, text := range strings.FieldsFunc(f.clients, func(r rune) bool { return r == ',' || r == ' ' }) {
		a, err := netip.ParseAddrPort(text)
		if err != nil {
			return fmt.Errorf("--score-clients %s: want addresses with ports, for example 127.0.0.1:12345", text)
		}
		f.config.ScoreClients = append(f.config.ScoreClients, a)
	}
	return nil
}

// print prints the team table or the rules if requested, and reports whether it did.
func (f *refboxFlags) print(out io.Writer) (done bool, err error) {
	switch {
	case f.printTeams:
		_, err = io.WriteString(out, refbox.PrintTeams(f.config.Box.Teams))
	case f.printRules:
		_, err = io.WriteString(out, refbox.PrintRules(f.config.Box.Rules))
	default:
		return false, nil
	}
	return true, err
}
