// Package sslnet serves the simulator of package ssl: the simulation protocol on three UDP ports, and vision by multicast.
package sslnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/internal/ssl"
	"touchline/transport"
	wire "touchline/wire/ssl"
)

// Config is a served simulator.
type Config struct {
	Game      ssl.Config
	Host      netip.Addr    // address of the ports. Default 127.0.0.1
	Port      uint16        // for SimulatorCommand; blue's and yellow's are the next two; 0 takes three free ones. Default 10300
	Vision    string        // group and port of vision, "" for none. Default 224.5.23.2:10020
	Tracker   string        // group and port of the truth as a tracker's packets, "" for none. Default none
	Interface string        // of multicast. Default "", the loopback interface
	Rate      float64       // vision packets a second of simulated time. Default 60
	Speed     float64       // relative to real time; 0 waits for requests of the synchronous mode. Default 1
	Duration  time.Duration // of simulated time; 0: no limit. Default 0
	SyncTeam  wire.Team     // of the robot commands in synchronous requests to Port. Default blue
}

// DefaultConfig returns division B on the ports of the league, on the loopback interface.
func DefaultConfig() Config {
	return Config{Game: ssl.DefaultConfig(), Host: netip.AddrFrom4([4]byte{127, 0, 0, 1}), Port: wire.ControlPort,
		Vision: wire.VisionSimGroup, Rate: 60, Speed: 1, SyncTeam: wire.Blue}
}

// Server is a simulator on the network.
type Server struct {
	Config Config
	Log    *slog.Logger

	conns [3]*net.UDPConn // control, blue, yellow
	wake  chan struct{}

	mu       sync.Mutex // guards all below
	session  *ssl.Session
	vision   *transport.Sender // nil: none
	tracker  *transport.Sender // nil: none
	port     uint32            // of vision, as a client asked for
	waits    bool              // for requests of the synchronous mode
	speed    float64
	frames   uint64
	counts   Counts
	packet   wire.Vision
	tracked  wire.Tracker
	buf      []byte
	lastSent time.Time
}

// Counts is what a server did.
type Counts struct {
	Commands  uint64 `json:"commands"`  // packets to the control port
	Controls  uint64 `json:"controls"`  // packets of teams
	Syncs     uint64 `json:"syncs"`     // requests of the synchronous mode
	Errors    uint64 `json:"errors"`    // that were answered
	Frames    uint64 `json:"frames"`    // vision packets
	Simulated int64  `json:"simulated"` // ns of simulated time
}

// New returns a simulator without sockets; Open opens them. The error names the first wrong field of cfg.
func New(cfg Config, log *slog.Logger) (*Server, error) {
	if !(cfg.Rate >= 1 && cfg.Rate <= 1000) {
		return nil, fmt.Errorf("ssl: %g vision packets a second: want 1 to 1000", cfg.Rate)
	}
	if !(cfg.Speed >= 0 && cfg.Speed <= ssl.MaxRate) {
		return nil, fmt.Errorf("ssl: speed %g: want 0 to %d", cfg.Speed, ssl.MaxRate)
	}
	if cfg.Port > 65533 {
		return nil, fmt.Errorf("ssl: port %d: the two ports of the teams follow it, want at most 65533", cfg.Port)
	}
	session, err := ssl.New(cfg.Game)
	if err != nil {
		return nil, err
	}
	return &Server{Config: cfg, Log: log, session: session, speed: cfg.Speed, waits: cfg.Speed == 0,
		wake: make(chan struct{}, 1)}, nil
}

// Open opens all sockets. Close closes them.
func (s *Server) Open() (err error) {
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	for range 20 { // attempts to find three free ports in a row
		if err = s.openPorts(); err == nil || s.Config.Port != 0 || !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	if err != nil {
		return err
	}
	if s.vision, err = s.dial(s.Config.Vision, 0); err == nil {
		s.tracker, err = s.dial(s.Config.Tracker, 0)
	}
	return err
}

func (s *Server) openPorts() error {
	port := s.Config.Port
	for i := range s.conns {
		at := netip.AddrPortFrom(s.Config.Host, port)
		conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(at))
		if err != nil {
			s.closePorts()
			if errors.Is(err, syscall.EADDRINUSE) {
				return fmt.Errorf("ssl: UDP %v is in use by another simulator; end it, or choose other ports with --port: %w", at, err)
			}
			return fmt.Errorf("ssl: UDP %v: %w", at, err)
		}
		_ = conn.SetReadBuffer(1 << 20) // a smaller buffer only loses more packets of a flood
		s.conns[i] = conn
		port = conn.LocalAddr().(*net.UDPAddr).AddrPort().Port() + 1
	}
	return nil
}

// dial opens a sender to a group, with another port if port is not 0; nil for no group.
func (s *Server) dial(group string, port uint32) (*transport.Sender, error) {
	if group == "" {
		return nil, nil
	}
	to, err := netip.ParseAddrPort(group)
	if err != nil {
		return nil, fmt.Errorf("ssl: %q: want a group and a port, for example %s", group, wire.VisionSimGroup)
	}
	if port != 0 {
		to = netip.AddrPortFrom(to.Addr(), uint16(port))
	}
	cfg := transport.DefaultConfig(to)
	cfg.Interface = s.Config.Interface
	return transport.Dial(cfg)
}

// Port returns the control port after Open.
func (s *Server) Port() uint16 { return s.conns[0].LocalAddr().(*net.UDPAddr).AddrPort().Port() }

func (s *Server) closePorts() {
	for i, c := range s.conns {
		if c != nil {
			c.Close()
			s.conns[i] = nil
		}
	}
}

// Close closes the sockets of Open. Run does so itself.
func (s *Server) Close() {
	s.closePorts()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sender := range []*transport.Sender{s.vision, s.tracker} {
		if sender != nil {
			sender.Close()
		}
	}
	s.vision, s.tracker = nil, nil
}

// Counts returns what the server did so far.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	c.Simulated = int64(s.session.Now().Sub(s.Config.Game.Start))
	return c
}

// Run serves until the context or the configured duration ends. Call Open before.
func (s *Server) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	group, ctx := errgroup.WithContext(ctx)
	for i, conn := range s.conns {
		group.Go(func() error { return s.serve(ctx, i, conn) })
	}
	group.Go(func() error {
		defer cancel()
		return s.tick(ctx)
	})
	group.Go(func() error {
		<-ctx.Done()
		for _, conn := range s.conns {
			_ = conn.SetReadDeadline(time.Unix(1, 0)) // fails only if it is closed already
		}
		return nil
	})
	err := group.Wait()
	s.Close()
	return err
}

// serve answers the packets to a port.
func (s *Server) serve(ctx context.Context, port int, conn *net.UDPConn) error {
	c := client{out: make([]byte, 0, 2048)} // an answer without errors is an empty datagram, not nil
	buf := make([]byte, transport.MaxDatagram)
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return nil
			}
			continue // a client's port was closed (ICMP)
		}
		answer := s.answer(port, &c, buf[:n])
		if answer == nil {
			continue
		}
		if _, err := conn.WriteToUDPAddrPort(answer, from); err != nil && ctx.Err() == nil {
			s.Log.Warn("ssl: an answer is lost", "to", from, "error", err)
		}
	}
}

// client is the memory for the packets to one port.
type client struct {
	command  wire.SimulatorCommand
	control  wire.RobotControl
	request  wire.SyncRequest
	simulate wire.SimulatorResponse
	feedback wire.RobotControlResponse
	response wire.SyncResponse
	out      []byte
}

// answer executes a packet to a port, and returns the answer; nil for none.
func (s *Server) answer(port int, c *client, b []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	team := [...]wire.Team{s.Config.SyncTeam, wire.Blue, wire.Yellow}[port]
	var m interface {
		AppendBinary([]byte) ([]byte, error)
	}
	switch {
	case wire.IsSync(b):
		s.sync(team, c, b)
		m = &c.response
	case port == 0:
		s.counts.Commands++
		c.simulate.Errors = c.simulate.Errors[:0]
		if err := c.command.UnmarshalBinary(b); err != nil {
			c.simulate.Errors = append(c.simulate.Errors, decodeError(err, wire.KindSimulatorCommand))
		} else {
			c.simulate.Errors = s.session.Command(&c.command)
			s.applied(c.command.HasSpeed)
		}
		s.counts.Errors += uint64(len(c.simulate.Errors))
		m = &c.simulate
	default:
		s.counts.Controls++
		c.feedback.Errors = c.feedback.Errors[:0]
		if err := c.control.UnmarshalBinary(b); err != nil {
			c.feedback.Errors = append(c.feedback.Errors, decodeError(err, wire.KindRobotControl))
		} else {
			c.feedback.Errors = s.session.Control(team, &c.control)
		}
		c.feedback.Feedback = s.session.Feedback(team, c.feedback.Feedback[:0])
		s.counts.Errors += uint64(len(c.feedback.Errors))
		m = &c.feedback
	}
	var err error
	if c.out, err = m.AppendBinary(c.out[:0]); err != nil {
		s.Log.Error("ssl: an answer cannot be encoded", "error", err)
		return nil
	}
	return c.out
}

func decodeError(err error, kind wire.Kind) wire.Error {
	return wire.Error{Code: []byte(ssl.CodeDecode), Text: fmt.Appendf(nil, "%v; this port takes %v and SimulationSyncRequest", err, kind)}
}

// sync executes a request of the synchronous mode. The simulation waits for the next one from then on. It requires s.mu.
func (s *Server) sync(team wire.Team, c *client, b []byte) {
	s.counts.Syncs++
	if err := c.request.UnmarshalBinary(b); err != nil {
		c.response = wire.SyncResponse{HasRobots: true,
			Robots: wire.RobotControlResponse{Errors: []wire.Error{decodeError(err, wire.KindSyncRequest)}}}
		s.counts.Errors++
		return
	}
	s.waits = true
	s.session.Sync(team, &c.request, &c.response)
	s.applied(false)
	s.counts.Errors += uint64(len(c.response.Robots.Errors))
	s.packet.Detection, s.packet.HasDetection = c.response.Detections[0], true
	s.send()
	s.packet.Detection = wire.Detection{}
	s.poke()
}

// applied takes over what a command changed of the server. It requires s.mu.
func (s *Server) applied(speed bool) {
	if speed {
		s.speed, s.waits = s.session.Speed(), false
		s.poke()
	}
	if port := s.session.VisionPort(); port != s.port {
		s.port = port
		if sender, err := s.dial(s.Config.Vision, port); err != nil {
			s.Log.Warn("ssl: vision keeps its port", "error", err)
		} else if sender != nil {
			s.vision.Close()
			s.vision = sender
		}
	}
}

// poke wakes the loop.
func (s *Server) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// send sends the vision packet, once a second of frames with the field, and the truth. It requires s.mu.
func (s *Server) send() {
	if s.packet.HasGeometry = s.frames%uint64(s.Config.Rate) == 0; s.packet.HasGeometry {
		s.packet.Geometry = s.session.Geometry()
	}
	s.frames++
	s.counts.Frames++
	if s.vision != nil {
		s.packet.Origin = 1 // another program
		s.emit(s.vision, &s.packet)
	}
	if s.tracker != nil {
		s.session.Track(&s.tracked)
		s.emit(s.tracker, &s.tracked)
	}
}

func (s *Server) emit(to *transport.Sender, m interface{ AppendBinary([]byte) ([]byte, error) }) {
	var err error
	if s.buf, err = m.AppendBinary(s.buf[:0]); err == nil {
		err = to.Send(s.buf)
	}
	if err != nil && time.Since(s.lastSent) > 10*time.Second {
		s.lastSent = time.Now()
		s.Log.Warn("ssl: multicast is lost", "error", err)
	}
}

// longestWait is how long the loop sleeps while nothing happens.
const longestWait = 50 * time.Millisecond

// tick steps the simulation in real time, and sends vision, until the duration ends.
func (s *Server) tick(ctx context.Context) error {
	period := time.Duration(float64(time.Second) / s.Config.Rate)
	due := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		s.mu.Lock()
		wait, now := longestWait, time.Now()
		switch {
		case s.waits || s.speed == 0:
			due = now
		case now.Before(due):
			wait = due.Sub(now)
		default:
			s.session.Step(period)
			s.session.Look(&s.packet.Detection)
			s.packet.HasDetection = true
			s.send()
			due = due.Add(time.Duration(float64(period) / s.speed))
			if now.Sub(due) > longestWait { // a machine that stalled continues where it was
				due = now
			}
			wait = max(0, due.Sub(now))
		}
		over := s.Config.Duration > 0 && s.session.Now() >= s.Config.Game.Start.Add(s.Config.Duration)
		s.mu.Unlock()
		if over {
			return nil
		}
		timer.Reset(min(wait, longestWait))
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-timer.C:
		}
	}
}
