package teamcom

import (
	"cmp"
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

var (
	near = tcm.Entity{Kind: tcm.Robot, ID: 1}
	far  = tcm.Entity{Kind: tcm.Robot, ID: 2}
)

// linkNetwork is two nodes in virtual time and the links between them. The near node's clock shows the true time.
type linkNetwork struct {
	link      traffic.Link
	seed      uint64
	offset    time.Duration // of the far node's clock at the start
	drift     float64       // of the far node's clock, 1e-6 is 1 ppm
	wander    float64       // its drift changes by as much, up and down within two hours
	set       time.Duration // the far node's clock is set by as much ...
	setAt     soccer.Time   // ... at this time, unless it is 0
	rate      int           // datagrams a second, each way
	echoEvery int           // the far node has this many peers, whose datagrams it echoes in turn
	number    uint32        // first number of the far node's messages
	sequence  uint64        // first sequence of the far node

	now       soccer.Time
	events    events
	ways      [2]way // to the near node, to the far node
	nearPeer  *link
	farPeer   *link
	delays    []time.Duration // true delays of the datagrams that the near node accepted
	fates     []bool          // of the far node's datagrams: whether the network lost them
	duplicate int
	late      int    // accepted by the near node behind a newer one
	lowest    uint64 // sequence that the near node accepted
	highest   uint64
}

// way is one direction.
type way struct {
	impair *traffic.Impairment
	sent   uint64
	rng    *rand.Rand
}

type event struct {
	at   soccer.Time
	left soccer.Time
	far  bool // arrives at the far node
	send bool
	h    tcm.Header
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// clockOf returns what the far node's clock shows at a time.
func (n *linkNetwork) clockOf(t soccer.Time) soccer.Time {
	const period = float64(2 * time.Hour)
	since := float64(t.Sub(soccer.Epoch))
	shown := t.Add(n.offset).Add(time.Duration(math.Round(since * n.drift)))
	phase := 2 * math.Pi * since / period
	shown = shown.Add(time.Duration(math.Round(n.wander * period / (2 * math.Pi) * (1 - math.Cos(phase)))))
	if n.setAt > 0 && t >= n.setAt {
		shown = shown.Add(n.set)
	}
	return shown
}

// start prepares the network.
func (n *linkNetwork) start(t testing.TB) {
	if err := n.link.Validate(); err != nil {
		t.Fatal(err)
	}
	n.now = soccer.Epoch
	n.rate, n.echoEvery = cmp.Or(n.rate, 20), cmp.Or(n.echoEvery, 1)
	n.nearPeer, n.farPeer = newLink(linkConfig{Self: near, Peer: far}), newLink(linkConfig{Self: far, Peer: near})
	for i := range n.ways {
		n.ways[i] = way{impair: traffic.NewImpairment(n.link, n.seed, uint64(i)), rng: rand.New(rand.NewPCG(n.seed, uint64(i)))}
		heap.Push(&n.events, event{at: n.now.Add(time.Duration(i) * 7 * time.Millisecond), send: true, far: i == 1})
	}
	n.ways[0].sent, n.lowest = n.sequence, math.MaxUint64
}

// run runs the network until a time after its start.
func (n *linkNetwork) run(until time.Duration) {
	for n.events[0].at <= soccer.Epoch.Add(until) {
		e := heap.Pop(&n.events).(event)
		n.now = e.at
		switch {
		case e.send:
			n.send(e.far)
			period := float64(time.Second) / float64(n.rate)
			e.at = e.at.Add(time.Duration(period * (0.9 + 0.2*n.ways[0].rng.Float64())))
			heap.Push(&n.events, e)
		case e.far:
			n.farPeer.Receive(n.clockOf(n.now), &e.h, 100)
		default:
			n.receive(e)
		}
	}
	n.now = soccer.Epoch.Add(until)
}

// send sends one datagram to the far node or to the near one.
func (n *linkNetwork) send(toFar bool) {
	h := tcm.Header{Team: 1, From: far, To: tcm.Entity{Kind: tcm.Robot}, Boot: 1}
	way, clock, peer := &n.ways[0], n.clockOf(n.now), n.farPeer
	if toFar {
		way, clock, peer = &n.ways[1], n.now, n.nearPeer
		h.From = near
	}
	way.sent++
	h.Sequence, h.Sent = way.sent, uint64(clock)
	if toFar || int(way.sent)%n.echoEvery == 0 {
		h.Echo, _ = peer.Echo(clock)
	}
	copies := way.impair.Next(nil)
	if !toFar {
		n.fates = append(n.fates, len(copies) == 0)
	}
	for _, delay := range copies {
		heap.Push(&n.events, event{at: n.now.Add(delay), left: n.now, far: toFar, h: h})
	}
}

func (n *linkNetwork) receive(e event) {
	number := n.number + uint32(e.h.Sequence-n.sequence) - 1
	switch n.nearPeer.Receive(n.now, &e.h, 100) {
	case accepted:
		n.nearPeer.Message(n.now, e.h.To, tcm.GM, tcm.Belief, number, e.h.Sent, 60)
		n.delays = append(n.delays, n.now.Sub(e.left))
		if e.h.Sequence < n.highest {
			n.late++
		}
		n.highest = max(n.highest, e.h.Sequence)
		n.lowest = min(n.lowest, e.h.Sequence)
	case duplicate:
		n.duplicate++
	}
}

// trueLoss returns how many of the far node's datagrams the network lost, and of how many, between the first and the last
// one that the near node accepted.
func (n *linkNetwork) trueLoss() (lost, sent int) {
	span := n.fates[n.lowest-n.sequence-1 : n.highest-n.sequence]
	for _, l := range span {
		if l {
			lost++
		}
	}
	return lost, len(span)
}

// trueDelay returns a quantile of the true delays in ms, by nearest rank.
func (n *linkNetwork) trueDelay(q float64) float64 {
	sorted := slices.Sorted(slices.Values(n.delays))
	return sorted[int(math.Ceil(q*float64(len(sorted))))-1].Seconds() * 1000
}

// within fails the test if got is not within margin of want.
func within(t *testing.T, what string, got, want, margin float64) {
	t.Helper()
	if !(math.Abs(got-want) <= margin) {
		t.Errorf("%s: got %.3f, want %.3f within %.3f", what, got, want, margin)
	}
}
