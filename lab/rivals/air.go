package rivals

import (
	"touchline/booking"
	"touchline/soccer"
)

// flight is a message on its way.
type flight struct {
	from    int
	message booking.Message
}

// arrival is an entry of the queue. Of two that arrive at the same time, the one that was sent first is the first.
type arrival struct {
	at    soccer.Time
	order uint32
	to    int32
	slot  int32
}

func (a *arrival) before(b *arrival) bool { return a.at < b.at || a.at == b.at && a.order < b.order }

// air holds the messages on their way: a binary heap of arrivals. The messages stay in slots, because they are large.
type air struct {
	heap  []arrival
	slots []flight
	free  []int32
	order uint32
}

func (a *air) clear() { a.heap, a.slots, a.free, a.order = a.heap[:0], a.slots[:0], a.free[:0], 0 }

// next returns the time of the next arrival; without one it is never.
func (a *air) next() (at soccer.Time, ok bool) {
	if len(a.heap) == 0 {
		return 1<<63 - 1, false
	}
	return a.heap[0].at, true
}

func (a *air) send(at soccer.Time, to int, f flight) {
	slot := int32(len(a.slots))
	if n := len(a.free); n > 0 {
		slot = a.free[n-1]
		a.free = a.free[:n-1]
		a.slots[slot] = f
	} else {
		a.slots = append(a.slots, f)
	}
	a.order++
	a.heap = append(a.heap, arrival{at, a.order, int32(to), slot})
	for i := len(a.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a.heap[i].before(&a.heap[parent]) {
			return
		}
		a.heap[i], a.heap[parent] = a.heap[parent], a.heap[i]
		i = parent
	}
}

// land removes the next arrival.
func (a *air) land() (to int, f flight) {
	first := a.heap[0]
	last := len(a.heap) - 1
	a.heap[0] = a.heap[last]
	a.heap = a.heap[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if a.heap[child].before(&a.heap[least]) {
				least = child
			}
		}
		if least == i {
			break
		}
		a.heap[i], a.heap[least] = a.heap[least], a.heap[i]
		i = least
	}
	a.free = append(a.free, first.slot)
	return int(first.to), a.slots[first.slot]
}
