//go:build unix

package batchnet_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
)

// Two cores play nearly twice as many matches as one: rate-x is the ratio of the rates. On a machine that others use it
// says little, and efficiency more: the processor time of a match on one core, divided by that on two. Each round plays the
// same matches on one core, then on two.
func BenchmarkCores(b *testing.B) {
	if runtime.NumCPU() < 2 {
		b.Skip("the machine has one core")
	}
	plan := newPlan(b, 30, "touchline", "touchline-nobooking")
	plan.Matrix.Half = 10 * time.Second
	jobs, err := batch.Slice(plan.Jobs(), 1, 1)
	if err != nil {
		b.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var wall, busy [3]float64 // s, by cores
	for b.Loop() {
		for cores := 1; cores <= 2; cores++ {
			runtime.GOMAXPROCS(cores)
			begin, before := time.Now(), processorTime(b)
			err := batchnet.OnCores(cores)(b.Context(), plan, batch.Each(jobs),
				func(*batch.Job, *batch.Result) error { return nil })
			if err != nil {
				b.Fatal(err)
			}
			wall[cores] += time.Since(begin).Seconds()
			busy[cores] += processorTime(b) - before
		}
	}
	b.ReportMetric(wall[1]/wall[2], "rate-x")
	b.ReportMetric(busy[1]/busy[2], "efficiency")
	b.ReportMetric(0, "ns/op")
}

// processorTime returns the seconds that this process has computed.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
