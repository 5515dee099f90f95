package vss_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// uvf is a team as many in the league: its robots follow a univector field (Lim, Kim and others, 2008) behind the ball
// and around all others, its wheel speeds know no limit, and a robot beside the ball spins as fast as it can.
type uvf struct {
	yellow bool
	field  soccer.Field
	spin   float64 // rad/s of the wheels in a spin
	stuck  [5]int  // ticks that a robot has hardly moved, negative while it backs off
	chaser int     // the robot that goes for the ball
	random *rand.Rand
}

// Parameters of the field and of the wheels.
const (
	uvfRadius = 0.06  // m, of the two circles that lead behind the ball
	uvfSmooth = 0.04  // m, how gently the spirals end in them
	uvfClose  = 0.04  // m, around others: within it the robot only evades
	uvfFade   = 0.06  // m, beyond which the field fades to that of the ball
	uvfSpeed  = 60    // rad/s of a wheel straight ahead
	uvfTurn   = 30    // rad/s of a wheel for the root of 1 rad
	uvfNear   = 0.2   // m from the target within which a robot evades nobody
	uvfBeside = 0.075 // m from the ball's centre within which a robot beside it spins
)

// spiral returns the direction at p of a hyperbolic spiral into the circle around the origin; sign 1 is clockwise.
func spiral(p soccer.Vec, sign float64) float64 {
	at, distance := math.Atan2(p.Y, p.X), p.Len()
	if distance > uvfRadius {
		return at + sign*math.Pi/2*(2-(uvfRadius+uvfSmooth)/(distance+uvfSmooth))
	}
	return at + sign*math.Pi/2*math.Sqrt(distance/uvfRadius)
}

// behind returns the direction at p that leads to the origin in the direction +x.
func behind(p soccer.Vec) float64 {
	left, right := soccer.Vec{X: p.X, Y: p.Y - uvfRadius}, soccer.Vec{X: p.X, Y: p.Y + uvfRadius}
	switch {
	case p.Y < -uvfRadius:
		return spiral(right, -1)
	case p.Y >= uvfRadius:
		return spiral(left, 1)
	}
	a, b := spiral(left, 1), spiral(right, -1)
	l, r := uvfRadius+p.Y, uvfRadius-p.Y
	return math.Atan2(r*math.Sin(b)+l*math.Sin(a), r*math.Cos(b)+l*math.Cos(a))
}

// follow returns the direction of the field for robot r to target, to arrive in the direction heading.
func follow(r *firasim.Robot, target soccer.Vec, heading float64, others []firasim.Robot) float64 {
	p := soccer.Vec{X: r.X, Y: r.Y}
	c, s := math.Cos(heading), math.Sin(heading)
	d := p.Sub(target)
	way := behind(soccer.Vec{X: d.X*c + d.Y*s, Y: d.Y*c - d.X*s}) + heading
	nearest, from := math.Inf(1), 0.0
	if d.Len() < uvfNear {
		others = nil
	}
	for i := range others {
		o := &others[i]
		away := p.Sub(soccer.Vec{X: o.X, Y: o.Y})
		if l := away.Len(); o.ID != r.ID || l > 0 {
			if gap := l - soccer.VSSRobotEdge; gap < nearest {
				nearest, from = gap, math.Atan2(away.Y, away.X)
			}
		}
	}
	if nearest <= uvfClose {
		return from
	}
	share := math.Exp(-(nearest - uvfClose) * (nearest - uvfClose) / (2 * uvfFade * uvfFade / 4))
	return way + share*soccer.WrapAngle(from-way)
}

// Play answers vision as vss.Team does.
func (u *uvf) Play(env *firasim.Environment, ref firasim.RefereeCommand, out *firasim.Packet) {
	*out = firasim.Packet{HasCommands: true, Commands: out.Commands[:0]}
	own, other := env.Frame.Blue, env.Frame.Yellow
	if u.yellow {
		own, other = other, own
	}
	turned := func(r firasim.Robot) firasim.Robot {
		if u.yellow {
			r.X, r.Y, r.Orientation = -r.X, -r.Y, soccer.WrapAngle(r.Orientation+math.Pi)
		}
		return r
	}
	var mine, all []firasim.Robot
	for _, r := range own {
		mine = append(mine, turned(r))
	}
	all = append(all, mine...)
	for _, r := range other {
		all = append(all, turned(r))
	}
	ball := soccer.Vec{X: env.Frame.Ball.X, Y: env.Frame.Ball.Y}
	if u.yellow {
		ball = ball.Turned()
	}
	nearest := math.Inf(1)
	chaser := u.chaser
	for i := 1; i < len(mine); i++ {
		way := ball.Sub(soccer.Vec{X: mine[i].X, Y: mine[i].Y})
		cost := way.Len() - min(way.X, 0)
		if i == u.chaser {
			cost -= 0.1
		}
		if cost < nearest {
			chaser, nearest = i, cost
		}
	}
	u.chaser = chaser
	for i := range mine {
		left, right := 0.0, 0.0
		if ref.Foul == firasim.GameOn {
			left, right = u.drive(i, &mine[i], ball, all)
		}
		out.Commands = append(out.Commands, firasim.Command{ID: mine[i].ID, Yellow: u.yellow, Left: left, Right: right})
	}
}

// drive returns the wheel speeds of robot i.
func (u *uvf) drive(i int, r *firasim.Robot, ball soccer.Vec, all []firasim.Robot) (left, right float64) {
	p, length, width := soccer.Vec{X: r.X, Y: r.Y}, u.field.Length/2, u.field.Width/2
	way := ball.Sub(p)
	if way.Len() < uvfBeside && u.beside(r, way, ball) {
		sign := math.Copysign(u.spin, -p.Y) // kicks the ball along the wall, away from the own goal
		u.stuck[i] = 0
		return sign, -sign
	}
	target, heading := ball, math.Atan2(-ball.Y, length+0.05-ball.X)
	speed := float64(uvfSpeed)
	switch {
	case i == 0: // the goalkeeper
		target = soccer.Vec{X: 0.06 - length, Y: max(-u.field.GoalWidth/2, min(u.field.GoalWidth/2, ball.Y))}
		heading = math.Copysign(math.Pi/2, target.Y-p.Y)
		speed = min(speed, 400*target.Sub(p).Len())
	case i != u.chaser:
		target = soccer.Vec{X: max(ball.X-0.35, 0.25-length), Y: -ball.Y / 2}
		speed = min(speed, 200*target.Sub(p).Len())
	}
	if i == u.chaser && math.Abs(ball.Y) > width-0.06 {
		heading = 0 // along the wall
	}
	to := follow(r, target, heading, all)
	if i != u.chaser && target.Sub(p).Len() < 0.1 {
		d := target.Sub(p)
		to = math.Atan2(d.Y, d.X)
	}
	off, sign := soccer.WrapAngle(to-r.Orientation), 1.0
	if math.Abs(off) > math.Pi/2 { // it drives backwards as well
		off, sign = soccer.WrapAngle(off+math.Pi), -1
	}
	if moved := math.Hypot(r.VX, r.VY); u.stuck[i] < 0 || moved > 0.05 || math.Abs(r.VOrientation) > 1 || speed < 10 {
		u.stuck[i] = min(u.stuck[i]+1, 0)
	} else if u.stuck[i]++; u.stuck[i] > 15 {
		u.stuck[i] = -25
	}
	switch {
	case u.stuck[i] < 0 && way.Len() < 0.12: // a duel
		return u.spin, -u.spin
	case u.stuck[i] < 0:
		return -sign * 30, -sign * 40
	}
	turn := math.Copysign(math.Sqrt(math.Abs(off)), off) * uvfTurn
	ahead := sign * speed * math.Cos(off) * (0.95 + 0.1*u.random.Float64())
	turn += 2 * (u.random.Float64() - 0.5)
	return ahead - turn, ahead + turn
}

// beside reports whether robot r cannot push a ball at way, so that it spins: the ball is at its side, or at a wall.
func (u *uvf) beside(r *firasim.Robot, way, ball soccer.Vec) bool {
	wall := math.Abs(ball.Y) > u.field.Width/2-0.06 || math.Abs(ball.X) > u.field.Length/2-0.06
	side := math.Abs(math.Sin(math.Atan2(way.Y, way.X) - r.Orientation))
	return wall || side > 0.8
}

// figures are what is measured of two teams.
type figures struct {
	play, still, wall float64 // ticks of play, with a ball below 2 cm/s, and with one within 6 cm of a wall
	ball, robots, yaw float64 // sums of speeds in m/s, the highest yaw rate in rad/s
	free, goals       int
}

// playUVF plays d ticks between two teams that spin with wheels of 250 and 150 rad/s.
func playUVF(tb testing.TB, seed uint64, ticks int, compat vss.Compat) (f figures) {
	cfg := vss.DefaultConfig()
	cfg.Seed, cfg.Compat = seed, compat
	m := matchOf(tb, cfg)
	m.teams = [2]player{
		&uvf{field: m.field, spin: 250, random: rand.New(rand.NewPCG(seed, 1))},
		&uvf{yellow: true, field: m.field, spin: 150, random: rand.New(rand.NewPCG(seed, 2))},
	}
	for m.ticks < ticks {
		m.tick()
		if m.last.Foul != firasim.GameOn {
			continue
		}
		f.play++
		b := &m.seen.Frame.Ball
		speed := math.Hypot(b.VX, b.VY)
		f.ball += speed
		if speed < 0.02 {
			f.still++
		}
		x, y := math.Abs(b.X), math.Abs(b.Y)
		gap := min(m.field.Length/2-x, m.field.Width/2-y,
			(m.field.Length/2+m.field.Width/2-m.field.CornerCut-x-y)/math.Sqrt2)
		if gap < 0.06 {
			f.wall++
		}
		for _, team := range [2][]firasim.Robot{m.seen.Frame.Blue, m.seen.Frame.Yellow} {
			for i := range team {
				m.checkInside(0, team[i])
				f.robots += math.Hypot(team[i].VX, team[i].VY) / 6
				f.yaw = max(f.yaw, math.Abs(team[i].VOrientation))
			}
		}
	}
	blue, yellow := m.session.Goals()
	f.free, f.goals = m.calls[firasim.FreeBall], int(blue+yellow)
	return f
}

// TestUVF plays two minutes. A robot of FIRASim never turns faster than 75 rad/s, and the ball hardly ever rests.
func TestUVF(t *testing.T) {
	f := playUVF(t, 1, 120*1000/16, 0)
	t.Logf("%+v", f)
	if f.yaw > 76 || f.yaw < 50 {
		t.Errorf("the highest yaw rate is %.1f rad/s, want up to 75", f.yaw)
	}
	if f.still > 0.2*f.play {
		t.Errorf("the ball rests for %.0f of %.0f ticks", f.still, f.play)
	}
}

// BenchmarkUVF measures five minutes of play of two teams for each op, each with another seed: with FIRASim's lag of
// commands, and without it.
func BenchmarkUVF(b *testing.B) {
	b.Run("lag", func(b *testing.B) { measureUVF(b, vss.CompatLag) })
	b.Run("default", func(b *testing.B) { measureUVF(b, 0) })
}

func measureUVF(b *testing.B, compat vss.Compat) {
	seed, yaw, sum := uint64(0), 0.0, figures{}
	for b.Loop() {
		seed++
		f := playUVF(b, seed, 300*1000/16, compat)
		sum.play, sum.still, sum.wall = sum.play+f.play, sum.still+f.still, sum.wall+f.wall
		sum.ball, sum.robots, yaw = sum.ball+f.ball, sum.robots+f.robots, max(yaw, f.yaw)
		sum.free, sum.goals = sum.free+f.free, sum.goals+f.goals
	}
	b.ReportMetric(100*sum.still/sum.play, "%-still")
	b.ReportMetric(100*sum.wall/sum.play, "%-at-walls")
	b.ReportMetric(yaw, "rad/s-highest")
	b.ReportMetric(sum.ball/sum.play, "m/s-ball")
	b.ReportMetric(sum.robots/sum.play, "m/s-robots")
	b.ReportMetric(float64(sum.free)/(sum.play*0.016/60), "free-balls/min")
	b.ReportMetric(float64(sum.goals)/(sum.play*0.016/60), "goals/min")
}
