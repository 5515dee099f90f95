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

// hear sends one package with a stamp that says captured, arriving after delay.
func hear(m *world.Model, from soccer.Sender, captured soccer.Time, delay time.Duration, p soccer.Percepts) {
	m.Receive(&world.Message{
		From: from, Arrival: captured.Add(delay), HasStamp: true,
		Stamp: uint32(captured.Sub(soccer.Epoch) / time.Millisecond), Percepts: &p,
	})
}

func believed(m *world.Model, now soccer.Time) soccer.World {
	var w soccer.World
	m.World(now, &w)
	return w
}

func TestBallNeedsConfirmation(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for i := range 3 {
		if w := believed(m, now); w.Ball.Known {
			t.Fatalf("a ball exists after %d hits, 3 confirm it", i)
		}
		m.Observe(&soccer.Percepts{Time: now, Self: at(0, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)}})
		now += 40 * ms
	}
	b := believed(m, now).Ball
	if !b.Known || math.Hypot(b.Position.X-2, b.Position.Y-1) > 0.01 {
		t.Fatalf("after 3 hits at (2, 1) the ball is %+v", b)
	}
	if !b.SeenBy.Has(1) || b.SeenBy.Has(2) {
		t.Errorf("robot 1 alone sees it, By = %b", b.SeenBy)
	}
	if later := now.Add(1500 * time.Millisecond); believed(m, later).Ball.Known {
		t.Error("a ball unseen for longer than the timeout of 1 s is still known")
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
	if b := believed(m, now).Ball; math.Hypot(b.Position.X-2, b.Position.Y-1) > 0.05 {
		t.Errorf("one false ball moved the ball to %+v", b.Position)
	}
}

func TestUnknownConfidence(t *testing.T) {
	now := soccer.Epoch.Add(time.Second)
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	for range 20 {
		p := soccer.Percepts{Self: at(0, 0), Balls: []soccer.Observation{seen(2, 1, 0)}, Obstacles: []soccer.Observation{seen(3, 3, 0)}}
		hear(m, sender(2), now, 60*time.Millisecond, p)
		now += 40 * ms
	}
	if w := believed(m, now); w.Ball.Known || len(w.Obstacles) > 0 {
		t.Fatal("candidates of unknown confidence started a track")
	}
	move := func(confidence float64) float64 {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		now := soccer.Epoch
		for range 5 {
			m.Observe(&soccer.Percepts{Time: now, Self: at(0, 0), Balls: []soccer.Observation{seen(2, 1, 0.8)}})
			now += 40 * ms
		}
		m.Observe(&soccer.Percepts{Time: now, Self: at(0, 0), Balls: []soccer.Observation{seen(2.2, 1, confidence)}})
		return believed(m, now).Ball.Position.X - 2
	}
	sure, unknown := move(0.8), move(0)
	if !(unknown > 0 && unknown < sure/2) {
		t.Errorf("a candidate of unknown confidence moved the ball by %.3f m, one of known by %.3f m: want kept, with low weight", unknown, sure)
	}
}

// A ball at 4 m/s whose packets are 60 to 160 ms old on arrival must be where it is now, not where it was.
func TestMeasurementsCountAtTheirCaptureTime(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	cfg := world.DefaultConfig(1, soccer.Cyan)
	position := func(at soccer.Time) float64 { // rolls with the model's own friction
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
		arrivals = append(arrivals, func() { hear(m, sender(2), captured, delay, p) })
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
	if b := believed(m, now).Ball; math.Abs(b.Position.X-position(now)) > 0.05 {
		t.Errorf("ball at x = %.3f, it is at %.3f", b.Position.X, position(now))
	}
}

// Before the part begins every stamp is 0: the contents are as old as a package's least age.
// A package without a time holds what was seen one latency ago, and one that comes twice at once counts once.
// A teammate that sends a thousand packages a second has no more weight than those who look 25 times a second.
// Nor does one that sends old contents again and again.
// What was not seen for long is forgotten, even when nobody asked in between: a new ball must be confirmed again.
// One address that speaks for many robots is one voice about the ball.
// An offset is forgotten after two windows of 10 s, so a clock that drifts, or a way that became longer, is followed.
// Packets that were held up and come in a burst are late, not the news of another clock.
func TestTeammatesAreNoObstacles(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	look := soccer.Percepts{Self: at(0, 0), Obstacles: []soccer.Observation{seen(4, 1, 0.8), seen(-2, 2, 0.8)}}
	for range 10 { // robot 2 stands at (4, 1) and is seen there before it is heard
		look.Time = now
		m.Observe(&look)
		now += 40 * ms
	}
	if w := believed(m, now); len(w.Obstacles) != 2 {
		t.Fatalf("%d obstacles before robot 2 is heard, want 2", len(w.Obstacles))
	}
	hear(m, sender(2), now, 0, soccer.Percepts{Self: at(4.1, 1.1), Obstacles: []soccer.Observation{seen(0.1, 0, 0.8)}})
	w := believed(m, now)
	if len(w.Obstacles) != 1 || math.Hypot(w.Obstacles[0].Position.X+2, w.Obstacles[0].Position.Y-2) > 0.1 {
		t.Errorf("obstacles %+v: want only the one at (-2, 2), neither robot 2 nor robot 1 itself", w.Obstacles)
	}
	for range 100 { // switched off: its body is an obstacle again
		look.Time = now
		m.Observe(&look)
		now += 40 * ms
	}
	if w := believed(m, now); len(w.Obstacles) != 2 || len(w.Peers) != 0 {
		t.Errorf("after 4 s of silence: %d obstacles and %d peers, want 2 and 0", len(w.Obstacles), len(w.Peers))
	}
}

// scene feeds five robots' packages of a ball and 12 obstacles with noise, and returns the last moment.
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
		hear(m, sender(uint8(2+i%5)), now, 60*time.Millisecond, p)
		now += 8 * ms
	}
	return now
}

// A teammate that is seen far away lies beside where it says it stands, by more than the fixed radius.
func TestTeammateSeenFromAfar(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	now := soccer.Epoch.Add(time.Second)
	for range 20 {
		hear(m, sender(2), now, 60*time.Millisecond, soccer.Percepts{Self: at(4, 0)})
		m.Observe(&soccer.Percepts{Time: now, Self: at(-5, 0), Obstacles: []soccer.Observation{seen(4.8, 0.1, 0.6)}})
		now += 40 * ms
	}
	if w := believed(m, now); len(w.Obstacles) != 0 {
		t.Errorf("robot 2, seen 0.8 m off from 10 m away, is taken for %+v", w.Obstacles)
	}
}

func TestSameCallsSameWorld(t *testing.T) {
	var worlds [2]soccer.World
	for i := range worlds {
		m := world.New(world.DefaultConfig(1, soccer.Cyan))
		now := scene(m, 500)
		worlds[i] = believed(m, now)
	}
	if !reflect.DeepEqual(worlds[0], worlds[1]) {
		t.Error("the same calls gave two different worlds")
	}
	if len(worlds[0].Obstacles) != 12 {
		t.Errorf("%d obstacles, want 12", len(worlds[0].Obstacles))
	}
}

// One fused step: five packages in, one World out, 12 tracks and a ball.
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
		b.Fatal("the tracks were lost")
	}
}
