package teamcom_test

import (
	"testing"

	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
)

// pipe moves messages from one node to another without a network.
type pipe struct {
	from, to *teamcom.Node
	client   *teamcom.Client
	module   *teamcom.Module
	now      soccer.Time
	buf      []byte
	count    int // messages that arrived
	bytes    int
	packet   soccer.Packet
	clock    func() soccer.Time
}

func newPipe(t testing.TB, change func(*teamcom.Config)) *pipe {
	w := newNetwork(t, traffic.Link{}, 1)
	unlimited := func(cfg *teamcom.Config) {
		for s := range cfg.Budget {
			cfg.Budget[s] = teamcom.Unlimited
		}
		if change != nil {
			change(cfg)
		}
	}
	p := &pipe{from: w.add(robot(1), unlimited), to: w.add(robot(2), unlimited), now: w.now, buf: make([]byte, 0, 2048)}
	p.clock = func() soccer.Time { return p.now }
	p.client, p.module = p.from.Module(tcm.PAM).Client(), p.to.Module(tcm.GM)
	receive := func(_ teamcom.From, b []byte) { p.count++; p.bytes += len(b) }
	for _, typ := range []tcm.Type{tcm.Belief, tcm.Image, tcm.FirstOwnType} {
		teamcom.HandleBytes(p.module, typ, receive)
	}
	return p
}

// send moves one message and returns its number of datagrams.
func (p *pipe) send(t testing.TB, typ tcm.Type, message []byte) (datagrams int) {
	if err := p.client.SendBytes(p.now, robot(2), typ, message); err != nil {
		t.Fatal(err)
	}
	for {
		p.now += 1000
		out, ok := p.from.Next(p.now, p.buf)
		if !ok {
			break
		}
		p.packet = soccer.Packet{Time: p.now, Data: out.Data}
		p.to.Receive(&p.packet, out.Socket)
		datagrams++
	}
	p.module.Run(p.clock, 10)
	return datagrams
}

// In steady state neither sending nor receiving allocates, signed or not.
func TestNoAllocations(t *testing.T) {
	for _, change := range []func(*teamcom.Config){nil, signed} {
		p := newPipe(t, change)
		small, image, file := content(100, 1), content(30_000, 2), content(1<<20, 3)
		all := func() {
			p.send(t, tcm.Belief, small)
			p.send(t, tcm.Image, image)
			p.send(t, tcm.FirstOwnType, file)
		}
		all()
		if n := testing.AllocsPerRun(20, all); n != 0 {
			t.Errorf("sending and receiving three messages allocates %v times, want 0", n)
		}
		if p.count != 3*22 {
			t.Errorf("%d messages arrived, want %d", p.count, 3*22)
		}
	}
}

func BenchmarkDatagram(b *testing.B) {
	for _, c := range []struct {
		name   string
		change func(*teamcom.Config)
		typ    tcm.Type
		size   int
	}{
		{"small", nil, tcm.Belief, 100},
		{"small signed", signed, tcm.Belief, 100},
		{"1 MB", nil, tcm.FirstOwnType, 1 << 20},
		{"1 MB signed", signed, tcm.FirstOwnType, 1 << 20},
		{"30 kB image with parity", nil, tcm.Image, 30_000},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := newPipe(b, c.change)
			message, datagrams, messages := content(c.size, 1), 0, 0
			p.send(b, c.typ, message)
			b.ReportAllocs()
			b.SetBytes(int64(c.size))
			for b.Loop() {
				datagrams += p.send(b, c.typ, message)
				messages++
			}
			if p.count != messages+1 {
				b.Fatalf("%d of %d messages arrived", p.count, messages+1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(datagrams), "ns/datagram")
		})
	}
}
