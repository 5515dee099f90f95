package firasim_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	. "touchline/wire/firasim"
	"touchline/wire/firasim/firasimpb"
)

// busy returns an Environment of n against n with everything in motion: only the first ids and the goals are zero.
func busy(n int) Environment {
	m := Environment{
		Step: 61232, HasFrame: true, HasField: true,
		Frame: Frame{HasBall: true, Ball: Ball{0.123, -0.456, 0.0215, 0.7, -0.3, 0.01}},
		Field: Field{1.5, 1.3, 0.4, 0.1, 0.2, 0.7, 0.15, 0.375},
	}
	for i := range n {
		d := 0.1 * float64(i+1)
		m.Frame.Yellow = append(m.Frame.Yellow, Robot{uint32(i), -d, 0.55 - d, -d, 0.3 + d, -0.1 - d, 2 * d})
		m.Frame.Blue = append(m.Frame.Blue, Robot{uint32(i), d, -0.55 + d, 3 - d, -0.3 - d, 0.1 + d, -20 * d})
	}
	return m
}

func BenchmarkAppendEnvironment(b *testing.B) {
	m := busy(3)
	buf := make([]byte, 0, MaxVision)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = m.AppendBinary(buf[:0]); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	theirs := environmentPB(&m)
	options := proto.MarshalOptions{Deterministic: true}
	compare(b, func() {
		var err error
		if buf, err = options.MarshalAppend(buf[:0], theirs); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkUnmarshalEnvironment(b *testing.B) {
	m := busy(3)
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
	b.StopTimer()
	theirs := new(firasimpb.Environment)
	compare(b, func() {
		if err := proto.Unmarshal(data, theirs); err != nil {
			b.Fatal(err)
		}
	})
}

// compare reports the time of google's runtime relative to that of b's loop.
func compare(b *testing.B, theirs func()) {
	b.Helper()
	ours := float64(b.Elapsed()) / float64(b.N)
	const rounds = 100_000
	start := time.Now()
	for range rounds {
		theirs()
	}
	b.ReportMetric(float64(time.Since(start))/rounds/ours, "google/ours")
}
