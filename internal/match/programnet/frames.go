package programnet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"touchline/wire/tcm"
)

// frameHead is the size of the length before a datagram, a little-endian u32 as in the TCM. A frame of length 0 ends a turn.
const frameHead = 4

// appendFrame appends a datagram with its length.
func appendFrame(b, datagram []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(datagram))), datagram...)
}

// frames reads what a program writes.
type frames struct {
	r   *bufio.Reader
	buf [tcm.MaxDatagram]byte
}

func newFrames(r io.Reader) *frames { return &frames{r: bufio.NewReaderSize(r, 1<<16)} }

// next returns the next datagram, valid until the next call; an empty one ends the turn. The error is io.EOF where the
// program ended between two frames, and io.ErrUnexpectedEOF within one.
func (f *frames) next() ([]byte, error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(head[:])
	if length > tcm.MaxDatagram {
		rest, _ := f.r.Peek(min(f.r.Buffered(), 60))
		line, _, _ := strings.Cut(string(head[:])+string(rest), "\n")
		return nil, fmt.Errorf("it wrote %.70q where a frame begins, whose length would be %d, and a datagram has at most %d bytes: "+
			"write only frames to standard output, and print text to standard error (in Python: file=sys.stderr)",
			line, length, tcm.MaxDatagram)
	}
	_, err := io.ReadFull(f.r, f.buf[:length])
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return f.buf[:length], err
}
