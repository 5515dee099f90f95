package mixedteam_test

import (
	"encoding/binary"
	"testing"

	"touchline/soccer"
	. "touchline/wire/mixedteam"
)

// stdV2 is the package v2 in the form of encoding/binary.
type stdV2 struct {
	Flag    uint8
	Version uint8
	PackageV2
}

// full returns a package with every record in use.
func full() PackageV2 {
	m := PackageV2{TimestampMillis: 61234, TeamColor: 1, OriginalTeamID: 74, RobotID: 4}
	for i := range m.Balls {
		m.Balls[i] = Ball{1234, -2500, 110, 500, -3250, 0, uint8(229 - i)}
	}
	for i := range m.Obstacles {
		m.Obstacles[i] = Obstacle{int16(3000 - 500*i), 8000, 0, 100, uint8(200 - i)}
	}
	m.Self = Self{-3000, -7125, 1571, 100, 0, 1791, 229}
	return m
}

func BenchmarkAppendV2(b *testing.B) {
	m := full()
	buf := make([]byte, 0, SizeV2)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = m.AppendBinary(buf[:0]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnmarshalV2(b *testing.B) {
	m := full()
	data, err := m.AppendBinary(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := m.UnmarshalBinary(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStdAppendV2(b *testing.B) {
	m := stdV2{Flag, Version, full()}
	buf := make([]byte, 0, SizeV2)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = binary.Append(buf[:0], binary.LittleEndian, &m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStdUnmarshalV2(b *testing.B) {
	m := stdV2{Flag, Version, full()}
	data, err := binary.Append(nil, binary.LittleEndian, &m)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := binary.Decode(data, binary.LittleEndian, &m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	m := full()
	data, err := m.AppendBinary(nil)
	if err != nil {
		b.Fatal(err)
	}
	var h Header
	var p soccer.Percepts
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data, &h, &p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	m := full()
	data, err := m.AppendBinary(nil)
	if err != nil {
		b.Fatal(err)
	}
	var h Header
	var p soccer.Percepts
	if _, err := Decode(data, &h, &p); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if data, err = Append(data[:0], &h, &p); err != nil {
			b.Fatal(err)
		}
	}
}
