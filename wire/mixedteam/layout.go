package mixedteam

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"touchline/soccer"
	"touchline/wire"
)

// The byte tables. Fields, the layouts below and the generators of code in other languages read them.
var (
	rowsV1 = slices.Concat(
		[]wire.Row{number("mixed_team_flag", 1, ""), number("robot_id", 1, "")},
		[]wire.Row{
			each("ball_cand_vision", 3, ballNumbers, nil), each("obstacles", 10, obstacleNumbers[:2], nil),
		},
		one("self-loc", selfNumbers[:2], nil),
	)
	rowsV2     = rowsOf(0)
	rowsPadded = rowsOf(1)

	ballNumbers     = [][2]string{{"x", "mm"}, {"y", "mm"}, {"z", "mm"}, {"vx", "mm/s"}, {"vy", "mm/s"}, {"vz", "mm/s"}}
	obstacleNumbers = [][2]string{{"x", "mm"}, {"y", "mm"}, {"vx", "mm/s"}, {"vy", "mm/s"}}
	selfNumbers     = [][2]string{
		{"x", "mm"}, {"y", "mm"}, {"theta", "mrad"}, {"vx", "mm/s"}, {"vy", "mm/s"}, {"vtheta", "mrad/s"},
	}

	styleUnused  = &wire.Style{Names: map[int64]string{Unused: "unused"}, Alone: true}
	styleUnknown = &wire.Style{Names: map[int64]string{0: "unknown"}, Alone: true}
	stylePadding = &wire.Style{Fixed: "skipped"}
)

// rowsOf returns the table of v2. It has padding where a compiler inserts it, in units of pad bytes.
func rowsOf(pad int) []wire.Row {
	colors, teams := map[int64]string{}, map[int64]string{}
	for c := soccer.Color(0); c < 2; c++ {
		colors[int64(c)] = c.String()
	}
	for _, team := range soccer.MSLTeams() {
		teams[int64(team.ID)] = team.Name
	}
	color, id := number("team_color", 1, ""), number("original_team_id", 1, "")
	color.Style, id.Style = &wire.Style{Names: colors}, &wire.Style{Names: teams}
	return slices.Concat(
		[]wire.Row{number("mixed_team_flag", 1, ""), number("package_version", 1, "")}, padding(2*pad),
		[]wire.Row{number("timestamp", 4, "ms"), color, id, number("mixed_team_robot_id", 1, "")}, padding(pad),
		[]wire.Row{
			each("ball_cand_vision", 3, ballNumbers, padding(pad)), each("obstacles", 12, obstacleNumbers, padding(pad)),
		},
		one("self-loc", selfNumbers, padding(pad)),
	)
}

// number returns the row of an unsigned integer.
func number(name string, size int, unit string) wire.Row {
	return wire.Row{Kind: wire.Uint, Name: name, Size: size, Unit: unit}
}

// padding returns the row of n bytes of padding, no row for 0.
func padding(n int) []wire.Row {
	if n == 0 {
		return nil
	}
	return []wire.Row{{Kind: wire.Bytes, Name: "padding", Size: n, Style: stylePadding}}
}

// one returns the rows of a record: its int16, given by name and unit, and its confidence.
func one(name string, numbers [][2]string, after []wire.Row) []wire.Row {
	var rows []wire.Row
	for _, n := range numbers {
		rows = append(rows, wire.Row{Kind: wire.Int, Name: name + "." + n[0], Size: 2, Unit: n[1], Style: styleUnused})
	}
	rows = append(rows, wire.Row{Kind: wire.Uint, Name: name + ".confidence", Size: 1, Style: styleUnknown})
	return append(rows, after...)
}

// each returns the row of n records.
func each(name string, n int, numbers [][2]string, after []wire.Row) wire.Row {
	return wire.Row{Kind: wire.Each, Name: name, Size: n, Rows: one(name+"[#]", numbers, after)}
}

// Describe returns the byte tables of the packages, and the rules of Check. The type of a table is its Variant.
func Describe() wire.Description {
	return wire.Description{Rules: rulesOfCheck, Words: words(), Ports: []wire.Port{{Address: Group}},
		Messages: []wire.Message{
			{Type: int(V1), Name: V1.String(), Rows: rowsV1},
			{Type: int(V2), Name: V2.String(), Rows: rowsV2},
			{Type: int(V2Padded), Name: V2Padded.String(), Rows: rowsPadded},
		}}
}

// layout holds the offsets and sizes of a variant in bytes. The codec has these numbers as constants, for speed;
// functions that read bytes without a struct use this table.
type layout struct {
	variant                        Variant
	rows                           []wire.Row
	size                           int
	timestamp, color, team, robot  int // -1 where the variant has none
	balls, ballStep                int
	obstacles, obstacleStep, count int
	self                           int
	obstacleInts, selfInts         int // number of int16 before the confidence
}

var (
	layoutV1 = newLayout(V1, rowsV1)
	layoutV2 = newLayout(V2, rowsV2)
	padded   = newLayout(V2Padded, rowsPadded)
)

// newLayout returns the offsets of a table.
func newLayout(v Variant, rows []wire.Row) layout {
	l := layout{variant: v, rows: rows, timestamp: -1, color: -1, team: -1, self: -1}
	for i := range rows {
		r, at := &rows[i], l.size
		l.size += wire.Size(rows[i : i+1])
		switch r.Name {
		case "timestamp":
			l.timestamp = at
		case "team_color":
			l.color = at
		case "original_team_id":
			l.team = at
		case "robot_id", "mixed_team_robot_id":
			l.robot = at
		case "ball_cand_vision":
			l.balls, l.ballStep = at, wire.Size(r.Rows)
		case "obstacles":
			l.obstacles, l.obstacleStep, l.count = at, wire.Size(r.Rows), r.Size
			l.obstacleInts = ints(r.Rows)
		case "self-loc.x":
			l.self, l.selfInts = at, ints(rows[i:])
		}
	}
	return l
}

// ints returns the number of int16 of a record.
func ints(rows []wire.Row) int {
	return slices.IndexFunc(rows, func(r wire.Row) bool { return r.Kind != wire.Int })
}

// layoutOf returns the layout of v, or nil for Foreign.
func layoutOf(v Variant) *layout {
	switch v {
	case V1:
		return &layoutV1
	case V2:
		return &layoutV2
	case V2Padded:
		return &padded
	}
	return nil
}

// kind is the kind of object in a record.
type kind uint8

const (
	ball kind = iota
	obstacle
	self
)

// record is a ball candidate, an obstacle or the self-localisation: some int16, then a confidence.
type record struct {
	kind  kind
	index int
	at    int // offset of its first byte
	ints  int
}

// records returns the number of records.
func (l *layout) records() int { return 3 + l.count + 1 }

// swapped copies the package that b begins with to buf, with the bytes of each field in the other order.
func (l *layout) swapped(b []byte, buf *[SizePadded]byte) []byte {
	c := buf[:copy(buf[:], b[:l.size])]
	if l.variant != V1 {
		binary.BigEndian.PutUint32(c[l.timestamp:], binary.LittleEndian.Uint32(b[l.timestamp:]))
	}
	for i := range l.records() {
		r := l.record(i)
		for at := r.at; at < r.confidence(); at += 2 {
			c[at], c[at+1] = b[at+1], b[at]
		}
	}
	return c
}

// record returns record i: balls first, then obstacles, then self.
func (l *layout) record(i int) record {
	switch {
	case i < 3:
		return record{ball, i, l.balls + l.ballStep*i, 6}
	case i < 3+l.count:
		return record{obstacle, i - 3, l.obstacles + l.obstacleStep*(i-3), l.obstacleInts}
	}
	return record{self, 0, l.self, l.selfInts}
}

// int16s decodes the record's int16 to v and returns their number. The rest of v is Unused.
func (r record) int16s(b []byte, v *[6]int16) int {
	*v = [6]int16{Unused, Unused, Unused, Unused, Unused, Unused}
	for i := range r.ints {
		v[i] = int16(binary.LittleEndian.Uint16(b[r.at+2*i:]))
	}
	return r.ints
}

// confidence returns the offset of the confidence.
func (r record) confidence() int { return r.at + 2*r.ints }

// name returns the name of the record.
func (r record) name() string {
	switch r.kind {
	case ball:
		return "ball_cand_vision[" + strconv.Itoa(r.index) + "]"
	case obstacle:
		return "obstacles[" + strconv.Itoa(r.index) + "]"
	}
	return "self-loc"
}

// field returns the name of the record's int16 i.
func (r record) field(i int) string {
	return r.name() + "." + [...][][2]string{ball: ballNumbers, obstacle: obstacleNumbers, self: selfNumbers}[r.kind][i][0]
}

// Fields returns the byte table of the package that b begins with. It covers every byte of b, in order: padding and a
// team's own data after the package are fields too. Values of a big-endian package are those of its swapped bytes. For a
// datagram that is not a package it returns nil.
func Fields(b []byte) []wire.Field {
	id := Identify(b)
	l := layoutOf(id.Variant)
	if l == nil {
		return nil
	}
	var buf [SizePadded]byte
	f, end := wire.AppendFields(make([]wire.Field, 0, 128), l.rows, id.littleEndian(b, &buf), 0)
	if rest := len(b) - end; rest > 0 {
		f = append(f, wire.Field{Offset: end, Len: rest, Name: "trailing",
			Value: fmt.Sprintf("%d of the team's own", rest), Unit: "bytes"})
	}
	return f
}
