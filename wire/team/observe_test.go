package team_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/wire/team"
)

// sent encodes and decodes a message.
func sent[T any, M interface {
	*T
	AppendBinary([]byte) ([]byte, error)
	UnmarshalBinary([]byte) error
}](t *testing.T, msg M) *T {
	t.Helper()
	b, err := msg.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var back T
	if err := M(&back).UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return &back
}

func TestBeliefOfWorld(t *testing.T) {
	now := soccer.Epoch.Add(time.Minute)
	ball := soccer.Ball{
		Known: true, Position: soccer.Vec3{X: 1.5, Y: -2, Z: 0.25}, Velocity: soccer.Vec3{X: -3, Y: 0.5, Z: 1},
		Cov: soccer.Cov{XX: 0.5, XY: 0.125, YY: 0.25}, HeightVar: 0.0625, ClimbVar: 0.5, LastSeen: now.Add(-250 * time.Millisecond),
		SeenBy: soccer.RobotSet(0).With(2).With(63),
	}
	self := soccer.Localisation{
		Known: true, HasHeading: true, HasTwist: true, Confidence: 0.75,
		Pose: soccer.Pose{X: -4, Y: 2.5, Theta: 1}, Twist: soccer.Twist{X: 1, Y: -0.5, Theta: 2},
		Cov: soccer.PoseCov{0: 0.25, 3: 0.25, 5: 0.0625},
	}
	var msg team.Belief
	msg.Ball.SetBelief(now, &ball)
	msg.Self.SetLocalisation(self)
	back := sent[team.Belief](t, &msg)
	if got := back.Ball.Belief(now); got != ball {
		t.Errorf("ball: got  %+v\nwant %+v", got, ball)
	}
	if got := back.Self.Localisation(); got != self {
		t.Errorf("self: got  %+v\nwant %+v", got, self)
	}
	if want := [6]float32{0.25, 0, 0, 0.25, 0, 0.0625}; back.Self.Cov != want || !back.Self.HasCov {
		t.Errorf("covariance %v, want %v", back.Self.Cov, want)
	}

	msg.Ball.SetBelief(now, &soccer.Ball{})
	msg.Self.SetLocalisation(soccer.Localisation{})
	if back = sent[team.Belief](t, &msg); *back != (team.Belief{}) {
		t.Errorf("a robot that knows nothing sent %+v", back)
	}
	if got := back.Ball.Belief(now); got != (soccer.Ball{}) {
		t.Errorf("no ball: got %+v", got)
	}
}

// Angles at the ends of their range stay where they are, whatever the rounding.
func TestHeadings(t *testing.T) {
	for _, heading := range []float64{0, 1, math.Pi, -math.Pi, 3.1415926, -3.1415927, 7, -100} {
		var msg team.Belief
		msg.Self.SetLocalisation(soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{Theta: heading}})
		got := sent[team.Belief](t, &msg).Self.Localisation().Pose.Theta
		if d := math.Abs(soccer.WrapAngle(got - heading)); d > 1e-6 || got > math.Pi || got <= -math.Pi {
			t.Errorf("%v arrives as %v", heading, got)
		}
	}
}

func TestMeasurementsOfPicture(t *testing.T) {
	want := soccer.Sense{
		Time: soccer.Epoch, HasBall: true,
		Self: soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: 1, Theta: -2},
			Cov: soccer.PoseCov{0.25, 0.125, 0.0625, 0.5, -0.125, 0.75}},
		View: soccer.View{Bearing: 0.5, Width: 4, Range: 7},
		// Errors of 0.25 m along a ray of 5 m to (3, 4), and of 0.1 rad across it.
		Balls: []soccer.Observation{{Position: soccer.Vec3{X: 3, Y: 4, Z: 0.125}, Confidence: 0.5,
			Cov: soccer.Cov{XX: 0.1825, XY: -0.09, YY: 0.13}}},
		Obstacles: []soccer.Observation{
			{Position: soccer.Vec3{X: -2}, Confidence: 1}, {Position: soccer.Vec3{X: 1, Y: -1}},
		},
	}
	var msg team.Sense
	msg.Percepts.SetSense(&want)
	if b := msg.Percepts.Balls[0]; b.Range != 5 || b.Kind != team.TheBall || math.Abs(float64(b.Bearing)-0.9273) > 1e-4 ||
		math.Abs(float64(b.RangeSigma)-0.25) > 1e-6 || math.Abs(float64(b.BearingSigma)-0.1) > 1e-6 {
		t.Errorf("ball %+v, want 5 m and 0.9273 rad, with errors of 0.25 m and 0.1 rad", b)
	}
	back := sent[team.Sense](t, &msg)
	var got soccer.Sense
	back.Percepts.Sense(soccer.Epoch, &got)
	if got.Time != want.Time || got.Self != want.Self || got.View != want.View || !got.HasBall || len(got.Balls) != 1 || len(got.Obstacles) != 2 {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
	for i, o := range append(want.Balls, want.Obstacles...) {
		g := append(got.Balls, got.Obstacles...)[i]
		d := g.Position.XY().Sub(o.Position.XY()).Len() + math.Abs(g.Cov.XX-o.Cov.XX) + math.Abs(g.Cov.XY-o.Cov.XY) + math.Abs(g.Cov.YY-o.Cov.YY)
		if d > 1e-5 || g.Position.Z != o.Position.Z || g.Confidence != o.Confidence {
			t.Errorf("observation %d: got %+v, want %+v", i, g, o)
		}
	}

	for range 40 {
		want.Balls = append(want.Balls, want.Balls[0])
		want.Obstacles = append(want.Obstacles, want.Obstacles[0])
	}
	msg.Percepts.SetSense(&want)
	if b, o := len(msg.Percepts.Balls), len(msg.Percepts.Obstacles); b != team.MaxBalls || o != team.MaxSightings {
		t.Errorf("of too many sightings %d and %d remain, want 16 and 16", b, o)
	}
}

func TestDebugOfWorld(t *testing.T) {
	now := soccer.Epoch.Add(time.Second)
	want := soccer.World{
		Time: now, Self: soccer.Localisation{Known: true, Pose: soccer.Pose{X: 1, Y: 2}},
		Ball: soccer.Ball{Known: true, Position: soccer.Vec3{X: 3}, Cov: soccer.Cov{XX: 1, YY: 1}, LastSeen: now},
		Obstacles: []soccer.Obstacle{{
			Position: soccer.Vec{X: 1, Y: -1}, Velocity: soccer.Vec{Y: 0.5}, Cov: soccer.Cov{XX: 0.5, YY: 0.25},
			LastSeen: now.Add(-500 * time.Millisecond),
		}},
		Peers: []soccer.Peer{
			{
				Sender:       soccer.Sender{Robot: 2, Color: soccer.NoColor},
				Self:         soccer.Localisation{Known: true, HasHeading: true, Pose: soccer.Pose{X: -1, Theta: 0.5}},
				LastReceived: now.Add(-time.Second),
				PoseError:    soccer.Pose{X: 0.5, Y: -0.25, Theta: 0.125}, Doubt: 0.75,
				Disagrees: soccer.Disagreement{Since: now.Add(-4 * time.Second), What: soccer.PoseSubject, By: 1.5},
			},
			{Sender: soccer.Sender{Robot: 3, Color: soccer.NoColor}, LastReceived: now},
		},
		SelfDisagrees: soccer.Disagreement{Since: now.Add(-2 * time.Second), What: soccer.BallSubject, By: 3},
		Goal:          soccer.Goal{At: now.Add(-time.Second / 2), Conceded: true, Probability: 0.9375},
	}
	var msg team.Debug
	msg.SetWorld(&want)
	back := sent[team.Debug](t, &msg)
	var got soccer.World
	back.World(now, &got)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}

	// The record of an older program, into memory that held another one.
	msg.Extended = false
	for i := range msg.Peers {
		p := &msg.Peers[i]
		p.Trust, p.BiasX, p.BiasY, p.Disagrees, p.Since = 1, 0, 0, false, 0
	}
	b, err := msg.AppendBinary(nil)
	if err == nil {
		err = back.UnmarshalBinary(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	back.World(now, &got)
	if got.Goal != (soccer.Goal{}) || got.SelfDisagrees != (soccer.Disagreement{}) || len(got.Peers) != 2 ||
		got.Peers[0].Doubt != 0 || got.Peers[0].PoseError != (soccer.Pose{}) || got.Peers[0].Disagrees != (soccer.Disagreement{}) {
		t.Errorf("of an older record: %+v", got)
	}
}

func TestTargetAndTwist(t *testing.T) {
	var status team.Status
	if _, ok := status.Target(); ok {
		t.Error("a robot without a target has one")
	}
	pose := soccer.Pose{X: 1, Y: -2, Theta: 0.5}
	status.SetTarget(pose)
	if got, ok := sent[team.Status](t, &status).Target(); !ok || got != pose {
		t.Errorf("target %+v, want %+v", got, pose)
	}
	var motor team.Motor
	twist := soccer.Twist{X: 1, Y: -2, Theta: 0.5}
	motor.SetTwist(twist)
	if got := sent[team.Motor](t, &motor).Twist(); got != twist {
		t.Errorf("twist %+v, want %+v", got, twist)
	}
	command := soccer.Motor{Twist: twist, Dribbler: 0.5, Kick: 7, KickSpeed: 8, KickElevation: 0.25}
	motor = team.Motor{Sequence: 9}
	motor.SetCommand(&command)
	if got := sent[team.Motor](t, &motor); got.Command() != command || got.Sequence != 9 {
		t.Errorf("command %+v, want %+v as number 9", got, command)
	}
	motor.SetTwist(soccer.Twist{X: math.MaxFloat64})
	if _, err := motor.AppendBinary(nil); err == nil || err.Error() != "team: vx: +Inf: want -100 to 100 m/s" {
		t.Errorf("a velocity beyond f32: %v", err)
	}
}

// A robot's sense becomes the measurements that it shares, without allocations.
func BenchmarkMeasurements(b *testing.B) {
	var sense soccer.Sense
	sense.Self = soccer.Localisation{Known: true, HasHeading: true}
	for i := range 6 {
		o := soccer.Observation{Position: soccer.Vec3{X: 1, Y: float64(i)}, Confidence: 1}
		sense.Obstacles = append(sense.Obstacles, o)
	}
	sense.Balls = sense.Obstacles[:1]
	var msg, back team.Measurements
	buf := make([]byte, 0, 1200)
	b.ReportAllocs()
	for b.Loop() {
		msg.SetSense(&sense)
		var err error
		if buf, err = msg.AppendBinary(buf[:0]); err != nil {
			b.Fatal(err)
		}
		if err = back.UnmarshalBinary(buf); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkBelief(b *testing.B) {
	msg := team.Belief{Ball: team.Ball{Known: true, HasVelocity: true, HasCov: true}, Self: team.Self{Known: true}}
	msg.Self.HasCov, msg.Self.Cov = true, [6]float32{0: 0.01, 3: 0.01, 5: 0.0004}
	var back team.Belief
	buf := make([]byte, 0, 200)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = msg.AppendBinary(buf[:0]); err != nil {
			b.Fatal(err)
		}
		if err = back.UnmarshalBinary(buf); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(buf)))
}
