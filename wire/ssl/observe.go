package ssl

import (
	"fmt"
	"math"

	"touchline/soccer"
	"touchline/wire/internal/sslvision"
)

// Scene is what a packet says of the field, in m and rad in the league's frame: x along the field's length, y to its
// left.
type Scene struct {
	Time    soccer.Time // Unix time of the data
	HasBall bool
	Ball    soccer.Vec3
	Robots  []SceneRobot
}

// SceneRobot is a robot of a Scene.
type SceneRobot struct {
	Team Team
	ID   uint8
	Pose soccer.Pose
}

// farthest is the distance in m from the centre beyond which nothing is on a field.
const farthest = 100

// Observe converts m to s and reuses its memory: the primary ball, and the robots of both teams. The error names the
// value that is out of range; s is empty then.
func (m *Tracker) Observe(s *Scene) error {
	f := &m.Frame
	at, err := unixTime("timestamp", f.Timestamp)
	*s = Scene{Time: at, Robots: s.Robots[:0]}
	if err != nil {
		return err
	}
	if len(f.Balls) > 0 {
		b := &f.Balls[0]
		s.HasBall, s.Ball = true, soccer.Vec3{X: float64(b.X), Y: float64(b.Y), Z: float64(b.Z)}
		err = near("balls[0].pos", s.Ball.X, s.Ball.Y, s.Ball.Z)
	}
	for i := range f.Robots {
		r := &f.Robots[i]
		if err == nil {
			err = s.add(r.Team, r.ID, float64(r.X), float64(r.Y), float64(r.Orientation))
		}
	}
	return s.finish(err)
}

// Observe converts what one camera sees to s and reuses its memory: the ball with the highest confidence, and the
// recognised robots of both teams. The error names the value that is out of range; s is empty then.
func (m *Vision) Observe(s *Scene) error {
	d := &m.Detection
	at, err := unixTime("t_capture", d.Captured)
	*s = Scene{Time: at, Robots: s.Robots[:0]}
	if err != nil {
		return err
	}
	best := float32(-1)
	for i := range d.Balls {
		if b := &d.Balls[i]; b.Confidence > best {
			best = b.Confidence
			s.HasBall, s.Ball = true, soccer.Vec3{X: metres(b.X), Y: metres(b.Y), Z: metres(b.Z)}
		}
	}
	if s.HasBall {
		err = near("balls", s.Ball.X, s.Ball.Y, s.Ball.Z)
	}
	for i, list := range [...][]VisionBot{d.Yellow, d.Blue} {
		for k := range list {
			if r := &list[k]; err == nil && r.HasID {
				err = s.add([...]Team{Yellow, Blue}[i], r.ID, metres(r.X), metres(r.Y), float64(r.Orientation))
			}
		}
	}
	return s.finish(err)
}

// add adds a robot.
func (s *Scene) add(team Team, id uint32, x, y, theta float64) error {
	name := fmt.Sprintf("robot %v %d", team, id)
	switch {
	case id > MaxID || team != Yellow && team != Blue:
		return fmt.Errorf("ssl: %s: no such robot", name)
	case !(math.Abs(theta) <= 1e6):
		return fmt.Errorf("ssl: %s: orientation %v is out of range", name, theta)
	}
	s.Robots = append(s.Robots, SceneRobot{team, uint8(id), soccer.Pose{X: x, Y: y, Theta: soccer.WrapAngle(theta)}})
	return near(name, x, y)
}

func (s *Scene) finish(err error) error {
	if err != nil {
		*s = Scene{Robots: s.Robots[:0]}
	}
	return err
}

// near returns an error for a place that is not near a field.
func near(name string, values ...float64) error {
	for _, v := range values {
		if !(math.Abs(v) <= farthest) {
			return fmt.Errorf("ssl: %s: %v m is out of range", name, v)
		}
	}
	return nil
}

// unixTime converts s of Unix time.
func unixTime(name string, seconds float64) (soccer.Time, error) {
	if !(seconds >= 0 && seconds < 9e9) {
		return 0, fmt.Errorf("ssl: %s: %v s is out of range", name, seconds)
	}
	whole := math.Trunc(seconds)
	return soccer.Time(int64(whole)*1e9 + int64(math.Round((seconds-whole)*1e9))), nil
}

// metres converts mm to m, to the nearest of the values that have at most 4 decimal places.
func metres(v float32) float64 { return math.Round(float64(v)*1e4) / 1e7 }

// FieldOf converts the size of the field. Values that g lacks are those of SSL Rules 2026.
func FieldOf(g *Geometry) soccer.Field {
	m := func(v int32, standard float64) float64 {
		if v <= 0 {
			return standard
		}
		return float64(v) / 1000
	}
	f := soccer.Field{
		Length: m(g.Length, 9), Width: m(g.Width, 6), Border: m(g.Boundary, 0.3), LineWidth: m(g.LineThickness, 0.01),
		GoalWidth: m(g.GoalWidth, 1), GoalHeight: m(g.GoalHeight, 0.155), GoalDepth: m(g.GoalDepth, 0.18),
		PenaltyAreaLength: m(g.PenaltyDepth, 0), PenaltyAreaWidth: m(g.PenaltyWidth, 0),
		CircleRadius: m(g.CircleRadius, 0.5),
	}
	f.Name = fmt.Sprintf("SSL %g x %g m", f.Length, f.Width)
	if g.PenaltyMark > 0 {
		f.PenaltySpot = float64(g.PenaltyMark) / 1000
	}
	return f
}

// IsField reports whether sizes are those of a field: at most 100 m long and wide, with goals and areas that fit on it
// and walls within 10 m.
func IsField(f *soccer.Field) bool {
	return f.Length <= 100 && f.Width <= 100 && f.GoalWidth < f.Width && f.PenaltyAreaWidth <= f.Width &&
		max(f.PenaltyAreaLength, f.PenaltySpot) <= f.Length && f.CircleRadius <= f.Width &&
		max(f.Border, f.GoalDepth, f.GoalHeight, f.LineWidth) <= 10
}

// GeometryOf is the inverse of FieldOf, with the lines and the arc of the field and a robot's largest radius of 90 mm.
func GeometryOf(f *soccer.Field, ballRadius float64) Geometry {
	mm := func(v float64) int32 { return int32(math.Round(v * 1000)) }
	g := Geometry{
		Length: mm(f.Length), Width: mm(f.Width), GoalWidth: mm(f.GoalWidth), GoalDepth: mm(f.GoalDepth),
		Boundary: mm(f.Border), PenaltyDepth: mm(f.PenaltyAreaLength), PenaltyWidth: mm(f.PenaltyAreaWidth),
		CircleRadius: mm(f.CircleRadius), LineThickness: mm(f.LineWidth), PenaltyMark: mm(f.PenaltySpot),
		GoalHeight: mm(f.GoalHeight), BallRadius: float32(ballRadius * 1000), MaxRobotRadius: 90,
		BoundaryGoalLine: mm(f.Border),
	}
	x, y := float32(float32(g.Length)*0.5), float32(float32(g.Width)*0.5)
	deep, wide := x-float32(g.PenaltyDepth), float32(g.PenaltyWidth)/2
	for i, l := range [...][4]float32{ // from TopTouchLine on
		{-x, y, x, y}, {-x, -y, x, -y}, {-x, -y, -x, y}, {x, -y, x, y}, {0, -y, 0, y}, {-x, 0, x, 0},
		{-deep, -wide, -deep, wide}, {deep, -wide, deep, wide}, {-x, -wide, -deep, -wide}, {-x, wide, -deep, wide},
		{x, -wide, deep, -wide}, {x, wide, deep, wide},
	} {
		kind := int32(i + 2)
		g.Lines = append(g.Lines, Line{Name: []byte(sslvision.ShapeNames[kind]), From: Point{X: l[0], Y: l[1]},
			To: Point{X: l[2], Y: l[3]}, Thickness: float32(g.LineThickness), HasType: true, Type: kind})
	}
	g.Arcs = append(g.Arcs, Arc{Name: []byte(sslvision.ShapeNames[1]), Radius: float32(g.CircleRadius), A2: 2 * math.Pi,
		Thickness: float32(g.LineThickness), HasType: true, Type: 1})
	return g
}
