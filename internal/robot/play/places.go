package play

import (
	"math"
	"time"

	"touchline/soccer"
)

// job is what a robot does that does not go to the ball, in the order of importance.
type job uint8

const (
	noJob     job = iota
	defender      // between the ball and the own goal
	supporter     // free, to receive a pass
	wide          // on the other side
	cover         // behind
	jobs
)

// place is the job of a robot of the team, and since when.
type place struct {
	job   job
	since soccer.Time
}

// assign gives jobs to the robots that do not go to the ball, from their poses alone: all robots of a team find the same
// without a word. The nearest robot takes each place, the most important first, and keeps it while no other robot is
// nearer by more than steady. Lower numbers count as a little nearer, which decides between equals. Every renew robots
// forget who has which place: two that both believe to have one agree again.
func (s *scene) assign() {
	const (
		renew = 2 * time.Second
		lower = 0.25 // m
	)
	m := s.memory
	waits, steady := m.piece.active, 1.0 // m
	if waits {
		steady = 4 // everybody has the time to get there
	}
	if s.Now.Sub(m.renewed) > renew {
		m.renewed, steady = s.Now, 0
	}
	var free [maxRobot + 1]bool
	var at [maxRobot + 1]soccer.Vec
	if goes := s.onBall() && !waits || waits && s.takes(); s.located && !s.isKeeper && !goes {
		free[s.cfg.Number], at[s.cfg.Number] = true, s.me
	}
	for i := range s.circles[:s.mates] {
		c := &s.circles[i]
		goes := s.cfg.Books && c.number == s.Booker
		if waits {
			goes = c.number == s.taker && s.ours()
		}
		if c.number != s.keeper && !goes && !soccer.RobotSet(s.Referee.Out).Has(c.number) {
			free[c.number], at[c.number] = true, c.at
		}
	}
	var jobOf [maxRobot + 1]job
	for j := defender; j < jobs; j++ {
		to := s.placeOf(j)
		if waits {
			to, _ = s.piecePlace(s.piecePost(j))
		}
		best, cost := 0, 0.0
		for n := range free {
			if !free[n] {
				continue
			}
			d := at[n].Sub(to).Len() + float64(lower*float64(n))
			if m.places[n].job == j {
				d -= steady
			}
			if best == 0 || d < cost {
				best, cost = n, d
			}
		}
		if best == 0 {
			break
		}
		free[best], jobOf[best] = false, j
	}
	if free[s.cfg.Number] {
		jobOf[s.cfg.Number] = cover
	}
	for n := range jobOf {
		if m.places[n].job != jobOf[n] {
			m.places[n] = place{jobOf[n], s.Now}
		}
	}
	s.job = jobOf[s.cfg.Number]
}

// crowded reports whether several opponents are near the ball, or were a moment ago.
func (s *scene) crowded() bool {
	const (
		near    = 2.5 // m
		several = 3
		lasts   = 2000 * time.Millisecond
	)
	n := 0
	for _, c := range s.others() {
		if c.at.Sub(s.lastBall()).Len() < near {
			n++
		}
	}
	if n >= several {
		s.memory.crowd = s.Now
	}
	return s.memory.crowd > 0 && s.Now.Sub(s.memory.crowd) < lasts
}

// lastBall returns where the ball is, or was when it was known last; the centre before that.
func (s *scene) lastBall() soccer.Vec { return s.memory.lastBall }

// placeOf returns the place of a job.
func (s *scene) placeOf(j job) soccer.Vec {
	f, b := s.field, s.lastBall()
	goal := soccer.Vec{X: -s.end}
	switch j {
	case defender:
		d := goal.Sub(b)
		back := max(2.2, 0.5*d.Len())
		if s.crowded() {
			back = 1.8 // a ball that comes loose comes here
		}
		return s.allowed(b.Add(d.Unit().Scale(back)))
	case supporter:
		return s.supportSpot()
	case wide:
		if s.crowded() {
			d := goal.Sub(b).Unit()
			side := sign(b.Y) * sign(d.X) // side of the goal's direction, towards the middle
			out := soccer.Vec{X: float64(0.64*d.X) + float64(0.77*side*d.Y), Y: float64(0.64*d.Y) - float64(0.77*side*d.X)}
			return s.allowed(b.Add(out.Scale(2.4)))
		}
		x := clamp(b.X-0.5, s.end-2.5)
		return s.allowed(soccer.Vec{X: x, Y: float64(-sign(b.Y) * f.Width * 0.3)})
	}
	return s.allowed(soccer.Vec{X: clamp(b.X-3, s.end-3), Y: float64(sign(b.Y) * f.Width * 0.2)})
}

// supportSpot returns where a pass from the ball can be received. It weighs places around the ball five times a second:
// how open the ball's way to each is, how near the goal it is, how open its way to the goal is and how far the present
// spot is.
func (s *scene) supportSpot() soccer.Vec {
	const (
		period = 200 * time.Millisecond
		near   = 3.0 // m
		far    = 5.0 // m
	)
	m := s.memory
	if m.spotAt > 0 && s.Now.Sub(m.spotAt) < period {
		return m.spot
	}
	b := s.lastBall()
	goal := soccer.Vec{X: s.end}
	best, worth := soccer.Vec{}, math.Inf(-1)
	for i := range 14 {
		r := near
		if i >= 7 {
			r = far
		}
		p := b.Add(turned(float64(i%7-3) * 0.5).Scale(r))
		if math.Abs(p.X) > s.end-2.4 || math.Abs(p.Y) > s.touch-0.8 {
			continue
		}
		w := min(s.open(b, p, 4, s.cfg.Number), 1) + float64(0.5*min(s.open(p, goal, shotSpeed, s.cfg.Number), 0.5)) -
			float64(0.1*p.Sub(goal).Len()) - float64(0.12*p.Sub(m.spot).Len())
		if w > worth {
			best, worth = p, w
		}
	}
	if math.IsInf(worth, -1) {
		best = s.allowed(soccer.Vec{X: clamp(b.X, s.end-3), Y: b.Y - float64(sign(b.Y)*near)})
	}
	m.spot, m.spotAt = best, s.Now
	return best
}

// clearOfBall is the distance from the ball that robots keep that do not go to it, in m.
const clearOfBall = 1.5

// take takes the place of the robot's job.
func (s *scene) take(j job, intention string) Action {
	away := keep{s.lastBall(), clearOfBall}
	to := s.pushedOut(s.placeOf(j), away)
	return s.drive(to, bearing(s.me, s.lastBall()), cruise, away, intention)
}

func defend(s *scene) Action   { return s.take(defender, "defend") }
func support(s *scene) Action  { return s.take(supporter, "support") }
func holdWide(s *scene) Action { return s.take(wide, "hold the other side") }
func coverUp(s *scene) Action  { return s.take(cover, "cover") }

// mark stands between the goal and the opponent that is nearest to it, apart from the one with the ball.
func mark(s *scene) Action {
	goal := soccer.Vec{X: -s.end}
	var at *circle
	others := s.others()
	for i := range others {
		c := &others[i]
		if c.at.Sub(s.lastBall()).Len() > 1.5 && (at == nil || c.at.Sub(goal).Len() < at.at.Sub(goal).Len()) {
			at = c
		}
	}
	if at == nil {
		return holdWide(s)
	}
	away := keep{s.lastBall(), clearOfBall}
	to := s.pushedOut(s.allowed(at.at.Add(goal.Sub(at.at).Unit().Scale(0.9))), away)
	return s.drive(to, bearing(s.me, s.lastBall()), cruise, away, "mark")
}

// search looks for the ball: first the robot turns, then it goes to where the ball was, and at last to a place of its
// own.
func search(s *scene) Action {
	const (
		look   = 1500 * time.Millisecond
		recent = 6 * time.Second
		spin   = 1.5 // rad/s
	)
	m := s.memory
	a := Action{Intention: "search the ball"}
	if unseen := s.Now.Sub(m.lastAt); unseen > look {
		to := s.patrol(min(unseen, s.Now.Sub(m.began)))
		if m.lastAt > 0 && unseen < recent && s.nearestTo(m.lastBall) {
			to = m.lastBall
		}
		a = s.drive(s.allowed(to), s.self.Theta, cruise, keep{}, a.Intention)
	}
	a.Motor.Twist.Theta = spin
	return a
}

// patrol returns where a robot looks for a ball that is out of sight: one place of the field after the other. Robots of
// different numbers are at different places.
func (s *scene) patrol(unseen time.Duration) soccer.Vec {
	const stay = 5 * time.Second
	shares := [...]soccer.Vec{{X: -0.3, Y: 0.25}, {X: -0.3, Y: -0.25}, {X: 0.3, Y: -0.25}, {X: 0.3, Y: 0.25}}
	at := shares[(int(unseen/stay)+int(s.cfg.Number))%len(shares)]
	return soccer.Vec{X: float64(at.X * s.field.Length), Y: float64(at.Y * s.field.Width)}
}

// nearestTo reports whether no teammate is nearer to a place.
func (s *scene) nearestTo(at soccer.Vec) bool {
	d := s.me.Sub(at).Len()
	for i := range s.circles[:s.mates] {
		if c := &s.circles[i]; c.number != s.keeper && c.at.Sub(at).Len() < d {
			return false
		}
	}
	return true
}
