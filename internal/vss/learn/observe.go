package learn

import (
	"encoding/binary"
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// sight is what was seen last of everything, in the scales of observations and in the field frame: a robot that vanishes
// from a vision packet stays where it was.
type sight struct {
	ball   [4]float32 // x, y, vx, vy
	robots [2][maxRobots]seenRobot
}

// seenRobot is a robot as it was seen last, and whether it is on now.
type seenRobot struct {
	on                            bool
	x, y, sin, cos, vx, vy, omega float32
}

// look updates what was seen, and the truth.
func (g *Game) look() {
	env, sent := g.session.Vision()
	g.setTruth(env)
	for side := range 2 {
		mask := g.session.OnMask(side)
		for id := range g.cfg.Robots {
			g.seen.robots[side][id].on = mask>>id&1 != 0
		}
	}
	if !sent {
		return
	}
	k := &g.scale
	if b := &env.Frame.Ball; env.Frame.HasBall {
		g.seen.ball = [4]float32{cut(b.X / k.size), cut(b.Y / k.size), cut(b.VX / k.speed), cut(b.VY / k.speed)}
	}
	for side, team := range [2][]firasim.Robot{env.Frame.Blue, env.Frame.Yellow} {
		for i := range team {
			r := &team[i]
			to := &g.seen.robots[side][r.ID]
			sin, cos := exact.Sincos(r.Orientation)
			to.x, to.y, to.sin, to.cos = cut(r.X/k.size), cut(r.Y/k.size), cut(sin), cut(cos)
			to.vx, to.vy, to.omega = cut(r.VX/k.speed), cut(r.VY/k.speed), cut(r.VOrientation/k.spin)
		}
	}
}

// setTruth updates the truth. Vision without disturbances is the truth.
func (g *Game) setTruth(vision *firasim.Environment) {
	if !g.disturbed {
		g.truth = vision
		return
	}
	g.truth = &g.own
	g.session.Environment(g.truth)
}

// Scales of an observation (rSoccer): positions are divided by half the length plus the depth of the goal area,
// velocities by the speed of action 1, and angular velocities by that speed on a circle of spinRadius.
const (
	spinRadius = 0.04 // m
	bound      = 1.2  // of every number of an observation
)

// scale is the scales of a Config's observations and of its ball potential.
type scale struct {
	size, speed, spin float64 // m, m/s, rad/s
	half, length      float64 // m: from the centre to the back of a goal; the field
}

func (c *Config) scale() scale {
	field := c.Field()
	depth, _ := field.GoalArea()
	speed := c.WheelSpeed() * c.preset().Robot.WheelRadius
	return scale{
		size: max(field.Width/2, float64(field.Length/2)+depth), speed: speed, spin: speed / spinRadius,
		half: float64(field.Length/2) + field.GoalDepth, length: field.Length,
	}
}

// Observe writes the observation of a side to to, Config.Observation numbers, which are little-endian float32: the ball's
// x, y, vx, vy; of each own robot by id x, y, sine and cosine of its heading, vx, vy, omega; of each opponent x, y, vx,
// vy, omega. The side attacks +x. A robot that is switched off is zeros.
func (g *Game) Observe(side int, to []byte) {
	const ball, own, other = 4 * 4, 4 * 7, 4 * 5 // bytes
	sign := float32(1)                           // the other team sees the field turned
	if side == 1 {
		sign = -1
	}
	for i, v := range g.seen.ball {
		put(to[4*i:], sign*v)
	}
	to = to[ball:]
	for id := range g.cfg.Robots {
		r, o := &g.seen.robots[side][id], to[:own]
		if to = to[own:]; !r.on {
			clear(o)
			continue
		}
		put(o, sign*r.x)
		put(o[4:], sign*r.y)
		put(o[8:], sign*r.sin)
		put(o[12:], sign*r.cos)
		put(o[16:], sign*r.vx)
		put(o[20:], sign*r.vy)
		put(o[24:], r.omega)
	}
	for id := range g.cfg.Robots {
		r, o := &g.seen.robots[1-side][id], to[:other]
		if to = to[other:]; !r.on {
			clear(o)
			continue
		}
		put(o, sign*r.x)
		put(o[4:], sign*r.y)
		put(o[8:], sign*r.vx)
		put(o[12:], sign*r.vy)
		put(o[16:], r.omega)
	}
}

func put(to []byte, v float32) { binary.LittleEndian.PutUint32(to, math.Float32bits(v)) }

// cut limits a number of an observation.
func cut(x float64) float32 { return float32(max(-bound, min(bound, x))) }

// Truth writes the true state to to, Config.Truth numbers in SI units and the field frame, which are little-endian
// float32: the ball's x, y, z, vx, vy, vz; of each robot, blue by id, then yellow, whether it is on, x, y, heading, vx,
// vy, omega.
func (g *Game) Truth(to []byte) {
	const ball, robot = 4 * 6, 4 * 7 // bytes
	clear(to)
	b := &g.truth.Frame.Ball
	for i, v := range [...]float64{b.X, b.Y, b.Z, b.VX, b.VY, b.VZ} {
		put(to[4*i:], float32(v))
	}
	to = to[ball:]
	for side, team := range [2][]firasim.Robot{g.truth.Frame.Blue, g.truth.Frame.Yellow} {
		for i := range team {
			r := &team[i]
			o := to[robot*(side*g.cfg.Robots+int(r.ID)):][:robot]
			put(o, 1)
			put(o[4:], float32(r.X))
			put(o[8:], float32(r.Y))
			put(o[12:], float32(r.Orientation))
			put(o[16:], float32(r.VX))
			put(o[20:], float32(r.VY))
			put(o[24:], float32(r.VOrientation))
		}
	}
}

// stepSeconds is the simulated time of a step in s.
func (c *Config) stepSeconds() float64 { return float64(c.Ticks) * 0.016 }

// maxTerm bounds the ball's potential and the move to the ball in a step (rSoccer).
const maxTerm = 5

// judge sets the result of a step. blue and yellow are the goals before it.
func (g *Game) judge(actions []float32, blue, yellow uint32) {
	g.result = Result{Truncated: g.cfg.Limit > 0 && g.steps >= g.cfg.Limit}
	b, y := g.session.Goals()
	scored := float64(int(b-blue) - int(y-yellow))
	g.result.Terminated = b != blue || y != yellow
	potential := g.potentials()
	for side := range 2 {
		t := &g.result.Terms[side]
		before := g.potential[side]
		g.potential[side] = potential[side]
		if g.result.Terminated {
			t[Goal] = scored
			scored = -scored
		} else {
			gained := (g.potential[side] - before) * 3 / g.cfg.stepSeconds()
			t[BallPotential] = max(-maxTerm, min(maxTerm, gained))
			t[MoveToBall], t[Energy] = g.approach(side), g.energy(side, actions)
		}
		for i, w := range g.weights {
			g.result.Reward[side] += float64(w * t[i])
		}
	}
	g.done = g.result.Terminated || g.result.Truncated
}

// Result returns the outcome of the last step.
func (g *Game) Result() *Result { return &g.result }

// potentials returns the ball's potential for both sides, -1 at the own goal to 0 at the other one: how much nearer the
// ball is to the other goal, with distances across the field counted twice (rSoccer).
func (g *Game) potentials() [2]float64 {
	ball, half, length := &g.truth.Frame.Ball, g.scale.half, g.scale.length
	across := float64(2 * ball.Y * ball.Y)
	toYellow := math.Sqrt(float64((half-ball.X)*(half-ball.X)) + across) // the goal that blue attacks
	toBlue := math.Sqrt(float64((half+ball.X)*(half+ball.X)) + across)
	return [2]float64{((toBlue-toYellow)/length - 1) / 2, ((toYellow-toBlue)/length - 1) / 2}
}

// approach returns the mean speed of the agents of a side towards the ball, in units of 0.4 m/s (rSoccer).
func (g *Game) approach(side int) float64 {
	ball := &g.truth.Frame.Ball
	team := [2][]firasim.Robot{g.truth.Frame.Blue, g.truth.Frame.Yellow}[side]
	sum, n := 0.0, 0
	for i := range team {
		r := &team[i]
		if int(r.ID) >= g.cfg.agents(side) {
			continue
		}
		n++
		way := soccer.Vec{X: ball.X - r.X, Y: ball.Y - r.Y}
		if d := way.Len(); d > 0 {
			speed := way.Dot(soccer.Vec{X: r.VX, Y: r.VY}) / d
			sum += max(-maxTerm, min(maxTerm, speed/0.4))
		}
	}
	return sum / float64(max(n, 1))
}

// energy returns minus the mean of the agents' wheel speeds, left and right added, in rad/s (rSoccer).
func (g *Game) energy(side int, actions []float32) float64 {
	n := g.cfg.agents(side)
	sum := 0.0
	for i := range 2 * n {
		sum += math.Abs(g.wheel(float64(actions[2*side*g.cfg.Agents+i])))
	}
	return -sum / float64(max(n, 1))
}
