package camera

import "touchline/soccer"

// Scene is all that moves before a camera, in the field frame.
type Scene struct {
	Time soccer.Time
	Self soccer.Pose // pose of the robot that carries the camera
	// Sway is by how much the camera looks elsewhere than its head's joints say, in rad: to the left, upwards, and
	// rolled to the right. Joints and a running robot's body cause it.
	Sway Sway
	// Turning is the angular velocity of the picture, in rad/s to the left: it blurs the pictures of a perspective lens.
	Turning float64

	HasBall   bool
	Ball      soccer.Vec3 // m, its centre
	Robots    []Body
	Obstacles []soccer.Vec // m, black drums without a marker
	People    []soccer.Vec // m, besides those that stand in the Venue

	// Light is the brightness of the hall; 1 is what DefaultParams suit, 0.4 a cloud before the windows, 0 darkness.
	Light float64
	// Warmth is the colour of the light: 0 white, 1 that of a light bulb, -1 that of a blue sky.
	Warmth float64
}

// Sway is a small rotation of a camera, in rad.
type Sway struct{ Pan, Tilt, Roll float64 }

// Body is another robot in view.
type Body struct {
	Pose  soccer.Pose
	Color soccer.Color // color of its marker; NoColor: black
}
