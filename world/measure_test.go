package world_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// robot returns the sender of raw pictures: it has no address.
func robot(number uint8) soccer.Sender { return soccer.Sender{Robot: number} }

// measured returns the picture of a robot at self that sees a ball, each coordinate with an error of sigma.
func measured(captured soccer.Time, self soccer.Localisation, x, y, sigma float64) *soccer.Percepts {
	p := oneBall(self, x, y)
	p.Time = captured
	p.Balls[0].Cov = soccer.Cov{XX: sigma * sigma, YY: sigma * sigma}
	return &p
}

// Each picture counts once, whether it arrives raw, in a package, or both, in whatever order.
func TestPicturesCountOnce(t *testing.T) {
	now := soccer.Epoch.Add(10 * time.Second)
	raw, both := world.New(world.DefaultConfig(1, soccer.Cyan)), world.New(world.DefaultConfig(1, soccer.Cyan))
	v1 := sender(3)
	v1.Color = soccer.NoColor
	const pictures = 50
	for i := range pictures {
		for number := uint8(2); number <= 3; number++ {
			captured := now.Add(time.Duration(number) * 5 * time.Millisecond)
			p := measured(captured, at(0, 0), 2+0.01*float64(i), 1, 0.1)
			arrival := captured.Add(65 * time.Millisecond)
			raw.Measure(robot(number), arrival, p)
			both.Measure(robot(number), arrival, p)
			if number == 2 {
				receive(both, sender(2), captured, 70*time.Millisecond, *p)
			} else {
				both.Receive(&world.Message{From: v1, Arrival: arrival, Percepts: p})
			}
			both.Measure(robot(number), arrival.Add(10*time.Millisecond), p) // a copy
		}
		now += 40 * ms
	}
	one, two := belief(raw, now), belief(both, now)
	if !one.Ball.Known || !reflect.DeepEqual(one.Ball, two.Ball) {
		t.Errorf("with packages the ball is %+v, without %+v", two.Ball, one.Ball)
	}
	if len(two.Peers) != 2 {
		t.Errorf("got peers %+v, want 2 and 3, each once", two.Peers)
	}
	if c := both.Counts(); c.Measured != 2*pictures || c.Duplicate != 2*pictures {
		t.Errorf("got counts %+v, want %d packages and as many copies", c, 2*pictures)
	}
}

// Packages count again when raw pictures stop, and none of theirs counts twice when raw pictures begin or go on.
func TestPackagesTakeOver(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(10 * time.Second)
	phase := func(pictures int, raw, packages bool) world.Counts {
		before := m.Counts()
		for range pictures {
			p := measured(now, at(0, 0), 2, 1, 0.1)
			if packages {
				receive(m, sender(2), now, 60*time.Millisecond, *p)
			}
			if raw {
				m.Measure(robot(2), now.Add(62*time.Millisecond), p)
			}
			now += 40 * ms
		}
		after := m.Counts()
		return world.Counts{Measured: after.Measured - before.Measured, Duplicate: after.Duplicate - before.Duplicate}
	}
	if c := phase(10, false, true); c != (world.Counts{}) {
		t.Errorf("packages alone: %+v, want that each counts", c)
	}
	if c := phase(10, true, true); c != (world.Counts{Measured: 9, Duplicate: 1}) {
		t.Errorf("raw pictures begin: %+v, want that one comes late and nine take the place of packages", c)
	}
	if c := phase(20, false, true); c.Measured < 5 || c.Measured > 10 {
		t.Errorf("raw pictures end: %d packages were not fused, want those of 0.3 s", c.Measured)
	}
	if b := belief(m, now).Ball; !b.SeenBy.Has(2) || now.Sub(b.LastSeen) > 50*time.Millisecond {
		t.Errorf("without raw pictures the ball was last seen %v ago", now.Sub(b.LastSeen))
	}
	if w := belief(m, now); len(w.Peers) != 1 || w.Peers[0].Sender != sender(2) {
		t.Errorf("got peers %+v, want one", w.Peers)
	}
}

// The ball is where exact robots see it, and as exact as they say.
func TestCovariancesOfSenders(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch
	exact, vague := at(0, 0), at(4, 2)
	exact.Cov = soccer.PoseCov{0: 1e-4, 3: 1e-4, 5: 1e-5}
	vague.Cov = soccer.PoseCov{0: 0.25, 3: 0.25, 5: 0.01}
	for range 40 {
		m.Measure(robot(2), now.Add(70*time.Millisecond), measured(now, exact, 2, 1, 0.05))
		m.Measure(robot(3), now.Add(70*time.Millisecond), measured(now, vague, 2.4, 1, 0.5))
		now += 40 * ms
	}
	b := belief(m, now).Ball
	if distance(b, 2, 1) > 0.03 {
		t.Errorf("the ball is at %+v, want it where the exact robot sees it", b.Position)
	}
	if sigma := math.Sqrt(b.Cov.XX); sigma < 0.03 || sigma > 0.06 {
		t.Errorf("the ball is known to %.3f m, want about the 5 cm of one picture", sigma)
	}
}

// Covariances that are none are counted. Sights with them count with the assumed errors, unless they are huge.
func TestAbsurdCovariances(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []soccer.Cov{{XX: -1, YY: 1}, {XX: 1, YY: 0}, {XX: nan, YY: 1}, {XX: 0.1, XY: 0.2, YY: 0.1},
		{XX: 0.1, XY: nan, YY: 0.1}, {XX: 0.1, XY: 0.1, YY: 0.1}} {
		m, plain := world.New(world.DefaultConfig(1, soccer.Cyan)), world.New(world.DefaultConfig(1, soccer.Cyan))
		p := measured(soccer.Epoch, at(0, 0), 2, 1, 0)
		plain.Measure(robot(2), soccer.Epoch, p)
		p.Balls[0].Cov = c
		m.Measure(robot(2), soccer.Epoch, p)
		if m.Counts().Absurd != 1 || !reflect.DeepEqual(belief(m, soccer.Epoch), belief(plain, soccer.Epoch)) {
			t.Errorf("%+v: got counts %+v, want one", c, m.Counts())
		}
	}
	for _, c := range []soccer.Cov{{XX: 100, YY: 1}, {XX: 1, YY: inf}} {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		for i := range soccer.Time(10) {
			p := measured(soccer.Epoch+i*40*ms, at(0, 0), 2, 1, 0)
			p.Balls[0].Cov = c
			m.Measure(robot(2), p.Time, p)
		}
		if m.Counts().Absurd != 10 || belief(m, soccer.Epoch+400*ms).Ball.Known {
			t.Errorf("%+v: got counts %+v and a ball, want 10 and none", c, m.Counts())
		}
	}
	for _, c := range []soccer.PoseCov{{0: -1, 3: 1, 5: 1}, {0: 0.01, 3: 0.01}, {nan, 0, 0, 1, 0, 1}, {1, 2, 0, 1, 0, 0.5},
		{1, 0, 0.9, 1, 0.9, 0.5}} {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		p := measured(soccer.Epoch, at(1, 0), 2, 1, 0)
		p.Self.Cov = c
		m.Measure(robot(2), p.Time, p)
		if w := belief(m, p.Time); m.Counts().Absurd != 1 || w.Peers[0].Self != at(1, 0) {
			t.Errorf("%v: got counts %+v and pose %+v", c, m.Counts(), w.Peers[0].Self)
		}
	}
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	p := measured(soccer.Epoch, at(1, 0), 2, 1, 0)
	p.Self.Cov = soccer.PoseCov{0: 1e6, 3: 1e6, 5: 1}
	m.Measure(robot(2), p.Time, p)
	if c := m.Counts(); c.Absurd != 1 || c.Unplaced != 1 {
		t.Errorf("a robot that does not know its pose: got counts %+v", c)
	}
}

// Pictures from the future, from long ago and of robots with a number that cannot be theirs are counted, not fused.
func TestUnusableRawPictures(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Minute)
	away := robot(2)
	away.Color = soccer.Magenta
	for range 10 {
		m.Measure(robot(2), now, measured(now.Add(time.Millisecond), at(0, 0), 2, 1, 0.1))
		m.Measure(robot(2), now, measured(now.Add(-1100*time.Millisecond), at(0, 0), 2, 1, 0.1))
		m.Measure(robot(2), now, measured(math.MinInt64, at(0, 0), 2, 1, 0.1))
		m.Measure(robot(2), now, measured(math.MaxInt64, at(0, 0), 2, 1, 0.1))
		m.Measure(robot(1), now, measured(now, at(0, 0), 2, 1, 0.1))
		m.Measure(robot(0), now, measured(now, at(0, 0), 2, 1, 0.1))
		m.Measure(away, now, measured(now, at(0, 0), 2, 1, 0.1))
		now += 40 * ms
	}
	if c := m.Counts(); c != (world.Counts{Stale: 40, SameNumber: 20, OtherSide: 10}) {
		t.Errorf("got counts %+v", c)
	}
	if w := belief(m, now); w.Ball.Known || len(w.Peers) != 1 {
		t.Errorf("got %+v, want no ball and robot 2 as the only peer", w)
	}
}

// Fifty robots that send raw pictures are fifty peers, and cost no memory.
func TestFiftyRawSenders(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch
	pictures := make([]*soccer.Percepts, 60)
	for i := range pictures {
		pictures[i] = measured(now, at(0, 0), 2, 1, 0.1)
	}
	var w soccer.World
	round := func() {
		for i, p := range pictures[2:52] {
			p.Time = now
			m.Measure(robot(uint8(i+2)), now, p)
		}
		m.World(now, &w)
		now += 40 * ms
	}
	for range 10 {
		round()
	}
	if len(w.Peers) != 50 || distance(w.Ball, 2, 1) > 0.01 {
		t.Errorf("%d peers and the ball at %+v, want 50 and (2, 1)", len(w.Peers), w.Ball.Position)
	}
	if n := testing.AllocsPerRun(20, round); n > 0 {
		t.Errorf("%v allocations a round", n)
	}
}

// A robot known by its raw pictures stays one peer when they end and only its packages go on.
func TestPackagesOfAMeasuredRobot(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(10 * time.Second)
	for i := range 40 {
		p := measured(now, at(0, 0), 2, 1, 0.1)
		if i < 10 {
			m.Measure(robot(2), now.Add(60*time.Millisecond), p)
		}
		receive(m, sender(2), now, 65*time.Millisecond, *p)
		now += 40 * ms
	}
	if w := belief(m, now); len(w.Peers) != 1 || w.Peers[0].Sender != sender(2) || !w.Ball.Known {
		t.Errorf("got peers %+v and ball %+v, want one peer and a ball", w.Peers, w.Ball)
	}
}

// Obstacles that only a robot on a slow link sees are believed, where they are by now.
func TestObstaclesOfLateRobot(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch
	const late = 450 * time.Millisecond
	for range 50 {
		captured := now.Add(-late)
		x := captured.Sub(soccer.Epoch).Seconds() // walks with 1 m/s
		p := &soccer.Percepts{Time: captured, Self: at(0, 0), Obstacles: []soccer.Observation{seen(x, 2, 0.8), seen(-2, 2, 0.8)}}
		m.Measure(robot(2), now, p)
		now += 40 * ms
	}
	w := belief(m, now)
	if len(w.Obstacles) != 2 {
		t.Fatalf("got obstacles %+v, want two", w.Obstacles)
	}
	if x := w.Obstacles[0].Position.X; math.Abs(x-now.Sub(soccer.Epoch).Seconds()) > 0.1 {
		t.Errorf("the obstacle that walks is at x = %.2f m, want where it is by now: %.2f m", x, now.Sub(soccer.Epoch).Seconds())
	}
	if w = belief(m, now.Add(time.Second)); len(w.Obstacles) > 0 {
		t.Errorf("a second later, without a picture: got obstacles %+v", w.Obstacles)
	}
}

// A robot whose sights err more than it says loses weight: the ball stays where the exact ones see it.
func TestErrorsOfCamerasAreLearnt(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch
	rng := rand.New(rand.NewPCG(1, 2))
	const told = 0.1 // m
	sum, n := 0.0, 0.0
	for i := range 500 {
		for number := uint8(2); number <= 4; number++ {
			sigma := told
			if number == 4 {
				sigma = 5 * told
			}
			x, y := 2+sigma*rng.NormFloat64(), 1+sigma*rng.NormFloat64()
			m.Measure(robot(number), now.Add(70*time.Millisecond), measured(now, at(0, 0), x, y, told))
		}
		now += 40 * ms
		if b := belief(m, now).Ball; i >= 100 {
			sum += math.Pow(distance(b, 2, 1), 2)
			n++
		}
	}
	if rmse := math.Sqrt(sum / n); rmse > 0.09 {
		t.Errorf("error of the ball %.3f m, want less than 0.09 m, with two exact robots", rmse)
	}
}
