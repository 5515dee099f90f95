package tcm

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"

	"touchline/wire"
)

// Fields returns the byte table of b. It covers every byte of b in order. Names are those of Check, like
// "piece[0].type". Bytes of another protocol or version, and pieces that end behind the datagram, are "unreadable".
func Fields(b []byte) []wire.Field {
	t := table{b: b}
	least := HeaderSize + SumSize
	if len(b) > 4 && b[4]&flagSigned != 0 {
		least += TagSize
	}
	if len(b) < least || string(b[:3]) != magic || b[3] != Version {
		t.rest("unreadable", len(b))
		return t.fields
	}
	t.header()
	end := len(b) - least + HeaderSize
	for i := 0; t.at < end; i++ {
		var p Piece
		if p.decode(b[t.at:end]) > end-t.at {
			t.rest("unreadable", end)
			break
		}
		t.piece(fmt.Sprintf("piece[%d].", i), &p)
	}
	t.rest("tag", len(b)-SumSize)
	t.add(SumSize, "crc", fmt.Sprintf("0x%08x", binary.LittleEndian.Uint32(b[t.at:])), "")
	return t.fields
}

// table collects fields in order.
type table struct {
	b      []byte
	at     int // next byte
	fields []wire.Field
}

func (t *table) add(size int, name, value, unit string) {
	t.fields = append(t.fields, wire.Field{Offset: t.at, Len: size, Name: name, Value: value, Unit: unit})
	t.at += size
}

// number adds an unsigned integer of size bytes, with what it stands for.
func (t *table) number(size int, name, unit, meaning string) {
	var word [8]byte
	copy(word[:], t.b[t.at:t.at+size])
	value := strconv.FormatUint(binary.LittleEndian.Uint64(word[:]), 10)
	if meaning != "" {
		value += " (" + meaning + ")"
	}
	t.add(size, name, value, unit)
}

// rest adds the bytes up to end in hexadecimal, if there are any.
func (t *table) rest(name string, end int) {
	if t.at < end {
		t.add(end-t.at, name, hex.EncodeToString(t.b[t.at:end]), "")
	}
}

func (t *table) header() {
	var h Header
	h.decode((*[HeaderSize]byte)(t.b))
	flags, to := "", h.To.String()
	if h.Signed {
		flags = "signed"
	}
	t.add(3, "magic", magic, "")
	t.number(1, "version", "", "")
	t.number(1, "flags", "", flags)
	t.number(1, "team", "", "")
	t.number(1, "from.kind", "", h.From.Kind.String())
	t.number(1, "from.id", "", "")
	t.number(1, "to.kind", "", h.To.Kind.String())
	if h.To.ID != 0 {
		to = ""
	}
	t.number(1, "to.id", "", to)
	t.number(1, "socket", "", h.Socket.String())
	echo := "no echo"
	if h.Echo.From.Kind != 0 {
		echo = h.Echo.From.Kind.String()
	}
	t.number(1, "echo.kind", "", echo)
	t.number(4, "boot", "", "")
	t.number(8, "sequence", "", "")
	t.number(8, "sent", "ns", "")
	t.number(1, "echo.id", "", "")
	t.rest("zero", t.at+3)
	t.number(4, "echo.held", "us", "")
	t.number(8, "echo.sent", "ns", "")
}

func (t *table) piece(name string, p *Piece) {
	flags := ""
	switch {
	case p.Parity:
		flags = "parity"
	case p.Fragment:
		flags = "fragment"
	}
	t.number(1, name+"flags", "", flags)
	t.number(1, name+"module", "", p.Module.String())
	t.number(2, name+"type", "", p.Type.String())
	t.number(4, name+"number", "", "")
	t.number(8, name+"captured", "ns", "")
	t.number(2, name+"length", "bytes", "")
	if p.Fragment {
		t.number(2, name+"index", "", "")
		t.number(2, name+"count", "pieces", "")
		t.number(4, name+"total", "bytes", "")
		t.add(4, name+"sum", fmt.Sprintf("0x%08x", p.Sum), "")
		t.number(1, name+"every", "pieces", "")
		t.number(1, name+"zero", "", "")
	}
	t.rest(name+"payload", t.at+len(p.Data))
}
