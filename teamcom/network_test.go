package teamcom_test

import (
	"cmp"
	"container/heap"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// network joins nodes by impaired links in virtual time.
type network struct {
	t        testing.TB
	now      soccer.Time
	link     traffic.Link
	seed     uint64
	nodes    []*teamcom.Node
	modules  []*teamcom.Module // whose handlers run as soon as a message is there
	links    map[[2]int]*traffic.Impairment
	inFlight arrivals
	sent     [][]byte // every datagram, if keep
	keep     bool
	offsets  [16]time.Duration // of the nodes' clocks
	lossy    bool              // the network loses everything
	buf      []byte
	delays   []time.Duration
	count    uint64
}

// arrival is a datagram in flight.
type arrival struct {
	due    soccer.Time
	order  uint64
	to     int
	socket tcm.Socket
	data   []byte
}

type arrivals []arrival

func (a arrivals) Len() int { return len(a) }
func (a arrivals) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(a[i].due, a[j].due), cmp.Compare(a[i].order, a[j].order)) < 0
}
func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *arrivals) Push(x any)   { *a = append(*a, x.(arrival)) }
func (a *arrivals) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

func newNetwork(t testing.TB, link traffic.Link, seed uint64) *network {
	t.Helper()
	if err := link.Validate(); err != nil {
		t.Fatal(err)
	}
	return &network{
		t: t, now: soccer.Epoch, link: link, seed: seed, links: map[[2]int]*traffic.Impairment{},
		buf: make([]byte, 0, tcm.OwnDatagram),
	}
}

// add adds a node with changes to its default configuration.
func (w *network) add(self tcm.Entity, change func(*teamcom.Config)) *teamcom.Node {
	w.t.Helper()
	cfg := teamcom.DefaultConfig(self)
	if change != nil {
		change(&cfg)
	}
	n, err := teamcom.New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	w.nodes = append(w.nodes, n)
	return n
}

// module returns a module whose handlers run as soon as a message is there.
func (w *network) module(n *teamcom.Node, id tcm.Module) *teamcom.Module {
	m := n.Module(id)
	w.modules = append(w.modules, m)
	return m
}

// run lets time pass until the given duration is over.
func (w *network) run(d time.Duration) {
	w.t.Helper()
	for end := w.now.Add(d); ; {
		w.settle()
		next := teamcom.Never
		for i, n := range w.nodes {
			if wake := n.Wake(); wake != teamcom.Never {
				next = min(next, wake.Add(-w.offsets[i]))
			}
		}
		if len(w.inFlight) > 0 {
			next = min(next, w.inFlight[0].due)
		}
		if next > end {
			w.now = end
			return
		}
		w.now = max(w.now, next)
	}
}

// settle does everything that is due now.
func (w *network) settle() {
	for busy := true; busy; {
		busy = false
		for len(w.inFlight) > 0 && w.inFlight[0].due <= w.now {
			a := heap.Pop(&w.inFlight).(arrival)
			w.nodes[a.to].Receive(&soccer.Packet{Time: w.now.Add(w.offsets[a.to]), Data: a.data}, a.socket)
			busy = true
		}
		for _, m := range w.modules {
			busy = m.Run(func() soccer.Time { return w.now }, 1000) > 0 || busy
		}
		for i := range w.nodes {
			for w.transmit(i) {
				busy = true
			}
		}
	}
}

// transmit puts the next datagram of a node onto its links.
func (w *network) transmit(from int) bool {
	out, ok := w.nodes[from].Next(w.now.Add(w.offsets[from]), w.buf)
	if !ok {
		return false
	}
	data := append([]byte(nil), out.Data...)
	if w.keep {
		w.sent = append(w.sent, data)
	}
	for to, n := range w.nodes {
		self := n.Self()
		if to == from || self.Kind != out.To.Kind || (out.To.ID != 0 && out.To.ID != self.ID) {
			continue
		}
		link := w.links[[2]int{from, to}]
		if link == nil {
			link = traffic.NewImpairment(w.link, w.seed, uint64(from)<<8|uint64(to))
			w.links[[2]int{from, to}] = link
		}
		if w.lossy {
			continue
		}
		w.delays = link.Next(w.delays[:0])
		for _, d := range w.delays {
			heap.Push(&w.inFlight, arrival{w.now.Add(d), w.count, to, out.Socket, data})
			w.count++
		}
	}
	return true
}

func robot(id uint8) tcm.Entity    { return tcm.Entity{Kind: tcm.Robot, ID: id} }
func computer(id uint8) tcm.Entity { return tcm.Entity{Kind: tcm.Computer, ID: id} }

var (
	robots    = tcm.Entity{Kind: tcm.Robot}
	computers = tcm.Entity{Kind: tcm.Computer}
)
