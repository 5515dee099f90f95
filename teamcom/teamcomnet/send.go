package teamcomnet

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport"
	"touchline/wire/tcm"
)

// minWait is the shortest time for which the sender waits until the budget allows the next datagram: those that may
// leave by then leave as one burst.
const minWait = 500 * time.Microsecond

// wakeSender makes the sender call Next.
func (e *Endpoint) wakeSender() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// wakeEarlier wakes the sender if a received datagram gave the node something to do before the sender's next turn.
func (e *Endpoint) wakeEarlier() {
	if int64(e.Node.Wake()) < e.planned.Load() {
		e.wakeSender()
	}
}

// send sends the node's datagrams until the context ends.
func (e *Endpoint) send(ctx context.Context) error {
	b := burst{data: make([]byte, 0, transport.MaxBurst+tcm.MaxDatagram)}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		e.planned.Store(int64(teamcom.Never)) // what arrives from here on wakes the next turn
		e.sendWaiting(&b)
		wake := e.Node.Wake()
		if e.planned.Store(int64(wake)); wake != teamcom.Never {
			timer.Reset(max(wake.Sub(e.Now()), minWait))
		} else {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-e.wake:
		}
	}
	return nil
}

// sendWaiting sends what may leave now.
func (e *Endpoint) sendWaiting(b *burst) {
	for {
		now := e.Now()
		out, ok := e.Node.Next(now, b.data[len(b.data):])
		if !ok {
			e.flush(b)
			return
		}
		if !b.fits(&out) {
			e.flush(b)
			copy(b.data[:cap(b.data)], out.Data)
		}
		b.add(now, &out)
	}
}

// burst collects datagrams that leave in one system call: they go from one socket to one destination, and all but the
// last have the same size.
type burst struct {
	data   []byte
	size   int // size of each datagram but the last
	count  int
	to     tcm.Entity
	socket tcm.Socket
	addrs  []netip.AddrPort
	at     soccer.Time
}

// fits reports whether a datagram may follow the others.
func (b *burst) fits(out *teamcom.Outgoing) bool {
	return b.count == 0 || b.to == out.To && b.socket == out.Socket && len(b.data) == b.count*b.size &&
		len(out.Data) <= b.size && b.count < transport.MaxBurstDatagrams && len(b.data)+len(out.Data) <= transport.MaxBurst
}

// add adds a datagram that stands behind the others already.
func (b *burst) add(now soccer.Time, out *teamcom.Outgoing) {
	if b.count == 0 {
		b.size, b.to, b.socket, b.addrs, b.at = len(out.Data), out.To, out.Socket, out.Addrs, now
	}
	b.data = b.data[:len(b.data)+len(out.Data)]
	b.count++
}

// flush sends the burst and empties it.
func (e *Endpoint) flush(b *burst) {
	if b.count == 0 {
		return
	}
	socket := e.sockets.Load().own[b.socket]
	for _, to := range b.addrs {
		if err := socket.WriteBurst(b.data, b.size, to); err != nil {
			e.refused(uint64(b.count), err)
			continue
		}
		for at := 0; at < len(b.data) && e.Record != nil; at += b.size {
			e.record(b.at, socket.LocalAddr(), to, b.data[at:min(at+b.size, len(b.data))])
		}
	}
	b.data, b.count = b.data[:0], 0
}

// refused counts datagrams that the system did not send, and logs the first ones: the node drops them, like a network
// that loses them.
func (e *Endpoint) refused(datagrams uint64, err error) {
	if errors.Is(err, net.ErrClosed) { // the endpoint ends
		return
	}
	if e.sendErrors.Add(datagrams) == datagrams {
		e.log.Warn("a datagram is not sent; later ones are only counted", "err", err)
	}
}
