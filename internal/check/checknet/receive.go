// Package checknet feeds checks from outside: with packets from the network, with the messages of base stations that
// connect, and with those of match logs. It also keeps the report cards of a referee box.
package checknet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/soccer"
	"touchline/transport"
)

// Config describes where packets are received.
type Config struct {
	Groups      []netip.AddrPort // multicast groups
	Own         []netip.AddrPort // addresses of this machine, of which no other program receives. Default none
	Interface   string           // interface of the groups. Default loopback
	ThisMachine bool             // only packets of this machine, as transport.Config has it. Default false
}

// socket is a transport.Receiver or a transport.Socket.
type socket interface {
	Drops() uint64
	Close() error
}

// source is an open socket.
type source struct {
	socket
	next func(buf []byte) (p soccer.Packet, size int, err error)
}

// Receive calls listening once all sockets are open, and receive with each packet, one at a time, for a time or until
// ctx ends. It returns the number of packets that the kernel dropped.
func Receive(ctx context.Context, cfg Config, duration time.Duration, listening func(), receive func(*soccer.Packet)) (
	drops uint64, err error,
) {
	sources, err := cfg.open()
	closeAll := func() {
		for _, s := range sources {
			s.Close()
		}
	}
	defer closeAll()
	if err != nil {
		return 0, err
	}
	listening()
	ctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	defer context.AfterFunc(ctx, closeAll)()
	var mu sync.Mutex // guards receive
	var group errgroup.Group
	for _, s := range sources {
		group.Go(func() error {
			defer cancel() // an error ends the others
			return s.run(func(p *soccer.Packet) {
				mu.Lock()
				defer mu.Unlock()
				receive(p)
			})
		})
	}
	err = group.Wait()
	for _, s := range sources {
		drops += s.Drops()
	}
	return drops, err
}

// open opens all sockets. After an error those that it opened are returned, too.
func (cfg *Config) open() (sources []*source, err error) {
	clock := soccer.NewClock(time.Now())
	for _, group := range cfg.Groups {
		c := transport.DefaultConfig(group)
		c.Interface, c.ThisMachine = cfg.Interface, cfg.ThisMachine
		r, err := transport.Listen(c)
		if err != nil {
			return sources, err
		}
		r.SetClock(clock)
		sources = append(sources, &source{r, func(buf []byte) (soccer.Packet, int, error) {
			p, err := r.ReadPacket(buf)
			return p, len(p.Data), err
		}})
	}
	for _, own := range cfg.Own {
		c := transport.DefaultSocketConfig(own)
		c.Clock = clock
		s, err := transport.OpenSocket(c)
		if err != nil {
			return sources, err
		}
		sources = append(sources, &source{s, s.ReadBurst})
	}
	return sources, nil
}

// run reads packets until the socket is closed.
func (s *source) run(receive func(*soccer.Packet)) error {
	for buf := make([]byte, transport.MaxDatagram); ; {
		p, size, err := s.next(buf)
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		for burst := p.Data; ; {
			p.Data = burst[:min(size, len(burst))]
			receive(&p)
			if burst = burst[len(p.Data):]; len(burst) == 0 {
				break
			}
		}
	}
}
