package watch

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"touchline/soccer"
	"touchline/transport"
	"touchline/transport/traffic"
)

// Ear reads several sockets for one loop that owns all state. Its queue is bounded: a datagram that finds it full is
// dropped and counted, so no sender can make the loop fall behind.
type Ear struct {
	C    chan *Heard // what was read; give each back with Done
	free chan *Heard
	lost atomic.Uint64
}

// Heard is one datagram, or the first 2 KiB of a longer one, and whose socket read it.
type Heard struct {
	To     uint8         // as Listen was told
	Packet soccer.Packet // its Time is by the kernel's clock, which may be set; At is not
	At     time.Time     // when it arrived, with a monotonic reading
	buf    [2048]byte
}

// longAgo bounds how long a datagram can have waited to be read: a greater difference is a clock that was set.
const longAgo = time.Second

// NewEar returns an Ear that holds at most 512 datagrams.
func NewEar() *Ear {
	const most = 512
	e := &Ear{C: make(chan *Heard, most), free: make(chan *Heard, most)}
	for range most {
		e.free <- new(Heard)
	}
	return e
}

// Listen reads r until the context ends or r is closed. With a guard, a source that floods is held back to the guard's
// rate, so the others are heard.
func (e *Ear) Listen(ctx context.Context, to uint8, r *transport.Receiver, guard *traffic.Guard) error {
	stop := context.AfterFunc(ctx, func() { r.Close() })
	defer stop()
	whole := make([]byte, transport.MaxDatagram)
	spare := new(Heard)
	for {
		p, err := r.ReadPacket(whole)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return err
		}
		if guard != nil && !guard.Allow(p.From, p.Time) {
			continue
		}
		spare.To, spare.Packet = to, p
		now := time.Now()
		spare.At = now.Add(-min(max(0, time.Duration(now.UnixNano()-int64(p.Time))), longAgo))
		spare.Packet.Size = len(p.Data)
		spare.Packet.Data = spare.buf[:copy(spare.buf[:], p.Data)]
		select {
		case next := <-e.free:
			e.C <- spare // never blocks: there are as many places as datagrams
			spare = next
		default:
			e.lost.Add(1)
		}
	}
}

// Done gives a datagram back; its bytes are used again.
func (e *Ear) Done(h *Heard) { e.free <- h }

// Lost returns how many datagrams found the queue full.
func (e *Ear) Lost() uint64 { return e.lost.Load() }
