package vss

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// maxPlayers is the size of a team in the larger division.
const maxPlayers = firasim.MaxID + 1

// longestTick bounds the time between two vision packets. The simulator makes no longer steps: a longer one, or a step
// back, is another run of it, and no time passes.
const longestTick = time.Second

// Team is a simple team for either side of a match, so that the simulator shows a game without clients. One robot keeps the goal. The robot with the shortest path behind the ball is the striker
// and drives the ball towards the other goal. The others cover the own goal and wait for rebounds. Like any client the
// team knows only vision and sends only wheel speeds.
type Team struct {
	yellow  bool
	field   soccer.Field
	robots  int
	share   float64 // of the wheel speeds that it would send
	random  *rand.Rand
	source  *rand.PCG // of random
	step    uint32
	dt      time.Duration // since the last tick
	ball    soccer.Vec
	rolling soccer.Vec // the ball's velocity
	own     [maxPlayers]footballer
	other   [maxPlayers]footballer
	keeper  int // -1: none
	striker int // -1: none

	// The striker varies its attacks: variation is the time until pace and bias change.
	variation time.Duration
	pace      float64 // m/s
	bias      float64 // m on the goal line
}

// footballer is a robot in the team frame, in which the other goal is at +x.
type footballer struct {
	seen     bool // in the last vision packet
	position soccer.Vec
	heading  soccer.Vec // a unit vector
	speed    float64    // m/s, forwards
	wheels   soccer.Wheels

	before   soccer.Vec    // heading of the last tick
	stuck    time.Duration // time for which it has not moved despite its command
	patience time.Duration // limit of stuck
	escape   time.Duration // time left to free itself
	jam      soccer.Vec    // where it was stuck before
	back     float64       // m/s while it frees itself
	turn     float64       // rad/s
}

// Rungs are the names of the built-in teams, from the weakest to the strongest.
var Rungs = []string{"still", "weak", "medium", "builtin"}

// Pace returns the share of the wheel speeds of the built-in team that a rung has; false for another name. Each rung beats
// the one below it about as clearly (package learn, TestEachRungBeatsTheOneBelow).
func Pace(rung string) (share float64, ok bool) {
	i := slices.Index(Rungs, rung)
	if i < 0 {
		return 0, false
	}
	return [...]float64{0, 0.25, 0.55, 1}[i], true
}

// NewTeam returns a team of 1..5 robots; other numbers are limited to that range. The seed determines how the striker
// varies its attacks, and how stuck robots free themselves.
func NewTeam(yellow bool, field soccer.Field, robots int, seed uint64) *Team {
	t := &Team{yellow: yellow, field: field, share: 1, robots: min(max(robots, 1), maxPlayers), striker: -1}
	t.source = rand.NewPCG(seed, 6) // the simulator draws from the streams 1 to 5
	if yellow {
		t.source = rand.NewPCG(seed, 7)
	}
	t.random = rand.New(t.source)
	return t
}

// Slow lets the team send this share of its wheel speeds.
func (t *Team) Slow(share float64) { t.share = share }

// Clone returns a team that plays on from here as t would.
func (t *Team) Clone() *Team {
	c, source := *t, *t.source
	c.source, c.random = &source, rand.New(&source)
	return &c
}

// Play overwrites out with a command for each robot of the team. Unless ref is GAME_ON they stop; without a referee the
// caller passes GAME_ON. Robots that are missing in env, or far from the field, get zeros.
func (t *Team) Play(env *firasim.Environment, ref firasim.RefereeCommand, out *firasim.Packet) {
	t.observe(env)
	for i := range t.own[:t.robots] {
		t.own[i].wheels = soccer.Wheels{}
	}
	if ref.Foul == firasim.GameOn {
		t.choose()
		t.act()
	}
	out.HasCommands, out.Commands = true, out.Commands[:0]
	out.HasReplacement, out.Replacement = false, firasim.Replacement{}
	for i := range t.own[:t.robots] {
		w := t.own[i].wheels
		out.Commands = append(out.Commands, firasim.Command{
			ID: uint32(i), Yellow: t.yellow, Left: float64(t.share * w.Left), Right: float64(t.share * w.Right),
		})
	}
}

// observe stores vision in the team frame.
func (t *Team) observe(env *firasim.Environment) {
	dt := time.Duration(env.Step-t.step) * time.Millisecond
	if dt > longestTick {
		dt = 0
	}
	t.step, t.dt = env.Step, dt
	own, other := env.Frame.Blue, env.Frame.Yellow
	if t.yellow {
		own, other = other, own
	}
	t.observePlayers(own, &t.own)
	t.observePlayers(other, &t.other)
	b := &env.Frame.Ball
	if p := (soccer.Vec{X: b.X, Y: b.Y}); env.Frame.HasBall && t.near(p) && finite(b.VX) && finite(b.VY) {
		t.ball, t.rolling = p, soccer.Vec{X: b.VX, Y: b.VY}
		if t.yellow {
			t.ball, t.rolling = t.ball.Turned(), t.rolling.Turned()
		}
		if speed := t.rolling.Len(); speed > fastest {
			t.rolling = t.rolling.Scale(fastest / speed)
		}
	} else {
		t.rolling = soccer.Vec{} // it stays at its last place
	}
}

// observePlayers stores the robots of one team.
func (t *Team) observePlayers(from []firasim.Robot, to *[maxPlayers]footballer) {
	for i := range to {
		to[i].seen = false
	}
	for i := range from {
		r := &from[i]
		p := soccer.Vec{X: r.X, Y: r.Y}
		if int64(r.ID) >= int64(t.robots) || !t.near(p) || !finite(r.Orientation) || !finite(r.VX) || !finite(r.VY) {
			continue
		}
		q := &to[r.ID]
		sin, cos := exact.Sincos(r.Orientation)
		q.seen, q.position, q.heading = true, p, soccer.Vec{X: cos, Y: sin}
		q.speed = min(max(soccer.Vec{X: r.VX, Y: r.VY}.Dot(q.heading), -fastest), fastest)
		if t.yellow {
			q.position, q.heading = p.Turned(), q.heading.Turned()
		}
	}
}

// near reports whether p is on the field or close to it.
func (t *Team) near(p soccer.Vec) bool {
	return math.Abs(p.X) < t.field.Length && math.Abs(p.Y) < t.field.Width
}

// choose selects the keeper and the striker.
func (t *Team) choose() {
	if t.variation -= t.dt; t.variation <= 0 {
		t.variation = time.Second + time.Duration(t.random.Uint32N(2000))*time.Millisecond
		t.pace = cruise * (1 - float64(0.2*exact.Uniform(t.random)))
		t.bias = float64(0.3*t.field.GoalWidth) * (exact.Uniform(t.random) - 0.5)
	}
	t.keeper = -1
	for i := range t.own {
		if t.own[i].seen {
			t.keeper = i
			break
		}
	}
	last, best := t.striker, math.Inf(1)
	t.striker = -1
	for i := range t.own {
		p := &t.own[i]
		if !p.seen || i == t.keeper {
			continue
		}
		way := t.ball.Sub(p.position)
		cost := way.Len()
		if way.X < 0 { // it has to drive around the ball first
			cost += 0.25 - float64(0.5*way.X)
		}
		if i == last {
			cost -= 0.12
		}
		if cost < best {
			t.striker, best = i, cost
		}
	}
}

// act sets the wheels of all robots.
func (t *Team) act() {
	if t.keeper >= 0 && !t.escape(t.keeper) {
		t.keep(&t.own[t.keeper])
	}
	if t.striker >= 0 && !t.escape(t.striker) {
		t.strike(t.striker)
	}
	var used [maxPlayers]bool
	for _, place := range t.places() {
		i := t.closest(place, &used)
		if i < 0 {
			break
		}
		used[i] = true
		if !t.escape(i) {
			t.goTo(i, place)
		}
	}
	for i := range t.own {
		t.checkStuck(&t.own[i])
	}
}

// places returns the places of the other robots, the most important first: between the ball and the own goal, behind
// the striker, and on the far side of the field. All are outside of both goal areas, where the rules limit the number
// of robots.
func (t *Team) places() [3]soccer.Vec {
	length, width := float64(t.field.Length*0.5), float64(t.field.Width*0.5)
	b := t.ball
	far := math.Copysign(1, -b.Y)
	area, _ := t.field.GoalArea()
	line := area + 0.15 - length
	cover := soccer.Vec{X: line, Y: float64(min(max(float64(b.Y*0.45), -0.2), 0.2) + float64(far*0.06))}
	rebound := soccer.Vec{X: min(b.X-0.35, length-0.45), Y: float64(b.Y*0.4) + float64(far*0.15)}
	wing := soccer.Vec{X: min(b.X-0.1, length-0.4), Y: float64(far * width * 0.5)}
	if b.X < -length*0.3 { // under pressure
		rebound = soccer.Vec{X: line + 0.1, Y: float64(min(max(float64(b.Y*0.6), -0.3), 0.3) - float64(far*0.16))}
		wing = soccer.Vec{X: -length * 0.2, Y: float64(far * 0.3)}
	}
	rebound.X, wing.X = max(rebound.X, line), max(wing.X, line)
	if t.robots <= 3 && b.X > 0 {
		return [3]soccer.Vec{rebound, cover, wing}
	}
	return [3]soccer.Vec{cover, rebound, wing}
}

// closest returns the free robot that is closest to a place, -1 for none.
func (t *Team) closest(place soccer.Vec, used *[maxPlayers]bool) int {
	best, at := -1, math.Inf(1)
	for i := range t.own {
		if i == t.keeper || i == t.striker || used[i] || !t.own[i].seen {
			continue
		}
		if d := place.Sub(t.own[i].position).Len(); d < at {
			best, at = i, d
		}
	}
	return best
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
