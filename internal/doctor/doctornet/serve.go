package doctornet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"golang.org/x/sync/errgroup"

	"touchline/internal/doctor"
)

// Serve answers the requests of other machines on one interface until the context ends. It calls ready with its address
// when it does. An error names what prevents it.
func Serve(ctx context.Context, cfg *Config, ready func(netip.AddrPort, doctor.Interface)) error {
	var f doctor.Facts
	ifi, err := interfaces(&f, cfg.Interface)
	if err != nil {
		return err
	}
	at := f.Interface.IPv4().Addr()
	if !at.IsValid() || !f.Interface.Up {
		return fmt.Errorf("interface %s is down or has no IPv4 address: touchline doctor --interface %s names the fix",
			ifi.Name, ifi.Name)
	}
	unicast, err := openUnicast(ifi, netip.AddrPortFrom(at, cfg.Port), 1)
	if err != nil {
		return fmt.Errorf("UDP port %d is in use by another program or doctor: choose another one with --port: %w", cfg.Port, err)
	}
	defer unicast.conn.Close()
	group, err := openGroup(ifi, cfg.Group)
	if err != nil {
		return fmt.Errorf("cannot receive %v: touchline doctor --interface %s names the fix: %w", cfg.Group, ifi.Name, err)
	}
	defer group.conn.Close()
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	s := &server{Server: doctor.NewServer(secret), out: unicast, group: cfg.Group}
	defer context.AfterFunc(ctx, func() {
		unicast.conn.Close()
		group.conn.Close()
	})()
	ready(netip.AddrPortFrom(at, unicast.port), f.Interface)
	var both errgroup.Group
	both.Go(func() error { return s.serve(unicast, false) })
	both.Go(func() error { return s.serve(group, true) })
	return both.Wait()
}

// server is a doctor.Server with its sockets.
type server struct {
	mu sync.Mutex
	*doctor.Server
	out   *socket
	group netip.AddrPort
}

// serve answers what one socket receives until it is closed.
func (s *server) serve(in *socket, group bool) error {
	buf := make([]byte, 1<<16)
	for {
		n, ttl, from, err := in.read(buf)
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			continue // an answer found a closed port
		}
		s.answer(&doctor.Received{Data: buf[:n], From: from, Group: group, TTL: ttl, At: unixTime()})
	}
}

func (s *server) answer(r *doctor.Received) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out, group := s.Handle(r, unixTime())
	to := r.From
	if group {
		to = s.group
	}
	if out != nil {
		_ = s.out.write(out, to) // a datagram that is not sent counts as lost
	}
}
