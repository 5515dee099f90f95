package refboxnet

import (
	"bytes"
	"errors"
	"net"
	"os"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// maxWrite is how long a base station may take to read a message.
const maxWrite = 2 * time.Second

// Why a message did not leave.
const (
	overtaken       = "STOP came first"
	unread          = "the base station does not read"
	connectionEnded = "the connection ended"
)

// burst is a Send on its way to the socket of a base station.
type burst struct {
	refbox.Send
	since    time.Time // time of the request, or of the box's own decision
	journal  *journal  // journal of its game
	d        *delivery // nil: it belongs to no decision
	messages int       // messages that have not left; the writer counts them
}

// departure is a message of a burst that left at a time, or that will not leave.
type departure struct {
	game.Departure
	of   *burst
	at   time.Time
	last bool // nothing of its burst remains
}

// startWriter starts to send bursts to a connection, each message at the time that a refbox.SendQueue gives it. It calls
// report for each message. done is closed once the channel of bursts is closed and everything has left. When the
// connection fails, it is closed, and all further messages are reported as not sent.
func startWriter(conn net.Conn, bursts <-chan *burst, report func(departure)) (done <-chan struct{}) {
	w := writer{conn: conn, report: report, clock: soccer.NewClock(time.Now()), unsent: map[int]*burst{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(bursts)
	}()
	return ended
}

// writer writes the bursts of one connection.
type writer struct {
	conn   net.Conn
	report func(departure)
	clock  soccer.Clock
	queue  refbox.SendQueue
	unsent map[int]*burst // those that have not left completely, by their number in the queue
	bursts int
	broken bool // the connection failed
}

func (w *writer) now() soccer.Time { return w.clock.At(time.Now()) }

// run sends the bursts until their channel is closed and everything has left.
func (w *writer) run(bursts <-chan *burst) {
	timer := time.NewTimer(time.Hour) // nothing waits yet
	defer timer.Stop()
	for bursts != nil || len(w.unsent) > 0 {
		select {
		case b, open := <-bursts:
			if !open {
				bursts = nil
				continue
			}
			if w.add(b); len(bursts) > 0 {
				continue // a STOP among them leaves first
			}
		case <-timer.C:
		}
		w.send()
		if due, ok := w.queue.Due(); ok {
			timer.Reset(due.Sub(w.now()))
		}
	}
}

// add queues a burst.
func (w *writer) add(b *burst) {
	w.bursts++
	w.unsent[w.bursts] = b
	b.messages = bytes.Count(b.Data, []byte{0})
	for _, m := range w.queue.Add(w.now(), w.bursts, b.Data) {
		w.finish(m, time.Now(), overtaken)
	}
	if w.broken {
		w.lose()
	}
}

// send writes the messages whose time has come.
func (w *writer) send() {
	for !w.broken {
		m, ok := w.queue.Next(w.now())
		if !ok {
			return
		}
		_ = w.conn.SetWriteDeadline(time.Now().Add(maxWrite)) // on a closed socket Write fails as well
		if _, err := w.conn.Write(m.Data); err != nil {
			why := connectionEnded
			if errors.Is(err, os.ErrDeadlineExceeded) {
				why = unread
			}
			w.broken = true
			w.finish(m, time.Now(), why)
			w.conn.Close()
			w.lose()
			return
		}
		at := time.Now()
		w.queue.Left(w.clock.At(at))
		w.finish(m, at, "")
	}
}

// lose reports everything that waits as lost.
func (w *writer) lose() {
	for _, m := range w.queue.Clear() {
		w.finish(m, time.Now(), connectionEnded)
	}
}

// finish reports a message that left, or why it will not leave.
func (w *writer) finish(m refbox.QueuedMessage, at time.Time, why string) {
	b := w.unsent[m.Burst]
	if b.messages--; b.messages == 0 {
		delete(w.unsent, m.Burst)
	}
	x := departure{game.Departure{Message: m.Command, Millis: float64(at.Sub(b.since)) / 1e6, Why: why}, b, at, b.messages == 0}
	if b.d != nil {
		x.Decision = b.d.number
	}
	w.report(x)
}
