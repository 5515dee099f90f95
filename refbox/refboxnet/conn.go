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
	maxConns      = 1000      // at once; a field has two
	receiveBuffer = 256 << 10 // bytes that the system keeps of a connection that is not read; a worldstate has 2 kB
	sendBuffer    = 64 << 10
	// What is read at once. A connection has one piece under way to the loop, which takes them in turn.
	piece = 32 << 10
	// Who was not taken in is read this slowly, to see its end: 256 kB a second.
	waitPiece, waitPause = 8 << 10, 32 * time.Millisecond
	// A team's flood is slowed down to this by TCP: bytes a second, and what a message counts for besides its bytes. A
	// station that sends 20 kB a hundred times a second, ten times the rate of MSL World Model 2015, is far below.
	floodRate, messageCost = 4 << 20, 512
	floodBurst             = time.Second
	// Bursts of commands that wait for a team that does not read, and how long it may take to read one.
	maxBursts, maxWrite = 256, 2 * time.Second
	lingers             = 200 * time.Millisecond // that a closed connection may take to say goodbye
)

// conn is one connection of a base station, or of whoever else found the port.
type conn struct {
	id      refbox.ConnID
	tcp     *net.TCPConn
	addr    netip.AddrPort
	welcome chan struct{} // closed when it was taken in
	turn    chan turn     // the loop is done with a piece

	// The reader's, and while it waits for its turn the loop's.
	data  []byte
	at    time.Time   // right after it was read
	stuck atomic.Bool // it did not read in time
	cut   bool        // what was passed over ended within a message

	// The loop's.
	split   msl.Splitter
	out     chan outgoing // to its writer; nil until it is taken in
	closing bool
}

// turn is what a piece of a connection was.
type turn struct {
	messages int
}

// outgoing is a burst for one connection.
type outgoing struct {
	data []byte
	d    *delivery
}

// delivery is a decision on its way to the teams.
type delivery struct {
	number   int // in the game's log; 0: it is not in it
	stop     bool
	journal  *journal      // of its game
	received time.Time     // when the request had been read
	disk     time.Duration // that the journal took
	kept     bool          // it was on the disk before it was sent
	left     atomic.Int32  // sockets that have not taken it; -1: all were asked and have
	lost     atomic.Bool   // a team could not be sent it
	millis   float64       // from received to the last socket; valid once done is closed
	done     chan struct{}
	report   chan<- *delivery
}

// record returns the delivery as the journal holds it.
func (d *delivery) record() game.Delivery {
	return game.Delivery{Decision: d.number, Millis: d.millis, Disk: float64(d.disk) / float64(time.Millisecond)}
}

// wrote counts one socket that took it.
func (d *delivery) wrote() {
	if d == nil || d.left.Add(-1) >= 0 {
		return
	}
	d.millis = float64(time.Since(d.received)) / 1e6
	close(d.done)
	select {
	case d.report <- d:
	default: // so many are under way that this one's figure is not shown
	}
}

// accept takes connections until the context ends.
func (l *Server) accept(ctx context.Context) error {
	var count atomic.Int32
	for {
		tcp, err := l.listener.AcceptTCP()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				tcp.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("refbox: the socket for base stations was closed: %w", err)
		case err != nil:
			l.Log.Warn("a connection could not be taken", "err", err)
			sleep(ctx, 100*time.Millisecond)
			continue
		}
		if count.Load() >= maxConns {
			tcp.Close()
			continue
		}
		// Where the system has its own mind about these it bounds them, too.
		_ = tcp.SetReadBuffer(receiveBuffer)
		_ = tcp.SetWriteBuffer(sendBuffer)
		from := tcp.RemoteAddr().(*net.TCPAddr).AddrPort()
		l.next++
		c := &conn{id: l.next, tcp: tcp, addr: netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), welcome: make(chan struct{}), turn: make(chan turn, 1)}
		select {
		case l.accepted <- c:
		case <-ctx.Done():
			tcp.Close()
			return nil
		}
		count.Add(1)
		l.sockets.Go(func() {
			defer count.Add(-1)
			l.read(ctx, c)
			tcp.Close()
		})
	}
}

// read reads a connection until it ends, and tells the loop of that.
func (l *Server) read(ctx context.Context, c *conn) {
	defer func() {
		select {
		case l.left <- c:
		case <-l.ended:
		}
	}()
	b, in, due := make([]byte, waitPiece), false, time.Time{}
	for {
		n, err := c.tcp.Read(b)
		at := time.Now()
		select {
		case <-c.welcome:
			in = true
		default:
		}
		switch {
		case n == 0:
		case in:
			t, ok := l.hand(c, b[:n], at)
			if !ok {
				return
			}
			if len(b) < piece {
				b = make([]byte, piece)
			}
			due = flood(due, at, n+messageCost*t.messages)
			sleep(ctx, time.Until(due))
		default:
			c.cut = b[n-1] != 0
			pause := time.NewTimer(waitPause)
			select {
			case <-c.welcome:
			case <-pause.C:
			case <-ctx.Done():
			}
			pause.Stop()
		}
		if err != nil || ctx.Err() != nil {
			return
		}
	}
}

// flood returns until when a connection has to wait that has just cost so much.
func flood(due, now time.Time, cost int) time.Time {
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

// hand gives the loop what was read and returns what that was; false when there is no loop any more.
func (l *Server) hand(c *conn, b []byte, at time.Time) (turn, bool) {
	for c.cut && len(b) > 0 { // the rest of a message whose beginning was passed over
		c.cut, b = b[0] != 0, b[1:]
	}
	c.data, c.at = b, at
	select {
	case l.heard <- c:
	case <-l.ended:
		return turn{}, false
	}
	select {
	case t := <-c.turn:
		return t, true
	case <-l.ended:
		return turn{}, false
	}
}

// send queues a burst for a connection. The first one takes it in: from then on it is listened to.
func (l *Server) send(s refbox.Send, d *delivery) {
	c := l.conns[s.To]
	if c == nil || c.closing {
		d.miss()
		return
	}
	if c.out == nil {
		c.out = make(chan outgoing, maxBursts)
		close(c.welcome)
		l.box.Trouble("reads", "")
		l.sockets.Go(func() { l.write(c) })
	}
	select {
	case c.out <- outgoing{s.Data, d}:
	default:
		d.miss()
		l.giveUp(c, fmt.Sprintf("%d bursts of commands wait for it", maxBursts))
	}
}

// miss counts a socket that cannot take it.
func (d *delivery) miss() {
	if d != nil {
		d.lost.Store(true)
		d.wrote()
	}
}

// giveUp closes a connection that does not read.
func (l *Server) giveUp(c *conn, why string) {
	l.tellUnread(c, why)
	l.hangUp(c)
	c.tcp.Close()
	l.apply(l.box.Disconnect(l.now(), c.id))
}

// tellUnread says for what a connection was closed.
func (l *Server) tellUnread(c *conn, why string) {
	text := fmt.Sprintf("%v does not read what it is sent: %s; its connection is closed", c.addr, why)
	l.Log.Warn(text)
	l.journal.note(l.now(), text)
	l.box.Trouble("reads", text)
}

// write sends a connection what is queued for it, until the loop closes the queue.
func (l *Server) write(c *conn) {
	var broken error
	for o := range c.out {
		if broken == nil {
			_ = c.tcp.SetWriteDeadline(time.Now().Add(maxWrite)) // a socket that has none is closed, and Write says so
			if _, broken = c.tcp.Write(o.data); errors.Is(broken, os.ErrDeadlineExceeded) {
				c.stuck.Store(true)
			}
		}
		if broken != nil {
			o.d.miss()
			c.tcp.Close() // the reader tells the loop
			continue
		}
		o.d.wrote()
	}
	c.half()
}

// half says that nothing more comes, and lets the reader wait for the other side's end, so that what was sent arrives.
func (c *conn) half() {
	_ = c.tcp.CloseWrite() // it may be gone already
	_ = c.tcp.SetReadDeadline(time.Now().Add(lingers))
}

// hangUp closes a connection once what is queued for it was sent.
func (l *Server) hangUp(c *conn) {
	switch {
	case c.closing:
	case c.out != nil:
		close(c.out)
	default:
		c.tcp.Close() // it was sent nothing: there is nothing to wait for
	}
	c.closing = true
}
