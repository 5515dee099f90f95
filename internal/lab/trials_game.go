package lab

import (
	"math"
	"math/rand/v2"
	"slices"

	"touchline/internal/exact"
	"touchline/soccer"
)

const (
	robots    = 5 // of our team; 0 carries the world models
	opponents = 5
	length    = 18.0 // m, of the field
	width     = 12.0

	tick      = 0.005 // s
	walk      = 1.2   // m/s
	bodyWidth = 0.25  // m, radius of a robot
)

// walker moves to one random place after the other.
type walker struct {
	at, velocity, goal soccer.Vec
	heading            float64
}

// ball is the true ball. It rolls with friction, or flies and bounces off the floor, and bounces off the boards around
// the field.
type ball struct {
	at, velocity  soccer.Vec
	height, climb float64 // m above where it rolls, and m/s
	holder        int     // index of the robot or opponent that holds it; -1: nobody
}

// trialsGame is the truth.
type trialsGame struct {
	s       *Scenario
	rng     *rand.Rand
	now     float64 // s
	ball    ball
	bodies  [robots + opponents]walker // our robots first
	kicked  float64                    // s, of the newest kick or placement
	placed  bool                       // the newest of both was a placement
	release float64                    // s, when the holder kicks
}

func newGame(s *Scenario, rng *rand.Rand) *trialsGame {
	g := &trialsGame{s: s, rng: rng, kicked: math.Inf(-1)}
	for i := range g.bodies {
		g.bodies[i] = walker{at: g.place(), goal: g.place()}
	}
	g.ball = ball{at: g.place(), holder: -1}
	return g
}

func (g *trialsGame) place() soccer.Vec { return place(g.rng) }

// place returns a random place on the field.
func place(rng *rand.Rand) soccer.Vec {
	return soccer.Vec{X: (exact.Uniform(rng) - 0.5) * length, Y: (exact.Uniform(rng) - 0.5) * width}
}

func (g *trialsGame) chance(rate float64) bool { return exact.Uniform(g.rng) < rate*tick }

func between(rng *rand.Rand, least, top float64) float64 {
	return least + (top-least)*exact.Uniform(rng)
}

// step advances the game by one tick.
func (g *trialsGame) step() {
	g.now += tick
	for i := range g.bodies {
		g.bodies[i].step(g)
	}
	if g.chance(g.s.Placements) {
		g.ball = ball{at: g.place(), holder: -1}
		g.kicked, g.placed = g.now, true
		return
	}
	if g.s.Dribbling {
		g.dribble()
	} else if g.chance(g.s.KickRate) {
		g.kick(2 * math.Pi * exact.Uniform(g.rng))
	}
	g.roll()
}

func (w *walker) step(g *trialsGame) {
	way := w.goal.Sub(w.at)
	d := way.Len()
	if d < 0.2 {
		w.goal = g.place()
		return
	}
	aim := soccer.Vec{X: way.X / d * walk, Y: way.Y / d * walk}
	const agility = 3 * tick // reaches a new velocity within a third of a second
	w.velocity.X += (aim.X - w.velocity.X) * agility
	w.velocity.Y += (aim.Y - w.velocity.Y) * agility
	w.at.X += w.velocity.X * tick
	w.at.Y += w.velocity.Y * tick
	turn := soccer.WrapAngle(exact.Atan2(g.ball.at.Y-w.at.Y, g.ball.at.X-w.at.X) - w.heading)
	w.heading = soccer.WrapAngle(w.heading + turn*2*tick)
}

// kick kicks the ball in a direction.
func (g *trialsGame) kick(direction float64) {
	speed := between(g.rng, g.s.KickLeast, g.s.KickTop)
	sin, cos := exact.Sincos(direction)
	up, level := loft(g.s, g.rng)
	g.ball.climb = speed * up
	speed *= level
	g.ball.velocity = soccer.Vec{X: cos * speed, Y: sin * speed}
	g.ball.holder = -1
	g.kicked, g.placed = g.now, false
}

// loft returns which parts of a kick's speed lead up and along the floor.
func loft(s *Scenario, rng *rand.Rand) (up, level float64) {
	if s.Loft == 0 || exact.Uniform(rng) >= s.Loft {
		return 0, 1
	}
	return exact.Sincos(between(rng, 0.35, 0.8)) // 20 to 46 degrees
}

// dribble lets the robots play: the nearest one takes a slow ball, walks with it and kicks it.
func (g *trialsGame) dribble() {
	b := &g.ball
	if b.holder >= 0 {
		w := &g.bodies[b.holder]
		sin, cos := exact.Sincos(math.Atan2(w.velocity.Y, w.velocity.X))
		to := soccer.Vec{X: w.at.X + cos*0.35, Y: w.at.Y + sin*0.35}
		b.velocity = soccer.Vec{X: (to.X - b.at.X) / tick, Y: (to.Y - b.at.Y) / tick}
		if v := b.velocity.Len(); v > 3 { // it reaches the robot's front
			b.velocity = soccer.Vec{X: b.velocity.X / v * 3, Y: b.velocity.Y / v * 3}
		}
		if g.now > g.release {
			g.kick(exact.Atan2(b.at.Y-w.at.Y, b.at.X-w.at.X) + 0.5*exact.Normal(g.rng))
		}
		return
	}
	near, least := 0, math.Inf(1)
	for i := range g.bodies {
		if d := g.bodies[i].at.Sub(b.at).Len(); d < least {
			near, least = i, d
		}
	}
	if g.now-g.kicked < 0.7 {
		return
	}
	if least < 0.45 && b.velocity.Len() < 2.5 && b.height == 0 {
		b.holder, g.release = near, g.now+between(g.rng, g.s.HoldLeast, g.s.HoldTop)
		return
	}
	g.bodies[near].goal = b.at // it goes there
}

// roll moves the ball.
func (g *trialsGame) roll() {
	b := &g.ball
	b.at.X += b.velocity.X * tick
	b.at.Y += b.velocity.Y * tick
	if b.climb != 0 || b.height > 0 {
		b.fly(g.s.Bounce)
	} else if b.holder < 0 {
		if v := b.velocity.Len(); v > 0 {
			loss := min(1, g.s.Friction*tick/v)
			b.velocity.X -= b.velocity.X * loss
			b.velocity.Y -= b.velocity.Y * loss
		}
	}
	for _, axis := range []struct {
		at, velocity *float64
		limit        float64
	}{{&b.at.X, &b.velocity.X, length / 2}, {&b.at.Y, &b.velocity.Y, width / 2}} {
		if math.Abs(*axis.at) > axis.limit {
			*axis.at = math.Copysign(2*axis.limit, *axis.at) - *axis.at
			*axis.velocity *= -0.6
		}
	}
}

// fly moves the ball up or down, with bounces off the floor.
func (b *ball) fly(bounce float64) {
	b.height += b.climb*tick - soccer.Gravity/2*tick*tick
	b.climb -= soccer.Gravity * tick
	if b.height > 0 || b.climb > 0 {
		return
	}
	b.height, b.climb = 0, -bounce*b.climb
	if b.climb < 0.3 {
		b.climb = 0 // it rolls
	}
}

// truth returns what beliefs are compared with. seen is when an honest robot last saw the ball.
func (g *trialsGame) truth(seen float64) truth {
	t := truth{
		now: g.now, ball: g.ball.at, velocity: g.ball.velocity, seen: seen, event: g.kicked, placed: g.placed,
		height: g.ball.height + soccer.BallRadius, climb: g.ball.climb,
	}
	for i := range t.faulty {
		t.faulty[i] = faulty(g.s, i, g.now)
	}
	for i := range t.opponents {
		t.opponents[i] = g.bodies[robots+i].at
		t.visible[i] = slices.ContainsFunc(g.bodies[:robots], func(w walker) bool {
			return w.at.Sub(t.opponents[i]).Len() < g.s.Camera.BodyRange
		})
	}
	return t
}
