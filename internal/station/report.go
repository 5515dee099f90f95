package station

import (
	"math"
	"time"

	"touchline/soccer"
	"touchline/wire/msl"
	"touchline/wire/team"
)

// reportFor is the time for which the world of a debug record counts: robots send ten of them a second.
const reportFor = 500 * time.Millisecond

// place is in m^2 the spread of a ball of which nobody tells a confidence, and which then has one of 0.5: within half a
// metre.
const place = 0.25

// report is the world of one robot, as its newest debug record has it.
type report struct {
	robot      uint8   // 0: none
	spread     float64 // m^2: variance of its ball; +Inf without a ball
	confidence float64 // confidence of its ball
	world      soccer.World
}

// ReceiveDebug notes the debug record that a robot sent over the TCM: its ball and its obstacles are those of worldstates
// while no robot sends packages. Among records of the last 0.5 s, the one that knows the ball best counts. Numbers outside
// 1..99 are ignored, and so are objects with NaN or more than 100 m away.
func (s *Station) ReceiveDebug(robot uint8, at soccer.Time, m *team.Debug) {
	if robot < 1 || robot > msl.MaxNumber {
		return
	}
	r, spread := &s.report, math.Inf(1)
	if isNear(float64(m.Ball.X), float64(m.Ball.Y), float64(m.Ball.Z), float64(m.Ball.VX), float64(m.Ball.VY), float64(m.Ball.VZ)) &&
		m.Ball.Known && !math.IsNaN(float64(m.Ball.Cov[0]+m.Ball.Cov[4])) {
		spread = float64(m.Ball.Cov[0] + m.Ball.Cov[4])
	}
	if r.robot != robot && r.isRecent(at) && spread >= r.spread {
		return
	}
	r.robot, r.spread, r.confidence = robot, spread, place/(place+spread)
	if c := float64(m.Ball.Confidence); c > 0 && c <= 1 {
		r.confidence = c
	}
	m.World(at, &r.world)
}

// isRecent reports whether the world of the report still counts.
func (r *report) isRecent(now soccer.Time) bool {
	return r.robot != 0 && now.Sub(r.world.Time) <= reportFor
}

// isNear reports whether values are those of an object on a field, in m, m/s, rad or rad/s.
func isNear(values ...float64) bool {
	const far = 100
	for _, v := range values {
		if !(math.Abs(v) <= far) {
			return false
		}
	}
	return true
}

// addReport adds the ball and the obstacles of the newest report to the worldstate.
func (s *Station) addReport() {
	r := &s.report
	if b := &r.world.Ball; !math.IsInf(r.spread, 1) {
		s.out.Balls = append(s.out.Balls, msl.NewBall(soccer.Observation{
			Position: b.Position, Velocity: b.Velocity, HasVelocity: true, Confidence: r.confidence,
		}))
	}
	for i := range r.world.Obstacles {
		o := &r.world.Obstacles[i]
		if isNear(o.Position.X, o.Position.Y, o.Velocity.X, o.Velocity.Y) {
			s.addObstacle(o)
		}
	}
}
