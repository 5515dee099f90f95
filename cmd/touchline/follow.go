package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"touchline/refbox/refboxnet"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// runFollow keeps a copy of another referee box until it takes over.
func runFollow(c *cobra.Command, f *refboxFlags) error {
	if !c.Flags().Changed("dir") {
		f.config.Dir += "-copy" // the first laptop's folder on the same machine is another one
	}
	ctx, cancel, err := limited(c.Context(), f.duration)
	if err != nil {
		return err
	}
	defer cancel()
	standby, err := refboxnet.NewStandby(f.config, f.follow, logger(c.ErrOrStderr()))
	if err != nil {
		return exitError{2, err}
	}
	page, err := f.page.open(refereePage(standby, f.config.Token))
	if err != nil {
		return err
	}
	standby.Changed = refreshReferee(page.server)
	if err := f.beginFollow(c.OutOrStdout(), page); err != nil {
		page.listener.Close()
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return page.serve(ctx) })
	group.Go(func() error { return standby.Run(ctx) })
	page.publish(ctx, group, refereeTopics(standby)...)
	err = group.Wait()
	if errors.Is(err, refboxnet.ErrToken) {
		return exitError{2, fmt.Errorf("--token: %w", err)}
	}
	return err
}

// beginFollow prints where the copy's pages are.
func (f *refboxFlags) beginFollow(out io.Writer, page *page) error {
	referee := page.url + "referee#token=" + f.config.Token
	if f.json {
		return json.NewEncoder(out).Encode(map[string]string{
			"follows": f.follow, "referee": referee, "scoreboard": page.url + "scoreboard", "dir": f.config.Dir,
		})
	}
	_, err := fmt.Fprintf(out, "a copy of the referee box at %s, in %s\nreferee:       %s\n               (take over there when the other one is gone; then %s is opened)\n",
		f.follow, f.config.Dir, referee, f.config.Listen)
	return err
}
