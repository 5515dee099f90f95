package selfloc_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/sim"
	"touchline/soccer"
	"touchline/world/selfloc"
)

const ms = time.Millisecond

// walk is a robot that drives between random places, with its sensors. Its locator gets pictures 60 ms late.
type walk struct {
	t      *testing.T
	rng    *rand.Rand
	engine *sim.Engine
	wheels *sim.Odometer
	eyes   *sim.LineScanner
	l      *selfloc.Locator
	pose   soccer.Pose
	speed  soccer.Vec
	goal   soccer.Vec
	late   []func(*selfloc.Locator)
	blind  bool // the camera sees no lines

	previous func(*selfloc.Locator) // the picture before the newest one
}

func newWalk(t *testing.T, seed uint64, start soccer.Pose) *walk {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.Seed = seed
	w := &walk{t: t, rng: rand.New(rand.NewPCG(seed, 1)), engine: sim.New(cfg), pose: start, goal: start.XY()}
	var err error
	if w.wheels, err = sim.NewOdometer(sim.DefaultSlip(), seed, 1); err != nil {
		t.Fatal(err)
	}
	if w.eyes, err = sim.NewLineScanner(sim.DefaultLineCamera(), seed, 1); err != nil {
		t.Fatal(err)
	}
	if err := w.engine.AddRobot(1, start); err != nil {
		t.Fatal(err)
	}
	w.l = selfloc.New(selfloc.DefaultConfig(cfg.Field))
	return w
}

// step drives for 10 ms, and takes a picture every 40 ms.
func (w *walk) step() {
	w.t.Helper()
	way := w.goal.Sub(w.pose.XY())
	if way.Len() < 0.3 {
		w.goal = soccer.Vec{X: 16 * (w.rng.Float64() - 0.5), Y: 10 * (w.rng.Float64() - 0.5)}
		way = w.goal.Sub(w.pose.XY())
	}
	for _, v := range [...]struct {
		speed *float64
		way   float64
	}{{&w.speed.X, way.X}, {&w.speed.Y, way.Y}} {
		*v.speed += math.Max(-0.02, math.Min(0.02, v.way/way.Len()*1.5-*v.speed))
	}
	to := soccer.Pose{X: w.pose.X + 0.01*w.speed.X, Y: w.pose.Y + 0.01*w.speed.Y, Theta: w.pose.Theta + 0.005}
	w.place(to)
	w.wheels.Drive(w.pose, to, 10*ms)
	w.pose = to
	w.engine.Step(10 * ms)
	now := w.engine.Now()
	w.l.Odometry(now, w.wheels.Travel())
	if now.Sub(soccer.Epoch)%(40*ms) != 0 {
		return
	}
	points, err := w.eyes.Scan(w.engine, 2*math.Pi, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.late = append(w.late, func(l *selfloc.Locator) { l.Lines(now, points) })
	if len(w.late) > 1 && !w.blind {
		w.late[0](w.l)
	}
	if len(w.late) > 1 {
		w.late = w.late[1:]
	}
}

// place moves the body.
func (w *walk) place(to soccer.Pose) {
	w.t.Helper()
	if err := w.engine.MoveRobot(1, to); err != nil {
		w.t.Fatal(err)
	}
}

// carry moves the robot without its wheels.
func (w *walk) carry(to soccer.Pose) {
	w.place(to)
	w.pose, w.speed, w.goal = to, soccer.Vec{}, to.XY()
}

// drive drives for a time, and calls each after each step.
func (w *walk) drive(d time.Duration, each func()) {
	w.t.Helper()
	for end := w.engine.Now().Add(d); w.engine.Now() < end; {
		w.step()
		if each != nil {
			each()
		}
	}
}

func (w *walk) estimate() selfloc.Estimate { return w.l.Estimate(w.engine.Now()) }

// off returns the errors of an estimate.
func (w *walk) off(e *selfloc.Estimate) (metres, turn float64) {
	return e.Self.Pose.XY().Sub(w.pose.XY()).Len(), math.Abs(soccer.WrapAngle(e.Self.Pose.Theta - w.pose.Theta))
}

// sights returns what a teammate at a place sees, exact to 0.1 m.
func (w *walk) sights(mate uint8, from soccer.Vec) *selfloc.Sights {
	noise := func() float64 { return 0.1 * w.rng.NormFloat64() }
	return &selfloc.Sights{
		Mate: mate, Time: w.engine.Now(), From: from, Range: 20, Sigma: 0.15,
		Robots: []soccer.Vec{{X: w.pose.X + noise(), Y: w.pose.Y + noise()}, {X: 3, Y: -1}},
	}
}
