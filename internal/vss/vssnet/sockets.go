package vssnet

import (
	"net"
	"net/netip"
	"time"

	"touchline/transport"
)

// sockets are the sockets of a Server.
type sockets struct {
	commands []*transport.Receiver
	at       netip.AddrPort // address of the first of commands for clients on this machine
	names    string         // addresses of commands, separated by commas
	vision   []*visionTarget
	players  []*remote
	groups   []*groupListener
	services []net.Listener
	referee  *transport.Sender // nil: the built-in referee sends nothing

	refereeTo netip.AddrPort
}

// Open opens all sockets. Where multicast does not work it logs the reason and continues without; invalid addresses and
// a port that is in use are errors.
func (s *Server) Open() error {
	err := s.open()
	if err != nil {
		s.Close()
	}
	return err
}

func (s *Server) open() error {
	if err := s.openCommands(); err != nil {
		return err
	}
	for _, to := range s.Config.Vision {
		if err := s.openVision(to); err != nil {
			return err
		}
	}
	for _, to := range s.Config.SSLVision {
		if err := s.openVision(to); err != nil {
			return err
		}
		s.net.vision[len(s.net.vision)-1].ssl = &translator{}
	}
	for team, rung := range s.Config.Builtin {
		if rung != "" && s.teams[team] == nil {
			if err := s.openPlayer(team); err != nil {
				return err
			}
		}
	}
	return s.openReferee()
}

// CommandsAt returns the addresses for UDP commands after Open, separated by commas.
func (s *Server) CommandsAt() string { return s.net.names }

// interrupt ends all reads.
func (n *sockets) interrupt() {
	past := time.Unix(1, 0)
	for _, r := range n.commands {
		_ = r.SetReadDeadline(past) // fails only if it is closed already
	}
	for _, e := range n.groups {
		_ = e.receiver.SetReadDeadline(past)
	}
	for _, p := range n.players {
		_ = p.conn.SetReadDeadline(past)
	}
}

// Close closes the sockets of Open. Run does so itself.
func (s *Server) Close() {
	n := &s.net
	s.closeCommands()
	for _, e := range n.vision {
		if e.sender != nil {
			e.sender.Close()
		}
	}
	for _, p := range n.players {
		p.conn.Close()
	}
	for _, e := range n.groups {
		e.receiver.Close()
	}
	if n.referee != nil {
		n.referee.Close()
	}
}
