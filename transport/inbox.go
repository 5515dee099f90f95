package transport

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
)

// Inbox collects the datagrams of several receivers for one loop that owns all state. Its queue is bounded: a datagram
// that finds it full is dropped and counted, so no sender can make the loop fall behind.
type Inbox struct {
	C    chan *Arrival // received datagrams; give each back with Release
	free chan *Arrival
	lost atomic.Uint64
}

// Arrival is a datagram in an Inbox, cut to its first 2 KiB.
type Arrival struct {
	To     uint8 // the number that was given to Receive
	Packet soccer.Packet
	At     time.Time // Packet.Time as a reading of time.Now, with its monotonic part
	buf    [2048]byte
}

// NewInbox returns an Inbox for at most 512 datagrams.
func NewInbox() *Inbox {
	const size = 512
	in := &Inbox{C: make(chan *Arrival, size), free: make(chan *Arrival, size)}
	for range size {
		in.free <- new(Arrival)
	}
	return in
}

// Receive reads r into the inbox until ctx ends or r is closed; at its end r is closed. With a guard, it drops what
// exceeds the rate of a source, so that one that floods does not fill the inbox.
func (in *Inbox) Receive(ctx context.Context, to uint8, r *Receiver, guard *traffic.Guard) error {
	if guard == nil {
		return in.ReceiveIf(ctx, to, r, nil)
	}
	return in.ReceiveIf(ctx, to, r, func(p *soccer.Packet) bool { return guard.Allow(p.From, p.Time) })
}

// ReceiveIf is Receive that drops the datagrams for which allow returns false.
func (in *Inbox) ReceiveIf(ctx context.Context, to uint8, r *Receiver, allow func(*soccer.Packet) bool) error {
	defer r.Close()
	defer context.AfterFunc(ctx, func() { r.Close() })()
	whole := make([]byte, MaxDatagram)
	spare := new(Arrival)
	for {
		p, err := r.ReadPacket(whole)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return nil
			}
			return err
		}
		if allow != nil && !allow(&p) {
			continue
		}
		spare.To, spare.Packet = to, p
		spare.At = r.clock.Began.Add(p.Time.Sub(r.clock.Start))
		spare.Packet.Size = len(p.Data)
		spare.Packet.Data = spare.buf[:copy(spare.buf[:], p.Data)]
		select {
		case next := <-in.free:
			in.C <- spare // never blocks: C has room for every Arrival
			spare = next
		default:
			in.lost.Add(1)
		}
	}
}

// Release gives a datagram back to the inbox, which reuses its buffer.
func (in *Inbox) Release(a *Arrival) { in.free <- a }

// Lost returns the number of datagrams that found the queue full.
func (in *Inbox) Lost() uint64 { return in.lost.Load() }
