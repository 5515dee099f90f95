package booklab

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

	"touchline/lab/rivals"
	"touchline/monitor"
)

// The page of --page: its address, unless that is taken, and how often its chart is renewed.
const (
	pageAddress = "127.0.0.1:8014"
	pagePeriod  = 500 * time.Millisecond
	pageSeeds   = 100 // games for each point, unless --seeds says otherwise
)

// pageLosses are the shares of lost messages of the chart.
var pageLosses = []float64{0, 0.1, 0.3, 0.5}

// Chart is the topic "chart" of the page.
type Chart struct {
	Reports []rivals.Report `json:"reports"` // of the batches that are complete
	Batches int             `json:"batches"`
	Playing string          `json:"playing"` // "lease, 30 % lost"
	Games   int             `json:"games"`   // of the batch that is played
	Seeds   int             `json:"seeds"`   // of a batch
}

// charted plays batches and shows their figures as they come. Its methods may be called from any goroutine.
type charted struct {
	mu    sync.Mutex
	chart Chart
}

// snapshot returns the topic "chart".
func (c *charted) snapshot(string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	chart := c.chart
	chart.Reports = append([]rivals.Report{}, chart.Reports...)
	return chart
}

// change changes the chart.
func (c *charted) change(f func(*Chart)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.chart)
}

// play plays the batches.
func (c *charted) play(ctx context.Context, batches []rivals.Config) error {
	for i := range batches {
		cfg := &batches[i]
		c.change(func(chart *Chart) {
			chart.Batches, chart.Seeds, chart.Games = len(batches), cfg.Seeds, 0
			chart.Playing = fmt.Sprintf("%s, %.0f %% lost", cfg.Protocol, 100*cfg.Loss)
		})
		r, err := rivals.Run(ctx, *cfg, func(done int) { c.change(func(chart *Chart) { chart.Games = done }) })
		if err != nil {
			return err
		}
		c.change(func(chart *Chart) { chart.Reports = append(chart.Reports, r) })
	}
	return nil
}

// serveChart plays the batches and serves their chart until ctx ends.
func serveChart(ctx context.Context, batches []rivals.Config, out io.Writer) error {
	l, err := net.Listen("tcp", pageAddress)
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return fmt.Errorf("the chart has no port on this machine: %w", err)
	}
	var c charted
	cfg := monitor.DefaultConfig()
	cfg.Pages = []string{"chart"}
	cfg.Handlers = map[string]http.Handler{"GET /api/chart": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(c.snapshot("").(Chart).Reports) // after a failed write the page is gone
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
// that saves messages is another thing: its crash gaps are ten times as long.
func (f *flags) chart(set *pflag.FlagSet, named []rivals.Name) (names []rivals.Name, networks [][2]float64) {
	if !set.Changed("seeds") {
		f.cfg.Seeds = pageSeeds
	}
	if names = named; !set.Changed("protocol") {
		names = slices.DeleteFunc(rivals.Names(), func(n rivals.Name) bool { return n == rivals.Budget })
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
