// Package pacenet writes messages to a base station's connection at the times that package pace decides.

package refboxnet

import (
	"bytes"
	"errors"
	"net"
	"os"
	"time"

	"touchline/internal/refbox"
	"touchline/soccer"
)

// MaxWrite is how long a base station may take to read a message.
const MaxWrite = 2 * time.Second

// Why a message did not leave.
const (
	Overtaken = "STOP came first"
	Unread    = "the base station does not read"
	Ended     = "the connection ended"
)

// Burst is one or more messages, each with its NUL, and what the caller knows of them.
type Burst[T any] struct {
	Data []byte
	Of   T
}

// Departure is a message that left, or that will not leave.
type Departure[T any] struct {
	Of      T
	Message string // its command, with the robot's number where it has one: "IS_ALIVE 3"
	At      time.Time
	Why     string // why it did not leave; "": it left
	Last    bool   // nothing of its burst remains
}

// Start starts to send bursts to a connection. It calls report for each message. done is closed once the channel of
// bursts is closed and everything has left. When the connection fails, it is closed, and all further messages are
// reported as not sent.
func Start[T any](conn net.Conn, bursts <-chan Burst[T], report func(Departure[T])) (done <-chan struct{}) {
	w := writer[T]{conn: conn, report: report, clock: soccer.NewClock(time.Now()), unsent: map[int]*unsent[T]{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(bursts)
	}()
	return ended
}

// writer writes the bursts of one connection.
type writer[T any] struct {
	conn   net.Conn
	report func(Departure[T])
	clock  soccer.Clock
	queue  refbox.Queue
	unsent map[int]*unsent[T] // by their number in the queue
	bursts int
	broken bool // the connection failed
}

// unsent is a burst that has not left completely.
type unsent[T any] struct {
	of       T
	messages int
}

func (w *writer[T]) now() soccer.Time { return w.clock.At(time.Now()) }

// run sends the bursts until their channel is closed and everything has left.
func (w *writer[T]) run(bursts <-chan Burst[T]) {
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
func (w *writer[T]) add(b Burst[T]) {
	w.bursts++
	w.unsent[w.bursts] = &unsent[T]{b.Of, bytes.Count(b.Data, []byte{0})}
	for _, m := range w.queue.Add(w.now(), w.bursts, b.Data) {
		w.finish(m, time.Now(), Overtaken)
	}
	if w.broken {
		w.lose()
	}
}

// send writes the messages whose time has come.
func (w *writer[T]) send() {
	for !w.broken {
		m, ok := w.queue.Next(w.now())
		if !ok {
			return
		}
		_ = w.conn.SetWriteDeadline(time.Now().Add(MaxWrite)) // on a closed socket Write fails as well
		if _, err := w.conn.Write(m.Data); err != nil {
			why := Ended
			if errors.Is(err, os.ErrDeadlineExceeded) {
				why = Unread
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
func (w *writer[T]) lose() {
	for _, m := range w.queue.Clear() {
		w.finish(m, time.Now(), Ended)
	}
}

// finish reports a message that left, or why it will not leave.
func (w *writer[T]) finish(m refbox.PaceMessage, at time.Time, why string) {
	u := w.unsent[m.Burst]
	u.messages--
	if u.messages == 0 {
		delete(w.unsent, m.Burst)
	}
	w.report(Departure[T]{Of: u.of, Message: m.Command, At: at, Why: why, Last: u.messages == 0})
}
