package playback

import (
	_ "embed" // for Layout and LayoutVSS
	"fmt"
	"math"
	"strconv"

	"touchline/game"
	"touchline/internal/exact"
	"touchline/internal/ssl"
	"touchline/internal/watch"
	"touchline/soccer"
)

// The scene describes the wall for Foxglove's 3D panel: ground truth and beliefs as a scene, the robots' poses as
// transforms, and JSON Schemas for these and for the page's topics. Field names and units are those of Foxglove's
// schemas sceneUpdate and frameTransforms; lengths are in m, in the frame "field" with z up.

// Channels of a log.
const (
	SceneChannel      = "foxglove/scene"
	FieldChannel      = "foxglove/field"
	TransformsChannel = "foxglove/tf"
	LogChannel        = "foxglove/log"
)

const (
	fieldFrame = "field"
	thinLine   = 1.0 / 400 // share of the field's length; thinner lines get a width in pixels
	linePixels = 2
)

// body is how large robots and ball of a league are drawn, in m.
type body struct{ robot, height, ball, belief, obstacle, text float64 }

// bodyOf returns the sizes on a wall: those of the Middle Size League, or of the Small Size League.
func bodyOf(w *watch.Wall) body {
	if w.Game != nil && w.Game.League == "SSL" {
		return body{robot: ssl.RobotRadius, height: ssl.RobotHeight, ball: ssl.BallRadius, belief: ssl.BallRadius,
			obstacle: ssl.RobotRadius, text: 0.25}
	}
	return body{robot: soccer.RobotRadius, height: 0.8, ball: soccer.BallRadius, belief: 0.08, obstacle: 0.25,
		text: 0.4}
}

// number is a length or a share, written with three decimals: a scene is recorded ten times a second.
type number float64

// MarshalJSON writes the number rounded to three decimals; 0 for NaN and infinities, which JSON does not have.
func (n number) MarshalJSON() ([]byte, error) {
	v := math.Round(float64(n)*1000) / 1000
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.AppendFloat(nil, v, 'f', -1, 64), nil
}

// stamp is a timestamp or a duration.
type stamp struct {
	Sec  int64 `json:"sec"`
	Nsec int64 `json:"nsec"`
}

// sceneUpdate is sceneUpdate.
type sceneUpdate struct {
	Deletions []deletion `json:"deletions"`
	Entities  []entity   `json:"entities"`
}

// deletion is foxglove.SceneEntityDeletion.
type deletion struct {
	Timestamp stamp  `json:"timestamp"`
	Type      int    `json:"type"`
	ID        string `json:"id"`
}

// entity is foxglove.SceneEntity. It replaces the one before with the same ID.
type entity struct {
	Timestamp   stamp      `json:"timestamp"`
	FrameID     string     `json:"frame_id"`
	ID          string     `json:"id"`
	Lifetime    stamp      `json:"lifetime"` // 0: until it is replaced
	FrameLocked bool       `json:"frame_locked"`
	Metadata    []pair     `json:"metadata"`
	Arrows      []arrow    `json:"arrows"`
	Cubes       []solid    `json:"cubes"`
	Spheres     []solid    `json:"spheres"`
	Cylinders   []cylinder `json:"cylinders"`
	Lines       []line     `json:"lines"`
	Triangles   []struct{} `json:"triangles"`
	Texts       []text     `json:"texts"`
	Models      []struct{} `json:"models"`
}

// pair is foxglove.KeyValuePair.
type pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// vector is foxglove.Vector3 and foxglove.Point3.
type vector struct {
	X number `json:"x"`
	Y number `json:"y"`
	Z number `json:"z"`
}

// quaternion is foxglove.Quaternion.
type quaternion struct {
	X number `json:"x"`
	Y number `json:"y"`
	Z number `json:"z"`
	W number `json:"w"`
}

// pose is foxglove.Pose.
type pose struct {
	Position    vector     `json:"position"`
	Orientation quaternion `json:"orientation"`
}

// color is foxglove.Color.
type color struct {
	R number `json:"r"`
	G number `json:"g"`
	B number `json:"b"`
	A number `json:"a"`
}

// arrow is foxglove.ArrowPrimitive.
type arrow struct {
	Pose          pose   `json:"pose"`
	ShaftLength   number `json:"shaft_length"`
	ShaftDiameter number `json:"shaft_diameter"`
	HeadLength    number `json:"head_length"`
	HeadDiameter  number `json:"head_diameter"`
	Color         color  `json:"color"`
}

// solid is foxglove.CubePrimitive and foxglove.SpherePrimitive.
type solid struct {
	Pose  pose   `json:"pose"`
	Size  vector `json:"size"`
	Color color  `json:"color"`
}

// cylinder is foxglove.CylinderPrimitive.
type cylinder struct {
	Pose        pose   `json:"pose"`
	Size        vector `json:"size"`
	BottomScale number `json:"bottom_scale"`
	TopScale    number `json:"top_scale"`
	Color       color  `json:"color"`
}

// line is foxglove.LinePrimitive.
type line struct {
	Type           int      `json:"type"` // lineStrip or lineLoop
	Pose           pose     `json:"pose"`
	Thickness      number   `json:"thickness"`
	ScaleInvariant bool     `json:"scale_invariant"`
	Points         []vector `json:"points"`
	Color          color    `json:"color"`
	Colors         []color  `json:"colors"`
	Indices        []int    `json:"indices"`
}

const (
	lineStrip = 0
	lineLoop  = 1
)

// text is foxglove.TextPrimitive.
type text struct {
	Pose           pose   `json:"pose"`
	Billboard      bool   `json:"billboard"`
	FontSize       number `json:"font_size"`
	ScaleInvariant bool   `json:"scale_invariant"`
	Color          color  `json:"color"`
	Text           string `json:"text"`
}

// frameTransforms is frameTransforms.
type frameTransforms struct {
	Transforms []frameTransform `json:"transforms"`
}

// frameTransform is foxglove.FrameTransform.
type frameTransform struct {
	Timestamp     stamp      `json:"timestamp"`
	ParentFrameID string     `json:"parent_frame_id"`
	ChildFrameID  string     `json:"child_frame_id"`
	Translation   vector     `json:"translation"`
	Rotation      quaternion `json:"rotation"`
}

// logEntry is foxglove.Log.
type logEntry struct {
	Timestamp stamp  `json:"timestamp"`
	Level     int    `json:"level"`
	Message   string `json:"message"`
	Name      string `json:"name"` // kind of the event
	File      string `json:"file"`
	Line      int    `json:"line"`
}

const infoLevel = 2

// Layout is a layout for Foxglove and Lichtblick with the channels of a recording: the scene, a robot's pictures, the
// disagreement and the ball over time, the events, and score or beliefs as they are.
//
//go:embed layout.json
var Layout []byte

// LayoutVSS is a layout for a VSS simulator: its small field, the ball and a robot over time, and all values.
//
//go:embed layout_vss.json
var LayoutVSS []byte

// Colours of the scene.
var (
	cyan    = color{0, 0.47, 0.67, 1}
	magenta = color{0.72, 0.13, 0.45, 1}
	orange  = color{0.93, 0.36, 0.06, 1}
	pale    = color{0.93, 0.36, 0.06, 0.5}
	grey    = color{0.35, 0.4, 0.37, 1}
	white   = color{1, 1, 1, 1}
	ink     = color{0.1, 0.12, 0.11, 1}
)

func timeOf(t soccer.Time) stamp { return stamp{int64(t) / 1e9, int64(t) % 1e9} }

// at returns a pose; theta is its heading in rad.
func at(x, y, z, theta float64) pose {
	return pose{vector{number(x), number(y), number(z)}, turn(theta)}
}

// turn returns a rotation about z.
func turn(theta float64) quaternion {
	sin, cos := exact.Sincos(theta / 2)
	return quaternion{Z: number(sin), W: number(cos)}
}

func size(x, y, z float64) vector { return vector{number(x), number(y), number(z)} }

func newEntity(id string, now soccer.Time) entity {
	return entity{
		Timestamp: timeOf(now), FrameID: fieldFrame, ID: id, Metadata: []pair{}, Arrows: []arrow{}, Cubes: []solid{},
		Spheres: []solid{}, Cylinders: []cylinder{}, Lines: []line{}, Triangles: []struct{}{}, Texts: []text{},
		Models: []struct{}{},
	}
}

// best returns the ground truth of a wall or, without it, the fused belief.
func best(w *watch.Wall) (ball *watch.Thing, robots []watch.Figure, obstacles []watch.Thing) {
	switch {
	case w.Truth != nil:
		return &w.Truth.Ball, w.Truth.Robots, w.Truth.Obstacles
	case w.Fused != nil:
		return w.Fused.Ball, w.Fused.Robots, w.Fused.Obstacles
	}
	return nil, nil, nil
}

// Scene returns what a wall shows at a time: the ground truth, or without it the fused belief, and each robot's ball
// with the robot's number.
func Scene(now soccer.Time, w *watch.Wall) sceneUpdate {
	truth, beliefs := newEntity("truth", now), newEntity("beliefs", now)
	is := bodyOf(w)
	ball, robots, obstacles := best(w)
	truth.show(is, ball, robots, obstacles)
	for i := range w.Tiles {
		t := &w.Tiles[i]
		if b := t.Belief.Ball; b != nil && t.State == "live" {
			d := 2 * is.belief
			beliefs.Spheres = append(beliefs.Spheres, solid{at(b.X, b.Y, b.Z, 0), size(d, d, d), pale})
			beliefs.Texts = append(beliefs.Texts, text{
				Pose: at(b.X, b.Y, b.Z+float64(is.height*0.375), 0), Billboard: true, FontSize: number(is.text * 0.625), Color: ink,
				Text: fmt.Sprint(t.Number),
			})
		}
	}
	return sceneUpdate{Deletions: []deletion{}, Entities: []entity{truth, beliefs}}
}

// show adds a ball, robots and obstacles to an entity.
func (e *entity) show(is body, ball *watch.Thing, robots []watch.Figure, obstacles []watch.Thing) {
	if ball != nil {
		d := 2 * is.ball
		e.Spheres = append(e.Spheres, solid{at(ball.X, ball.Y, ball.Z, 0), size(d, d, d), orange})
	}
	for _, r := range robots {
		d := 2 * is.robot
		color := cyan
		if r.Color == soccer.Magenta {
			color = magenta
		}
		p := r.Pose
		e.Cylinders = append(e.Cylinders, cylinder{
			Pose: at(p.X, p.Y, is.height/2, 0), Size: size(d, d, is.height), BottomScale: 1, TopScale: 0.8, Color: color,
		})
		if r.Facing {
			e.Arrows = append(e.Arrows, arrow{
				Pose: at(p.X, p.Y, is.height, p.Theta), ShaftLength: number(is.robot * 1.15), ShaftDiameter: number(is.robot * 0.23),
				HeadLength: number(is.robot * 0.58), HeadDiameter: number(is.robot * 0.54), Color: ink,
			})
		}
		e.Texts = append(e.Texts, text{
			Pose: at(p.X, p.Y, float64(is.height*1.375), 0), Billboard: true, FontSize: number(is.text), Color: color,
			Text: fmt.Sprint(r.Number),
		})
	}
	for _, o := range obstacles {
		d := 2 * is.obstacle
		e.Cubes = append(e.Cubes, solid{at(o.X, o.Y, is.height/2, 0), size(d, d, is.height), grey})
	}
}

// transforms returns the frames of the robots within the frame "field": home/3 and away/3 in a match of two teams, or else
// robot/3. Where two robots have one number they are cyan/3 and magenta/3.
func transforms(now soccer.Time, w *watch.Wall) frameTransforms {
	_, robots, _ := best(w)
	frames, numbers := []frameTransform{}, map[uint8]int{}
	for _, r := range robots {
		numbers[r.Number]++
	}
	for _, r := range robots {
		team := "robot"
		switch {
		case w.Session == "match":
			team = string(sideOf(r.Color))
		case numbers[r.Number] > 1:
			team = r.Color.String()
		}
		frames = append(frames, frameTransform{
			Timestamp: timeOf(now), ParentFrameID: fieldFrame, ChildFrameID: fmt.Sprintf("%s/%d", team, r.Number),
			Translation: size(r.Pose.X, r.Pose.Y, 0), Rotation: turn(r.Pose.Theta),
		})
	}
	return frameTransforms{frames}
}

// sideOf returns the team of a colour in a match.
func sideOf(c soccer.Color) game.Side {
	if c == game.Home.Color() {
		return game.Home
	}
	return game.Away
}

// field returns the lines of a field, which never change.
func field(now soccer.Time, f soccer.Field) sceneUpdate {
	e := newEntity("field", now)
	rectangle := func(x1, y1, x2, y2 float64) {
		e.Lines = append(e.Lines, newLine(lineLoop, f.LineWidth, size(x1, y1, 0), size(x2, y1, 0), size(x2, y2, 0), size(x1, y2, 0)))
	}
	l, w := float64(f.Length/2), float64(f.Width/2)
	rectangle(-l, -w, l, w)
	e.Lines = append(e.Lines, newLine(lineStrip, f.LineWidth, size(0, -w, 0), size(0, w, 0)))
	var circle []vector
	const corners = 48
	for i := range corners {
		sin, cos := exact.Sincos(2 * math.Pi * float64(i) / corners)
		circle = append(circle, size(f.CircleRadius*cos, f.CircleRadius*sin, 0))
	}
	e.Lines = append(e.Lines, newLine(lineLoop, f.LineWidth, circle...))
	for _, side := range []float64{-1, 1} {
		rectangle(side*l, -f.GoalAreaWidth/2, side*(l-f.GoalAreaLength), f.GoalAreaWidth/2)
		rectangle(side*l, -f.PenaltyAreaWidth/2, side*(l-f.PenaltyAreaLength), f.PenaltyAreaWidth/2)
		g := f.GoalWidth / 2
		e.Lines = append(e.Lines, newLine(lineStrip, f.LineWidth, size(side*l, -g, 0), size(side*l, -g, f.GoalHeight),
			size(side*l, g, f.GoalHeight), size(side*l, g, 0)))
	}
	if f.LineWidth < f.Length*thinLine { // less than a pixel of a view of the whole field
		for i := range e.Lines {
			e.Lines[i].Thickness, e.Lines[i].ScaleInvariant = linePixels, true
		}
	}
	return sceneUpdate{Deletions: []deletion{}, Entities: []entity{e}}
}

func newLine(kind int, width float64, points ...vector) line {
	return line{
		Type: kind, Pose: at(0, 0, 0, 0), Thickness: number(width), Points: points, Color: white, Colors: []color{},
		Indices: []int{},
	}
}
