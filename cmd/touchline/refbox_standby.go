package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"touchline/refbox/refboxnet"
)

// standBy copies the journal of another referee box until it takes over.
func (f *refboxFlags) standBy(c *cobra.Command, out io.Writer) error {
	if !c.Flags().Changed("dir") {
		f.config.Dir += "-copy" // both may run on one machine
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
	if err := f.printStandby(out, page); err != nil {
		page.listener.Close()
		return err
	}
	err = serveReferee(ctx, page, standby)
	if errors.Is(err, refboxnet.ErrToken) {
		return exitError{2, fmt.Errorf("--token: %w", err)}
	}
	return err
}

// printStandby prints the pages of the standby.
func (f *refboxFlags) printStandby(out io.Writer, page *page) error {
	referee := page.url + "referee#token=" + f.config.Token
	if f.json {
		return json.NewEncoder(out).Encode(map[string]string{
			"follows": f.follow, "referee": referee, "scoreboard": page.url + "scoreboard", "dir": f.config.Dir,
		})
	}
	_, err := fmt.Fprintf(out, "standby of the referee box at %s; its journal is copied to %s\n"+
		"referee:       %s\n               (take over there if the referee box fails; base stations then connect to %s)\n",
		f.follow, f.config.Dir, referee, f.config.Listen)
	return err
}
