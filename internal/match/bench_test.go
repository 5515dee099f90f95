package match

import (
	"testing"
	"time"

	"touchline/transport/traffic"
)

// BenchmarkMatch plays a match of ten robots with 10 % loss. An operation is a second of the match.
func BenchmarkMatch(b *testing.B) {
	cfg := DefaultMatchConfig()
	cfg.Half, cfg.Link = time.Hour, traffic.Link{Loss: 0.1}
	m, err := NewMatch(cfg, Tap{})
	if err != nil {
		b.Fatal(err)
	}
	m.Advance(m.Now().Add(10 * time.Second)) // buffers have grown
	b.ReportAllocs()
	for b.Loop() {
		m.Advance(m.Now().Add(time.Second))
	}
	if m.Err() != nil {
		b.Fatal(m.Err())
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "x-real-time")
}
