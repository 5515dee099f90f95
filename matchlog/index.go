// Package index holds the places of a log's messages in the order of time, in bounded memory: beyond 130,000 messages,
// more than those of a match, a List continues in a temporary file.

package matchlog

import (
	"cmp"
	"encoding/binary"
	"slices"

	"touchline/soccer"
)

// Entry is the place of a message.
type Entry struct {
	Time    soccer.Time // sorts the entries
	Offset  int64       // of its record; sorts entries of one time
	Length  uint32      // of its data
	Channel uint16
}

const (
	entryBytes   = 8 + 8 + 4 + 2
	pageEntries  = 4096
	pageBytes    = pageEntries * entryBytes
	maxResident  = 32 // pages in memory, beside those of the cache
	cachedPages  = 8
	indexMaxLate = 256 // places by which Insert moves an entry forward
	runPiece     = 512 // entries of a sorted run that Sort reads at once
)

// page is a part of a List.
type page struct {
	first    Entry
	channels uint64  // bit i: the page has entries of a channel i modulo 64
	entries  []Entry // nil: in the file
}

// List is a list of entries. The zero List is empty. It is not safe for concurrent use.
type List struct {
	dir      string
	pages    []page
	length   int
	resident int // pages in memory
	unsorted bool
	file     *Scratch // nil: all pages are in memory
	cache    [cachedPages]cached
	next     int // of the cache, to replace
	piece    []byte
	err      error
}

// cached is a page of the file in memory.
type cached struct {
	number  int // from 1; 0: none
	entries []Entry
}

// New returns an empty list that continues in a temporary file in dir, or where dir is not writable in the system's
// folder for temporary files.
func New(dir string) *List { return &List{dir: dir} }

// Len returns the number of entries.
func (l *List) Len() int { return l.length }

// Err returns why entries are missing: the temporary file cannot be written or read.
func (l *List) Err() error { return l.err }

// Close removes the temporary file.
func (l *List) Close() {
	if l.file != nil {
		l.file.Close()
	}
	*l = List{dir: l.dir, err: l.err}
}

// Insert adds an entry in its place if it is at most 256 places late. After an entry that is later than that, the list
// is sorted by the next Sort.
func (l *List) Insert(e Entry) {
	l.append(e)
	i := l.length - 1
	if l.err != nil || l.unsorted {
		return
	}
	for least := max(0, i-indexMaxLate); i > least && compare(l.At(i-1), e) > 0; i-- {
		l.set(i, l.At(i-1))
	}
	l.set(i, e)
	l.unsorted = i > 0 && compare(l.At(i-1), e) > 0
}

// append adds an entry at the end.
func (l *List) append(e Entry) {
	if l.err != nil {
		return
	}
	if l.length%pageEntries == 0 {
		l.pages = append(l.pages, page{first: e, entries: l.spill()})
		l.resident++
	}
	p := &l.pages[len(l.pages)-1]
	p.entries = append(p.entries, e)
	p.channels |= 1 << (e.Channel % 64)
	l.length++
}

// set changes an entry of the last pages.
func (l *List) set(i int, e Entry) {
	p := &l.pages[i/pageEntries]
	p.entries[i%pageEntries] = e
	p.channels |= 1 << (e.Channel % 64)
	if i%pageEntries == 0 {
		p.first = e
	}
}

// spill returns the memory for a new page: that of the oldest page in memory, which it writes to the file, if there are
// too many.
func (l *List) spill() []Entry {
	if l.resident < maxResident {
		return make([]Entry, 0, pageEntries)
	}
	if l.file == nil {
		if l.file, l.err = NewScratch(l.dir); l.err != nil {
			return nil
		}
	}
	number := len(l.pages) - l.resident
	p := &l.pages[number]
	memory := p.entries
	l.piece = appendEntries(l.piece[:0], memory)
	if _, l.err = l.file.WriteAt(l.piece, int64(number)*pageBytes); l.err != nil {
		l.err = l.file.full(l.err)
		return nil
	}
	p.entries = nil
	l.resident--
	return memory[:0]
}

// At returns the entry at a position. After a failure of the temporary file it returns the zero Entry, and Err says why.
func (l *List) At(i int) Entry {
	number := i / pageEntries
	entries := l.pages[number].entries
	if entries == nil {
		entries = l.load(number)
	}
	if i%pageEntries >= len(entries) {
		return Entry{}
	}
	return entries[i%pageEntries]
}

// load returns a page of the file.
func (l *List) load(number int) []Entry {
	for i := range l.cache {
		if l.cache[i].number == number+1 {
			return l.cache[i].entries
		}
	}
	c := &l.cache[l.next]
	l.next = (l.next + 1) % len(l.cache)
	c.number = 0
	var err error
	if c.entries, l.piece, err = l.file.entries(c.entries[:0], l.piece, number*pageEntries, pageEntries); err != nil {
		l.err = cmp.Or(l.err, err)
		return nil
	}
	c.number = number + 1
	return c.entries
}

// Search returns the first position whose entry is not before e. The list must be sorted.
func (l *List) Search(e Entry) int {
	n, _ := slices.BinarySearchFunc(l.pages, e, func(p page, e Entry) int {
		if compare(p.first, e) < 0 {
			return -1
		}
		return 1
	})
	if n == 0 {
		return 0
	}
	low, high := (n-1)*pageEntries, min(n*pageEntries, l.length)
	for low < high {
		if middle := (low + high) / 2; compare(l.At(middle), e) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Before returns the last position before i with an entry of a channel that is not before a time, -1 if there is none.
// The list must be sorted.
func (l *List) Before(i int, channel uint16, oldest soccer.Time) int {
	for i--; i >= 0; i-- {
		if l.pages[i/pageEntries].channels>>(channel%64)&1 == 0 {
			if i -= i % pageEntries; l.pages[i/pageEntries].first.Time < oldest {
				return -1
			}
			continue
		}
		switch e := l.At(i); {
		case l.err != nil || e.Time < oldest:
			return -1
		case e.Channel == channel:
			return i
		}
	}
	return -1
}

func compare(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Offset, b.Offset))
}

func appendEntries(b []byte, all []Entry) []byte {
	for _, e := range all {
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Time))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Offset))
		b = binary.LittleEndian.AppendUint32(b, e.Length)
		b = binary.LittleEndian.AppendUint16(b, e.Channel)
	}
	return b
}
