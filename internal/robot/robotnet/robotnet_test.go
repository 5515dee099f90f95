package robotnet_test

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"touchline/internal/camera"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport"
	"touchline/wire/b3p"
	"touchline/wire/tcm"
	"touchline/wire/team"
	"touchline/wire/wiretest"
)

// field is a field that answers every request for the directory with text, and sends senses to robot 3.
type field struct {
	*teamcomnet.Endpoint
	mu     sync.Mutex
	text   string
	motors int
	motor  team.Motor // the newest one
	debug  team.Debug
	debugs int
	report teamcom.Report // of the robot
}

func newField(t *testing.T, text func(own, peer netip.AddrPort) string) *field {
	t.Helper()
	base := func() netip.AddrPort {
		return netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(wiretest.FreePorts(t, "udp", tcm.Sockets)))
	}
	own := base()
	cfg := teamcomnet.DefaultConfig(robot.Field)
	cfg.Node.Directory = &teamcom.Directory{Team: 1, Entries: []teamcom.Entry{
		{Entity: tcm.Entity{Kind: tcm.Robot, ID: 3}, Learn: true}, {Entity: robot.Field, Addr: own},
	}}
	e, err := teamcomnet.Open(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	f := &field{Endpoint: e, text: text(own, base())}
	module := e.Module(tcm.Field)
	teamcom.Handle(module, func(from teamcom.From, m *team.Directory) {
		_ = module.Client().Send(e.Now(), from.Entity, &team.Directory{Text: f.text})
	})
	teamcom.Handle(module, func(from teamcom.From, m *team.Motor) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.motors++
		f.motor = *m
		_ = module.Client().Send(e.Now(), from.Entity, &team.Referee{State: team.Running})
		_ = module.Client().Send(e.Now(), from.Entity, &team.Sense{Battery: team.Unknown, Percepts: team.Measurements{
			Self:  team.Self{Known: true, HasHeading: true, X: 1},
			Balls: []team.Sighting{{Kind: team.TheBall, Range: 2, Confidence: 0.9}},
		}})
	})
	teamcom.Handle(module, func(from teamcom.From, m *team.Scene) {
		_ = module.Client().Send(e.Now(), from.Entity, &team.Scene{
			Known: true, HasBall: true, X: 1, Light: 1, Ball: [3]float32{2.5, 0, 0.11},
		})
	})
	teamcom.Handle(module, func(_ teamcom.From, m *team.Debug) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.debug = *m // the decoder reuses its memory
		f.debug.States, f.debug.Obstacles = slices.Clone(m.States), slices.Clone(m.Obstacles)
		f.debug.Peers = slices.Clone(m.Peers)
		f.debugs++
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return f
}

// run runs robot 3 beside a field until the test's end, or until cancel. The error of Run arrives on done.
func run(t *testing.T, f *field, log *slog.Logger) (done chan error, cancel context.CancelFunc) {
	t.Helper()
	network := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:" + wiretest.FreePort(t, "udp")))
	r, err := robotnet.New(robotnet.Config{
		Robot: robot.DefaultConfig(3, soccer.Cyan, 74), Name: "Falcons", Team: 1, Field: f.Address(), Entity: robot.Field,
		Network: network, OnReport: f.onReport, Camera: camera.Perspective(),
	}, log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done = make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(cancel)
	return done, cancel
}

// onReport keeps a robot's report.
func (f *field) onReport(r teamcom.Report) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.report = r
}

func goodDirectory(own, peer netip.AddrPort) string {
	d := teamcom.Directory{Team: 1, Entries: []teamcom.Entry{
		{Entity: tcm.Entity{Kind: tcm.Robot, ID: 3}, Addr: peer}, {Entity: robot.Field, Addr: own},
	}}
	return string(d.Append(nil))
}

// The robot fuses what the field sends it, and reports what it believes.
func TestRobotBesideAField(t *testing.T) {
	f := newField(t, goodDirectory)
	done, cancel := run(t, f, slog.New(slog.DiscardHandler))
	wiretest.Eventually(t, "the field gets motor commands and the belief of the robot", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		b := &f.debug.Ball
		return f.motors > 10 && b.Known && b.X > 2.9 && b.X < 3.1
	})
	wiretest.Eventually(t, "the link to the field is up in the robot's report", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		r := &f.report
		return r.Name == "Falcons" && len(r.Links) == 1 && r.Links[0].Peer == "computer:200" && r.Links[0].Up
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Two robots fuse each other's measurements, without any package: a teammate sees an obstacle, and the robot a ball.
func TestMeasurementsOfTeammates(t *testing.T) {
	four := tcm.Entity{Kind: tcm.Robot, ID: 4}
	var ini *teamcom.Directory
	f := newField(t, func(own, peer netip.AddrPort) string {
		at := netip.AddrPortFrom(own.Addr(), uint16(wiretest.FreePorts(t, "udp", tcm.Sockets)))
		ini = &teamcom.Directory{Team: 1, Entries: []teamcom.Entry{
			{Entity: tcm.Entity{Kind: tcm.Robot, ID: 3}, Addr: peer}, {Entity: four, Addr: at}, {Entity: robot.Field, Addr: own},
		}}
		return string(ini.Append(nil))
	})
	done, cancel := run(t, f, slog.New(slog.DiscardHandler))
	cfg := teamcomnet.DefaultConfig(four)
	cfg.Node.Directory = ini
	mate, err := teamcomnet.Open(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer mate.Close()
	var balls atomic.Uint64
	teamcom.Handle(mate.Module(tcm.GM), func(from teamcom.From, m *team.Measurements) {
		if from.Entity.ID == 3 && len(m.Balls) == 1 && m.Balls[0].Range == 2 {
			balls.Add(1)
		}
	})
	var released atomic.Bool
	teamcom.Handle(mate.Module(tcm.GM), func(_ teamcom.From, m *b3p.Release) {
		if m.Booker == 3 && m.Reason == b3p.Leaving {
			released.Store(true)
		}
	})
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { ended <- mate.Run(ctx) }()
	seen := &team.Measurements{Self: team.Self{Known: true, HasHeading: true, Y: -3},
		Obstacles: []team.Sighting{{Range: 3, RangeSigma: 0.05, BearingSigma: 0.01, Confidence: 0.9}}}
	wiretest.Eventually(t, "each robot has the other's measurements", func() bool {
		_ = mate.Module(tcm.GM).Client().Send(mate.Now(), tcm.Entity{Kind: tcm.Robot}, seen)
		f.mu.Lock()
		defer f.mu.Unlock()
		o, p := f.debug.Obstacles, f.debug.Peers
		return balls.Load() > 0 && len(p) == 1 && p[0].Number == 4 && p[0].Y == -3 && len(o) == 1 &&
			math.Hypot(float64(o[0].X)-3, float64(o[0].Y)+3) < 0.2
	})
	wiretest.Eventually(t, "robot 3 has the ball booked", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.debug.Booking.Booker == 3
	})
	cancel()
	wiretest.Eventually(t, "robot 3 releases the ball when its program ends", func() bool { return released.Load() })
	stop()
	if err := cmp.Or(<-ended, <-done); err != nil {
		t.Error(err)
	}
}

// A directory that is no TCM.ini, lacks the robot, or has its ports in use is an error that says so.
func TestBadDirectories(t *testing.T) {
	taken, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.LocalAddr().(*net.UDPAddr).AddrPort()
	for want, text := range map[string]func(own, peer netip.AddrPort) string{
		"line 1":                  func(_, _ netip.AddrPort) string { return "who = me\n" },
		"does not list robot:3":   func(own, _ netip.AddrPort) string { return "[computers]\n200 = " + own.String() + "\n" },
		"may run robot:3 already": func(own, _ netip.AddrPort) string { return goodDirectory(own, port) },
	} {
		done, _ := run(t, newField(t, text), slog.New(slog.DiscardHandler))
		if got := <-done; got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("got error %v, want %q", got, want)
		}
	}
}

// Without an answer the robot says so and keeps asking.
func TestSilentField(t *testing.T) {
	var mu sync.Mutex
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(writer(func(b []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return logged.Write(b)
	}), nil))
	r, err := robotnet.New(robotnet.Config{
		Robot: robot.DefaultConfig(3, soccer.Cyan, 74), Team: 1, Entity: robot.Field,
		Camera: camera.Perspective(),
		Field:  netip.MustParseAddrPort("127.0.0.1:" + wiretest.FreePort(t, "udp")),
	}, log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	wiretest.Eventually(t, "the log says that the field does not answer", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(logged.String(), "the field does not answer")
	})
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }
