package matchnet

import (
	"touchline/manager/managed"
)

// observe passes the newest picture of a robot to its checks, with the truth. It requires s.mu.
func (t *teamNodes) observe(number uint8, n *node) {
	body, ok := t.session.core.Body(number)
	if !ok || body.Sense.Time == n.hosted.observed {
		return
	}
	n.hosted.observed = body.Sense.Time
	n.hosted.Observe(n.Now(), &managed.Body{
		Now: t.session.core.Now(), Sense: body.Sense, Odometry: body.Travel,
		Truth: &managed.Truth{Robot: body.Pose, Ball: body.Ball},
	})
}
