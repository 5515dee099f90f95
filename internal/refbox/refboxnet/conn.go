package refboxnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"touchline/internal/refbox"
	"touchline/transport"
	"touchline/wire/msl"
)

const (
	maxConns      = 1000      // fewer where file descriptors are scarce; a field has two
	receiveBuffer = 256 << 10 // bytes that the system buffers; a worldstate has 2 kB
	sendBuffer    = 64 << 10
	// Bytes read at a time. Each connection has at most one piece waiting for the loop, which takes them in turn.
	piece = 32 << 10
	// Connections that are not admitted are read slowly, to notice their end: 256 kB a second.
	waitPiece, waitPause = 8 << 10, 32 * time.Millisecond
	// TCP slows a flooding team down to this rate in bytes a second; each message costs messageCost more. A base
	// station that sends 20 kB 100 times a second, ten times the required rate, is far below.
	floodRate, messageCost = 4 << 20, 512
	floodBurst             = time.Second
	maxBursts              = 256                    // bursts that wait for a team that does not read
	lingers                = 200 * time.Millisecond // the other side has this long to close a connection that we closed
)

// conn is one connection of a base station, or of any other client.
type conn struct {
	id       refbox.ConnID
	tcp      *net.TCPConn
	addr     netip.AddrPort
	admitted chan struct{} // closed on admission
	turn     chan int      // the loop has handled a piece, with this many messages

	// Owned by the reader, and by the loop while the reader waits for its turn.
	data       []byte
	at         time.Time   // time of the read
	stuck      atomic.Bool // it did not read within maxWrite
	midMessage bool        // the skipped bytes ended within a message

	// Owned by the loop.
	split   msl.Splitter
	out     chan *burst // input of its writer; nil until its admission
	closing bool
}

// accept accepts connections until the context ends.
func (srv *Server) accept(ctx context.Context) error {
	var count atomic.Int32
	most := int32(transport.Share(maxConns, 3))
	for {
		tcp, err := srv.listener.AcceptTCP()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				tcp.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed) && srv.successor.Load() != nil:
			<-ctx.Done()
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("refboxnet: the socket for base stations was closed: %w", err)
		case err != nil:
			srv.Log.Warn("accepting a connection failed", "err", err)
			sleep(ctx.Done(), 100*time.Millisecond)
			continue
		}
		if count.Load() >= most {
			tcp.Close()
			continue
		}
		srv.next++
		c := newConn(srv.next, tcp)
		select {
		case srv.accepted <- c:
		case <-ctx.Done():
			tcp.Close()
			return nil
		}
		count.Add(1)
		srv.sockets.Go(func() {
			defer count.Add(-1)
			srv.read(ctx, c)
			tcp.Close()
		})
	}
}

// newConn prepares a connection. A system that ignores the buffer sizes has limits of its own.
func newConn(id refbox.ConnID, tcp *net.TCPConn) *conn {
	_ = tcp.SetReadBuffer(receiveBuffer)
	_ = tcp.SetWriteBuffer(sendBuffer)
	from := tcp.RemoteAddr().(*net.TCPAddr).AddrPort()
	return &conn{
		id: id, tcp: tcp, addr: netip.AddrPortFrom(from.Addr().Unmap(), from.Port()),
		admitted: make(chan struct{}), turn: make(chan int, 1),
	}
}

// read reads a connection until it ends, and reports the end to the loop.
func (srv *Server) read(ctx context.Context, c *conn) {
	defer func() {
		select {
		case srv.left <- c:
		case <-srv.ended:
		}
	}()
	b, due := make([]byte, waitPiece), time.Time{}
	for {
		n, err := c.tcp.Read(b)
		at := time.Now()
		switch {
		case n == 0:
		case c.isAdmitted():
			messages, ok := srv.handOver(c, b[:n], at)
			if !ok {
				return
			}
			if len(b) < piece {
				b = make([]byte, piece)
			}
			due = throttle(due, at, n+messageCost*messages)
			sleep(ctx.Done(), time.Until(due))
		default:
			c.midMessage = b[n-1] != 0
			c.awaitAdmission(ctx)
		}
		if err != nil || ctx.Err() != nil {
			return
		}
	}
}

func (c *conn) isAdmitted() bool {
	select {
	case <-c.admitted:
		return true
	default:
		return false
	}
}

// awaitAdmission pauses the reader of a connection that is not admitted.
func (c *conn) awaitAdmission(ctx context.Context) {
	pause := time.NewTimer(waitPause)
	defer pause.Stop()
	select {
	case <-c.admitted:
	case <-pause.C:
	case <-ctx.Done():
	}
}

// throttle returns the time until which a connection must wait after this cost.
func throttle(due, now time.Time, cost int) time.Time {
	if first := now.Add(-floodBurst); due.Before(first) {
		due = first
	}
	return due.Add(time.Duration(cost) * time.Second / floodRate)
}

// handOver gives the loop a piece and returns the number of its messages; false after the loop has ended.
func (srv *Server) handOver(c *conn, b []byte, at time.Time) (messages int, ok bool) {
	for c.midMessage && len(b) > 0 { // the rest of a message whose beginning was skipped
		c.midMessage, b = b[0] != 0, b[1:]
	}
	c.data, c.at = b, at
	select {
	case srv.received <- c:
	case <-srv.ended:
		return 0, false
	}
	select {
	case messages := <-c.turn:
		return messages, true
	case <-srv.ended:
		return 0, false
	}
}

// send queues a burst for a connection. The first burst admits it: from then on its messages are read.
func (srv *Server) send(s refbox.Send, p *pendingSend) {
	c := srv.conns[s.To]
	if c == nil || c.closing {
		p.d.socketMissed()
		return
	}
	if c.out == nil {
		c.out = make(chan *burst, maxBursts)
		close(c.admitted)
		srv.box.Trouble("reads", "")
		srv.sockets.Go(func() { srv.write(c) })
	}
	b := &burst{Send: s, since: p.since, journal: p.journal, d: p.d}
	if p.d != nil {
		b.since = p.d.received
	}
	select {
	case c.out <- b:
	default:
		p.d.socketMissed()
		srv.dropUnread(c, fmt.Sprintf("%d bursts of commands are waiting", maxBursts))
	}
}

// dropUnread closes a connection that does not read.
func (srv *Server) dropUnread(c *conn, why string) {
	srv.warnUnread(c, why)
	srv.hangUp(c)
	c.tcp.Close()
	srv.apply(srv.box.Disconnect(srv.Now(), c.id))
}

// warnUnread reports why a connection was closed.
func (srv *Server) warnUnread(c *conn, why string) {
	text := fmt.Sprintf("%v does not read its commands: %s; its connection is closed", c.addr, why)
	srv.Log.Warn(text)
	srv.journal.note(srv.Now(), text)
	srv.box.Trouble("reads", text)
}

// write sends the bursts of a connection until the loop closes its channel, and then those that wait.
func (srv *Server) write(c *conn) {
	<-startWriter(c.tcp, c.out, func(x departure) {
		if x.Why == unread {
			c.stuck.Store(true)
		}
		x.of.d.leave(&x)
		select {
		case srv.departed <- x:
		case <-srv.ended:
		}
		if x.last {
			x.of.d.socketDone()
		}
	})
	c.closeWrite()
}

// closeWrite closes our direction and lets the reader wait for the other side's end, so that everything sent arrives.
func (c *conn) closeWrite() {
	_ = c.tcp.CloseWrite() // it may be closed already
	_ = c.tcp.SetReadDeadline(time.Now().Add(lingers))
}

// hangUp closes a connection once its queue is sent.
func (srv *Server) hangUp(c *conn) {
	switch {
	case c.closing:
	case c.out != nil:
		close(c.out)
	default:
		c.tcp.Close() // nothing was sent: there is nothing to wait for
	}
	c.closing = true
}
