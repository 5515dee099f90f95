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

func TestVec(t *testing.T) {
	v, u := soccer.Vec{X: 3, Y: 4}, soccer.Vec{X: -1, Y: 2}
	for _, c := range []struct {
		name      string
		got, want soccer.Vec
	}{
		{"Add", v.Add(u), soccer.Vec{X: 2, Y: 6}},
		{"Sub", v.Sub(u), soccer.Vec{X: 4, Y: 2}},
		{"Scale", v.Scale(-2), soccer.Vec{X: -6, Y: -8}},
		{"Unit", v.Unit(), soccer.Vec{X: 0.6, Y: 0.8}},
		{"Unit of a short one", soccer.Vec{Y: 1e-10}.Unit(), soccer.Vec{X: 1}},
		{"Left", v.Left(), soccer.Vec{X: -4, Y: 3}},
		{"Rotated", v.Rotated(0.8, 0.6), soccer.Vec{X: 1.8 - 3.2, Y: 2.4 + 2.4}},
		{"Rotated back", v.Rotated(-0.8, 0.6), soccer.Vec{X: 5, Y: 0}},
	} {
		if c.got.Sub(c.want).Len() > 1e-15 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if got := v.Dot(u); got != 5 {
		t.Errorf("Dot: %v", got)
	}
	if got := v.Cross(u); got != 10 || u.Cross(v) != -10 {
		t.Errorf("Cross: %v, and %v the other way", got, u.Cross(v))
	}
	if got := v.Len(); got != 5 {
		t.Errorf("Len: %v", got)
	}
	if got := (soccer.Vec{X: -2, Y: 2}).Angle(); math.Abs(got-0.75*math.Pi) > 1e-15 {
		t.Errorf("Angle: %v", got)
	}
	if got := (soccer.Vec3{X: 1, Y: 2, Z: 3}).Dot(soccer.Vec3{X: 4, Y: -5, Z: 6}); got != 12 {
		t.Errorf("Dot in space: %v", got)
	}
}

func TestComposedPoses(t *testing.T) {
	robot, ball := soccer.Pose{X: 1, Y: 2, Theta: math.Pi / 2}, soccer.Pose{X: 3, Y: 1, Theta: 3}
	near := func(a, b soccer.Pose) bool {
		return a.XY().Sub(b.XY()).Len() < 1e-12 && math.Abs(soccer.WrapAngle(a.Theta-b.Theta)) < 1e-12
	}
	inField := robot.Compose(ball)
	if want := (soccer.Pose{X: 0, Y: 5, Theta: 3 - 1.5*math.Pi}); !near(inField, want) {
		t.Errorf("Compose: %v, want %v", inField, want)
	}
	if back := robot.Relative(inField); !near(back, ball) {
		t.Errorf("Relative: %v, want %v", back, ball)
	}
}

func TestInverseOfAPoseCov(t *testing.T) {
	c := soccer.PoseCov{4, 1, 0.5, 3, -0.25, 2}
	i, d := c.Inverse()
	full := func(c soccer.PoseCov) [3][3]float64 {
		return [3][3]float64{{c[0], c[1], c[2]}, {c[1], c[3], c[4]}, {c[2], c[4], c[5]}}
	}
	a, b := full(c), full(i)
	for row := range 3 {
		for col := range 3 {
			sum := 0.0
			for k := range 3 {
				sum += a[row][k] * b[k][col]
			}
			want := 0.0
			if row == col {
				want = 1
			}
			if math.Abs(sum-want) > 1e-12 {
				t.Errorf("the product with the inverse has %v at %d, %d", sum, row, col)
			}
		}
	}
	if want := 4*(6-0.0625) - (2 + 0.125) + 0.5*(-0.25-1.5); math.Abs(d-want) > 1e-12 {
		t.Errorf("determinant %v, want %v", d, want)
	}
}
