package tcm

import "touchline/wire"

// The byte tables. Fields and the generators of code in other languages read them.
var (
	headerRows = []wire.Row{
		{Kind: wire.Bytes, Name: "magic", Size: len(magic), Style: &wire.Style{Fixed: magic}},
		number("version", 1, "", nil),
		number("flags", 1, "", &wire.Style{Bits: []string{"signed"}}),
		number("team", 1, "", nil),
		number("from.kind", 1, "", kindStyle),
		number("from.id", 1, "", nil),
		number("to.kind", 1, "", kindStyle),
		number("to.id", 1, "", &wire.Style{Names: map[int64]string{0: "all of the kind"}}),
		number("socket", 1, "", &wire.Style{Names: wire.NamesOf(socketNames[:]), Other: "socket %d"}),
		number("echo.kind", 1, "", &wire.Style{
			Names: map[int64]string{0: "no echo", int64(Robot): kindNames[int64(Robot)],
				int64(Computer): kindNames[int64(Computer)]},
			Other: "kind %d",
		}),
		number("boot", 4, "", nil),
		number("sequence", 8, "", nil),
		number("sent", 8, "ns", nil),
		number("echo.id", 1, "", nil),
		{Kind: wire.Bytes, Name: "zero", Size: 3},
		number("echo.held", 4, "us", nil),
		number("echo.sent", 8, "ns", nil),
	}
	pieceRows = []wire.Row{
		number("piece[#].flags", 1, "", &wire.Style{Bits: []string{"fragment", "parity"}}),
		number("piece[#].module", 1, "", &wire.Style{Names: wire.NamesOf(moduleNames[:]), Other: "module %d"}),
		number("piece[#].type", 2, "", &wire.Style{Names: wire.NamesOf(typeNames[:]), Other: "type %d"}),
		number("piece[#].number", 4, "", nil),
		number("piece[#].captured", 8, "ns", nil),
		number("piece[#].length", 2, "bytes", nil),
	}
	fragmentRows = []wire.Row{
		number("piece[#].index", 2, "", nil),
		number("piece[#].count", 2, "pieces", nil),
		number("piece[#].total", 4, "bytes", nil),
		number("piece[#].sum", 4, "", &wire.Style{Hex: true}),
		number("piece[#].every", 1, "pieces", nil),
		number("piece[#].zero", 1, "", nil),
	}
	kindStyle  = &wire.Style{Names: kindNames, Other: "kind %d"}
	payloadRow = wire.Row{Kind: wire.Bytes, Name: "piece[#].payload"}
	tagRow     = wire.Row{Kind: wire.Bytes, Name: "tag", Size: TagSize}
	sumRow     = number("crc", SumSize, "", &wire.Style{Hex: true})
	restRow    = wire.Row{Kind: wire.Bytes, Name: "unreadable"}
)

// number returns the row of an unsigned integer.
func number(name string, size int, unit string, style *wire.Style) wire.Row {
	return wire.Row{Kind: wire.Uint, Name: name, Size: size, Unit: unit, Style: style}
}

// Describe returns the byte tables of the parts of a datagram, and the rules of Check. A piece that is a fragment has the
// header of a fragment behind its own.
func Describe() wire.Description {
	return wire.Description{Rules: rulesOfCheck, Words: words, Messages: []wire.Message{
		{Name: "header", Rows: headerRows},
		{Name: "piece", Rows: pieceRows},
		{Name: "fragment", Rows: fragmentRows},
		{Name: "rest", Rows: []wire.Row{payloadRow, tagRow, sumRow, restRow}},
	}}
}

// Fields returns the byte table of b. It covers every byte of b in order. Names are those of Check, like
// "piece[0].type". Bytes of another protocol or version, and pieces that end behind the datagram, are "unreadable".
func Fields(b []byte) []wire.Field {
	t := table{b: b}
	least := HeaderSize + SumSize
	if len(b) > 4 && b[4]&flagSigned != 0 {
		least += TagSize
	}
	if len(b) < least || string(b[:3]) != magic || b[3] != Version {
		t.add(&restRow, len(b), -1)
		return t.fields
	}
	t.rows(headerRows, -1)
	end := len(b) - least + HeaderSize
	for i := 0; t.at < end; i++ {
		var p Piece
		if p.decode(b[t.at:end]) > end-t.at {
			t.add(&restRow, end, -1)
			break
		}
		t.rows(pieceRows, i)
		if p.Fragment {
			t.rows(fragmentRows, i)
		}
		t.add(&payloadRow, t.at+len(p.Data), i)
	}
	t.add(&tagRow, len(b)-SumSize, -1)
	t.add(&sumRow, len(b), -1)
	return t.fields
}

// table collects fields in order.
type table struct {
	b      []byte
	at     int // next byte
	fields []wire.Field
}

// rows adds the fields of rows, of piece number piece; -1: of the datagram.
func (t *table) rows(rows []wire.Row, piece int) {
	for i := range rows {
		t.add(&rows[i], t.at+rows[i].Size, piece)
	}
}

// add adds the bytes up to end, if there are any.
func (t *table) add(r *wire.Row, end, piece int) {
	if t.at < end {
		t.fields = append(t.fields, r.Field(t.b, t.at, end-t.at, piece))
		t.at = end
	}
}
