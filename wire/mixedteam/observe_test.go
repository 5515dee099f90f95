package mixedteam_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"touchline/soccer"
	. "touchline/wire/mixedteam"
)

func header(v Variant) Header {
	return Header{Variant: v, HasTimestamp: true, TimestampMillis: 1500, Color: soccer.Cyan, TeamID: 63, Robot: 2}
}

// encoded returns the v2 package of p.
func encoded(t *testing.T, p soccer.Percepts) PackageV2 {
	t.Helper()
	h := header(V2)
	b, err := Append(nil, &h, &p)
	if err != nil {
		t.Fatal(err)
	}
	var m PackageV2
	if err := m.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFrame encodes known positions. In the team frame x points to the opponents' goal and y to the left; in the MSL
// frame Y points to that goal and X to the right. Headings agree: 0 faces the goal.
func TestFrame(t *testing.T) {
	m := encoded(t, soccer.Percepts{
		Self: soccer.Localisation{Known: true, HasHeading: true, HasTwist: true, Confidence: 1,
			Pose: soccer.Pose{X: 7, Y: -3, Theta: math.Pi / 2}, Twist: soccer.Twist{X: 1, Y: 2, Theta: -0.5}},
		Balls: []soccer.Observation{{
			Position: soccer.Vec3{X: -4, Y: 5, Z: 0.25}, Velocity: soccer.Vec3{X: 3, Y: -2, Z: 1}, HasVelocity: true,
		}},
	})
	if want := (Self{3000, 7000, 1571, -2000, 1000, -500, 255}); m.Self != want {
		t.Errorf("got self %+v, want %+v", m.Self, want)
	}
	if want := (Ball{-5000, -4000, 250, 2000, 3000, 1000, 0}); m.Balls[0] != want {
		t.Errorf("got ball %+v, want %+v", m.Balls[0], want)
	}
}

// TestRoundTrip decodes encoded percepts in every variant: positions to half a millimetre.
func TestRoundTrip(t *testing.T) {
	p := soccer.Percepts{
		Self: soccer.Localisation{Known: true, HasHeading: true, HasTwist: true, Confidence: 0.8,
			Pose: soccer.Pose{X: -1.2344, Y: 0.0004, Theta: -3}, Twist: soccer.Twist{X: 1.5, Y: -2.25, Theta: 4}},
		Balls: []soccer.Observation{
			{
				Position: soccer.Vec3{X: 8.9996, Y: -5.5, Z: 1},
				Velocity: soccer.Vec3{X: -1, Y: 2, Z: -3}, HasVelocity: true, Confidence: 0.6,
			},
			{Position: soccer.Vec3{X: 1, Y: 2}, Confidence: 0.2},
		},
		Obstacles: []soccer.Observation{{
			Position: soccer.Vec3{X: 3, Y: -1}, Velocity: soccer.Vec3{X: 0.5, Y: 0.25}, HasVelocity: true, Confidence: 1,
		}},
	}
	for _, v := range []Variant{V1, V2, V2Padded} {
		h := header(v)
		b, err := Append(nil, &h, &p)
		if err != nil {
			t.Fatal(err)
		}
		var got soccer.Percepts
		var gotHeader Header
		id, err := Decode(b, &gotHeader, &got)
		if err != nil || id.Variant != v || id.Len != len(b) || id.Confidence < 0.9 {
			t.Fatalf("%v: got %+v, %v", v, id, err)
		}
		want := h
		if v == V1 {
			want = Header{Variant: V1, Color: soccer.NoColor, Robot: 2}
		}
		if gotHeader != want {
			t.Errorf("%v: got header %+v, want %+v", v, gotHeader, want)
		}
		near := func(name string, got, want, within float64) {
			if !(math.Abs(got-want) <= within) {
				t.Errorf("%v: %s: got %v, want %v", v, name, got, want)
			}
		}
		near("self x", got.Self.Pose.X, p.Self.Pose.X, 0.0005)
		near("self y", got.Self.Pose.Y, p.Self.Pose.Y, 0.0005)
		near("ball x", got.Balls[0].Position.X, 8.9996, 0.0005)
		near("ball vy", got.Balls[0].Velocity.Y, 2, 1e-9)
		near("ball confidence", got.Balls[0].Confidence, 0.6, 1e-9)
		near("obstacle y", got.Obstacles[0].Position.Y, -1, 1e-9)
		if got.Balls[1].HasVelocity {
			t.Errorf("%v: got a velocity that was unknown", v)
		}
		if v == V1 {
			if got.Self.HasHeading || got.Self.HasTwist || got.Obstacles[0].HasVelocity || got.Self.Pose.Theta != 0 {
				t.Errorf("v1: got %+v and %+v, which it cannot hold", got.Self, got.Obstacles[0])
			}
			continue
		}
		near("self theta", got.Self.Pose.Theta, -3, 0.0006)
		near("self vtheta", got.Self.Twist.Theta, 4, 1e-9)
		near("obstacle vx", got.Obstacles[0].Velocity.X, 0.5, 1e-9)
	}
}

func TestHeadingIsWrittenWithinOneTurn(t *testing.T) {
	for theta, want := range map[float64]int16{0: 0, -0.001: 6282, 3 * math.Pi: 3142, 2*math.Pi - 1e-9: 6283, -1e-30: 6283,
		-math.Pi / 2: 4712} {
		self := soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{Theta: theta}}
		m := encoded(t, soccer.Percepts{Self: self})
		if got := m.Self.ThetaMilliradians; got != want {
			t.Errorf("heading %v: got %d, want %d", theta, got, want)
		}
	}
}

func TestConfidence(t *testing.T) {
	for p, want := range map[float64]uint8{0: 0, 1e-9: 1, 0.002: 1, 0.5: 128, 1: 255} {
		m := encoded(t, soccer.Percepts{Balls: []soccer.Observation{{Confidence: p}}})
		if got := m.Balls[0].Confidence; got != want {
			t.Errorf("probability %v: got %d, want %d", p, got, want)
		}
	}
	// In v1 a confidence of 0 would mark an absent object.
	h := header(V1)
	in := soccer.Percepts{
		Balls: make([]soccer.Observation, 1), Obstacles: make([]soccer.Observation, 1),
		Self: soccer.Localisation{Known: true},
	}
	b, err := Append(nil, &h, &in)
	if err != nil {
		t.Fatal(err)
	}
	var m PackageV1
	err = m.UnmarshalBinary(b)
	if err != nil || m.Balls[0].Confidence != 1 || m.Obstacles[0].Confidence != 1 || m.Self.Confidence != 0 {
		t.Errorf("got %v, %+v, want confidences 1, 1 and 0", err, m)
	}
}

// TestMostConfidentAreKept encodes more candidates than the packages hold, with different X.
func TestMostConfidentAreKept(t *testing.T) {
	var p soccer.Percepts
	for i, c := range []float64{0.3, 0, 0.9, 0.3, 0.5} {
		p.Balls = append(p.Balls, soccer.Observation{Position: soccer.Vec3{Y: float64(-i)}, Confidence: c})
	}
	for i := range 40 {
		c := float64(i*7%40) / 40
		p.Obstacles = append(p.Obstacles, soccer.Observation{Position: soccer.Vec3{Y: float64(-i) / 10}, Confidence: c})
	}
	order := slices.Clone(p.Obstacles)
	slices.SortStableFunc(order, func(a, b soccer.Observation) int {
		if a.Confidence > b.Confidence {
			return -1
		}
		return 1
	})
	m := encoded(t, p)
	got := [3]int16{m.Balls[0].XMillimetres, m.Balls[1].XMillimetres, m.Balls[2].XMillimetres}
	if want := [3]int16{2000, 4000, 0}; got != want {
		t.Errorf("got balls at X %v, want %v", got, want)
	}
	for i := range m.Obstacles {
		if want := int16(math.Round(-order[i].Position.Y * 1000)); m.Obstacles[i].XMillimetres != want {
			t.Errorf("obstacle %d: got X %d, want %d", i, m.Obstacles[i].XMillimetres, want)
		}
	}
	h := header(V1)
	b, err := Append(nil, &h, &p)
	if err != nil {
		t.Fatal(err)
	}
	if issues := Check(b); len(issues) != 0 {
		t.Errorf("v1: got issues %v, want none", issues)
	}
}

// A value out of range is an error that names the field, and the buffer is returned unchanged.
func TestValuesThatDoNotFit(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := soccer.Observation{Confidence: 0.5}
	ball := func(change func(*soccer.Observation)) soccer.Percepts {
		o := soccer.Observation{HasVelocity: true, Confidence: 0.4}
		change(&o)
		return soccer.Percepts{Balls: []soccer.Observation{good, o}}
	}
	obstacle := func(change func(*soccer.Observation)) soccer.Percepts {
		p := ball(change)
		return soccer.Percepts{Obstacles: p.Balls}
	}
	self := func(change func(*soccer.Localisation)) soccer.Percepts {
		s := soccer.Localisation{Known: true, HasHeading: true, HasTwist: true}
		change(&s)
		return soccer.Percepts{Self: s}
	}
	for _, c := range []struct {
		field string
		p     soccer.Percepts
	}{
		{"Balls[1].Position.X", ball(func(o *soccer.Observation) { o.Position.X = nan })},
		{"Balls[1].Position.X", ball(func(o *soccer.Observation) { o.Position.X = -32.768 })},
		{"Balls[1].Position.Y", ball(func(o *soccer.Observation) { o.Position.Y = 32.768 })},
		{"Balls[1].Position.Z", ball(func(o *soccer.Observation) { o.Position.Z = inf })},
		{"Balls[1].Velocity.X", ball(func(o *soccer.Observation) { o.Velocity.X = 40 })},
		{"Balls[1].Velocity.Y", ball(func(o *soccer.Observation) { o.Velocity.Y = -inf })},
		{"Balls[1].Velocity.Z", ball(func(o *soccer.Observation) { o.Velocity.Z = nan })},
		{"Balls[1].Confidence", ball(func(o *soccer.Observation) { o.Confidence = nan })},
		{"Balls[1].Confidence", ball(func(o *soccer.Observation) { o.Confidence = 1.01 })},
		{"Balls[1].Confidence", ball(func(o *soccer.Observation) { o.Confidence = -0.1 })},
		{"Obstacles[1].Position.X", obstacle(func(o *soccer.Observation) { o.Position.X = nan })},
		{"Obstacles[1].Position.Y", obstacle(func(o *soccer.Observation) { o.Position.Y = -1e300 })},
		{"Obstacles[1].Velocity.X", obstacle(func(o *soccer.Observation) { o.Velocity.X = nan })},
		{"Obstacles[1].Velocity.Y", obstacle(func(o *soccer.Observation) { o.Velocity.Y = nan })},
		{"Obstacles[1].Confidence", obstacle(func(o *soccer.Observation) { o.Confidence = 2 })},
		{"Self.Pose.X", self(func(s *soccer.Localisation) { s.Pose.X = nan })},
		{"Self.Pose.Y", self(func(s *soccer.Localisation) { s.Pose.Y = 33 })},
		{"Self.Pose.Theta", self(func(s *soccer.Localisation) { s.Pose.Theta = inf })},
		{"Self.Twist.X", self(func(s *soccer.Localisation) { s.Twist.X = nan })},
		{"Self.Twist.Y", self(func(s *soccer.Localisation) { s.Twist.Y = nan })},
		{"Self.Twist.Theta", self(func(s *soccer.Localisation) { s.Twist.Theta = 32.768 })},
		{"Self.Confidence", self(func(s *soccer.Localisation) { s.Confidence = nan })},
	} {
		for _, v := range []Variant{V1, V2, V2Padded} {
			h := header(v)
			b, err := Append([]byte("kept"), &h, &c.p)
			if err == nil || !strings.Contains(err.Error(), c.field+" is ") || string(b) != "kept" {
				t.Errorf("%v, %s: %v, %q", v, c.field, err, b)
			}
		}
	}
	edge := ball(func(o *soccer.Observation) { o.Position = soccer.Vec3{X: 32.767, Y: -32.767, Z: -32.767} })
	if b := encoded(t, edge).Balls[1]; b.YMillimetres != 32767 || b.XMillimetres != 32767 || b.ZMillimetres != -32767 {
		t.Errorf("the edge of the range: got %+v", b)
	}
}

// A refused field of the header is an error that names the field.
func TestHeadersThatAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Header){
		"mixed_team_robot_id": func(h *Header) { h.Robot = 7 },
		"robot_id":            func(h *Header) { h.Robot = 0 },
		"team_color":          func(h *Header) { h.Color = soccer.NoColor },
	} {
		for _, v := range []Variant{V1, V2, V2Padded} {
			if v == V1 && name == "team_color" {
				continue // v1 has none
			}
			h := header(v)
			change(&h)
			if b, err := Append([]byte("kept"), &h, &soccer.Percepts{}); err == nil || string(b) != "kept" ||
				!strings.Contains(err.Error(), strings.TrimPrefix(name, "mixed_team_")) {
				t.Errorf("%v, %s: %v, %q", v, name, err, b)
			}
		}
	}
	h := header(Foreign)
	if _, err := Append(nil, &h, &soccer.Percepts{}); err == nil {
		t.Error("a package of variant Foreign was encoded")
	}
}
