package lab

import (
	"math"
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/sim"
	"touchline/soccer"
	"touchline/world/selfloc"
)

const (
	self           = 1 // the robot that localises itself
	walksMates     = 4 // the robots after it
	walksOpponents = 5
	drives         = 10 * time.Millisecond
	looks          = 40 * time.Millisecond  // between two pictures
	latency        = 60 * time.Millisecond  // of a picture, and of the sights of teammates
	watches        = 100 * time.Millisecond // between two pictures of a teammate that others hear of
	walksReach     = 7.0                    // m, to which teammates see robots

	// Errors of a teammate's sights and of its pose (Fusion baselines).
	sightBase, sightRange = 0.02, 0.03
	mateSigma             = 0.08 // m
	mateTurn              = 0.019
	mateTau               = 3 * time.Second
)

// walksWalker is a body on the field and where it goes.
type walksWalker struct {
	goal  soccer.Pose
	speed soccer.Vec // m/s
	turn  float64    // rad/s
	top   float64    // m/s, on this way
	off   [3]float64 // a teammate's pose error in units of its sigmas
}

// walksGame is a walk with a known truth.
type walksGame struct {
	s       *WalksScenario
	rng     *rand.Rand
	engine  *sim.Engine
	walkers [1 + walksMates + walksOpponents]walksWalker // by id - 1
	wheels  *sim.Odometer
	eyes    *sim.LineScanner
	judges  []walksJudge
	late    []walksLate // what the estimators get after the latency, oldest first
}

// walksLate is an input on its way to the estimators.
type walksLate struct {
	due soccer.Time
	do  func()
}

// walksPlay plays a game of a scenario and returns a score for each estimator.
func walksPlay(s *WalksScenario, seed uint64, length time.Duration) ([]WalksScore, error) {
	cfg := sim.DefaultConfig()
	cfg.Field, cfg.Seed = s.Field, seed
	g := &walksGame{s: s, rng: rand.New(rand.NewPCG(seed, 0x5e1f)), engine: sim.New(cfg)}
	var err error
	if g.wheels, err = sim.NewOdometer(s.Slip, seed, self); err != nil {
		return nil, err
	}
	if g.eyes, err = sim.NewLineScanner(s.Camera, seed, self); err != nil {
		return nil, err
	}
	var ids []uint8
	for i := range g.walkers {
		ids = append(ids, uint8(i+1))
		for k := range g.walkers[i].off {
			g.walkers[i].off[k] = exact.Normal(g.rng)
		}
	}
	if err := g.engine.Scatter(ids, 0); err != nil {
		return nil, err
	}
	g.begin()
	for now := time.Duration(0); now < length; now += drives {
		if err := g.step(now); err != nil {
			return nil, err
		}
	}
	var scores []WalksScore
	for i := range g.judges {
		scores = append(scores, g.judges[i].finish())
	}
	return scores, nil
}

// begin makes the estimators, and tells them the pose at the start unless the scenario hides it.
func (g *walksGame) begin() {
	pose, _ := g.engine.RobotPose(self)
	for _, e := range walksEstimators(g.s) {
		if !g.s.Unplaced {
			e.Place(g.engine.Now(), pose, 0.1, 0.05)
		}
		g.judges = append(g.judges, walksJudge{WalksEstimator: e, scene: g.s})
	}
}

// step plays the next drives, at a time since the start.
func (g *walksGame) step(now time.Duration) error {
	for i := range g.walkers {
		g.walk(uint8(i + 1))
	}
	g.engine.Step(drives)
	travel, at := g.wheels.Travel(), g.engine.Now()
	for i := range g.judges {
		g.judges[i].Odometry(at, travel)
	}
	if g.s.Kidnaps && (now == 20*time.Second || now == 40*time.Second) {
		g.kidnap()
	}
	if now%looks == 0 {
		if err := g.look(); err != nil {
			return err
		}
	}
	if g.s.Mates && now%watches == 0 {
		for id := uint8(self + 1); id <= self+walksMates; id++ {
			g.watch(id)
		}
	}
	if g.s.Compass && now%watches == 0 {
		pose, _ := g.engine.RobotPose(self)
		heading := soccer.WrapAngle(pose.Theta + 0.3*exact.Normal(g.rng)) // a magnetic one
		g.deliver(func(e WalksEstimator) { e.Compass(at, heading, 0.3) })
	}
	g.hand(at)
	if now%looks == 0 {
		truth, _ := g.engine.RobotPose(self)
		for i := range g.judges {
			g.judges[i].compare(at, truth)
		}
	}
	return nil
}

// walk moves a robot towards its goal.
func (g *walksGame) walk(id uint8) {
	const h = float64(drives) / float64(time.Second)
	w := &g.walkers[id-1]
	pose, _ := g.engine.RobotPose(id)
	way := w.goal.XY().Sub(pose.XY())
	if w.top == 0 || way.Len() < 0.3 || exact.Uniform(g.rng) < 0.2*h {
		f := &g.s.Field
		w.goal = soccer.Pose{
			X: (f.Length - 0.6) * (exact.Uniform(g.rng) - 0.5), Y: (f.Width - 0.6) * (exact.Uniform(g.rng) - 0.5),
			Theta: 2 * math.Pi * (exact.Uniform(g.rng) - 0.5),
		}
		w.top = g.s.Speed * (0.3 + 0.7*exact.Uniform(g.rng))
		way = w.goal.XY().Sub(pose.XY())
	}
	length := math.Max(way.Len(), 1e-9)
	fast := math.Min(w.top, math.Sqrt(2*0.7*g.s.Pull*length)) // it brakes before the goal
	change := soccer.Vec{X: way.X/length*fast - w.speed.X, Y: way.Y/length*fast - w.speed.Y}
	scale := math.Min(1, g.s.Pull*h/math.Max(change.Len(), 1e-9))
	w.speed.X, w.speed.Y = w.speed.X+scale*change.X, w.speed.Y+scale*change.Y
	want := math.Max(-g.s.Turn, math.Min(g.s.Turn, 2*soccer.WrapAngle(w.goal.Theta-pose.Theta)))
	w.turn += math.Max(-8*h, math.Min(8*h, want-w.turn))
	to := soccer.Pose{X: pose.X + w.speed.X*h, Y: pose.Y + w.speed.Y*h, Theta: soccer.WrapAngle(pose.Theta + w.turn*h)}
	if g.engine.MoveRobot(id, to) != nil { // a body is in the way: it stops and goes elsewhere
		w.speed, w.top = soccer.Vec{}, 0
		to = soccer.Pose{X: pose.X, Y: pose.Y, Theta: to.Theta}
		_ = g.engine.MoveRobot(id, to) // turning on the spot takes no room
	}
	if id == self {
		g.wheels.Drive(pose, to, drives)
	}
}

// kidnap carries the robot to another place. Its wheels do not turn.
func (g *walksGame) kidnap() {
	for {
		f := &g.s.Field
		to := soccer.Pose{
			X: (f.Length - 1) * (exact.Uniform(g.rng) - 0.5), Y: (f.Width - 1) * (exact.Uniform(g.rng) - 0.5),
			Theta: 2 * math.Pi * (exact.Uniform(g.rng) - 0.5),
		}
		from, _ := g.engine.RobotPose(self)
		if to.XY().Sub(from.XY()).Len() < 2 || g.engine.MoveRobot(self, to) != nil {
			continue
		}
		g.walkers[self-1].speed, g.walkers[self-1].top = soccer.Vec{}, 0
		for i := range g.judges {
			g.judges[i].carried(g.engine.Now())
		}
		return
	}
}

// look takes a picture of the robot.
func (g *walksGame) look() error {
	points, err := g.eyes.Scan(g.engine, g.s.FOV, nil)
	if err != nil {
		return err
	}
	at := g.engine.Now()
	g.deliver(func(e WalksEstimator) { e.Lines(at, points) })
	return nil
}

// watch lets a teammate see the robots around it, from a pose that it does not know well.
func (g *walksGame) watch(id uint8) {
	w := &g.walkers[id-1]
	keep := math.Exp(-watches.Seconds() / mateTau.Seconds())
	for i := range w.off {
		w.off[i] = keep*w.off[i] + math.Sqrt(1-keep*keep)*exact.Normal(g.rng)
	}
	pose, _ := g.engine.RobotPose(id)
	believed := soccer.Pose{
		X: pose.X + mateSigma*w.off[0], Y: pose.Y + mateSigma*w.off[1], Theta: pose.Theta + mateTurn*w.off[2],
	}
	sights := selfloc.Sights{
		Mate: id, Time: g.engine.Now(), From: believed.XY(), Range: walksReach, Sigma: mateSigma + sightBase,
		SigmaFar: mateTurn + sightRange,
	}
	for i := range g.walkers {
		other, _ := g.engine.RobotPose(uint8(i + 1))
		d := other.XY().Sub(pose.XY())
		if uint8(i+1) == id || d.Len() > walksReach || exact.Uniform(g.rng) < 0.2 {
			continue
		}
		seen := d.Len() + (sightBase+sightRange*d.Len())*exact.Normal(g.rng)
		sin, cos := math.Sincos(math.Atan2(d.Y, d.X) - pose.Theta + believed.Theta + 0.015*exact.Normal(g.rng))
		sights.Robots = append(sights.Robots, soccer.Vec{X: believed.X + seen*cos, Y: believed.Y + seen*sin})
	}
	g.deliver(func(e WalksEstimator) { e.Sights(&sights) })
}

// deliver gives an input to the estimators after the latency.
func (g *walksGame) deliver(do func(WalksEstimator)) {
	g.late = append(g.late, walksLate{g.engine.Now().Add(latency), func() {
		for i := range g.judges {
			do(g.judges[i].WalksEstimator)
		}
	}})
}

// hand gives the estimators what has arrived.
func (g *walksGame) hand(now soccer.Time) {
	n := 0
	for n < len(g.late) && g.late[n].due <= now {
		g.late[n].do()
		n++
	}
	g.late = g.late[n:]
}
