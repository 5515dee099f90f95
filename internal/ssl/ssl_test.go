package ssl_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"touchline/internal/ssl"
	wire "touchline/wire/ssl"
)

func start(t testing.TB, change func(*ssl.Config)) *ssl.Session {
	t.Helper()
	cfg := ssl.DefaultConfig()
	if change != nil {
		change(&cfg)
	}
	s, err := ssl.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fine fails for errors of the simulator.
func fine(t testing.TB, errors []wire.Error) {
	t.Helper()
	for _, e := range errors {
		t.Errorf("%s: %s", e.Code, e.Text)
	}
}

// robot returns a robot of the truth, and the ball.
func robot(t testing.TB, s *ssl.Session, team wire.Team, id uint32) (wire.TrackedRobot, wire.TrackedBall) {
	t.Helper()
	var m wire.Tracker
	s.Track(&m)
	if _, err := m.AppendBinary(nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Frame.Robots {
		if r.Team == team && r.ID == id {
			return r, m.Frame.Balls[0]
		}
	}
	t.Fatalf("no %v robot %d", team, id)
	return wire.TrackedRobot{}, wire.TrackedBall{}
}

// put teleports blue robot 0 to a pose and the ball to a place.
func put(t testing.TB, s *ssl.Session, x, y, theta, ballX, ballY float32) {
	t.Helper()
	fine(t, s.Command(&wire.SimulatorCommand{HasControl: true, HasBall: true,
		Ball: wire.TeleportBall{Value: [6]float32{ballX, ballY}, HasValue: [6]bool{true, true, true, true, true, true}},
		Robots: []wire.TeleportRobot{{Team: wire.Blue, HasPresent: true, Present: true, Place: [3]float32{x, y, theta},
			HasPlace: [3]bool{true, true, true}}}}))
}

func near(t testing.TB, what string, got, want float32, tolerance float64) {
	t.Helper()
	if !(math.Abs(float64(got-want)) <= tolerance) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, tolerance)
	}
}

// A robot moves as the three kinds of commands say, and keeps to the newest.
func TestVelocities(t *testing.T) {
	for name, c := range map[string]wire.RobotCommand{
		"local":  {HasMove: true, HasLocal: true, Local: [3]float32{0, -1, 0}},
		"global": {HasMove: true, HasGlobal: true, Global: [3]float32{1, 0, 0}},
		// front right, back right, back left, front left of a robot that moves to its right
		"wheels": {HasMove: true, HasWheels: true, Wheels: [4]float32{-0.5, float32(math.Sqrt2 / 2), float32(math.Sqrt2 / 2), -0.5}},
	} {
		s := start(t, nil)
		put(t, s, 0, -2, math.Pi/2, 0, 2)
		fine(t, s.Control(wire.Blue, &wire.RobotControl{Commands: []wire.RobotCommand{c}}))
		s.Step(2 * time.Second)
		r, _ := robot(t, s, wire.Blue, 0)
		near(t, name+": vx", r.VX, 1, 1e-3)
		near(t, name+": vy", r.VY, 0, 1e-3)
		near(t, name+": x", r.X, 1.9, 0.02)
		near(t, name+": heading", r.Orientation, math.Pi/2, 1e-3)
	}
	s := start(t, nil) // a robot that turns keeps its global direction
	put(t, s, -2, -2, 0, 0, 2)
	fine(t, s.Control(wire.Blue, &wire.RobotControl{Commands: []wire.RobotCommand{{HasMove: true, HasGlobal: true, Global: [3]float32{1, 0, 4}}}}))
	s.Step(3 * time.Second)
	r, _ := robot(t, s, wire.Blue, 0)
	near(t, "x", r.X, 0.9, 0.05)
	near(t, "y", r.Y, -2, 0.05)
}

func TestKickAndChip(t *testing.T) {
	s := start(t, nil)
	put(t, s, 0, 2, 0, 0.115, 2)
	kick := wire.RobotCommand{HasKickSpeed: true, KickSpeed: 4}
	fine(t, s.Control(wire.Blue, &wire.RobotControl{Commands: []wire.RobotCommand{kick}}))
	s.Step(20 * time.Millisecond)
	_, b := robot(t, s, wire.Blue, 0)
	near(t, "speed", b.VX, 4, 0.05)
	near(t, "height", b.Z, ssl.BallRadius, 1e-6)
	put(t, s, 0, 2, 0, 0.115, 2)
	kick.HasKickAngle, kick.KickAngle = true, 45
	fine(t, s.Control(wire.Blue, &wire.RobotControl{Commands: []wire.RobotCommand{kick}}))
	s.Step(100 * time.Millisecond)
	_, b = robot(t, s, wire.Blue, 0)
	near(t, "speed of a chip", b.VX, 4*math.Sqrt2/2, 0.05)
	if b.Z < 0.2 {
		t.Errorf("the ball is %v m high", b.Z)
	}
}

// A dribbler keeps the ball of a robot that drives backwards, and the robot feels it.
func TestDribble(t *testing.T) {
	for _, rpm := range []float32{1500, 0} {
		s := start(t, nil)
		put(t, s, 1, 2, 0, 1.115, 2)
		fine(t, s.Control(wire.Blue, &wire.RobotControl{Commands: []wire.RobotCommand{{HasMove: true, HasLocal: true,
			Local: [3]float32{-0.5, 0, 0}, HasDribbler: true, DribblerSpeed: rpm}}}))
		s.Step(2 * time.Second)
		r, b := robot(t, s, wire.Blue, 0)
		list := s.Feedback(wire.Blue, nil)
		if held := b.X-r.X < 0.15; held != (rpm > 0) || list[0].Contact != held {
			t.Errorf("at %v rpm the ball is %v m ahead, contact %v", rpm, b.X-r.X, list[0].Contact)
		}
	}
}

func TestTeleport(t *testing.T) {
	s := start(t, nil)
	a, _ := robot(t, s, wire.Blue, 1)
	b, _ := robot(t, s, wire.Blue, 2)
	swap := &wire.SimulatorCommand{HasControl: true, HasSpeed: true, Speed: 3, Robots: []wire.TeleportRobot{
		{Team: wire.Blue, ID: 1, Place: [3]float32{b.X, b.Y}, HasPlace: [3]bool{true, true}},
		{Team: wire.Blue, ID: 2, Place: [3]float32{a.X, a.Y}, HasPlace: [3]bool{true, true},
			Twist: [3]float32{1, 0, 0}, HasTwist: [3]bool{true, false, false}},
		{Team: wire.Yellow, ID: 15, HasPresent: true, Present: true, Place: [3]float32{3, 2.5, 1}, HasPlace: [3]bool{true, true, true}},
		{Team: wire.Yellow, ID: 0, HasPresent: true},
	}}
	fine(t, s.Command(swap))
	r, _ := robot(t, s, wire.Blue, 1)
	near(t, "x", r.X, b.X, 0)
	r, _ = robot(t, s, wire.Blue, 2)
	near(t, "vx", r.VX, 1, 0)
	robot(t, s, wire.Yellow, 15)
	if n := len(s.Feedback(wire.Yellow, nil)); n != 6 || s.Speed() != 3 {
		t.Errorf("%d yellow robots, speed %v", n, s.Speed())
	}
	// The ball of a request goes where a robot stands: the robot makes room.
	r, _ = robot(t, s, wire.Blue, 1)
	fine(t, s.Command(&wire.SimulatorCommand{HasControl: true, HasBall: true, Ball: wire.TeleportBall{Safely: true,
		Value: [6]float32{r.X, r.Y, 0, 1, 0, 0}, HasValue: [6]bool{true, true, true, true, true, true}}}))
	_, ball := robot(t, s, wire.Blue, 1)
	near(t, "ball", ball.X, r.X, 1e-6)
	near(t, "its velocity", ball.VX, 1, 1e-6)
}

// The simulator says what it cannot do, and does the rest.
func TestErrors(t *testing.T) {
	nan := float32(math.NaN())
	teleport := func(r wire.TeleportRobot) *wire.SimulatorCommand {
		return &wire.SimulatorCommand{HasControl: true, Robots: []wire.TeleportRobot{r}}
	}
	s := start(t, nil)
	for name, c := range map[string]struct {
		got  []wire.Error
		want string
	}{
		"team":    {s.Command(teleport(wire.TeleportRobot{ID: 1})), "UNKNOWN"},
		"id":      {s.Command(teleport(wire.TeleportRobot{ID: 16, Team: wire.Blue})), "UNKNOWN"},
		"absent":  {s.Command(teleport(wire.TeleportRobot{ID: 9, Team: wire.Blue})), "UNKNOWN"},
		"far":     {s.Command(teleport(wire.TeleportRobot{Team: wire.Blue, Place: [3]float32{9}, HasPlace: [3]bool{true}})), "RANGE"},
		"nan":     {s.Command(teleport(wire.TeleportRobot{Team: wire.Blue, Place: [3]float32{nan}, HasPlace: [3]bool{true}})), "RANGE"},
		"force":   {s.Command(teleport(wire.TeleportRobot{Team: wire.Blue, ByForce: true})), "UNSUPPORTED"},
		"speed":   {s.Command(&wire.SimulatorCommand{HasSpeed: true, Speed: -1}), "RANGE"},
		"realism": {s.Command(&wire.SimulatorCommand{HasConfig: true, HasRealism: true, Realism: []wire.Custom{{Type: []byte("x")}}}), "UNSUPPORTED"},
		"mass":    {s.Command(&wire.SimulatorCommand{HasConfig: true, Specs: []wire.RobotSpecs{{Team: wire.Blue, HasSize: [6]bool{2: true}}}}), "UNSUPPORTED"},
		"field":   {s.Command(&wire.SimulatorCommand{HasConfig: true, HasGeometry: true, Geometry: wire.Geometry{Length: 100, Width: 9000}}), "RANGE"},
		"walls": {s.Command(&wire.SimulatorCommand{HasConfig: true, HasGeometry: true,
			Geometry: wire.Geometry{Length: 9000, Width: 6000, Boundary: math.MaxInt32}}), "RANGE"},
		"port":     {s.Command(&wire.SimulatorCommand{HasConfig: true, HasPort: true}), "RANGE"},
		"ball":     {s.Command(&wire.SimulatorCommand{HasControl: true, HasBall: true, Ball: wire.TeleportBall{Value: [6]float32{3: 30}, HasValue: [6]bool{3: true}}}), "RANGE"},
		"robot":    {s.Control(wire.Blue, &wire.RobotControl{Commands: []wire.RobotCommand{{ID: 9}}}), "UNKNOWN"},
		"kick":     {s.Control(wire.Blue, &wire.RobotControl{Commands: []wire.RobotCommand{{KickSpeed: nan}}}), "RANGE"},
		"velocity": {s.Control(wire.Blue, &wire.RobotControl{Commands: []wire.RobotCommand{{HasLocal: true, Local: [3]float32{nan}}}}), "RANGE"},
		"two":      {s.Control(wire.Blue, &wire.RobotControl{Commands: []wire.RobotCommand{{HasLocal: true, HasGlobal: true}}}), "RANGE"},
	} {
		if len(c.got) != 1 || string(c.got[0].Code) != c.want || len(c.got[0].Text) == 0 {
			t.Errorf("%s: got %q, want one error %s", name, c.got, c.want)
		}
	}
	for team := range 2 {
		if n := len(s.Feedback(wire.Team(team+1), nil)); n != 6 {
			t.Errorf("%d robots are left", n)
		}
	}
	if _, err := ssl.New(ssl.Config{Division: "C"}); err == nil || !strings.Contains(err.Error(), "A or B") {
		t.Errorf("got %v", err)
	}
}

// course returns the answers to requests in which all robots drive, turn, kick and dribble.
func course(t testing.TB, s *ssl.Session, steps int) []byte {
	t.Helper()
	var all []byte
	var to wire.SyncResponse
	for i := range steps {
		m := wire.SyncRequest{HasStep: true, Step: 1.0 / 60, HasRobots: true}
		team := wire.Team(1 + i%2)
		for id := range uint32(6) {
			a := float32(i)/20 + float32(id)
			m.Robots.Commands = append(m.Robots.Commands, wire.RobotCommand{ID: id, HasMove: true, HasGlobal: true,
				Global: [3]float32{2 * float32(math.Sin(float64(a))), 2 * float32(math.Cos(float64(a))), 3}, HasKickSpeed: true,
				KickSpeed: 3, KickAngle: float32(i % 40), HasKickAngle: true, HasDribbler: true, DribblerSpeed: 1000})
		}
		s.Sync(team, &m, &to)
		fine(t, to.Robots.Errors)
		b, err := to.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// The same seed gives the same bytes, noise included; without noise the seed does not matter.
func TestDeterminism(t *testing.T) {
	noisy := func(seed uint64) []byte {
		return course(t, start(t, func(c *ssl.Config) {
			c.Seed, c.Noise = seed, ssl.Noise{Ball: 0.002, Robot: 0.002, Heading: 0.01, Vanish: 0.05}
		}), 600)
	}
	if a, b := noisy(3), noisy(3); !bytes.Equal(a, b) {
		t.Error("the same seed gives other bytes")
	}
	if a, b := noisy(3), noisy(4); bytes.Equal(a, b) {
		t.Error("another seed gives the same bytes")
	}
	plain := func(seed uint64) []byte { return course(t, start(t, func(c *ssl.Config) { c.Seed = seed }), 600) }
	if a, b := plain(3), plain(4); !bytes.Equal(a, b) {
		t.Error("without noise the seed matters")
	}
}

// FuzzSync checks that no requests break the session: robots and ball stay within the walls, and each answer is valid.
func FuzzSync(f *testing.F) {
	b, err := (&wire.SyncRequest{HasStep: true, Step: 0.05, HasCommand: true, Command: wire.SimulatorCommand{HasControl: true,
		HasBall: true, Ball: wire.TeleportBall{HasValue: [6]bool{true, true, true, true, true, true}, Value: [6]float32{1, 1, 0, 2, 3, 4}},
		Robots: []wire.TeleportRobot{{ID: 3, Team: wire.Blue, HasPlace: [3]bool{true, true, true}, Place: [3]float32{1, 1, 1}}}},
		HasRobots: true, Robots: wire.RobotControl{Commands: []wire.RobotCommand{{ID: 1, HasMove: true, HasLocal: true,
			Local: [3]float32{1, 2, 3}, HasKickSpeed: true, KickSpeed: 3}}}}).AppendBinary(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var m wire.SyncRequest
		if m.UnmarshalBinary(b) != nil {
			return
		}
		m.Step = float32(math.Mod(float64(m.Step), 0.1))
		s := start(t, nil)
		var to wire.SyncResponse
		for range 3 {
			s.Sync(wire.Blue, &m, &to)
			if _, err := to.AppendBinary(nil); err != nil {
				t.Fatal(err)
			}
			field := s.Field()
			for _, r := range append(to.Detections[0].Blue, to.Detections[0].Yellow...) {
				if math.Abs(float64(r.X)) > 1000*(field.Length/2+field.Border) || math.Abs(float64(r.Y)) > 1000*(field.Width/2+field.Border) {
					t.Fatalf("robot %d at %v, %v", r.ID, r.X, r.Y)
				}
			}
		}
	})
}

// BenchmarkSync is a tick of 1/60 s with 6 + 6 driven robots as a client of the synchronous mode sees it, without sockets:
// the request is decoded and the answer encoded.
func BenchmarkSync(b *testing.B) {
	s := start(b, nil)
	var requests [][]byte
	for i := range 240 {
		m := wire.SyncRequest{HasStep: true, Step: 1.0 / 60, HasRobots: true}
		for id := range uint32(6) {
			a := float64(i/2)/20 + float64(id)
			m.Robots.Commands = append(m.Robots.Commands, wire.RobotCommand{ID: id, HasMove: true, HasGlobal: true,
				Global: [3]float32{2 * float32(math.Sin(a)), 2 * float32(math.Cos(a)), 3}, HasKickSpeed: true, KickSpeed: 3})
		}
		data, err := m.AppendBinary(nil)
		if err != nil {
			b.Fatal(err)
		}
		requests = append(requests, data)
	}
	var m wire.SyncRequest
	var to wire.SyncResponse
	var out []byte
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if err := m.UnmarshalBinary(requests[i%len(requests)]); err != nil {
			b.Fatal(err)
		}
		s.Sync(wire.Team(1+i%2), &m, &to)
		var err error
		if out, err = to.AppendBinary(out[:0]); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ticks/s")
}
