package matchlog

import (
	"bytes"
	"iter"
	"math"
	"slices"

	"touchline/soccer"
)

// Common returns a time before which two packed logs hold the same messages, because their chunks have the same bytes, and
// the number of these messages by channel: two records of one seed are compared without unpacking them. all reports that
// there are no other messages. Common waits until both logs are indexed. Of other logs it knows nothing: before is 0.
func Common(a, b *Log) (before soccer.Time, counts map[string]uint64, all bool) {
	counts = map[string]uint64{}
	if a.names() == nil || b.names() == nil || a.copy != nil || b.copy != nil {
		return 0, counts, false
	}
	before, all = a.firstOther(b)
	names := a.names()
	for e := range a.entries(0, 0, nil) {
		if !all && e.time >= before {
			break
		}
		counts[names[e.channel]]++
	}
	return before, counts, all
}

// names returns the channels of a log once it is indexed.
func (l *Log) names() []string {
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all.channels)
}

// firstOther returns the time of the first message that is not known to be equal in another log; all: there is none.
func (l *Log) firstOther(other *Log) (at soccer.Time, all bool) {
	mine, theirs := l.names(), other.names()
	next, stop := iter.Pull(other.entries(0, 0, nil))
	defer stop()
	chunk, same := -1, false
	for e := range l.entries(0, 0, nil) {
		o, ok := next()
		if !ok {
			return e.time, false
		}
		if e.time != o.time || e.offset != o.offset || e.offset&inChunk == 0 || mine[e.channel] != theirs[o.channel] ||
			e.channel != o.channel {
			return min(e.time, o.time), false
		}
		if n := int((e.offset &^ inChunk) >> 32); n != chunk {
			chunk, same = n, l.packed.equal(&other.packed, n)
		}
		if !same {
			return e.time, false
		}
	}
	if o, ok := next(); ok {
		return o.time, false
	}
	return math.MaxInt64, true
}

// equal reports whether chunk n of two logs has the same bytes.
func (r *chunkReader) equal(other *chunkReader, n int) bool {
	mine, x, ok := r.bytes(n)
	theirs, y, ok2 := other.bytes(n)
	return ok && ok2 && x.unpacked == y.unpacked && x.crc == y.crc && bytes.Equal(mine, theirs)
}

// bytes reads a chunk as it is in the file; false if it cannot be read.
func (r *chunkReader) bytes(n int) ([]byte, chunkSpan, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n >= len(r.chunks) || r.chunks[n].damaged != nil {
		return nil, chunkSpan{}, false
	}
	packed := make([]byte, r.chunks[n].packed)
	_, err := r.file.ReadAt(packed, r.chunks[n].start)
	return packed, r.chunks[n], err == nil
}
