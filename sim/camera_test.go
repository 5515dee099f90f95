package sim_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

// perfect returns a camera without errors.
func perfect() sim.Camera { return sim.Camera{Range: 50, FOV: 2 * math.Pi, Rate: 25} }

func look(t testing.TB, e *sim.Engine, id uint8, cam sim.Camera) soccer.Sense {
	t.Helper()
	var s soccer.Sense
	must(t, e.Look(id, &cam, &s))
	return s
}

func TestPerfectLook(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(2, soccer.Pose{X: 1, Y: 2, Theta: math.Pi / 2}))
	must(t, e.AddRobot(7, soccer.Pose{X: 1, Y: 5, Theta: -1}))
	_, err := e.AddObstacle(soccer.Vec{X: -1, Y: 1})
	must(t, err)
	e.Step(123 * ms)
	s := look(t, e, 2, perfect())
	if s.Time != soccer.Epoch.Add(123*ms) {
		t.Errorf("got time %v", s.Time)
	}
	if !s.Self.Known || !s.Self.HasHeading || !s.Self.HasTwist || s.Self.Twist != (soccer.Twist{}) ||
		s.Self.Pose != (soccer.Pose{X: 1, Y: 2, Theta: math.Pi / 2}) || s.Self.Confidence <= 0 ||
		s.Self.Confidence > 1 {
		t.Errorf("got self-localisation %+v", s.Self)
	}
	if len(s.Balls) != 1 || len(s.Obstacles) != 2 {
		t.Fatalf("got %d balls and %d obstacles", len(s.Balls), len(s.Obstacles))
	}
	if s.Obstacles[0].Position.X > 0 { // the order is by confidence
		s.Obstacles[0], s.Obstacles[1] = s.Obstacles[1], s.Obstacles[0]
	}
	// It looks along +y: what lies at -y is behind it, what lies at -x to its left.
	for _, c := range []struct {
		o    soccer.Observation
		want soccer.Vec3
	}{
		{s.Balls[0], soccer.Vec3{X: -2, Y: 1, Z: ballR}},
		{s.Obstacles[0], soccer.Vec3{X: -1, Y: 2}},
		{s.Obstacles[1], soccer.Vec3{X: 3, Y: 0}},
	} {
		near(t, "x", c.o.Position.X, c.want.X, 1e-12)
		near(t, "y", c.o.Position.Y, c.want.Y, 1e-12)
		near(t, "z", c.o.Position.Z, c.want.Z, 1e-12)
		if c.o.HasVelocity || c.o.Confidence <= 0 || c.o.Confidence > 1 {
			t.Errorf("got observation %+v", c.o)
		}
	}
	must(t, e.PlaceBall(soccer.Vec3{Z: 1.5}))
	near(t, "height of a lofted ball", look(t, e, 2, perfect()).Balls[0].Position.Z, 1.5, 1e-12)
}

func TestOcclusion(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(1, soccer.Pose{X: -3}))
	must(t, e.AddRobot(2, soccer.Pose{}))
	through := perfect()
	through.SeesThrough = true
	through.Range, through.FOV = 1, 0.1
	// Robot 2 hides what lies behind it; its shadow's edge is a tangent from robot 1.
	edge := 6 * math.Tan(math.Asin(soccer.RobotRadius/3))
	for _, c := range []struct {
		ball soccer.Vec3
		seen bool
	}{
		{soccer.Vec3{X: 3}, false},
		{soccer.Vec3{X: 3, Y: edge - 0.01}, false},
		{soccer.Vec3{X: 3, Y: edge + 0.01}, true},
		{soccer.Vec3{X: 3, Y: -edge + 0.01}, false},
		{soccer.Vec3{X: 3, Y: -edge - 0.01}, true},
		{soccer.Vec3{X: -1}, true},
		{soccer.Vec3{X: -4}, true},
		{soccer.Vec3{X: 0.38}, false},
		{soccer.Vec3{X: -0.38}, true},
		{soccer.Vec3{X: 3, Z: 0.79}, false},
		{soccer.Vec3{X: 3, Z: 0.81}, true},
	} {
		must(t, e.PlaceBall(c.ball))
		if got := len(look(t, e, 1, perfect()).Balls) == 1; got != c.seen {
			t.Errorf("ball at %v: got seen %v", c.ball, got)
		}
		if len(look(t, e, 1, through).Balls) != 1 {
			t.Errorf("ball at %v: not seen with SeesThrough", c.ball)
		}
	}
	// Obstacles hide as robots do, and are hidden themselves.
	i, err := e.AddObstacle(soccer.Vec{X: 3})
	must(t, err)
	for _, c := range []struct {
		at   soccer.Vec
		seen int
	}{{soccer.Vec{X: 3}, 1}, {soccer.Vec{X: 3, Y: 2}, 2}, {soccer.Vec{X: -1}, 1}, {soccer.Vec{X: -8}, 2}} {
		must(t, e.MoveObstacle(i, c.at))
		if got := len(look(t, e, 1, perfect()).Obstacles); got != c.seen {
			t.Errorf("obstacle at %v: got %d observations, want %d", c.at, got, c.seen)
		}
		if got := len(look(t, e, 1, through).Obstacles); got != 2 {
			t.Errorf("obstacle at %v: got %d observations with SeesThrough", c.at, got)
		}
	}
}

func TestRangeAndFieldOfView(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(1, soccer.Pose{X: -2, Y: 1, Theta: 3}))
	cam := perfect()
	cam.Range, cam.FOV = 4, math.Pi/2
	for _, c := range []struct {
		distance, bearing float64
		seen              bool
	}{
		{3.99, 0, true}, {4.01, 0, false},
		{2, math.Pi/4 - 0.01, true}, {2, math.Pi/4 + 0.01, false},
		{2, -math.Pi/4 + 0.01, true}, {2, -math.Pi/4 - 0.01, false},
		{2, math.Pi, false},
	} {
		must(t, e.PlaceBall(soccer.Vec3{X: -2 + c.distance*math.Cos(3+c.bearing),
			Y: 1 + c.distance*math.Sin(3+c.bearing)}))
		if got := len(look(t, e, 1, cam).Balls) == 1; got != c.seen {
			t.Errorf("ball at %v m, %v rad: got seen %v", c.distance, c.bearing, got)
		}
	}
}

// stats are mean, standard deviation and number of values.
type stats struct{ sum, sum2, n float64 }

func (s *stats) add(x float64)  { s.sum += x; s.sum2 += x * x; s.n++ }
func (s *stats) mean() float64  { return s.sum / s.n }
func (s *stats) sigma() float64 { return math.Sqrt(s.sum2/s.n - s.mean()*s.mean()) }

func TestNoiseIsAsConfigured(t *testing.T) {
	const n = 20_000
	for _, distance := range []float64{1, 3, 6.5} {
		e := sim.New(sim.DefaultConfig())
		must(t, e.AddRobot(1, soccer.Pose{X: -3, Theta: 0.7}))
		must(t, e.PlaceBall(soccer.Vec3{X: -3 + distance*math.Cos(0.9), Y: distance * math.Sin(0.9)}))
		cam := sim.DefaultCamera()
		cam.FalseBalls = 0
		var along, across, confidence stats
		lofted := 0
		for range n {
			for _, o := range look(t, e, 1, cam).Balls {
				along.add(math.Hypot(o.Position.X, o.Position.Y) - distance)
				across.add(math.Atan2(o.Position.Y, o.Position.X) - 0.2)
				confidence.add(o.Confidence)
				if o.Position.Z != ballR {
					lofted++
				}
			}
		}
		miss := 0.15 * distance / 7
		near(t, "misses", 1-along.n/n, miss, 5*math.Sqrt(miss/n))
		sigma := 0.02 + 0.03*distance
		near(t, "mean along", along.mean(), 0, 5*sigma/math.Sqrt(along.n))
		near(t, "sigma along", along.sigma(), sigma, 5*sigma/math.Sqrt(2*along.n))
		sigma = 0.86 * math.Pi / 180
		near(t, "mean across", across.mean(), 0, 5*sigma/math.Sqrt(along.n))
		near(t, "sigma across", across.sigma(), sigma, 5*sigma/math.Sqrt(2*along.n))
		near(t, "confidence", confidence.mean(), 0.9*(1-0.5*distance/7), 0.01)
		near(t, "balls on the floor taken for lofted", float64(lofted)/along.n, 0.00135, 0.0015)
	}
}

func TestFalsePositives(t *testing.T) {
	const n = 50_000
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(1, soccer.Pose{}))
	must(t, e.PlaceBall(soccer.Vec3{X: -9})) // behind
	cam := sim.DefaultCamera()
	cam.FOV = 2
	cam.FalseBalls, cam.FalseObstacles = 0.02, 1.3
	var balls, obstacles, distance, confidence stats
	for range n {
		s := look(t, e, 1, cam)
		balls.add(float64(len(s.Balls)))
		obstacles.add(float64(len(s.Obstacles)))
		for i, o := range s.Obstacles {
			d := o.Position.XY().Len()
			distance.add(d / 7)
			confidence.add(o.Confidence / (1 - 0.5*d/7))
			if d > 7 || math.Abs(math.Atan2(o.Position.Y, o.Position.X)) > 1+1e-9 || o.Position.Z != 0 {
				t.Fatalf("got a false obstacle outside the field of view at %v", o.Position)
			}
			if i > 0 && o.Confidence > s.Obstacles[i-1].Confidence {
				t.Fatal("got observations that are not sorted by confidence")
			}
		}
	}
	near(t, "false balls", balls.mean(), 0.02, 5*math.Sqrt(0.02/n))
	near(t, "false obstacles", obstacles.mean(), 1.3, 5*math.Sqrt(0.21/n))
	near(t, "distance of what is false, as a share of the range", distance.mean(), 2.0/3, 0.01)
	near(t, "confidence of what is false, where true things have 0.9", confidence.mean(), 0.5, 0.01)
}

func TestDriftIsAsConfigured(t *testing.T) {
	for _, period := range []time.Duration{40 * ms, 500 * ms} { // the rate of pictures must not matter
		e := sim.New(sim.DefaultConfig())
		must(t, e.AddRobot(1, soccer.Pose{X: 2, Y: -1, Theta: math.Pi}))
		cam := sim.DefaultCamera()
		cam.PoseNoise = 0
		lag := int(cam.PoseTau / period)
		n := int(6000 * cam.PoseTau / period)
		var x, y, heading []float64
		for range n {
			e.Step(period)
			s := look(t, e, 1, cam)
			x = append(x, s.Self.Pose.X-2)
			y = append(y, s.Self.Pose.Y+1)
			heading = append(heading, soccer.WrapAngle(s.Self.Pose.Theta-math.Pi))
		}
		for _, c := range []struct {
			name  string
			v     []float64
			sigma float64
		}{{"x", x, 0.08}, {"y", y, 0.08}, {"heading", heading, 1.1 * math.Pi / 180}} {
			var all stats
			lagged := 0.0
			for i, v := range c.v {
				all.add(v)
				if i >= lag {
					lagged += v * c.v[i-lag] / float64(n-lag)
				}
			}
			near(t, "mean of "+c.name, all.mean()/c.sigma, 0, 0.1)
			near(t, "sigma of "+c.name, all.sigma()/c.sigma, 1, 0.05)
			near(t, "autocorrelation after tau of "+c.name, lagged/(c.sigma*c.sigma),
				math.Exp(-float64(lag)*period.Seconds()/3), 0.07)
		}
		cross := 0.0
		for i := range x {
			cross += x[i] * y[i] / (0.08 * 0.08) / float64(n)
		}
		near(t, "correlation of x and y", cross, 0, 0.07)
	}
}

func TestDriftStaysWithTheRobot(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(1, soccer.Pose{}))
	must(t, e.AddRobot(2, soccer.Pose{X: 5}))
	cam := sim.DefaultCamera()
	cam.PoseNoise = 0
	first := look(t, e, 1, cam).Self.Pose
	other := look(t, e, 2, cam).Self.Pose
	if first.X == 0 || math.Abs(first.X-(other.X-5)) < 1e-9 {
		t.Errorf("got errors %v and %v at the start", first, other)
	}
	must(t, e.MoveRobot(1, soccer.Pose{X: 3, Y: 2, Theta: 1}))
	moved := look(t, e, 1, cam).Self.Pose
	near(t, "x", moved.X-3, first.X, 1e-12)
	near(t, "y", moved.Y-2, first.Y, 1e-12)
	near(t, "heading", moved.Theta-1, first.Theta, 1e-12)

	cam.PoseNoise = 0.05
	var white stats
	for range 10_000 {
		white.add(look(t, e, 1, cam).Self.Pose.X - moved.X)
	}
	near(t, "white noise", white.sigma(), 0.05, 0.002)

	// Off the field for a moment it drifts on.
	cam.PoseNoise = 0
	e.Step(time.Minute)
	late := look(t, e, 1, cam).Self.Pose
	e.RemoveRobot(1)
	e.Step(30 * ms)
	must(t, e.AddRobot(1, soccer.Pose{X: 3, Y: 2, Theta: 1}))
	back := look(t, e, 1, cam).Self.Pose
	near(t, "x after a break of tau/100", back.X, late.X, 4*0.08*math.Sqrt(0.02))
	if back == late || math.Abs(late.X-moved.X) < 1e-9 {
		t.Errorf("got no drift from %v to %v and %v", moved, late, back)
	}
}

func TestStreamsAreIndependent(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(1, soccer.Pose{X: -2}))
	must(t, e.AddRobot(2, soccer.Pose{X: -2, Y: 3}))
	cam := perfect()
	cam.PoseNoise = 1
	const n = 20_000
	correlation := 0.0
	for range n {
		a, b := look(t, e, 1, cam), look(t, e, 2, cam)
		correlation += (a.Self.Pose.X + 2) * (b.Self.Pose.X + 2) / n
	}
	near(t, "correlation of two robots' noise", correlation, 0, 5/math.Sqrt(n))
}

func TestLookErrors(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(1, soccer.Pose{X: 1}))
	var s soccer.Sense
	cam := sim.DefaultCamera()
	if err := e.Look(2, &cam, &s); !errors.Is(err, sim.ErrUnknown) || !strings.Contains(err.Error(), "robot 2") {
		t.Errorf("got error %v", err)
	}
	for name, spoil := range map[string]func(c *sim.Camera){
		"Range":      func(c *sim.Camera) { c.Range = math.NaN() },
		"FOV":        func(c *sim.Camera) { c.FOV = 7 },
		"Miss":       func(c *sim.Camera) { c.Miss = 1.1 },
		"FalseBalls": func(c *sim.Camera) { c.FalseBalls = 1e9 },
		"SigmaRange": func(c *sim.Camera) { c.SigmaRange = math.Inf(1) },
		"PoseTau":    func(c *sim.Camera) { c.PoseTau = -1 },
	} {
		cam := sim.DefaultCamera()
		spoil(&cam)
		if err := e.Look(1, &cam, &s); !errors.Is(err, sim.ErrRange) || !strings.Contains(err.Error(), name+" is") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	if s.Time != 0 {
		t.Error("a refused Look changed dst")
	}
	if s := look(t, e, 1, sim.Camera{}); len(s.Balls)+len(s.Obstacles) != 0 || s.Self.Pose != (soccer.Pose{X: 1}) {
		t.Errorf("zero camera: got %+v", s)
	}
}

// trace simulates a minute with six robots and returns a hash of their observations and of the ball.
func trace(t *testing.T, seed uint64) string {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.Seed = seed
	e := sim.New(cfg)
	must(t, e.Scatter([]uint8{1, 2, 3, 4, 5, 6}, 4))
	cam := sim.DefaultCamera()
	var s soccer.Sense
	var b []byte
	put := func(values ...float64) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	for n := range 60 * 25 {
		if n%75 == 0 {
			must(t, e.KickBall(soccer.Vec3{X: float64(n%4) - 1.5, Y: float64(n%7) - 3.25, Z: float64(n % 5)}))
		}
		e.Step(40 * ms)
		p, v := e.Ball()
		put(p.X, p.Y, p.Z, v.X, v.Y, v.Z)
		for id := range 6 {
			must(t, e.Look(uint8(id)+1, &cam, &s))
			put(s.Self.Pose.X, s.Self.Pose.Y, s.Self.Pose.Theta, float64(len(s.Balls)), float64(len(s.Obstacles)))
			for _, o := range append(s.Balls, s.Obstacles...) {
				put(o.Position.X, o.Position.Y, o.Position.Z, o.Confidence)
			}
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

func TestSameSeedSameBytes(t *testing.T) {
	const golden = "4f59f7d524aa2fee"
	for range 2 {
		if got := trace(t, 1); got != golden {
			t.Errorf("seed 1: got %s, want %s", got, golden)
		}
	}
	if trace(t, 2) == trace(t, 3) {
		t.Error("two seeds gave the same trace")
	}
}

func TestLookAllocatesNothing(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.Scatter([]uint8{1, 2, 3, 4, 5, 6}, 4))
	cam := sim.DefaultCamera()
	s := soccer.Sense{Balls: make([]soccer.Observation, 0, 4), Obstacles: make([]soccer.Observation, 0, 16)}
	if n := testing.AllocsPerRun(100, func() { must(t, e.Look(1, &cam, &s)) }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func BenchmarkLook(b *testing.B) {
	e := sim.New(sim.DefaultConfig())
	must(b, e.Scatter([]uint8{1, 2, 3, 4, 5, 6}, 4))
	cam := sim.DefaultCamera()
	var s soccer.Sense
	b.ReportAllocs()
	for b.Loop() {
		e.Step(ms)
		must(b, e.Look(1, &cam, &s))
	}
}
