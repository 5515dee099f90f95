package traffic

import "touchline/soccer"

// Queue holds what is due at a time, such as the place of a datagram on its way: a binary heap. Of two entries with the
// same time the one that was pushed first leaves first. The zero Queue is empty. It does not allocate in steady state.
type Queue[T any] struct {
	heap  []entry[T]
	order uint64
}

type entry[T any] struct {
	at    soccer.Time
	order uint64
	what  T
}

func (e *entry[T]) before(o *entry[T]) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

// First returns the next entry; ok is false if there is none.
func (q *Queue[T]) First() (at soccer.Time, what T, ok bool) {
	if len(q.heap) == 0 {
		return 0, what, false
	}
	return q.heap[0].at, q.heap[0].what, true
}

// Push adds an entry.
func (q *Queue[T]) Push(at soccer.Time, what T) {
	q.order++
	q.heap = append(q.heap, entry[T]{at, q.order, what})
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
func (q *Queue[T]) Pop() {
	last := len(q.heap) - 1
	q.heap[0], q.heap[last] = q.heap[last], entry[T]{}
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
func (q *Queue[T]) Clear() {
	clear(q.heap)
	q.heap, q.order = q.heap[:0], 0
}
