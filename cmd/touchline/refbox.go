package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/matchlog"
	"touchline/refbox"
	"touchline/refbox/refboxnet"
)

// refboxFlags is what the referee box can be told, as it is typed.
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

func refboxCommand() *cobra.Command {
	f := refboxFlags{config: refboxnet.DefaultConfig()}
	c := &cobra.Command{
		Use:   "refbox",
		Short: "Referee a Middle Size League match",
		Long: `Refbox takes the place of the league's RefBox: base stations connect to TCP port 28097, hear the referee's commands and
send their worldstates and events; the referee works in a browser, at the address with the token that is printed first.
A base station is known by its address: 172.16.T.* is team T, and on this machine 127.0.T.* is. It is sent nothing until
the referee takes it in, or at once where --home and --away name the teams.

Every byte and decision is kept in a journal in --dir. After a crash, a Ctrl-C or a loss of power the next start goes on
with the same game; --new begins another one. At its end the game's log lies there as the RefBox's zip, and on /log.

Besides the page there is curl -H "Authorization: Bearer TOKEN" -d BODY http://127.0.0.1:8014/api/command/NAME with
  decide {"command":"FREEKICK","side":"home"}   preview, the same: what would be sent
  admit {"conn":7,"side":"home"}   refuse {"conn":7}   release {"side":"home"}

Others on the network reach it only where --listen and --http name an address that they reach. With --json the first line
is an object with the addresses: referee, scoreboard, teams, logs, baseStations; and dir, token, resumed.`,
		Example: `  touchline refbox --home 39 --away 63
  touchline refbox --listen 172.16.1.2:28097 --http 172.16.1.2:8014 --name 'Field A'
  touchline refbox --follow 172.16.1.2:8014 --token TOKEN --listen 172.16.1.2:28097     the second laptop
  touchline refbox --print-teams > teams.json
  touchline refbox --teams teams.json
  curl -H "Authorization: Bearer TOKEN" -d '{"command":"STOP"}' http://127.0.0.1:8014/api/command/decide`,
		RunE: func(c *cobra.Command, _ []string) error { return runRefbox(c, &f) },
	}
	flags, cfg := c.Flags(), &f.config
	f.page.add(flags)
	f.field.add(flags)
	f.field.name = "22x14" // which report cards judge by
	flags.Lookup("field").DefValue = f.field.name
	f.record.add(flags)
	flags.StringVar(&cfg.Listen, "listen", cfg.Listen, "where base stations connect; an address beyond this machine lets others in")
	flags.IntVar(&cfg.Box.HomeID, "home", 0, "number of the team that is taken in as home without a click, for example 39")
	flags.IntVar(&cfg.Box.AwayID, "away", 0, "number of the team that is taken in as away without a click")
	flags.StringVar(&f.teams, "teams", "", "file with the team table (default: the league's; see --print-teams)")
	flags.StringVar(&f.rules, "rules", "", "file with the year's rules (default: those of 2026; see --print-rules)")
	flags.BoolVar(&f.printTeams, "print-teams", false, "print the team table and end")
	flags.BoolVar(&f.printRules, "print-rules", false, "print the rules and end")
	flags.StringVar(&cfg.Dir, "dir", cfg.Dir, "folder of journals, logs and the token; created where it is not there")
	flags.StringVar(&cfg.Box.Name, "name", cfg.Box.Name, "name of the field, shown on every page")
	flags.BoolVar(&cfg.Box.Resync, "resync", false, "tell a base station that comes back where the game is; the RefBox 2.1 does not")
	flags.BoolVar(&cfg.Box.StrictUpstream, "strict-upstream", false, "judge worldstates as the RefBox 2.1 does, for teams to test with")
	flags.BoolVar(&cfg.New, "new", false, "begin a new game, even where the last one was not finished")
	flags.StringVar(&cfg.Token, "token", "", "the referee's token (default: the one in --dir, made at the first start)")
	flags.StringVar(&f.clients, "score-clients", joined(cfg.ScoreClients), "where the score goes over UDP, separated by commas; \"\" for nowhere")
	flags.StringVar(&f.follow, "follow", "", "keep a copy of another referee box instead, HOST:PORT of its page (with its --token); the page takes over")
	addDuration(flags, &f.duration)
	accept(flags, "the number of a team, 1 to 254, for example 39", "home", "away")
	flags.BoolVar(&f.json, "json", false, "print the addresses as JSON")
	return c
}

func joined(addresses []netip.AddrPort) string {
	var b strings.Builder
	for i, a := range addresses {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(a.String())
	}
	return b.String()
}

// parse turns what was typed into the configuration.
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

func runRefbox(c *cobra.Command, f *refboxFlags) error {
	out := c.OutOrStdout()
	if err := f.parse(); err != nil {
		return exitError{2, err}
	}
	switch {
	case f.printTeams:
		_, err := io.WriteString(out, refbox.PrintTeams(f.config.Box.Teams))
		return err
	case f.printRules:
		_, err := io.WriteString(out, refbox.PrintRules(f.config.Box.Rules))
		return err
	}
	record, err := f.record.open(logger(c.ErrOrStderr()), map[string]string{
		matchlog.MetaField: f.config.Box.Name, matchlog.MetaSize: f.field.name, matchlog.MetaRules: refbox.PrintRules(f.config.Box.Rules),
	})
	if err != nil {
		return err
	}
	f.config.Tap = record.message
	if f.follow != "" {
		err = runFollow(c, f)
	} else {
		err = f.referee(c, out)
	}
	return errors.Join(err, record.close())
}

// referee runs a referee box until the context of the command ends.
func (f *refboxFlags) referee(c *cobra.Command, out io.Writer) error {
	ctx, cancel, err := limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	live, err := refboxnet.New(f.config, logger(c.ErrOrStderr()))
	if err != nil {
		return exitError{2, err}
	}
	if err := live.Open(ctx); err != nil {
		return exitError{2, err}
	}
	page, err := f.page.open(refereePage(live, live.Token()))
	if err != nil {
		live.Close()
		return err
	}
	live.Changed = refreshReferee(page.server)
	if err := f.begin(out, live, page); err != nil {
		live.Close()
		page.listener.Close()
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return page.serve(ctx) })
	group.Go(func() error { return live.Run(ctx) })
	page.publish(ctx, group, refereeTopics(live)...)
	if err := group.Wait(); err != nil {
		return err
	}
	if f.json || live.Over() {
		return nil
	}
	_, err = fmt.Fprintln(out, "the game is not over: the next start goes on with it, touchline refbox --new begins another")
	return err
}

// begin prints where everything is.
func (f *refboxFlags) begin(out io.Writer, live *refboxnet.Server, page *page) error {
	at := struct {
		Referee      string `json:"referee"`
		Scoreboard   string `json:"scoreboard"`
		Teams        string `json:"teams"`
		Logs         string `json:"logs"`
		BaseStations string `json:"baseStations"`
		Dir          string `json:"dir"`
		Token        string `json:"token"`
		Resumed      string `json:"resumed"` // the game that goes on; "" for a new one
	}{
		page.url + "referee#token=" + live.Token(), page.url + "scoreboard", page.url + "teams", page.url + "log",
		live.Addr().String(), f.config.Dir, live.Token(), live.Resumed(),
	}
	var b strings.Builder
	if f.json {
		if err := json.NewEncoder(&b).Encode(at); err != nil {
			return err
		}
	} else {
		if at.Resumed != "" {
			fmt.Fprintf(&b, "going on with game %s\n", at.Resumed)
		}
		fmt.Fprintf(&b, "referee:       %s\nscoreboard:    %s\nteams:         %s\nlogs:          %s\nbase stations: %s\n",
			at.Referee, at.Scoreboard, at.Teams, at.Logs, at.BaseStations)
		if host, _, _ := net.SplitHostPort(at.BaseStations); netip.MustParseAddr(host).IsLoopback() {
			fmt.Fprintf(&b, "               (this machine only; --listen names an address that teams reach)\n")
		}
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("the addresses cannot be printed: %w", err)
	}
	return nil
}
