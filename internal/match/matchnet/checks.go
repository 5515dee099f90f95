package matchnet

import (
	"time"

	"touchline/internal/manager"
	"touchline/soccer"
)

// placeEvery is the time after which the helper puts the ball at its place again.
const placeEvery = 2 * time.Second

// helper stands beside the field while robots execute checks, of the session's loop.
type helper struct {
	course manager.Course // where everything truly is
	robots []manager.Place
	placed soccer.Time // when the helper put the ball at its place; 0: never
}

// observe passes the newest picture of a robot to its checks. It requires s.mu.
func (t *teamNodes) observe(number uint8, n *node) {
	body, ok := t.session.core.Body(number)
	if !ok || body.Sense.Time == n.agent.observed {
		return
	}
	n.agent.observed = body.Sense.Time
	n.agent.Observe(n.Now(), &manager.Body{Now: t.session.core.Now(), Sense: body.Sense, Odometry: body.Travel})
}

// help does for checks what people do beside a field: no ball is kicked in meanwhile, and the ball is put back. It notes the
// truth, which the page shows beside what a robot measures. It requires s.mu.
func (t *teamNodes) help() {
	s, h := t.session, &t.helper
	running := t.workstation.Checks()
	s.core.Quiet(len(running) > 0)
	if len(running) == 0 {
		return
	}
	now, field := t.station.Now(), s.core.Now()
	behind := time.Duration(float64(s.at(time.Now()).Sub(field)) / s.speed)
	truth := s.core.Truth()
	h.robots = h.robots[:0]
	for i := range truth.Robots {
		h.robots = append(h.robots, manager.Place{Robot: truth.Robots[i].Number, Pose: truth.Robots[i].Pose})
	}
	h.course.Note(now.Add(-behind), field, soccer.Vec3{X: truth.Ball.X, Y: truth.Ball.Y, Z: truth.Ball.Z}, h.robots)
	for _, c := range running {
		if c.Waits && c.Said > h.placed && now.Sub(h.placed) >= placeEvery {
			h.placed = now
			_ = s.core.PlaceBall(c.Place) // where there is no room, it is tried again
		}
	}
}
