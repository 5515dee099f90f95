package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
)

// maxText is the longest message in bytes that a file of messages may hold.
const maxText = msl.MaxMessage + 1<<16

// messages lets c read the JSON messages of a base station: one, several that are each closed by a NUL, or several one
// after the other.
func (c *Reader) messages(r *bufio.Reader) error {
	head, err := io.ReadAll(io.LimitReader(r, msl.MaxMessage+1)) // the whole file, if it is a single message
	if err != nil {
		return err
	}
	start := len(head) - len(bytes.TrimPrefix(head, byteOrderMark))
	split := splitWhole
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		split = splitNUL
	case len(head) > msl.MaxMessage || severalRecords(head[start:]):
		split = msl.SplitRecords
	}
	var at msl.Position
	scanner := bufio.NewScanner(io.MultiReader(bytes.NewReader(head[start:]), r))
	scanner.Buffer(make([]byte, 1<<16), maxText)
	scanner.Split(at.Split(split))
	c.next = func() (soccer.Packet, error) {
		for scanner.Scan() {
			if len(scanner.Bytes()) > 0 {
				c.Line, c.Offset = at.Line, at.Offset+int64(start)
				return soccer.Packet{Data: scanner.Bytes()}, nil
			}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			return soccer.Packet{}, fmt.Errorf("capture: byte %d: a message of more than %d bytes: close each message with a NUL",
				at.Next()+int64(start), maxText)
		case errors.Is(err, wire.ErrShort):
			c.Skipped.Torn = true
		case err != nil:
			return soccer.Packet{}, err
		}
		return soccer.Packet{}, io.EOF
	}
	return nil
}

// severalRecords reports whether text holds more than one JSON object.
func severalRecords(text []byte) bool {
	advance, first, err := msl.SplitRecords(text, true)
	if first == nil || err != nil {
		return false
	}
	_, second, err := msl.SplitRecords(text[advance:], true)
	return second != nil && err == nil
}

// splitWhole takes all of a file for one message.
func splitWhole(data []byte, atEOF bool) (int, []byte, error) {
	if !atEOF || len(data) == 0 {
		return 0, nil, nil
	}
	return len(data), trimmed(data), nil
}

// splitNUL cuts at NULs. The rest behind the last one is a message too.
func splitNUL(data []byte, atEOF bool) (int, []byte, error) {
	n := bytes.IndexByte(data, 0)
	switch {
	case n >= 0:
		return n + 1, trimmed(data[:n]), nil
	case !atEOF || len(data) == 0:
		return 0, nil, nil
	}
	return len(data), trimmed(data), nil
}

// trimmed returns b without the blanks around it: a part of b even where nothing is left, as bufio.Scanner needs it.
func trimmed(b []byte) []byte {
	b = bytes.TrimRightFunc(b, unicode.IsSpace)
	return b[len(b)-len(bytes.TrimLeftFunc(b, unicode.IsSpace)):]
}
