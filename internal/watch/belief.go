package watch

import (
	"math"
	"slices"
	"time"

	"touchline/soccer"
)

// BeliefOf converts a world for the page: to the field frame, with ages in ms. color is the side whose team frame the
// world is in, self the jersey number of the robot whose world it is, 0 for none, and cameras are the jersey numbers of
// camera units without a robot.
func BeliefOf(w *soccer.World, color soccer.Color, self uint8, cameras soccer.RobotSet) Belief {
	turned := color == soccer.Magenta
	age := func(t soccer.Time) *float64 {
		a := w.Time.Sub(t).Seconds() * 1e3
		return &a
	}
	b := Belief{By: Jerseys{}, Robots: []Figure{}, Unplaced: Jerseys{}, Obstacles: []Thing{}}
	if w.Ball.Known {
		t := thing(w.Ball.Position, w.Ball.Velocity.XY(), turned)
		cov := w.Ball.Cov // a turn by pi leaves a covariance as it is
		t.Cov, t.Age = &cov, age(w.Ball.LastSeen)
		b.Ball = &t
		b.SeesBall = w.Ball.SeenBy.Has(self)
		for n := range uint8(64) {
			if w.Ball.SeenBy.Has(n) {
				b.By = append(b.By, n)
			}
		}
	}
	for i := range w.Obstacles {
		o := &w.Obstacles[i]
		t := thing(soccer.Vec3{X: o.Position.X, Y: o.Position.Y}, o.Velocity, turned)
		cov := o.Cov
		t.Cov, t.Age = &cov, age(o.LastSeen)
		b.Obstacles = append(b.Obstacles, t)
	}
	b.Goal = goal(&w.Goal, w.Time, turned)
	if self != 0 {
		b.place(figure(self, color, w.Self, cameras, true))
		b.Disagrees = disagreement(&w.SelfDisagrees, w.Time)
	}
	for i := range w.Peers {
		p := &w.Peers[i]
		f, placed := figure(p.Sender.Robot, color, p.Self, cameras, false)
		f.Age, f.Trust = age(p.LastReceived), trust(p, w.Time, turned)
		b.place(f, placed)
	}
	return b
}

// goal converts the newest goal, nil without one in the last minute.
func goal(g *soccer.Goal, now soccer.Time, turned bool) *Goal {
	since := now.Sub(g.At)
	if g.At == 0 || since > time.Minute {
		return nil
	}
	end := 1.0
	if g.Conceded != turned {
		end = -1
	}
	return &Goal{Conceded: g.Conceded, End: end, Seconds: max(0, since.Seconds()), Probability: g.Probability}
}

// trust converts what a world model has learnt of a peer, nil if the belief does not contain it: a model doubts every
// robot a little.
func trust(p *soccer.Peer, now soccer.Time, turned bool) *Trust {
	if p.Doubt == 0 {
		return nil
	}
	t := &Trust{PoseError: p.PoseError, Doubt: p.Doubt, Disagrees: disagreement(&p.Disagrees, now)}
	if turned {
		t.PoseError.X, t.PoseError.Y = -t.PoseError.X, -t.PoseError.Y
	}
	return t
}

func disagreement(d *soccer.Disagreement, now soccer.Time) *Disagreement {
	if d.Since == 0 {
		return nil
	}
	return &Disagreement{Seconds: now.Sub(d.Since).Seconds(), What: d.What.String(), By: d.By}
}

// place adds a robot to those on the field, or to those without self-localisation.
func (b *Belief) place(f Figure, placed bool) {
	if placed {
		b.Robots = append(b.Robots, f)
	} else {
		b.Unplaced = append(b.Unplaced, f.Number)
	}
}

// figure converts a robot to the field frame. It reports whether the robot knows its pose.
func figure(
	number uint8, color soccer.Color, l soccer.Localisation, cameras soccer.RobotSet, self bool,
) (Figure, bool) {
	if color == soccer.Magenta {
		l = l.Turned()
	}
	f := Figure{Number: number, Color: color, Shape: "robot", Pose: l.Pose, Facing: l.HasHeading, Self: self}
	if cameras.Has(number) {
		f.Shape = "camera"
	}
	return f, l.Known
}

func thing(p soccer.Vec3, v soccer.Vec, turned bool) Thing {
	if turned {
		p, v = p.Turned(), v.Turned()
	}
	return Thing{X: p.X, Y: p.Y, Z: p.Z, VX: v.X, VY: v.Y}
}

// PerceptsOf converts the contents of one package for the page: what a robot perceives with its own sensors. age is the
// time since the package arrived.
func PerceptsOf(p *soccer.Percepts, from soccer.Sender, age time.Duration) Belief {
	turned := from.Color == soccer.Magenta
	ageMillis := age.Seconds() * 1e3
	b := Belief{By: Jerseys{}, Robots: []Figure{}, Unplaced: Jerseys{}, Obstacles: []Thing{}}
	if len(p.Balls) > 0 {
		t := thing(p.Balls[0].Position, p.Balls[0].Velocity.XY(), turned)
		t.Age = &ageMillis
		b.Ball, b.SeesBall, b.By = &t, true, Jerseys{from.Robot}
	}
	for i := range p.Obstacles {
		t := thing(p.Obstacles[i].Position, p.Obstacles[i].Velocity.XY(), turned)
		t.Age = &ageMillis
		b.Obstacles = append(b.Obstacles, t)
	}
	f, placed := figure(from.Robot, from.Color, p.Self, 0, true)
	f.Age = &ageMillis
	b.place(f, placed)
	return b
}

// Score compares a belief with the ground truth. It returns the error of the ball in m, nil without a ball, the number
// of true obstacles within half a metre of a believed one, and the number of believed obstacles that are near neither a
// true obstacle nor one of bodies, the other bodies on the field.
func (b *Belief) Score(truth *Scene, bodies []soccer.Vec) (ballError *float64, found, ghosts int) {
	const same = 0.5
	if b.Ball != nil {
		e := soccer.Vec{X: b.Ball.X - truth.Ball.X, Y: b.Ball.Y - truth.Ball.Y}.Len()
		ballError = &e
	}
	near := func(a Thing, x, y float64) bool { return soccer.Vec{X: a.X - x, Y: a.Y - y}.Len() <= same }
	for _, o := range truth.Obstacles {
		for _, t := range b.Obstacles {
			if near(t, o.X, o.Y) {
				found++
				break
			}
		}
	}
	for _, t := range b.Obstacles {
		there := slices.ContainsFunc(truth.Obstacles, func(o Thing) bool { return near(t, o.X, o.Y) }) ||
			slices.ContainsFunc(bodies, func(v soccer.Vec) bool { return near(t, v.X, v.Y) })
		if !there {
			ghosts++
		}
	}
	return ballError, found, ghosts
}

// Spread returns the root mean square distance of the live tiles' balls from their mean in m, nil with fewer than two
// balls.
func Spread(tiles []Tile) *float64 {
	var balls []soccer.Vec
	var x, y float64
	for i := range tiles {
		if b := tiles[i].Belief.Ball; b != nil && tiles[i].State == "live" {
			balls = append(balls, soccer.Vec{X: b.X, Y: b.Y})
			x, y = x+b.X, y+b.Y
		}
	}
	n := float64(len(balls))
	if n < 2 {
		return nil
	}
	x, y = x/n, y/n
	sum := 0.0
	for _, b := range balls {
		dx, dy := b.X-x, b.Y-y
		sum += float64(dx*dx) + float64(dy*dy)
	}
	spread := math.Sqrt(sum / n)
	return &spread
}
