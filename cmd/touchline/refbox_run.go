package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/matchlog"
	"touchline/refbox"
	"touchline/refbox/refboxnet"
)

// run runs the command: as the referee box, as its standby, or to print a table.
func (f *refboxFlags) run(c *cobra.Command) error {
	out := c.OutOrStdout()
	if err := f.parse(); err != nil {
		return exitError{2, err}
	}
	if done, err := f.print(out); done {
		return err
	}
	record, err := f.record.open(logger(c.ErrOrStderr()), map[string]string{
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

// referee runs a referee box until the context of the command ends.
func (f *refboxFlags) referee(c *cobra.Command, out io.Writer) error {
	ctx, cancel, err := limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	box, err := refboxnet.New(f.config, logger(c.ErrOrStderr()))
	if err == nil {
		err = box.Open(ctx)
	}
	if err != nil {
		return exitError{2, err}
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
		if err := json.NewEncoder(&b).Encode(at); err != nil {
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
		return fmt.Errorf("printing the addresses: %w", err)
	}
	return nil
}
