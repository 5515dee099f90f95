package vss_test

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire/firasim"
)

const (
	blue   = false
	yellow = true
)

var (
	here = netip.MustParseAddrPort("127.0.0.1:4000")
	inf  = math.Inf(1)
	nan  = math.NaN()
)

// session returns a Session; with changes its configuration and may be nil.
func session(t testing.TB, with func(*vss.Config)) *vss.Session {
	t.Helper()
	cfg := vss.DefaultConfig()
	if with != nil {
		with(&cfg)
	}
	s, err := vss.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func compat(names string) func(*vss.Config) {
	return func(c *vss.Config) {
		var err error
		if c.Compat, err = vss.ParseCompat(names); err != nil {
			panic(err)
		}
	}
}

func drive(yellow bool, id uint32, left, right float64) *firasim.Packet {
	return &firasim.Packet{HasCommands: true, Commands: []firasim.Command{{ID: id, Yellow: yellow, Left: left,
		Right: right}}}
}

// put places a robot, switched on, with its heading in degrees.
func put(yellow bool, id uint32, x, y, degrees float64) *firasim.Packet {
	return &firasim.Packet{HasReplacement: true, Replacement: firasim.Replacement{Robots: []firasim.RobotReplacement{
		{HasPosition: true, Position: firasim.Robot{ID: id, X: x, Y: y, Orientation: degrees}, Yellow: yellow,
			TurnOn: true},
	}}}
}

func putBall(x, y, vx, vy float64) *firasim.Packet {
	return &firasim.Packet{HasReplacement: true, Replacement: firasim.Replacement{HasBall: true,
		Ball: firasim.BallReplacement{X: x, Y: y, VX: vx, VY: vy}}}
}

// after receives packets, runs ticks, and returns the state then.
func after(s *vss.Session, ticks int, packets ...*firasim.Packet) *firasim.Environment {
	for _, p := range packets {
		s.Receive(here, p)
	}
	for range ticks {
		s.Tick()
	}
	var env firasim.Environment
	s.Environment(&env)
	return &env
}

// robot returns a robot of a frame and fails if it is missing.
func robot(t testing.TB, env *firasim.Environment, yellow bool, id uint32) firasim.Robot {
	t.Helper()
	team := env.Frame.Blue
	if yellow {
		team = env.Frame.Yellow
	}
	i := slices.IndexFunc(team, func(r firasim.Robot) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("robot %[2]d is missing, yellow %[1]t", yellow, id)
	}
	return team[i]
}

func near(t testing.TB, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: got %g, want %g +- %g", what, got, want, within)
	}
}

// refused returns the number of refusals for a reason.
func refused(s *vss.Session, why string) uint64 {
	for _, c := range s.Refused() {
		if c.Reason == why {
			return c.Count
		}
	}
	return 0
}

// Start positions, step, field and order of robots are those of FIRASim.
func TestStart(t *testing.T) {
	for n, want := range map[int]struct {
		field firasim.Field
		blue  []soccer.Vec
	}{
		3: {firasim.Field{Width: 1.3, Length: 1.5, GoalWidth: 0.4, GoalDepth: 0.1, CenterRadius: 0.2,
			PenaltyWidth: 0.7, PenaltyDepth: 0.15, PenaltyPoint: 0.375},
			[]soccer.Vec{{X: 0.25}, {X: 0.5}, {X: 0.7}}},
		5: {firasim.Field{Width: 1.8, Length: 2.2, GoalWidth: 0.4, GoalDepth: 0.15, CenterRadius: 0.25,
			PenaltyWidth: 0.5, PenaltyDepth: 0.15, PenaltyPoint: 0.375},
			[]soccer.Vec{{X: 0.3}, {X: 0.45, Y: 0.2}, {X: 0.45, Y: -0.2}, {X: 0.7}, {X: 1.1}}},
	} {
		s := session(t, func(c *vss.Config) { c.Robots = n })
		for k := range 5000 {
			env := after(s, 1)
			if env.Step != uint32(16*(k+1)) {
				t.Fatalf("packet %d has step %d", k+1, env.Step)
			}
			if !env.HasField || env.Field != want.field {
				t.Fatalf("got field %+v, want %+v", env.Field, want.field)
			}
			if len(env.Frame.Blue) != n || len(env.Frame.Yellow) != n {
				t.Fatalf("got %d blue and %d yellow robots, want %d", len(env.Frame.Blue), len(env.Frame.Yellow), n)
			}
			for id, at := range want.blue {
				for _, c := range []struct {
					r    firasim.Robot
					side float64
				}{{env.Frame.Blue[id], 1}, {env.Frame.Yellow[id], -1}} {
					if c.r.ID != uint32(id) || math.Abs(c.r.X-c.side*at.X) > 1e-3 || math.Abs(c.r.Y-at.Y) > 1e-3 ||
						math.Abs(c.r.Orientation) > 1e-3 {
						t.Fatalf("%d a team, robot %d of side %g: %+v", n, id, c.side, c.r)
					}
				}
			}
			if b := env.Frame.Ball; !env.Frame.HasBall || math.Abs(b.X) > 1e-3 || math.Abs(b.Y) > 1e-3 || b.Z > 0.03 {
				t.Fatalf("got ball %+v, want it at rest on the floor", b)
			}
		}
	}
}

func TestCommands(t *testing.T) {
	s := session(t, nil)
	env := after(s, 1, put(blue, 0, -0.6, 0.5, 0), put(yellow, 2, 0.6, -0.5, 0), drive(blue, 0, 30, 30), drive(yellow, 2, 10, 10), drive(yellow, 2, -20, -20)) // one robot a packet, the last wins
	if v := robot(t, env, blue, 0).VX; v <= 0 {
		t.Errorf("got %g m/s in the tick after a command, want it to take effect", v)
	}
	env = after(s, 40)
	near(t, "blue 0's speed", robot(t, env, blue, 0).VX, 0.6, 0.05) // w r, as in FIRASim
	if v := robot(t, env, yellow, 2).VX; v > -0.3 {
		t.Errorf("yellow 2: got %g m/s, want backwards, as in the last packet", v)
	}
	if r := s.Show().Blue[0]; r.Wheels.Left != 30 || math.Abs(r.Turning.Left-30) > 2 || math.Abs(r.Turning.Right-30) > 2 {
		t.Errorf("blue 0: got wheels %+v that turn with %+v rad/s", r.Wheels, r.Turning)
	}
	s = session(t, nil)
	env = after(s, 30, drive(yellow, 0, -10, 10))
	if w := robot(t, env, yellow, 0).VOrientation; w <= 0 {
		t.Errorf("left -10, right 10: got %g rad/s, want counter-clockwise", w)
	}
}

// Command has the effect of a packet, and none on a robot that is switched off.
func TestCommandIsLikeAPacket(t *testing.T) {
	a, b := session(t, nil), session(t, nil)
	for _, s := range []*vss.Session{a, b} {
		if err := s.Switch(yellow, 2, false); err != nil {
			t.Fatal(err)
		}
		s.Tick()
	}
	for i := range 100 {
		left := float64(i % 7 * 10)
		a.Receive(here, drive(yellow, 1, left, 30))
		b.Command(1, 1, soccer.Wheels{Left: left, Right: 30})
		b.Command(1, 2, soccer.Wheels{Left: 30, Right: 30})
		a.Tick()
		b.Tick()
	}
	var got, want firasim.Environment
	a.Environment(&want)
	b.Environment(&got)
	if !reflect.DeepEqual(got, want) || len(got.Frame.Yellow) != 2 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRefused(t *testing.T) {
	for why, packets := range map[string][]*firasim.Packet{
		"no such robot": {
			drive(blue, 3, 9, 9), drive(yellow, 4_000_000_000, 9, 9), put(blue, 3, 0, 0, 0),
			put(yellow, 4_294_967_295, 0, 0, 0),
		},
		"wheel speed is not a number": {drive(blue, 0, nan, 9), drive(blue, 0, 9, nan), drive(yellow, 0, nan, inf)},
		"infinite wheel speed":        {drive(blue, 0, inf, 9), drive(blue, 0, 9, -inf)},
		"placement outside the field": {
			put(blue, 0, 5, 5, 0), put(blue, 0, 0.76, 0.3, 0), put(blue, 0, 0, -0.66, 0), put(blue, 0, 0.86, 0, 0),
			putBall(-0.9, 0, 0, 0), putBall(1e308, 0, 0, 0),
		},
		"placement is not a finite number": {put(blue, 0, nan, 0, 0), put(blue, 0, 0, inf, 0),
			put(blue, 0, 0, 0, nan), putBall(nan, 0, 0, 0)},
		"ball placed too fast": {putBall(0, 0, 1e308, 0), putBall(0, 0, 0, nan), putBall(0, 0, inf, 0)},
	} {
		s := session(t, nil)
		env := after(s, 20, packets...)
		if c := s.Refused(); len(c) != 1 || c[0].Reason != why || c[0].Count != uint64(len(packets)) ||
			!strings.Contains(c[0].Last, here.String()) {
			t.Errorf("%s: %+v", why, c)
		}
		if r := robot(t, env, blue, 0); math.Abs(r.X-0.25) > 1e-3 || math.Abs(r.VX) > 1e-3 {
			t.Errorf("%s: got blue 0 at %+v, want it unchanged", why, r)
		}
		near(t, "the ball's x", env.Frame.Ball.X, 0, 1e-3)
	}
	s := session(t, nil)
	for range 300 {
		env := after(s, 1, drive(blue, 0, 1e308, -1e308), drive(yellow, 0, 5e-324, -5e-324),
			put(blue, 1, 0.3, 0.3, 1e308))
		if r := robot(t, env, blue, 0); math.IsNaN(r.X+r.VX+r.Orientation+r.VOrientation) || math.Abs(r.X) > 0.85 {
			t.Fatalf("wheels at 1e308 rad/s: got %+v", r)
		}
	}
	if len(s.Refused()) > 0 {
		t.Errorf("finite speeds: got refusals %+v, want none", s.Refused())
	}
}

// A goal is counted once each time the ball enters the goal, and nothing is repositioned.
func TestGoals(t *testing.T) {
	shoot := func(s *vss.Session, side float64, ticks int) *firasim.Environment {
		packets := []*firasim.Packet{putBall(side*0.6, 0.1, side, 0)}
		for id := range uint32(3) { // out of the way
			packets = append(packets, put(blue, id, 0.2*float64(id), 0.5, 0), put(yellow, id, 0.2*float64(id), -0.5, 0))
		}
		return after(s, ticks, packets...)
	}
	s := session(t, nil)
	env := shoot(s, 1, 200)
	if env.GoalsBlue != 1 || env.GoalsYellow != 0 {
		t.Fatalf("got %d : %d after the ball passed x = +L/2, want 1 : 0", env.GoalsBlue, env.GoalsYellow)
	}
	if x := env.Frame.Ball.X; x < 0.4 {
		t.Errorf("got the ball at x = %g, want it in the goal", x)
	}
	step := env.Step
	env = shoot(s, -1, 200)
	if env.GoalsBlue != 1 || env.GoalsYellow != 1 || env.Step != step+200*16 {
		t.Errorf("got %d : %d at step %d, want 1 : 1 after 200 ticks", env.GoalsBlue, env.GoalsYellow, env.Step)
	}
	before := after(s, 1, putBall(0, 0, 0, 0)).GoalsYellow
	env = after(s, 3, putBall(-0.74, 0, -3, 0))
	for range 100 { // a referee's storm of replacements where the ball is already
		env = after(s, 1, putBall(-0.78, 0, 0, 0))
	}
	if env.GoalsYellow != before+1 {
		t.Errorf("got %d goals for a ball that stays in the goal, want 1", env.GoalsYellow-before)
	}
	had := env.GoalsYellow
	if env = after(s, 100, putBall(-0.72, 0, 0, 0)); env.GoalsYellow != had {
		t.Error("got a goal for a ball in front of the line")
	}
	if env = after(s, 3, putBall(-0.74, 0, -3, 0)); env.GoalsYellow != had+1 {
		t.Error("got no goal for a ball that enters again")
	}
	near(t, "x", after(s, 1, putBall(-0.765, 0, 0, 0)).Frame.Ball.X, -0.765, 0.005)
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	later := after(s, 1)
	if later.GoalsBlue+later.GoalsYellow != 0 || later.Step != env.Step+32 {
		t.Errorf("after a reset: got %d : %d at step %d, want 0 : 0 and a step that continues", later.GoalsBlue,
			later.GoalsYellow, later.Step)
	}
	near(t, "blue 2's x after a reset", robot(t, later, blue, 2).X, 0.7, 1e-3)
	near(t, "the ball's x after a reset", later.Frame.Ball.X, 0, 1e-3)
	if env = shoot(session(t, compat("goals")), 1, 200); env.GoalsBlue != 0 {
		t.Error("with the defect goals: got a goal")
	}
}

func TestCommandTimeout(t *testing.T) {
	s := session(t, func(c *vss.Config) { c.CommandTimeout = 160 * time.Millisecond })
	if v := robot(t, after(s, 10, put(blue, 1, 0.5, 0.4, 0), drive(blue, 1, -30, -30)), blue, 1).VX; v > -0.05 {
		t.Errorf("got %g m/s before the timeout, want the command in effect", v)
	}
	near(t, "the speed after the timeout", robot(t, after(s, 60), blue, 1).VX, 0, 0.01)
	s = session(t, nil)
	if v := robot(t, after(s, 45, put(blue, 1, 0.5, 0.4, 0), drive(blue, 1, -20, -20)), blue, 1).VX; v > -0.2 {
		t.Errorf("got %g m/s without a timeout, want the last command in effect", v)
	}
}

func TestConfigRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*vss.Config){
		"robots":         func(c *vss.Config) { c.Robots = 4 },
		"physics":        func(c *vss.Config) { c.Physics = "ode" },
		"vanish":         func(c *vss.Config) { c.Vanish = 1.5 },
		"noise-position": func(c *vss.Config) { c.NoisePosition = nan },
		"latency":        func(c *vss.Config) { c.Latency = -1 },
		"start position": func(c *vss.Config) { c.Lineup = &vss.Lineup{Ball: soccer.Vec{X: 3}} },
	} {
		cfg := vss.DefaultConfig()
		spoil(&cfg)
		if _, err := vss.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %[2]v, want an error with %[1]q", want, err)
		}
	}
}

// play drives all robots for some ticks and returns a hash of all vision.
func play(t *testing.T, ticks int, with func(*vss.Config)) [32]byte {
	t.Helper()
	s := session(t, with)
	h := sha256.New()
	var b []byte
	for k := range ticks {
		for i := range 6 {
			if (k+i)%40 == 0 {
				s.Receive(here, drive(i%2 == 0, uint32(i/2), float64((k*7+i*31)%120-60), float64((k*13+i*17)%120-60)))
			}
		}
		s.Tick()
		env, sent := s.Vision()
		if !sent {
			continue
		}
		var err error
		if b, err = env.AppendBinary(b[:0]); err != nil {
			t.Fatal(err)
		}
		h.Write(b)
	}
	return [32]byte(h.Sum(nil))
}

func TestSameSeedSameBytes(t *testing.T) {
	noisy := func(seed uint64) func(*vss.Config) {
		return func(c *vss.Config) {
			c.Seed, c.NoisePosition, c.NoiseHeading, c.Vanish, c.Loss, c.CommandLoss = seed, 0.01, 0.05, 0.1, 0.1, 0.1
			c.Latency, c.CommandLatency = 40*time.Millisecond, 20*time.Millisecond
		}
	}
	first, again := play(t, 2000, noisy(1)), play(t, 2000, noisy(1))
	if first != again {
		t.Error("the same seed gave other bytes")
	}
	if first == play(t, 2000, noisy(2)) {
		t.Error("another seed gave the same bytes")
	}
}

func TestTickAllocatesNothing(t *testing.T) {
	s := session(t, nil)
	p, place := drive(blue, 0, 20, 10), put(yellow, 1, -0.5, 0.1, 30)
	buf := make([]byte, 0, 2048)
	if n := testing.AllocsPerRun(500, func() {
		s.Receive(here, p)
		s.Receive(here, place)
		s.Tick()
		env, _ := s.Vision()
		buf, _ = env.AppendBinary(buf[:0])
	}); n != 0 {
		t.Errorf("got %v allocations a tick, want 0", n)
	}
}

// BenchmarkTick measures one tick with six driven robots, and the encoding of its vision.
func BenchmarkTick(b *testing.B) {
	s := session(b, nil)
	r := rand.New(rand.NewPCG(1, 1))
	var buf []byte
	b.ReportAllocs()
	k := 0
	p := drive(blue, 0, 0, 0)
	for b.Loop() {
		c := &p.Commands[0]
		c.ID, c.Yellow, c.Left, c.Right = uint32(k%3), k%2 == 0, 120*r.Float64()-60, 120*r.Float64()-60
		s.Receive(here, p)
		s.Tick()
		env, _ := s.Vision()
		buf, _ = env.AppendBinary(buf[:0])
		k++
	}
}

// A ball that a placement puts behind a goal line is no goal, wherever it came from and however it rolls on, until it
// was on the field again.
func TestPlacedBehindLine(t *testing.T) {
	s := session(t, nil)
	after(s, 1, putBall(0, 0, 0, 0))
	env := after(s, 10, putBall(0.78, 0, 1, 0))
	if env.GoalsBlue != 0 || !s.PlacedBehindLine() {
		t.Errorf("a ball that was placed in the goal counts as %d, placed behind the line: %t", env.GoalsBlue, s.PlacedBehindLine())
	}
	if env = after(s, 10, putBall(-0.765, 0, -1, 0)); env.GoalsYellow != 0 {
		t.Error("a ball that was placed on the other goal's line and rolls in counts")
	}
	env = after(s, 3, putBall(0.74, 0, 3, 0))
	if env.GoalsBlue != 1 || s.PlacedBehindLine() {
		t.Errorf("a ball that rolls over the line counts as %d, placed behind the line: %t", env.GoalsBlue, s.PlacedBehindLine())
	}
	if env = after(s, 10, putBall(-0.78, 0, -1, 0)); env.GoalsYellow != 0 || !s.PlacedBehindLine() {
		t.Error("a ball that was placed from one goal into the other counts")
	}
}
