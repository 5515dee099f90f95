package teamcom

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/tcm"
)

// linkArrival is a datagram that arrives some time after Epoch, and its fate.
type linkArrival struct {
	at       time.Duration
	boot     uint32
	sequence uint64
	want     verdict
}

// header returns the header of an arrival that left 1 ms before.
func (a linkArrival) header() *tcm.Header {
	return &tcm.Header{
		Team: 1, From: far, To: near, Boot: a.boot, Sequence: a.sequence,
		Sent: uint64(soccer.Epoch.Add(a.at - time.Millisecond)),
	}
}

// receive gives a peer the arrivals and compares their fates.
func receive(t *testing.T, p *link, all []linkArrival) {
	t.Helper()
	for i, a := range all {
		if got := p.Receive(soccer.Epoch.Add(a.at), a.header(), 100); got != a.want {
			t.Errorf("datagram %d, %+v: got %v, want %v", i, a, got, a.want)
		}
	}
}

func report(p *link, at time.Duration) LinkReport {
	var r LinkReport
	p.Report(soccer.Epoch.Add(at), &r)
	return r
}

func newPeer(signed bool) *link {
	cfg := linkConfig{Self: near, Peer: far}
	cfg.Signed = signed
	return newLink(cfg)
}

// A copy that the network makes departs at the same time as the datagram.
func TestWindow(t *testing.T) {
	for _, signed := range []bool{false, true} {
		for _, first := range []uint64{1, 1 << 32, 1<<63 - 700, math.MaxUint64 - 700} { // sequences pass 2^63 and 2^64
			p := newPeer(signed)
			all := func(from, to uint64, want verdict) {
				t.Helper()
				for i := from; i <= to; i++ {
					h := linkArrival{sequence: first + i}.header()
					h.Sent += i
					if got := p.Receive(soccer.Epoch, h, 100); got != want {
						t.Fatalf("sequence %d + %d: got %v, want %v", first, i, got, want)
					}
				}
			}
			all(0, 1, accepted)
			all(0, 1, duplicate)
			all(3, 1500, accepted)
			all(2000, 2000, accepted)
			all(0, 976, replayed)
			all(977, 1500, duplicate)
			all(1501, 1999, accepted)
			all(977, 2000, duplicate)
			all(2000+1<<32+1, 2000+1<<32+1, replayed)
			all(2000+1<<63, 2000+1<<63, replayed)
			all(2001, 2001, accepted)
			if r := report(p, 0); r.Received != 2001 || r.Lost != 1 || r.Duplicates != 2+524+1024 || r.Reordered != 499 || r.Replayed != 979 {
				t.Errorf("first %d: got %+v, want 2001 received, 1 lost, 1550 duplicates, 499 reordered, 979 replayed", first, r)
			}
		}
	}
}

// However datagrams are reordered and repeated, each is accepted at most once, and once if it is in the window.
func TestWindowRandom(t *testing.T) {
	const first = 5000
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		signed := seed%2 == 0
		p, taken, highest := newPeer(signed), map[uint64]bool{}, uint64(first)
		for i := range 20_000 {
			sequence := highest + uint64(rng.IntN(8))
			if rng.IntN(2) == 0 {
				sequence = highest - uint64(rng.IntN(1100))
			}
			if i == 0 {
				sequence = first
			}
			want := accepted
			switch {
			case sequence+1024 <= highest, signed && sequence < first: // before the start it may have arrived, too
				want = replayed
			case taken[sequence]:
				want = duplicate
			}
			if got := p.Receive(soccer.Epoch, linkArrival{sequence: sequence}.header(), 100); got != want {
				t.Fatalf("seed %d: sequence %d behind %d: got %v, want %v", seed, sequence, highest, got, want)
			}
			if want == accepted {
				taken[sequence] = true
				highest = max(highest, sequence)
			}
		}
	}
}

// Each destination and socket has its own sequences.
func TestStreams(t *testing.T) {
	p := newPeer(false)
	for _, to := range []tcm.Entity{near, {Kind: tcm.Robot}} {
		for socket := range tcm.Socket(tcm.Sockets) {
			for _, want := range []verdict{accepted, duplicate} {
				h := linkArrival{sequence: 1}.header()
				h.To, h.Socket = to, socket
				if got := p.Receive(soccer.Epoch, h, 100); got != want {
					t.Errorf("to %v, socket %v: got %v, want %v", to, socket, got, want)
				}
			}
		}
	}
}

// A peer restarts.
func TestLinkRestart(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		signed   bool
		arrivals []linkArrival
		restarts uint64
		clash    bool
	}{
		"a higher boot": {arrivals: []linkArrival{
			{0, 5, 900, accepted}, {0, 6, 1, accepted}, {0, 6, 1, duplicate},
			{0, 5, 899, olderBoot}, {ms, 5, 901, olderBoot}, {2 * ms, 6, 2, accepted},
		}, restarts: 1},
		"a lower boot, signed": {signed: true, arrivals: []linkArrival{
			{0, 5, 1, accepted}, {3600 * s, 4, 1, olderBoot}, {3600 * s, 5, 2, accepted},
		}},
		"a lower boot after 1 s of silence": {arrivals: []linkArrival{
			{0, 5, 1, accepted}, {999 * ms, 4, 1, olderBoot}, {1000 * ms, 4, 2, accepted},
			{1000 * ms, 4, 1, accepted}, {1500 * ms, 3, 1, olderBoot}, {1500 * ms, 4, 3, accepted},
		}, restarts: 1},
		"the same boot, signed": {signed: true, arrivals: []linkArrival{
			{0, 5, 1, accepted}, {0, 5, 2000, accepted}, {60 * s, 5, 1, replayed}, {60 * s, 5, 2000, duplicate},
			{60 * s, 5, 2001, accepted},
		}, clash: true}, // 2000 departed again at another time
		"the same boot after 1 s of silence": {arrivals: []linkArrival{
			{0, 5, 2000, accepted}, {999 * ms, 5, 1, replayed}, {1000 * ms, 5, 1, accepted},
			{1000 * ms, 5, 2, accepted}, {1000 * ms, 5, 2, duplicate},
		}, restarts: 1},
		"the same boot and sequence after 1 s of silence": {arrivals: []linkArrival{
			{0, 5, 1, accepted}, {0, 5, 2, accepted}, {1000 * ms, 5, 1, accepted}, {1010 * ms, 5, 2, accepted},
		}, restarts: 1},
		"a forged sequence": {arrivals: []linkArrival{
			{0, 5, 1, accepted}, {0, 5, 1 << 31, accepted}, {ms, 5, 2, replayed}, {999 * ms, 5, 80, replayed},
			{1000 * ms, 5, 81, accepted}, {1001 * ms, 5, 82, accepted},
		}, restarts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(c.signed)
			receive(t, p, c.arrivals)
			r := report(p, c.arrivals[len(c.arrivals)-1].at)
			if r.Restarts != c.restarts || r.Clash != c.clash {
				t.Errorf("got %d restarts, clash %t, want %d, %t", r.Restarts, r.Clash, c.restarts, c.clash)
			}
		})
	}
}

// A restart is no loss, and a copy that arrives much later is no restart.
func TestRestartCounts(t *testing.T) {
	p := newPeer(false)
	receive(t, p, []linkArrival{{0, 5, 1, accepted}, {0, 5, 1000, accepted}, {0, 9, 7, accepted}, {0, 9, 9, accepted}})
	h := linkArrival{0, 9, 9, duplicate}.header()
	if got := p.Receive(soccer.Epoch.Add(5*time.Second), h, 100); got != duplicate {
		t.Errorf("a copy 5 s later: got %v, want duplicate", got)
	}
	if r := report(p, 5*time.Second); r.Received != 4 || r.Lost != 998+1 || r.Boot != 9 || r.Restarts != 1 {
		t.Errorf("got %d received, %d lost, boot %d, %d restarts, want 4, 999, 9, 1", r.Received, r.Lost, r.Boot, r.Restarts)
	}
}

// Two living robots have one id: whatever their boots, the report shows it within 2 s and for 10 s after the last sign.
func TestClash(t *testing.T) {
	for name, c := range map[string]struct {
		boots   [2]uint32
		periods [2]time.Duration
		signed  bool
	}{
		"different boots":           {boots: [2]uint32{5, 9}, periods: [2]time.Duration{50 * ms, 50 * ms}},
		"different boots, signed":   {boots: [2]uint32{9, 5}, periods: [2]time.Duration{50 * ms, 50 * ms}, signed: true},
		"the higher boot is slower": {boots: [2]uint32{5, 9}, periods: [2]time.Duration{50 * ms, 1800 * ms}},
		"one boot":                  {boots: [2]uint32{5, 5}, periods: [2]time.Duration{50 * ms, 50 * ms}},
		"one boot, other rates":     {boots: [2]uint32{5, 5}, periods: [2]time.Duration{50 * ms, 30 * ms}, signed: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeer(c.signed)
			var sequences [2]uint64
			next := [2]time.Duration{0, 333 * ms}
			for at := time.Duration(0); at < 4*time.Second; at += ms {
				for i := range next {
					if at == next[i] {
						sequences[i]++
						p.Receive(soccer.Epoch.Add(at), linkArrival{at: at, boot: c.boots[i], sequence: sequences[i]}.header(), 100)
						next[i] += c.periods[i]
					}
				}
			}
			if r := report(p, 4*time.Second); !r.Clash || r.Clashes == 0 {
				t.Errorf("after 4 s: clash %t, %d signs of it, want true and some", r.Clash, r.Clashes)
			}
			if r := report(p, 15*time.Second); r.Clash || r.Clashes == 0 {
				t.Errorf("11 s later: clash %t, %d signs of it, want false and some", r.Clash, r.Clashes)
			}
		})
	}
}

func TestUp(t *testing.T) {
	p := newPeer(false)
	if r := report(p, 0); r.Up || r.Synced || r.Peer != "robot:2" {
		t.Errorf("before the first datagram: got %+v, want a peer that is down", r)
	}
	receive(t, p, []linkArrival{{0, 5, 1, accepted}})
	for at, want := range map[time.Duration]bool{0: true, 900 * ms: true, 901 * ms: false} {
		if r := report(p, at); r.Up != want || r.SilentMillis != at.Seconds()*1000 {
			t.Errorf("after %v: up %t, silent for %v ms, want %t", at, r.Up, r.SilentMillis, want)
		}
		if silent, up := p.Silent(soccer.Epoch.Add(at)); up != want || silent != at {
			t.Errorf("after %v: Silent says %v, %t, want %t", at, silent, up, want)
		}
	}
}

func TestEcho(t *testing.T) {
	p := newPeer(false)
	if e, ok := p.Echo(soccer.Epoch); ok {
		t.Errorf("before the first datagram: got %+v", e)
	}
	a := linkArrival{0, 5, 1, accepted}
	receive(t, p, []linkArrival{a, a.again(duplicate)})
	want := tcm.Echo{From: far, Held: 2500, Sent: a.header().Sent}
	if e, ok := p.Echo(soccer.Epoch.Add(2500*time.Microsecond + 999)); !ok || e != want {
		t.Errorf("got %+v, %t, want %+v", e, ok, want)
	}
	if e, ok := p.Echo(soccer.Epoch.Add(-time.Second)); !ok || e.Held != 0 {
		t.Errorf("with a clock behind the kernel's: got %+v, %t, want no time held", e, ok)
	}
	if e, ok := p.Echo(soccer.Epoch.Add(10*time.Second + 1)); ok {
		t.Errorf("after more than 10 s: got %+v", e)
	}
}

func (a linkArrival) again(want verdict) linkArrival {
	a.want = want
	return a
}

// A sender of hostile types fills neither the memory nor the place of the types that it used before.
func TestManyTypes(t *testing.T) {
	p := newPeer(false)
	at := soccer.Epoch
	p.Message(at, near, tcm.GM, tcm.Belief, 1, 0, 10)
	for module := range 256 {
		for kind := 1000; kind < 65536; kind += 63 {
			p.Message(at, near, tcm.Module(module), tcm.Type(kind), 7, 1<<63, 10)
		}
	}
	p.Message(at.Add(time.Second), near, tcm.GM, tcm.Belief, 2, 0, 10)
	r := report(p, time.Second)
	if len(r.Types) != 32 || r.Others != 256*1025-31 {
		t.Errorf("got %d types and %d other messages, want 32 and %d", len(r.Types), r.Others, 256*1025-31)
	}
	belief := func(r LinkReport) uint64 {
		for _, row := range r.Types {
			if row.Type == "belief" && row.Module == "GM" {
				return row.Received
			}
		}
		return 0
	}
	if got := belief(r); got != 2 {
		t.Errorf("got %d beliefs, want 2", got)
	}
	// The table has room again after the hostile types are silent for 10 s.
	p.Message(at.Add(10*time.Second), near, tcm.HFSM, tcm.Status, 1, 0, 10)
	r = report(p, 10*time.Second)
	if len(r.Types) != 32 || r.Others != 256*1025-31+1 || belief(r) != 2 {
		t.Errorf("with another type: got %d types, %d other messages, %d beliefs", len(r.Types), r.Others, belief(r))
	}
}

// The numbers of messages to one robot and to all are two counters, which one row shows.
func TestTypeCounters(t *testing.T) {
	p := newPeer(false)
	for _, c := range []struct {
		to     tcm.Entity
		number uint32
	}{
		{near, 1}, {near, 2}, {near, 4}, {near, 3}, {near, 3}, {near, 6}, // 5 is lost
		{tcm.Entity{Kind: tcm.Robot}, 1000}, {tcm.Entity{Kind: tcm.Robot}, 1002}, // 1001 is lost
	} {
		p.Message(soccer.Epoch, c.to, tcm.GM, tcm.Belief, c.number, 0, 10)
	}
	r := report(p, 0)
	if len(r.Types) != 1 || r.MessagesPerSecond != 8 {
		t.Fatalf("got %d rows, %v messages a second, want 1 row, 8 messages a second", len(r.Types), r.MessagesPerSecond)
	}
	row := r.Types[0]
	if row.Received != 7 || row.Lost != 2 || row.Duplicates != 1 || row.Reordered != 1 || row.BytesPerSecond != 70 {
		t.Errorf("got %+v, want 7 received, 2 lost, 1 duplicate, 1 reordered, 70 bytes a second", row)
	}
}

// The report of any state is JSON.
func TestReportJSON(t *testing.T) {
	b, err := json.Marshal(report(newPeer(false), 0))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil || got["peer"] != "robot:2" || got["lossPercent"] != 0.0 || got["up"] != false {
		t.Errorf("got %s, %v", b, err)
	}
}

// Receive and Message allocate nothing once each of their seconds was used.
func TestReceiveAllocations(t *testing.T) {
	n := &linkNetwork{rate: 1000}
	n.start(t)
	n.run(12 * time.Second)
	h, now := steady(n)
	if allocs := testing.AllocsPerRun(15_000, func() { stepSteady(n, h, &now, ms) }); allocs != 0 {
		t.Errorf("Receive and Message allocate %v times a datagram, want 0", allocs)
	}
}

// steady returns the next header of the far node, which echoes.
func steady(n *linkNetwork) (*tcm.Header, soccer.Time) {
	h := &tcm.Header{Team: 1, From: far, To: tcm.Entity{Kind: tcm.Robot}, Boot: 1, Sequence: n.highest}
	h.Echo = tcm.Echo{From: near}
	return h, n.now
}

// stepSteady receives the next datagram with one message, a period after the one before.
func stepSteady(n *linkNetwork, h *tcm.Header, now *soccer.Time, period time.Duration) {
	*now = now.Add(period)
	h.Sequence++
	h.Sent = uint64(*now)
	h.Echo.Sent = uint64(now.Add(-ms))
	n.nearPeer.Receive(*now, h, 100)
	n.nearPeer.Message(*now, h.To, tcm.GM, tcm.Belief, uint32(h.Sequence), h.Sent, 60)
}

func BenchmarkReceive(b *testing.B) {
	n := &linkNetwork{rate: 1000}
	n.start(b)
	n.run(12 * time.Second)
	h, now := steady(n)
	b.ReportAllocs()
	for b.Loop() {
		stepSteady(n, h, &now, 20*time.Microsecond)
	}
}

// The memory of a peer is bounded, whatever it sends.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p, at := newPeer(false), soccer.Epoch
	for i := range 2_000_000 {
		at = at.Add(10 * time.Microsecond)
		h := linkArrival{boot: uint32(i / 1000), sequence: uint64(i) * 7}.header()
		h.Socket, h.To.ID = tcm.Socket(i%4), uint8(i/4%2)
		p.Receive(at, h, 100)
		p.Message(at, h.To, tcm.Module(i%300), tcm.Type(i%700), uint32(i), 0, 10)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("one peer takes %d bytes, want at most 1 MiB", grown)
	}
	runtime.KeepAlive(p)
}

// A lean peer accepts the same datagrams and converts times alike. It counts nothing.
func TestLean(t *testing.T) {
	cfg := linkConfig{Self: near, Peer: far}
	full := newLink(cfg)
	cfg.Lean = true
	lean := newLink(cfg)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range uint64(400) {
		now := soccer.Epoch.Add(time.Duration(i) * 20 * time.Millisecond)
		h := &tcm.Header{
			Team: 1, From: far, To: near, Boot: 1, Sequence: 1 + i - rng.Uint64N(min(i+1, 3)),
			Sent: uint64(now.Add(time.Hour - time.Millisecond - time.Duration(rng.IntN(1e6)))),
			Echo: tcm.Echo{From: near, Held: 5000, Sent: uint64(now.Add(-8 * time.Millisecond))},
		}
		if a, b := full.Receive(now, h, 100), lean.Receive(now, h, 100); a != b {
			t.Fatalf("datagram %d: got %v of a lean peer, want %v", i, b, a)
		}
		full.Message(now, near, 1, 2, uint32(i), h.Sent, 50)
		lean.Message(now, near, 1, 2, uint32(i), h.Sent, 50)
		a, known := full.Local(h.Sent)
		if b, too := lean.Local(h.Sent); a != b || known != too {
			t.Fatalf("datagram %d: a lean peer converts its time to %v (%t), want %v (%t)", i, b, too, a, known)
		}
	}
	want, got := report(full, 8*time.Second), report(lean, 8*time.Second)
	if !got.Up || !got.Synced || got.OffsetMillis != want.OffsetMillis || got.DriftPPM != want.DriftPPM {
		t.Errorf("got %+v of a lean peer, want the clock of %+v", got, want)
	}
	if want.Received == 0 || len(want.Types) != 1 || got.Received != 0 || len(got.Types) != 0 || got.RTTMillis != 0 {
		t.Errorf("got %+v of a lean peer, want no counts beside %+v", got, want)
	}
}
