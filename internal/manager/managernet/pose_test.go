package managernet

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager"

	"touchline/soccer"
)

// knocked returns a bench whose robot assumes its camera 3 degrees, 2 degrees and 6 % from where it is.
func knocked(t *testing.T) *bench {
	b := newBench(t)
	b.sway = rand.New(rand.NewPCG(1, 2))
	b.set([]manager.Value{{Name: "camera_tilt", Value: 3 * degree}, {Name: "camera_roll", Value: -2 * degree}, {Name: "focal", Value: 203}})
	return b
}

// The camera of a robot that assumes it wrong is found from pictures of several poses of the head, and set.
func TestPose(t *testing.T) {
	b := knocked(t)
	b.must("robot-collect", map[string]any{"count": 16})
	b.refused("robot-collect", map[string]any{"count": 16}, "collecting already")
	b.run(3 * time.Second)
	b.refused("robot-solve", nil, "wait")
	b.run(time.Minute)
	if v := b.room.view(3).Pose; v.State != "collected" || len(v.Samples) != 16 || v.Shown == nil || len(v.Shown.Before) == 0 {
		t.Fatalf("%s %s, %d samples", v.State, v.Text, len(v.Samples))
	}
	if b.params.Pan != 0 || b.params.Tilt > -14*degree {
		t.Errorf("the head is left at %v", b.params)
	}
	b.refused("robot-commit", nil, "nothing is to be set")
	b.must("robot-solve", nil)
	v := b.room.view(3).Pose
	if v.State != "determined" || v.RMS > 1.5 || v.HoldOut == 0 || v.HoldOut > 3 || len(v.Shown.After) == 0 {
		t.Fatalf("%s %s, rms %.2f, hold-out %.2f", v.State, v.Text, v.RMS, v.HoldOut)
	}
	b.must("robot-commit", nil)
	for name, want := range map[string][2]float64{"camera_tilt": {0, 0.3 * degree}, "camera_roll": {0, 0.3 * degree}, "focal": {192, 1.92}} {
		for _, p := range b.view.Parameters {
			if off := float64(p.Value) - want[0]; p.Name == name && (off > want[1] || off < -want[1]) {
				t.Errorf("%s is %v, want %v", name, p.Value, want[0])
			}
		}
	}
	b.must("robot-reject", map[string]any{"index": 2, "rejected": true})
	b.must("robot-show-sample", map[string]any{"index": 2})
	b.must("robot-solve", nil)
	if v := b.room.view(3).Pose; v.State != "determined" || !v.Samples[2].Rejected || v.Samples[2].Used != 0 || v.Samples[1].Used == 0 ||
		!v.Samples[3].Held || v.Shown.Index != 2 {
		t.Errorf("%s, %+v", v.State, v.Samples[:4])
	}
	b.refused("robot-show-sample", map[string]any{"index": 16}, "sample 16 of 16")
	b.refused("robot-reject", map[string]any{"index": -1}, "sample -1 of 16")
}

// A set from one tilt is refused with the reason, and sets nothing.
func TestPoseRefused(t *testing.T) {
	b := knocked(t)
	for i := range b.view.Parameters {
		if p := &b.view.Parameters[i]; p.Name == "tilt" {
			p.Min, p.Max = -14*degree, -14*degree
		}
	}
	b.must("robot-collect", map[string]any{"count": 12})
	b.run(time.Minute)
	b.must("robot-solve", nil)
	if v := b.room.view(3).Pose; v.State != "refused" || v.Text == "" {
		t.Errorf("%s %q", v.State, v.Text)
	}
	b.refused("robot-commit", nil, "nothing is to be set")
}

// Collecting needs the camera's parameters, the robot's pose and whole pictures, and ends where they fail to come.
func TestCollectEnds(t *testing.T) {
	b := knocked(t)
	b.refused("robot-solve", nil, "collect some first")
	b.refused("robot-collect", map[string]any{"count": 3}, "want 4 to 48")
	b.lost = true
	b.refused("robot-collect", map[string]any{"count": 12}, "no pose of itself")
	b.lost = false
	b.view.Pictures.Width = 64
	b.refused("robot-collect", map[string]any{"count": 12}, "whole picture")
	b.view.Pictures.Width = 0
	ended := func(why string) {
		t.Helper()
		if v := b.room.view(3).Pose; v.State != "ended" || v.Text == "" {
			t.Errorf("%s: %s %q", why, v.State, v.Text)
		}
	}
	b.must("robot-collect", map[string]any{"count": 12})
	b.run(time.Second)
	b.must("robot-stop-collecting", nil)
	ended("stopped")
	b.must("robot-collect", map[string]any{"count": 12})
	b.run(time.Second)
	b.view.Holder.Page = 8
	b.run(time.Second)
	ended("another operator")
	b.view.Holder.Page = 7
	b.must("robot-collect", map[string]any{"count": 12})
	b.view.Parameters[6].Asked = new(float32) // the head never arrives
	b.run(time.Minute)
	ended("no head")
	b.view.Parameters[6].Asked = nil
	b.must("robot-collect", map[string]any{"count": 12})
	b.now = b.now.Add(time.Minute)
	if v := b.room.view(3).Pose; v.State != "collecting" {
		t.Errorf("a look at it ended the collection: %s", v.State)
	}
	b.room.step(b.now, func(uint8) []byte { return nil })
	ended("no pictures")
	b.view.Parameters = b.view.Parameters[:8]
	b.refused("robot-collect", map[string]any{"count": 12}, "declares no parameter")
}

// The camera of a robot that looks into a mirror is found from pictures of several places, each of which counts once and
// only while the robot stands.
func TestMirrorPose(t *testing.T) {
	b := benchOf(t, camera.Omnidirectional())
	b.params.KnockTilt, b.params.KnockRoll = 3*degree, -2*degree
	b.must("robot-collect", map[string]any{"count": 12})
	view := func() *PoseView { return b.room.view(3).Pose }
	b.run(3 * time.Second)
	if v := view(); v.State != "collecting" || !v.Mirror || len(v.Samples) != 1 {
		t.Fatalf("a robot that stands: %s %s, %d samples", v.State, v.Text, len(v.Samples))
	}
	for range 20 { // it drives
		b.at.Y -= 0.1
		b.run(100 * time.Millisecond)
	}
	if n := len(view().Samples); n != 1 {
		t.Errorf("a robot that drives: %d samples", n)
	}
	for i := range 11 {
		b.at = soccer.Pose{X: 6 - float64(i), Y: float64(4 * (i%3 - 1)), Theta: float64(i) - 3}
		b.run(2 * time.Second)
	}
	if v := view(); v.State != "collected" || len(v.Samples) != 12 || v.Shown == nil || len(v.Shown.Before) == 0 {
		t.Fatalf("%s %s, %d samples", v.State, v.Text, len(v.Samples))
	}
	b.must("robot-solve", nil)
	if v := view(); v.State != "determined" || v.HoldOut == 0 || v.HoldOut > 1.7 || len(v.Shown.After) == 0 {
		t.Fatalf("%s %s, rms %.2f, hold-out %.2f", v.State, v.Text, v.RMS, v.HoldOut)
	}
	b.must("robot-commit", nil)
	for name, want := range map[string][2]float64{
		"camera_tilt": {3 * degree, 0.3 * degree}, "camera_roll": {-2 * degree, 0.3 * degree}, "focal": {180, 3.6},
	} {
		i := slices.IndexFunc(b.view.Parameters, func(p manager.ParameterView) bool { return p.Name == name })
		if off := float64(b.view.Parameters[i].Value) - want[0]; math.Abs(off) > want[1] {
			t.Errorf("%s is wrong by %v", name, off)
		}
	}
	b.shot, _ = b.take() // the same picture, which is quicker
	b.must("robot-collect", map[string]any{"count": 12})
	b.run(2 * time.Minute)
	if v := view(); v.State != "ended" || !strings.Contains(v.Text, "another place") {
		t.Errorf("a robot that never moves: %s %s", v.State, v.Text)
	}
}
