// Package bounded holds memory of bounded size for what arrives from a network: a Table that forgets its idlest entry, a
// Ring of the newest values, and Append for a slice of the newest values. None of them allocates once it is full, and
// each is read in an order that depends only on the calls before.
package bounded

import (
	"math"
	"slices"
	"time"
)

// Table holds one entry for each of a bounded number of keys. A further key takes the place of the idlest entry. The
// caller gives the limits with each call, and decides which calls count as a use: it sets an entry's Used. A search
// compares all keys, which is fast for some hundred entries. The zero value is ready.
// T is the time of the caller's clock in ns, such as soccer.Time.
type Table[K comparable, V any, T ~int64] struct {
	entries []Entry[K, V, T]
}

// Entry is what a Table holds of one key.
type Entry[K comparable, V any, T ~int64] struct {
	Key   K
	Used  T // when it was last used; the earliest is forgotten first
	Value V
}

// Forever is the idle time for a Table that forgets nothing to make room: Add returns nil when it is full.
const Forever = time.Duration(math.MaxInt64)

// Find returns the entry of a key; nil without one. It does not count as a use.
func (t *Table[K, V, T]) Find(key K) *Entry[K, V, T] {
	for i := range t.entries {
		if e := &t.entries[i]; e.Key == key {
			return e
		}
	}
	return nil
}

// Add adds a key that the table does not hold, used at now. When limit entries are there, it takes the place of the one
// that was used earliest, of several the one that All lists first: then forgot is true, and the entry still has that
// one's Value, whose memory can be reused. Add returns nil if that entry was used less than idle before now; with an idle
// of 0 it never does. The first Add allocates memory for limit entries.
func (t *Table[K, V, T]) Add(key K, now T, limit int, idle time.Duration) (e *Entry[K, V, T], forgot bool) {
	return t.AddToGroup(key, now, limit, idle, 0, nil)
}

// AddToGroup is Add for keys that form groups, such as the robots of one address. When share keys of the new key's group
// are there, of which inGroup tells, the new one takes the place of the group's idlest entry, whenever that was used.
func (t *Table[K, V, T]) AddToGroup(
	key K, now T, limit int, idle time.Duration, share int, inGroup func(K) bool,
) (e *Entry[K, V, T], forgot bool) {
	var idlest, idlestOfGroup *Entry[K, V, T]
	members := 0
	for i := range t.entries {
		e := &t.entries[i]
		if idlest == nil || e.Used < idlest.Used {
			idlest = e
		}
		if inGroup != nil && inGroup(e.Key) {
			members++
			if idlestOfGroup == nil || e.Used < idlestOfGroup.Used {
				idlestOfGroup = e
			}
		}
	}
	switch {
	case idlestOfGroup != nil && members >= share:
		idlest = idlestOfGroup
	case len(t.entries) < limit:
		if t.entries == nil {
			t.entries = make([]Entry[K, V, T], 0, limit)
		}
		t.entries = append(t.entries, Entry[K, V, T]{Key: key, Used: now})
		return &t.entries[len(t.entries)-1], false
	case idlest == nil || idle > 0 && time.Duration(now-idlest.Used) < idle:
		return nil, false
	}
	idlest.Key, idlest.Used = key, now
	return idlest, true
}

// All returns the entries: a new one is the last, or stands in the place of the one that was forgotten. The caller may
// change Used and Value. The slice and pointers into it are valid until the next Add with a greater limit and until the
// next Delete.
func (t *Table[K, V, T]) All() []Entry[K, V, T] { return t.entries }

// Clear forgets all entries. Their memory remains for Add.
func (t *Table[K, V, T]) Clear() {
	clear(t.entries)
	t.entries = t.entries[:0]
}

// Delete forgets the entries for which gone returns true. The others keep their order.
func (t *Table[K, V, T]) Delete(gone func(e Entry[K, V, T]) bool) {
	t.entries = slices.DeleteFunc(t.entries, gone)
}
