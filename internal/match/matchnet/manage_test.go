package matchnet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/jpeg"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/internal/manager/managernet"
	"touchline/internal/manager/managertest"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/robot"
	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/internal/robot/robotnet"
	"touchline/internal/watch"
	"touchline/soccer"
	"touchline/wire/wiretest"
)

// operator is a page of the session.
type operator struct {
	managertest.Page
	session *matchnet.Session
}

// operate opens the page of a robot of a session.
func operate(t *testing.T, s *matchnet.Session, robot uint8) *operator {
	return &operator{session: s, Page: managertest.Page{
		TB: t, Robot: robot, Wish: map[string]any{"rate": 25, "overlay": true},
		Command: func(name string, body json.RawMessage) error {
			_, err := s.Commands().Do(name, body)
			return err
		},
		State: func() *manager.View {
			v, _ := s.Managed(fmt.Sprintf("robot/%d", robot)).(*manager.View)
			return v
		},
	}}
}

// send sends a machine until the robot's view holds.
func (o *operator) send(what string, m *hfsm.Machine, holds func(*manager.View) bool) {
	o.Helper()
	text, err := json.Marshal(map[string]any{"robot": o.Robot, "page": managertest.Number, "machine": m})
	if err != nil {
		o.Fatal(err)
	}
	o.Insist(what, func() {
		if _, err := o.session.Commands().Do("robot-machine", text); err != nil {
			o.Log(err) // the one before is still on its way
		}
	}, holds)
}

// sheet asks for the robot's state machine until it holds.
func (o *operator) sheet(what string, holds func(*hfsm.Sheet) bool) {
	o.Helper()
	wiretest.Eventually(o, what, func() bool {
		o.Attend()
		v, _ := o.session.Managed(fmt.Sprintf("machine/%d", o.Robot)).(*manager.SheetView)
		if v != nil && v.State == "here" && holds(v.Sheet) {
			return true
		}
		o.Ask("robot-fetch", nil)
		return false
	})
}

// An operator sees the picture and the parameters of a robot of the session, changes one, and drives the robot; the robot
// stops when the page falls silent.
func TestManageRobotOfSession(t *testing.T) {
	r := run(t, quiet())
	o := operate(t, r.session, 3)
	v := o.Until("the robot declares its camera", func(v *manager.View) bool { return len(v.Parameters) >= 5 && !v.Behind })
	if p := v.Parameters[0]; p.Name != "exposure" || p.Unit != "ms" || p.Value != p.Default || len(v.Kicks) != 3 {
		t.Errorf("first parameter %+v, %d kicks", p, len(v.Kicks))
	}
	var picture *managernet.PictureView
	wiretest.Eventually(t, "a picture arrives", func() bool {
		o.Attend()
		picture, _ = r.session.Managed("picture/3").(*managernet.PictureView)
		return picture != nil
	})
	img, err := jpeg.Decode(bytes.NewReader(picture.Data))
	if err != nil || img.Bounds().Dx() != 208 || img.Bounds().Dy() != 160 || picture.Type != "image/jpeg" {
		t.Fatalf("%v, %v", img.Bounds(), err)
	}
	wiretest.Eventually(t, "a picture arrives with the lines that the robot's pose projects", func() bool {
		o.Attend()
		p, _ := r.session.Managed("picture/3").(*managernet.PictureView)
		return p != nil && slices.ContainsFunc(p.Overlay, func(s managernet.ShapeView) bool {
			return s.Kind == "field line" && len(s.Points) >= 4
		})
	})
	v = o.Insist("the robot takes the exposure", func() {
		o.Ask("robot-set", map[string]any{"name": "exposure", "value": 20})
	}, func(v *manager.View) bool { return v.Parameters[0].Value == 20 })
	if v.Holder != nil && v.Holder.Name != "Eva" {
		t.Errorf("%s holds the control, want Eva", v.Holder.Name)
	}

	if err := o.Try("robot-save", map[string]any{"name": "hall"}); err == nil {
		t.Error("saved a profile without a folder")
	}
	from, sequence := pose(r, 3), 0
	o.Until("the robot drives", func(v *manager.View) bool {
		if v.Holder == nil {
			o.Ask("robot-take", nil)
		}
		if d, _ := r.session.Managed("drive/3").(*manager.DriveView); d != nil && d.Nonce != "" {
			sequence++
			o.Ask("robot-drive", map[string]any{"nonce": d.Nonce, "sequence": sequence, "omega": 1, "vx": 0.5})
		}
		time.Sleep(20 * time.Millisecond)
		return distance(pose(r, 3), from) > 0.2
	})
	o.Until("the lease lapses", func(v *manager.View) bool { return v.Drive == "lapsed" || v.Holder == nil })
	wiretest.Eventually(t, "the robot stands", func() bool {
		at := pose(r, 3)
		time.Sleep(50 * time.Millisecond)
		return pose(r, 3) == at
	})
	o.Ask("robot-release", nil)
	o.Until("the robot is free", func(v *manager.View) bool { return v.Holder == nil })
}

// join runs a robot outside the session until the test ends, with sockets of its own.
func join(t *testing.T, r *running, number uint8) {
	t.Helper()
	_, field := r.session.TCM()
	outside, err := robotnet.New(robotnet.Config{
		Robot: robot.DefaultConfig(number, soccer.Cyan, 74), Team: match.TeamNumber, Field: field, Entity: robot.Field,
		Camera: camera.Perspective(),
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- outside.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	wiretest.Eventually(t, "the robot outside joins", func() bool {
		marks := r.session.Wall("wall").(*watch.Wall).Marks
		return slices.ContainsFunc(marks, func(m watch.Mark) bool { return m.Text == fmt.Sprintf("%d joined", number) })
	})
}

// The colours of a picture of the session are compared with what the session drew.
func TestTruthOfPicture(t *testing.T) { truthOfPicture(t, run(t, quiet())) }

// Those of a picture that a robot outside drew are compared with what the session said that it sees.
func TestTruthOfPictureOutside(t *testing.T) {
	r := run(t, quiet())
	join(t, r, 3)
	truthOfPicture(t, r)
}

func truthOfPicture(t *testing.T, r *running) {
	t.Helper()
	o := operate(t, r.session, 3)
	o.Until("the robot declares its camera", func(v *manager.View) bool { return len(v.Parameters) >= 5 && !v.Behind })
	o.Insist("the truth of a picture", func() {
		if err := o.Try("robot-hold", nil); err != nil {
			t.Log(err) // no picture arrived yet, or the control lapsed
		}
	}, func(*manager.View) bool {
		v, _ := r.session.Managed("calibration/3").(*managernet.View)
		if v == nil || v.Colors == nil {
			return false
		}
		return slices.ContainsFunc(v.Colors.Truth, func(thing managernet.ThingView) bool {
			return thing.Name == "carpet" && thing.Pixels > 1000 && thing.Given[camera.Green]*10 > thing.Pixels*9
		})
	})
}

// Pictures of all robots are recorded while nobody looks, at the rate that is asked for, and no longer.
func TestRecordPictures(t *testing.T) {
	var mu sync.Mutex
	seen, rate := map[uint8]int{}, uint8(10)
	r := runWith(t, matchnet.Config{Match: quiet(), Picture: func(v *managernet.PictureView) {
		mu.Lock()
		defer mu.Unlock()
		if len(v.Data) > 0 && v.Overlay != nil {
			seen[v.Robot]++
		}
	}})
	count := func() (robots, pictures int) {
		mu.Lock()
		defer mu.Unlock()
		for _, n := range seen {
			robots, pictures = robots+1, pictures+n
		}
		return robots, pictures
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go r.session.RecordPictures(ctx, func() uint8 {
		mu.Lock()
		defer mu.Unlock()
		return rate
	})
	wiretest.Eventually(t, "pictures of two robots", func() bool { robots, _ := count(); return robots >= 2 })
	mu.Lock()
	rate = 0
	mu.Unlock()
	wiretest.Eventually(t, "the robots stop sending", func() bool {
		_, before := count()
		time.Sleep(300 * time.Millisecond)
		_, after := count()
		return before == after
	})
}

// A state machine that a page sends changes what a robot of the session does; one that the robot cannot execute is refused
// with the state named, and the operator can go back.
func TestSendStateMachine(t *testing.T) {
	r := run(t, quiet())
	o := operate(t, r.session, 2)
	o.Until("the robot can be managed", func(v *manager.View) bool { return v.Seen })
	bad := &hfsm.Machine{Name: "bad", States: []hfsm.State{{Name: "levitate", Behaviour: "fly"}}}
	o.send("a bad machine is refused", bad, func(v *manager.View) bool {
		return strings.HasPrefix(v.Machine.Upload, `refused: hfsm: state "levitate": unknown behaviour "fly"`)
	})
	o.sheet("the page gets the default machine and the vocabulary", func(s *hfsm.Sheet) bool {
		return s.Machine == nil && s.Default.Checksum() == play.Default().Checksum() &&
			s.Default.Check(s.Conditions, s.Behaviours) == nil
	})
	from := pose(r, 2)
	o.send("the machine runs", play.Default(), func(v *manager.View) bool {
		return v.Machine.Running == play.Default().Checksum() && v.Machine.Upload == "done"
	})
	o.sheet("the page gets the machine that runs", func(s *hfsm.Sheet) bool {
		return s.Machine != nil && s.Machine.Checksum() == play.Default().Checksum()
	})
	wiretest.Eventually(t, "the robot plays", func() bool { return distance(pose(r, 2), from) > 0.3 })
	o.Insist("the robot stands again", func() { o.Ask("robot-rollback", nil) }, func(v *manager.View) bool {
		return v.Machine.Running == 0 && v.Machine.Previous == play.Default().Checksum()
	})
}

// A profile keeps a robot's parameters and its colour table under the name of a venue, and sets them again later:
// parameters that differ, and the table.
func TestVenue(t *testing.T) {
	dir := t.TempDir()
	r := runWith(t, matchnet.Config{Match: quiet(), Profiles: dir})
	o := operate(t, r.session, 3)
	exposure := func(want float32) {
		t.Helper()
		o.Insist("the exposure", func() { o.Ask("robot-set", map[string]any{"name": "exposure", "value": want}) },
			func(v *manager.View) bool { return len(v.Parameters) > 0 && v.Parameters[0].Value == want })
	}
	row := func(what string, try func(), holds func(managernet.Row) bool) {
		t.Helper()
		o.Insist(what, try, func(*manager.View) bool {
			rows, _ := r.session.Managed("profiles/3").([]managernet.Row)
			return len(rows) == 1 && holds(rows[0])
		})
	}
	exposure(20)
	row("the venue with the robot's table", func() {
		o.Ask("robot-fetch", map[string]any{"file": manager.ColorsFile})
		o.Ask("robot-save", map[string]any{"name": "hall 2"})
	}, func(p managernet.Row) bool { return p.Name == "hall 2" && p.Colors == "same" && len(p.Changes) == 0 })
	table := camera.DefaultTable()
	table[7] = camera.Magenta
	file, err := table.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "hall 2."+manager.ColorsFile), file, 0o600); err != nil {
		t.Fatal(err)
	}
	exposure(10)
	row("what the venue changes", func() {}, func(p managernet.Row) bool {
		return p.Colors == "other" && len(p.Changes) == 1 && p.Changes[0] == managernet.Difference{Name: "exposure", Have: 10, Want: 20}
	})
	row("the venue is set", func() {
		if err := o.Try("robot-load", map[string]any{"name": "hall 2"}); err != nil {
			t.Log(err) // the table is still on its way
		}
	}, func(p managernet.Row) bool { return p.Colors == "same" && len(p.Changes) == 0 })
	o.Until("the exposure is that of the venue", func(v *manager.View) bool { return v.Parameters[0].Value == 20 })
}

// at is a place and a heading.
type at struct{ x, y, theta float64 }

// pose returns the true pose of a robot.
func pose(r *running, number uint8) at {
	w := r.session.Wall("").(*watch.Wall)
	for _, f := range w.Truth.Robots {
		if f.Number == number {
			return at{f.Pose.X, f.Pose.Y, f.Pose.Theta}
		}
	}
	return at{}
}

func distance(a, b at) float64 { return math.Hypot(a.x-b.x, a.y-b.y) + math.Abs(a.theta-b.theta) }
