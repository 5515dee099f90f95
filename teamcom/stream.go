package teamcom

import "touchline/soccer"

// stream is the state of received messages that are numbered together.
type stream struct {
	key     streamKey
	newest  uint32  // number of the newest message
	done    uint64  // bit i: message newest-i was delivered or given up
	options Options // options of its type
}

// window is the number of messages that may overtake one of a stream without LatestWins.
const window = 64

// stream returns the stream of p. A new one replaces the one that was silent longest if the sender has too many.
func (n *Node) stream(now soccer.Time, s *sender, key streamKey, number uint32) *stream {
	if e := s.streams.Find(key); e != nil {
		e.Used = now
		return &e.Value
	}
	e, forgot := s.streams.Add(key, now, maxStreams, 0)
	if forgot {
		n.giveUpBefore(now, s, &e.Value, e.Value.newest+1)
	}
	e.Value = stream{key: key, newest: number, options: n.options(key.typ)}
	return &e.Value
}

// finish marks a message as delivered or given up.
func (st *stream) finish(number uint32) {
	if age := st.newest - number; age < window {
		st.done |= 1 << age
	}
}

// admitNumber returns the counter of the reason to drop a piece because of its message's number, or nil. Numbers wrap
// (RFC 1982).
func (n *Node) admitNumber(now soccer.Time, s *sender, st *stream, number uint32) *uint64 {
	latestWins := st.options.LatestWins
	ahead := int32(number - st.newest)
	switch {
	case ahead > 0:
		if latestWins {
			n.giveUpBefore(now, s, st, number)
		}
		st.done <<= min(uint32(ahead), window)
		st.newest = number
	case ahead < 0 && latestWins, ahead <= -window:
		return &n.dropped.Stale
	case st.done>>-ahead&1 == 1:
		return &n.dropped.Duplicates
	}
	return nil
}

// giveUpBefore gives up the incomplete messages of a stream that are older than a number.
func (n *Node) giveUpBefore(now soccer.Time, s *sender, st *stream, number uint32) {
	for i := 0; i < len(s.partials); {
		if m := s.partials[i]; m.stream == st && int32(number-m.number) > 0 {
			n.giveUp(now, s, m, &n.dropped.Superseded)
			continue
		}
		i++
	}
}
