package teamcom

import (
	"fmt"
	"math"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

const ms = time.Millisecond

// impairments are the links of the tests.
var impairments = map[string]traffic.Link{
	"perfect":    {},
	"loss":       {Loss: 0.1},
	"bursts":     {Loss: 0.2, Burst: 5},
	"duplicates": {Duplicate: 0.1},
	"reordering": {Reorder: 0.1},
	"delay":      {Delay: 100 * ms},
	"jitter":     {Delay: 5 * ms, Jitter: 30 * ms},
	"all":        {Loss: 0.05, Burst: 2, Delay: 20 * ms, Jitter: 20 * ms, Duplicate: 0.05, Reorder: 0.05},
}

// offsets are those of the far node's clock.
var offsets = []time.Duration{
	0, time.Hour, -time.Hour,
	-time.Duration(soccer.Epoch),                                    // it starts at 0
	-time.Duration(soccer.Epoch) - 5*time.Second,                    // it wraps at 2^64 ns after 5 s
	math.MaxInt64 - time.Duration(soccer.Epoch) - 5*time.Second + 1, // it passes 2^63 ns after 5 s
}

// After 10 s, the figures of a link match the network within 1 percentage point, 2 ms of latency and 5 ms of offset.
func TestMeasure(t *testing.T) {
	worst := map[string]float64{}
	for name, impairment := range impairments {
		for seed := range uint64(5) {
			for _, offset := range offsets {
				for _, drift := range []float64{0, 100e-6, -100e-6} {
					n := &linkNetwork{link: impairment, seed: seed, offset: offset, drift: drift, echoEvery: 5}
					t.Run(fmt.Sprintf("%s/seed=%d/offset=%v/drift=%v", name, seed, offset, drift), func(t *testing.T) {
						n.start(t)
						n.run(10 * time.Second)
						r := n.report(t)
						n.checkShares(t, r, worst)
						n.checkTimes(t, r, worst)
					})
				}
			}
		}
	}
	t.Logf("worst errors: %v", worst)
}

// At a high rate, the shares match those of the link's settings, not only the fates of its datagrams.
func TestMeasureSettings(t *testing.T) {
	for seed := range uint64(3) {
		n := &linkNetwork{link: traffic.Link{Loss: 0.1, Duplicate: 0.05, Reorder: 0.02, Delay: 10 * ms}, seed: seed, rate: 2000}
		n.start(t)
		n.run(10 * time.Second)
		r := n.report(t)
		within(t, "loss in %", r.LossPercent, 10, 1)
		within(t, "duplicates in %", r.DuplicatePercent, 5, 1)
		within(t, "reordering in %", r.ReorderPercent, 2, 1)
		within(t, "median latency in ms", r.LatencyMillis.P50, 10, 2)
		within(t, "p99 latency in ms", r.LatencyMillis.P99, 160, 2) // reordering holds datagrams back for 150 ms
	}
}

// For 24 h the figures stay right, while the drift of the clock changes and all counters pass their 32nd bit: sequences,
// numbers of messages, which wrap there, and what a counter of us or ns would have.
func TestDay(t *testing.T) {
	for seed := range uint64(3) {
		n := &linkNetwork{
			link: traffic.Link{Loss: 0.05, Burst: 2, Delay: 3 * ms, Jitter: 10 * ms, Duplicate: 0.02, Reorder: 0.01},
			seed: seed, offset: time.Hour, drift: []float64{-100e-6, 0, 95e-6}[seed], wander: 5e-6, rate: 5, echoEvery: 5,
			sequence: 1<<32 - 200_000, number: math.MaxUint32 - 200_000,
		}
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			n.start(t)
			worst := map[string]float64{}
			for at := time.Duration(0); at < 24*time.Hour && !t.Failed(); at += 10 * time.Minute {
				n.run(at)
				n.delays = n.delays[:0]
				n.run(at + 10*time.Second)
				n.checkTimes(t, n.report(t), worst)
			}
			r := n.report(t)
			lost, sent := n.trueLoss()
			for _, got := range []Traffic{r.Traffic, r.Types[0].Traffic} {
				within(t, "lost", float64(got.Lost), float64(lost), 3) // some may be on their way
				within(t, "received", float64(got.Received), float64(sent-lost), 3)
				within(t, "reordered", float64(got.Reordered), float64(n.late), 0)
			}
			within(t, "duplicates", float64(r.Duplicates), float64(n.duplicate), 0)
			if n.highest < 1<<32 {
				t.Errorf("the highest sequence is %d, want one above %d", n.highest, uint64(1<<32))
			}
			t.Logf("worst errors: %v", worst)
		})
	}
}

// A peer whose times come from a wall clock, against the rules, has its clock set: nothing is lost or refused, no latency
// is absurd, and within 5 s the offset is right again.
func TestPeerSetsClock(t *testing.T) {
	for _, set := range []time.Duration{-time.Hour, time.Hour, -300 * ms, 300 * ms} {
		for seed := range uint64(5) {
			n := &linkNetwork{
				link: traffic.Link{Delay: 2 * ms, Jitter: 10 * ms}, seed: seed, drift: 50e-6, echoEvery: 5,
				set: set, setAt: soccer.Epoch.Add(time.Minute),
			}
			t.Run(fmt.Sprintf("%v/seed=%d", set, seed), func(t *testing.T) {
				n.start(t)
				for at := 55 * time.Second; at < 90*time.Second; at += 100 * ms {
					n.run(at)
					var r LinkReport
					n.nearPeer.Report(n.now, &r)
					if !r.Up || r.Lost > 0 || r.Duplicates > 0 || r.Replayed > 0 || r.Restarts > 0 || r.LatencyMillis.P50 > 600 {
						t.Fatalf("after %v: got %+v, want a link without faults", at, r)
					}
					if at < 60*time.Second || at > 65*time.Second {
						within(t, fmt.Sprintf("offset in ms after %v", at), r.OffsetMillis, n.clockOf(n.now).Sub(n.now).Seconds()*1000, 5)
					}
				}
			})
		}
	}
}

// When the machine's clock is set, a datagram that waits to be read seems to have arrived with the one before it. That
// changes no figure.
func TestEarlyArrival(t *testing.T) {
	n := &linkNetwork{link: traffic.Link{Delay: 2 * ms, Jitter: 3 * ms}, drift: 20e-6}
	n.start(t)
	n.run(20 * time.Second)
	before := n.report(t)
	early := n.now
	n.run(20*time.Second + 49*ms)
	h := tcm.Header{
		Team: 1, From: far, To: tcm.Entity{Kind: tcm.Robot}, Boot: 1, Sequence: n.ways[0].sent + 1, Sent: uint64(n.clockOf(n.now)),
		Echo: tcm.Echo{From: near, Sent: uint64(early.Add(-ms))},
	}
	if got := n.nearPeer.Receive(early, &h, 100); got != accepted {
		t.Fatalf("the datagram is %v, want accepted", got)
	}
	after := n.report(t)
	within(t, "offset in ms", after.OffsetMillis, before.OffsetMillis, 0.1)
	within(t, "p99 latency in ms", after.LatencyMillis.P99, before.LatencyMillis.P99, 0.5)
	within(t, "lost", float64(after.Lost), 0, 0)
}

// A peer that sends no times is counted, and its clock remains unknown.
func TestPeerWithoutClock(t *testing.T) {
	p := newPeer(false)
	for i := range uint64(100) {
		at := soccer.Epoch.Add(time.Duration(i) * 50 * ms)
		h := tcm.Header{From: far, To: near, Boot: 1, Sequence: i + 1, Echo: tcm.Echo{From: near, Sent: uint64(at.Add(-ms))}}
		if got := p.Receive(at, &h, 100); got != accepted {
			t.Fatalf("datagram %d is %v, want accepted", i, got)
		}
	}
	if r := report(p, 5*time.Second); r.Received != 100 || r.Synced || r.LatencyMillis != (Quantiles{}) {
		t.Errorf("got %d received, synced %t, latency %v, want 100, false, 0", r.Received, r.Synced, r.LatencyMillis)
	}
}

// report returns the near node's report of a link that is in step.
func (n *linkNetwork) report(t *testing.T) LinkReport {
	t.Helper()
	var r LinkReport
	n.nearPeer.Report(n.now, &r)
	if !r.Synced || len(r.Types) != 1 {
		t.Fatalf("the link is in step: %t, with %d types; want true, 1", r.Synced, len(r.Types))
	}
	return r
}

// comparison returns a function that compares a figure with the truth and keeps the largest error.
func comparison(t *testing.T, worst map[string]float64) func(what string, got, want, margin float64) {
	return func(what string, got, want, margin float64) {
		t.Helper()
		within(t, what, got, want, margin)
		worst[what] = max(worst[what], got-want, want-got)
	}
}

// checkShares compares the shares and rates of the first 10 s with the network.
func (n *linkNetwork) checkShares(t *testing.T, r LinkReport, worst map[string]float64) {
	compare := comparison(t, worst)
	received := float64(len(n.delays))
	lost, sent := n.trueLoss()
	for _, got := range []Traffic{r.Traffic, r.Types[0].Traffic} {
		compare("loss in %", got.LossPercent, 100*float64(lost)/float64(sent), 1)
		compare("reordering in %", got.ReorderPercent, 100*float64(n.late)/received, 1)
		compare("datagrams a second", got.PerSecond, received/10, 0.1*received/10)
	}
	compare("duplicates in %", r.DuplicatePercent, 100*float64(n.duplicate)/received, 1)
}

// checkTimes compares the latencies of the last 10 s and the offset with the network.
func (n *linkNetwork) checkTimes(t *testing.T, r LinkReport, worst map[string]float64) {
	compare := comparison(t, worst)
	for _, q := range []Quantiles{r.LatencyMillis, r.Types[0].LatencyMillis} {
		compare("median latency in ms", q.P50, n.trueDelay(0.5), 2)
		compare("p99 latency in ms", q.P99, n.trueDelay(0.99), 2)
	}
	offset := n.clockOf(n.now).Sub(n.now).Seconds() * 1000
	compare("offset in ms", r.OffsetMillis, offset, 5)
	if off := r.OffsetMillis - offset; math.Abs(off) > r.OffsetErrorMillis+0.001 {
		t.Errorf("the offset is %.3f ms off, more than its error of %.3f ms", off, r.OffsetErrorMillis)
	}
	if local, ok := n.nearPeer.Local(uint64(n.clockOf(n.now))); !ok {
		t.Error("a time of the peer's clock cannot be converted")
	} else {
		compare("local time in ms", local.Sub(n.now).Seconds()*1000, 0, 5)
	}
}
