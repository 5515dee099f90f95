package world_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/world"
)

// The covariance of the ball stays honest where sights are many times less exact than assumed: the squared error divided
// by it is 2 on average if it is exact.
func TestCovarianceWhereSightsAreWorseThanAssumed(t *testing.T) {
	m := world.New(world.DefaultConfig(1, soccer.Cyan))
	rng := rand.New(rand.NewPCG(3, 4))
	noise := func() float64 { return float64(0.3 * exact.Normal(rng)) }
	now := soccer.Epoch.Add(time.Second)
	sum, n := 0.0, 0
	for i := range 1500 {
		for robot := uint8(2); robot <= 4; robot++ {
			receive(m, sender(robot), now, 60*time.Millisecond, oneBall(at(0, float64(robot)-3), 1+noise(), 1+noise()))
		}
		b := belief(m, now).Ball
		if now += 40 * ms; i < 250 || !b.Known {
			continue
		}
		dx, dy := b.Position.X-1, b.Position.Y-1
		inverse := b.Cov.Inverse()
		sum += float64(dx*dx*inverse.XX) + float64(2*dx*dy*inverse.XY) + float64(dy*dy*inverse.YY)
		n++
	}
	if nees := sum / float64(n); n < 1000 || nees > 2.5 {
		t.Errorf("NEES %.2f over %d pictures, want at most 2.5 over 1000", nees, n)
	}
}
