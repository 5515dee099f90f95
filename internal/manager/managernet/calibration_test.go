package managernet

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager"

	"touchline/soccer"
)

// bench is a room with one robot, whose camera is the simulator's.
type bench struct {
	t        *testing.T
	camera   camera.Camera
	at       soccer.Pose // of the robot
	room     room
	renderer *camera.Renderer
	params   camera.Params
	assumed  camera.Camera
	sway     *rand.Rand // of the head's joints; nil: they are exact
	now      soccer.Time
	colors   []byte // that the newest command asks to send
	view     manager.View
	light    float64
	field    soccer.Field
	lost     bool           // the robot knows no pose of itself
	shot     *shot          // nil: drawn with each command
	things   []camera.Thing // that the simulator knows in the pictures; nil: it knows nothing
}

func newBench(t *testing.T) *bench { return benchOf(t, camera.Perspective()) }

func benchOf(t *testing.T, cam camera.Camera) *bench {
	b := &bench{
		t: t, camera: cam, at: soccer.Pose{X: 4, Y: 0.5}, params: camera.DefaultParams(), light: 1,
		assumed: cam, field: soccer.MSL18x12(),
		view: manager.View{Robot: 3, Holder: &manager.HolderView{Computer: 1, Page: 7, Here: true}},
	}
	b.room.Field, b.room.Robot = b.field, func(uint8) *manager.View { return &b.view }
	b.room.Shot = func(uint8) (*shot, bool) { return b.take() }
	b.room.Self = func(uint8) (soccer.Pose, bool) { return b.self() }
	b.room.Truth = func(_ uint8, captured soccer.Time) ([]camera.Thing, int) { return b.truth(captured) }
	for _, p := range append(cam.Declare(&b.params), cam.DeclareOptics(&b.assumed)...) {
		b.view.Parameters = append(b.view.Parameters, manager.ParameterView{Name: p.Name, Unit: p.Unit, Min: float32(p.Min),
			Max: float32(p.Max), Value: float32(p.Now)})
	}
	return b
}

// command executes a command of page 7, and sets at the camera what it asks for.
func (b *bench) command(name string, more map[string]any) error {
	body := map[string]any{"robot": 3, "page": 7}
	for k, v := range more {
		body[k] = v
	}
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	asked, err := b.room.command(b.now, name, text)
	b.set(asked.Values)
	b.colors = asked.Colors
	return err
}

// truth returns what pictures of now show.
func (b *bench) truth(captured soccer.Time) ([]camera.Thing, int) {
	if captured != b.now {
		return nil, 0
	}
	return b.things, 208
}

// self returns where the robot believes to stand: 8 cm and 1 degree from where it does.
func (b *bench) self() (soccer.Pose, bool) {
	return soccer.Pose{X: b.at.X + 0.06, Y: b.at.Y - 0.05, Theta: b.at.Theta + 1*degree}, !b.lost
}

// set sets values at the camera.
func (b *bench) set(values []manager.Value) {
	for _, v := range values {
		if _, err := b.camera.Set(&b.params, v.Name, float64(v.Value)); err != nil {
			if _, err := b.camera.SetOptics(&b.assumed, v.Name, float64(v.Value)); err != nil {
				b.t.Errorf("%v", err)
			}
		}
		for i := range b.view.Parameters {
			if p := &b.view.Parameters[i]; p.Name == v.Name {
				p.Value = v.Value
			}
		}
	}
}

// collecting reports whether the room collects pictures of the robot.
func (b *bench) collecting() bool {
	v := b.room.view(3)
	return v != nil && v.Pose != nil && v.Pose.State == "collecting"
}

// run delivers pictures until the room collects no more, or for a time.
func (b *bench) run(d time.Duration) {
	for end := b.now.Add(d); b.collecting() && b.now < end; b.now = b.now.Add(100 * time.Millisecond) {
		asked := b.room.arrived(b.now, 3)
		if (asked.Page != 7 || asked.Robot != 3) && asked.Values != nil {
			b.t.Errorf("page %d asks robot %d for %v", asked.Page, asked.Robot, asked.Values)
		}
		b.set(asked.Values)
	}
}

func (b *bench) must(name string, more map[string]any) {
	b.t.Helper()
	if err := b.command(name, more); err != nil {
		b.t.Fatal(err)
	}
}

// refused expects that a command is refused with a reason.
func (b *bench) refused(name string, more map[string]any, why string) {
	b.t.Helper()
	if err := b.command(name, more); err == nil || !strings.Contains(err.Error(), why) {
		b.t.Errorf("%s %v: %v, want %q", name, more, err, why)
	}
}

// take draws a picture.
func (b *bench) take() (*shot, bool) {
	if b.shot != nil {
		shot := *b.shot
		shot.Captured = b.now
		return &shot, shot.Divisor > 0
	}
	if b.renderer == nil {
		b.renderer = camera.NewRenderer(b.camera, camera.MSLVenue(b.field, 1), 1)
	}
	shot := &shot{Divisor: 1, Captured: b.now}
	scene := camera.Scene{Self: b.at, Light: b.light}
	if b.sway != nil {
		scene.Sway = camera.Sway{Pan: 0.3 * degree * b.sway.NormFloat64(), Tilt: 0.3 * degree * b.sway.NormFloat64()}
	}
	b.renderer.Render(&scene, &b.params, &shot.Picture)
	return shot, true
}

var patch = map[string]any{"x": 80, "y": 130, "width": 48, "height": 25}

// like returns the patch with how it should look.
func like(name string) map[string]any {
	return map[string]any{"x": 80, "y": 130, "width": 48, "height": 25, "like": name}
}

// A patch that is remembered in good light looks the same again after a cloud came and the helper set the camera.
func TestAdjustToRemembered(t *testing.T) {
	b := newBench(t)
	b.must("robot-hold", nil)
	b.must("robot-remember", patch)
	want := b.room.view(3).Patch.Seen
	b.light = 0.4
	for range 2 {
		b.must("robot-hold", nil)
		b.must("robot-adjust", like("remembered"))
	}
	b.must("robot-hold", nil)
	b.must("robot-adjust", like("carpet"))
	v := b.room.view(3)
	for c, seen := range v.Patch.Seen {
		if math.Abs(seen/want[c]-1) > 0.15 || math.Abs(seen/v.Patch.Want[c]-1) > 0.15 {
			t.Errorf("channel %d: %.4f, remembered %.4f, carpet %.4f", c, seen, want[c], v.Patch.Want[c])
		}
	}
	if b.params.Exposure < 20 || len(v.Patch.Values) != 4 || !v.Remembered || v.Picture.Number != 4 || len(v.Picture.Data) < 1000 {
		t.Errorf("%+v, %d values, %+v", b.params, len(v.Patch.Values), v.Picture.Number)
	}
}

// Commands that make no sense are refused with the reason.
func TestRefuses(t *testing.T) {
	b := newBench(t)
	b.refused("robot-adjust", like("grey"), "no picture is held")
	b.refused("robot-dance", nil, "unknown command")
	b.refused("robot-hold", map[string]any{"wings": 2}, "unknown key")
	b.view.Holder.Page = 8
	b.refused("robot-hold", nil, "take the control")
	b.view.Holder = nil
	b.refused("robot-hold", nil, "take the control")
	b.view.Holder = &manager.HolderView{Computer: 1, Page: 7, Here: true}
	for why, shot := range map[string]shot{
		"no picture": {}, "choose the format": {Divisor: 1, Classes: true}, "3 slices": {Divisor: 1, Missing: 3},
	} {
		b.shot = &shot
		b.refused("robot-hold", nil, why)
	}
	b.shot = nil
	b.must("robot-hold", nil)
	b.refused("robot-adjust", like("gold"), "want grey")
	b.refused("robot-adjust", like("remembered"), "no patch is remembered")
	for _, bad := range []map[string]any{
		{"x": -1, "width": 9, "height": 9}, {"width": 1 << 40, "height": 9}, {"x": 1 << 62, "width": 9, "height": 9},
		{"x": 200, "width": 9, "height": 9}, {"width": 3, "height": 9},
	} {
		b.refused("robot-adjust", bad, "px")
	}
	b.view.Parameters = b.view.Parameters[4:]
	b.refused("robot-adjust", like("grey"), "none of the parameters")
	b.view.Parameters = nil
	b.refused("robot-hold", nil, "declared no parameters")
}
