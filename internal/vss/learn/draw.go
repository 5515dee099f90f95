package learn

import (
	"math"
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/internal/vss"
	"touchline/soccer"
)

// draw returns the game of an episode: its physics, disturbances and start positions.
func (c *Config) draw(start *vss.Lineup, random *rand.Rand) vss.Config {
	physics := c.preset()
	game := vss.DefaultConfig()
	game.Robots, game.Physics, game.Engine, game.Seed = c.Robots, c.Physics, &physics, random.Uint64()
	r := &c.Randomize
	robot := physics.Robot.Heavier(r.Mass.draw(random, 1))
	factor := r.Friction.draw(random, 1)
	physics.Friction, robot.Along, robot.Across = physics.Friction*factor, robot.Along*factor, robot.Across*factor
	robot.Torque *= r.Motor.draw(random, 1)
	physics.Robot = robot
	game.Latency = time.Duration(r.Latency.draw(random, 0) * float64(time.Second))
	game.NoisePosition = r.Noise.draw(random, 0)
	game.NoiseHeading = 10 * game.NoisePosition
	game.Vanish = r.Vanish.draw(random, 0)
	if start == nil {
		game.Lineup = c.scatter(random)
	} else {
		game.Lineup = c.shift(start, random)
	}
	return game
}

// draw returns a number of the range; without a range it is the given one.
func (r *Range) draw(random *rand.Rand, without float64) float64 {
	if r == nil {
		return without
	}
	return r[0] + float64((r[1]-r[0])*exact.Uniform(random))
}

// Random start positions keep wallGap from the lines (rSoccer) and bodyGap from each other: rSoccer's 0.1 m is less
// than the diagonal of a robot.
const (
	wallGap = 0.1  // m
	bodyGap = 0.12 // m
)

// reach returns the coordinates along a side of the field at which start positions keep wallGap from the lines.
func reach(size float64) Range {
	most := float64(size/2) - wallGap
	return Range{-most, most}
}

// scatter returns random start positions of all robots and the ball.
func (c *Config) scatter(random *rand.Rand) *vss.Lineup {
	field := c.Field()
	x, y := reach(field.Length), reach(field.Width)
	taken := make([]soccer.Vec, 0, 1+2*maxRobots)
	place := func() soccer.Vec {
		for {
			at := soccer.Vec{X: x.draw(random, 0), Y: y.draw(random, 0)}
			if isFree(at, taken) {
				taken = append(taken, at)
				return at
			}
		}
	}
	turn := Range{-math.Pi, math.Pi}
	l := &vss.Lineup{Ball: place()}
	for range c.Robots {
		for _, team := range []*[]vss.Start{&l.Blue, &l.Yellow} {
			at := place()
			*team = append(*team, vss.Start{Pose: soccer.Pose{X: at.X, Y: at.Y, Theta: turn.draw(random, 0)}})
		}
	}
	return l
}

// isFree reports whether a place is bodyGap away from all others. They cover a sixth of the field at most, so that a
// few tries find one.
func isFree(at soccer.Vec, taken []soccer.Vec) bool {
	for _, t := range taken {
		if at.Sub(t).Len() < bodyGap {
			return false
		}
	}
	return true
}

// shift returns start positions, each shifted by up to Jitter in x and in y, and not beyond the lines.
func (c *Config) shift(from *vss.Lineup, random *rand.Rand) *vss.Lineup {
	field := c.Field()
	move := func(v, size, jitter float64) float64 {
		by := Range{-jitter, jitter}
		edge := max(reach(size)[1], math.Abs(v)) // a start position in a goal stays there
		return max(-edge, min(edge, v+by.draw(random, 0)))
	}
	shifted := func(at soccer.Vec, jitter float64) soccer.Vec {
		return soccer.Vec{X: move(at.X, field.Length, jitter), Y: move(at.Y, field.Width, jitter)}
	}
	team := func(from []vss.Start, jitter float64) (to []vss.Start) {
		for _, start := range from {
			at := shifted(start.Pose.XY(), jitter)
			start.Pose.X, start.Pose.Y = at.X, at.Y
			to = append(to, start)
		}
		return to
	}
	return &vss.Lineup{
		Ball: shifted(from.Ball, c.Jitter.Ball), BallVelocity: from.BallVelocity,
		Blue: team(from.Blue, c.Jitter.Blue), Yellow: team(from.Yellow, c.Jitter.Yellow),
	}
}
