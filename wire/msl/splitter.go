package msl

import "bytes"

// keepCarry is how much memory a Splitter keeps between messages, in bytes; an ordinary worldstate has 1 to 5 kB.
const keepCarry = 64 << 10

// Splitter cuts a stream into messages at its NULs, wherever the stream's reads end. The zero Splitter is ready.
type Splitter struct {
	// Lost counts the bytes of messages longer than MaxMessage: they are dropped up to their NUL.
	Lost int64

	carry   []byte // what came since the last NUL, at most MaxMessage bytes
	pending int
}

// Split takes the next bytes of the stream and calls message with each message that they end, without its NUL. Where
// there is nothing between two NULs there is no message. The slice is data's or the Splitter's: it is valid until message
// returns.
func (s *Splitter) Split(data []byte, message func([]byte)) {
	for {
		part, rest, ended := bytes.Cut(data, []byte{0})
		before := s.pending
		s.pending += len(part)
		whole := part
		switch {
		case s.pending > MaxMessage:
			s.Lost += int64(len(part))
			if before <= MaxMessage {
				s.Lost += int64(before)
			}
			s.carry, whole = nil, nil
		case before > 0 || !ended:
			s.carry = append(s.carry, part...)
			whole = s.carry
		}
		if !ended {
			return
		}
		if len(whole) > 0 {
			message(whole)
		}
		s.pending = 0
		if s.carry = s.carry[:0]; cap(s.carry) > keepCarry {
			s.carry = nil
		}
		data = rest
	}
}

// Pending returns how many bytes came since the last NUL, with those that were dropped.
func (s *Splitter) Pending() int { return s.pending }
