package soccer_test

import (
	"math"
	"testing"

	"touchline/soccer"
)

func TestTurned(t *testing.T) {
	l := soccer.Localisation{
		Known: true, HasHeading: true, HasTwist: true, Confidence: 0.5,
		Pose: soccer.Pose{X: 1, Y: -2, Theta: math.Pi / 4}, Twist: soccer.Twist{X: 3, Y: -4, Theta: 5},
	}
	turned := l.Turned()
	if p := turned.Pose; p.X != -1 || p.Y != 2 || math.Abs(p.Theta+3*math.Pi/4) > 1e-12 {
		t.Errorf("got pose %+v, want (-1, 2) with the opposite heading", p)
	}
	if v := turned.Twist; v != (soccer.Twist{X: -3, Y: 4, Theta: 5}) {
		t.Errorf("got twist %+v, want the velocity turned and the angular velocity unchanged", v)
	}
	again := turned.Turned()
	if again.Pose.XY() != l.Pose.XY() || math.Abs(again.Pose.Theta-l.Pose.Theta) > 1e-12 || again.Twist != l.Twist {
		t.Errorf("turned twice: got %+v, want %+v", again, l)
	}
	l.Cov = soccer.PoseCov{1, 2, 3, 4, 5, 6}
	if got, want := l.Turned().Cov, (soccer.PoseCov{1, 2, -3, 4, -5, 6}); got != want {
		t.Errorf("got covariance %v, want %v: x and y change their signs, the heading does not", got, want)
	}
	disc := soccer.Localisation{Known: true, Pose: soccer.Pose{X: 1}}
	if p := disc.Turned().Pose; p != (soccer.Pose{X: -1}) {
		t.Errorf("without a heading: got %+v, want (-1, 0) and no heading", p)
	}
	if unknown := (soccer.Localisation{}); unknown.Turned() != unknown {
		t.Error("an unknown pose became known")
	}
	if v := (soccer.Vec3{X: 1, Y: 2, Z: 3}).Turned(); v != (soccer.Vec3{X: -1, Y: -2, Z: 3}) {
		t.Errorf("got point %+v, want (-1, -2, 3)", v)
	}
}

func TestWrapAngle(t *testing.T) {
	for in, want := range map[float64]float64{
		0: 0, math.Pi: math.Pi, -math.Pi: math.Pi, 3 * math.Pi: math.Pi, -math.Pi / 2: -math.Pi / 2, 2 * math.Pi: 0,
		7: 7 - 2*math.Pi,
	} {
		if got := soccer.WrapAngle(in); math.Abs(got-want) > 1e-12 {
			t.Errorf("WrapAngle(%v) = %v, want %v", in, got, want)
		}
	}
}

func TestRotated(t *testing.T) {
	c := soccer.Cov{XX: 4, XY: 1, YY: 2}
	sin, cos := math.Sincos(0.5)
	r := c.Rotated(sin, cos)
	if math.Abs(r.XX+r.YY-6) > 1e-12 || math.Abs(r.XX*r.YY-r.XY*r.XY-7) > 1e-12 {
		t.Errorf("got %+v: trace and determinant have changed", r)
	}
	if along := cos*cos*r.XX + 2*sin*cos*r.XY + sin*sin*r.YY; math.Abs(along-4) > 1e-12 {
		t.Errorf("variance %v along the turned x axis, want 4", along)
	}
	back := r.Rotated(-sin, cos)
	if math.Abs(back.XX-4)+math.Abs(back.XY-1)+math.Abs(back.YY-2) > 1e-12 {
		t.Errorf("turned back: got %+v, want %+v", back, c)
	}
}

func TestSubject(t *testing.T) {
	for s, want := range map[soccer.Subject]string{
		soccer.NoSubject: "", soccer.BallSubject: "ball", soccer.PoseSubject: "pose", 99: "",
	} {
		if got := s.String(); got != want {
			t.Errorf("subject %d is %q, want %q", s, got, want)
		}
	}
}

func TestRobotSet(t *testing.T) {
	var r soccer.RobotSet
	r = r.With(1).With(63).With(64).With(255)
	for n, want := range map[uint8]bool{0: false, 1: true, 63: true, 64: false, 255: false} {
		if r.Has(n) != want {
			t.Errorf("number %d in the set: got %t", n, !want)
		}
	}
}

// Goal, goal area and penalty area fit into each other and into the field.
func TestFields(t *testing.T) {
	for _, f := range []soccer.Field{soccer.MSL18x12(), soccer.MSL22x14()} {
		if !(f.GoalWidth < f.GoalAreaWidth && f.GoalAreaWidth < f.PenaltyAreaWidth && f.PenaltyAreaWidth < f.Width &&
			f.GoalAreaLength < f.PenaltyAreaLength && f.PenaltyAreaLength < f.PenaltySpot &&
			f.PenaltySpot < f.Length/2-f.CircleRadius) {
			t.Errorf("%s: markings do not fit into each other: %+v", f.Name, f)
		}
	}
	if f := soccer.MSL18x12(); f.Length != 18 || f.Width != 12 {
		t.Errorf("got %v x %v m, want 18 x 12 m", f.Length, f.Width)
	}
	if f := soccer.MSL22x14(); f.Length != 22 || f.Width != 14 {
		t.Errorf("got %v x %v m, want 22 x 14 m", f.Length, f.Width)
	}
}
