package capture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	maxLine   = 1 << 16 // bytes of one line of hex text
	wholeLine = 64      // bytes: if the first line of a block holds this many, each line of the block is a datagram
)

// hexText reads datagrams that are written as hex digits: "7b02..." or "7b 02 ...", in upper or lower case. # starts a
// comment. An empty line ends a datagram. Consecutive lines are one datagram, unless the first of them holds 64 bytes
// or more: then each is a datagram. In the files of wire/vectors, each line begins with a word: "hex" precedes digits,
// and other lines separate datagrams.
type hexText struct {
	lines    *bufio.Scanner
	line     int
	perLine  bool // each line of this block is a datagram
	labelled bool // each line begins with a word
	data     []byte
	err      error
}

// newHex returns a reader of r, whose lines may have 64 KiB.
func newHex(r io.Reader) *hexText {
	h := &hexText{lines: bufio.NewScanner(r)}
	h.lines.Buffer(nil, maxLine)
	return h
}

// next returns the next datagram, which is valid until the next call. At the end the error is io.EOF; any other error
// names the line.
func (h *hexText) next() ([]byte, error) {
	h.data = h.data[:0]
	for h.err == nil && h.lines.Scan() {
		h.line++
		digits, _, comment := strings.Cut(h.lines.Text(), "#")
		digits = strings.TrimSpace(digits)
		if rest, ok := strings.CutPrefix(digits, "hex "); ok {
			h.labelled, digits = true, rest
		} else if h.labelled && digits != "" || strings.HasPrefix(digits, "name ") {
			h.labelled, digits, comment = true, "", false
		}
		switch {
		case digits != "":
			before := len(h.data)
			if h.err = h.decode(digits); h.err != nil {
				return nil, h.err
			}
			if before == 0 && len(h.data) >= wholeLine && !h.labelled {
				h.perLine = true
			}
			if h.perLine {
				return h.data, nil
			}
		case !comment:
			h.perLine = false
			if len(h.data) > 0 {
				return h.data, nil
			}
		}
	}
	if h.err == nil {
		h.err = io.EOF
		if err := h.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			h.err = fmt.Errorf("capture: line %d is longer than %d bytes: split it", h.line+1, maxLine)
		} else if err != nil {
			h.err = fmt.Errorf("capture: after line %d: %w", h.line, err)
		}
	}
	if h.err == io.EOF && len(h.data) > 0 {
		return h.data, nil
	}
	return nil, h.err
}

// decode appends the bytes of the words of a line.
func (h *hexText) decode(digits string) error {
	for word := range strings.FieldsSeq(digits) {
		if len(word)%2 != 0 {
			return fmt.Errorf("capture: line %d: %.20q has an odd number of hex digits: write two for each byte", h.line, word)
		}
		if len(h.data)+len(word)/2 > maxDatagram {
			return fmt.Errorf("capture: line %d: a datagram holds at most %d bytes: put an empty line between datagrams",
				h.line, maxDatagram)
		}
		for i := 0; i < len(word); i += 2 {
			high, low := nibble(word[i]), nibble(word[i+1])
			if high > 15 || low > 15 {
				return fmt.Errorf("capture: line %d: %.20q is not hex: write bytes like 7b 02, for example with \"xxd -p FILE\"",
					h.line, word)
			}
			h.data = append(h.data, high<<4|low)
		}
	}
	return nil
}

// nibble returns the value of a hex digit, or 255.
func nibble(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}
