package tcm

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Append appends the 48 bytes of h to b without checking them. Append, the pieces' Append and Seal write a datagram
// step by step; AppendBinary writes a whole one.
func (h *Header) Append(b []byte) []byte {
	n := len(b)
	b = slices.Grow(b, HeaderSize)[:n+HeaderSize]
	p := (*[HeaderSize]byte)(b[n:])
	copy(p[:], magic)
	p[3], p[4], p[5] = Version, 0, h.Team
	if h.Signed {
		p[4] = flagSigned
	}
	p[6], p[7], p[8], p[9] = byte(h.From.Kind), h.From.ID, byte(h.To.Kind), h.To.ID
	p[10], p[11] = byte(h.Socket), byte(h.Echo.From.Kind)
	binary.LittleEndian.PutUint32(p[12:], h.Boot)
	binary.LittleEndian.PutUint64(p[16:], h.Sequence)
	binary.LittleEndian.PutUint64(p[24:], h.Sent)
	p[32], p[33], p[34], p[35] = h.Echo.From.ID, 0, 0, 0
	binary.LittleEndian.PutUint32(p[36:], h.Echo.Held)
	binary.LittleEndian.PutUint64(p[40:], h.Echo.Sent)
	return b
}

func (h *Header) decode(p *[HeaderSize]byte) {
	h.Signed, h.Team = p[4]&flagSigned != 0, p[5]
	h.From, h.To = Entity{Kind(p[6]), p[7]}, Entity{Kind(p[8]), p[9]}
	h.Socket = Socket(p[10])
	h.Boot = binary.LittleEndian.Uint32(p[12:])
	h.Sequence = binary.LittleEndian.Uint64(p[16:])
	h.Sent = binary.LittleEndian.Uint64(p[24:])
	h.Echo.From = Entity{Kind(p[11]), p[32]}
	h.Echo.Held = binary.LittleEndian.Uint32(p[36:])
	h.Echo.Sent = binary.LittleEndian.Uint64(p[40:])
}

// Append appends the header and the payload of p to b without checking them.
func (p *Piece) Append(b []byte) []byte {
	n, size := len(b), PieceHeader
	if p.Fragment {
		size = FragmentHeader
	}
	b = slices.Grow(b, p.size())[:n+size]
	h := b[n:]
	h[0] = 0
	if p.Fragment {
		h[0] |= flagFragment
	}
	if p.Parity {
		h[0] |= flagParity
	}
	h[1] = byte(p.Module)
	binary.LittleEndian.PutUint16(h[2:], uint16(p.Type))
	binary.LittleEndian.PutUint32(h[4:], p.Number)
	binary.LittleEndian.PutUint64(h[8:], p.Captured)
	binary.LittleEndian.PutUint16(h[16:], uint16(len(p.Data)))
	if p.Fragment {
		binary.LittleEndian.PutUint16(h[18:], p.Index)
		binary.LittleEndian.PutUint16(h[20:], p.Count)
		binary.LittleEndian.PutUint32(h[22:], p.Total)
		binary.LittleEndian.PutUint32(h[26:], p.Sum)
		h[30], h[31] = p.Every, 0
	}
	return append(b, p.Data...)
}

// decode decodes the piece that b begins with, and returns its size. A size above len(b) means that b ends within it.
func (p *Piece) decode(b []byte) int {
	if len(b) < PieceHeader {
		return PieceHeader
	}
	*p = Piece{
		Fragment: b[0]&flagFragment != 0, Parity: b[0]&flagParity != 0, Module: Module(b[1]),
		Type:     Type(binary.LittleEndian.Uint16(b[2:])),
		Number:   binary.LittleEndian.Uint32(b[4:]),
		Captured: binary.LittleEndian.Uint64(b[8:]),
	}
	head, length := PieceHeader, int(binary.LittleEndian.Uint16(b[16:]))
	if p.Fragment {
		if head = FragmentHeader; len(b) < FragmentHeader {
			return FragmentHeader
		}
		p.Index, p.Count = binary.LittleEndian.Uint16(b[18:]), binary.LittleEndian.Uint16(b[20:])
		p.Total, p.Sum = binary.LittleEndian.Uint32(b[22:]), binary.LittleEndian.Uint32(b[26:])
		p.Every = b[30]
	}
	if end := head + length; end <= len(b) {
		p.Data = b[head:end:end]
	}
	return head + length
}

// AppendBinary appends d to b, with its tag if it is signed. It refuses a datagram for which Check returns a violation.
func (d *Datagram) AppendBinary(b []byte) ([]byte, error) { return d.append(b, nil) }

// AppendSigned appends d to b, signed with key, whatever d.Signed and d.Tag contain. It refuses a datagram for which
// Check returns a violation.
func (d *Datagram) AppendSigned(b []byte, key *Key) ([]byte, error) { return d.append(b, key) }

func (d *Datagram) append(b []byte, key *Key) ([]byte, error) {
	n := len(b)
	size := HeaderSize + TagSize + SumSize
	for i := range d.Pieces {
		if len(d.Pieces[i].Data) > PieceSize {
			return b, errors.New("tcm: a piece has more than 1,200 bytes: cut the message into fragments")
		}
		size += d.Pieces[i].size()
	}
	b = d.Header.Append(slices.Grow(b, size))
	suspect := !d.Header.valid()
	for i := range d.Pieces {
		p := &d.Pieces[i]
		suspect = suspect || !p.valid()
		b = p.Append(b)
	}
	switch {
	case key != nil:
		b = b[:n+len(Seal(b[n:], key))] // in place: the capacity suffices
	case d.Signed:
		b = append(b, d.Tag[:]...)
		fallthrough
	default:
		b = binary.LittleEndian.AppendUint32(b, Sum(b[n:]))
	}
	if suspect || len(b)-n > MaxDatagram {
		if err := firstViolation(b[n:]); err != nil {
			return b[:n], err
		}
	}
	return b, nil
}

// UnmarshalBinary decodes the datagram b into d and reuses d.Pieces. It checks length, magic, version, checksum and the
// sizes of the pieces, and accepts every value of the other fields. The data of the pieces refers to b. The tag of a
// signed datagram needs Key.Valid.
func (d *Datagram) UnmarshalBinary(b []byte) error {
	d.Pieces = d.Pieces[:0]
	if err := checkFrame(b); err != nil {
		return err
	}
	d.Header.decode((*[HeaderSize]byte)(b))
	end := len(b) - SumSize
	d.Tag = [TagSize]byte{}
	if d.Signed {
		if end -= TagSize; end < HeaderSize {
			return errShort
		}
		d.Tag = [TagSize]byte(b[end:])
	}
	for at := HeaderSize; at < end; {
		d.Pieces = append(d.Pieces, Piece{})
		p := &d.Pieces[len(d.Pieces)-1]
		size := p.decode(b[at:end])
		if size > end-at || !p.consistent() {
			d.Pieces = d.Pieces[:0]
			return ErrPiece
		}
		at += size
	}
	return nil
}

// Is reports whether b begins like a TCM datagram.
func Is(b []byte) bool { return len(b) >= len(magic) && string(b[:len(magic)]) == magic }

// checkFrame checks magic, length, version and checksum.
func checkFrame(b []byte) error {
	end := len(b) - SumSize
	switch {
	case !hasMagic(b):
		return ErrForeign
	case end < HeaderSize:
		return errShort
	case b[3] != Version:
		return ErrVersion
	case len(b) > MaxDatagram:
		return ErrLong
	case Sum(b[:end]) != binary.LittleEndian.Uint32(b[end:]):
		return ErrSum
	}
	return nil
}

// hasMagic reports whether b begins as a datagram, as far as it goes.
func hasMagic(b []byte) bool {
	n := min(len(b), len(magic))
	return string(b[:n]) == magic[:n]
}
