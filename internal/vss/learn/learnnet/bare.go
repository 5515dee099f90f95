package learnnet

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"touchline/sim"
	"touchline/soccer"
)

// Speed is how fast the engine runs without observations, rewards and messages.
type Speed struct {
	Cores int     `json:"cores"`
	One   float64 `json:"one"` // ticks a second with one core busy
	All   float64 `json:"all"` // ticks a second of all cores together
}

// Bare measures the engine for a time: three against three, each robot with random wheel speeds up to 60 rad/s that
// change every tick, from random start positions each 30 s of simulated time. The error is that of ctx.
func Bare(ctx context.Context, d time.Duration, cores int) (Speed, error) {
	s := Speed{Cores: cores, One: bare(ctx, d/2, 0)}
	counts := make([]float64, cores)
	var group sync.WaitGroup
	for i := range cores {
		group.Go(func() { counts[i] = bare(ctx, d/2, uint64(i)) })
	}
	group.Wait()
	for _, n := range counts {
		s.All += n
	}
	return s, ctx.Err()
}

// bare returns the ticks a second of one engine.
func bare(ctx context.Context, d time.Duration, seed uint64) float64 {
	const robots, episode = 6, 1875
	random := rand.New(rand.NewPCG(seed, 1))
	var e *sim.Engine
	begin, ticks := time.Now(), 0
	for ; ticks%1024 != 0 || time.Since(begin) < d && ctx.Err() == nil; ticks++ {
		if ticks%episode == 0 {
			e = sim.New(sim.VSS(soccer.VSS3v3(), sim.FIRASim()))
			for id := range uint8(robots) {
				// The columns are 0.2 m apart: each robot has room.
				pose := soccer.Pose{X: float64(id)*0.2 - 0.5, Y: random.Float64() - 0.5, Theta: random.Float64() * 6}
				_ = e.AddRobot(id, pose)
			}
		}
		for id := range uint8(robots) {
			_ = e.Drive(id, soccer.Wheels{Left: random.Float64()*120 - 60, Right: random.Float64()*120 - 60})
		}
		e.Step(sim.Tick)
	}
	return float64(ticks) / time.Since(begin).Seconds()
}
