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

// probeTimeout is the time that Probe waits for its own packet, which takes microseconds if multicast works.
const probeTimeout = 500 * time.Millisecond

// Probe checks whether multicast works on the interface named iface, "" for loopback. It sends a packet to itself, on
// the mixed teams' group (Mixed Team Package v2) and a free port, with a TTL of 0 so that the packet stays on this
// machine. The error says why multicast does not work and which command fixes it. Probe takes half a second at most.
func Probe(ctx context.Context, iface string) error {
	cfg := DefaultConfig(netip.AddrPortFrom(netip.AddrFrom4([4]byte{224, 16, 32, 75}), 0))
	cfg.Interface, cfg.TTL = iface, 0
	r, err := Listen(cfg)
	if err != nil {
		return err
	}
	defer r.Close()
	wait, cancel := context.WithTimeout(ctx, probeTimeout)
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
			return fmt.Errorf("transport: the multicast probe was cancelled: %w", ctx.Err())
		case errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("transport: a packet to %s on %s did not return within %v: a firewall drops it%s",
				cfg.Group, s.ifi.Name, probeTimeout, remedy(firewall, s.ifi, 0))
		case err != nil:
			return err
		case bytes.Equal(p.Data, nonce):
			return nil
		}
	}
}
