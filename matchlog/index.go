package matchlog

import (
	"cmp"
	"fmt"
	"sort"

	"touchline/soccer"
)

// entry is the place of a message.
type entry struct {
	time    soccer.Time // sorts the entries
	offset  int64       // place of its record; sorts entries of one time
	length  uint32      // length of its data
	channel uint16      // index into contents.channels
}

func compare(a, b entry) int {
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.offset, b.offset))
}

const (
	// maxEntries bounds the index of a log: 24 bytes a message, 1.6 GB in all. A match has 100,000 messages; a thousand
	// messages a second fill the index in 18 hours.
	maxEntries    = 1 << 26
	maxLatePlaces = 256  // places by which insert moves an entry forward
	pageEntries   = 4096 // entries of a page, so that a growing index is not copied
)

var errTooLong = fmt.Errorf("matchlog: the log holds more than %d messages, which is the limit", maxEntries)

// index holds the places of messages in the order of time. It is not safe for concurrent use.
type index struct {
	pages    [][]entry // all but the last one are full
	length   int
	unsorted bool // an entry came more than maxLatePlaces late
}

// at returns the entry at a position.
func (x *index) at(i int) *entry { return &x.pages[i/pageEntries][i%pageEntries] }

// insert adds an entry in its place if it is at most maxLatePlaces late, and otherwise at the end.
func (x *index) insert(e entry) {
	i := x.length
	if i%pageEntries == 0 {
		x.pages = append(x.pages, make([]entry, 0, pageEntries))
	}
	last := &x.pages[len(x.pages)-1]
	*last = append(*last, e)
	x.length++
	if x.unsorted {
		return
	}
	for least := max(0, i-maxLatePlaces); i > least && compare(*x.at(i - 1), e) > 0; i-- {
		*x.at(i) = *x.at(i - 1)
	}
	*x.at(i) = e
	x.unsorted = i > 0 && compare(*x.at(i - 1), e) > 0
}

// sort sorts the entries if one came too late.
func (x *index) sort() {
	if !x.unsorted {
		return
	}
	sort.Sort(byTime{x}) // in place: a copy of the largest index would take 1.6 GB
	x.unsorted = false
}

// byTime sorts an index.
type byTime struct{ *index }

func (x byTime) Len() int           { return x.length }
func (x byTime) Less(i, j int) bool { return compare(*x.at(i), *x.at(j)) < 0 }
func (x byTime) Swap(i, j int)      { *x.at(i), *x.at(j) = *x.at(j), *x.at(i) }

// search returns the first position whose entry is not before a time and offset.
func (x *index) search(t soccer.Time, offset int64) int {
	x.sort()
	e := entry{time: t, offset: offset}
	return sort.Search(x.length, func(i int) bool { return compare(*x.at(i), e) >= 0 })
}

// before returns the last position before i, which search returned, with an entry of a channel that is not before oldest;
// -1 if there is none.
func (x *index) before(i int, channel uint16, oldest soccer.Time) int {
	for i--; i >= 0 && x.at(i).time >= oldest; i-- {
		if x.at(i).channel == channel {
			return i
		}
	}
	return -1
}
