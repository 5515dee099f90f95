package transport_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/transport"
)

const manyPackets = 100_000

// fates returns the ways of each of n packets.
func fates(t *testing.T, link transport.Link, seed uint64, n int) [][]time.Duration {
	t.Helper()
	if err := link.Validate(); err != nil {
		t.Fatal(err)
	}
	p := transport.NewImpair(link, seed)
	all := make([][]time.Duration, n)
	for i := range all {
		all[i] = p.Next(nil)
	}
	return all
}

func share[T any](all []T, is func(T) bool) float64 {
	n := 0
	for _, v := range all {
		if is(v) {
			n++
		}
	}
	return float64(n) / float64(len(all))
}

func lost(ways []time.Duration) bool { return len(ways) == 0 }

// near checks got against want with five standard deviations of room.
func near(t *testing.T, what string, got, want, deviation float64) {
	t.Helper()
	if math.Abs(got-want) > 5*deviation {
		t.Errorf("%s is %.4f, want %.4f +- %.4f", what, got, want, 5*deviation)
	}
}

func TestLoss(t *testing.T) {
	for _, link := range []transport.Link{
		{}, {Loss: 0.1}, {Loss: 0.5, Burst: 1}, {Loss: 0.99}, {Loss: 1}, {Loss: 1, Burst: 7},
		{Loss: 0.02, Burst: 3}, {Loss: 0.1, Burst: 5}, {Loss: 0.3, Burst: 2}, {Loss: 0.9, Burst: 9}, {Loss: 0, Burst: 5},
	} {
		all := fates(t, link, 7, manyPackets)
		// The variance of the share grows by (1+rho)/(1-rho), where rho correlates one packet with the next.
		rho := 0.0
		if link.Burst > 1 && link.Loss > 0 && link.Loss < 1 {
			rho = max(0, 1-1/link.Burst/(1-link.Loss))
		}
		near(t, "the loss", share(all, lost), link.Loss, math.Sqrt(link.Loss*(1-link.Loss)*(1+rho)/(1-rho)/manyPackets))
		if link.Loss == 0 || link.Loss == 1 {
			continue
		}
		runs, losses := 0, 0
		for i, ways := range all {
			if lost(ways) {
				losses++
				if i == 0 || !lost(all[i-1]) {
					runs++
				}
			}
		}
		mean := link.Burst
		if link.Burst <= 1 { // runs of independent losses are geometric
			mean = 1 / (1 - link.Loss)
		}
		near(t, "the mean run of losses", float64(losses)/float64(runs), mean, math.Sqrt(mean*(mean-1)/float64(runs)))
	}
}

func TestDelayAndOrder(t *testing.T) {
	const delay, jitter = 20 * time.Millisecond, 10 * time.Millisecond
	for _, ways := range fates(t, transport.Link{Loss: 0.2, Burst: 3, Delay: delay, Duplicate: 0.1}, 1, manyPackets) {
		for _, d := range ways {
			if d != delay { // equal delays keep the order
				t.Fatalf("%v under way without jitter", d)
			}
		}
	}
	var all []float64
	for _, ways := range fates(t, transport.Link{Delay: delay, Jitter: jitter}, 1, manyPackets) {
		all = append(all, float64(ways[0]))
	}
	least, most, sum := slices.Min(all), slices.Max(all), 0.0
	for _, d := range all {
		sum += d
	}
	if least < float64(delay) || most > float64(delay+jitter) || most-least < 0.99*float64(jitter) {
		t.Errorf("ways of %v to %v", time.Duration(least), time.Duration(most))
	}
	near(t, "the mean way", sum/manyPackets, float64(delay+jitter/2), float64(jitter)/math.Sqrt(12*manyPackets))
}

func TestDuplicateAndReorder(t *testing.T) {
	const p, tenHertz = 0.1, 100 * time.Millisecond
	deviation := math.Sqrt(p * (1 - p) / manyPackets)
	all := fates(t, transport.Link{Duplicate: p}, 3, manyPackets)
	near(t, "the share of duplicates", share(all, func(ways []time.Duration) bool { return len(ways) == 2 }), p, deviation)

	all = fates(t, transport.Link{Reorder: p}, 3, manyPackets)
	var arrivals []time.Duration
	for i, ways := range all {
		arrivals = append(arrivals, time.Duration(i)*tenHertz+ways[0])
	}
	overtaken := 0
	for i, at := range arrivals[1:] {
		if arrivals[i] > at {
			overtaken++
		}
	}
	// A late packet is overtaken unless the next one is late as well.
	near(t, "the share of packets overtaken", float64(overtaken)/manyPackets, p*(1-p), deviation)
}

func TestSeedDecides(t *testing.T) {
	link := transport.Link{Loss: 0.2, Burst: 2, Delay: 1, Jitter: time.Second, Duplicate: 0.2, Reorder: 0.2}
	same := func(a, b []time.Duration) bool { return slices.Equal(a, b) }
	if !slices.EqualFunc(fates(t, link, 5, 1000), fates(t, link, 5, 1000), same) {
		t.Error("the same seed gives other fates")
	}
	if slices.EqualFunc(fates(t, link, 5, 1000), fates(t, link, 6, 1000), same) {
		t.Error("another seed gives the same fates")
	}
}

func TestValidate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		link  transport.Link
		field string
	}{
		{transport.Link{Loss: nan}, "Loss"},
		{transport.Link{Loss: -0.1}, "Loss"},
		{transport.Link{Loss: 1.01}, "Loss"},
		{transport.Link{Duplicate: nan}, "Duplicate"},
		{transport.Link{Duplicate: 2}, "Duplicate"},
		{transport.Link{Reorder: nan}, "Reorder"},
		{transport.Link{Reorder: math.Inf(1)}, "Reorder"},
		{transport.Link{Burst: nan}, "Burst"},
		{transport.Link{Burst: -1}, "Burst"},
		{transport.Link{Burst: math.Inf(1)}, "Burst"},
		{transport.Link{Loss: 0.9, Burst: 2}, "Burst is 2: with Loss 0.9 give at least 9"},
		{transport.Link{Delay: -1}, "Delay"},
		{transport.Link{Delay: 2 * time.Hour}, "Delay"},
		{transport.Link{Jitter: -1}, "Jitter"},
		{transport.Link{Jitter: math.MaxInt64}, "Jitter"},
	} {
		err := c.link.Validate()
		if err == nil || !strings.Contains(err.Error(), "transport: Link."+c.field) {
			t.Errorf("%+v: %v", c.link, err)
		}
		if _, memoryErr := transport.NewMemory(c.link, 1); memoryErr == nil {
			t.Errorf("NewMemory accepts %+v", c.link)
		}
		transport.NewImpair(c.link, 1).Next(nil) // does not panic
	}
}

func BenchmarkImpair(b *testing.B) {
	link := transport.Link{Loss: 0.1, Burst: 3, Delay: time.Millisecond, Jitter: time.Millisecond, Duplicate: 0.01, Reorder: 0.01}
	p := transport.NewImpair(link, 1)
	var ways []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		ways = p.Next(ways[:0])
	}
}
