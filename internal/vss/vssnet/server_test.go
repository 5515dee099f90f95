package vssnet_test

import (
	"bytes"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"touchline/internal/vss/vssnet"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire"
	pb "touchline/wire/firasim/firasimpb"
)

// A client with generated code receives vision, drives, places, and sees the goal counted.
func TestClientPlays(t *testing.T) {
	p := newPeer(t)
	sim := start(t, nil, p)
	first := p.see()
	if first.GetStep()%16 != 0 || first.GetField().GetLength() != 1.5 || len(first.GetFrame().GetRobotsBlue()) != 3 {
		t.Fatalf("got first packet %v", first)
	}
	p.send(&pb.Packet{
		Cmd: &pb.Commands{RobotCommands: []*pb.Command{{Id: 1, WheelLeft: 20, WheelRight: 20}}},
		Replace: &pb.Replacement{Robots: []*pb.RobotReplacement{
			{Position: &pb.Robot{RobotId: 1, X: -0.3, Y: 0.4, Orientation: 90}, Turnon: true},
			{Position: &pb.Robot{RobotId: 2}, Yellowteam: true},
		}},
	})
	env := p.until("a placed robot that drives along +y, and another one off", func(e *pb.Environment) bool {
		r := e.GetFrame().GetRobotsBlue()[1]
		return len(e.GetFrame().GetRobotsYellow()) == 2 && r.GetX() < -0.29 && r.GetX() > -0.31 && r.GetVy() > 0.1
	})
	p.send(&pb.Packet{Replace: &pb.Replacement{Ball: &pb.BallReplacement{X: -0.6, Y: 0.1, Vx: -1.5}}})
	p.until("a goal for yellow", func(e *pb.Environment) bool {
		return e.GetGoalsYellow() == 1 &&
			e.GetGoalsBlue() == 0
	})
	if n := len(env.GetFrame().GetRobotsBlue()); n != 3 {
		t.Errorf("got %d blue robots, want 3", n)
	}
	v := sim.Show()
	if len(v.Clients) != 1 || v.Clients[0].Address != p.address() || len(v.Clients[0].Blue) != 1 || v.GoalsYellow != 1 {
		t.Errorf("got clients %+v and %d goals on the page", v.Clients, v.GoalsYellow)
	}
	if r := v.Blue[1]; r.From != p.address() || r.Age == nil || r.Wheels.Left != 20 {
		t.Errorf("got blue 1 %+v on the page", r)
	}
}

// The page shows the last packet of a client field by field, also one that cannot be decoded.
func TestShowPacket(t *testing.T) {
	p := newPeer(t)
	sim := start(t, nil, p)
	p.send(wheels(yellow, 2, 5, -5))
	p.until("the packet's fields", func(*pb.Environment) bool {
		v := sim.ShowPacket(p.address())
		return v != nil && slices.ContainsFunc(v.Fields, func(f wire.Field) bool {
			return f.Name == "cmd.robot_commands[0].wheel_right" && f.Value == "-5" && f.Unit == "rad/s"
		})
	})
	if v := sim.ShowPacket(p.address()); v.Len*2 != len(v.Hex) || v.Address != p.address() || v.Time < 0 ||
		len(v.Issues) != 0 {
		t.Errorf("got %+v", v)
	}
	p.write([]byte{0x0a, 0x05, 1})
	p.until("the issue of a truncated packet", func(*pb.Environment) bool {
		v := sim.ShowPacket(p.address())
		return v.Len == 3 && len(v.Issues) == 1
	})
	if v := sim.ShowPacket("127.0.0.1:1"); v != nil {
		t.Errorf("unknown sender: got %+v", v)
	}
}

// localhost stands for both 127.0.0.1 and ::1.
func TestDualStack(t *testing.T) {
	p := newPeer(t)
	sim := start(t, func(c *vssnet.Config) { c.Commands = "localhost:0" }, p)
	conn, err := net.Dial("udp6", net.JoinHostPort("::1",
		netip.MustParseAddrPort(sim.at.String()).String()[len("127.0.0.1:"):]))
	if err != nil {
		t.Logf("no IPv6 here: %v", err)
		return
	}
	defer conn.Close()
	b, err := proto.Marshal(wheels(false, 2, 30, 30))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
	p.until("blue 2 moves", func(e *pb.Environment) bool { return e.GetFrame().GetRobotsBlue()[2].GetVx() > 0 })
}

func TestVisionGroup(t *testing.T) {
	group := freeGroup(t, "224.0.0.1")
	r, err := transport.Listen(transport.DefaultConfig(netip.MustParseAddrPort(group)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	start(t, func(c *vssnet.Config) { c.Vision = []string{group} })
	if err := r.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	p, err := r.ReadPacket(make([]byte, 1024))
	if err != nil {
		t.Fatal(err)
	}
	if !p.From.Addr().IsLoopback() {
		t.Errorf("got source %v, want loopback", p.From)
	}
	if err := proto.Unmarshal(p.Data, &pb.Environment{}); err != nil {
		t.Error(err)
	}
}

func TestAddressesRefused(t *testing.T) {
	held := newPeer(t)
	_, port, _ := net.SplitHostPort(held.address())
	for want, with := range map[string]func(*vssnet.Config){
		"224.0.0.0-239.255.255.255": func(c *vssnet.Config) { c.Vision = []string{"240.0.0.1:10002"} },
		"127.255.255.255:10002":     func(c *vssnet.Config) { c.Vision = []string{"127.255.255.255:10002"} }, // all of lo
		"want an address":           func(c *vssnet.Config) { c.Vision = []string{"224.0.0.1"} },
		"127.0.0.1:20011":           func(c *vssnet.Config) { c.Commands = "20011" },
		"not to a group":            func(c *vssnet.Config) { c.Commands = "224.0.0.1:20011" },
		"nosuch":                    func(c *vssnet.Config) { c.Interface = "nosuch" },
		port:                        func(c *vssnet.Config) { c.Commands = held.address() },
		"referee's group":           func(c *vssnet.Config) { c.RefereeGroup = "10003" },
	} {
		cfg := vssnet.DefaultConfig()
		cfg.Commands = "127.0.0.1:0"
		with(&cfg)
		live, err := vssnet.New(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if err = live.Open(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if want == port && !strings.Contains(err.Error(), "in use") {
			t.Errorf("port in use: got %v", err)
		}
	}
}

// Random and mutated datagrams are counted and have no effect.
func TestGarbage(t *testing.T) {
	p := newPeer(t)
	sim := start(t, nil, p)
	r := rand.New(rand.NewPCG(1, 1))
	good, err := proto.Marshal(wheels(false, 0, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		b := make([]byte, r.IntN(200))
		for k := range b {
			b[k] = byte(r.Uint32())
		}
		if i%2 == 0 {
			b = append(b[:0], good...)
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		p.write(b)
		if i%50 == 0 {
			p.see()
		}
	}
	p.write(bytes.Repeat([]byte{0x0a, 0xff}, 30_000))
	p.until("another tick", func(e *pb.Environment) bool { return e.GetFrame().GetBall() != nil })
	found := false
	for _, c := range sim.Show().Refused {
		found = found || c.Reason == "packet cannot be decoded" && c.Count > 100
	}
	if !found {
		t.Errorf("got refusals %+v, want over 100 packets that cannot be decoded", sim.Show().Refused)
	}
}

// record collects the recorded packets of a server.
type record struct {
	mu      sync.Mutex
	packets []recordedPacket
}

type recordedPacket struct {
	from, to netip.AddrPort
	data     []byte
}

func (r *record) add(_ soccer.Time, from, to netip.AddrPort, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.packets = append(r.packets, recordedPacket{from, to, bytes.Clone(data)})
}

// to returns the recorded packets to an address.
func (r *record) to(a netip.AddrPort) []recordedPacket {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.packets), func(p recordedPacket) bool { return p.to != a })
}

// The record has the packets of the network.
func TestRecord(t *testing.T) {
	p := newPeer(t)
	server, rec := prepare(t, nil, p), &record{}
	server.Record = rec.add
	sim := run(t, server, p)
	p.send(wheels(false, 0, 5, 5))
	p.until("it moves", func(e *pb.Environment) bool { return e.GetFrame().GetRobotsBlue()[0].GetVx() > 0 })
	if err := sim.stop(); err != nil {
		t.Fatal(err)
	}
	for _, to := range []netip.AddrPort{netip.MustParseAddrPort(p.address()), sim.at.AddrPort()} {
		packets := rec.to(to)
		if len(packets) == 0 {
			t.Fatalf("no packet to %s", to)
		}
		var m proto.Message = &pb.Environment{}
		if to == sim.at.AddrPort() {
			m = &pb.Packet{}
			if from := packets[0].from.String(); from != p.address() {
				t.Errorf("got a command from %v", from)
			}
		}
		if err := proto.Unmarshal(packets[0].data, m); err != nil {
			t.Error(err)
		}
	}
}

// The bytes of a call over gRPC and of its answer are recorded, over IPv4 and IPv6.
func TestRecordOfCalls(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		free, err := net.Listen("tcp", host+":0")
		if err != nil {
			t.Logf("no IPv6 here: %v", err)
			continue
		}
		free.Close()
		server, rec := prepare(t, func(c *vssnet.Config) { both(c); c.Lockstep[1], c.Commands = false, host+":0" }),
			&record{}
		server.Record = rec.add
		sim := run(t, server)
		call := wheels(blue, 0, math.NaN(), 1) // invalid, but recorded
		answer, err := learner(t, sim).Simulate(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		if err := sim.stop(); err != nil {
			t.Fatal(err)
		}
		in := rec.to(sim.at.AddrPort())
		if len(in) != 1 || in[0].from.Addr() != sim.at.AddrPort().Addr() {
			t.Fatalf("got %d packets to the simulator, want 1: %+v", len(in), in)
		}
		want, err := proto.Marshal(call)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(in[0].data, want) {
			t.Errorf("recorded % x, want % x", in[0].data, want)
		}
		out := rec.to(in[0].from)
		env := &pb.Environment{}
		if len(out) != 1 || out[0].from != sim.at.AddrPort() || proto.Unmarshal(out[0].data, env) != nil ||
			!proto.Equal(env, answer) {
			t.Errorf("got answers %+v", out)
		}
	}
}

// The built-in teams are clients over UDP.
func TestBuiltinTeamsSpeakUDP(t *testing.T) {
	p := newPeer(t)
	sim := start(t, func(c *vssnet.Config) { c.Builtin = [2]string{"builtin", "builtin"} }, p)
	for range 500 {
		p.see()
		if v := sim.Show(); len(v.Clients) == 2 && len(v.Clients[0].Blue)+len(v.Clients[1].Blue) == 3 &&
			v.Yellow[0].From != "" {
			return
		}
	}
	t.Errorf("got clients %+v, want both teams", sim.Show().Clients)
}
