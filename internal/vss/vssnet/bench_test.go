package vssnet_test

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"touchline/internal/vss/vssnet"
	"touchline/soccer"
	"touchline/transport"
	pb "touchline/wire/firasim/firasimpb"
)

// report reports the median, the 99th percentile and the maximum of times in ms.
func report(b *testing.B, times []time.Duration) {
	if len(times) == 0 {
		return
	}
	slices.Sort(times)
	at := func(share float64) float64 {
		return float64(times[min(int(share*float64(len(times))), len(times)-1)]) / 1e6
	}
	b.ReportMetric(at(0.5), "ms-median")
	b.ReportMetric(at(0.99), "ms-p99")
	b.ReportMetric(at(1), "ms-max")
}

// BenchmarkLatency measures the time from a command to the first vision packet with motion; one op is one try:
// -benchtime 200x.
func BenchmarkLatency(b *testing.B) {
	p := newPeer(b)
	start(b, nil, p)
	if err := p.conn.SetDeadline(time.Time{}); err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	var times []time.Duration
	rest := &pb.Packet{Replace: &pb.Replacement{Robots: []*pb.RobotReplacement{{Position: &pb.Robot{X: -0.5, Y: 0.4},
		Turnon: true}}}}
	for b.Loop() {
		p.send(rest)
		p.until("the robot at rest", func(e *pb.Environment) bool {
			v := e.GetFrame().GetRobotsBlue()[0]
			return v.GetVx() == 0 && v.GetX() < -0.49
		})
		<-time.After(time.Duration(r.Int64N(int64(16 * time.Millisecond)))) // any phase of the tick
		sent := time.Now()
		p.send(wheels(false, 0, 30, 30))
		p.until("motion", func(e *pb.Environment) bool { return e.GetFrame().GetRobotsBlue()[0].GetVx() > 0 })
		times = append(times, time.Since(sent))
	}
	report(b, times)
}

// intervals measures vision at the kernel's receive times while two clients answer every packet; one op is one packet:
// -benchtime 60s.
func intervals(b *testing.B, busy func(at *net.UDPAddr, stop <-chan struct{})) {
	group := freeGroup(b, "224.0.0.1")
	ear, err := transport.Listen(transport.DefaultConfig(netip.MustParseAddrPort(group)))
	if err != nil {
		b.Fatal(err)
	}
	defer ear.Close()
	one, two := newPeer(b), newPeer(b)
	sim := start(b, func(c *vssnet.Config) { c.Vision = append(c.Vision, group) }, one, two)
	stop := make(chan struct{})
	defer close(stop)
	for team, p := range []*peer{one, two} {
		if err := p.conn.SetDeadline(time.Time{}); err != nil {
			b.Fatal(err)
		}
		go answer(p, team == 1)
	}
	if busy != nil {
		go busy(sim.at, stop)
	}
	buf := make([]byte, 1024)
	var last soccer.Time
	var times []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		p, err := ear.ReadPacket(buf)
		if err != nil {
			b.Fatal(err)
		}
		if last != 0 {
			times = append(times, p.Time.Sub(last))
		}
		last = p.Time
	}
	report(b, times)
}

// answer sends the commands of a team for each packet, until the socket is closed.
func answer(p *peer, yellow bool) {
	buf := make([]byte, 1024)
	for {
		if _, err := p.conn.Read(buf); err != nil {
			return
		}
		for id := range uint32(3) {
			b, err := proto.Marshal(wheels(yellow, id, 20, -20))
			if err != nil {
				return
			}
			if _, err := p.conn.WriteTo(b, p.to); err != nil {
				return
			}
		}
	}
}

func BenchmarkInterval(b *testing.B) { intervals(b, nil) }

// BenchmarkFlood is BenchmarkInterval with 20,000 invalid datagrams a second.
func BenchmarkFlood(b *testing.B) {
	intervals(b, func(at *net.UDPAddr, stop <-chan struct{}) {
		conn, err := net.DialUDP("udp", nil, at)
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		r := rand.New(rand.NewPCG(1, 1))
		garbage := make([]byte, 200)
		for i := range garbage {
			garbage[i] = byte(r.Uint32())
		}
		every := time.NewTicker(time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-stop:
				return
			case <-every.C:
			}
			for range 20 {
				_, _ = conn.Write(garbage[r.IntN(100):]) // a full buffer is the flood's own loss
			}
		}
	})
}

// BenchmarkSimulate measures one tick over gRPC.
func BenchmarkSimulate(b *testing.B) {
	learns := learner(b, start(b, both))
	for b.Loop() {
		if _, err := learns.Simulate(b.Context(), &pb.Packet{}); err != nil {
			b.Fatal(err)
		}
	}
}
