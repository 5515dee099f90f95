package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"touchline/internal/console"
	"touchline/internal/monitor"
)

// pairedLog is a log of the page that shows two. Its JSON is stable.
type pairedLog struct {
	Name string `json:"name"`
	Path string `json:"path"` // of its page, in the folder of this one
}

// showPair serves a page with two logs on one clock until the context ends. Each has its own pages in a folder, /a/ and /b/.
func (f *replayFlags) showPair(ctx context.Context, c *cobra.Command, names [2]string) error {
	cfg := monitor.DefaultConfig()
	cfg.Pages, cfg.Handlers = []string{"pair"}, map[string]http.Handler{}
	var shown [2]*shownLog
	var servers [2]*monitor.Server
	var logs [2]pairedLog
	for i, name := range names {
		s, err := openShown([]string{name})
		if err != nil {
			return err
		}
		defer s.close()
		s.annotated(&f.page)
		folder := "/" + [2]string{"a", "b"}[i]
		shown[i], logs[i] = s, pairedLog{filepath.Base(name), folder[1:] + "/" + s.path}
		h := http.StripPrefix(folder, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			servers[i].ServeHTTP(w, r)
		}))
		cfg.Handlers["GET "+folder+"/"], cfg.Handlers["POST "+folder+"/"] = h, h
	}
	cfg.Handlers["GET /api/pair"] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(logs) // the browser has gone
	})
	p, err := f.page.open(cfg)
	if err != nil {
		return err
	}
	for i, s := range shown {
		s.pages.Hosts, s.pages.Pages = p.hosts, append(s.pages.Pages, "up")
		servers[i] = monitor.New(s.pages)
		defer servers[i].Close()
	}
	url := p.url + "pair"
	if f.json {
		err = console.PrintJSON(c.OutOrStdout(), replayPage{url})
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "two logs: %s\n", url)
		f.page.browse(url, c.OutOrStdout(), console.Logger(c.ErrOrStderr()))
	}
	if err != nil {
		p.listener.Close()
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return p.serve(ctx) })
	for i, s := range shown {
		if s.replay != nil {
			(&page{server: servers[i]}).publish(ctx, group, sessionTopic(s.replay))
			group.Go(func() error { return s.replay.Run(ctx) })
		}
	}
	return group.Wait()
}
