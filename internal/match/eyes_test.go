package match

import (
	"testing"

	"touchline/internal/camera"

	"touchline/soccer"
)

// TestLook lets a camera without a head look at a ball and a robot, and turns its pose by 180 degrees: a ball that then
// seems to lie outside of the field is not reported.
func TestLook(t *testing.T) {
	e := newEyes(camera.Omnidirectional(), camera.MSLVenue(soccer.MSL18x12(), 1), 6, 1)
	scene := camera.Scene{
		Self: soccer.Pose{X: 7.5}, HasBall: true, Ball: soccer.Vec3{X: 5.5, Y: 0.5, Z: soccer.BallRadius}, Light: 1,
		Robots: []camera.Body{{Pose: soccer.Pose{X: 6.5, Y: -1.5}}},
	}
	sense := soccer.Sense{Self: soccer.Localisation{Known: true, Pose: scene.Self}, Balls: make([]soccer.Observation, 3)}
	e.look(&scene, &sense)
	if len(sense.Balls) != 1 || sense.Balls[0].Position.XY().Sub(soccer.Vec{X: -2, Y: 0.5}).Len() > 0.12 ||
		sense.Balls[0].Cov.XX <= 0 || sense.Balls[0].Confidence <= 0 || sense.Balls[0].Confidence > 1 {
		t.Errorf("balls %+v", sense.Balls)
	}
	if len(sense.Obstacles) != 1 || sense.Obstacles[0].Position.XY().Sub(soccer.Vec{X: -1, Y: -1.5}).Len() > 0.2 {
		t.Errorf("obstacles %+v", sense.Obstacles)
	}
	sense.Self.Pose.X = -7.5
	if e.look(&scene, &sense); len(sense.Balls) != 1 {
		t.Errorf("at x -9.5 it sees %d balls", len(sense.Balls))
	}
	sense.Self.Pose.X = -8
	if e.look(&scene, &sense); len(sense.Balls) != 0 {
		t.Errorf("at x -10 it sees %d balls", len(sense.Balls))
	}
}
