package transport

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"
)

// probeWait is how long Probe waits for its own packet, which takes microseconds where multicast works.
const probeWait = 500 * time.Millisecond

// Probe tries whether multicast works on the interface called iface ("" for loopback): it sends a packet to itself, on
// the mixed teams' group (seed 000) and a free port, with a TTL of 0 so that it stays in this machine. The error says in
// plain words why it does not work and which command mends it. It takes half a second at most.
func Probe(ctx context.Context, iface string) error {
	cfg := DefaultConfig(netip.AddrPortFrom(netip.AddrFrom4([4]byte{224, 16, 32, 75}), 0))
	cfg.Interface, cfg.TTL = iface, 0
	r, err := Listen(cfg)
	if err != nil {
		return err
	}
	defer r.Close()
	wait, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	defer context.AfterFunc(wait, func() { r.SetReadDeadline(time.Unix(1, 0)) })()

	if cfg.Group, err = netip.ParseAddrPort(r.Channel()); err != nil {
		return fmt.Errorf("transport: %w", err)
	}
	s, err := Dial(cfg)
	if err != nil {
		return err
	}
	defer s.Close()
	nonce := []byte(rand.Text())
	if err := s.Send(nonce); err != nil {
		return err
	}
	buf := make([]byte, 2*len(nonce))
	for {
		p, err := r.ReadPacket(buf)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("transport: the probe of multicast was broken off: %w", ctx.Err())
		case errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("transport: a packet to %s on %s does not come back within %v: a firewall drops it%s", cfg.Group, s.ifi.Name, probeWait, mend(firewall, s.ifi, 0))
		case err != nil:
			return err
		case bytes.Equal(p.Data, nonce):
			return nil
		}
	}
}
