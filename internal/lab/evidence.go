package lab

import (
	"slices"

	"touchline/soccer"
)

// evidence says from when on a faulty robot could be known for one: when the game first contradicted it where a healthy
// robot looked. A robot is not contradicted while it reports nothing that is wrong, or while nobody sees what is there.
type evidence struct {
	saw   [robots]float64 // s, when each healthy robot last saw the ball
	run   [robots]int     // pictures of each faulty robot that were contradicted, without one between them that was not
	began [robots]float64 // s, of the first of them
	since [robots]float64 // s, when the first long run began; 0: there was none
}

const (
	falseBy   = 1.0 // m, from which a report is wrong
	sawLately = 0.1 // s, after which a robot sees the ball no longer
	surely    = 0.7 // part of a camera's range in which it hardly misses a body
	longRun   = 5   // pictures: healthy robots miss a body or see a false ball, but not in as many running
)

// note notes what a robot's picture says at now, in seconds, and whether it shows the true ball.
func (e *evidence) note(g *trialsGame, robot int, p *soccer.Percepts, saw bool) {
	if saw {
		e.saw[robot] = g.now
	}
	switch {
	case !faulty(g.s, robot, g.now) || !e.contradicted(g, robot, p):
		e.run[robot] = 0
	default:
		if e.run[robot]++; e.run[robot] == 1 {
			e.began[robot] = g.now
		}
		if e.run[robot] == longRun && e.since[robot] == 0 {
			e.since[robot] = e.began[robot]
		}
	}
}

// contradicted reports whether a healthy robot sees that a picture is wrong: the ball or an obstacle is elsewhere, or there
// is an opponent where it shows none.
func (e *evidence) contradicted(g *trialsGame, robot int, p *soccer.Percepts) bool {
	body := func(at soccer.Vec) bool {
		return slices.ContainsFunc(g.bodies[:], func(w walker) bool { return w.at.Sub(at).Len() < falseBy })
	}
	wrongBall := slices.ContainsFunc(p.Balls, func(o soccer.Observation) bool {
		return o.Position.XY().Sub(g.ball.at).Len() > falseBy
	})
	for k := range robots {
		if faulty(g.s, k, g.now) {
			continue
		}
		reach := surely * g.s.Camera.BodyRange
		looks := func(at soccer.Vec) bool { return at.Sub(g.bodies[k].at).Len() < reach }
		if wrongBall && g.now-e.saw[k] < sawLately {
			return true
		}
		for i := range p.Obstacles {
			if at := p.Obstacles[i].Position.XY(); looks(at) && !body(at) {
				return true
			}
		}
		for i := range g.bodies[robots:] {
			at := g.bodies[robots+i].at
			if looks(at) && at.Sub(p.Self.Pose.XY()).Len() < reach && !slices.ContainsFunc(p.Obstacles,
				func(o soccer.Observation) bool { return o.Position.XY().Sub(at).Len() < falseBy }) {
				return true
			}
		}
	}
	return false
}
