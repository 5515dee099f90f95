package sslnet_test

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"touchline/internal/ssl/sslnet"
	"touchline/transport"
	wire "touchline/wire/ssl"
)

// serve starts a simulator on free ports, and returns connections to its three ports.
func serve(t testing.TB, change func(*sslnet.Config)) (server *sslnet.Server, conns [3]net.Conn) {
	t.Helper()
	cfg := sslnet.DefaultConfig()
	cfg.Port, cfg.Vision = 0, ""
	if change != nil {
		change(&cfg)
	}
	s, err := sslnet.New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	port := s.Port()
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	for i := range conns {
		conns[i], err = net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(cfg.Host, port+uint16(i))))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conns[i].Close() })
	}
	return s, conns
}

type message interface {
	AppendBinary([]byte) ([]byte, error)
}

// ask sends a packet and decodes the answer.
func ask(t testing.TB, c net.Conn, m message, to interface{ UnmarshalBinary([]byte) error }) {
	t.Helper()
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	askRaw(t, c, b, to)
}

func askRaw(t testing.TB, c net.Conn, b []byte, to interface{ UnmarshalBinary([]byte) error }) {
	t.Helper()
	buf := make([]byte, 1<<16)
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Write(b); err != nil {
		t.Fatal(err)
	}
	n, err := c.Read(buf)
	if err == nil {
		err = to.UnmarshalBinary(buf[:n])
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSynchronousMode(t *testing.T) {
	_, c := serve(t, func(c *sslnet.Config) { c.Speed = 0 })
	var to wire.SyncResponse
	for i := range 60 {
		m := wire.SyncRequest{HasStep: true, Step: 1.0 / 60, HasRobots: true, Robots: wire.RobotControl{Commands: []wire.RobotCommand{
			{ID: 0, HasMove: true, HasGlobal: true, Global: [3]float32{0, -1, 0}}}}}
		ask(t, c[0], &m, &to)
		if len(to.Detections) != 1 || len(to.Robots.Errors) > 0 || len(to.Robots.Feedback) != 6 || to.Detections[0].Number != uint32(i) {
			t.Fatalf("step %d: %+v", i, to)
		}
	}
	d := &to.Detections[0]
	if y := d.Blue[0].Y; !(y > -1750 && y < -1550) {
		t.Errorf("blue 0 is at y = %v mm after a second with 1 m/s from -800", y)
	}
	start := sslnet.DefaultConfig().Game.Start
	if at := d.Captured - float64(start)/1e9; math.Abs(at-1) > 1e-5 {
		t.Errorf("%v s have passed", at)
	}
	// A request to yellow's port commands yellow's robots.
	ask(t, c[2], &wire.SyncRequest{HasStep: true, Step: 0.5, HasRobots: true, Robots: wire.RobotControl{Commands: []wire.RobotCommand{
		{ID: 3, HasMove: true, HasLocal: true, Local: [3]float32{0, 0, 1}}}}}, &to)
	if o := to.Detections[0].Yellow[3].Orientation; math.Abs(float64(o)-math.Pi) < 0.2 {
		t.Errorf("yellow 3 has the heading %v", o)
	}
	ask(t, c[0], &wire.SyncRequest{HasStep: true, Step: 100}, &to)
	if len(to.Robots.Errors) != 1 || string(to.Robots.Errors[0].Code) != "RANGE" {
		t.Errorf("got %q", to.Robots.Errors)
	}
}

func TestPorts(t *testing.T) {
	_, c := serve(t, nil)
	var response wire.SimulatorResponse
	ask(t, c[0], &wire.SimulatorCommand{HasControl: true, HasBall: true, Ball: wire.TeleportBall{Value: [6]float32{1, 2},
		HasValue: [6]bool{true, true}}}, &response)
	if len(response.Errors) > 0 {
		t.Errorf("got %q", response.Errors)
	}
	var feedback wire.RobotControlResponse
	ask(t, c[1], &wire.RobotControl{Commands: []wire.RobotCommand{{ID: 9}}}, &feedback)
	if len(feedback.Errors) != 1 || len(feedback.Feedback) != 6 {
		t.Errorf("got %+v", feedback)
	}
	askRaw(t, c[0], []byte("\x0a\xff\xff\xffgarbage"), &response)
	if len(response.Errors) != 1 || string(response.Errors[0].Code) != "DECODE" {
		t.Errorf("got %q", response.Errors)
	}
}

// In real time the simulator sends vision and the truth to their groups, and a client can change speed and port.
func TestVision(t *testing.T) {
	listen := func(group string) *transport.Receiver {
		r, err := transport.Listen(transport.DefaultConfig(netip.MustParseAddrPort(group)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		r.SetReadDeadline(time.Now().Add(20 * time.Second))
		return r
	}
	vision, tracker := listen("224.5.23.2:0"), listen("224.5.23.2:0")
	s, c := serve(t, func(c *sslnet.Config) { c.Vision, c.Tracker = vision.Channel(), tracker.Channel() })
	buf := make([]byte, 1<<16)
	fields, last := 0, uint32(0)
	for i := range 70 {
		p, err := vision.ReadPacket(buf)
		if err != nil {
			t.Fatal(err)
		}
		var m wire.Vision
		if err := m.UnmarshalBinary(p.Data); err != nil || i > 0 && m.Detection.Number != last+1 || len(m.Detection.Blue) != 6 {
			t.Fatalf("%+v, %v", m.Detection, err)
		}
		if last = m.Detection.Number; m.HasGeometry {
			fields++
		}
		for _, issue := range wire.Check(wire.KindVision, p.Data) {
			t.Fatal(issue)
		}
	}
	if fields == 0 {
		t.Error("no packet has the field")
	}
	p, err := tracker.ReadPacket(buf)
	if err != nil {
		t.Fatal(err)
	}
	var m wire.Tracker
	if err := m.UnmarshalBinary(p.Data); err != nil || len(m.Frame.Robots) != 12 {
		t.Errorf("%+v, %v", m, err)
	}
	var response wire.SimulatorResponse
	ask(t, c[0], &wire.SimulatorCommand{HasControl: true, HasSpeed: true}, &response) // a pause
	before := s.Counts().Frames
	time.Sleep(100 * time.Millisecond)
	if after := s.Counts().Frames; after > before+1 {
		t.Errorf("%d frames in a pause", after-before)
	}
}

func TestInUse(t *testing.T) {
	s, _ := serve(t, nil)
	cfg := sslnet.DefaultConfig()
	cfg.Port, cfg.Vision = s.Port(), ""
	other, err := sslnet.New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Open(); err == nil || !strings.Contains(err.Error(), "--port") || errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// BenchmarkSync is a step of 1/60 s over UDP with 6 + 6 robots.
func BenchmarkSync(b *testing.B) {
	_, c := serve(b, func(c *sslnet.Config) { c.Speed = 0 })
	m := wire.SyncRequest{HasStep: true, Step: 1.0 / 60, HasRobots: true}
	for id := range uint32(6) {
		m.Robots.Commands = append(m.Robots.Commands, wire.RobotCommand{ID: id, HasMove: true, HasGlobal: true,
			Global: [3]float32{1, float32(id) - 3, 3}})
	}
	var to wire.SyncResponse
	for b.Loop() {
		ask(b, c[0], &m, &to)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ticks/s")
}
