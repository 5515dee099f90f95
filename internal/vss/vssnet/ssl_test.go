package vssnet_test

import (
	"encoding/hex"
	"net"
	"testing"
	"time"

	"touchline/internal/vss/vssnet"
	"touchline/wire"
	"touchline/wire/firasim"
	pb "touchline/wire/firasim/firasimpb"
	"touchline/wire/wiretest"
)

// A client of a league with SSL-Vision receives its packets beside those of FIRASim, and drives with grSim's.
func TestSSLClient(t *testing.T) {
	p := newPeer(t)
	ear, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer ear.Close()
	if err := ear.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	sim := start(t, func(c *vssnet.Config) { c.SSLVision = []string{ear.LocalAddr().String()} }, p)
	see := func() *firasim.SSLVision {
		buf := make([]byte, 2048)
		n, err := ear.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		if issues := firasim.Check(firasim.KindSSL, buf[:n]); len(issues) > 0 || n > 1024 {
			t.Fatalf("%d bytes: got issues %v", n, issues)
		}
		var m firasim.SSLVision
		if err := m.UnmarshalBinary(buf[:n]); err != nil {
			t.Fatal(err)
		}
		return &m
	}
	first, last := see(), see()
	if first.Geometry.Length != 1500 || len(first.Detection.Blue) != 3 ||
		last.Detection.Number <= first.Detection.Number || last.Detection.Captured <= first.Detection.Captured {
		t.Errorf("got %+v, then %+v", first, last)
	}

	// Robot 2 of yellow, 1.25 m/s forwards and 10 rad/s: the bytes of Google's runtime.
	for _, v := range wiretest.Vectors(t, "../../../wire/vectors/grsim-packet.txt") {
		if v.Name == "sideways-VSSS-Software" {
			p.send(&pb.Packet{Replace: &pb.Replacement{Robots: []*pb.RobotReplacement{
				{Position: &pb.Robot{RobotId: 2, X: 0.3, Y: -0.4}, Yellowteam: true, Turnon: true},
			}}})
			p.write(v.Data)
			p.until("a robot that drives", func(e *pb.Environment) bool {
				return e.GetFrame().GetRobotsYellow()[2].GetVorientation() > 1
			})
			show := sim.ShowPacket(p.address())
			if show == nil || show.Hex != hex.EncodeToString(v.Data) || !hasField(show.Fields, "commands.robot_commands[0].veltangent", "1.25") {
				t.Errorf("got %+v on the page", show)
			}
		}
	}
	for at := last; at.Detection.Yellow[2].Orientation == 0; {
		at = see()
	}
	p.write([]byte{0x0a, 0x05, 0x10, 1}) // cut, begins as grSim's
	p.send(wheels(blue, 0, 20, 20))      // FIRASim's commands count, too
	p.until("a robot that FIRASim's command drives", func(e *pb.Environment) bool {
		return e.GetFrame().GetRobotsBlue()[0].GetVx() > 0.05
	})
	v := sim.Show()
	if len(v.Refused) != 1 || v.Refused[0].Reason != "packet cannot be decoded" || len(v.Vision) != 2 {
		t.Errorf("got %+v, %v", v.Refused, v.Vision)
	}
}

// Without an address in SSL-Vision's format, packets of grSim are not read.
func TestGrSimNeedsFormat(t *testing.T) {
	p := newPeer(t)
	sim := start(t, nil, p)
	for _, v := range wiretest.Vectors(t, "../../../wire/vectors/grsim-packet.txt") {
		if v.Name == "velocities" || v.Name == "sideways-VSSS-Software" {
			p.write(v.Data)
		}
	}
	p.send(wheels(blue, 0, 20, 20))
	env := p.until("a robot that drives", func(e *pb.Environment) bool {
		return e.GetFrame().GetRobotsBlue()[0].GetVx() > 0.05
	})
	if r := env.GetFrame().GetRobotsYellow()[2]; r.GetVx() != 0 || r.GetVorientation() != 0 {
		t.Errorf("got %v, %+v", r, sim.Show().Refused)
	}
}

func hasField(fields []wire.Field, name, value string) bool {
	for _, f := range fields {
		if f.Name == name && f.Value == value {
			return true
		}
	}
	return false
}
