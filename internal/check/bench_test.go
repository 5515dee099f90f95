package check_test

import (
	"testing"

	"touchline/wire/msl"
)

func BenchmarkCard(b *testing.B) {
	all := clean(1, 60)
	size := 0
	for i := range all {
		size += len(all[i].data)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		card(all)
	}
}

// BenchmarkCardFindings measures the report that the referee page shows twice a second.
func BenchmarkCardFindings(b *testing.B) {
	c := card(robots(func(_ int, r *msl.Robot) { r.Pose.At[2].Value -= 7 })(clean(1, 60)))
	b.ReportAllocs()
	for b.Loop() {
		c.Findings()
	}
}
