package msl

import "bytes"

// Position counts the bytes and lines of a file while a bufio.Scanner splits it. The zero value is ready.
type Position struct {
	Offset, Line         int64 // place of the first byte of the newest token; lines count from 1
	nextOffset, nextLine int64 // place of the bytes that follow; lines from 0
}

// Split returns a bufio.SplitFunc that does what split does, and counts. A token must be a part of the scanner's data.
func (p *Position) Split(split func(data []byte, atEOF bool) (int, []byte, error)) func([]byte, bool) (int, []byte,
	error) {
	return func(data []byte, atEOF bool) (int, []byte, error) {
		n, token, err := split(data, atEOF)
		if token != nil {
			at := cap(data) - cap(token)
			p.Offset, p.Line = p.nextOffset+int64(at), p.nextLine+int64(bytes.Count(data[:at], []byte{'\n'}))+1
		}
		p.nextOffset, p.nextLine = p.nextOffset+int64(n), p.nextLine+int64(bytes.Count(data[:n], []byte{'\n'}))
		return n, token, err
	}
}

// Next returns the offset of the bytes that follow the newest token.
func (p *Position) Next() int64 { return p.nextOffset }
