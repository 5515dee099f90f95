package teamcomnet

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// late is a datagram that arrives later than it did: Impair delays it.
type late struct {
	due    time.Time
	packet soccer.Packet
	socket tcm.Socket
}

// maxLate bounds the datagrams that wait: what exceeds it is lost.
const maxLate = 4096

// arrive gives a datagram to the node, through the impaired link if there is one.
func (e *Endpoint) arrive(p *soccer.Packet, socket tcm.Socket) {
	if e.Impair == nil {
		e.Node.Receive(p, socket)
		return
	}
	for _, delay := range e.Impair(p.From) {
		if delay <= 0 {
			e.Node.Receive(p, socket)
			continue
		}
		l := late{time.Now().Add(delay), *p, socket}
		l.packet.Time, l.packet.Data = p.Time.Add(delay), bytes.Clone(p.Data)
		select {
		case e.late <- l:
		default: // lost
		}
	}
}

// deliverLate gives the node the datagrams that Impair delays, until ctx ends.
func (e *Endpoint) deliverLate(ctx context.Context) error {
	var waiting []late // sorted by due
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case l := <-e.late:
			if len(waiting) == maxLate {
				continue
			}
			i, _ := slices.BinarySearchFunc(waiting, l, func(a, b late) int { return cmp.Or(a.due.Compare(b.due), -1) })
			waiting = slices.Insert(waiting, i, l)
		case <-timer.C:
		}
		now, n := time.Now(), 0
		for ; n < len(waiting) && !waiting[n].due.After(now); n++ {
			e.Node.Receive(&waiting[n].packet, waiting[n].socket)
			e.wakeEarlier()
		}
		waiting = slices.Delete(waiting, 0, n)
		if len(waiting) > 0 {
			timer.Reset(waiting[0].due.Sub(now))
		}
	}
}
