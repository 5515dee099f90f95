package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"touchline/internal/lab"
	"touchline/internal/monitor"
)

// The page of --page: its address, unless that is taken, and how often its chart is renewed.
const (
	pageAddress = "127.0.0.1:8014"
	pagePeriod  = 500 * time.Millisecond
	pageSeeds   = 100 // games for each point, unless --seeds says otherwise
)

// pageLosses are the shares of lost messages of the chart.
var pageLosses = []float64{0, 0.1, 0.3, 0.5}

// charted plays batches and shows their figures as they come. Its methods may be called from any goroutine.
type charted struct {
	mu    sync.Mutex
	chart lab.Chart
}

// snapshot returns the topic "chart".
func (c *charted) snapshot(string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	chart := c.chart
	chart.Reports = append([]lab.RivalsReport{}, chart.Reports...)
	return chart
}

// change changes the chart.
func (c *charted) change(f func(*lab.Chart)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.chart)
}

// play plays the batches.
func (c *charted) play(ctx context.Context, batches []lab.RivalsConfig) error {
	for i := range batches {
		cfg := &batches[i]
		c.change(func(chart *lab.Chart) {
			chart.Batches, chart.Seeds, chart.Games = len(batches), cfg.Seeds, 0
			chart.Playing = fmt.Sprintf("%s, %.0f %% lost", cfg.Protocol, 100*cfg.Loss)
		})
		r, err := lab.RivalsRun(ctx, *cfg, func(done int) { c.change(func(chart *lab.Chart) { chart.Games = done }) })
		if err != nil {
			return err
		}
		c.change(func(chart *lab.Chart) { chart.Reports = append(chart.Reports, r) })
	}
	return nil
}

// serveChart plays the batches and serves their chart until ctx ends.
func serveChart(ctx context.Context, batches []lab.RivalsConfig, out io.Writer) error {
	l, err := net.Listen("tcp", pageAddress)
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return fmt.Errorf("the chart page cannot open a port on this machine: %w", err)
	}
	var c charted
	cfg := monitor.DefaultConfig()
	cfg.Pages = []string{"chart"}
	cfg.Handlers = map[string]http.Handler{"GET /api/chart": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(c.snapshot("").(lab.Chart).Reports) // after a failed write the page is gone
	})}
	pages := monitor.New(cfg)
	server := &http.Server{Handler: pages, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	if _, err := fmt.Fprintf(out, "chart: http://%s/ (Ctrl-C ends it)\n", l.Addr()); err != nil {
		l.Close()
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, func() {
		pages.Close()
		server.Close()
	})()
	group.Go(func() error {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("the chart's page stopped: %w", err)
		}
		return nil
	})
	group.Go(func() error { return pages.Every(ctx, "chart", pagePeriod, c.snapshot) })
	group.Go(func() error {
		if err := c.play(ctx, batches); err != nil && ctx.Err() == nil {
			return err
		}
		return nil
	})
	return group.Wait()
}

// chart returns what the page compares: the protocols at the losses of the chart, or those that the flags name. A team
// that saves messages is not among them: its crash gaps are ten times as long.
func (f *flags) chart(set *pflag.FlagSet, named []lab.RivalsName) (names []lab.RivalsName, networks [][2]float64) {
	if !set.Changed("seeds") {
		f.cfg.Seeds = pageSeeds
	}
	if names = named; !set.Changed("protocol") {
		names = slices.DeleteFunc(lab.Names(), func(n lab.RivalsName) bool { return n == lab.Budget })
	}
	losses := pageLosses
	if set.Changed("loss") {
		losses = []float64{f.cfg.Loss}
	}
	for _, loss := range losses {
		networks = append(networks, [2]float64{loss, f.cfg.Burst})
	}
	return names, networks
}
