package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/internal/check/checknet"
	"touchline/internal/console"
	"touchline/internal/control"
	"touchline/internal/monitor"
	"touchline/internal/refbox"
	"touchline/internal/refbox/refboxnet"
	"touchline/matchlog"
	"touchline/transport"
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

const refboxLong = `Refbox stands in for the league's RefBox: base stations connect to TCP port 28097, receive the
referee's commands and send their worldstates and events. The referee works in a browser, on the page whose link with
the token is printed first. A base station is identified by its address: 172.16.T.* is team T, and so is 127.0.0.T on
this machine. It gets nothing until the referee admits it; --home and --away admit their teams automatically.

A journal in --dir records every byte and every decision. After a crash, Ctrl-C or a power failure, the next start
resumes the game; --new begins another one. When the game ends, its log is in --dir and on the page /log, as a RefBox
zip.

Scripts use curl -H "Authorization: Bearer TOKEN" -d BODY http://127.0.0.1:8014/api/command/NAME with
  decide {"command":"FREEKICK","side":"home"}   preview with the same body: what would be sent
  admit {"conn":7,"side":"home"}   refuse {"conn":7}   release {"side":"home"}

To let other machines connect, give --listen and --http an address that they can reach. With --json the first line is
an object with the addresses (referee, scoreboard, teams, logs, baseStations), dir, token and resumed.`

func refboxCommand() *cobra.Command {
	f := refboxFlags{config: refboxnet.DefaultConfig()}
	f.config.Box.NewCard = checknet.NewRefBoxCard
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
		"address for base stations; an address other than loopback lets other machines connect")
	flags.IntVar(&cfg.Box.HomeID, "home", 0,
		"number of the team to admit automatically as home, for example 39")
	flags.IntVar(&cfg.Box.AwayID, "away", 0, "number of the team to admit automatically as away")
	console.Accept(flags, "the number of a team, 1 to 254, for example 39", "home", "away")
	flags.StringVar(&f.teams, "teams", "", "file with the team table (default: the league's; see --print-teams)")
	flags.StringVar(&f.rules, "rules", "", "file with the rules of a year (default: the 2026 rules; see --print-rules)")
	flags.BoolVar(&f.printTeams, "print-teams", false, "print the team table and exit")
	flags.BoolVar(&f.printRules, "print-rules", false, "print the rules and exit")
	flags.StringVar(&cfg.Dir, "dir", cfg.Dir, "folder for journals, logs and the token; created if it does not exist")
	flags.StringVar(&cfg.Box.Name, "name", cfg.Box.Name, "name of the field, shown on every page")
	flags.BoolVar(&cfg.Box.Resync, "resync", false,
		"send the state of the game to a base station that reconnects; RefBox 2.1 does not")
	flags.BoolVar(&cfg.Box.StrictUpstream, "strict-upstream", false,
		"count only worldstates that RefBox 2.1 would accept, to test a base station")
	flags.BoolVar(&cfg.New, "new", false, "begin a new game instead of resuming an unfinished one")
	flags.StringVar(&cfg.Token, "token", "",
		"the referee's token, at least 12 characters if other machines can reach the page (default: the token in --dir)")
	flags.StringVar(&f.clients, "score-clients", joined(cfg.ScoreClients),
		"comma-separated addresses that get the score over UDP; \"\": none")
	flags.StringVar(&f.follow, "follow", "",
		"run as standby for the referee box whose page is at HOST:PORT, with its --token; take over on the page")
	console.AddDuration(flags, &f.duration)
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

// run runs the command: as the referee box, as its standby, or to print a table.
func (f *refboxFlags) run(c *cobra.Command) error {
	out := c.OutOrStdout()
	if err := f.parse(); err != nil {
		return console.Usage(err)
	}
	if done, err := f.print(out); done {
		return err
	}
	record, err := f.record.open(console.Logger(c.ErrOrStderr()), map[string]string{
		matchlog.MetaField: f.config.Box.Name, matchlog.MetaSize: f.field.name,
		matchlog.MetaRules: refbox.PrintRules(f.config.Box.Rules),
	})
	if err != nil {
		return err
	}
	f.config.Tap = record.message
	if f.follow != "" {
		err = f.standBy(c, out)
	} else {
		err = f.referee(c, out)
	}
	return errors.Join(err, record.close())
}

// leastToken is the least length of a token on an address that other machines reach, in bytes.
const leastToken = 12

// checkToken refuses a token that others can guess; "" stands for a random one. from names where it is from.
func (f *refboxFlags) checkToken(token, from string) error {
	if token == "" || !f.page.beyondLoopback() || len(token) >= leastToken {
		return nil
	}
	return console.Usage(fmt.Errorf("%s has %d characters, and --http %s is reached by other machines: a token needs at "+
		"least %d there; without one a random token is created", from, len(token), f.page.http, leastToken))

}

// referee runs a referee box until the context of the command ends.
func (f *refboxFlags) referee(c *cobra.Command, out io.Writer) error {
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	if err := f.checkToken(f.config.Token, "--token"); err != nil {
		return err
	}
	box, err := refboxnet.New(f.config, console.Logger(c.ErrOrStderr()))
	if err == nil {
		err = box.Open(ctx)
	}
	if err != nil {
		return console.Usage(err)
	}
	if err := f.checkToken(box.Token(), "the token in "+f.config.Dir); err != nil {
		box.Close()
		return err
	}
	page, err := f.page.open(refereePage(box, box.Token()))
	if err != nil {
		box.Close()
		return err
	}
	box.Changed = refreshReferee(page.server)
	if err := f.printAddresses(out, box, page); err != nil {
		box.Close()
		page.listener.Close()
		return err
	}
	if err := serveReferee(ctx, page, box); err != nil {
		return err
	}
	if f.json || box.Over() {
		return nil
	}
	_, err = fmt.Fprintln(out, "the game is not over: the next start resumes it; touchline refbox --new begins another one")
	return err
}

// serveReferee runs a referee box or its standby with its page until ctx ends.
func serveReferee(ctx context.Context, page *page, box interface {
	refereeBox
	Run(context.Context) error
}) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return page.serve(ctx) })
	group.Go(func() error { return box.Run(ctx) })
	page.publish(ctx, group, refereeTopics(box)...)
	return group.Wait()
}

// addresses is the output of --json.
type addresses struct {
	Referee      string `json:"referee"`
	Scoreboard   string `json:"scoreboard"`
	Teams        string `json:"teams"`
	Logs         string `json:"logs"`
	BaseStations string `json:"baseStations"`
	Dir          string `json:"dir"`
	Token        string `json:"token"`
	Resumed      string `json:"resumed"` // the resumed game; "" for a new one
}

// printAddresses prints the pages and the address for base stations.
func (f *refboxFlags) printAddresses(out io.Writer, box *refboxnet.Server, page *page) error {
	at := addresses{
		page.url + "referee#token=" + box.Token(), page.url + "scoreboard", page.url + "teams", page.url + "log",
		box.Addr().String(), f.config.Dir, box.Token(), box.Resumed(),
	}
	var b strings.Builder
	if f.json {
		if err := console.JSONEncoder(&b).Encode(at); err != nil {
			return err
		}
	} else {
		if at.Resumed != "" {
			fmt.Fprintf(&b, "resuming game %s\n", at.Resumed)
		}
		fmt.Fprintf(&b, "referee:       %s\nscoreboard:    %s\nteams:         %s\n"+
			"logs:          %s\nbase stations: %s\n",
			at.Referee, at.Scoreboard, at.Teams, at.Logs, at.BaseStations)
		if host, _, _ := net.SplitHostPort(at.BaseStations); netip.MustParseAddr(host).IsLoopback() {
			fmt.Fprintf(&b, "               (this machine only; for others give --listen an address that they reach)\n")
		}
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("cannot print the addresses: %w", err)
	}
	return nil
}

// standBy copies the journal of another referee box until it takes over.
func (f *refboxFlags) standBy(c *cobra.Command, out io.Writer) error {
	if !c.Flags().Changed("dir") {
		f.config.Dir += "-copy" // both may run on one machine
	}
	ctx, cancel, err := console.Limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	if err := f.checkToken(f.config.Token, "--token"); err != nil {
		return err
	}
	standby, err := refboxnet.NewStandby(f.config, f.follow, console.Logger(c.ErrOrStderr()))
	if err != nil {
		return console.Usage(err)
	}
	page, err := f.page.open(refereePage(standby, f.config.Token))
	if err != nil {
		return err
	}
	standby.Changed = refreshReferee(page.server)
	if err := f.printStandby(out, page); err != nil {
		page.listener.Close()
		return err
	}
	err = serveReferee(ctx, page, standby)
	if errors.Is(err, refboxnet.ErrToken) {
		return console.Usage(fmt.Errorf("--token: %w", err))
	}
	return err
}

// standbyAddresses is what a standby prints as JSON at its start.
type standbyAddresses struct {
	Dir        string `json:"dir"`     // folder of the copied journal
	Follows    string `json:"follows"` // HOST:PORT of the referee box
	Referee    string `json:"referee"` // addresses of the pages
	Scoreboard string `json:"scoreboard"`
}

// printStandby prints the pages of the standby.
func (f *refboxFlags) printStandby(out io.Writer, page *page) error {
	referee := page.url + "referee#token=" + f.config.Token
	if f.json {
		return console.JSONEncoder(out).Encode(standbyAddresses{f.config.Dir, f.follow, referee, page.url + "scoreboard"})
	}
	_, err := fmt.Fprintf(out, "standby of the referee box at %s; its journal is copied to %s\n"+
		"referee:       %s\n               (take over there if the referee box fails; base stations then connect to %s)\n",
		f.follow, f.config.Dir, referee, f.config.Listen)
	return err
}

const errReferee = monitor.Forbidden("only the referee may do this: open the page with the link that was printed at the " +
	"start; it carries the token")

// refereeBox is a referee box or its standby, as its page needs it.
type refereeBox interface {
	Commands() control.Table
	Handlers(authorised func(*http.Request) bool) map[string]http.Handler
	Snapshot(topic string) any
}

// refereePage returns the page of a referee box or its standby, whose commands and private topics need the token.
func refereePage(box refereeBox, token string) monitor.Config {
	cfg := monitor.DefaultConfig()
	cfg.Pages, cfg.Private = matchPages, refboxnet.Private
	cfg.Guard = monitor.NewGuard(token, transport.Trust)
	cfg.Handlers = box.Handlers(cfg.Guard.Authorised)
	cfg.Handlers["GET /api/token"] = cfg.Guard.Local()
	cfg.Commands = box.Commands().Around(func(r control.Request, do func() (any, error)) (any, error) {
		if !r.Authorised {
			return nil, errReferee
		}
		return do()
	})
	return cfg
}

// refereeTopics returns the topics of the pages of a referee box or its standby.
func refereeTopics(box refereeBox) []topic {
	var topics []topic
	for name, period := range refboxnet.Topics() {
		topics = append(topics, topic{name, period, box.Snapshot})
	}
	return topics
}

// refreshReferee shows a decision on the pages at once.
func refreshReferee(page *monitor.Server) func() {
	return func() {
		page.Refresh("refbox")
		page.Refresh("referee")
	}
}
