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
	// maxEntries bounds the index of a log: 22 bytes a message, 1.5 GB in all. A match has 100,000 messages; a thousand
	// messages a second fill the index in 18 hours.
	maxEntries    = 1 << 26
	maxLatePlaces = 256  // places by which insert moves an entry forward
	pageEntries   = 4096 // entries of a page, so that a growing index is not copied
)

var errTooLong = fmt.Errorf("matchlog: the log holds more than %d messages, which is the limit", maxEntries)

// index holds the places of messages in the order of time. It is not safe for concurrent use.
type index struct {
	pages    []*page // all but the last one are full
	length   int
	unsorted bool // an entry came more than maxLatePlaces late
}

// page holds entries by field: an entry of its own would be padded.
type page struct {
	times    [pageEntries]soccer.Time
	offsets  [pageEntries]int64
	lengths  [pageEntries]uint32
	channels [pageEntries]uint16
}

// at returns the entry at a position.
func (x *index) at(i int) entry {
	p, k := x.pages[i/pageEntries], i%pageEntries
	return entry{p.times[k], p.offsets[k], p.lengths[k], p.channels[k]}
}

// set sets the entry at a position.
func (x *index) set(i int, e entry) {
	p, k := x.pages[i/pageEntries], i%pageEntries
	p.times[k], p.offsets[k], p.lengths[k], p.channels[k] = e.time, e.offset, e.length, e.channel
}

// insert adds an entry in its place if it is at most maxLatePlaces late, and otherwise at the end.
func (x *index) insert(e entry) {
	i := x.length
	if i%pageEntries == 0 {
		x.pages = append(x.pages, new(page))
	}
	x.length++
	if x.unsorted {
		x.set(i, e)
		return
	}
	for least := max(0, i-maxLatePlaces); i > least && compare(x.at(i-1), e) > 0; i-- {
		x.set(i, x.at(i-1))
	}
	x.set(i, e)
	x.unsorted = i > 0 && compare(x.at(i-1), e) > 0
}

// sort sorts the entries if one came too late.
func (x *index) sort() {
	if !x.unsorted {
		return
	}
	sort.Sort(byTime{x}) // in place: a copy of the largest index would take 1.5 GB
	x.unsorted = false
}

// byTime sorts an index.
type byTime struct{ *index }

func (x byTime) Len() int           { return x.length }
func (x byTime) Less(i, j int) bool { return compare(x.at(i), x.at(j)) < 0 }
func (x byTime) Swap(i, j int) {
	a, b := x.at(i), x.at(j)
	x.set(i, b)
	x.set(j, a)
}

// search returns the first position whose entry is not before a time and offset.
func (x *index) search(t soccer.Time, offset int64) int {
	x.sort()
	e := entry{time: t, offset: offset}
	return sort.Search(x.length, func(i int) bool { return compare(x.at(i), e) >= 0 })
}

// before returns the last position before i, which search returned, with an entry of a channel that is not before oldest;
// -1 if there is none.
func (x *index) before(i int, channel uint16, oldest soccer.Time) int {
	for i--; i >= 0; i-- {
		switch e := x.at(i); {
		case e.time < oldest:
			return -1
		case e.channel == channel:
			return i
		}
	}
	return -1
}
