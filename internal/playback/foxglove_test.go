package playback

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/manager/managernet"
	"touchline/internal/match"

	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
)

// wall returns the wall of a session with ground truth after 10 s.
func wall(t *testing.T) *watch.Wall {
	t.Helper()
	s, err := match.Virtual(match.DefaultConfig(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Advance(soccer.Epoch.Add(10 * time.Second))
	return s.Wall()
}

// decode encodes v as JSON and decodes it without its Go types.
func decode(t *testing.T, v any) (data any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// checkSchema checks a value against a JSON Schema of the kinds that this package writes.
func checkSchema(t *testing.T, path string, schema map[string]any, v any) {
	t.Helper()
	ok := false
	switch want := schema["type"]; want {
	case "number":
		_, ok = v.(float64)
	case "integer":
		n, isNumber := v.(float64)
		ok = isNumber && n == float64(int64(n))
	case "string":
		_, ok = v.(string)
	case "boolean":
		_, ok = v.(bool)
	case "array":
		var items []any
		items, ok = v.([]any)
		for _, item := range items {
			checkSchema(t, path+"[]", schema["items"].(map[string]any), item)
		}
	case "object":
		var fields map[string]any
		if fields, ok = v.(map[string]any); !ok {
			break
		}
		properties := schema["properties"].(map[string]any)
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if _, there := fields[name.(string)]; !there {
				t.Errorf("%s.%s is missing", path, name)
			}
		}
		for name, field := range fields {
			s, known := properties[name].(map[string]any)
			switch {
			case !known:
				t.Errorf("%s.%s is not in the schema", path, name)
			case field != nil:
				checkSchema(t, path+"."+name, s, field)
			}
		}
	default:
		t.Errorf("%s: the schema has type %v", path, want)
	}
	if !ok {
		t.Errorf("%s is %v, want %v", path, v, schema["type"])
	}
}

// Each message fits the schema of its channel.
func TestSchemas(t *testing.T) {
	w := wall(t)
	w.Marks = append(w.Marks, watch.Mark{Kind: "kick"})
	w.Silence = &watch.Silence{Interfaces: []watch.Interface{{Name: "eth0", Addrs: []string{"10.0.0.1"}}}}
	names := map[string]string{
		SceneChannel: "foxglove.SceneUpdate", FieldChannel: "foxglove.SceneUpdate",
		TransformsChannel: "foxglove.FrameTransforms", "topic/wall": "touchline.Wall",
		"topic/network": "touchline.Network",
		imageChannel(3): "foxglove.CompressedImage", annotationsChannel(3): "foxglove.ImageAnnotations",
	}
	for channel, v := range map[string]any{
		SceneChannel:      Scene(soccer.Epoch, w),
		FieldChannel:      field(soccer.Epoch, w.Field),
		TransformsChannel: transforms(soccer.Epoch, w),
		"topic/wall":      w,
		imageChannel(3):   image(&managernet.PictureView{Robot: 3, Type: "image/jpeg", Data: []byte{1}}),
		annotationsChannel(3): annotations(&managernet.PictureView{Overlay: []managernet.ShapeView{
			{Kind: "ball", Closed: true, Distance: 2, Points: []float64{1, 2, 3, 4, 5, 6}},
			{Kind: "line points", Points: []float64{1, 2}},
		}}),
		"topic/network": watch.Network{Senders: []watch.SenderRow{{}}, Alarms: []string{"alarm"}},
	} {
		s := schemas(3)[channel]
		var schema map[string]any
		if err := json.Unmarshal(s.Data, &schema); err != nil {
			t.Fatalf("%s: %v", channel, err)
		}
		if s.Name != names[channel] || schema["title"] != s.Name {
			t.Errorf("the schema of %s is %s, titled %v", channel, s.Name, schema["title"])
		}
		checkSchema(t, channel, schema, decode(t, v))
	}
}

// Shapes become what Foxglove draws: a loop with its label, dots, a line.
func TestAnnotations(t *testing.T) {
	a := annotations(&managernet.PictureView{Overlay: []managernet.ShapeView{
		{Kind: "ball", Closed: true, Distance: 2, Points: []float64{1, 2, 3, 4, 5, 6}},
		{Kind: "line points", Points: []float64{7, 8}},
		{Kind: "field line", Points: []float64{0, 0, 9, 9}},
	}})
	if len(a.Points) != 3 || a.Points[0].Type != 2 || a.Points[1].Type != 1 || a.Points[2].Type != 3 {
		t.Fatalf("got %+v", a.Points)
	}
	if p := a.Points[0].Points; len(p) != 3 || p[2].X != 5 || p[2].Y != 6 {
		t.Errorf("points %+v", p)
	}
	if len(a.Texts) != 1 || a.Texts[0].Text != "ball 2.00 m" || a.Texts[0].Position.X != 1 {
		t.Errorf("texts %+v", a.Texts)
	}
}

// The scene has the ball, the robots and the obstacles where they are, and each robot's ball with its number.
func TestScene(t *testing.T) {
	w := wall(t)
	scene := Scene(soccer.Epoch.Add(1500*time.Millisecond), w)
	truth, beliefs := scene.Entities[0], scene.Entities[1]
	if len(truth.Spheres) != 1 || len(truth.Cylinders) != 5 || len(truth.Arrows) != 5 || len(truth.Cubes) != 4 {
		t.Fatalf("got %d balls, %d robots, %d headings and %d obstacles", len(truth.Spheres), len(truth.Cylinders),
			len(truth.Arrows), len(truth.Cubes))
	}
	if len(beliefs.Spheres) != 5 || beliefs.Texts[0].Text != "1" {
		t.Errorf("got %d beliefs, the first of %v", len(beliefs.Spheres), beliefs.Texts)
	}
	if ball := truth.Spheres[0].Pose.Position; float64(ball.X) != w.Truth.Ball.X {
		t.Errorf("the ball is at %v, want %v", ball, w.Truth.Ball)
	}
	if s := truth.Timestamp; s.Sec != 1415610001 || s.Nsec != 500e6 {
		t.Errorf("the timestamp is %+v", s)
	}
	frames := transforms(soccer.Epoch, w).Transforms
	if len(frames) != 5 || frames[2].ChildFrameID != "robot/3" || frames[2].ParentFrameID != "field" {
		t.Errorf("got the frames %+v", frames)
	}
	twins := *w
	twins.Truth = &watch.Scene{Robots: []watch.Figure{{Number: 3, Color: soccer.Cyan}, {Number: 3, Color: soccer.Magenta}}}
	if f := transforms(soccer.Epoch, &twins).Transforms; f[0].ChildFrameID != "cyan/3" || f[1].ChildFrameID != "magenta/3" {
		t.Errorf("two robots with one number have the frames %+v", f)
	}
	fused := *w
	fused.Truth, fused.Fused = nil, &w.Tiles[0].Belief
	if e := Scene(soccer.Epoch, &fused).Entities[0]; len(e.Spheres) != 1 || len(e.Cylinders) == 0 {
		t.Errorf("without ground truth the scene has %d balls and %d robots", len(e.Spheres), len(e.Cylinders))
	}
}

// Robots and ball of the Small Size League have their sizes, and lines of a pixel or less have a width in pixels.
func TestSmallSizes(t *testing.T) {
	w := wall(t)
	w.Game = &watch.Game{League: "SSL"}
	e := Scene(soccer.Epoch, w).Entities[0]
	if d, h, ball := e.Cylinders[0].Size.X, e.Cylinders[0].Size.Z, e.Spheres[0].Size.X; d != 0.18 || h != 0.15 || ball != 0.043 {
		t.Errorf("a robot is %v m wide and %v m high, the ball is %v m wide", d, h, ball)
	}
	for _, c := range []struct {
		field  soccer.Field
		pixels bool
	}{{soccer.MSL18x12(), false}, {soccer.VSS3v3(), true}} {
		if l := field(soccer.Epoch, c.field).Entities[0].Lines[0]; l.ScaleInvariant != c.pixels {
			t.Errorf("lines of %s are %+v", c.field.Name, l)
		}
	}
}

// Lengths are rounded to millimetres, and what JSON does not have becomes 0.
func TestRounding(t *testing.T) {
	w := wall(t)
	w.Truth.Ball.X, w.Truth.Ball.Y = 1.23456, 0
	w.Truth.Ball.Y /= w.Truth.Ball.Y // NaN
	scene := decode(t, Scene(soccer.Epoch, w)).(map[string]any)
	sphere := scene["entities"].([]any)[0].(map[string]any)["spheres"].([]any)[0].(map[string]any)
	position := sphere["pose"].(map[string]any)["position"].(map[string]any)
	if position["x"] != 1.235 || position["y"] != 0.0 {
		t.Errorf("the ball is at %v", position)
	}
}

// layoutPanels returns the panels of a layout, by their ids.
func layoutPanels(t *testing.T, layout []byte) map[string]layoutPanel {
	t.Helper()
	var of struct{ ConfigByID map[string]layoutPanel }
	if err := json.Unmarshal(layout, &of); err != nil {
		t.Fatal(err)
	}
	return of.ConfigByID
}

type layoutPanel struct {
	FoxglovePanelTitle   string
	LichtblickPanelTitle string
	Topics               map[string]any
	ImageMode            struct {
		ImageTopic  string
		Annotations map[string]any
	}
	Paths         []struct{ Value string }
	TopicToRender string
	TopicPath     string
}

// shows returns the channels of a panel, with the members that it shows.
func (p *layoutPanel) shows() (paths []string) {
	paths = slices.Concat(slices.Collect(maps.Keys(p.Topics)), slices.Collect(maps.Keys(p.ImageMode.Annotations)),
		[]string{p.ImageMode.ImageTopic, p.TopicToRender, p.TopicPath})
	for _, path := range p.Paths {
		paths = append(paths, path.Value)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// The panels of the layouts show channels of their programs, and members that their schemas have. Foxglove and Lichtblick
// have names of their own for a panel's title.
func TestLayout(t *testing.T) {
	schemas := schemas(5)
	for _, c := range []struct {
		layout []byte
		want   []string
	}{
		{Layout, []string{SceneChannel, FieldChannel, imageChannel(5), LogChannel}},
		{LayoutVSS, []string{SceneChannel, FieldChannel, matchlog.VSS}},
	} {
		shown := map[string]bool{}
		for id, panel := range layoutPanels(t, c.layout) {
			if panel.FoxglovePanelTitle == "" || panel.LichtblickPanelTitle != panel.FoxglovePanelTitle {
				t.Errorf("%s has the titles %q and %q", id, panel.FoxglovePanelTitle, panel.LichtblickPanelTitle)
			}
			for _, path := range panel.shows() {
				channel, members, _ := strings.Cut(path, ".")
				shown[channel] = true
				checkPath(t, schemas[channel], members)
			}
		}
		for _, channel := range c.want {
			if !shown[channel] {
				t.Errorf("no panel shows %s", channel)
			}
		}
	}
}

// checkPath checks that messages of a schema have a member such as "blue[0].pose.x"; "" for the message itself.
func checkPath(t *testing.T, of matchlog.Schema, members string) {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(of.Data, &schema); err != nil {
		t.Fatalf("%s %s: %v", of.Name, members, err)
	}
	for name := range strings.SplitSeq(members, ".") {
		if name == "" {
			continue
		}
		name, _, list := strings.Cut(name, "[")
		schema, _ = schema["properties"].(map[string]any)[name].(map[string]any)
		if list {
			schema, _ = schema["items"].(map[string]any)
		}
		if schema == nil {
			t.Fatalf("%s.%s: the schema has no %s", of.Name, members, name)
		}
	}
}
