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

// The rules of Check.
var (
	ruleMagic = wire.Rule{Key: "magic", Source: sourceDatagram,
		Text: `no TCM datagram: begin with "TCM"`}
	ruleTruncated = wire.Rule{Key: "truncated", Source: sourceDatagram,
		Text: "a truncated datagram: %d bytes, of at least %d"}
	ruleVersion = wire.Rule{Key: "version", Source: sourceDatagram,
		Text: "%d is unknown, and receivers drop the datagram: write %d"}
	ruleFlags = wire.Rule{Key: "flags", Source: sourceDatagram,
		Text: "reserved bits are set (0x%02x): write 0, or 1 if signed"}
	ruleTeam = wire.Rule{Key: "team", Source: sourceDatagram,
		Text: "0 is no team: write 1 to 255"}
	ruleFrom = wire.Rule{Key: "from", Source: sourceDatagram,
		Text: "0 means all of a kind: a source has an id from 1 to 255"}
	ruleSocket = wire.Rule{Key: "socket", Source: sourceDatagram,
		Text: "%d is no socket: write 0 robots, 1 bulk, 2 telemetry or 3 command"}
	ruleSequence = wire.Rule{Key: "sequence", Source: sourceDatagram,
		Text: "0: count the datagrams to this destination and socket from 1"}
	ruleKind = wire.Rule{Key: "kind", Source: sourceDatagram,
		Text: "%d is no kind of entity: write 1 for a robot, 2 for a computer"}
	ruleEchoAll = wire.Rule{Key: "echo-all", Source: sourceEcho,
		Text: "0 means all of a kind: an echo belongs to one entity, 1 to 255"}
	ruleEchoKind = wire.Rule{Key: "echo-kind", Source: sourceEcho,
		Text: "%d without a kind: write 0 in all fields of the echo, or its kind, too"}
	ruleZero = wire.Rule{Key: "zero", Source: sourceDatagram,
		Text: "%d in a reserved byte: write 0"}
	ruleEchoHeld = wire.Rule{Key: "echo-held", Source: sourceEcho,
		Text: "%d us without an echo: write 0"}
	ruleEchoSent = wire.Rule{Key: "echo-sent", Source: sourceEcho,
		Text: "%d ns without an echo: write 0"}
	rulePieceHeader = wire.Rule{Key: "piece-header", Source: sourcePieces,
		Text: "%d bytes are left of the %d of a piece header: the datagram is truncated, or the length " +
			"of the piece before is wrong"}
	rulePieceLength = wire.Rule{Key: "piece-length", Source: sourcePieces,
		Text: "%d, but %d bytes are left, %d too few: the datagram is truncated, or the length is wrong"}
	rulePieceFlags = wire.Rule{Key: "piece-flags", Source: sourcePieces,
		Text: "reserved bits are set (0x%02x): write 0, 1 for a fragment, 3 for parity"}
	ruleParity = wire.Rule{Key: "parity", Source: sourcePieces,
		Text: "parity without the bit of a fragment: write 3"}
	ruleModule = wire.Rule{Key: "module", Source: sourceTables,
		Text: "0 is no module: write 1 to 9, or 64 to 255 for a module of your own"}
	ruleModuleReserved = wire.Rule{Key: "module-reserved", Source: sourceTables, Note: true,
		Text: "%d is reserved: modules of your own have 64 to 255"}
	ruleType = wire.Rule{Key: "type", Source: sourceTables,
		Text: "0 is no type: write one of the table, or 1000 and more for your own"}
	ruleTypeReserved = wire.Rule{Key: "type-reserved", Source: sourceTables, Note: true,
		Text: "%d is reserved: types of your own have 1000 and more"}
	ruleWhole = wire.Rule{Key: "whole", Source: sourcePieces,
		Text: "%d bytes in one piece: cut messages above 1200 bytes into fragments"}
	ruleLength = wire.Rule{Key: "length", Source: sourcePieces,
		Text: "%d in %s: write %d"}
	ruleGroup = wire.Rule{Key: "group", Source: sourcePieces,
		Text: "%d, but %d pieces with one parity piece per %d have %d groups: write 0 to %d"}
	ruleIndex = wire.Rule{Key: "index", Source: sourcePieces,
		Text: "%d in a message of %d pieces: count from 0"}
	ruleCount = wire.Rule{Key: "count", Source: sourcePieces,
		Text: "%d in a fragment: a message of up to 1200 bytes is one piece, not a fragment"}
	ruleTotal = wire.Rule{Key: "total", Source: sourcePieces,
		Text: "%d bytes do not fill %d pieces of 1200: write %d to %d, or %d as the count"}
	ruleMany = wire.Rule{Key: "many", Source: sourcePieces, Note: true,
		Text: "%d data and %d parity pieces: touchline drops messages of more than %d"}
	ruleEvery = wire.Rule{Key: "every", Source: sourcePieces,
		Text: "0 in a parity piece: write the number of data pieces per parity piece"}
	rulePieceZero = wire.Rule{Key: "piece-zero", Source: sourcePieces,
		Text: "%d in a reserved byte: write 0"}
	ruleSize = wire.Rule{Key: "size", Source: sourceDatagram,
		Text: "%d bytes: a datagram has at most %d, which fit into one Ethernet frame"}
	ruleCrc = wire.Rule{Key: "crc", Source: sourceDatagram,
		Text: "0x%08x, want 0x%08x, the CRC-32C of bytes 0 to %d: the datagram is truncated or altered, " +
			"or has another checksum"}

	rulesOfCheck = []wire.Rule{
		ruleMagic, ruleTruncated, ruleVersion, ruleFlags, ruleTeam, ruleFrom, ruleSocket, ruleSequence,
		ruleKind, ruleEchoAll, ruleEchoKind, ruleZero, ruleEchoHeld, ruleEchoSent, rulePieceHeader,
		rulePieceLength, rulePieceFlags, ruleParity, ruleModule, ruleModuleReserved, ruleType,
		ruleTypeReserved, ruleWhole, ruleLength, ruleGroup, ruleIndex, ruleCount, ruleTotal, ruleMany,
		ruleEvery, rulePieceZero, ruleSize, ruleCrc}
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
		c.add(&ruleMagic, 0, "magic")
		return c.issues
	}
	least := HeaderSize + SumSize
	if len(b) > 4 && b[4]&flagSigned != 0 {
		least += TagSize
	}
	switch {
	case len(b) < least:
		c.add(&ruleTruncated, len(b), "", len(b), least)
		return c.issues
	case b[3] != Version:
		c.add(&ruleVersion, 3, "version", b[3], Version)
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

func (c *checker) add(r *wire.Rule, at int, field string, values ...any) {
	c.issues = append(c.issues, r.Issue(at, field, values...))
}

// header checks the values of the header, by offset.
func (c *checker) header() {
	b := c.b
	var h Header
	h.decode((*[HeaderSize]byte)(b))
	if extra := b[4] &^ flagSigned; extra != 0 {
		c.add(&ruleFlags, 4, "flags", b[4])
	}
	if h.Team == 0 {
		c.add(&ruleTeam, 5, "team")
	}
	c.kind(6, "from.kind", h.From.Kind)
	if h.From.ID == 0 {
		c.add(&ruleFrom, 7, "from.id")
	}
	c.kind(8, "to.kind", h.To.Kind)
	if h.Socket >= Sockets {
		c.add(&ruleSocket, 10, "socket", b[10])
	}
	if h.Echo.From.Kind != 0 {
		c.kind(11, "echo.kind", h.Echo.From.Kind)
	}
	if h.Sequence == 0 {
		c.add(&ruleSequence, 16, "sequence")
	}
	c.echo(&h.Echo)
}

func (c *checker) kind(at int, field string, k Kind) {
	if k != Robot && k != Computer {
		c.add(&ruleKind, at, field, uint8(k))
	}
}

// echo checks the fields from byte 32 on.
func (c *checker) echo(e *Echo) {
	switch {
	case e.From.Kind != 0 && e.From.ID == 0:
		c.add(&ruleEchoAll, 32, "echo.id")
	case e.From.Kind == 0 && e.From.ID != 0:
		c.add(&ruleEchoKind, 32, "echo.id", e.From.ID)
	}
	for i, v := range c.b[33:36] {
		if v != 0 {
			c.add(&ruleZero, 33+i, "zero", v)
			break
		}
	}
	if e.From.Kind == 0 && e.Held != 0 {
		c.add(&ruleEchoHeld, 36, "echo.held", e.Held)
	}
	if e.From.Kind == 0 && e.Sent != 0 {
		c.add(&ruleEchoSent, 40, "echo.sent", e.Sent)
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
			c.add(&rulePieceHeader, at, name+"flags", len(b), head)
			return
		case size > len(b):
			c.piece(at, name, &p, size-head)
			c.add(&rulePieceLength, at+16, name+"length", size-head, len(b)-head, size-len(b))
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
		c.add(&rulePieceFlags, at, name+"flags", flags)
	}
	if p.Parity && !p.Fragment {
		c.add(&ruleParity, at, name+"flags")
	}
	switch {
	case p.Module == 0:
		c.add(&ruleModule, at+1, name+"module")
	case p.Module < FirstOwnModule && !p.Module.known():
		c.add(&ruleModuleReserved, at+1, name+"module", uint8(p.Module))
	}
	switch {
	case p.Type == 0:
		c.add(&ruleType, at+2, name+"type")
	case p.Type < FirstOwnType && !p.Type.known():
		c.add(&ruleTypeReserved, at+2, name+"type", uint16(p.Type))
	}
	if !p.Fragment {
		if length > PieceSize {
			c.add(&ruleWhole, at+16, name+"length", length)
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
		c.add(&ruleLength, at+16, name+"length", length, c.role(p), want)
	}
	switch {
	case p.Parity && p.Every > 0 && int(p.Index) >= p.Groups():
		c.add(&ruleGroup, at+18, name+"index", p.Index, count, p.Every, p.Groups(), p.Groups()-1)
	case !p.Parity && p.Index >= p.Count:
		c.add(&ruleIndex, at+18, name+"index", p.Index, count)
	}
	switch {
	case count < 2:
		c.add(&ruleCount, at+20, name+"count", count)
	case !fits:
		c.add(&ruleTotal, at+22, name+"total", total, count, least, most, max(1, (total+PieceSize-1)/PieceSize))
	case count+p.Groups() > maxPieces:
		c.add(&ruleMany, at+20, name+"count", count, p.Groups(), maxPieces)
	}
	if p.Parity && p.Every == 0 {
		c.add(&ruleEvery, at+30, name+"every")
	}
	if zero := c.b[at+31]; zero != 0 {
		c.add(&rulePieceZero, at+31, name+"zero", zero)
	}
}

// words are parts of the texts of rules: what a fragment is.
var words = map[string]string{
	"parity": "a parity piece", "last": "the last piece of %d bytes", "inner": "a piece before the last",
}

// role names a fragment in a text.
func (c *checker) role(p *Piece) string {
	switch {
	case p.Parity:
		return words["parity"]
	case p.Index+1 == p.Count:
		return fmt.Sprintf(words["last"], p.Total)
	}
	return words["inner"]
}

// frame checks the size and the checksum.
func (c *checker) frame() {
	b, end := c.b, len(c.b)-SumSize
	if len(b) > MaxDatagram {
		c.add(&ruleSize, MaxDatagram, "", len(b), MaxDatagram)
	}
	if got, want := binary.LittleEndian.Uint32(b[end:]), Sum(b[:end]); got != want {
		c.add(&ruleCrc, end, "crc", got, want, end-1)
	}
}
