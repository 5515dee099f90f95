package msl_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"touchline/soccer"
	. "touchline/wire/msl"
)

// random returns a worldstate of random numbers, some of them unknown.
func random(r *rand.Rand) Worldstate {
	number := func(scale float64) Number {
		if r.IntN(5) == 0 {
			return Number{}
		}
		return Num((r.Float64() - 0.5) * scale)
	}
	vec := func(n int, third float64) Vec {
		v := Vec{Len: n, At: [3]Number{number(20), number(20), number(third)}}
		clear(v.At[n:])
		return v
	}
	w := Worldstate{TeamName: "T"}
	for range 5 {
		m := Robot{Pose: vec(3, 0), TargetPose: vec(3, 0), Velocity: vec(3, 20)}
		for _, v := range []*Vec{&m.Pose, &m.TargetPose} {
			if v.At[2].Known {
				v.At[2].Value = r.Float64() * 2 * math.Pi
			}
		}
		w.Robots = append(w.Robots, m)
		w.Balls = append(w.Balls, Ball{Position: vec(3, 5), Velocity: vec(3, 5)})
		w.Obstacles = append(w.Obstacles, Obstacle{Position: vec(2+r.IntN(2), 1), Velocity: vec(r.IntN(3), 1)})
	}
	return w
}

func clone(w Worldstate) Worldstate {
	w.Robots = append([]Robot(nil), w.Robots...)
	w.Balls = append([]Ball(nil), w.Balls...)
	w.Obstacles = append([]Obstacle(nil), w.Obstacles...)
	return w
}

// vectors returns the vectors of a worldstate: poses, target poses, velocities, then those of balls and obstacles.
func allVectors(w *Worldstate) (headings, others []Vec) {
	for _, m := range w.Robots {
		headings = append(headings, m.Pose, m.TargetPose)
		others = append(others, m.Velocity)
	}
	for _, m := range w.Balls {
		others = append(others, m.Position, m.Velocity)
	}
	for _, m := range w.Obstacles {
		others = append(others, m.Position, m.Velocity)
	}
	return headings, others
}

// TestTurn checks MSL World Model 2015, section 2: x' = -x, y' = -y, z' = z, and a heading gains pi modulo 2 pi.
// Turning twice restores all of them.
func TestTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		w := random(r)
		once := clone(w)
		once.Turn()
		twice := clone(once)
		twice.Turn()
		h0, o0 := allVectors(&w)
		h1, o1 := allVectors(&once)
		h2, o2 := allVectors(&twice)
		for i, v := range h0 {
			flat(t, v, h1[i])
			a, b, c := v.At[2], h1[i].At[2], h2[i].At[2]
			if a.Known != b.Known || a.Known != c.Known || !a.Known && b.Value != 0 {
				t.Fatalf("heading %v turns to %v", a, b)
			}
			if a.Known && (b.Value < 0 || b.Value >= 2*math.Pi || math.Abs(math.Abs(a.Value-b.Value)-math.Pi) > 1e-12 ||
				math.Abs(a.Value-c.Value) > 1e-12) {
				t.Fatalf("heading %v turns to %v and to %v", a, b, c)
			}
			h2[i].At[2] = a
			if h2[i] != v {
				t.Fatalf("%v turned twice is %v", v, h2[i])
			}
		}
		for i, v := range o0 {
			flat(t, v, o1[i])
			if o1[i].At[2] != v.At[2] {
				t.Fatalf("%v turns to %v, want the same height and angular velocity", v, o1[i])
			}
			if o2[i] != v {
				t.Fatalf("%v turned twice is %v", v, o2[i])
			}
		}
	}
}

// flat checks that X and Y of turned are those of v with the other sign, and unknown where those are.
func flat(t *testing.T, v, turned Vec) {
	t.Helper()
	for i := range 2 {
		if turned.Len != v.Len || turned.At[i].Known != v.At[i].Known || turned.At[i].Value != -v.At[i].Value {
			t.Fatalf("%v turns to %v", v, turned)
		}
	}
}

// TestRobotFrames converts a robot in its own half, right of the middle, that faces the opponents' goal and drives
// ahead and to the left.
func TestRobotFrames(t *testing.T) {
	m := Robot{Pose: Vec3(2, -5, 0), Velocity: Vec3(-0.5, 1.5, -0.25), TargetPose: Vec3(0, 9, 3*math.Pi/2)}
	l := m.Localisation()
	want := soccer.Localisation{Known: true, HasHeading: true, HasTwist: true,
		Pose: soccer.Pose{X: -5, Y: -2}, Twist: soccer.Twist{X: 1.5, Y: 0.5, Theta: -0.25}}
	if l != want {
		t.Errorf("got localisation %+v, want %+v", l, want)
	}
	target, ok := m.Target()
	if !ok || target.X != 9 || target.Y != 0 || math.Abs(target.Theta+math.Pi/2) > 1e-12 {
		t.Errorf("got target %+v, want (9, 0) facing right", target)
	}
	var back Robot
	back.SetLocalisation(l)
	back.SetTarget(soccer.Pose{X: 9, Y: 0, Theta: -math.Pi / 2})
	if back.Pose != m.Pose || back.Velocity != m.Velocity || back.TargetPose != m.TargetPose {
		t.Errorf("converted back: got %+v, want %+v", back, m)
	}
}

func TestUnknown(t *testing.T) {
	if l := (&Robot{Pose: Vec{Len: 3, At: [3]Number{Num(1), {}, Num(1)}}, Velocity: Vec3(1, 2,
		3)}).Localisation(); l != (soccer.Localisation{}) {
		t.Errorf("without Y: got %+v, want unknown", l)
	}
	disc := Robot{Pose: Vec{Len: 3, At: [3]Number{Num(1), Num(2), {}}}}
	if l := disc.Localisation(); l != (soccer.Localisation{Known: true, Pose: soccer.Pose{X: 2, Y: -1}}) {
		t.Errorf("without heading: got %+v", l)
	}
	back := Robot{Pose: Vec3(1, 1, 1), Velocity: Vec3(1, 1, 1)}
	if back.SetLocalisation(disc.Localisation()); back != disc {
		t.Errorf("without heading, converted back: got %+v", back)
	}
	if back.SetLocalisation(soccer.Localisation{}); back != (Robot{}) {
		t.Errorf("unknown values become %+v", back)
	}
	if _, ok := (&Robot{}).Target(); ok {
		t.Error("a robot without a target has one")
	}
	if _, ok := (&Ball{Position: Vec{Len: 3}, Velocity: Vec3(1, 2, 3)}).Observation(); ok {
		t.Error("a ball of nulls is known")
	}
}

func TestObservations(t *testing.T) {
	ball := Ball{Position: Vec3(1.234, -2.5, 0.11), Velocity: Vec3(0.5, -3.25, 1), Confidence: Num(0.75)}
	o, ok := ball.Observation()
	want := soccer.Observation{Position: soccer.Vec3{X: -2.5, Y: -1.234, Z: 0.11}, Velocity: soccer.Vec3{X: -3.25, Y: -0.5,
		Z: 1},
		HasVelocity: true, Confidence: 0.75}
	if !ok || o != want {
		t.Errorf("got ball %+v, want %+v", o, want)
	}
	if back := NewBall(o); back != ball {
		t.Errorf("converted back: got %+v, want %+v", back, ball)
	}
	obstacle := Obstacle{Position: Vec2(3, 8), Confidence: Num(1)}
	o, ok = obstacle.Observation()
	if want := (soccer.Observation{Position: soccer.Vec3{X: 8, Y: -3}, Confidence: 1}); !ok || o != want {
		t.Errorf("got obstacle %+v, want %+v", o, want)
	}
	if back := NewObstacle(o); back != obstacle {
		t.Errorf("converted back: got %+v, want %+v", back, obstacle)
	}
	for _, c := range []float64{-100, 0, 1.01} {
		if o, _ := (&Ball{Position: Vec3(0, 0, 0), Confidence: Num(c)}).Observation(); o.Confidence != 0 {
			t.Errorf("confidence %v becomes %v", c, o.Confidence)
		}
	}
	if b := NewBall(soccer.Observation{}); b.Confidence.Known || b.Velocity.Len != 0 {
		t.Errorf("unknown values become %+v", b)
	}
}

// TestRoundTrip wants decoded values within half a unit of the last encoded digit.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var back Worldstate
	for range 2000 {
		w := random(r)
		for i := range w.Obstacles {
			if w.Obstacles[i].Velocity.Len == 1 {
				w.Obstacles[i].Velocity = Vec{} // a single component is a violation
			}
		}
		b, err := w.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := back.UnmarshalBinary(b); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		h0, o0 := allVectors(&w)
		h1, o1 := allVectors(&back)
		for i, v := range append(h0, o0...) {
			got := append(h1, o1...)[i]
			for k := range v.At {
				d := math.Abs(math.Remainder(v.At[k].Value-got.At[k].Value, 2*math.Pi))
				if got.Len != v.Len || got.At[k].Known != v.At[k].Known || d > 0.0005+1e-9 || i < len(h0) && k == 2 &&
					d > 0.00005+1e-9 {
					t.Fatalf("%v is decoded as %v", v, got)
				}
			}
		}
	}
}
