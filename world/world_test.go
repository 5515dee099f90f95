package world_test

import (
	"math"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

const ms = soccer.Time(time.Millisecond)

func sender(robot uint8) soccer.Sender {
	return soccer.Sender{Addr: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), 4000+uint16(robot)), Robot: robot}
}

func at(x, y float64) soccer.Localisation {
	return soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: x, Y: y}, Confidence: 0.9}
}

func seen(x, y, confidence float64) soccer.Observation {
	return soccer.Observation{Position: soccer.Vec3{X: x, Y: y, Z: soccer.BallRadius}, Confidence: confidence}
}

// oneBall returns the percepts of a robot at self that sees a ball.
func oneBall(self soccer.Localisation, x, y float64) soccer.Percepts {
	return soccer.Percepts{Self: self, Balls: []soccer.Observation{seen(x, y, 0.8)}}
}

// receive passes m a package that is stamped with its capture time and arrives after delay.
func receive(m *world.Model, from soccer.Sender, captured soccer.Time, delay time.Duration, p soccer.Percepts) {
	m.Receive(&world.Message{
		From: from, Arrival: captured.Add(delay), HasStamp: true,
		Stamp: uint32(captured.Sub(soccer.Epoch) / time.Millisecond), Percepts: &p,
	})
}

func belief(m *world.Model, now soccer.Time) soccer.World {
	var w soccer.World
	m.World(now, &w)
	return w
}

func TestBallNeedsConfirmation(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 2 {
		if w := belief(m, now); w.Ball.Known {
			t.Fatalf("a ball is known after %d hits, want 2", i)
		}
		m.Observe(&soccer.Percepts{Time: now, Self: at(0, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)}})
		now += 40 * ms
	}
	b := belief(m, now).Ball
	if !b.Known || math.Hypot(b.Position.X-2, b.Position.Y-1) > 0.01 {
		t.Fatalf("after 2 hits: got ball %+v, want it at (2, 1)", b)
	}
	if !b.SeenBy.Has(1) || b.SeenBy.Has(2) {
		t.Errorf("got SeenBy %b, want only robot 1", b.SeenBy)
	}
	if later := now.Add(1500 * time.Millisecond); belief(m, later).Ball.Known {
		t.Error("a ball is still known 1.5 s after its last sighting, want a timeout of 1 s")
	}
}

func TestOneFalseBallDoesNotMoveTheBall(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch
	for range 10 {
		m.Observe(&soccer.Percepts{Time: now, Self: at(0, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)}})
		now += 40 * ms
	}
	m.Observe(&soccer.Percepts{Time: now, Self: at(0, 0), Balls: []soccer.Observation{seen(-4, 3, 1)}})
	if b := belief(m, now).Ball; math.Hypot(b.Position.X-2, b.Position.Y-1) > 0.05 {
		t.Errorf("one false ball moved the ball to %+v, want it near (2, 1)", b.Position)
	}
}

func TestUnknownConfidence(t *testing.T) {
	now := soccer.Epoch.Add(time.Second)
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	for range 20 {
		p := soccer.Percepts{
			Self: at(0, 0), Balls: []soccer.Observation{seen(2, 1, 0)}, Obstacles: []soccer.Observation{seen(3, 3, 0)},
		}
		receive(m, sender(2), now, 60*time.Millisecond, p)
		now += 40 * ms
	}
	if w := belief(m, now); w.Ball.Known || len(w.Obstacles) > 0 {
		t.Fatal("observations of unknown confidence started a track")
	}
	move := func(confidence float64) float64 {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		now := soccer.Epoch
		for range 5 {
			m.Observe(&soccer.Percepts{Time: now, Self: at(0, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)}})
			now += 40 * ms
		}
		m.Observe(&soccer.Percepts{Time: now, Self: at(0, 0), Balls: []soccer.Observation{seen(2.2, 1, confidence)}})
		return belief(m, now).Ball.Position.X - 2
	}
	sure, unknown := move(0.8), move(0)
	if !(unknown > 0 && unknown < sure/2) {
		t.Errorf("unknown confidence moves the ball %.3f m, known %.3f m: want less than half, not 0", unknown, sure)
	}
}

// A ball rolls at 4 m/s and its packages are 60 to 160 ms old on arrival: the believed position is the present one.
func TestMeasurementsCountAtTheirCaptureTime(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	cfg := world.DefaultConfig(1, soccer.Cyan)
	position := func(at soccer.Time) float64 { // with the model's own friction
		dt := at.Sub(soccer.Epoch).Seconds()
		return -8 + 4*dt - cfg.BallDeceleration/2*dt*dt
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var arrivals []func()
	var times []soccer.Time
	for i := range 60 {
		captured := soccer.Epoch.Add(time.Duration(i) * 33 * time.Millisecond)
		delay := 60*time.Millisecond + time.Duration(rng.IntN(100))*time.Millisecond
		if i%10 == 0 {
			delay = 60 * time.Millisecond
		}
		p := soccer.Percepts{Self: at(0, -2), Balls: []soccer.Observation{seen(position(captured), 0, 0.9)}}
		arrivals = append(arrivals, func() { receive(m, sender(2), captured, delay, p) })
		times = append(times, captured.Add(delay))
	}
	for { // in order of arrival, which is not the order of capture
		next := -1
		for i := range arrivals {
			if arrivals[i] != nil && (next < 0 || times[i] < times[next]) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		arrivals[next]()
		arrivals[next] = nil
	}
	now := soccer.Epoch.Add(2060 * time.Millisecond)
	if b := belief(m, now).Ball; math.Abs(b.Position.X-position(now)) > 0.05 {
		t.Errorf("got ball at x = %.3f, want %.3f", b.Position.X, position(now))
	}
}

func TestTeammatesAreNoObstacles(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	picture := soccer.Percepts{Self: at(0, 0), Obstacles: []soccer.Observation{seen(4, 1, 0.8), seen(-2, 2, 0.8)}}
	for range 10 { // robot 2 stands at (4, 1) and is seen before its first package
		picture.Time = now
		m.Observe(&picture)
		now += 40 * ms
	}
	if w := belief(m, now); len(w.Obstacles) != 2 {
		t.Fatalf("%d obstacles before the first package of robot 2, want 2", len(w.Obstacles))
	}
	receive(m, sender(2), now, 0, soccer.Percepts{Self: at(4.1, 1.1), Obstacles: []soccer.Observation{seen(0.1, 0, 0.8)}})
	w := belief(m, now)
	if len(w.Obstacles) != 1 || math.Hypot(w.Obstacles[0].Position.X+2, w.Obstacles[0].Position.Y-2) > 0.1 {
		t.Errorf("got obstacles %+v, want only the one at (-2, 2): neither robot 2 nor robot 1 itself", w.Obstacles)
	}
	for range 100 { // robot 2 is switched off: its body becomes an obstacle
		picture.Time = now
		m.Observe(&picture)
		now += 40 * ms
	}
	if w := belief(m, now); len(w.Obstacles) != 2 || len(w.Peers) != 0 {
		t.Errorf("after 4 s of silence: %d obstacles and %d peers, want 2 and 0", len(w.Obstacles), len(w.Peers))
	}
}

// scene passes m packages of five robots that see a ball and 12 obstacles with noise, and returns the time after them.
func scene(m *world.Model, packages int) soccer.Time {
	rng := rand.New(rand.NewPCG(7, 7))
	now := soccer.Epoch.Add(time.Second)
	p := soccer.Percepts{}
	for i := range packages {
		p.Self = at(-6+3*float64(i%5), -4.5)
		p.Balls, p.Obstacles = p.Balls[:0], p.Obstacles[:0]
		p.Balls = append(p.Balls, seen(2+0.1*rng.NormFloat64(), 1+0.1*rng.NormFloat64(), 0.8))
		for k := range 12 {
			p.Obstacles = append(p.Obstacles, seen(-8+1.4*float64(k)+0.1*rng.NormFloat64(), 3+0.1*rng.NormFloat64(), 0.8))
		}
		receive(m, sender(uint8(2+i%5)), now, 60*time.Millisecond, p)
		now += 8 * ms
	}
	return now
}

// A teammate seen from afar appears further from its reported position than the fixed radius.
func TestTeammateSeenFromAfar(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for range 20 {
		receive(m, sender(2), now, 60*time.Millisecond, soccer.Percepts{Self: at(4, 0)})
		m.Observe(&soccer.Percepts{Time: now, Self: at(-5, 0), Obstacles: []soccer.Observation{seen(4.8, 0.1, 0.6)}})
		now += 40 * ms
	}
	if w := belief(m, now); len(w.Obstacles) != 0 {
		t.Errorf("robot 2, seen from 10 m with an error of 0.8 m, became obstacles %+v", w.Obstacles)
	}
}

func TestSameCallsSameWorld(t *testing.T) {
	var worlds [2]soccer.World
	for i := range worlds {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		now := scene(m, 500)
		worlds[i] = belief(m, now)
	}
	if !reflect.DeepEqual(worlds[0], worlds[1]) {
		t.Error("the same calls gave different worlds")
	}
	if len(worlds[0].Obstacles) != 12 {
		t.Errorf("%d obstacles, want 12", len(worlds[0].Obstacles))
	}
}

// BenchmarkFusedStep fuses five packages and fills one World, with 12 tracks and a ball.
func BenchmarkFusedStep(b *testing.B) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := scene(m, 500)
	var packages [5]soccer.Percepts
	for i := range packages {
		packages[i] = soccer.Percepts{Self: at(-6+3*float64(i), -4.5), Balls: []soccer.Observation{seen(2, 1, 0.8)}}
		for k := range 12 {
			packages[i].Obstacles = append(packages[i].Obstacles, seen(-8+1.4*float64(k), 3, 0.8))
		}
	}
	var w soccer.World
	m.World(now, &w)
	if len(w.Obstacles) != 12 {
		b.Fatalf("%d tracks, want 12", len(w.Obstacles))
	}
	b.ReportAllocs()
	for b.Loop() {
		now += 40 * ms
		for i := range packages {
			m.Receive(&world.Message{
				From: sender(uint8(2 + i)), Arrival: now, HasStamp: true,
				Stamp: uint32(now.Sub(soccer.Epoch) / time.Millisecond), Percepts: &packages[i],
			})
		}
		m.World(now, &w)
	}
	if len(w.Obstacles) != 12 || !w.Ball.Known {
		b.Fatalf("got %d obstacles and ball known %t, want 12 and true", len(w.Obstacles), w.Ball.Known)
	}
}
