package lab

import (
	"math"
	"math/rand/v2"

	"touchline/internal/exact"
	"touchline/internal/match"
	"touchline/soccer"
	"touchline/wire/team"
)

// players act in a session where the scenario asks for more than robots that stand: the referee places the ball, a
// helper kicks it, and robots and opponents move.
type players struct {
	*match.Session
	s       *Scenario
	rng     *rand.Rand
	goals   [robots + opponents]soccer.Vec // where each is going, our robots first
	holder  int                            // index of the robot that holds the ball; -1: none
	release float64                        // s, when it kicks
	free    float64                        // s, until when no robot takes the ball that was kicked
	number  uint32                         // of the newest motor command
	placed  bool                           // the ball was placed in the last step
}

const (
	actEvery     = 0.01 // s
	faultyNumber = 2    // the robot with the scenario's fault, which no figure counts: it believes a mirrored world
)

func newPlayers(g *match.Session, s *Scenario, rng *rand.Rand) *players {
	p := &players{Session: g, s: s, rng: rng, holder: -1}
	for i := range p.goals {
		p.goals[i] = place(rng)
	}
	return p
}

// act does what the players do within actEvery. now is in seconds.
func (p *players) act(now float64) {
	_ = p.SetFault(match.Fault{What: match.Mirror, Robot: faultyNumber}, faulty(p.s, int(faultyNumber-1), now)) // it is on the field
	scene := p.Truth()
	ball := soccer.Vec{X: scene.Ball.X, Y: scene.Ball.Y}
	if p.placed = p.chance(p.s.Placements); p.placed {
		p.placed = p.PlaceBall(place(p.rng)) == nil // a body may stand there
	} else if p.chance(p.s.KickRate) {
		way := place(p.rng).Sub(ball)
		up, level := loft(p.s, p.rng)
		speed := between(p.rng, p.s.KickLeast, p.s.KickTop)
		along := speed * level / max(way.Len(), 0.1)
		_ = p.Kick(soccer.Vec3{X: way.X * along, Y: way.Y * along, Z: speed * up}) // the speeds of scenarios are in range
	}
	if !p.s.Dribbling {
		return
	}
	near, least := -1, math.Inf(1)
	for i, f := range scene.Robots {
		if d := f.Pose.XY().Sub(ball).Len(); f.Shape == "robot" && d < least {
			near, least = i, d
		}
	}
	for i, f := range scene.Robots {
		if f.Shape == "robot" {
			m := p.command(i, i == near, f.Pose, ball, now)
			p.Drive(f.Number, &m)
		}
	}
	for i, o := range scene.Obstacles {
		p.walk(i, soccer.Vec{X: o.X, Y: o.Y}, ball)
	}
}

func (p *players) chance(rate float64) bool { return rate > 0 && exact.Uniform(p.rng) < rate*actEvery }

// command returns the motor command of robot i. The one nearest to the ball fetches it, walks with it for a while and
// kicks it; the others walk and look at it.
func (p *players) command(i int, nearest bool, pose soccer.Pose, ball soccer.Vec, now float64) team.Motor {
	p.number++
	m := team.Motor{Sequence: p.number}
	goal, look := &p.goals[i], ball.Sub(pose.XY())
	holds := nearest && now > p.free && look.Len() < 0.45 &&
		math.Abs(soccer.WrapAngle(exact.Atan2(look.Y, look.X)-pose.Theta)) < math.Pi/6
	switch {
	case holds && p.holder != i:
		p.holder, p.release = i, now+between(p.rng, p.s.HoldLeast, p.s.HoldTop)
	case !holds && p.holder == i:
		p.holder = -1
	}
	if goal.Sub(pose.XY()).Len() < 0.3 || p.chance(0.3) { // another robot may stand in its way
		*goal = place(p.rng)
	}
	way := goal.Sub(pose.XY())
	switch {
	case holds && now > p.release:
		m.Kick, m.KickSpeed = p.number, float32(between(p.rng, p.s.KickLeast, p.s.KickTop))
		p.free = now + 0.7
	case holds:
		look, m.Dribbler = way, 1
	case nearest && now > p.free:
		way = look
	}
	m.SetTwist(twist(pose.Theta, way, look))
	return m
}

// twist returns the velocity in the frame of a robot with a heading that walks along way and turns towards look.
func twist(heading float64, way, look soccer.Vec) soccer.Twist {
	sin, cos := exact.Sincos(heading)
	d := max(way.Len(), walk) // slower at the end
	x, y := way.X/d*walk, way.Y/d*walk
	turn := 3 * soccer.WrapAngle(exact.Atan2(look.Y, look.X)-heading)
	return soccer.Twist{X: cos*x + sin*y, Y: cos*y - sin*x, Theta: min(max(turn, -3), 3)}
}

// walk moves opponent i by actEvery. It goes elsewhere where something is in its way.
func (p *players) walk(i int, at, ball soccer.Vec) {
	goal := &p.goals[robots+i]
	way := goal.Sub(at)
	d := max(way.Len(), 1e-9)
	to := soccer.Vec{X: at.X + way.X/d*walk*actEvery, Y: at.Y + way.Y/d*walk*actEvery}
	if d < 0.2 || to.Sub(ball).Len() < 0.5 || p.MoveObstacle(i, to) != nil {
		*goal = place(p.rng)
	}
}
