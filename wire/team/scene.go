package team

import "touchline/wire/internal/coder"

// Bounds of a Scene.
const (
	MaxBodies = 32 // robots of a Scene
	MaxDrums  = 32 // obstacles of a Scene
)

// Scene is all that a simulated camera of a robot may see: the truth, in the team frame. It is for the program that draws
// the pictures, and not for the robot's software. A robot asks for it with one that is not known.
type Scene struct {
	Known         bool
	HasBall       bool
	Hall          uint64  // seed of the posters and people around the field
	X, Y, Heading float32 // m, rad: of the robot
	Turning       float32 // rad/s, of the robot
	Light         float32 // brightness of the hall, 0 dark to 10; cameras are set for 1
	Warmth        float32 // colour of the light, -1 a blue sky to 1 a light bulb
	Ball          [3]float32
	Robots        []Body // other ones, at most MaxBodies
	Obstacles     []Spot // black drums, at most MaxDrums
}

// Body is a robot of a Scene.
type Body struct {
	Color         uint8 // colour of its marker: 0 cyan, 1 magenta, 255 none
	X, Y, Heading float32
}

// Spot is a place on the floor, in the team frame.
type Spot struct{ X, Y float32 } // m

var (
	sceneFlags = []string{"known", "ball"}
	spanLight  = coder.NewSpan(0, 10, "")
	spanWarmth = coder.NewSpan(-1, 1, "")
)

func (m *Scene) layout(c *coder.Coder) {
	c.CheckVersion()
	c.Flags(sceneFlags, &m.Known, &m.HasBall)
	c.Uint64("hall", "", &m.Hall)
	c.In("self", -1)
	c.Float("x", m.Known, &m.X, &spanPosition)
	c.Float("y", m.Known, &m.Y, &spanPosition)
	c.Float("heading", m.Known, &m.Heading, &spanAngle)
	c.Float("turning", m.Known, &m.Turning, &spanSpin)
	c.In("", -1)
	c.Float("light", m.Known, &m.Light, &spanLight)
	c.Float("warmth", m.Known, &m.Warmth, &spanWarmth)
	c.In("ball", -1)
	for i, name := range []string{"x", "y", "z"} {
		c.Float(name, m.HasBall, &m.Ball[i], &spanPosition)
	}
	c.In("", -1)
	coder.List(c, "robots", &m.Robots, MaxBodies)
	coder.List(c, "obstacles", &m.Obstacles, MaxDrums)
	for i := range m.Robots {
		c.In("robots", i)
		color(c, &m.Robots[i].Color)
		c.Float("x", true, &m.Robots[i].X, &spanPosition)
		c.Float("y", true, &m.Robots[i].Y, &spanPosition)
		c.Float("heading", true, &m.Robots[i].Heading, &spanAngle)
	}
	for i := range m.Obstacles {
		c.In("obstacles", i)
		c.Float("x", true, &m.Obstacles[i].X, &spanPosition)
		c.Float("y", true, &m.Obstacles[i].Y, &spanPosition)
	}
	c.In("", -1)
}
