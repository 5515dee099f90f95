package world_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world"
)

// arrival is a package that was captured and arrives at times since the start of a second.
type arrival struct {
	captured, at time.Duration
	from         soccer.Sender
	p            soccer.Percepts
}

// play returns the packages that arrive in any second, in order of arrival, of robots that stand all over the field and
// send 25 pictures a second. Each sees the ball and 12 opponents, and its teammates near it if mates is true. Delays vary
// by jitter.
func play(robots int, mates bool, jitter time.Duration) (list []arrival) {
	rng := rand.New(rand.NewPCG(7, 7))
	random := func(half float64) float64 { return half * (2*rng.Float64() - 1) }
	look := func(v soccer.Vec) soccer.Observation { return seen(v.X+random(0.15), v.Y+random(0.15), 0.8) }
	var opponents [12]soccer.Vec
	for i := range opponents {
		opponents[i] = soccer.Vec{X: -7.5 + 5*float64(i%4), Y: 4 * float64(i/4-1)}
	}
	places := make([]soccer.Vec, robots)
	for i := range places {
		places[i] = soccer.Vec{X: random(9), Y: random(6)}
	}
	for picture := range 25 {
		for i, self := range places {
			captured := time.Duration(picture)*40*time.Millisecond + time.Duration(i)*40*time.Millisecond/time.Duration(robots)
			p := soccer.Percepts{Self: at(self.X, self.Y), Balls: []soccer.Observation{look(soccer.Vec{X: 2, Y: 1})}}
			for _, o := range opponents {
				p.Obstacles = append(p.Obstacles, look(o))
			}
			for k := 0; mates && k < robots && len(p.Obstacles) < 16; k++ {
				if ray := places[k].Sub(self); k != i && ray.Len() < 3 {
					p.Obstacles = append(p.Obstacles, look(places[k]))
				}
			}
			delay := 60*time.Millisecond + time.Duration(float64(jitter)*rng.Float64())
			if captured+delay >= time.Second {
				captured -= time.Second
			}
			list = append(list, arrival{captured, captured + delay, sender(uint8(2 + i)), p})
		}
	}
	slices.SortStableFunc(list, func(a, b arrival) int { return int(a.at - b.at) })
	return list
}

// BenchmarkPackage fuses the packages of 5 to 50 robots and fills one World for each picture of all. It reports the cost
// of one package.
func BenchmarkPackage(b *testing.B) {
	const jitter = 35 * time.Millisecond
	b.Run("order", func(b *testing.B) { benchmarkPackage(b, false, 0) })
	b.Run("jitter", func(b *testing.B) { benchmarkPackage(b, false, jitter) })
	b.Run("mates", func(b *testing.B) { benchmarkPackage(b, true, 0) })
	b.Run("matesjitter", func(b *testing.B) { benchmarkPackage(b, true, jitter) })
}

func benchmarkPackage(b *testing.B, mates bool, jitter time.Duration) {
	for _, robots := range []int{5, 10, 20, 50} {
		b.Run(fmt.Sprintf("robots=%d", robots), func(b *testing.B) {
			m := world.New(world.DefaultConfig(1, soccer.Cyan))
			var w soccer.World
			packages := play(robots, mates, jitter)
			start := soccer.Epoch
			fuse := func() {
				start = start.Add(time.Second)
				second(m, packages, start, &w)
			}
			fuse()
			b.ReportAllocs()
			for b.Loop() {
				fuse()
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N*len(packages)), "ns/package")
			if len(w.Peers) != robots || !w.Ball.Known {
				b.Fatalf("got %d peers and ball known %t, want %d and true", len(w.Peers), w.Ball.Known, robots)
			}
		})
	}
}

// second passes m the packages of play for a second and asks 25 times for the World.
func second(m *world.Model, packages []arrival, start soccer.Time, w *soccer.World) {
	for i := range packages {
		a := &packages[i]
		m.Receive(&world.Message{From: a.from, Arrival: start.Add(a.at), HasStamp: true,
			Stamp: uint32(start.Add(a.captured).Sub(soccer.Epoch) / time.Millisecond), Percepts: &a.p})
		if i%(len(packages)/25) == 0 {
			m.World(start.Add(a.at), w)
		}
	}
}

func TestFusionAllocatesNothing(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	var w soccer.World
	packages := play(20, true, 35*time.Millisecond)
	start := soccer.Epoch
	fuse := func() {
		start = start.Add(time.Second)
		second(m, packages, start, &w)
	}
	fuse()
	if n := testing.AllocsPerRun(10, fuse); n != 0 {
		t.Errorf("%v allocations a second, want none", n)
	}
	if len(w.Peers) != 20 || !w.Ball.Known {
		t.Errorf("got %d peers and ball known %t, want 20 and true", len(w.Peers), w.Ball.Known)
	}
}

// view is a picture of a robot: captured and known at times since the start of a game.
type view struct {
	robot     uint8
	at, known time.Duration
	soccer.Percepts
}

// game returns four seconds of a game as robot 1 of five learns what they see, each in 25 pictures a second: the ball,
// which is kicked back and forth every two seconds, and the robots within 8 m. Its own pictures are 60 ms old, the others 65
// to 125 ms.
func game() (pictures [4 * 25 * 5]view) {
	rng := rand.New(rand.NewPCG(8, 8))
	robot := func(i int, t float64) soccer.Vec {
		sin, cos := math.Sincos(math.Pi/2*t*float64(1+i%3) + float64(i))
		return soccer.Vec{X: float64(i-5) + cos/2, Y: 3*math.Sin(float64(2*i)) + sin/2}
	}
	for i := range pictures {
		q := &pictures[i]
		q.robot, q.at = uint8(1+i%5), time.Duration(i)*8*time.Millisecond
		if q.known = q.at + 60*time.Millisecond; q.robot != 1 {
			q.known += time.Duration(5+rng.IntN(60)) * time.Millisecond
		}
		t := q.at.Seconds()
		self := robot(int(q.robot), t)
		look := func(v soccer.Vec) soccer.Observation {
			sigma := 0.02 + 0.03*v.Sub(self).Len()
			o := seen(v.X+sigma*rng.NormFloat64(), v.Y+sigma*rng.NormFloat64(), 0.8)
			o.Cov = soccer.Cov{XX: sigma * sigma, YY: sigma * sigma}
			return o
		}
		rolls := math.Mod(t, 2) * (2.5 - math.Mod(t, 2)/4)
		if t >= 2 {
			rolls = 4 - rolls
		}
		q.Self = at(self.X, self.Y)
		q.Self.Cov = soccer.PoseCov{0: 0.001, 3: 0.001, 5: 0.001}
		q.Balls = append(q.Balls, look(soccer.Vec{X: -2 + rolls, Y: rolls / 2}))
		for k := 1; k <= 10; k++ {
			if v := robot(k, t); k != int(q.robot) && v.Sub(self).Len() < 8 {
				q.Obstacles = append(q.Obstacles, look(v))
			}
		}
	}
	slices.SortFunc(pictures[:], func(a, b view) int { return int(a.known - b.known) })
	return pictures
}

// BenchmarkGame is a second of a game as one of five robots fuses it: own pictures, raw ones of its teammates, and 50 times
// the World.
func BenchmarkGame(b *testing.B) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	pictures := game()
	var w soccer.World
	start, i := soccer.Epoch, 0
	step := func() {
		for range 25 * 5 {
			q := &pictures[i]
			q.Time = start.Add(q.at)
			now := start.Add(q.known)
			if q.robot == 1 {
				m.Observe(&q.Percepts)
			} else {
				m.Measure(soccer.Sender{Robot: q.robot, Color: soccer.Cyan}, now, &q.Percepts)
			}
			if i*2/5 != (i+1)*2/5 {
				m.World(now, &w)
			}
			if i++; i == len(pictures) {
				start, i = start.Add(4*time.Second), 0
			}
		}
	}
	for range 4 {
		step()
	}
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
	if len(w.Peers) != 4 || !w.Ball.Known || len(w.Obstacles) == 0 {
		b.Fatalf("got %d peers, %d obstacles and ball known %t, want 4, some and true", len(w.Peers), len(w.Obstacles), w.Ball.Known)
	}
}
