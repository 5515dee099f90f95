package team

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
	Light         float32 // of the hall, 0 dark to 10; 1: that for which cameras are set
	Warmth        float32 // of the light, -1 a blue sky to 1 a light bulb
	Ball          [3]float32
	Robots        []Body // other ones, at most MaxBodies
	Obstacles     []Spot // black drums, at most MaxDrums
}

// Body is a robot of a Scene.
type Body struct {
	Color         uint8 // of its marker: 0 cyan, 1 magenta, 255 none
	X, Y, Heading float32
}

// Spot is a place on the floor, in the team frame.
type Spot struct{ X, Y float32 } // m

var (
	sceneFlags = []string{"known", "ball"}
	spanLight  = span{0, 10, ""}
	spanWarmth = span{-1, 1, ""}
)

func (m *Scene) layout(c *coder) {
	c.version()
	c.flags(sceneFlags, &m.Known, &m.HasBall)
	c.uint64("hall", "", &m.Hall)
	c.in("self", -1)
	c.float("x", m.Known, &m.X, &spanPosition)
	c.float("y", m.Known, &m.Y, &spanPosition)
	c.float("heading", m.Known, &m.Heading, &spanAngle)
	c.float("turning", m.Known, &m.Turning, &spanSpin)
	c.in("", -1)
	c.float("light", m.Known, &m.Light, &spanLight)
	c.float("warmth", m.Known, &m.Warmth, &spanWarmth)
	c.in("ball", -1)
	for i, name := range []string{"x", "y", "z"} {
		c.float(name, m.HasBall, &m.Ball[i], &spanPosition)
	}
	c.in("", -1)
	list(c, "robots", &m.Robots, MaxBodies)
	list(c, "obstacles", &m.Obstacles, MaxDrums)
	for i := range m.Robots {
		c.in("robots", i)
		c.color(&m.Robots[i].Color)
		c.float("x", true, &m.Robots[i].X, &spanPosition)
		c.float("y", true, &m.Robots[i].Y, &spanPosition)
		c.float("heading", true, &m.Robots[i].Heading, &spanAngle)
	}
	for i := range m.Obstacles {
		c.in("obstacles", i)
		c.float("x", true, &m.Obstacles[i].X, &spanPosition)
		c.float("y", true, &m.Obstacles[i].Y, &spanPosition)
	}
	c.in("", -1)
}

// DataType returns TypeScene.
func (m *Scene) DataType() uint16 { return TypeScene }

// AppendBinary appends m to b, like that of Belief.
func (m *Scene) AppendBinary(b []byte) ([]byte, error) {
	c := writer(b)
	m.layout(&c)
	return c.written()
}

// UnmarshalBinary decodes b, like that of Belief.
func (m *Scene) UnmarshalBinary(b []byte) error {
	c := reader(b)
	m.layout(&c)
	return c.err
}
