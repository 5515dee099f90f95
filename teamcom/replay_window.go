package teamcom

import "touchline/soccer"

// windowSize is how many sequences behind the newest one are remembered (RFC 4303, section 3.4.3, has the algorithm).
const windowSize = 1024

// maxAhead bounds the step to the next sequence. Bigger steps are forged: at 100,000 datagrams a second they would take
// half a day.
const maxAhead = 1 << 32

// replayWindow is the replay window of the datagrams to one destination and socket.
type replayWindow struct {
	open    bool
	first   uint64 // lowest accepted sequence
	highest uint64
	last    soccer.Time // arrival of the newest accepted datagram
	seen    [windowSize / 64]uint64
	marks   [windowSize]uint8 // hashes of the departures of the datagrams in the window
}

// markOf returns a hash of a datagram's departure. It tells a copy of a datagram from a datagram of another peer with the
// same sequence.
func markOf(sent uint64) uint8 { return uint8(sent * 0x9e3779b97f4a7c15 >> 56) }

// place finds the place of a sequence. Differences are modulo 2^64.
func (s *replayWindow) place(sequence uint64, mark uint8, signed bool) (counts, verdict) {
	ahead := sequence - s.highest
	switch {
	case !s.open:
		*s = replayWindow{open: true, first: sequence, highest: sequence}
		s.record(sequence, mark)
		return counts{expected: 1, received: 1}, accepted
	case int64(ahead) > maxAhead, int64(ahead) <= -windowSize:
		return counts{}, replayed
	case int64(ahead) > 0:
		for i := range min(ahead, windowSize) {
			slot := (sequence - i) % windowSize
			s.seen[slot/64] &^= 1 << (slot % 64)
		}
		s.highest = sequence
		s.record(sequence, mark)
		return counts{expected: ahead, received: 1}, accepted
	case s.seen[sequence%windowSize/64]>>(sequence%64)&1 == 1:
		return counts{}, duplicate
	}
	change := counts{received: 1, reordered: 1}
	if missed := s.first - sequence; int64(missed) > 0 {
		if signed { // no window remembers whether it arrived before the node started
			return counts{}, replayed
		}
		change.expected = missed
		s.first = sequence
	}
	s.record(sequence, mark)
	return change, accepted
}

func (s *replayWindow) record(sequence uint64, mark uint8) {
	slot := sequence % windowSize
	s.seen[slot/64] |= 1 << (slot % 64)
	s.marks[slot] = mark
}

// isCopy reports whether a duplicate departed at the time of the datagram in its place.
func (s *replayWindow) isCopy(sequence uint64, mark uint8) bool {
	return s.marks[sequence%windowSize] == mark
}
