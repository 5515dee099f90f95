package matchnet

import (
	"touchline/manager/managed"
	"touchline/soccer"
)

// allowChecks lets a robot of the session execute checks of kicks and of the walk on the session's field. A helper puts
// the ball to its place.
func (t *teamNodes) allowChecks(cfg *managed.Config) {
	cfg.Field = t.session.cfg.Match.Field
	cfg.PlaceBall = func(at soccer.Vec) { // observe has the session's lock
		_ = t.session.core.PlaceBall(at) // where there is no room, it is asked again
	}
}

// observe passes the newest picture of a robot to its checks, with the truth. It requires s.mu.
func (t *teamNodes) observe(number uint8, n *node) {
	body, ok := t.session.core.Body(number)
	if !ok || body.Sense.Time == n.agent.observed {
		return
	}
	n.agent.observed = body.Sense.Time
	n.agent.Observe(n.Now(), &managed.Body{
		Now: t.session.core.Now(), Sense: body.Sense, Odometry: body.Travel,
		Truth: &managed.Truth{Robot: body.Pose, Ball: body.Ball},
	})
}
