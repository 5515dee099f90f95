package lab

import (
	"math"
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// eye is how one of our robots sees: its camera and its self-localisation.
type eye struct {
	robot int
	rng   *rand.Rand
	noise float64 // factor on the camera's noise
	trust float64 // confidence that it reports
	scale float64 // factor on distances
	pose  [3]float64
	last  []sight // of the newest picture before a frozen one
	balls int     // how many of last are balls
}

// sight is what a robot sees at a place relative to itself.
type sight struct{ distance, angle, height float64 }

func newEye(s *Scenario, robot int, rng *rand.Rand) *eye {
	e := &eye{robot: robot, rng: rng, noise: 1, trust: 0.9}
	e.scale = 1 + s.Camera.RangeBias*(2*exact.Uniform(rng)-1)
	if s.UnequalNoise && robot >= 1 && robot <= 3 {
		e.noise = []float64{0.5, 2, 3}[robot-1]
		e.trust = []float64{0.3, 0.6, 0.95}[robot-1]
	}
	sigma := poseSigmas(s)
	for i := range e.pose {
		e.pose[i] = sigma[i] * exact.Normal(rng)
	}
	return e
}

func poseSigmas(s *Scenario) [3]float64 {
	return [3]float64{s.Camera.PoseSigma, s.Camera.PoseSigma, s.Camera.PoseAngle}
}

// faulty reports whether a robot has the scenario's fault at this time.
func faulty(s *Scenario, robot int, now float64) bool {
	peers := 1
	if s.Fault == twoLiars || s.Fault == twoAgree {
		peers = 2
	}
	return s.Fault != healthy && robot >= 1 && robot <= peers && now >= faultFrom.Seconds() && now < faultTo.Seconds()
}

// picture returns what the robot perceives now, and whether it sees the true ball.
func (e *eye) picture(g *trialsGame) (*soccer.Percepts, bool) {
	e.drift(g.s)
	broken := faulty(g.s, e.robot, g.now)
	p := &soccer.Percepts{Time: soccer.Epoch.Add(time.Duration(g.now * 1e9)), Self: e.localise(g, broken)}
	saw := false
	if !broken || g.s.Fault != frozen {
		saw = e.look(g)
	}
	for i, o := range e.last {
		sin, cos := math.Sincos(p.Self.Pose.Theta + o.angle)
		at := soccer.Vec3{X: p.Self.Pose.X + o.distance*cos, Y: p.Self.Pose.Y + o.distance*sin, Z: o.height}
		seen := soccer.Observation{Position: at, Confidence: e.trust}
		if i < e.balls {
			p.Balls = append(p.Balls, seen)
		} else {
			p.Obstacles = append(p.Obstacles, seen)
		}
	}
	if broken {
		e.lie(g, p)
	}
	return p, saw && !broken
}

// localise returns where the robot believes it is.
func (e *eye) localise(g *trialsGame, broken bool) soccer.Localisation {
	me := &g.bodies[e.robot]
	l := soccer.Localisation{
		Known: true, HasHeading: true, HasTwist: true, Confidence: 0.9,
		Pose: soccer.Pose{
			X: me.at.X + e.pose[0], Y: me.at.Y + e.pose[1], Theta: soccer.WrapAngle(me.heading + e.pose[2]),
		},
		Twist: soccer.Twist{X: me.velocity.X, Y: me.velocity.Y},
	}
	switch {
	case broken && g.s.Fault == biased:
		l.Pose.X += 0.9 * math.Cos(1)
		l.Pose.Y += 0.9 * math.Sin(1)
	case broken && g.s.Fault == mirrored:
		l = l.Turned()
	}
	return l
}

// look takes a new picture, false sights included, and reports whether the true ball is in it.
func (e *eye) look(g *trialsGame) (saw bool) {
	s, c, me := g.s, &g.s.Camera, &g.bodies[e.robot]
	imagined := func(reach float64) sight {
		return sight{distance: between(e.rng, 0.5, reach), angle: 2 * math.Pi * exact.Uniform(e.rng)}
	}
	e.last = e.last[:0]
	if saw = e.seesBall(g); saw {
		e.last = append(e.last, e.ball(c, me, &g.ball))
	}
	if exact.Uniform(e.rng) < c.FalseBalls {
		e.last = append(e.last, imagined(c.BallRange))
	}
	e.balls = len(e.last)
	for i := range g.bodies {
		o, mate := &g.bodies[i], i < robots
		if i == e.robot || mate && !s.Dribbling || o.at.Sub(me.at).Len() > c.BodyRange {
			continue
		}
		if exact.Uniform(e.rng) <= c.BodySeen {
			e.last = append(e.last, e.measured(c, me, o.at))
		}
	}
	if exact.Uniform(e.rng) < c.FalseBodies {
		e.last = append(e.last, imagined(c.BodyRange))
	}
	return saw
}

// drift advances the error of the pose by one picture.
func (e *eye) drift(s *Scenario) {
	keep := exact.Exp(-1 / (s.Camera.Rate * s.Camera.PoseTau))
	for i, sigma := range poseSigmas(s) {
		e.pose[i] = keep*e.pose[i] + sigma*math.Sqrt(1-keep*keep)*exact.Normal(e.rng)
	}
}

// seesBall reports whether the robot sees the ball. Robot 0 is blind 40 % of the time.
func (e *eye) seesBall(g *trialsGame) bool {
	s, me := g.s, &g.bodies[e.robot]
	if e.robot == 0 && math.Mod(g.now, 5) < 2 {
		return false
	}
	if s.HiddenEvery > 0 && math.Mod(g.now, s.HiddenEvery) < 0.8 && g.now > 1 {
		return false
	}
	ray := g.ball.at.Sub(me.at)
	d := ray.Len()
	if e.robot < s.Camera.Flat {
		if d *= stretch(g.ball.height); d == 0 {
			return false
		}
	}
	if d > s.Camera.BallRange {
		return false
	}
	if s.Dribbling && d > 0 {
		for i := range g.bodies {
			o := g.bodies[i].at.Sub(me.at)
			along := (o.X*ray.X + o.Y*ray.Y) / d
			if i != e.robot && along > 0 && along < d && math.Abs(o.X*ray.Y-o.Y*ray.X)/d < bodyWidth {
				return false
			}
		}
	}
	return true
}

// stretch returns by which factor a ball at this height above where it rolls seems farther away to a camera that takes it
// for one on the floor, 0 if its ray does not meet the floor.
func stretch(height float64) float64 {
	const camera = 0.75 - soccer.BallRadius // m above the centre of a ball that rolls
	if height >= camera {
		return 0
	}
	return camera / (camera - height)
}

// ball returns how the robot sees the ball.
func (e *eye) ball(c *TrialsCamera, me *walker, b *ball) sight {
	switch {
	case e.robot < c.Flat:
		ray, f := b.at.Sub(me.at), stretch(b.height)
		return e.measured(c, me, soccer.Vec{X: me.at.X + f*ray.X, Y: me.at.Y + f*ray.Y})
	case b.height == 0:
		return e.measured(c, me, b.at)
	}
	s := e.measured(c, me, b.at)
	s.height = soccer.BallRadius + b.height + e.noise*c.SigmaAngle*s.distance*exact.Normal(e.rng)
	return s
}

// measured returns how the robot sees a place.
func (e *eye) measured(c *TrialsCamera, me *walker, at soccer.Vec) sight {
	ray := at.Sub(me.at)
	d := ray.Len()
	return sight{
		distance: max(0.05, d*e.scale+e.noise*(c.SigmaBase+c.SigmaAlong*d)*exact.Normal(e.rng)),
		angle:    exact.Atan2(ray.Y, ray.X) - me.heading + e.noise*c.SigmaAngle*exact.Normal(e.rng),
	}
}

// lie changes the percepts of a robot whose fault is not one of its camera or pose.
func (e *eye) lie(g *trialsGame, p *soccer.Percepts) {
	b := g.ball.at
	switch g.s.Fault {
	case liar, twoAgree:
		b = soccer.Vec{X: -b.X, Y: -b.Y}
	case twoLiars:
		if e.robot == 1 {
			b.X = -b.X
		} else {
			b.Y = -b.Y
		}
	case millimetre:
		shrink := func(list []soccer.Observation) {
			for i := range list {
				list[i].Position.X /= 1000
				list[i].Position.Y /= 1000
			}
		}
		shrink(p.Balls)
		shrink(p.Obstacles)
		p.Self.Pose.X /= 1000
		p.Self.Pose.Y /= 1000
		return
	default:
		return
	}
	b.X += 0.05 * exact.Normal(e.rng)
	b.Y += 0.05 * exact.Normal(e.rng)
	p.Balls = append(p.Balls[:0], soccer.Observation{Position: soccer.Vec3{X: b.X, Y: b.Y}, Confidence: e.trust})
}
