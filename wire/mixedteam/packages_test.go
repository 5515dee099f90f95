package mixedteam_test

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/mixedteam"
)

// corpus generates labelled datagrams. It was written from the documents and from the habits of real senders (Falcons,
// Carpe Noctem), not from Identify: it lays out bytes by itself, knows no scores, and its numbers are those of the
// field, not of any threshold.
type corpus struct{ *rand.Rand }

// chance returns true with a probability of n in 100.
func (c corpus) chance(n int) bool { return c.IntN(100) < n }

func (c corpus) pick(from ...int) int { return from[c.IntN(len(from))] }

func (c corpus) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(c.Uint32())
	}
	return b
}

func put16(b []byte, values ...int) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	return b
}

// position returns X and Y in mm: on a field of 18 x 12 or 22 x 14 m, up to a metre beside it, or rarely anywhere, as a
// lost robot believes.
func (c corpus) position() (x, y int) {
	if c.chance(1) {
		return c.IntN(40001) - 20000, c.IntN(40001) - 20000
	}
	return c.IntN(16001) - 8000, c.IntN(24001) - 12000
}

// velocity returns a velocity in mm/s: often exactly zero, never above top.
func (c corpus) velocity(top int) (vx, vy int) {
	if c.chance(40) {
		return 0, 0
	}
	return c.IntN(2*top+1) - top, c.IntN(2*top+1) - top
}

// sender holds the habits of a sender, which apply to all records of a packet.
type sender struct {
	balls, obstacles int
	located          bool
	velocity         int  // 0: known, 1: zero, 2: unused
	unusedZeros      bool // zeros of cleared memory instead of -32768
	fixed            int  // confidence of every record; 0: they differ
	unordered        bool
}

func (c corpus) sender() sender {
	s := sender{balls: c.pick(0, 0, 1, 1, 1, 1, 2, 3), obstacles: c.IntN(13), located: c.chance(85)}
	switch c.IntN(10) {
	case 0, 1: // sees nothing
		s.balls, s.obstacles = 0, 0
	case 2: // sees nothing and is lost
		s.balls, s.obstacles, s.located = 0, 0, false
	case 3: // fills every record
		s.balls, s.obstacles = 3, 12
	}
	s.velocity = c.pick(0, 0, 0, 1, 2)
	// Entirely cleared memory has no right label: other traffic may have the same bytes.
	s.unusedZeros = c.chance(3) && s.balls+s.obstacles > 0
	s.fixed = c.pick(0, 0, 0, 128, 255)
	s.unordered = c.chance(15)
	return s
}

// confidences returns n confidences, ordered by falling value unless s is unordered.
func (c corpus) confidences(s sender, n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = 1 + c.IntN(255)
		if s.fixed > 0 {
			all[i] = s.fixed
		}
	}
	if !s.unordered {
		slices.SortFunc(all, func(a, b int) int { return b - a })
	}
	return all
}

func unusedRecord(s sender, ints int) []byte {
	b := make([]byte, 2*ints+1)
	if !s.unusedZeros {
		for i := range ints {
			b[2*i+1] = 0x80
		}
	}
	return b
}

func (c corpus) ball(s sender, confidence int) []byte {
	x, y := c.position()
	z := c.pick(0, 110, 110, c.IntN(2000))
	vx, vy := c.velocity(9000)
	vz := c.pick(0, 0, c.IntN(4000)-2000)
	switch s.velocity {
	case 1:
		vx, vy, vz = 0, 0, 0
	case 2:
		vx, vy, vz = -32768, -32768, -32768
	}
	return append(put16(nil, x, y, z, vx, vy, vz), byte(confidence))
}

func (c corpus) obstacle(s sender, ints, confidence int) []byte {
	x, y := c.position()
	b := put16(nil, x, y)
	if ints == 4 {
		vx, vy := c.velocity(4000)
		switch s.velocity {
		case 1:
			vx, vy = 0, 0
		case 2:
			vx, vy = -32768, -32768
		}
		b = put16(b, vx, vy)
	}
	return append(b, byte(confidence))
}

func (c corpus) self(s sender, ints int) []byte {
	if !s.located {
		return unusedRecord(s, ints)
	}
	x, y := c.position()
	b := put16(nil, x, y)
	if ints == 6 {
		theta := c.IntN(6284)
		if c.chance(15) {
			theta -= 3142 // a sender that uses -pi to pi
		}
		vx, vy := c.velocity(4000)
		vtheta := c.pick(0, c.IntN(8001)-4000)
		if s.velocity == 2 {
			vx, vy, vtheta = -32768, -32768, -32768
		}
		b = put16(b, theta, vx, vy, vtheta)
	}
	return append(b, byte(c.pick(0, 255, 1+c.IntN(255))))
}

// records returns the bytes after the header. It calls pad after each record.
func (c corpus) records(s sender, obstacles, ints, selfInts int, pad func([]byte) []byte) []byte {
	var b []byte
	for i, confidence := range append(c.confidences(s, s.balls), make([]int, 3-s.balls)...) {
		if i < s.balls {
			b = pad(append(b, c.ball(s, confidence)...))
		} else {
			b = pad(append(b, unusedRecord(s, 6)...))
		}
	}
	seen := min(s.obstacles, obstacles)
	for i, confidence := range append(c.confidences(s, seen), make([]int, obstacles-seen)...) {
		if i < seen {
			b = pad(append(b, c.obstacle(s, ints, confidence)...))
		} else {
			b = pad(append(b, unusedRecord(s, ints)...))
		}
	}
	return pad(append(b, c.self(s, selfInts)...))
}

func packed(b []byte) []byte { return b }

func (c corpus) robot() byte {
	if c.chance(3) {
		return byte(7 + c.IntN(93))
	}
	return byte(1 + c.IntN(6))
}

func (c corpus) team() byte {
	if c.chance(10) {
		return byte(32 + c.IntN(60))
	}
	return byte(c.pick(39, 40, 53, 56, 63, 67, 74, 75, 100))
}

func (c corpus) timestamp() uint32 {
	switch c.IntN(10) {
	case 0:
		return 0
	case 1: // a sender that counts from its own start in the morning
		return c.Uint32N(12 * 3600e3)
	}
	return c.Uint32N(16 * 60e3)
}

// v1 returns 96 bytes. One package in four is like Carpe Noctem's: the second and third ball hold old memory and
// confidence 0.
func (c corpus) v1() []byte {
	s := c.sender()
	carpe := c.chance(25)
	if carpe {
		s.balls, s.fixed, s.unordered, s.unusedZeros = c.IntN(2), 128, false, false
	}
	b := append([]byte{123, c.robot()}, c.records(s, 10, 2, 2, packed)...)
	if carpe {
		memory := [...][]byte{
			c.bytes(26), make([]byte, 26), slices.Repeat([]byte{0xcd}, 26), []byte("/usr/lib/cnc/msl_workshop."),
		}
		copy(b[15:41], memory[c.IntN(4)])
		b[27], b[40] = 0, 0
	}
	return b
}

func (c corpus) v2Header(version byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte{123, version}, c.timestamp())
	return append(b, byte(c.IntN(2)), c.team(), c.robot())
}

// v2 returns 169 bytes, a few of them with version byte 1.
func (c corpus) v2() []byte {
	version := byte(2)
	if c.chance(3) {
		version = 1
	}
	return append(c.v2Header(version), c.records(c.sender(), 12, 4, 6, packed)...)
}

// padded returns 188 bytes with a compiler's padding. Two packages in three are like the Falcons': at most one ball,
// time, colour and number never set, old memory as padding.
func (c corpus) padded() []byte {
	version, old := byte(1), byte(c.pick(0, 0xcd, 0xff))
	if c.chance(10) {
		version = 2
	}
	random := c.chance(40)
	pad := func(b []byte) []byte {
		if random {
			old = byte(c.Uint32())
		}
		return append(b, old)
	}
	h := c.v2Header(version)
	s := c.sender()
	if c.chance(66) {
		binary.LittleEndian.PutUint32(h[2:], 0xFFFF8000)
		h[6], h[7], h[8] = pad(nil)[0], 74, pad(nil)[0]
		s.balls = min(s.balls, 1)
	}
	b := pad(pad(slices.Clone(h[:2])))
	b = pad(append(b, h[2:]...))
	return append(b, c.records(s, 12, 4, 6, pad)...)
}

// A package with big-endian fields is recognised, named and decoded to the same contents, for every variant.
func TestWrongByteOrder(t *testing.T) {
	percepts := soccer.Percepts{
		Self:      soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: 1.2, Y: -0.5, Theta: 1}, Confidence: 0.9},
		Balls:     []soccer.Observation{{Position: soccer.Vec3{X: -2.5, Y: 3, Z: 0.11}, Confidence: 0.8}},
		Obstacles: []soccer.Observation{{Position: soccer.Vec3{X: 4, Y: 1}, Confidence: 0.5}},
	}
	for _, v := range []mixedteam.Variant{mixedteam.V1, mixedteam.V2, mixedteam.V2Padded} {
		h := mixedteam.Header{Variant: v, HasTimestamp: true, TimestampMillis: 61234, TeamID: 39, Robot: 3}
		right, err := mixedteam.Append(nil, &h, &percepts)
		if err != nil {
			t.Fatal(err)
		}
		wrong := slices.Clone(right)
		for _, f := range mixedteam.Fields(right) {
			if f.Len == 2 && f.Name != "padding" || f.Len == 4 {
				slices.Reverse(wrong[f.Offset : f.Offset+f.Len])
			}
		}
		var want, got soccer.Percepts
		var wantHeader, header mixedteam.Header
		if _, err := mixedteam.Decode(right, &wantHeader, &want); err != nil {
			t.Fatal(err)
		}
		for _, own := range []string{"", "our own data"} {
			id, err := mixedteam.Decode(append(slices.Clone(wrong), own...), &header, &got)
			if err != nil || !id.BigEndian || id.Variant != v || header != wantHeader || !reflect.DeepEqual(got, want) {
				t.Errorf("%v %q: got %+v, %+v, %+v, %v", v, own, id, header, got, err)
			}
		}
		if issues := mixedteam.Check(wrong); !slices.ContainsFunc(issues, func(i wire.Issue) bool {
			return !i.Note && strings.Contains(i.Text, "fits "+v.String()+" when the bytes of each field are swapped")
		}) {
			t.Errorf("%v: got issues %v", v, issues)
		}
		if id := mixedteam.Identify(right); id.BigEndian {
			t.Errorf("%v: a right package is taken for a big-endian one", v)
		}
	}
}
