package refboxnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"touchline/game"
	"touchline/refbox"
	"touchline/wire/msl"
)

const (
	maxConns      = 1000      // at a time; a field has two
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
	// Bursts of commands that may wait for a team that does not read, and how long it may take to read one.
	maxBursts, maxWrite = 256, 2 * time.Second
	lingers             = 200 * time.Millisecond // for the other side to close a connection that we closed
)

// conn is one connection of a base station, or of any other client.
type conn struct {
	id       refbox.ConnID
	tcp      *net.TCPConn
	addr     netip.AddrPort
	admitted chan struct{} // closed on admission
	turn     chan turn     // the loop has handled a piece

	// Owned by the reader, and by the loop while the reader waits for its turn.
	data       []byte
	at         time.Time   // when it was read
	stuck      atomic.Bool // it did not read within maxWrite
	midMessage bool        // the skipped bytes ended within a message

	// Owned by the loop.
	split   msl.Splitter
	out     chan outgoing // to its writer; nil until its admission
	closing bool
}

// turn is the result of handling a piece.
type turn struct {
	messages int
}

// outgoing is a burst for one connection.
type outgoing struct {
	data []byte
	d    *delivery
}

// delivery follows a decision to the teams' sockets.
type delivery struct {
	number   int // in the game's log; 0: not in it
	stop     bool
	journal  *journal      // of its game
	received time.Time     // when the request was read
	disk     time.Duration // waiting for the journal
	kept     bool          // it was on disk before it was sent
	left     atomic.Int32  // sockets that have not taken it yet; -1: all have
	lost     atomic.Bool   // at least one team could not be sent it
	millis   float64       // from received to the last socket; valid after done
	done     chan struct{}
	report   chan<- *delivery
}

// record returns the delivery as the journal holds it.
func (d *delivery) record() game.Delivery {
	return game.Delivery{Decision: d.number, Millis: d.millis, Disk: float64(d.disk) / float64(time.Millisecond)}
}

// socketDone counts one socket that took it.
func (d *delivery) socketDone() {
	if d == nil || d.left.Add(-1) >= 0 {
		return
	}
	d.millis = float64(time.Since(d.received)) / 1e6
	close(d.done)
	select {
	case d.report <- d:
	default: // with this many deliveries one latency may be missing
	}
}

// accept accepts connections until the context ends.
func (srv *Server) accept(ctx context.Context) error {
	var count atomic.Int32
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
			sleep(ctx, 100*time.Millisecond)
			continue
		}
		if count.Load() >= maxConns {
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
		admitted: make(chan struct{}), turn: make(chan turn, 1),
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
			t, ok := srv.handOver(c, b[:n], at)
			if !ok {
				return
			}
			if len(b) < piece {
				b = make([]byte, piece)
			}
			due = throttle(due, at, n+messageCost*t.messages)
			sleep(ctx, time.Until(due))
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

func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// handOver gives the loop a piece and returns the result; false after the loop has ended.
func (srv *Server) handOver(c *conn, b []byte, at time.Time) (turn, bool) {
	for c.midMessage && len(b) > 0 { // the rest of a message whose beginning was skipped
		c.midMessage, b = b[0] != 0, b[1:]
	}
	c.data, c.at = b, at
	select {
	case srv.received <- c:
	case <-srv.ended:
		return turn{}, false
	}
	select {
	case t := <-c.turn:
		return t, true
	case <-srv.ended:
		return turn{}, false
	}
}

// send queues a burst for a connection. The first burst admits it: from then on its messages are read.
func (srv *Server) send(s refbox.Send, d *delivery) {
	c := srv.conns[s.To]
	if c == nil || c.closing {
		d.socketMissed()
		return
	}
	if c.out == nil {
		c.out = make(chan outgoing, maxBursts)
		close(c.admitted)
		srv.box.Trouble("reads", "")
		srv.sockets.Go(func() { srv.write(c) })
	}
	select {
	case c.out <- outgoing{s.Data, d}:
	default:
		d.socketMissed()
		srv.dropUnread(c, fmt.Sprintf("%d bursts of commands are waiting", maxBursts))
	}
}

// socketMissed counts a socket that cannot take it.
func (d *delivery) socketMissed() {
	if d != nil {
		d.lost.Store(true)
		d.socketDone()
	}
}

// dropUnread closes a connection that does not read.
func (srv *Server) dropUnread(c *conn, why string) {
	srv.warnUnread(c, why)
	srv.hangUp(c)
	c.tcp.Close()
	srv.apply(srv.box.Disconnect(srv.now(), c.id))
}

// warnUnread reports why a connection was closed.
func (srv *Server) warnUnread(c *conn, why string) {
	text := fmt.Sprintf("%v does not read its commands: %s; its connection is closed", c.addr, why)
	srv.Log.Warn(text)
	srv.journal.note(srv.now(), text)
	srv.box.Trouble("reads", text)
}

// write sends the queued bursts until the loop closes the queue.
func (srv *Server) write(c *conn) {
	var broken error
	for o := range c.out {
		if broken == nil {
			_ = c.tcp.SetWriteDeadline(time.Now().Add(maxWrite)) // on a closed socket Write fails as well
			if _, broken = c.tcp.Write(o.data); errors.Is(broken, os.ErrDeadlineExceeded) {
				c.stuck.Store(true)
			}
		}
		if broken != nil {
			o.d.socketMissed()
			c.tcp.Close() // the reader reports the end to the loop
			continue
		}
		o.d.socketDone()
	}
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
