package doctornet

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"touchline/internal/doctor"
	"touchline/soccer"
)

const (
	rounds      = 30                     // datagrams of each stream
	pause       = 7 * time.Millisecond   // between two datagrams: 1.6 Mbit/s, of which a third is multicast
	snoopTime   = 200 * time.Millisecond // between two datagrams of the test of snooping
	answerTime  = 200 * time.Millisecond // for an answer
	askings     = 8                      // for the cookie and the counts
	discardPort = 9
)

// asker is one side of a pair test: it sends from one goroutine and receives in two others.
type asker struct {
	mu     sync.Mutex
	client doctor.Client
	out    *socket
	peer   netip.AddrPort
	group  netip.AddrPort
	buf    []byte
}

// pair exchanges streams with the peer and stores the results in f.Peer. group may be nil.
func pair(ctx context.Context, f *doctor.Facts, cfg *Config, ifi *net.Interface, group *socket) error {
	out, err := openUnicast(ifi, netip.AddrPortFrom(f.Interface.IPv4().Addr(), 0), 1)
	if err != nil {
		return err
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	a := &asker{out: out, peer: f.Peer.Addr, group: f.Group}
	a.client.Session = binary.NativeEndian.Uint64(id[:])
	var readers sync.WaitGroup
	defer readers.Wait()
	defer out.conn.Close()
	readers.Go(func() { a.read(out, false) })
	if group != nil {
		_ = group.conn.SetReadDeadline(time.Time{})
		defer func() { _ = group.conn.SetReadDeadline(time.Unix(1, 0)) }()
		readers.Go(func() { a.read(group, true) })
	}
	cfg.progress(fmt.Sprintf("asking %s", f.Peer.Addr))
	if a.repeat(ctx, a.client.Hello, a.client.Welcomed); !a.locked(a.client.Welcomed) {
		unanswered(f, out)
		a.result(f)
		return ctx.Err()
	}
	cfg.progress("sending and receiving streams of 100, 169, 1,472 and 3,717 bytes, unicast and multicast")
	a.streams(ctx, group != nil)
	if cfg.Snooping > 0 && group != nil {
		cfg.progress(fmt.Sprintf("waiting %v whether multicast goes on", cfg.Snooping))
		a.snoop(ctx, cfg.Snooping)
	}
	a.repeat(ctx, a.client.Ask, a.client.Counted)
	a.result(f)
	return ctx.Err()
}

// read gives the answers that a socket receives to the client until the socket is closed or its deadline is over.
func (a *asker) read(s *socket, group bool) {
	buf := make([]byte, 1<<16)
	for {
		n, ttl, from, err := s.read(buf)
		switch {
		case errors.Is(err, net.ErrClosed) || isTimeout(err):
			return
		case err != nil || from != a.peer:
			continue // such as an ICMP message: the port is closed there
		}
		at := unixTime()
		a.mu.Lock()
		a.client.Handle(buf[:n], group, ttl, at)
		a.mu.Unlock()
	}
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

// locked asks the client something.
func (a *asker) locked(question func() bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return question()
}

// repeat sends a request until it is answered, several times even then, because the fastest answer tells the clock
// best.
func (a *asker) repeat(ctx context.Context, request func([]byte, soccer.Time) []byte, answered func() bool) {
	for range askings {
		a.mu.Lock()
		a.buf = request(a.buf[:0], unixTime())
		a.mu.Unlock()
		_ = a.out.write(a.buf, a.peer) // an error is that of the datagram before
		wait := answerTime
		if a.locked(answered) {
			wait = 3 * pause
		}
		if !sleep(ctx, wait) {
			return
		}
	}
}

// sleep waits, and reports whether ctx goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// send sends the next datagram of a stream.
func (a *asker) send(stream int) {
	s := doctor.Streams[stream]
	to := a.peer
	if s.Kind == doctor.MulticastTo {
		to = a.group
	}
	if whole := s.Kind == doctor.Whole; !a.out.setWhole(whole) && whole {
		return
	}
	a.mu.Lock()
	a.buf = a.client.Probe(a.buf[:0], stream, unixTime())
	a.mu.Unlock()
	if err := a.out.write(a.buf, to); err != nil {
		a.mu.Lock()
		a.client.Unsent(stream)
		a.mu.Unlock()
	}
}

// streams sends all streams but those of the test of snooping, a datagram of each in turn.
func (a *asker) streams(ctx context.Context, group bool) {
	for range rounds {
		for i, s := range doctor.Streams {
			long := s.Kind == doctor.SnoopFrom || s.Kind == doctor.SnoopUnicast
			multicast := s.Kind == doctor.MulticastTo || s.Kind == doctor.MulticastFrom
			if long || multicast && !group {
				continue
			}
			if a.send(i); !sleep(ctx, pause) {
				return
			}
		}
	}
	sleep(ctx, answerTime)
}

// snoop asks for multicast and unicast for a time.
func (a *asker) snoop(ctx context.Context, d time.Duration) {
	end := time.Now().Add(d)
	a.mu.Lock()
	a.client.BeginSnooping(unixTime())
	a.mu.Unlock()
	for time.Now().Before(end) {
		for i, s := range doctor.Streams {
			if s.Kind == doctor.SnoopFrom || s.Kind == doctor.SnoopUnicast {
				a.send(i)
			}
		}
		if !sleep(ctx, snoopTime) {
			return
		}
	}
}

func (a *asker) result(f *doctor.Facts) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.client.Result(f.Peer, unixTime())
}

// unanswered finds out whether the peer and the router are on the network: to send a datagram, the kernel asks for the
// hardware address.
func unanswered(f *doctor.Facts, out *socket) {
	f.Peer.Neighbor = neighbor(f.Peer.Addr.Addr(), f.Interface.Name)
	if !f.Gateway.IsValid() {
		return
	}
	_ = out.write(nonce(), netip.AddrPortFrom(f.Gateway, discardPort)) // an error says the same as the table
	time.Sleep(answerTime)
	f.Peer.Router = neighbor(f.Gateway, f.Interface.Name)
}
