package mixedteam

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"touchline/soccer"
	"touchline/wire"
)

// layout holds the offsets and sizes of a variant in bytes. The codec has these numbers as constants, for speed;
// functions that read bytes without a struct use this table.
type layout struct {
	variant                        Variant
	size                           int
	timestamp, color, team, robot  int // -1 where the variant has none
	balls, ballStep                int
	obstacles, obstacleStep, count int
	self                           int
	obstacleInts, selfInts         int // number of int16 before the confidence
}

var (
	layoutV1 = layout{V1, SizeV1, -1, -1, -1, 1, 2, 13, 41, 5, 10, 91, 2, 2}
	layoutV2 = layout{V2, SizeV2, 2, 6, 7, 8, 9, 13, 48, 9, 12, 156, 4, 6}
	padded   = layout{V2Padded, SizePadded, 4, 8, 9, 10, 12, 14, 54, 10, 12, 174, 4, 6}
)

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

// field returns the name and unit of the record's int16 i.
func (r record) field(i int) (name, unit string) {
	switch r.kind {
	case ball:
		name = [...]string{"x", "y", "z", "vx", "vy", "vz"}[i]
		unit = [...]string{"mm", "mm", "mm", "mm/s", "mm/s", "mm/s"}[i]
	case obstacle:
		name = [...]string{"x", "y", "vx", "vy"}[i]
		unit = [...]string{"mm", "mm", "mm/s", "mm/s"}[i]
	case self:
		name = [...]string{"x", "y", "theta", "vx", "vy", "vtheta"}[i]
		unit = [...]string{"mm", "mm", "mrad", "mm/s", "mm/s", "mrad/s"}[i]
	}
	return r.name() + "." + name, unit
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
	whole := len(b)
	b = id.littleEndian(b, &buf)
	f := make([]wire.Field, 0, 128)
	end := 0 // end of the fields so far
	add := func(at, n int, name, value, unit string) {
		if at > end {
			f = append(f, wire.Field{Offset: end, Len: at - end, Name: "padding", Value: "skipped"})
		}
		f = append(f, wire.Field{Offset: at, Len: n, Name: name, Value: value, Unit: unit})
		end = at + n
	}
	add(0, 1, "mixed_team_flag", strconv.Itoa(Flag), "")
	if l.variant == V1 {
		add(1, 1, "robot_id", strconv.Itoa(int(b[1])), "")
	} else {
		add(1, 1, "package_version", strconv.Itoa(int(b[1])), "")
		add(l.timestamp, 4, "timestamp", strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b[l.timestamp:])), 10), "ms")
		add(l.color, 1, "team_color", withName(b[l.color], colorName(b[l.color])), "")
		add(l.team, 1, "original_team_id", withName(b[l.team], soccer.MSLTeam(int(b[l.team])).Name), "")
		add(l.robot, 1, "mixed_team_robot_id", strconv.Itoa(int(b[l.robot])), "")
	}
	for i := range l.records() {
		r := l.record(i)
		var v [6]int16
		for k := range r.int16s(b, &v) {
			name, unit := r.field(k)
			value := strconv.Itoa(int(v[k]))
			if v[k] == Unused {
				value, unit = "unused", ""
			}
			add(r.at+2*k, 2, name, value, unit)
		}
		confidence := "unknown"
		if c := b[r.confidence()]; c != 0 {
			confidence = strconv.Itoa(int(c))
		}
		add(r.confidence(), 1, r.name()+".confidence", confidence, "")
	}
	if rest := l.size - end; rest > 0 {
		add(end, rest, "padding", "skipped", "")
	}
	if rest := whole - l.size; rest > 0 {
		add(l.size, rest, "trailing", fmt.Sprintf("%d of the team's own", rest), "bytes")
	}
	return f
}

// colorName returns the name of a team_color, "" if it has none.
func colorName(c uint8) string {
	if c > 1 {
		return ""
	}
	return soccer.Color(c).String()
}

// withName returns n, with its name in parentheses if it has one.
func withName(n uint8, name string) string {
	if name == "" {
		return strconv.Itoa(int(n))
	}
	return strconv.Itoa(int(n)) + " (" + name + ")"
}
