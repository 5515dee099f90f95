package traffic_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/transport/traffic"
)

const manyPackets = 100_000

// fates returns the delays of the copies of each of n packets.
func fates(t *testing.T, link traffic.Link, seed uint64, n int) [][]time.Duration {
	t.Helper()
	if err := link.Validate(); err != nil {
		t.Fatal(err)
	}
	m := traffic.NewImpairment(link, seed, 0)
	all := make([][]time.Duration, n)
	for i := range all {
		all[i] = m.Next(nil)
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

func lost(delays []time.Duration) bool { return len(delays) == 0 }

// near checks that got lies within five standard deviations of want.
func near(t *testing.T, what string, got, want, deviation float64) {
	t.Helper()
	if math.Abs(got-want) > 5*deviation {
		t.Errorf("%s is %.4f, want %.4f +- %.4f", what, got, want, 5*deviation)
	}
}

func TestLoss(t *testing.T) {
	for _, link := range []traffic.Link{
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
		for i, delays := range all {
			if lost(delays) {
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
	for _, delays := range fates(t, traffic.Link{Loss: 0.2, Burst: 3, Delay: delay, Duplicate: 0.1}, 1, manyPackets) {
		for _, d := range delays {
			if d != delay { // equal delays keep the order
				t.Fatalf("got a delay of %v without jitter, want %v", d, delay)
			}
		}
	}
	var all []float64
	for _, delays := range fates(t, traffic.Link{Delay: delay, Jitter: jitter}, 1, manyPackets) {
		all = append(all, float64(delays[0]))
	}
	least, most, sum := slices.Min(all), slices.Max(all), 0.0
	for _, d := range all {
		sum += d
	}
	if least < float64(delay) || most > float64(delay+jitter) || most-least < 0.99*float64(jitter) {
		t.Errorf("got delays of %v to %v, want about 20ms to 30ms", time.Duration(least), time.Duration(most))
	}
	near(t, "the mean delay", sum/manyPackets, float64(delay+jitter/2), float64(jitter)/math.Sqrt(12*manyPackets))
}

func TestDuplicateAndReorder(t *testing.T) {
	const p, tenHertz = 0.1, 100 * time.Millisecond
	deviation := math.Sqrt(p * (1 - p) / manyPackets)
	all := fates(t, traffic.Link{Duplicate: p}, 3, manyPackets)
	near(t, "the share of duplicates", share(all, func(delays []time.Duration) bool { return len(delays) == 2 }), p,
		deviation)

	all = fates(t, traffic.Link{Reorder: p}, 3, manyPackets)
	var arrivals []time.Duration
	for i, delays := range all {
		arrivals = append(arrivals, time.Duration(i)*tenHertz+delays[0])
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

func TestSeedDeterminesFates(t *testing.T) {
	link := traffic.Link{Loss: 0.2, Burst: 2, Delay: 1, Jitter: time.Second, Duplicate: 0.2, Reorder: 0.2}
	same := func(a, b []time.Duration) bool { return slices.Equal(a, b) }
	if !slices.EqualFunc(fates(t, link, 5, 1000), fates(t, link, 5, 1000), same) {
		t.Error("the same seed gives different fates")
	}
	if slices.EqualFunc(fates(t, link, 5, 1000), fates(t, link, 6, 1000), same) {
		t.Error("different seeds give the same fates")
	}
}

func TestValidate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		link traffic.Link
		want string
	}{
		{traffic.Link{Loss: nan}, "loss NaN: want a share from 0 to 1"},
		{traffic.Link{Loss: -0.1}, "loss -0.1: want a share from 0 to 1"},
		{traffic.Link{Loss: 1.01}, "loss 1.01: want a share from 0 to 1"},
		{traffic.Link{Duplicate: nan}, "duplicates NaN: want a share from 0 to 1"},
		{traffic.Link{Duplicate: 2}, "duplicates 2: want a share from 0 to 1"},
		{traffic.Link{Reorder: nan}, "reordering NaN: want a share from 0 to 1"},
		{traffic.Link{Reorder: math.Inf(1)}, "reordering +Inf: want a share from 0 to 1"},
		{traffic.Link{Burst: nan}, "burst NaN: want a mean run of losses from 0 to 1e6 packets"},
		{traffic.Link{Burst: -1}, "burst -1: want a mean run of losses"},
		{traffic.Link{Burst: math.Inf(1)}, "burst +Inf: want a mean run of losses"},
		{traffic.Link{Loss: 0.9, Burst: 2}, "burst 2: a loss of 0.9 needs runs of at least 9 packets"},
		{traffic.Link{Delay: -1}, "delay -1ns: want a time from 0 to 1h"},
		{traffic.Link{Delay: 2 * time.Hour}, "delay 2h0m0s: want a time from 0 to 1h"},
		{traffic.Link{Jitter: -1}, "jitter -1ns: want a time from 0 to 1h"},
		{traffic.Link{Jitter: math.MaxInt64}, "want a time from 0 to 1h"},
	} {
		err := c.link.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got error %v, want %q", c.link, err, c.want)
		}
		traffic.NewImpairment(c.link, 1, 0).Next(nil) // does not panic
	}
}

// A change leaves the values that it does not name, and a value out of range changes nothing.
func TestChange(t *testing.T) {
	link := traffic.Link{Loss: 0.1, Delay: 30 * time.Millisecond, Jitter: time.Millisecond}
	for _, c := range []struct {
		body string
		want traffic.Link
		err  string
	}{
		{body: `{}`, want: link},
		{body: `{"loss":1}`, want: traffic.Link{Loss: 1, Delay: link.Delay, Jitter: link.Jitter}},
		{body: `{"delay":0}`, want: traffic.Link{Loss: 0.1, Jitter: link.Jitter}},
		{body: `{"loss":0,"delay":0.5}`, want: traffic.Link{Delay: 500 * time.Microsecond, Jitter: link.Jitter}},
		{body: `{"loss":1.1,"delay":5}`, want: link, err: "loss 1.1: want a share from 0 to 1"},
		{body: `{"loss":0,"delay":-1}`, want: link, err: "delay -1 ms: want 0 to 3600000"},
		{body: `{"delay":1e300}`, want: link, err: "delay 1e+300 ms: want 0 to 3600000"},
	} {
		var change traffic.Change
		if err := json.Unmarshal([]byte(c.body), &change); err != nil {
			t.Fatal(err)
		}
		got, err := change.Apply(link)
		if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %+v and error %v, want %+v and error %q", c.body, got, err, c.want, c.err)
		}
	}
}

func BenchmarkImpairment(b *testing.B) {
	link := traffic.Link{Loss: 0.1, Burst: 3, Delay: time.Millisecond, Jitter: time.Millisecond, Duplicate: 0.01,
		Reorder: 0.01}
	m := traffic.NewImpairment(link, 1, 0)
	var delays []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		delays = m.Next(delays[:0])
	}
}
