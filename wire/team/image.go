package team

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"touchline/wire"
	"touchline/wire/internal/coder"
)

// Geometry of an Image in the TCM's pieces.
const (
	imagePiece  = 1200 // bytes of each piece of a message but the last (wire/tcm)
	imageHeader = 18   // bytes of the header of each piece
	noSlice     = 0xffff
	maxSlice    = 0xffff // bytes
)

// Image is a picture of a robot's camera, cut into slices of Rows rows. Each piece of 1,200 bytes begins with the header
// of the picture, and a slice that fits into one piece is in one piece: a piece that arrives shows its part, whatever
// became of the others.
type Image struct {
	Format        PictureFormat
	Quality       uint8  // JPEG quality, 1 to 100; 0 for other formats
	Divisor       uint8  // pixels of the camera to one of this picture, both ways
	Width, Height uint16 // pixels, 1 to MaxPicture
	Rows          uint16 // rows of each slice but the last: 16 (JPEG), or an even number
	X, Y          uint16 // place of its top left pixel in the camera's picture
	Slices        [][]byte
}

// Count returns the number of slices, from the geometry.
func (m *Image) Count() int {
	if m.Rows == 0 {
		return 0
	}
	return (int(m.Height) + int(m.Rows) - 1) / int(m.Rows)
}

var errImage = errors.New("team: pieces of different pictures")

func (m *Image) layout(c *coder.Coder) {
	if c.Special("image") {
		return
	}
	if c.Writing {
		m.checkGeometry(c)
		m.checkSlices(c)
		if len(c.Issues) == 0 {
			c.B = m.appendPieces(c.B)
		}
		return
	}
	b := c.B
	if c.Listing {
		m.list(c)
		return
	}
	if c.CheckVersion(); c.Err != nil {
		m.clear()
		return
	}
	c.At = 0
	if len(b) < imageHeader {
		c.Next(imageHeader)
		m.clear()
		return
	}
	if c.Strict {
		m.header(b)
		c.At = imageHeader
		if m.checkGeometry(c); len(c.Issues) > 0 {
			c.At = len(b)
			return
		}
	}
	if c.Err = m.UnmarshalPartial(b, nil); c.Err == nil {
		c.Err = m.complete(b)
	}
	if c.At = len(b); c.Strict && c.Err == nil {
		m.checkCanonical(c)
	} else if c.Strict && !errors.Is(c.Err, wire.ErrShort) {
		c.At = 0
		c.Fault(0, "pieces", "%v", c.Err)
		c.At = len(b)
	}
}

// clear makes the picture empty. It keeps the memory.
func (m *Image) clear() { *m = Image{Slices: m.Slices[:0]} }

// checkGeometry refuses a picture that cannot be: receivers compute with these numbers before they decode a slice.
func (m *Image) checkGeometry(c *coder.Coder) {
	for _, f := range []struct {
		back  int // bytes from the end of the header
		name  string
		v     uint16
		least uint16
		most  uint16
	}{
		{17, "format", uint16(m.Format), 0, uint16(len(formatNames) - 1)},
		{16, "quality", uint16(m.Quality), 0, 100},
		{15, "divisor", uint16(m.Divisor), 1, 8},
		{14, "width", m.Width, 1, MaxPicture},
		{12, "height", m.Height, 1, MaxPicture},
		{10, "rows", m.Rows, 1, MaxPicture},
	} {
		if f.v < f.least || f.v > f.most {
			c.Fault(f.back, f.name, ruleGeometry.Text, f.v, f.least, f.most)
		}
	}
	switch {
	case m.Format == JPEG && m.Rows != 16:
		c.Fault(10, "rows", ruleRowsJPEG.Text, m.Rows)
	case m.Format == YCbCr && m.Rows%2 != 0:
		c.Fault(10, "rows", ruleRowsYCbCr.Text, m.Rows)
	case m.Format == JPEG && m.Quality == 0:
		c.Fault(16, "quality", "%s", ruleQuality.Text)
	}
}

// checkSlices refuses slices that no piece holds.
func (m *Image) checkSlices(c *coder.Coder) {
	if len(m.Slices) != m.Count() {
		c.Fault(0, "slices", "%d: want %d for %d rows", len(m.Slices), m.Count(), m.Height)
	}
	for i, s := range m.Slices {
		if len(s) < 1 || len(s) > maxSlice {
			c.Fault(0, "slices["+strconv.Itoa(i)+"]", "%d bytes: want 1 to %d", len(s), maxSlice)
			return
		}
	}
}

// checkCanonical reports bytes that the layout does not give: padding that is not 0, or slices at other places.
func (m *Image) checkCanonical(c *coder.Coder) {
	again := m.appendPieces(nil)
	if bytes.Equal(again, c.B) {
		return
	}
	at := 0
	for at < min(len(again), len(c.B)) && again[at] == c.B[at] {
		at++
	}
	c.At = at
	c.Fault(0, "pieces", "%s", ruleCanonical.Text)
	c.At = len(c.B)
}

// appendPieces appends the pieces of the picture.
func (m *Image) appendPieces(b []byte) []byte {
	piece := 0
	begin := func() {
		piece = len(b)
		b = append(b, Version, byte(m.Format), m.Quality, m.Divisor)
		for _, v := range [...]uint16{m.Width, m.Height, m.Rows, m.X, m.Y, noSlice, 0} {
			b = binary.LittleEndian.AppendUint16(b, v)
		}
	}
	left := func() int { return imagePiece - (len(b) - piece) }
	begin()
	for i, s := range m.Slices {
		need := 2 + len(s)
		if left() < need && (need <= imagePiece-imageHeader || left() < 2) {
			b = append(b, make([]byte, left())...)
			begin()
		}
		if binary.LittleEndian.Uint16(b[piece+14:]) == noSlice {
			binary.LittleEndian.PutUint16(b[piece+14:], uint16(i))
			binary.LittleEndian.PutUint16(b[piece+16:], uint16(len(b)-piece))
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(len(s)))
		for len(s) > 0 {
			if left() == 0 {
				begin()
			}
			n := min(left(), len(s))
			b, s = append(b, s[:n]...), s[n:]
		}
	}
	return b
}

// header sets the geometry from the header of a piece, and returns the first slice that begins in it and where.
func (m *Image) header(piece []byte) (first, at int) {
	u16 := func(at int) uint16 { return binary.LittleEndian.Uint16(piece[at:]) }
	m.Format, m.Quality, m.Divisor = PictureFormat(piece[1]), piece[2], piece[3]
	m.Width, m.Height, m.Rows, m.X, m.Y = u16(4), u16(6), u16(8), u16(10), u16(12)
	return int(u16(14)), int(u16(16))
}

// UnmarshalPartial decodes b, of which some bytes did not arrive: have reports whether bytes [from, to) did; nil: all.
// Slices that are not complete are empty. It fails if no piece arrived, or if pieces disagree.
func (m *Image) UnmarshalPartial(b []byte, have func(from, to int) bool) error {
	if have == nil {
		have = func(int, int) bool { return true }
	}
	var geometry []byte
	for at := 0; at+imageHeader <= len(b); at += imagePiece {
		if !have(at, min(at+imagePiece, len(b))) {
			continue
		}
		piece := b[at:]
		if geometry == nil {
			if err := m.open(piece); err != nil {
				return err
			}
			geometry = piece[:14]
		}
		if !bytes.Equal(piece[:14], geometry) {
			m.clear()
			return errImage
		}
		if err := m.read(b, at, have); err != nil {
			m.clear()
			return err
		}
	}
	if geometry == nil {
		m.clear()
		return fmt.Errorf("team: %w: no piece of the picture arrived", wire.ErrShort)
	}
	return nil
}

// open takes the geometry of a piece and makes room for the slices.
func (m *Image) open(piece []byte) error {
	m.clear()
	if piece[0] != Version {
		return fmt.Errorf("%w: %d instead of %d", ErrVersion, piece[0], Version)
	}
	m.header(piece)
	c := protocol.Reader(nil)
	if m.checkGeometry(&c); len(c.Issues) > 0 {
		err := errors.New("team: " + c.Issues[0].Field + ": " + c.Issues[0].Text)
		m.clear()
		return err
	}
	m.Slices = slices.Grow(m.Slices, m.Count())[:m.Count()]
	for i := range m.Slices {
		m.Slices[i] = m.Slices[i][:0]
	}
	return nil
}

// read reads the slices that begin in the piece at an offset.
func (m *Image) read(b []byte, piece int, have func(from, to int) bool) error {
	end := min(piece+imagePiece, len(b))
	index, at := m.header(b[piece:])
	if index == noSlice {
		return nil
	}
	if at < imageHeader {
		return fmt.Errorf(ruleSliceAt.Text, at, imageHeader)
	}
	for at += piece; at+2 <= end; index++ {
		n := int(binary.LittleEndian.Uint16(b[at:]))
		if at += 2; n == 0 {
			return nil // padding
		}
		if index >= len(m.Slices) {
			return fmt.Errorf(ruleSliceIndex.Text, index, len(m.Slices))
		}
		s := m.Slices[index][:0]
		for from := piece; n > 0; {
			stop := min(from+imagePiece, len(b))
			k := min(n, stop-at)
			if k < 0 || !have(from, stop) {
				s = s[:0]
				break
			}
			s = append(s, b[at:at+k]...)
			if n -= k; n == 0 {
				at += k
				break
			}
			if from += imagePiece; from+imageHeader > len(b) {
				s = s[:0]
				break
			}
			at = from + imageHeader
		}
		m.Slices[index] = s
	}
	return nil
}

// complete returns an error if a slice is missing, or bytes after the last slice.
func (m *Image) complete(b []byte) error {
	for i, s := range m.Slices {
		if len(s) == 0 {
			return fmt.Errorf("team: %w: slice %d of %d is not complete", wire.ErrShort, i, len(m.Slices))
		}
	}
	if n := len(b) % imagePiece; n > 0 && n < imageHeader {
		return fmt.Errorf("team: %w: a piece of %d bytes", wire.ErrShort, n)
	}
	return nil
}

// list lists the fields of each piece.
func (m *Image) list(c *coder.Coder) {
	n := len(c.B)
	if n < imageHeader {
		c.Next(imageHeader)
		return
	}
	m.header(c.B)
	for at := 0; at < n; at += imagePiece {
		end := min(at+imagePiece, n)
		c.In("pieces", at/imagePiece)
		if end-at < imageHeader {
			c.At = end
			c.Row(end-at, "data", fmt.Sprintf("%d bytes", end-at), "")
			break
		}
		if at == 0 {
			m.listHeader(c)
		} else {
			c.At = at + imageHeader
			c.Row(imageHeader, "header", fmt.Sprintf("first slice %d", binary.LittleEndian.Uint16(c.B[at+14:])), "")
		}
		if c.At = end; end > at+imageHeader {
			c.Row(end-at-imageHeader, "data", fmt.Sprintf("%d bytes", end-at-imageHeader), "")
		}
	}
	c.In("", -1)
	c.At = n
}

// listHeader lists the header of the first piece.
func (m *Image) listHeader(c *coder.Coder) {
	row := func(n int, field, value, unit string) {
		c.At += n
		c.Row(n, field, value, unit)
	}
	first, at := m.header(c.B)
	row(1, "version", strconv.Itoa(int(c.B[0])), "")
	row(1, "format", m.Format.String(), "")
	row(1, "quality", strconv.Itoa(int(m.Quality)), "")
	row(1, "divisor", strconv.Itoa(int(m.Divisor)), "")
	for _, f := range []struct {
		name string
		v    int
		unit string
	}{
		{"width", int(m.Width), "px"}, {"height", int(m.Height), "px"}, {"rows", int(m.Rows), "px"},
		{"x", int(m.X), "px"}, {"y", int(m.Y), "px"}, {"first", first, ""}, {"at", at, ""},
	} {
		row(2, f.name, strconv.Itoa(f.v), f.unit)
	}
}
