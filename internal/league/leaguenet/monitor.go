// Package leaguenet runs monitors of other leagues on a real network: their ports, and the requests that a monitor must
// send.
package leaguenet

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/internal/league"
	"touchline/internal/watch/watchnet"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/hsl"
	"touchline/wire/ssl"
)

// requestPeriod is how often a monitor looks whether a request is due.
const requestPeriod = 250 * time.Millisecond

// sslGroups are those of the Small Size League.
var sslGroups = [...]string{ssl.RefereeGroup, ssl.TrackerGroup, ssl.VisionGroup, ssl.VisionSimGroup}

// simulated is the group to which robots of simulated games send (HSL GameController, README). A socket that joins it
// also receives what is broadcast or sent to its port.
var simulated = netip.AddrFrom4([4]byte{239, 0, 0, 1})

// Config describes a Monitor.
type Config struct {
	Interface      string       // network interface. Default "", the loopback interface
	GameController netip.Addr   // of HSL: its address. Default none: the one that control messages come from
	Field          soccer.Field // field that the page draws. Default, with Length 0: that of the division
	Shift          uint16       // added to all ports of the league, for two games on one machine. Default 0
	Flags          string       // further flags of the command that the page shows to a user who receives nothing
	// Tap receives each packet that arrives, as if it was sent to a port without the shift. It must neither block nor keep
	// the packet's data. Default nil
	Tap func(*soccer.Packet)
	// State receives states of the game for a log: changes at once, and one a second at least. Default nil
	State func(at soccer.Time, state []byte)
}

// Monitor shows a game. It sends monitor requests to the GameController of the Humanoid Soccer League, and nothing else.
type Monitor struct {
	cfg   Config
	name  string // of --league
	log   *slog.Logger
	clock soccer.Clock
	inbox *transport.Inbox
	ports []*transport.Receiver
	asks  *net.UDPConn // nil: the league knows no requests

	used    string         // the interface in use
	refused map[uint8]bool // teams whose port could not be opened

	mu    sync.Mutex
	core  *league.Monitor
	teams map[uint8]*transport.Receiver
	lost  uint64 // packets that closed receivers dropped
}

// OpenHSL opens the ports of the Humanoid Soccer League on an interface.
func OpenHSL(cfg Config, log *slog.Logger) (*Monitor, error) {
	m, err := open(cfg, log, "hsl", hslGroup(hsl.ControlPort), hslGroup(hsl.ForwardPort))
	if err != nil {
		return nil, err
	}
	own, err := transport.Address(cfg.Interface)
	if err == nil {
		m.asks, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(own, 0)))
	}
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("leaguenet: no monitor request can be sent: %w", err)
	}
	m.core = league.NewHSL(m.config(netip.AddrPortFrom(own, hsl.ControlPort+cfg.Shift)), cfg.GameController)
	return m, nil
}

// OpenSSL joins the groups of the Small Size League on an interface.
func OpenSSL(cfg Config, log *slog.Logger) (*Monitor, error) {
	var groups []netip.AddrPort
	for _, g := range sslGroups {
		groups = append(groups, netip.MustParseAddrPort(g))
	}
	m, err := open(cfg, log, "ssl", groups...)
	if err != nil {
		return nil, err
	}
	m.core = league.NewSSL(m.config(netip.AddrPortFrom(groups[0].Addr(), groups[0].Port()+cfg.Shift)))
	return m, nil
}

// open opens the ports of a league.
func open(cfg Config, log *slog.Logger, name string, groups ...netip.AddrPort) (*Monitor, error) {
	m := &Monitor{
		cfg: cfg, name: name, log: log, clock: soccer.NewClock(time.Now()), inbox: transport.NewInbox(),
		teams: map[uint8]*transport.Receiver{}, refused: map[uint8]bool{},
	}
	for _, g := range groups {
		r, err := m.listen(g)
		if err != nil {
			m.Close()
			return nil, err
		}
		m.ports = append(m.ports, r)
	}
	return m, nil
}

// config returns the configuration of the core. main is the address that the page shows.
func (m *Monitor) config(main netip.AddrPort) league.Config {
	link := watchnet.LinkOf(transport.Config{Group: main, Interface: m.cfg.Interface}, m.ports[0].Degraded())
	m.used = link.Interface
	return league.Config{Start: m.clock.Start, Link: link, Field: m.cfg.Field, Shift: m.cfg.Shift}
}

// hslGroup returns where a port of the Humanoid Soccer League listens.
func hslGroup(port uint16) netip.AddrPort { return netip.AddrPortFrom(simulated, port) }

// listen opens a port of the league. Several programs may listen to it: all receive what is broadcast, and one of them
// what is sent to this machine alone.
func (m *Monitor) listen(group netip.AddrPort) (*transport.Receiver, error) {
	network := transport.DefaultConfig(netip.AddrPortFrom(group.Addr(), group.Port()+m.cfg.Shift))
	network.Interface = m.cfg.Interface
	// On Linux the socket is bound to the interface.
	network.ThisMachine = m.cfg.Interface == "" && runtime.GOOS != "linux"
	r, err := transport.Listen(network)
	if err != nil {
		return nil, err
	}
	if r.Tap = m.cfg.Tap; m.cfg.Shift > 0 && m.cfg.Tap != nil {
		usual := group.String() // a log knows nothing of the shift
		r.Tap = func(p *soccer.Packet) {
			p.Channel = usual // the receiver passes a copy
			m.cfg.Tap(p)
		}
	}
	return r, nil
}

// Run receives packets until ctx ends, and closes the ports.
func (m *Monitor) Run(ctx context.Context) error {
	defer m.Close()
	group, ctx := errgroup.WithContext(ctx)
	for _, r := range m.ports {
		group.Go(func() error { return m.inbox.Receive(ctx, 0, r, nil) })
	}
	group.Go(func() error { return m.loop(ctx, group) })
	return group.Wait()
}

func (m *Monitor) loop(ctx context.Context, group *errgroup.Group) error {
	ticker := time.NewTicker(requestPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case a := <-m.inbox.C:
			m.receive(a)
			m.inbox.Release(a)
		case <-ticker.C:
			if m.asks != nil {
				m.ask()
				m.followTeams(ctx, group)
			}
		}
	}
}

// receive passes a packet to the core, and a new state to the log.
func (m *Monitor) receive(a *transport.Arrival) {
	a.Packet.Time = m.clock.At(a.At)
	m.mu.Lock()
	m.core.Receive(&a.Packet)
	state, due := game.State{}, false
	if m.cfg.State != nil {
		state, due = m.core.TakeState(a.Packet.Time)
	}
	m.mu.Unlock()
	if !due {
		return
	}
	data, err := json.Marshal(&state)
	if err != nil {
		m.log.Error("the state of the game cannot be recorded", "why", err)
		return
	}
	m.cfg.State(a.Packet.Time, data)
}

// ask sends a monitor request to the GameController if one is due.
func (m *Monitor) ask() {
	m.mu.Lock()
	to, due := m.core.Request(m.clock.At(time.Now()))
	m.mu.Unlock()
	if !due {
		return
	}
	b, _ := new(hsl.Request).AppendBinary(nil) // it never fails
	if _, err := m.asks.WriteToUDPAddrPort(b, netip.AddrPortFrom(to, hsl.RequestPort+m.cfg.Shift)); err != nil {
		m.log.Debug("a monitor request was not sent", "to", to, "why", err)
	}
}

// followTeams opens the ports of the two teams that play, and closes those of teams that do not.
func (m *Monitor) followTeams(ctx context.Context, group *errgroup.Group) {
	m.mu.Lock()
	defer m.mu.Unlock()
	numbers, known := m.core.Teams()
	if !known {
		return
	}
	for number, r := range m.teams {
		if number != numbers[0] && number != numbers[1] {
			m.lost += r.Drops()
			r.Close()
			delete(m.teams, number)
		}
	}
	for _, number := range numbers {
		if m.teams[number] != nil || m.refused[number] || number == hsl.NoTeam {
			continue
		}
		r, err := m.listen(hslGroup(hsl.TeamPort + uint16(number)))
		if err != nil {
			m.refused[number] = true
			m.log.Warn("the messages of a team are not counted", "team", number, "why", err)
			continue
		}
		m.teams[number] = r
		group.Go(func() error { return m.inbox.Receive(ctx, 0, r, nil) })
	}
}

// Close closes the ports. Run does so itself.
func (m *Monitor) Close() {
	for _, r := range m.ports {
		r.Close()
	}
	if m.asks != nil {
		m.asks.Close()
	}
}

// drops returns the number of packets that were lost before they were read. It requires m.mu.
func (m *Monitor) drops() uint64 {
	n := m.inbox.Lost() + m.lost
	for _, r := range m.ports {
		n += r.Drops()
	}
	for _, r := range m.teams {
		n += r.Drops()
	}
	return n
}

// Wall returns the topic "wall", a *watch.Wall. It may be called from any goroutine.
func (m *Monitor) Wall(string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock.At(time.Now())
	w := m.core.Wall(now)
	w.Silence = watchnet.SilenceOf(m.core.SilentFor(now), m.used, " --league "+m.name+m.cfg.Flags)
	return w
}

// Network returns the topic "network", a watch.Network. It may be called from any goroutine.
func (m *Monitor) Network(string) any {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.core.Report(m.clock.At(time.Now()), m.drops())
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
