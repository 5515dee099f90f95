package learn_test

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"touchline/internal/vss"
	"touchline/internal/vss/learn"
	"touchline/sim"
	"touchline/soccer"
)

// open returns a game with a change of the default configuration, at its first episode.
func open(t testing.TB, seed uint64, change func(*learn.Config)) (*learn.Game, *learn.Config) {
	t.Helper()
	cfg := learn.DefaultConfig()
	if change != nil {
		change(&cfg)
	}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	g := learn.New(&cfg)
	if err := g.Reset(seed, nil); err != nil {
		t.Fatal(err)
	}
	return g, &cfg
}

// observe reads the observation of a side.
func observe(g *learn.Game, side int, to []float32) {
	b := make([]byte, 4*len(to))
	g.Observe(side, b)
	floats(to, b)
}

// truthOf reads the true state.
func truthOf(g *learn.Game, to []float32) {
	b := make([]byte, 4*len(to))
	g.Truth(b)
	floats(to, b)
}

func floats(to []float32, b []byte) {
	for i := range to {
		to[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

// digest returns a hash of everything that a program sees of a game: observations, truth and result.
func digest(g *learn.Game, cfg *learn.Config) uint64 {
	h := fnv.New64a()
	write := func(v any) { _ = binary.Write(h, binary.LittleEndian, v) }
	obs, truth := make([]float32, cfg.Observation()), make([]float32, cfg.Truth())
	for side := range 2 {
		observe(g, side, obs)
		write(obs)
	}
	truthOf(g, truth)
	write(truth)
	write(*g.Result())
	return h.Sum64()
}

// play steps a game with random actions and returns the digest of each step. Finished episodes are followed by the
// next one.
func play(t testing.TB, g *learn.Game, cfg *learn.Config, random *rand.Rand, steps int) []uint64 {
	t.Helper()
	actions := make([]float32, cfg.Actions())
	var all []uint64
	for range steps {
		for i := range actions {
			actions[i] = random.Float32()*2 - 1
		}
		g.Step(actions)
		all = append(all, digest(g, cfg))
		if g.Done() {
			if err := g.Next(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// everything switches on all that is random.
func everything(c *learn.Config) {
	c.Robots, c.Agents, c.Ticks, c.Limit, c.Mates, c.Opponents = 5, 2, 2, 60, learn.Random, learn.Builtin
	c.Randomize = learn.Ranges{
		Mass: &learn.Range{0.8, 1.2}, Friction: &learn.Range{0.7, 1.3}, Motor: &learn.Range{0.9, 1.1},
		Latency: &learn.Range{0, 0.05}, Noise: &learn.Range{0, 0.005}, Vanish: &learn.Range{0, 0.1},
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	run := func(seed uint64) []uint64 {
		g, cfg := open(t, seed, everything)
		return play(t, g, cfg, rand.New(rand.NewPCG(1, 1)), 200)
	}
	a := run(7)
	if !slices.Equal(a, run(7)) {
		t.Error("the same seed and actions give other bytes")
	}
	if b := run(8); slices.Equal(a, b) {
		t.Error("another seed gives the same bytes")
	}
}

func TestSaveAndRestore(t *testing.T) {
	g, cfg := open(t, 3, everything)
	play(t, g, cfg, rand.New(rand.NewPCG(1, 1)), 100)
	state := g.Save()
	want := play(t, g, cfg, rand.New(rand.NewPCG(2, 1)), 150)
	other := learn.New(cfg) // a game that was never reset takes it, too
	for _, g := range []*learn.Game{g, other, g} {
		if err := g.Restore(state); err != nil {
			t.Fatal(err)
		}
		if got := play(t, g, cfg, rand.New(rand.NewPCG(2, 1)), 150); !slices.Equal(got, want) {
			t.Error("a restored game plays on differently")
		}
	}
}

// A state becomes bytes and again a state, also in another process: its game plays on as the one that was saved. Bytes that
// are cut or changed give an error, or a game that can be played.
func TestBytesOfAState(t *testing.T) {
	for name, change := range map[string]func(*learn.Config){
		"everything": everything,
		"defaults":   func(*learn.Config) {},
		"the most": func(c *learn.Config) {
			everything(c)
			c.Opponents, c.Randomize.Latency = learn.Builtin, &learn.Range{1, 1}
		},
		"two teams": func(c *learn.Config) {
			c.Mates, c.Opponents = learn.Medium, learn.Weak
			c.Start, c.Jitter.Blue = lineup(soccer.Pose{X: -0.3}, soccer.Pose{X: 0.5}, soccer.Vec{}, soccer.Vec{}), 0.1
		},
	} {
		g, cfg := open(t, 3, change)
		play(t, g, cfg, rand.New(rand.NewPCG(1, 1)), 100)
		b, err := g.AppendState(nil, g.Save())
		if err != nil {
			t.Fatal(name, err)
		}
		if line := len(b) * 4 / 3; line > 60_000 { // learnnet reads lines of 64 KiB
			t.Errorf("%s: a line with the state has %d bytes", name, line)
		}
		want := play(t, g, cfg, rand.New(rand.NewPCG(2, 1)), 150)
		other, _ := open(t, 99, change)
		state, err := other.StateOf(b)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := other.Restore(state); err != nil {
			t.Fatal(name, err)
		}
		if again, err := other.AppendState(nil, other.Save()); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%s: the bytes of the restored game differ, %v", name, err)
		}
		if got := play(t, other, cfg, rand.New(rand.NewPCG(2, 1)), 150); !slices.Equal(got, want) {
			t.Errorf("%s: a game from bytes plays on differently", name)
		}
		for n := 0; n < len(b); n += 1 + len(b)/200 {
			if _, err := other.StateOf(b[:n]); err == nil {
				t.Fatalf("%s: the first %d bytes of %d are a state", name, n, len(b))
			}
		}
		if _, err := other.StateOf(append(slices.Clone(b), 0)); err == nil {
			t.Errorf("%s: a byte more is a state", name)
		}
		random := rand.New(rand.NewPCG(3, 1))
		for range 100 {
			wrong := slices.Clone(b)
			wrong[random.IntN(len(b))] ^= byte(1 << random.IntN(8))
			if state, err := other.StateOf(wrong); err == nil && other.Restore(state) == nil {
				play(t, other, cfg, random, 2)
			}
		}
	}
	g, _ := open(t, 1, everything)
	b, _ := g.AppendState(nil, g.Save())
	g, _ = open(t, 1, func(*learn.Config) {})
	if _, err := g.StateOf(b); err == nil || !strings.Contains(err.Error(), "other games") {
		t.Errorf("other options: got %v", err)
	}
}

// lineup returns start positions with blue 0, yellow 0 and the ball on the field.
func lineup(blue, yellow soccer.Pose, ball, velocity soccer.Vec) *vss.Lineup {
	return &vss.Lineup{
		Ball: ball, BallVelocity: velocity, Blue: []vss.Start{{Pose: blue}}, Yellow: []vss.Start{{Pose: yellow}},
	}
}

func TestReward(t *testing.T) {
	g, cfg := open(t, 1, nil)
	start := lineup(soccer.Pose{X: -0.5}, soccer.Pose{X: 0.5, Y: 0.5}, soccer.Vec{Y: 0.3}, soccer.Vec{X: 0.5})
	if err := g.Reset(1, start); err != nil {
		t.Fatal(err)
	}
	truth := make([]float32, cfg.Truth())
	// potential is the formula of rSoccer's VSS-v0, in m.
	potential := func() float64 {
		truthOf(g, truth)
		x, y := float64(truth[0]), float64(truth[1])
		half := 1.5/2 + 0.1
		return ((-math.Hypot(half-x, math.Sqrt2*y)+math.Hypot(half+x, math.Sqrt2*y))/1.5 - 1) / 2
	}
	before := potential()
	g.Step([]float32{0.5, 0.5})
	r := g.Result()
	want := (potential() - before) * 3 / 0.016
	if got := r.Terms[0][learn.BallPotential]; math.Abs(got-want) > 1e-4 || got <= 0 {
		t.Errorf("the ball's potential gives %g, want %g", got, want)
	}
	dx, dy := float64(truth[0]-truth[7]), float64(truth[1]-truth[8])
	toBall := (dx*float64(truth[10]) + dy*float64(truth[11])) / math.Hypot(dx, dy) / 0.4
	if got := r.Terms[0][learn.MoveToBall]; math.Abs(got-toBall) > 1e-5 || got <= 0 {
		t.Errorf("moving to the ball gives %g, want %g", got, toBall)
	}
	if got := r.Terms[0][learn.Energy]; got != -60 {
		t.Errorf("energy %g, want -60: two wheels at half of 60 rad/s", got)
	}
	sum := 0.8*want + 0.2*toBall - 2e-4*60
	if got := r.Reward[0]; math.Abs(got-sum) > 1e-4 {
		t.Errorf("reward %g, want %g", got, sum)
	}
}

func TestGoalEndsTheEpisode(t *testing.T) {
	for _, own := range []bool{false, true} {
		g, _ := open(t, 1, func(c *learn.Config) { c.Sides = 2; c.Ticks = 100 })
		start := lineup(soccer.Pose{Y: 0.5}, soccer.Pose{Y: -0.5}, soccer.Vec{X: 0.6}, soccer.Vec{X: 2})
		want := [2]float64{10, -10}
		if own {
			start.Ball, start.BallVelocity, want = start.Ball.Turned(), start.BallVelocity.Turned(), [2]float64{-10, 10}
		}
		if err := g.Reset(1, start); err != nil {
			t.Fatal(err)
		}
		g.Step(make([]float32, 4))
		if r := g.Result(); !r.Terminated || r.Truncated || !g.Done() || r.Reward != want {
			t.Errorf("own %t: got %+v, want the end and rewards %v", own, r, want)
		}
		if err := g.Next(); err != nil {
			t.Fatal(err)
		}
		if _, episode := g.Episode(); episode != 1 || g.Done() {
			t.Errorf("episode %d, done %t", episode, g.Done())
		}
	}
}

func TestLimitTruncates(t *testing.T) {
	g, _ := open(t, 1, func(c *learn.Config) { c.Limit = 3 })
	for i := range 3 {
		g.Step(make([]float32, 2))
		if r := g.Result(); r.Truncated != (i == 2) || r.Terminated {
			t.Errorf("step %d: %+v", i+1, r)
		}
	}
}

// Both teams see the same when the field is turned.
func TestBothSidesSeeTheSame(t *testing.T) {
	g, cfg := open(t, 5, func(c *learn.Config) { c.Sides, c.Agents = 2, 3 })
	random := rand.New(rand.NewPCG(1, 1))
	start := &vss.Lineup{}
	for range 3 {
		p := soccer.Pose{X: random.Float64()*0.6 + 0.06, Y: random.Float64() - 0.5, Theta: random.Float64()}
		start.Blue = append(start.Blue, vss.Start{Pose: p})
		start.Yellow = append(start.Yellow, vss.Start{Pose: p.Turned()})
	}
	if err := g.Reset(5, start); err != nil {
		t.Fatal(err)
	}
	blue, yellow := make([]float32, cfg.Observation()), make([]float32, cfg.Observation())
	for range 50 {
		one := make([]float32, 6)
		for i := range one {
			one[i] = random.Float32()*2 - 1
		}
		g.Step(append(one, one...))
		observe(g, 0, blue)
		observe(g, 1, yellow)
		for i := range blue {
			if math.Abs(float64(blue[i]-yellow[i])) > 1e-3 {
				t.Fatalf("number %d of the observation: blue %g, yellow %g", i, blue[i], yellow[i])
			}
		}
	}
}

func TestObservation(t *testing.T) {
	g, cfg := open(t, 1, nil)
	start := lineup(soccer.Pose{X: -0.45, Y: 0.09, Theta: math.Pi / 2}, soccer.Pose{X: 0.18, Y: -0.27},
		soccer.Vec{X: 0.09}, soccer.Vec{X: 0.6})
	if err := g.Reset(1, start); err != nil {
		t.Fatal(err)
	}
	obs := make([]float32, cfg.Observation())
	observe(g, 0, obs)
	if len(obs) != 40 {
		t.Fatalf("%d numbers, want 40", len(obs))
	}
	for i, want := range map[int]float64{
		0: 0.1, 1: 0, 2: 0.5, 3: 0, 4: -0.5, 5: 0.1, 6: 1, 7: 0, 11: 0, 25: 0.2, 26: -0.3, 30: 0,
	} {
		if math.Abs(float64(obs[i])-want) > 1e-6 {
			t.Errorf("number %d is %g, want %g", i, obs[i], want)
		}
	}
}

func TestVanishedRobotStaysWhereItWasSeen(t *testing.T) {
	g, cfg := open(t, 1, func(c *learn.Config) { c.Randomize.Vanish = &learn.Range{1, 1} })
	before, after := make([]float32, cfg.Observation()), make([]float32, cfg.Observation())
	observe(g, 0, before)
	for range 20 {
		g.Step([]float32{1, 1})
	}
	if observe(g, 0, after); !slices.Equal(before, after) {
		t.Error("the observation changed, though nothing was seen")
	}
}

func TestRandomizedPhysicsDiffers(t *testing.T) {
	end := func(mass *learn.Range) float32 {
		g, cfg := open(t, 1, func(c *learn.Config) { c.Randomize.Motor = mass })
		start := lineup(soccer.Pose{X: -0.6}, soccer.Pose{Y: 0.5}, soccer.Vec{Y: -0.5}, soccer.Vec{})
		if err := g.Reset(1, start); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			g.Step([]float32{1, 1})
		}
		truth := make([]float32, cfg.Truth())
		truthOf(g, truth)
		return truth[7]
	}
	if weak, strong := end(&learn.Range{0.5, 0.5}), end(&learn.Range{1, 1}); !(weak < strong-0.005) || strong != end(nil) {
		t.Errorf("x after 160 ms: %g m with half the force, %g m, and without a range %g m", weak, strong, end(nil))
	}
}

func TestScatteredStartsDoNotOverlap(t *testing.T) {
	g, cfg := open(t, 1, func(c *learn.Config) { c.Robots = 5 })
	truth := make([]float32, cfg.Truth())
	for seed := range uint64(200) {
		if err := g.Reset(seed, nil); err != nil {
			t.Fatal(err)
		}
		truthOf(g, truth)
		at := []soccer.Vec{{X: float64(truth[0]), Y: float64(truth[1])}}
		for i := range 10 {
			at = append(at, soccer.Vec{X: float64(truth[6+7*i+1]), Y: float64(truth[6+7*i+2])})
		}
		for i, a := range at {
			for _, b := range at[:i] {
				if a.Sub(b).Len() < 0.1199 {
					t.Fatalf("seed %d: %v and %v are too near", seed, a, b)
				}
			}
		}
	}
}

func TestJitterShiftsStartPositions(t *testing.T) {
	g, cfg := open(t, 1, func(c *learn.Config) { c.Jitter = learn.Jitter{Ball: 0.3, Blue: 0.1} })
	start := lineup(soccer.Pose{X: -0.6}, soccer.Pose{X: 0.74, Y: 0.1}, soccer.Vec{X: 0.5}, soccer.Vec{})
	truth := make([]float32, cfg.Truth())
	least, most := soccer.Vec{X: 9, Y: 9}, soccer.Vec{X: -9, Y: -9}
	for seed := range uint64(300) {
		if err := g.Reset(seed, start); err != nil {
			t.Fatal(err)
		}
		truthOf(g, truth)
		if truth[6+21+1] != 0.74 || math.Abs(float64(truth[6+1])+0.6) > 0.1001 {
			t.Fatalf("seed %d: yellow 0 at x = %g, blue 0 at %g", seed, truth[6+21+1], truth[6+1])
		}
		x, y := float64(truth[0]), float64(truth[1])
		least, most = soccer.Vec{X: min(least.X, x), Y: min(least.Y, y)}, soccer.Vec{X: max(most.X, x), Y: max(most.Y, y)}
	}
	for _, v := range [][2]float64{{least.X, 0.2}, {most.X, 0.65}, {least.Y, -0.3}, {most.Y, 0.3}} {
		if math.Abs(v[0]-v[1]) > 0.02 {
			t.Errorf("the ball starts from %v to %v: want x from 0.2 to 0.65 and y from -0.3 to 0.3", least, most)
			break
		}
	}
}

func TestParseConfig(t *testing.T) {
	cfg, err := learn.ParseConfig([]byte(`{"games":2,"weights":{"goal":5},"start":{"blue":[{"id":0,"x":-0.5}]},
		"randomize":{"mass":[0.9,1.1]}}`))
	if err != nil || cfg.Games != 2 || cfg.Weights.Goal != 5 || cfg.Weights.Energy != 2e-4 || cfg.Start.Blue[0].Pose.X != -0.5 ||
		cfg.Randomize.Mass[1] != 1.1 || cfg.Robots != 3 {
		t.Errorf("got %+v, %v", cfg, err)
	}
	for text, want := range map[string]string{
		`[]`:                               "not a JSON object",
		`{"game":1}`:                       `unknown key "game"`,
		`{"games":0}`:                      "games 0: want 1 to",
		`{"games":1e9}`:                    "whole number",
		`{"ticks":0}`:                      "ticks 0: want 1 to 1000",
		`{"robots":4}`:                     "want 3 or 5",
		`{"agents":4}`:                     "want 1 to 3",
		`{"sides":3}`:                      "both",
		`{"physics":"moon"}`:               "firasim or rsim",
		`{"mates":"me"}`:                   "want one of",
		`{"opponents":"you"}`:              "want one of",
		`{"weights":{"gaol":1}}`:           `unknown key "gaol"`,
		`{"weights":{"goal":1e99}}`:        "weights: goal",
		`{"randomize":{"mass":[1.1,0.9]}}`: "the smaller one first",
		`{"randomize":{"mass":[0,1]}}`:     "from 0.1 to 10",
		`{"randomize":{"vanish":[0,2]}}`:   "from 0 to 1",
		`{"start":{"blue":[{"id":9}]}}`:    "start positions, line 1",
		`{"start":"home"}`:                 "start positions",
		`{"jitter":{"blue":-1}}`:           "jitter -1",
		`{"nextStep":true}`:                "nextStep without autoreset",
		`{"maxWheel":-1}`:                  "maxWheel",
		`{"limit":-1}`:                     "limit",
	} {
		if _, err := learn.ParseConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// FuzzParseConfig checks that whatever ParseConfig accepts can be played.
func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(`{"robots":5,"start":{"blue":[{"id":0,"x":-0.5}]},"jitter":{"ball":0.5,"yellow":0.2},"randomize":{"latency":[0,1]}}`))
	f.Add([]byte(`{"sides":2,"agents":3,"ticks":2,"mates":"builtin","opponents":"random","start":"random","maxWheel":1000}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		cfg, err := learn.ParseConfig(b)
		if err != nil {
			return
		}
		cfg.Ticks = min(cfg.Ticks, 3)
		g := learn.New(&cfg)
		if g.Reset(1, nil) != nil {
			return
		}
		obs := make([]float32, cfg.Observation())
		for range 5 {
			g.Step(make([]float32, cfg.Actions()))
			observe(g, 1, obs)
			for i, v := range obs {
				if v-v != 0 {
					t.Fatalf("number %d of the observation is %g", i, v)
				}
			}
		}
	})
}

func TestStepAllocatesNothing(t *testing.T) {
	g, cfg := open(t, 1, func(c *learn.Config) { everything(c); c.Limit = 0 })
	actions, obs := make([]float32, cfg.Actions()), make([]byte, 4*cfg.Observation())
	step := func() {
		g.Step(actions)
		g.Observe(0, obs)
	}
	for range 500 {
		step()
	}
	if n := testing.AllocsPerRun(200, step); n > 0.5 {
		t.Errorf("%g allocations a step", n)
	}
}

// BenchmarkStep measures a step of a tick with random actions, its observation and truth, and "bare" the same engine
// with the same wheels alone.
func BenchmarkStep(b *testing.B) {
	all := func(c *learn.Config) { c.Agents, c.Sides = 3, 2 }
	b.Run("game", func(b *testing.B) {
		g, cfg := open(b, 1, all)
		random := rand.New(rand.NewPCG(1, 1))
		actions := make([]float32, cfg.Actions())
		obs, truth := make([]byte, 4*cfg.Observation()), make([]byte, 4*cfg.Truth())
		n := 0
		b.ReportAllocs()
		for b.Loop() {
			if n++; n%50 == 1 {
				for i := range actions {
					actions[i] = random.Float32()*2 - 1
				}
			}
			g.Step(actions)
			g.Observe(0, obs)
			g.Observe(1, obs)
			g.Truth(truth)
			if g.Done() {
				_ = g.Next()
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		e := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
		random := rand.New(rand.NewPCG(1, 1))
		for i := range 6 {
			_ = e.AddRobot(uint8(i), soccer.Pose{X: float64(i)*0.2 - 0.5, Y: 0.2})
		}
		n := 0
		for b.Loop() {
			if n++; n%50 == 1 {
				for i := range 6 {
					_ = e.Drive(uint8(i), soccer.Wheels{Left: random.Float64()*120 - 60, Right: random.Float64()*120 - 60})
				}
			}
			e.Step(sim.Tick)
		}
	})
}
