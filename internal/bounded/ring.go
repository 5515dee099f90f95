package bounded

// Ring holds the newest values of a sequence. The zero value is ready. Copies share the values.
type Ring[T any] struct {
	values []T
	first  int // place of the oldest
	n      int
}

// Push adds a value as the newest and returns it for the caller to set. When most values are there, the oldest one makes
// room: the new one still has its contents, whose memory can be reused. The first Push allocates memory for most values;
// later ones must give the same number.
func (r *Ring[T]) Push(most int) *T {
	if r.values == nil {
		r.values = make([]T, most)
	}
	if r.n == len(r.values) {
		r.Drop(1)
	}
	r.n++
	return r.At(r.n - 1)
}

// Len returns the number of values.
func (r *Ring[T]) Len() int { return r.n }

// At returns a value: 0 is the oldest, Len()-1 the newest. It is valid until the value is forgotten.
func (r *Ring[T]) At(i int) *T {
	if i < 0 || i >= r.n {
		panic("bounded: no such value in the ring")
	}
	if i += r.first; i >= len(r.values) {
		i -= len(r.values)
	}
	return &r.values[i]
}

// Drop forgets the n oldest values, which must be there. Their memory remains for Push.
func (r *Ring[T]) Drop(n int) {
	if n > r.n {
		panic("bounded: the ring has fewer values")
	}
	if r.first += n; r.first >= len(r.values) {
		r.first -= len(r.values)
	}
	if r.n -= n; r.n == 0 {
		r.first = 0 // in memory that is in the processor's cache
	}
}

// Clear forgets all values. Their memory remains for Push.
func (r *Ring[T]) Clear() { r.first, r.n = 0, 0 }

// Append appends a value to a list and returns it with its newest most values, which must be at least 1. It moves them in
// the memory of the list: a copy that a reader still has needs memory of its own.
func Append[T any](list []T, value T, most int) []T {
	if extra := len(list) + 1 - most; extra > 0 {
		n := copy(list, list[extra:])
		clear(list[n:])
		list = list[:n]
	}
	return append(list, value)
}
