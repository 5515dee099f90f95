package tcm

import (
	"encoding/binary"
	"errors"
	"fmt"

	"touchline/wire"
)

// Sources of issues.
const (
	sourceDatagram = "TCM datagram, The datagram"
	sourcePieces   = "TCM datagram, Pieces"
	sourceTables   = "TCM datagram, Modules and types"
	sourceEcho     = "TCM datagram, Echo and clocks"
)

// maxPieces bounds the messages that touchline reassembles, 4 MiB with their parity pieces.
const maxPieces = 4 << 20 / PieceSize

// valid reports whether Check finds no violation in h.
func (h *Header) valid() bool {
	return h.Team > 0 && h.From.valid() && (h.To.Kind == Robot || h.To.Kind == Computer) && h.Socket < Sockets &&
		h.Sequence > 0 && (h.Echo.From.valid() || h.Echo == Echo{})
}

// valid reports whether Check finds no violation in p.
func (p *Piece) valid() bool {
	return p.Module > 0 && p.Type > 0 && p.consistent() &&
		(p.Fragment || p.Index == 0 && p.Count == 0 && p.Total == 0 && p.Sum == 0 && p.Every == 0)
}

// firstViolation returns the first violation of an encoded datagram as an error.
func firstViolation(b []byte) error {
	for _, issue := range Check(b) {
		if !issue.Note {
			return errors.New("tcm: " + issue.String())
		}
	}
	return errors.New("tcm: a message that is no fragment has no index, count, total, sum or parity: leave them 0")
}

// Check returns the faults of the datagram b, by offset. Reserved numbers and sizes that receivers may refuse are notes.
// Only Key.Valid verifies the tag.
func Check(b []byte) []wire.Issue {
	c := checker{b: b}
	if !hasMagic(b) {
		c.add(0, "magic", sourceDatagram, `no TCM datagram: begin with "TCM"`)
		return c.issues
	}
	least := HeaderSize + SumSize
	if len(b) > 4 && b[4]&flagSigned != 0 {
		least += TagSize
	}
	switch {
	case len(b) < least:
		c.add(len(b), "", sourceDatagram, "a truncated datagram: %d bytes, of at least %d", len(b), least)
		return c.issues
	case b[3] != Version:
		c.add(3, "version", sourceDatagram, "%d is unknown, and receivers drop the datagram: write %d", b[3], Version)
		return c.issues
	}
	c.header()
	c.pieces(len(b) - least + HeaderSize)
	c.frame()
	return c.issues
}

// checker collects the issues of a datagram.
type checker struct {
	b      []byte
	issues []wire.Issue
}

func (c *checker) add(at int, field, source, format string, args ...any) {
	c.issues = append(c.issues, wire.Issue{Offset: at, Field: field, Source: source, Text: fmt.Sprintf(format, args...)})
}

func (c *checker) note(at int, field, source, format string, args ...any) {
	c.add(at, field, source, format, args...)
	c.issues[len(c.issues)-1].Note = true
}

// header checks the values of the header, by offset.
func (c *checker) header() {
	b := c.b
	var h Header
	h.decode((*[HeaderSize]byte)(b))
	if extra := b[4] &^ flagSigned; extra != 0 {
		c.add(4, "flags", sourceDatagram, "reserved bits are set (0x%02x): write 0, or 1 if signed", b[4])
	}
	if h.Team == 0 {
		c.add(5, "team", sourceDatagram, "0 is no team: write 1 to 255")
	}
	c.kind(6, "from.kind", h.From.Kind)
	if h.From.ID == 0 {
		c.add(7, "from.id", sourceDatagram, "0 means all of a kind: a source has an id from 1 to 255")
	}
	c.kind(8, "to.kind", h.To.Kind)
	if h.Socket >= Sockets {
		c.add(10, "socket", sourceDatagram, "%d is no socket: write 0 robots, 1 bulk, 2 telemetry or 3 command", b[10])
	}
	if h.Echo.From.Kind != 0 {
		c.kind(11, "echo.kind", h.Echo.From.Kind)
	}
	if h.Sequence == 0 {
		c.add(16, "sequence", sourceDatagram, "0: count the datagrams to this destination and socket from 1")
	}
	c.echo(&h.Echo)
}

func (c *checker) kind(at int, field string, k Kind) {
	if k != Robot && k != Computer {
		c.add(at, field, sourceDatagram, "%d is no kind of entity: write 1 for a robot, 2 for a computer", uint8(k))
	}
}

// echo checks the fields from byte 32 on.
func (c *checker) echo(e *Echo) {
	switch {
	case e.From.Kind != 0 && e.From.ID == 0:
		c.add(32, "echo.id", sourceEcho, "0 means all of a kind: an echo belongs to one entity, 1 to 255")
	case e.From.Kind == 0 && e.From.ID != 0:
		c.add(32, "echo.id", sourceEcho, "%d without a kind: write 0 in all fields of the echo, or its kind, too", e.From.ID)
	}
	for i, v := range c.b[33:36] {
		if v != 0 {
			c.add(33+i, "zero", sourceDatagram, "%d in a reserved byte: write 0", v)
			break
		}
	}
	if e.From.Kind == 0 && e.Held != 0 {
		c.add(36, "echo.held", sourceEcho, "%d us without an echo: write 0", e.Held)
	}
	if e.From.Kind == 0 && e.Sent != 0 {
		c.add(40, "echo.sent", sourceEcho, "%d ns without an echo: write 0", e.Sent)
	}
}

// pieces checks the pieces, which end at end.
func (c *checker) pieces(end int) {
	for i, at := 0, HeaderSize; at < end; i++ {
		var p Piece
		b, name := c.b[at:end], fmt.Sprintf("piece[%d].", i)
		size := p.decode(b)
		switch head := headSize(b); {
		case len(b) < head:
			c.add(at, name+"flags", sourcePieces, "%d bytes are left of the %d of a piece header: the datagram is truncated, "+
				"or the length of the piece before is wrong", len(b), head)
			return
		case size > len(b):
			c.piece(at, name, &p, size-head)
			c.add(at+16, name+"length", sourcePieces, "%d, but %d bytes are left, %d too few: the datagram is "+
				"truncated, or the length is wrong", size-head, len(b)-head, size-len(b))
			return
		default:
			c.piece(at, name, &p, size-head)
		}
		at += size
	}
}

// headSize returns the size of the header of the piece that b begins with.
func headSize(b []byte) int {
	if len(b) > 0 && b[0]&flagFragment != 0 {
		return FragmentHeader
	}
	return PieceHeader
}

// piece checks the values of one piece at byte at.
func (c *checker) piece(at int, name string, p *Piece, length int) {
	if flags := c.b[at]; flags&^(flagFragment|flagParity) != 0 {
		c.add(at, name+"flags", sourcePieces, "reserved bits are set (0x%02x): write 0, 1 for a fragment, 3 for parity",
			flags)
	}
	if p.Parity && !p.Fragment {
		c.add(at, name+"flags", sourcePieces, "parity without the bit of a fragment: write 3")
	}
	switch {
	case p.Module == 0:
		c.add(at+1, name+"module", sourceTables, "0 is no module: write 1 to 9, or 64 to 255 for a module of your own")
	case p.Module < FirstOwnModule && !p.Module.known():
		c.note(at+1, name+"module", sourceTables, "%d is reserved: modules of your own have 64 to 255", uint8(p.Module))
	}
	switch {
	case p.Type == 0:
		c.add(at+2, name+"type", sourceTables, "0 is no type: write one of the table, or 1000 and more for your own")
	case p.Type < FirstOwnType && !p.Type.known():
		c.note(at+2, name+"type", sourceTables, "%d is reserved: types of your own have 1000 and more", uint16(p.Type))
	}
	if !p.Fragment {
		if length > PieceSize {
			c.add(at+16, name+"length", sourcePieces, "%d bytes in one piece: cut messages above 1200 bytes into fragments",
				length)
		}
		return
	}
	c.fragment(at, name, p, length)
}

// fragment checks the sizes of a fragment: Piece.consistent in words.
func (c *checker) fragment(at int, name string, p *Piece, length int) {
	count, total := int(p.Count), int(p.Total)
	least, most := (count-1)*PieceSize+1, count*PieceSize
	fits := count >= 2 && total >= least && total <= most
	want, last := PieceSize, !p.Parity && p.Index+1 == p.Count
	if last && fits {
		want = total - (count-1)*PieceSize
	}
	if length != want && (fits || !last) {
		c.add(at+16, name+"length", sourcePieces, "%d in %s: write %d", length, c.role(p), want)
	}
	switch {
	case p.Parity && p.Every > 0 && int(p.Index) >= p.Groups():
		c.add(at+18, name+"index", sourcePieces, "%d, but %d pieces with one parity piece per %d have %d groups: write "+
			"0 to %d", p.Index, count, p.Every, p.Groups(), p.Groups()-1)
	case !p.Parity && p.Index >= p.Count:
		c.add(at+18, name+"index", sourcePieces, "%d in a message of %d pieces: count from 0", p.Index, count)
	}
	switch {
	case count < 2:
		c.add(at+20, name+"count", sourcePieces,
			"%d in a fragment: a message of up to 1200 bytes is one piece, not a fragment", count)
	case !fits:
		c.add(at+22, name+"total", sourcePieces, "%d bytes do not fill %d pieces of 1200: write %d to %d, or %d as the count",
			total, count, least, most, max(1, (total+PieceSize-1)/PieceSize))
	case count+p.Groups() > maxPieces:
		c.note(at+20, name+"count", sourcePieces, "%d data and %d parity pieces: touchline drops messages of more than %d",
			count, p.Groups(), maxPieces)
	}
	if p.Parity && p.Every == 0 {
		c.add(at+30, name+"every", sourcePieces, "0 in a parity piece: write the number of data pieces per parity piece")
	}
	if zero := c.b[at+31]; zero != 0 {
		c.add(at+31, name+"zero", sourcePieces, "%d in a reserved byte: write 0", zero)
	}
}

// role names a fragment in a text.
func (c *checker) role(p *Piece) string {
	switch {
	case p.Parity:
		return "a parity piece"
	case p.Index+1 == p.Count:
		return fmt.Sprintf("the last piece of %d bytes", p.Total)
	}
	return "a piece before the last"
}

// frame checks the size and the checksum.
func (c *checker) frame() {
	b, end := c.b, len(c.b)-SumSize
	if len(b) > MaxDatagram {
		c.add(MaxDatagram, "", sourceDatagram, "%d bytes: a datagram has at most %d, which fit into one Ethernet frame",
			len(b), MaxDatagram)
	}
	if got, want := binary.LittleEndian.Uint32(b[end:]), Sum(b[:end]); got != want {
		c.add(end, "crc", sourceDatagram,
			"0x%08x, want 0x%08x, the CRC-32C of bytes 0 to %d: the datagram is truncated or altered, or has another checksum",
			got, want, end-1)
	}
}
