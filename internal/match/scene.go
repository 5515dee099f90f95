package match

import (
	"touchline/game"
	"touchline/internal/camera"
)

// Scene sets scene to all that the camera of a robot may see, in its team frame. It reports false for a robot that is not
// on the field.
func (m *Match) Scene(side game.Side, number uint8, scene *camera.Scene) bool {
	p := m.player(side, number)
	if p == nil {
		return false
	}
	self, twist, on := m.engine.Robot(p.id)
	if !on {
		return false
	}
	turned := m.turned(side)
	*scene = camera.Scene{Time: m.now, Self: self, Turning: twist.Theta, HasBall: true, Light: 1, Robots: scene.Robots[:0]}
	scene.Ball, _ = m.engine.Ball()
	if turned {
		scene.Self, scene.Ball = scene.Self.Turned(), scene.Ball.Turned()
	}
	for i := range m.players {
		other := &m.players[i]
		pose, on := m.engine.RobotPose(other.id)
		if !on || other == p {
			continue
		}
		if turned {
			pose = pose.Turned()
		}
		scene.Robots = append(scene.Robots, camera.Body{Pose: pose, Color: other.side.Color()})
	}
	return true
}
