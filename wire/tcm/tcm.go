// Package tcm encodes and decodes the datagrams of the team communication module: header, pieces of messages, an
// optional signature and a checksum. The TeamChaos paper describes the module; its layout is lost, and this one is
// touchline's own. docs/teamcom.md has the rules on one page.
//
// All integers are little-endian. Offsets and sizes are in bytes.
//
//	header, 48 bytes
//	   0  3  magic          "TCM"
//	   3  1  version        1
//	   4  1  flags          bit 0: signed; other bits 0
//	   5  1  team           1..255
//	   6  1  from kind      1 robot, 2 computer
//	   7  1  from id        1..255
//	   8  1  to kind        1 robot, 2 computer
//	   9  1  to id          0: all of the kind
//	  10  1  socket         0 robots, 1 bulk, 2 telemetry, 3 command
//	  11  1  echo kind      0: no echo; then all fields of the echo are 0
//	  12  4  boot           greater after each start of the source
//	  16  8  sequence       of the datagrams from this boot to this destination (kind, id, socket), from 1
//	  24  8  sent           ns, the source's clock, when the datagram left
//	  32  1  echo id        with the kind: the entity whose datagram is echoed
//	  33  3  zero
//	  36  4  held           us between the arrival of the echoed datagram and the departure of this one
//	  40  8  echoed         sent of the echoed datagram
//	piece, any number: 18 bytes, 32 in a fragment, and its payload
//	   0  1  flags          bit 0: fragment; bit 1: parity, only in fragments; other bits 0
//	   1  1  module         of the source
//	   2  2  type           of the message
//	   4  4  number         of messages of this boot, destination, module and type; wraps (RFC 1982)
//	   8  8  captured       ns, the source's clock
//	  16  2  length         of this piece's payload, at most 1,200
//	  18  2  index          in fragments, from 0; in parity pieces the group
//	  20  2  count          data pieces, 2..65,535
//	  22  4  total          bytes of the message
//	  26  4  message CRC    CRC-32C of the whole message
//	  30  1  parity every   data pieces per parity piece; 0: no parity
//	  31  1  zero
//	tag, 16 bytes, only if signed: the first half of HMAC-SHA-256 of everything before it
//	CRC, 4 bytes: CRC-32C of everything before it
//
// Each data piece of a message but the last has 1,200 bytes; piece i starts at byte 1,200 i. Messages of up to 1,200
// bytes are never fragments. Data piece i belongs to parity group i mod Groups; the parity piece of a group is the XOR
// of its data pieces, the last one padded with zeros.
package tcm

import (
	"errors"
	"fmt"
	"hash/crc32"

	"touchline/wire"
)

// Sizes in bytes.
const (
	HeaderSize     = 48
	PieceHeader    = 18
	FragmentHeader = 32   // the header of a piece that is a fragment
	PieceSize      = 1200 // payload of each data piece but the last, and of each parity piece
	TagSize        = 16
	SumSize        = 4
	MaxDatagram    = 1472 // Ethernet's 1,500 bytes without the headers of IP and UDP
	OwnDatagram    = 1300 // the most that touchline sends: header, fragment, tag and checksum
)

// Version is the version of the layout.
const Version = 1

const magic = "TCM"

// Bits of the flags.
const (
	flagSigned   = 1 << 0 // bit of the header
	flagFragment = 1 << 0 // bit of a piece
	flagParity   = 1 << 1
)

// Errors of UnmarshalBinary. A truncated datagram wraps wire.ErrShort if it ends before its smallest size, and is
// ErrSum otherwise.
var (
	ErrForeign = errors.New("tcm: not a TCM datagram")
	ErrVersion = errors.New("tcm: unknown version")
	ErrLong    = errors.New("tcm: longer than 1,472 bytes")
	ErrSum     = errors.New("tcm: wrong checksum")
	ErrPiece   = errors.New("tcm: a piece contradicts itself or ends behind the datagram")
	errShort   = fmt.Errorf("tcm: %w", wire.ErrShort)
)

// castagnoli is the table of CRC-32C, the checksum of iSCSI (RFC 3720, section 12.1).
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the CRC-32C of b, the checksum of datagrams and messages.
func Sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Echo is the half of a two-way exchange of timestamps that a datagram returns to one entity.
type Echo struct {
	From Entity // whose datagram is echoed; the zero Entity: no echo
	Held uint32 // us between the arrival of that datagram and the departure of this one
	Sent uint64 // ns, sent of that datagram
}

// Header is the header of a datagram.
type Header struct {
	Signed   bool
	Team     uint8
	From     Entity
	To       Entity // ID 0: all of the kind
	Socket   Socket
	Boot     uint32 // greater after each start of the source
	Sequence uint64 // number of the datagrams from this boot to To and Socket, from 1
	Sent     uint64 // ns, the source's clock, when the datagram left
	Echo     Echo
}

// Piece is a whole message, a fragment of a message, or a parity piece.
type Piece struct {
	Parity   bool
	Fragment bool
	Module   Module
	Type     Type
	Number   uint32 // count of messages of this boot, destination, module and type; wraps
	Captured uint64 // ns, the source's clock

	// Only in fragments.
	Index uint16 // index of the piece from 0; for a parity piece its group
	Count uint16 // data pieces of the message
	Total uint32 // bytes of the message
	Sum   uint32 // CRC-32C of the message
	Every uint8  // data pieces per parity piece; 0: no parity

	Data []byte // refers to the datagram
}

// Groups returns the number of parity groups of p's message, or 0 for a message without parity. Data piece i belongs to
// group i mod Groups: a burst of losses hits different groups.
func (p *Piece) Groups() int {
	if p.Every == 0 {
		return 0
	}
	return (int(p.Count) + int(p.Every) - 1) / int(p.Every)
}

// consistent reports whether the sizes of p agree with each other. Receivers may index with them.
func (p *Piece) consistent() bool {
	count, total := uint64(p.Count), uint64(p.Total)
	switch {
	case !p.Fragment:
		return !p.Parity && len(p.Data) <= PieceSize
	case count < 2 || total <= (count-1)*PieceSize || total > count*PieceSize:
		return false
	case p.Parity:
		return int(p.Index) < p.Groups() && len(p.Data) == PieceSize
	case p.Index+1 == p.Count:
		return uint64(len(p.Data)) == total-(count-1)*PieceSize
	}
	return p.Index < p.Count && len(p.Data) == PieceSize
}

// size returns the bytes of p in a datagram.
func (p *Piece) size() int {
	if p.Fragment {
		return FragmentHeader + len(p.Data)
	}
	return PieceHeader + len(p.Data)
}

// Datagram is a decoded datagram.
type Datagram struct {
	Header
	Pieces []Piece
	Tag    [TagSize]byte // only if Signed
}
