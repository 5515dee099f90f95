package teamcom

import (
	"cmp"
	"slices"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// maxTypes bounds the types that are counted one by one. A type that is silent for typeIdle may be replaced.
const (
	maxTypes = 32
	typeIdle = 10 * time.Second
)

// restartNumber is a step between two numbers of messages that no loss explains: the counter started again.
const restartNumber = 1 << 20

// typeKey is a type of messages of one module of the peer.
type typeKey struct {
	module tcm.Module
	kind   tcm.Type
}

func (k typeKey) compare(other typeKey) int {
	return cmp.Or(cmp.Compare(k.module, other.module), cmp.Compare(k.kind, other.kind))
}

// typeState is what is known of one type.
type typeState struct {
	key    typeKey
	direct numbers // numbers of messages to the node
	all    numbers // numbers of messages to all of the node's kind
	tally  tally
	delays samples // captured minus arrival
	last   soccer.Time
}

// Message counts a whole message that arrived at now in datagrams that Receive accepted: number and captured are those of
// its piece, size is its length in bytes.
func (p *link) Message(
	now soccer.Time, to tcm.Entity, m tcm.Module, t tcm.Type, number uint32, captured uint64, size int,
) {
	if p.cfg.Lean {
		return
	}
	p.rates.add(now, counts{received: 1})
	s := p.typeState(now, typeKey{m, t})
	if s == nil {
		p.others++
		return
	}
	s.last = now
	n := &s.direct
	if to.ID == 0 {
		n = &s.all
	}
	change := n.place(number)
	if change.received > 0 {
		change.bytes = uint64(size)
		s.delays.add(now, int64(captured-uint64(now)))
	}
	s.tally.add(now, change)
}

// typeState returns the state of a type; nil if there are too many.
func (p *link) typeState(now soccer.Time, key typeKey) *typeState {
	if i := slices.Index(p.keys, key); i >= 0 {
		return p.types[i]
	}
	if len(p.types) == maxTypes {
		oldest := 0
		for j, s := range p.types {
			if s.last < p.types[oldest].last {
				oldest = j
			}
		}
		if now.Sub(p.types[oldest].last) < typeIdle {
			return nil
		}
		p.others += p.types[oldest].tally.total.received
		p.types, p.keys = slices.Delete(p.types, oldest, oldest+1), slices.Delete(p.keys, oldest, oldest+1)
	}
	s := &typeState{key: key, delays: newSamples(32)}
	i, _ := slices.BinarySearchFunc(p.keys, key, typeKey.compare)
	p.types, p.keys = slices.Insert(p.types, i, s), slices.Insert(p.keys, i, key)
	return s
}

// numbers is the window of the last 64 numbers of a type's messages.
type numbers struct {
	open    bool
	first   uint32 // lowest number, at most 64 behind highest
	highest uint32
	seen    uint64 // bit i: highest - i
}

// place counts a number. Differences are modulo 2^32 (RFC 1982).
func (n *numbers) place(number uint32) counts {
	ahead := int32(number - n.highest)
	switch {
	case !n.open, ahead > restartNumber, ahead < -restartNumber:
		*n = numbers{open: true, first: number, highest: number, seen: 1}
		return counts{expected: 1, received: 1}
	case ahead > 0:
		n.seen = n.seen<<ahead | 1
		n.highest = number
		if n.highest-n.first > 64 {
			n.first = n.highest - 64
		}
		return counts{expected: uint64(ahead), received: 1}
	case ahead > -64 && n.seen>>-ahead&1 == 1:
		return counts{duplicates: 1}
	}
	change := counts{received: 1, reordered: 1}
	if ahead > -64 {
		n.seen |= 1 << -ahead
		if missed := int32(n.first - number); missed > 0 {
			change.expected = uint64(missed)
			n.first = number
		}
	}
	return change
}
