package traffic

import "touchline/soccer"

// Queue holds what is due at a time, such as the place of a datagram on its way: a binary heap. Of two entries with the
// same time the one that was pushed first leaves first. The zero Queue is empty. It does not allocate in steady state.
type Queue struct {
	heap  []entry
	order uint64
}

type entry struct {
	at    soccer.Time
	order uint64
	what  int32
}

func (e *entry) before(o *entry) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

// First returns the next entry; ok is false if there is none.
func (q *Queue) First() (at soccer.Time, what int32, ok bool) {
	if len(q.heap) == 0 {
		return 0, 0, false
	}
	return q.heap[0].at, q.heap[0].what, true
}

// Push adds an entry.
func (q *Queue) Push(at soccer.Time, what int32) {
	q.order++
	q.heap = append(q.heap, entry{at, q.order, what})
	for i := len(q.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q.heap[i].before(&q.heap[parent]) {
			return
		}
		q.heap[i], q.heap[parent] = q.heap[parent], q.heap[i]
		i = parent
	}
}

// Pop removes the next entry. The queue must have one.
func (q *Queue) Pop() {
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap = q.heap[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if q.heap[child].before(&q.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		q.heap[i], q.heap[least] = q.heap[least], q.heap[i]
		i = least
	}
}

// Clear removes all entries and keeps the memory.
func (q *Queue) Clear() { q.heap, q.order = q.heap[:0], 0 }
