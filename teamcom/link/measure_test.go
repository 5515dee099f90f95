package link_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom/link"
	"touchline/transport/traffic"
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

// After 10 s, the figures of a link match the network within 1 percentage point, 2 ms of latency and 5 ms of offset.
func TestMeasure(t *testing.T) {
	worst := map[string]float64{}
	for name, impairment := range impairments {
		for seed := range uint64(5) {
			for _, offset := range []time.Duration{0, time.Hour, -time.Hour, -time.Duration(soccer.Epoch)} {
				for _, drift := range []float64{0, 100e-6, -100e-6} {
					n := &network{link: impairment, seed: seed, offset: offset, drift: drift, echoEvery: 5}
					t.Run(fmt.Sprintf("%s/seed=%d/offset=%v/drift=%v", name, seed, offset, drift), func(t *testing.T) {
						n.start(t)
						n.run(10 * time.Second)
						n.check(t, worst)
					})
				}
			}
		}
	}
	t.Logf("worst errors: %.3v", worst)
}

// check compares the near node's report with the network.
func (n *network) check(t *testing.T, worst map[string]float64) {
	var r link.Report
	n.nearPeer.Report(n.now, &r)
	if !r.Up || !r.Synced || len(r.Types) != 1 {
		t.Fatalf("the link is up: %t, in step: %t, with %d types; want true, true, 1", r.Up, r.Synced, len(r.Types))
	}
	compare := func(what string, got, want, margin float64) {
		t.Helper()
		within(t, what, got, want, margin)
		worst[what] = max(worst[what], got-want, want-got)
	}
	received := float64(len(n.delays))
	for _, traffic := range []link.Traffic{r.Traffic, r.Types[0].Traffic} {
		compare("loss in %", traffic.LossPercent, n.trueLoss(), 1)
		compare("reordering in %", traffic.ReorderPercent, 100*float64(n.late)/received, 1)
	}
	compare("duplicates in %", r.DuplicatePercent, 100*float64(n.duplicate)/received, 1)
	compare("datagrams a second", r.PerSecond, received/10, 0.1*received/10)
	for _, q := range []link.Quantiles{r.LatencyMillis, r.Types[0].LatencyMillis} {
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
