// Package watchnet watches the mixed team packages on a real network. Its Monitor runs a watch.Watcher on a receiver.
package watchnet

import (
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/mixedteam"
)

// Config describes what a Monitor watches.
type Config struct {
	Network transport.Config // the receiver's. Default the mixed teams' group on the loopback interface
	Field   soccer.Field     // the field that the page draws. Default 18 x 12 m
	// Flags are the flags besides --interface that the page repeats in the command for a user who receives nothing, ""
	// or with a leading blank. Default ""
	Flags string
}

// DefaultConfig returns the configuration of a monitor on the loopback interface.
func DefaultConfig() Config {
	return Config{
		Network: transport.DefaultConfig(netip.MustParseAddrPort(mixedteam.Group)), Field: soccer.MSL18x12(),
	}
}

// Monitor shows what a receiver receives: a tile for each sender, and the fusion of all packets of the cyan side and of
// those without a colour. It sends nothing.
type Monitor struct {
	receiver *transport.Receiver
	inbox    *transport.Inbox
	log      *slog.Logger
	flags    string
	clock    soccer.Clock

	mu       sync.Mutex
	core     *watch.Monitor
	used     string    // the interface in use
	reported time.Time // when the core last made a report
}

// New returns a Monitor of r.
func New(cfg Config, r *transport.Receiver, log *slog.Logger) *Monitor {
	m := &Monitor{
		receiver: r, inbox: transport.NewInbox(), log: log, flags: cfg.Flags, clock: soccer.NewClock(time.Now()),
	}
	observed, link := watch.DefaultConfig(), LinkOf(cfg.Network, r.Degraded())
	observed.Group, observed.Start, observed.Field = cfg.Network.Group.String(), m.clock.Start, cfg.Field
	m.used = link.Interface
	m.core = watch.NewMonitor(observed, link)
	return m
}

// Run receives packets until ctx ends, and closes the receiver.
func (m *Monitor) Run(ctx context.Context) error {
	for _, missing := range m.receiver.Degraded() {
		m.log.Info(missing)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return m.inbox.Receive(ctx, 0, m.receiver, nil) })
	group.Go(func() error { m.loop(ctx); return nil })
	return group.Wait()
}

func (m *Monitor) loop(ctx context.Context) {
	ticker := time.NewTicker(watch.NetworkPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-m.inbox.C:
			m.receive(a)
			m.inbox.Release(a)
		case <-ticker.C:
			m.mu.Lock()
			if now := time.Now(); now.Sub(m.reported) >= 2*watch.NetworkPeriod { // no page watches the network
				m.report(now)
			}
			m.mu.Unlock()
		}
	}
}

func (m *Monitor) receive(a *transport.Arrival) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a.Packet.Time = m.clock.At(a.At)
	m.core.Receive(&a.Packet)
}

// report requires m.mu.
func (m *Monitor) report(now time.Time) watch.Network {
	m.reported = now
	return m.core.Report(m.clock.At(now), m.receiver.Drops()+m.inbox.Lost())
}

// Wall returns the topic "wall", a *watch.Wall. It may be called from any goroutine.
func (m *Monitor) Wall(string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.At(time.Now())
	w := m.core.Wall(now)
	w.Silence = SilenceOf(m.core.SilentFor(now), m.used, m.flags)
	return w
}

// Network returns the topic "network", a watch.Network. It may be called from any goroutine.
func (m *Monitor) Network(string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.report(time.Now())
}

// Packets returns a topic "packets/KEY", a watch.PacketView, or nil for an unknown sender. It may be called from any
// goroutine.
func (m *Monitor) Packets(topic string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	if view, ok := m.core.Packets(strings.TrimPrefix(topic, "packets/")); ok {
		return view
	}
	return nil
}
