package vssnet_test

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"touchline/internal/vss/vssnet"
	pb "touchline/wire/firasim/firasimpb"
	"touchline/wire/wiretest"
)

const (
	blue   = false
	yellow = true
)

// peer is a client with generated code: it does not use this program's codec.
type peer struct {
	testing.TB
	conn *net.UDPConn
	to   *net.UDPAddr
	buf  [2048]byte
}

// newPeer opens the socket of a client, which also receives vision.
func newPeer(t testing.TB) *peer {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return &peer{TB: t, conn: conn}
}

func (p *peer) address() string { return p.conn.LocalAddr().String() }

func (p *peer) send(packet *pb.Packet) {
	p.Helper()
	b, err := proto.Marshal(packet)
	if err != nil {
		p.Fatal(err)
	}
	p.write(b)
}

func (p *peer) write(b []byte) {
	p.Helper()
	if _, err := p.conn.WriteTo(b, p.to); err != nil {
		p.Fatal(err)
	}
}

func (p *peer) see() *pb.Environment {
	p.Helper()
	n, err := p.conn.Read(p.buf[:])
	if err != nil {
		p.Fatal(err)
	}
	if n > 1024 {
		p.Fatalf("%d bytes: clients read 1024", n)
	}
	env := &pb.Environment{}
	if err := proto.Unmarshal(p.buf[:n], env); err != nil {
		p.Fatal(err)
	}
	return env
}

// until reads vision until want returns true.
func (p *peer) until(what string, want func(*pb.Environment) bool) *pb.Environment {
	p.Helper()
	for range 1000 {
		if env := p.see(); want(env) {
			return env
		}
	}
	p.Fatalf("not in 1000 packets: %s", what)
	return nil
}

func wheels(yellow bool, id uint32, left, right float64) *pb.Packet {
	return &pb.Packet{Cmd: &pb.Commands{RobotCommands: []*pb.Command{{Id: id, Yellowteam: yellow, WheelLeft: left,
		WheelRight: right}}}}
}

// started is a running simulator.
type started struct {
	*vssnet.Server
	stop func() error
	at   *net.UDPAddr
}

// start runs a simulator on available ports of the loopback interface that sends vision to the peers.
func start(t testing.TB, with func(*vssnet.Config), peers ...*peer) *started {
	t.Helper()
	return run(t, prepare(t, with, peers...), peers...)
}

// prepare returns the simulator of start before it runs.
func prepare(t testing.TB, with func(*vssnet.Config), peers ...*peer) *vssnet.Server {
	t.Helper()
	cfg := vssnet.DefaultConfig()
	cfg.Commands, cfg.Vision = "127.0.0.1:0", nil
	cfg.RefereeGroup, cfg.PlacementGroup = freeGroup(t, "224.5.23.2"), freeGroup(t, "224.5.23.2")
	for _, p := range peers {
		cfg.Vision = append(cfg.Vision, p.address())
	}
	if with != nil {
		with(&cfg)
	}
	live, err := vssnet.New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return live
}

func run(t testing.TB, live *vssnet.Server, peers ...*peer) *started {
	t.Helper()
	if err := live.Open(); err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(live.Show().Commands, ", ")
	s := &started{Server: live, at: net.UDPAddrFromAddrPort(netip.MustParseAddrPort(name))}
	for _, p := range peers {
		p.to = s.at
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- live.Run(ctx) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func freeGroup(t testing.TB, group string) string { return group + ":" + wiretest.FreePort(t, "udp") }
