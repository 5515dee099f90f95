package sim_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"touchline/sim"
	"touchline/soccer"
)

// spotless returns a camera that sees lines without errors.
func spotless() sim.LineCamera { return sim.LineCamera{Rays: 90, Near: 0.5, Range: 6, Height: 0.7} }

func scan(t testing.TB, e *sim.Engine, cam sim.LineCamera, fov float64) []soccer.Vec {
	t.Helper()
	s, err := sim.NewLineScanner(cam, 1, 2)
	must(t, err)
	points, err := s.Scan(e, fov, nil)
	must(t, err)
	return points
}

// offLine returns how far a point in the robot's frame lies from the nearest line.
func offLine(f soccer.Field, pose soccer.Pose, p soccer.Vec) float64 {
	sin, cos := math.Sincos(pose.Theta)
	at := soccer.Vec{X: pose.X + cos*p.X - sin*p.Y, Y: pose.Y + sin*p.X + cos*p.Y}
	least := math.Inf(1)
	for _, m := range f.Marks() {
		least = min(least, at.Sub(m.Nearest(at)).Len())
	}
	return least
}

func TestLinePointsLieOnLines(t *testing.T) {
	for _, pose := range []soccer.Pose{{X: -1, Y: 1, Theta: 2}, {X: 7.5, Y: -4.8, Theta: -1}, {X: -9.3, Y: 6.2, Theta: 0.3}} {
		e := sim.New(sim.DefaultConfig())
		must(t, e.AddRobot(2, pose))
		points := scan(t, e, spotless(), 2*math.Pi)
		if len(points) < 30 {
			t.Errorf("%+v: %d points in view of many lines", pose, len(points))
		}
		for _, p := range points {
			if d := p.Len(); d < 0.5 || d > 6 {
				t.Errorf("%+v: a point is %.2f m away, want 0.5 to 6 m", pose, d)
			}
			if off := offLine(soccer.MSL18x12(), pose, p); off > 1e-9 {
				t.Errorf("%+v: point %v is %.3f m off the lines", pose, p, off)
			}
		}
		// A circle around the pose meets the lines where the camera finds points of that distance: none is missing.
		for _, p := range scan(t, e, spotless(), math.Pi/2) {
			if math.Abs(math.Atan2(p.Y, p.X)) > math.Pi/4+1e-9 {
				t.Errorf("%+v: point %v lies outside the field of view", pose, p)
			}
		}
	}
}

// Every ray that crosses a line within the range gives a point.
func TestNoLineIsMissing(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(2, soccer.Pose{X: 0, Y: 4.5}))
	cam := spotless()
	cam.Range = 2
	behind, ahead, left := 0, 0, 0
	for _, p := range scan(t, e, cam, 2*math.Pi) {
		switch {
		case math.Abs(p.Y-1.5) < 1e-9:
			left++ // the touch line
		case math.Abs(p.X) < 1e-9:
			ahead++ // the middle line, across the robot
		default:
			behind++
		}
	}
	// The touch line is in view from -41.4 to 41.4 degrees, 4 degrees apart; the middle line runs through the robot, along
	// rays or across none.
	if left < 20 || left > 21 || behind != 0 {
		t.Errorf("%d points on the touch line, %d elsewhere; want 20 or 21 and none", left, behind)
	}
}

func TestBodiesHideLines(t *testing.T) {
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(2, soccer.Pose{X: 6, Y: 0}))
	before := scan(t, e, spotless(), math.Pi/4)
	must(t, e.AddRobot(3, soccer.Pose{X: 6.6, Y: 0}))
	after := scan(t, e, spotless(), math.Pi/4)
	if len(before) == 0 || len(after) >= len(before)/2 {
		t.Errorf("%d points before a robot stood in view, %d after", len(before), len(after))
	}
}

func TestLinePointErrors(t *testing.T) {
	pose := soccer.Pose{X: 4, Y: 3}
	e := sim.New(sim.DefaultConfig())
	must(t, e.AddRobot(2, pose))
	s, err := sim.NewLineScanner(sim.DefaultLineCamera(), 1, 2)
	must(t, err)
	var points []soccer.Vec
	const pictures = 400
	total, far := 0, 0
	sum := 0.0
	for range pictures {
		e.Step(40 * ms)
		points, err = s.Scan(e, 2*math.Pi, points[:0])
		must(t, err)
		total += len(points)
		for _, p := range points {
			if off := offLine(soccer.MSL18x12(), pose, p); off > 0.4 {
				far++
			} else {
				sum += off * off
			}
		}
	}
	if mean := float64(total) / pictures; mean < 30 || mean > 120 {
		t.Errorf("%.0f points a picture, want 30 to 120", mean)
	}
	if rms := math.Sqrt(sum / float64(total-far)); rms < 0.04 || rms > 0.15 {
		t.Errorf("points lie %.3f m off the lines, want 0.04 to 0.15 m", rms)
	}
	// Of three false points a picture, those far from lines.
	if mean := float64(far) / pictures; mean < 1 || mean > 3 {
		t.Errorf("%.1f points a picture lie more than 0.4 m off the lines, want 1 to 3", mean)
	}
}

func TestLineScannerIsDeterministic(t *testing.T) {
	run := func(seed uint64) []soccer.Vec {
		e := sim.New(sim.DefaultConfig())
		must(t, e.AddRobot(2, soccer.Pose{X: 1, Y: 2}))
		s, err := sim.NewLineScanner(sim.DefaultLineCamera(), seed, 2)
		must(t, err)
		var all []soccer.Vec
		for range 5 {
			e.Step(40 * ms)
			all, err = s.Scan(e, 2*math.Pi, all)
			must(t, err)
		}
		return all
	}
	if !slices.Equal(run(1), run(1)) {
		t.Error("the same seed gave other points")
	}
	if slices.Equal(run(1), run(2)) {
		t.Error("two seeds gave the same points")
	}
}

func TestLineScannerRefuses(t *testing.T) {
	cam := sim.DefaultLineCamera()
	cam.Height = 0
	if _, err := sim.NewLineScanner(cam, 1, 2); !errors.Is(err, sim.ErrRange) {
		t.Errorf("a camera on the floor: %v", err)
	}
	s, err := sim.NewLineScanner(sim.DefaultLineCamera(), 1, 2)
	must(t, err)
	if _, err := s.Scan(sim.New(sim.DefaultConfig()), 1, nil); !errors.Is(err, sim.ErrUnknown) {
		t.Errorf("a robot that is not on the field: %v", err)
	}
}
