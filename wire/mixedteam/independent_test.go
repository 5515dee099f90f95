package mixedteam_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	. "touchline/wire/mixedteam"
)

// This decoder was written from the tables of the documents alone and shares no code with the codec. It decodes each
// field by its offset, a number, to a name and an integer.

func le16(b []byte, at int) int { return int(int16(uint16(b[at]) + 256*uint16(b[at+1]))) }

// decodeV2 decodes a v2 package: flag 1, version 1, timestamp 4, colour 1, team 1, robot 1, balls 39, obstacles 108,
// self-loc 13 bytes.
func decodeV2(b []byte) map[string]int {
	f := map[string]int{
		"flag": int(b[0]), "version": int(b[1]),
		"timestamp": int(b[2]) + int(b[3])<<8 + int(b[4])<<16 + int(b[5])<<24,
		"color":     int(b[6]), "team": int(b[7]), "robot": int(b[8]),
		"self.x": le16(b, 156), "self.y": le16(b, 158), "self.theta": le16(b, 160),
		"self.vx": le16(b, 162), "self.vy": le16(b, 164), "self.vtheta": le16(b, 166), "self.c": int(b[168]),
	}
	for i, at := range []int{9, 22, 35} {
		decodeBall(f, i, b[at:at+13])
	}
	for i, at := range []int{48, 57, 66, 75, 84, 93, 102, 111, 120, 129, 138, 147} {
		f[fmt.Sprintf("obstacle%d.x", i)] = le16(b, at)
		f[fmt.Sprintf("obstacle%d.y", i)] = le16(b, at+2)
		f[fmt.Sprintf("obstacle%d.vx", i)] = le16(b, at+4)
		f[fmt.Sprintf("obstacle%d.vy", i)] = le16(b, at+6)
		f[fmt.Sprintf("obstacle%d.c", i)] = int(b[at+8])
	}
	return f
}

// decodeV1 decodes a v1 package: flag 1, robot 1, balls 39, obstacles 50, self-loc 5 bytes.
func decodeV1(b []byte) map[string]int {
	f := map[string]int{
		"flag": int(b[0]), "robot": int(b[1]),
		"self.x": le16(b, 91), "self.y": le16(b, 93), "self.c": int(b[95]),
	}
	for i, at := range []int{2, 15, 28} {
		decodeBall(f, i, b[at:at+13])
	}
	for i, at := range []int{41, 46, 51, 56, 61, 66, 71, 76, 81, 86} {
		f[fmt.Sprintf("obstacle%d.x", i)] = le16(b, at)
		f[fmt.Sprintf("obstacle%d.y", i)] = le16(b, at+2)
		f[fmt.Sprintf("obstacle%d.c", i)] = int(b[at+4])
	}
	return f
}

// decodePadded decodes the 188 bytes that a C compiler makes of the Falcons' struct: one byte of padding before each
// int16 at an odd offset, two before the timestamp.
func decodePadded(b []byte) map[string]int {
	packed := append([]byte{}, b[0:2]...)
	packed = append(packed, b[4:11]...)
	for _, at := range []int{12, 26, 40} {
		packed = append(packed, b[at:at+13]...)
	}
	for _, at := range []int{54, 64, 74, 84, 94, 104, 114, 124, 134, 144, 154, 164} {
		packed = append(packed, b[at:at+9]...)
	}
	return decodeV2(append(packed, b[174:187]...))
}

func decodeBall(f map[string]int, i int, b []byte) {
	for k, name := range []string{"x", "y", "z", "vx", "vy", "vz"} {
		f[fmt.Sprintf("ball%d.%s", i, name)] = le16(b, 2*k)
	}
	f[fmt.Sprintf("ball%d.c", i)] = int(b[12])
}

// fieldsV1 and fieldsV2 return the fields of the codec's structs by the same names.
func fieldsV1(m *PackageV1) map[string]int {
	f := map[string]int{"flag": 123, "robot": int(m.RobotID),
		"self.x": int(m.Self.XMillimetres), "self.y": int(m.Self.YMillimetres), "self.c": int(m.Self.Confidence)}
	ballFields(f, m.Balls)
	for i, o := range m.Obstacles {
		f[fmt.Sprintf("obstacle%d.x", i)] = int(o.XMillimetres)
		f[fmt.Sprintf("obstacle%d.y", i)] = int(o.YMillimetres)
		f[fmt.Sprintf("obstacle%d.c", i)] = int(o.Confidence)
	}
	return f
}

func fieldsV2(m *PackageV2, version int) map[string]int {
	s := m.Self
	f := map[string]int{"flag": 123, "version": version, "timestamp": int(m.TimestampMillis),
		"color": int(m.TeamColor), "team": int(m.OriginalTeamID), "robot": int(m.RobotID),
		"self.x": int(s.XMillimetres), "self.y": int(s.YMillimetres), "self.theta": int(s.ThetaMilliradians),
		"self.vx": int(s.VXMillimetresPerSecond), "self.vy": int(s.VYMillimetresPerSecond),
		"self.vtheta": int(s.VThetaMilliradiansPerSecond), "self.c": int(s.Confidence)}
	ballFields(f, m.Balls)
	for i, o := range m.Obstacles {
		f[fmt.Sprintf("obstacle%d.x", i)] = int(o.XMillimetres)
		f[fmt.Sprintf("obstacle%d.y", i)] = int(o.YMillimetres)
		f[fmt.Sprintf("obstacle%d.vx", i)] = int(o.VXMillimetresPerSecond)
		f[fmt.Sprintf("obstacle%d.vy", i)] = int(o.VYMillimetresPerSecond)
		f[fmt.Sprintf("obstacle%d.c", i)] = int(o.Confidence)
	}
	return f
}

func ballFields(f map[string]int, balls [3]Ball) {
	for i, o := range balls {
		for name, v := range map[string]int16{"x": o.XMillimetres, "y": o.YMillimetres, "z": o.ZMillimetres,
			"vx": o.VXMillimetresPerSecond, "vy": o.VYMillimetresPerSecond, "vz": o.VZMillimetresPerSecond} {
			f[fmt.Sprintf("ball%d.%s", i, name)] = int(v)
		}
		f[fmt.Sprintf("ball%d.c", i)] = int(o.Confidence)
	}
}

func same(t *testing.T, got, want map[string]int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d fields, want %d", len(got), len(want))
	}
	for name, v := range want {
		if got[name] != v {
			t.Fatalf("%s: got %d, want %d", name, got[name], v)
		}
	}
}

// TestIndependentDecoder compares codec and decoder on random bytes, and decodes packages that the codec encoded.
func TestIndependentDecoder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2014))
	b := make([]byte, 220)
	for range 3000 {
		for i := 0; i < len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], rng.Uint32())
		}
		b[0] = 123
		var v1 PackageV1
		var v2 PackageV2
		var padded PackagePadded
		if err := v1.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		same(t, fieldsV1(&v1), decodeV1(b))
		if err := v2.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		same(t, fieldsV2(&v2, int(b[1])), decodeV2(b))
		if err := padded.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		same(t, fieldsV2(&padded.PackageV2, int(b[1])), decodePadded(b))

		for i := range b { // no int16 may be Unused by chance
			if b[i] == 0x80 {
				b[i] = 0x81
			}
		}
		if err := errors.Join(v1.UnmarshalBinary(b), v2.UnmarshalBinary(b)); err != nil {
			t.Fatal(err)
		}
		legal(rng, &v1, &v2)
		data, err := v1.AppendBinary(nil)
		if err != nil || len(data) != 96 {
			t.Fatalf("v1: got %d bytes, %v, want 96", len(data), err)
		}
		same(t, decodeV1(data), fieldsV1(&v1))
		data, err = v2.AppendBinary(nil)
		if err != nil || len(data) != 169 {
			t.Fatalf("v2: got %d bytes, %v, want 169", len(data), err)
		}
		same(t, decodeV2(data), fieldsV2(&v2, 2))
		padded.PackageV2 = v2
		data, err = padded.AppendBinary(nil)
		if err != nil || len(data) != 188 {
			t.Fatalf("padded: got %d bytes, %v, want 188", len(data), err)
		}
		same(t, decodePadded(data), fieldsV2(&v2, 1))
	}
}

// legal makes random packages legal: existing numbers and colours, headings within one turn, v1 ordered by confidence,
// and some unused records.
func legal(rng *rand.Rand, v1 *PackageV1, v2 *PackageV2) {
	v1.RobotID, v2.RobotID, v2.TeamColor = uint8(1+rng.IntN(6)), uint8(1+rng.IntN(6)), uint8(rng.IntN(2))
	v2.TimestampMillis = rng.Uint32N(1 << 22)
	v2.Self.ThetaMilliradians = int16(rng.IntN(6284))
	balls := rng.IntN(4)
	for i := range v1.Balls {
		v1.Balls[i].Confidence = uint8(200 - i)
		if i >= balls {
			v1.Balls[i] = Ball{Unused, Unused, Unused, Unused, Unused, Unused, 0}
			v2.Balls[i] = v1.Balls[i]
		}
	}
	obstacles := rng.IntN(13)
	for i := range v2.Obstacles {
		if i < 10 {
			v1.Obstacles[i].Confidence = uint8(100 - i)
		}
		if i >= obstacles {
			v2.Obstacles[i] = Obstacle{Unused, Unused, Unused, Unused, 0}
			if i < 10 {
				v1.Obstacles[i] = Position{Unused, Unused, 0}
			}
		}
	}
	if rng.IntN(4) == 0 {
		v1.Self = Position{Unused, Unused, 0}
		v2.Self = Self{Unused, Unused, Unused, Unused, Unused, Unused, 0}
	}
}
