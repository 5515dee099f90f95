package matchnet

import (
	"context"
	"net"

	"touchline/internal/match"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/watch/watchnet"
	"touchline/transport"
	"touchline/transport/traffic"
)

// Open opens all sockets. If multicast does not work on the loopback interface, the session runs in memory and the page
// says why; on an interface that the caller named, Open returns the error.
func (s *Session) Open(ctx context.Context) error {
	trouble := transport.Probe(ctx, s.cfg.Network.Interface)
	if ctx.Err() != nil {
		trouble = nil // the probe was cancelled, and Run ends at once
	}
	if trouble != nil && s.cfg.Network.Interface != "" {
		return trouble
	}
	if err := s.open(trouble); err != nil {
		return err
	}
	if !s.cfg.Match.NoTCM {
		if err := s.openTCM(); err != nil {
			s.Close()
			return err
		}
	}
	var err error
	if s.robots, err = s.supervise(); err != nil {
		s.Close()
		return err
	}
	if s.cfg.RefBox == nil {
		return nil
	}
	if err := s.openReferee(ctx); err != nil {
		s.Close()
		return err
	}
	return nil
}

// open opens the participants' sockets and the monitor's, in memory if there is trouble with multicast.
func (s *Session) open(trouble error) error {
	s.link = watchnet.LinkOf(s.cfg.Network, nil)
	if trouble != nil {
		s.log.Warn("multicast does not work here, the session runs in memory", "why", trouble)
		s.link.Trouble, s.link.Interface = trouble.Error(), "memory"
		var err error
		if s.memory, err = transport.NewMemory(traffic.Link{}, s.cfg.Match.Seed); err != nil {
			return err
		}
	}
	numbers := []uint8{match.Monitor}
	for _, p := range match.Participants() {
		numbers = append(numbers, p.Number)
	}
	for _, number := range numbers {
		if err := s.openOne(number); err != nil {
			s.Close()
			return err
		}
	}
	return nil
}

// openOne opens the sockets of one participant, or the one of the monitor.
func (s *Session) openOne(number uint8) error {
	r, conn, err := s.listen()
	if err != nil {
		return err
	}
	s.receivers[number] = r
	switch {
	case number == match.Monitor:
		r.Tap, s.link.Missing = s.cfg.Tap, r.Degraded()
	case conn != nil:
		s.senders[number] = transport.NewSender(conn, s.cfg.Network.Group)
		s.core.Bind(number, conn.LocalAddr().(*net.UDPAddr).AddrPort())
	default:
		sender, err := transport.Dial(s.cfg.Network)
		if err != nil {
			return err
		}
		s.senders[number] = sender
		s.core.Bind(number, sender.LocalAddr())
	}
	return nil
}

// listen opens a socket that receives the robots' packages; conn is nil unless it is in memory.
func (s *Session) listen() (r *transport.Receiver, conn *transport.MemoryConn, err error) {
	if s.memory == nil {
		r, err = transport.Listen(s.cfg.Network)
		return r, nil, err
	}
	if conn, err = s.memory.Listen(s.cfg.Network.Group); err != nil {
		return nil, nil, err
	}
	return transport.NewReceiver(conn, s.cfg.Network.Group.String()), conn, nil
}

// RefBox returns the referee box after Open, nil if there is none.
func (s *Session) RefBox() *refboxnet.Server {
	if s.referee == nil {
		return nil
	}
	return s.referee.box.Server
}

// Close closes what Open opened. Run does so at its end.
func (s *Session) Close() {
	if s.referee != nil {
		s.referee.close()
	}
	if s.tcm != nil {
		s.tcm.close()
	}
	for _, sender := range s.senders {
		sender.Close()
	}
	for _, r := range s.receivers {
		r.Close()
	}
}
