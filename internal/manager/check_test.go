package manager_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/sim"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// rig is a managed robot in the simulator, and its operator, in virtual time.
type rig struct {
	t        *testing.T
	robot    *manager.Robot
	engine   *sim.Engine
	wheels   *sim.Odometer
	camera   sim.Camera
	sequence uint32
	number   uint32
	check    bool // the operator lets a check go on
	silent   bool // the operator's page is dead
	blind    bool // no picture arrives
	nonce    uint64
	request  uint64 // nonce for requests
	kicks    team.KickCheck
	desk     *manager.Desk
	course   manager.Course // the truth, for the desk alone
	walk     team.LocomotionCheck
	path     []team.PathPoint
	answer   team.Answer
}

const operatorPage = 5

var operator = tcm.Entity{Kind: tcm.Computer, ID: 1}

func newRig(t *testing.T, slip sim.Slip) *rig {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.Seed = 7
	x := &rig{t: t, engine: sim.New(cfg), camera: sim.DefaultCamera()}
	if err := x.engine.AddRobot(3, soccer.Pose{X: -1, Y: 0.5}); err != nil {
		t.Fatal(err)
	}
	var err error
	if x.wheels, err = sim.NewOdometer(slip, 7, 3); err != nil {
		t.Fatal(err)
	}
	own := manager.DefaultRobotConfig(1)
	own.Field = cfg.Field
	x.desk = manager.NewDesk(manager.DeskConfig{Computer: operator.ID, Course: &x.course})
	if x.robot, err = manager.NewRobot(own); err != nil {
		t.Fatal(err)
	}
	x.robot.Receive(operator, x.engine.Now(), &team.Attend{}, nil)
	x.run(100 * time.Millisecond)
	x.ask(team.Request{Operation: team.Take, Text: "Eva"})
	x.run(100 * time.Millisecond)
	return x
}

func (x *rig) receive(_ tcm.Entity, data teamcom.Data) {
	switch m := data.(type) {
	case *team.Management:
		x.request = m.Nonce
	case *team.Challenge:
		x.nonce = m.Nonce
	case *team.KickCheck:
		x.kicks = *m
		x.desk.Receive(x.from(), m, nil)
		if m.State == team.AwaitingBall { // a helper puts it there
			_ = x.engine.PlaceBall(soccer.Vec3{X: float64(m.PlaceX), Y: float64(m.PlaceY), Z: soccer.BallRadius}) // and again
		}
	case *team.LocomotionCheck:
		if int(m.First) == len(x.path) {
			x.path = append(x.path, m.Path...)
		}
		x.walk = *m
		x.desk.Receive(x.from(), m, nil)
	case *team.Answer:
		x.answer = *m
	}
	if _, err := data.AppendBinary(nil); err != nil {
		x.t.Errorf("a message that cannot be sent: %v", err)
	}
}

// from says that a message of the robot leaves and arrives now.
func (x *rig) from() teamcom.From {
	return teamcom.From{Entity: tcm.Entity{Kind: tcm.Robot, ID: 3}, Captured: x.engine.Now(), Received: x.engine.Now()}
}

// ask sends a request and returns the answer.
func (x *rig) ask(m team.Request) team.Answer {
	x.number++
	m.Operator, m.Nonce, m.Number = operatorPage, x.request, x.number
	x.robot.Receive(operator, x.engine.Now(), &m, x.receive)
	return x.answer
}

// run lets the robot and its operator go on for a while.
func (x *rig) run(d time.Duration) {
	const tick = 10 * time.Millisecond
	for end := x.engine.Now().Add(d); x.engine.Now() < end; {
		now, before := x.engine.Now(), time.Duration(x.engine.Now()-soccer.Epoch)/tick
		if before%5 == 0 && !x.blind {
			var s soccer.Sense
			if err := x.engine.Look(3, &x.camera, &s); err != nil {
				x.t.Fatal(err)
			}
			s.HasBall = x.engine.HoldsBall(3)
			x.camera.Describe(&s)
			x.robot.Observe(now, &manager.Body{Now: now, Sense: &s, Odometry: x.wheels.Travel()})
		}
		pose, _ := x.engine.RobotPose(3)
		ball, _ := x.engine.Ball()
		x.course.Note(now, now, ball, []manager.Place{{Robot: 3, Pose: pose}})
		if before%4 == 0 && !x.silent {
			x.sequence++
			x.robot.Receive(operator, now, &team.Attend{Holder: operatorPage}, nil)
			x.robot.Receive(operator, now, &team.Drive{Operator: operatorPage, Nonce: x.nonce, Sequence: x.sequence, Check: x.check}, nil)
		}
		x.robot.Step(now, x.receive)
		if m, driven := x.robot.Motor(now); driven {
			if err := x.engine.Command(3, &m); err != nil {
				x.t.Fatal(err)
			}
		}
		from, _ := x.engine.RobotPose(3)
		x.engine.Step(tick)
		to, _ := x.engine.RobotPose(3)
		x.wheels.Drive(from, to, tick)
	}
}

// until runs until the newest check of its kind is in a state.
func (x *rig) until(state team.CheckState, of func() (team.CheckState, string)) {
	x.t.Helper()
	for range 4000 {
		x.run(100 * time.Millisecond)
		s, note := of()
		if s == state {
			return
		}
		if s == team.Finished || s == team.Aborted {
			x.t.Fatalf("the check is %v: %s", s, note)
		}
	}
	s, note := of()
	x.t.Fatalf("the check stays %v: %s", s, note)
}

func (x *rig) kickState() (team.CheckState, string) { return x.kicks.State, x.kicks.Note }
func (x *rig) walkState() (team.CheckState, string) { return x.walk.State, x.walk.Note }

func kickRequest(tries float32, numbers ...float32) team.Request {
	return team.Request{Operation: team.CheckKick, Value: tries, Numbers: numbers}
}

func walkRequest(figure team.Figure, speed float32, numbers ...float32) team.Request {
	return team.Request{Operation: team.CheckWalk, ID: uint64(figure), Value: speed, Numbers: numbers}
}

// begin starts a check.
func (x *rig) begin(m team.Request) {
	x.t.Helper()
	x.check = true
	if a := x.ask(m); a.Result != team.Done {
		x.t.Fatalf("%v: %s", a.Result, a.Text)
	}
}

// A kick check measures what the kicker really does: 2 m/s with errors of 3 % and 1.5 degrees.
func TestKickCheck(t *testing.T) {
	x := newRig(t, sim.DefaultSlip())
	x.begin(kickRequest(12, 2, 0, 0, 0.3))
	x.until(team.Finished, x.kickState)
	s := manager.Kicks(x.kicks.Tries)
	t.Logf("speed %+v\nangle %+v\ndistance %+v\ndelay %+v", s.Speed, s.Angle, s.Distance, s.Delay)
	if s.Tries != 12 || s.Good < 11 || s.Distance.Tries < 10 {
		t.Fatalf("%d tries, %d good, %d with a distance", s.Tries, s.Good, s.Distance.Tries)
	}
	if math.Abs(s.Speed.Mean-2) > 0.1 || math.Abs(s.Angle.Mean) > 0.03 || math.Abs(s.Distance.Mean-4) > 0.4 {
		t.Errorf("mean speed %.2f m/s, angle %.3f rad, distance %.2f m", s.Speed.Mean, s.Angle.Mean, s.Distance.Mean)
	}
	for i, try := range x.desk.CheckView(3).Kick.Tries {
		truth := try.Truth
		if !try.OK {
			continue
		}
		if truth == nil {
			t.Fatalf("try %d: the desk has no truth", i)
		}
		if d := math.Abs(float64(try.Speed - truth.Speed)); d > 4*float64(try.SpeedSigma)+0.05 {
			t.Errorf("try %d: speed %.2f +- %.2f m/s, truth %.2f", i, try.Speed, try.SpeedSigma, truth.Speed)
		}
		if d := math.Abs(float64(try.Angle - truth.Angle)); d > 4*float64(try.AngleSigma)+0.005 {
			t.Errorf("try %d: angle %.3f +- %.3f rad, truth %.3f", i, try.Angle, try.AngleSigma, truth.Angle)
		}
		if d := math.Abs(float64(try.Distance - truth.Distance)); try.Inside && d > 4*float64(try.DistanceSigma)+0.05 {
			t.Errorf("try %d: distance %.2f +- %.2f m, truth %.2f", i, try.Distance, try.DistanceSigma, truth.Distance)
		}
	}
}

// Each figure is driven by the odometry: where that says the robot should be, it says it is; the truth differs as far as
// the wheels slip.
func TestLocomotionCheck(t *testing.T) {
	for figure, c := range map[team.Figure]struct {
		speed   float32
		numbers []float32
		length  float64 // m, or rad
	}{
		team.Straight: {1, []float32{3, 2, -1, 0, 0}, 6}, team.Sideways: {0.8, []float32{2, 1, 0, -1, 0}, 2},
		team.Turn: {1.5, []float32{0, 2, 0, 0, 0}, 4 * math.Pi}, team.Circle: {1, []float32{1, 1, 0, -1, 0}, 2 * math.Pi},
		team.Square: {1, []float32{2, 1, -1, -1, 0}, 8}, team.Eight: {1, []float32{1, 1, -1, 0, 0}, 4 * math.Pi},
	} {
		t.Run(figure.String(), func(t *testing.T) {
			x := newRig(t, sim.DefaultSlip())
			x.begin(walkRequest(figure, c.speed, c.numbers...))
			x.until(team.Finished, x.walkState)
			x.run(5 * time.Second) // the last parts of the path arrive
			if n := int(x.walk.Total); n < 10 || len(x.path) != n {
				t.Fatalf("%d of %d points arrived", len(x.path), n)
			}
			path := x.desk.CheckView(3).Walk.Path
			if len(path) != len(x.path) || slices.ContainsFunc(path, func(p manager.WalkPoint) bool { return p.Truth == nil }) {
				t.Fatalf("the desk has %d points of %d, or lacks their truth", len(path), len(x.path))
			}
			s := manager.Walk(x.path, manager.Exact())
			length := s.Turned
			if figure != team.Turn {
				length = 0
				for i, p := range path[1:] {
					length += pose(p.Truth[0], p.Truth[1], 0).XY().Sub(pose(path[i].Truth[0], path[i].Truth[1], 0).XY()).Len()
				}
			}
			if math.Abs(length-c.length)/c.length > 0.1 {
				t.Errorf("%.1f m or rad: want %.1f", length, c.length)
			}
			start, last := x.path[0], x.path[len(x.path)-1]
			want := pose(start.WantX, start.WantY, start.WantTheta).Relative(pose(last.WantX, last.WantY, last.WantTheta))
			if miss := want.XY().Sub(pose(last.OdometryX, last.OdometryY, 0).XY()).Len(); miss > 0.05 {
				t.Errorf("by its odometry the robot ends %.2f m off", miss)
			}
			end := path[len(path)-1].Truth
			truth := pose(end[0], end[1], 0).XY().Sub(pose(last.WantX, last.WantY, 0).XY()).Len()
			if truth > 1.2 {
				t.Errorf("truly the robot ends %.2f m off", truth)
			}
		})
	}
}

func pose(x, y, theta float32) soccer.Pose {
	return soccer.Pose{X: float64(x), Y: float64(y), Theta: float64(theta)}
}

// The suggested calibration, set as parameters, makes the second run better.
func TestCalibrateOdometry(t *testing.T) {
	slip := sim.Slip{Scale: 0.08, ScaleTurn: 0.08}
	x := newRig(t, slip)
	x.camera.PoseSigma, x.camera.PoseSigmaHeading = 0.02, 0.004 // a robot that knows where it is
	var miss [2]float64
	for i := range miss {
		x.path = nil
		x.begin(walkRequest(team.Eight, 1, 1, 1, -1, 0, 0))
		x.run(3 * time.Second)
		x.until(team.Finished, x.walkState)
		x.run(5 * time.Second)
		s := manager.Walk(x.path, manager.Exact())
		miss[i] = s.PerMetre
		for j, f := range []float64{s.Suggest.Ahead, s.Suggest.Side, s.Suggest.Turn} {
			name := []string{"odometry ahead", "odometry side", "odometry turn"}[j]
			if a := x.ask(team.Request{Operation: team.Set, Text: name, Value: float32(f)}); a.Result != team.Done {
				t.Fatalf("%s: %s", name, a.Text)
			}
		}
	}
	t.Logf("%.3f, then %.3f m a metre", miss[0], miss[1])
	if miss[1] > 0.5*miss[0] {
		t.Errorf("odometry errs by %.3f m a metre before, %.3f after its calibration", miss[0], miss[1])
	}
}

// A check ends at once, and the robot stands, when the operator stops it, when another one takes the control, when the
// referee stops it, and when the operator drives. When the page dies or the robot sees nothing more, it stands at once,
// too, and the check ends some seconds later.
func TestCheckEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(x *rig)
		note string
	}{
		"page dies":     {func(x *rig) { x.silent = true }, "commands stopped for 2s"},
		"stop key":      {func(x *rig) { x.check = false }, "the operator stopped it"},
		"stop request":  {func(x *rig) { x.ask(walkRequest(0, 0)) }, "the operator stopped it"},
		"referee stops": {func(x *rig) { x.robot.ReceiveReferee(&team.Referee{State: team.Stop}) }, "the referee stopped it"},
		"game":          {func(x *rig) { x.robot.ReceiveReferee(&team.Referee{Part: team.FirstHalf}) }, "the referee stopped it"},
		"blind":         {func(x *rig) { x.blind = true }, "sensors are silent"},
		"drives": {func(x *rig) {
			x.sequence++
			x.robot.Receive(operator, x.engine.Now(),
				&team.Drive{Operator: operatorPage, Nonce: x.nonce, Sequence: x.sequence, Check: true, VX: 1}, nil)
		}, "the operator drove"},
		"taken over": {func(x *rig) {
			x.robot.Receive(tcm.Entity{Kind: tcm.Computer, ID: 2}, x.engine.Now(),
				&team.Request{Operator: 9, Nonce: x.request, Number: 1, Text: "Tom"}, x.receive)
		}, "lost it"},
		"carried away": {func(x *rig) {
			if err := x.engine.MoveRobot(3, soccer.Pose{X: 4, Y: 6.4}); err != nil {
				x.t.Fatal(err)
			}
		}, "leave the field"},
	} {
		t.Run(name, func(t *testing.T) {
			x := newRig(t, sim.Slip{})
			x.begin(walkRequest(team.Straight, 1, 4, 1, -1, 0.5, 0))
			x.until(team.Executing, x.walkState)
			x.run(2 * time.Second)
			c.end(x)
			ended := x.engine.Now()
			if name == "page dies" { // it hears of the end when it is back
				x.run(manager.Lease + 20*time.Millisecond)
				if m, driven := x.robot.Motor(x.engine.Now()); !driven || m != (soccer.Motor{}) {
					t.Errorf("the motors go on with %+v", m)
				}
				x.run(2 * time.Second)
				x.silent = false
			}
			for x.walk.State != team.Aborted && x.engine.Now().Sub(ended) < 10*time.Second {
				x.run(10 * time.Millisecond)
			}
			m, _ := x.robot.Motor(x.engine.Now())
			if name == "drives" { // the robot obeys the operator
				m.Twist.X--
			}
			if x.walk.State != team.Aborted || !strings.Contains(x.walk.Note, c.note) || m.Twist != (soccer.Twist{}) {
				t.Fatalf("%v: %q, want %q; the motors go on with %v", x.walk.State, x.walk.Note, c.note, m.Twist)
			}
			if took := x.engine.Now().Sub(ended); took > manager.Lease+20*time.Millisecond && name != "blind" && name != "page dies" {
				t.Errorf("it ended after %v", took)
			}
			if x.silent = false; name == "stop key" { // a command that lets checks go on begins none
				x.check = true
				x.run(time.Second)
				if m, _ := x.robot.Motor(x.engine.Now()); m.Twist != (soccer.Twist{}) {
					t.Errorf("the robot goes on with %v", m.Twist)
				}
			}
		})
	}
}

// gap lets a silence or a blindness last for a while. The motors must stand after the lease, or the time without pictures.
func (x *rig) gap(of *bool, d time.Duration) {
	x.t.Helper()
	*of = true
	x.run(600 * time.Millisecond) // the lease, and the time without pictures
	for end := x.engine.Now().Add(d - 600*time.Millisecond); x.engine.Now() < end; x.run(20 * time.Millisecond) {
		if m, _ := x.robot.Motor(x.engine.Now()); m != (soccer.Motor{}) {
			x.t.Errorf("in a gap the motors get %+v", m)
		}
	}
	*of = false
}

// A walk goes on after gaps of commands and of pictures: the robot stands meanwhile, and comes to the path's end by its
// odometry.
func TestWalkSurvivesGaps(t *testing.T) {
	x := newRig(t, sim.Slip{})
	x.begin(walkRequest(team.Square, 1, 2, 1, -1, -1, 0))
	x.until(team.Executing, x.walkState)
	x.run(1500 * time.Millisecond)
	x.gap(&x.silent, 1500*time.Millisecond)
	x.run(2 * time.Second)
	x.gap(&x.blind, 2*time.Second)
	x.until(team.Finished, x.walkState)
	x.run(5 * time.Second)
	path := x.desk.CheckView(3).Walk.Path
	end := path[len(path)-1]
	if miss := math.Hypot(float64(end.Odometry[0]-end.Want[0]), float64(end.Odometry[1]-end.Want[1])); miss > 0.05 {
		t.Errorf("by its odometry the robot ends %.2f m off", miss)
	}
	if _, note := x.walkState(); !strings.HasPrefix(note, "gaps: 2, ") || strings.Contains(note, "repeated") {
		t.Errorf("note %q", note)
	}
	for i, p := range path[1:] {
		if p.Truth == nil || math.Hypot(float64(p.Truth[0]-p.World[0]), float64(p.Truth[1]-p.World[1])) > 0.5 {
			t.Errorf("point %d at %.1f s: truth %v, localised %v", i+1, p.Time, p.Truth, p.World)
		}
	}
}

// A kick check repeats the tries that gaps disturbed, and no other one: the robot stands while the ball rolls, so that a
// gap of commands disturbs nothing then.
func TestKickCheckSurvivesGaps(t *testing.T) {
	x := newRig(t, sim.DefaultSlip())
	x.begin(kickRequest(4, 2, 0, 0, 0.3))
	for !x.engine.HoldsBall(3) {
		x.run(20 * time.Millisecond)
	}
	x.gap(&x.silent, time.Second) // while it aims
	x.until(team.Measuring, x.kickState)
	x.run(500 * time.Millisecond)
	x.gap(&x.silent, time.Second) // the ball rolls: nothing is repeated
	for len(x.kicks.Tries) < 1 {
		x.run(100 * time.Millisecond)
	}
	x.until(team.Preparing, x.kickState)
	x.until(team.Measuring, x.kickState)
	x.gap(&x.blind, 2*time.Second) // it is not seen
	x.until(team.Finished, x.kickState)
	if _, note := x.kickState(); !strings.HasPrefix(note, "gaps: 3, ") || !strings.HasSuffix(note, "tries repeated: 2") {
		t.Errorf("note %q", note)
	}
	s := manager.Kicks(x.kicks.Tries)
	if s.Tries != 4 || s.Good < 4 || math.Abs(s.Speed.Mean-2) > 0.15 {
		t.Errorf("%+v", s)
	}
	for i, try := range x.desk.CheckView(3).Kick.Tries {
		if try.Truth == nil || math.Abs(float64(try.Speed-try.Truth.Speed)) > 4*float64(try.SpeedSigma)+0.05 {
			t.Errorf("try %d: %+v, truth %+v", i, try, try.Truth)
		}
	}
}

// A check that no command lets begin ends by itself, and the robot has not moved.
func TestCheckWithoutPermit(t *testing.T) {
	x := newRig(t, sim.Slip{})
	from, _ := x.engine.RobotPose(3)
	if a := x.ask(walkRequest(team.Straight, 1, 4, 1, 2, 0.5, 0)); a.Result != team.Done {
		t.Fatalf("%v: %s", a.Result, a.Text)
	}
	x.run(3 * time.Second)
	if at, _ := x.engine.RobotPose(3); at != from || x.walk.State != team.Aborted {
		t.Errorf("%v %q: the robot went from %v to %v", x.walk.State, x.walk.Note, from, at)
	}
}

// Checks that a robot must not execute are refused with the reason.
func TestCheckRefused(t *testing.T) {
	x := newRig(t, sim.Slip{})
	for _, c := range []struct {
		request team.Request
		why     string
	}{
		{kickRequest(51, 2, 0, 0, 0), "51 tries: want 1 to 50"}, {kickRequest(1.5, 2, 0, 0, 0), "1.5 tries"},
		{kickRequest(5, 2, 9.1, 0, 0), "the ball at 9.10, 0.00 m leaves the field"},
		{kickRequest(5, 2, -8.5, 0, 0), "the robot behind the ball at -9.22, 0.00 m leaves the field"},
		{kickRequest(5, 9, 0, 0, 0), "this kick has 0.5 to 3 m/s"}, {kickRequest(5), "needs a speed"},
		{team.Request{Operation: team.CheckKick, ID: 99, Value: 1, Numbers: []float32{2, 0, 0, 0}}, "no kick 99"},
		{walkRequest(team.Straight, 1, 8, 1, 2, 0, 0), "the path at 8.77, 0.00 m leaves"}, {walkRequest(6, 1, 1, 1, 0, 0, 0), "want a figure"},
		{walkRequest(team.Circle, 9, 1, 1, 0, 0, 0), "speed 9"}, {walkRequest(team.Circle, 2, 1, 1, 0, 0, 0), "cannot go that fast"},
		{walkRequest(team.Circle, 0.05, 2, 20, 0, 0, 0), "want at most 120 s"},
	} {
		if a := x.ask(c.request); a.Result != team.Refused || !strings.Contains(a.Text, c.why) {
			t.Errorf("%+v: %v %q, want %q", c.request, a.Result, a.Text, c.why)
		}
	}
	x.robot.ReceiveReferee(&team.Referee{State: team.Stop})
	if a := x.ask(kickRequest(5, 2, 0, 0, 0)); a.Result != team.Refused || !strings.Contains(a.Text, "the referee forbids it") {
		t.Errorf("after STOP: %v %q", a.Result, a.Text)
	}
	x.robot.ReceiveReferee(&team.Referee{})
	x.begin(kickRequest(5, 2, 0, 0, 0))
	if a := x.ask(kickRequest(5, 2, 0, 0, 0)); a.Result != team.Refused || !strings.Contains(a.Text, "another check runs") {
		t.Errorf("a second one: %v %q", a.Result, a.Text)
	}
}

// For any request and any sensor values, the motors of a check get commands within the robot's limits, and its reports can be
// sent.
func FuzzCheck(f *testing.F) {
	f.Add(true, uint8(1), float32(3), float32(2), float32(0), float32(0), float32(0), float32(0), 0.0, 0.5, 0.1, 0.7)
	f.Add(false, uint8(5), float32(1), float32(1), float32(2), float32(-1), float32(0), float32(3), 0.1, 0.0, -0.1, 4.0)
	for _, odometry := range []float64{0, 10, 1e4, 1e300, math.NaN(), math.Inf(-1)} { // of a robot that stands at its start
		f.Add(false, uint8(2), float32(1), float32(1), float32(1), float32(0), float32(0), float32(0), 0.0, 0.0, 0.0, odometry)
	}
	f.Fuzz(func(t *testing.T, kick bool, id uint8, value, a, b, c, d, e float32, x, y, theta, ball float64) {
		cfg := manager.DefaultRobotConfig(1)
		cfg.Field = soccer.MSL18x12()
		r, err := manager.NewRobot(cfg)
		if err != nil {
			t.Fatal(err)
		}
		now, nonce := soccer.Epoch, uint64(0)
		receive := func(_ tcm.Entity, data teamcom.Data) {
			if _, err := data.AppendBinary(nil); err != nil {
				t.Fatalf("%T: %v", data, err)
			}
			switch m := data.(type) {
			case *team.Management:
				nonce = m.Nonce
			case *team.Challenge:
				nonce = m.Nonce
			}
		}
		sense := &soccer.Sense{Self: soccer.Localisation{Known: true, HasHeading: true}}
		for i := range 200 {
			now = now.Add(50 * time.Millisecond)
			r.Receive(operator, now, &team.Attend{Holder: operatorPage}, nil)
			r.Step(now, receive)
			n := float64(i)
			sense.Time, sense.HasBall = now, i%50 > 20
			sense.Self.Pose = soccer.Pose{X: n * x, Y: y, Theta: soccer.WrapAngle(theta * n)}
			sense.Balls = []soccer.Observation{{Position: soccer.Vec3{X: ball * n / 10, Y: y}}}
			r.Observe(now, &manager.Body{Now: now, Sense: sense, Odometry: soccer.Pose{X: n * ball, Y: y}})
			switch i {
			case 1:
				r.Receive(operator, now, &team.Request{Operator: operatorPage, Nonce: nonce, Number: 1, Text: "Eva"}, receive)
			case 3:
				q := team.Request{
					Operator: operatorPage, Nonce: nonce, Number: 2, Operation: team.CheckWalk, ID: uint64(id), Value: value,
					Numbers: []float32{a, b, c, d, e},
				}
				if kick {
					q.Operation, q.Numbers = team.CheckKick, q.Numbers[:4]
				}
				if _, err := q.AppendBinary(nil); err != nil {
					return // it never arrives
				}
				r.Receive(operator, now, &q, receive)
			}
			r.Receive(operator, now, &team.Drive{Operator: operatorPage, Nonce: nonce, Sequence: uint32(i + 1), Check: true}, nil)
			m, _ := r.Motor(now)
			if !(math.Abs(m.Twist.X) <= 1.5 && math.Abs(m.Twist.Y) <= 1.5 && math.Abs(m.Twist.Theta) <= 2.5) {
				t.Fatalf("the motors get %+v", m)
			}
		}
	})
}
