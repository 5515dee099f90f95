// Package hslgamenet runs a GameController for tests on a network: its sockets and its time.
package hslgamenet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/hslgame"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/hsl"
)

// stepPeriod is how often the game advances: messages leave up to this much late.
const stepPeriod = 20 * time.Millisecond

// simulated is the group to which robots of simulated games send (HSL GameController, README). A socket that joins it
// also receives what is broadcast to its port.
var simulated = netip.AddrFrom4([4]byte{239, 0, 0, 1})

// Config describes a Server.
type Config struct {
	Game      hslgame.Config // its Start is set by Open
	Interface string         // network interface. Default "", the loopback interface
	Shift     uint16         // added to all ports of the league, for two games on one machine. Default 0
}

// Server runs a game.
type Server struct {
	cfg       Config
	log       *slog.Logger
	clock     soccer.Clock
	inbox     *transport.Inbox
	receivers []*transport.Receiver // of return messages, requests, and the messages of both teams
	conn      *net.UDPConn
	broadcast netip.Addr

	mu     sync.Mutex
	core   *hslgame.Controller
	failed string // why the newest datagram was not sent
}

// Ways in which a datagram was received.
const (
	asReturn uint8 = iota
	asRequest
	asHome
	asAway
)

// Open opens the ports of the GameController. Only one program at a time receives return messages at an address.
func Open(cfg Config, log *slog.Logger) (*Server, error) {
	s := &Server{cfg: cfg, log: log, clock: soccer.NewClock(time.Now()), inbox: transport.NewInbox()}
	cfg.Game.Start = s.clock.Start
	var err error
	if s.core, err = hslgame.New(cfg.Game); err != nil {
		return nil, err
	}
	if err = s.open(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) open() error {
	own, err := transport.Address(s.cfg.Interface)
	if err != nil {
		return err
	}
	s.broadcast = broadcastOf(own)
	for _, port := range [...]uint16{hsl.ReturnPort, hsl.RequestPort} {
		at := netip.AddrPortFrom(own, port+s.cfg.Shift)
		conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
		if err != nil {
			return fmt.Errorf("hslgamenet: cannot listen on %v: another GameController runs on this machine: end it, "+
				"or add --shift-ports 1000 here and in the other programs of this game (%w)", at, err)
		}
		s.receivers = append(s.receivers, transport.NewReceiver(conn, at.String()))
	}
	for _, number := range s.cfg.Game.Teams {
		network := transport.DefaultConfig(netip.AddrPortFrom(simulated, hsl.TeamPort+uint16(number)+s.cfg.Shift))
		network.Interface = s.cfg.Interface
		network.ThisMachine = s.cfg.Interface == "" && runtime.GOOS != "linux" // on Linux the interface bounds it
		r, err := transport.Listen(network)
		if err != nil {
			return err
		}
		s.receivers = append(s.receivers, r)
	}
	s.conn, err = net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(own, 0)))
	if err != nil {
		return fmt.Errorf("hslgamenet: nothing can be sent from %v: %w", own, err)
	}
	return nil
}

// broadcastOf returns the broadcast address of the network of an address of this machine.
func broadcastOf(own netip.Addr) netip.Addr {
	for _, p := range transport.Prefixes() {
		if a := p.Addr(); a.Is4() && (a == own || own.IsLoopback() && a.IsLoopback()) {
			b := a.As4()
			for bit := p.Bits(); bit < 32; bit++ {
				b[bit/8] |= 1 << (7 - bit%8)
			}
			return netip.AddrFrom4(b)
		}
	}
	return netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

// Broadcast returns the address and port to which control messages go.
func (s *Server) Broadcast() netip.AddrPort {
	return netip.AddrPortFrom(s.broadcast, hsl.ControlPort+s.cfg.Shift)
}

// Run plays the game until its end, or until ctx ends, and closes the ports.
func (s *Server) Run(ctx context.Context) error {
	defer s.Close()
	ctx, end := context.WithCancel(ctx)
	defer end()
	group, ctx := errgroup.WithContext(ctx)
	for i, r := range s.receivers {
		group.Go(func() error { return s.inbox.Receive(ctx, uint8(i), r, nil) })
	}
	group.Go(func() error { defer end(); s.loop(ctx); return nil })
	return group.Wait()
}

func (s *Server) loop(ctx context.Context) {
	ticker := time.NewTicker(stepPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-s.inbox.C:
			s.handle(a)
			s.inbox.Release(a)
		case <-ticker.C:
			s.mu.Lock()
			s.core.Step(s.clock.At(time.Now()))
			s.send(s.core.Take())
			over := s.core.Over()
			s.mu.Unlock()
			if over {
				return
			}
		}
	}
}

// handle passes a datagram to the core, and sends what it forwards.
func (s *Server) handle(a *transport.Arrival) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, from := s.clock.At(a.At), a.Packet.From.Addr().Unmap()
	switch a.To {
	case asReturn:
		s.core.Return(now, from, a.Packet.Data)
	case asRequest:
		s.core.Request(now, from, a.Packet.Data)
	case asHome, asAway:
		s.core.TeamMessage(from, s.cfg.Game.Teams[a.To-asHome], a.Packet.Data)
	}
	s.send(s.core.Take())
}

// send sends datagrams. It requires s.mu.
func (s *Server) send(all []hslgame.Out) {
	for _, o := range all {
		to := netip.AddrPortFrom(o.To, o.Port+s.cfg.Shift)
		if !o.To.IsValid() {
			to = netip.AddrPortFrom(s.broadcast, to.Port())
		}
		_, err := s.conn.WriteToUDPAddrPort(o.Data, to)
		if err == nil || errors.Is(err, net.ErrClosed) {
			continue
		}
		if why := err.Error(); why != s.failed {
			s.failed = why
			s.log.Warn("a message was not sent", "to", to, "why", why)
		}
	}
}

// Report returns what was heard until now.
func (s *Server) Report() hslgame.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Report()
}

// Close closes the ports. Run does so itself.
func (s *Server) Close() {
	for _, r := range s.receivers {
		r.Close()
	}
	if s.conn != nil {
		s.conn.Close()
	}
}
