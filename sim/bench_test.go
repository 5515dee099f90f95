package sim_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

// play is a match of robots with random wheel speeds, uniform in [-60, 60] rad/s, drawn again for each robot every 300
// ticks.
type play struct {
	e      *sim.Engine
	r      *rand.Rand
	robots int
	tick   int
}

func newPlay(t testing.TB, field soccer.Field, p sim.Physics, seed uint64) *play {
	t.Helper()
	a := &play{e: sim.New(sim.VSS(field, p)), r: rand.New(rand.NewPCG(seed, 1)), robots: 6}
	if field == soccer.VSS5v5() {
		a.robots = 10
	}
	for i := range a.robots {
		x := float64((float64(i%5)-2)*0.3) + 0.05 // float64 keeps sums the same on every processor
		must(t, a.e.AddRobot(uint8(i), soccer.Pose{X: x, Y: float64(float64(i/5)*0.4) - 0.2, Theta: a.r.Float64() * 6}))
	}
	return a
}

func (a *play) step(t testing.TB) {
	for i := range a.robots {
		if (a.tick+i*300/a.robots)%300 == 0 {
			must(t, a.e.Drive(uint8(i), soccer.Wheels{Left: a.speed(), Right: a.speed()}))
		}
	}
	a.tick++
	a.e.Step(sim.Tick)
}

// speed returns a random wheel speed in rad/s.
func (a *play) speed() float64 { return float64(a.r.Float64()*120) - 60 }

// warm simulates 10 s.
func (a *play) warm(t testing.TB) *play {
	for range 10 * time.Second / sim.Tick {
		a.step(t)
	}
	return a
}

// benchmarkVSS also reports the contacts a sub-step. About a seventh of the robots are at rest at any time; the engine
// skips them, but their contacts count.
func benchmarkVSS(b *testing.B, field soccer.Field) {
	a := newPlay(b, field, sim.FIRASim(), 1).warm(b)
	contacts, ticks := 0, 0
	b.ReportAllocs()
	start := time.Now()
	for b.Loop() {
		a.step(b)
		contacts += a.e.Contacts()
		ticks++
	}
	b.ReportMetric(float64(ticks)/time.Since(start).Seconds(), "ticks/s")
	b.ReportMetric(float64(contacts)/float64(5*ticks), "contacts/substep")
}

func BenchmarkVSS3v3(b *testing.B) { benchmarkVSS(b, soccer.VSS3v3()) }

// BenchmarkVSSFree is six robots that nothing touches, each on a circle of its own.
func BenchmarkVSSFree(b *testing.B) {
	e := sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
	for i := range 6 {
		must(b, e.AddRobot(uint8(i), soccer.Pose{X: float64(i%3)*0.4 - 0.4, Y: float64(i/3)*0.5 - 0.25}))
		must(b, e.Drive(uint8(i), soccer.Wheels{Left: -5 - float64(i), Right: 8 + float64(i)}))
	}
	must(b, e.PlaceBall(soccer.Vec3{X: 0.6, Y: 0.5}))
	e.Step(100 * sim.Tick)
	b.ReportAllocs()
	start, ticks := time.Now(), 0
	for b.Loop() {
		e.Step(sim.Tick)
		ticks++
	}
	b.ReportMetric(float64(ticks)/time.Since(start).Seconds(), "ticks/s")
}

func BenchmarkVSS5v5(b *testing.B) { benchmarkVSS(b, soccer.VSS5v5()) }

// BenchmarkVSS3v3Parallel simulates one independent match on each processor.
func BenchmarkVSS3v3Parallel(b *testing.B) {
	worlds := make(chan *play, runtime.GOMAXPROCS(0))
	for i := range cap(worlds) {
		worlds <- newPlay(b, soccer.VSS3v3(), sim.FIRASim(), uint64(i+1)).warm(b)
	}
	b.ReportAllocs()
	start := time.Now()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		a := <-worlds
		for pb.Next() {
			a.step(b)
		}
	})
	b.ReportMetric(float64(b.N)/time.Since(start).Seconds(), "ticks/s")
}
