package msl

import "bytes"

// keepCarry is how much memory a Splitter keeps between messages, in bytes; an ordinary worldstate has 1 to 5 kB.
const keepCarry = 64 << 10

// Splitter splits a stream into messages at its NULs. The zero value is ready.
type Splitter struct {
	// Lost counts the bytes of messages longer than MaxMessage, which are dropped.
	Lost int64

	carry   []byte // bytes since the last NUL, at most MaxMessage
	pending int
}

// Split adds the next bytes of the stream and calls message with each complete message, without its NUL. It skips empty
// messages. The slice is valid until message returns.
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

// Pending returns the number of bytes since the last NUL, including dropped ones.
func (s *Splitter) Pending() int { return s.pending }
