package lab

import (
	"touchline/booking"
	"touchline/soccer"
	"touchline/transport/traffic"
)

// flight is a message on its way.
type flight struct {
	from, to int
	message  booking.Message
}

// air holds the messages on their way. Of two that arrive at the same time, the one that was sent first is the first.
// They stay in slots, because they are large.
type air struct {
	queue traffic.Queue[int32] // of slots
	slots []flight
	free  []int32
}

func (a *air) clear() {
	a.queue.Clear()
	a.slots, a.free = a.slots[:0], a.free[:0]
}

// next returns the time of the next arrival; without one it is never.
func (a *air) next() (at soccer.Time, ok bool) {
	at, _, ok = a.queue.First()
	if !ok {
		at = 1<<63 - 1
	}
	return at, ok
}

func (a *air) send(at soccer.Time, f flight) {
	slot := int32(len(a.slots))
	if n := len(a.free); n > 0 {
		slot = a.free[n-1]
		a.free = a.free[:n-1]
		a.slots[slot] = f
	} else {
		a.slots = append(a.slots, f)
	}
	a.queue.Push(at, slot)
}

// land removes the next arrival.
func (a *air) land() flight {
	_, slot, _ := a.queue.First()
	a.queue.Pop()
	a.free = append(a.free, slot)
	return a.slots[slot]
}
