package vss

import (
	"fmt"
	"math"
	"net/netip"
	"time"

	"touchline/internal/bounded"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// FIRASim drops its ball from dropHeight, and its first tick is five sub-steps of dropStep (FIRASim).
const (
	dropHeight = 0.5  // m
	dropStep   = 0.05 // s
	gravity    = 9.81 // m/s^2
)

// Session is one field with two teams, without a network: packets in, one Environment a tick out. It is a pure core:
// the same configuration and the same calls give the same bytes on every processor. It is not safe for concurrent use.
type Session struct {
	cfg    Config
	field  soccer.Field
	sent   firasim.Field // the field as vision has it
	wheel  float64       // m, a wheel's radius
	arm    float64       // m, from a robot's centre to a wheel
	engine *sim.Engine
	state
	placement sim.Placement // reused by ApplyPlacements

	refused [allReasons]refusal
	reasons []Reason // in the order in which they first occurred
	marks   []ShowMark
	fresh   int // the last ones of marks, which NewMarks has not returned
}

// state is the part of a Session that Save keeps in addition to the engine.
type state struct {
	robots []robot // blue 0..N-1, then yellow; the index is the engine's id
	ticks  uint64

	received uint64 // packets so far: their numbers order commands and placements
	ball     pendingBall
	queue    []delayed // commands and placements in flight, first in, first out
	goals    [2]uint32 // blue's, yellow's
	inGoal   float64   // side of the goal line that the ball is behind and counts no more: 1, -1; 0: it is on the field
	put      bool      // a placement brought it there

	vision []firasim.Environment // vision of the last ticks, one more than the latency has
	lost   []bool                // by index of vision: it is lost, or from before the start
	noise  streams
}

// robot is the state of one robot that the engine does not hold.
type robot struct {
	on        bool
	commanded bool    // it has a command since its last placement
	driven    uint64  // number of the packet whose command takes effect at the next tick; 0: none
	command   command // the last one
	lastTick  uint64  // when it took effect

	placed uint64 // number of the packet that places it at the next tick; 0: none
	turnOn bool
	place  soccer.Pose
	pose   soccer.Pose // its last place while it is switched off
}

type command struct {
	wheels soccer.Wheels
	from   netip.AddrPort
}

type pendingBall struct {
	placed uint64
	to     firasim.BallReplacement
}

// New returns a session with everything at its start position. The error names the first wrong field of cfg.
func New(cfg Config) (*Session, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	physics := PhysicsOf(cfg.Physics)
	if cfg.Engine != nil {
		physics = *cfg.Engine
	}
	r := &physics.Robot
	s := &Session{
		cfg: cfg, field: cfg.Field(), wheel: r.WheelRadius, arm: float64((r.RimInner + max(r.RimInner, r.RimOuter)) * 0.5),
	}
	s.sent = wireField(&s.field)
	s.robots, s.noise = make([]robot, 2*cfg.Robots), newStreams(cfg.Seed)
	s.engine = sim.New(sim.VSS(s.field, physics))
	if err := s.placeAll(); err != nil {
		return nil, err
	}
	s.vision = make([]firasim.Environment, ticksOf(cfg.Latency)+1)
	s.lost = make([]bool, len(s.vision))
	for i := range s.vision {
		s.Environment(&s.vision[i])
		s.lost[i] = true // nothing was sent before the start
	}
	return s, nil
}

// Ticks returns the number of ticks since the start.
func (s *Session) Ticks() uint64 { return s.ticks }

// Now returns the simulated time since the start.
func (s *Session) Now() time.Duration { return time.Duration(s.ticks) * sim.Tick }

// Reset moves everything to its start position, drops all commands and sets the goals to 0. Simulated time continues:
// clients treat a clock that runs backwards as an error.
func (s *Session) Reset() error {
	for i := range s.robots {
		s.engine.RemoveRobot(uint8(i))
		s.robots[i] = robot{}
	}
	s.goals, s.inGoal, s.put, s.ball, s.queue = [2]uint32{}, 0, false, pendingBall{}, s.queue[:0]
	s.Mark("reset", "start positions, goals 0")
	err := s.placeAll()
	s.RefreshVision() // vision of the old match must not arrive any more
	return err
}

// placeAll moves everything to its start position, on a field without robots.
func (s *Session) placeAll() error {
	start := s.cfg.Lineup
	if start == nil {
		start = defaultLineup(s.cfg.Robots)
	}
	var p sim.Placement
	for i := range s.robots {
		position := start.startOf(i, s.cfg.Robots)
		if _, ok := s.checkPlace(position.Pose.XY(), position.Pose.Theta); !ok {
			return fmt.Errorf("vss: start position of %s %d: %w", Teams[i/s.cfg.Robots], i%s.cfg.Robots,
				outOfField(&s.field, position.Pose.XY()))
		}
		s.robots[i].on, s.robots[i].pose = !position.Off, position.Pose
		if !position.Off {
			p.Robots = append(p.Robots, sim.PlacedRobot{ID: uint8(i), Pose: position.Pose})
		}
	}
	height := 0.0
	if s.cfg.Compat&CompatBallDrop != 0 {
		height = dropHeight
	}
	if err := start.putBall(s.engine, height); err != nil {
		return fmt.Errorf("vss: start position: %w", err)
	}
	if err := s.engine.Place(p); err != nil {
		return fmt.Errorf("vss: start positions: %w", err)
	}
	return nil
}

// Tick simulates 16 ms: it applies all placements together and then the latest command of each robot, moves everything,
// counts goals, and generates vision.
func (s *Session) Tick() {
	s.applyDue()
	s.ApplyPlacements()
	lag := s.cfg.Compat&CompatLag != 0
	if !lag {
		s.drive()
	}
	s.engine.Step(sim.Tick)
	if s.ticks == 0 && s.cfg.Compat&CompatBallDrop != 0 {
		s.dropBall()
	}
	s.ticks++
	if lag {
		s.drive()
	}
	s.countGoals()
	s.observe()
}

// dropBall places a falling ball where FIRASim's first tick leaves it: each sub-step increases the speed, then moves
// the ball.
func (s *Session) dropBall() {
	ball, _ := s.engine.Ball()
	if ball.Z < dropHeight/2 {
		return // a packet placed it on the floor
	}
	ball.Z = dropHeight - float64((1+2+3+4+5)*gravity*dropStep*dropStep)
	if s.engine.PlaceBall(ball) == nil {
		_ = s.engine.KickBall(soccer.Vec3{Z: -5 * gravity * dropStep}) // far below the engine's limit
	}
}

// ApplyPlacements applies the received placements at once. Tick does so too; a paused simulation calls it to show them.
func (s *Session) ApplyPlacements() {
	p := &s.placement
	p.Robots, p.KeepVelocity = p.Robots[:0], s.cfg.Compat&CompatKeepVelocity != 0
	for i := range s.robots {
		if r := &s.robots[i]; r.placed != 0 && (r.turnOn || s.cfg.Compat&CompatOffRobots != 0) {
			p.Robots = append(p.Robots, sim.PlacedRobot{ID: uint8(i), Pose: r.place})
		}
	}
	p.HasBall = s.ball.placed != 0
	p.Ball = soccer.Vec{X: s.ball.to.X, Y: s.ball.to.Y}
	p.BallVelocity = soccer.Vec{X: s.ball.to.VX, Y: s.ball.to.VY}
	if p.HasBall || len(p.Robots) > 0 {
		_ = s.engine.Place(*p) // checkPlace admitted only what the engine accepts
	}
	if p.HasBall {
		s.placeBehindLine(p.Ball.X)
	}
	s.ball.placed = 0
	for i := range s.robots {
		if s.robots[i].placed != 0 {
			s.applyPlacement(i)
		}
	}
}

// applyPlacement updates robot i after the engine placed it, and removes it if the placement switched it off.
func (s *Session) applyPlacement(i int) {
	r := &s.robots[i]
	if s.cfg.Compat&CompatKeepVelocity == 0 {
		if r.driven < r.placed { // a command of the same packet follows its placement
			r.driven = 0
		}
		r.commanded = false
	}
	r.on, r.pose, r.placed = r.turnOn, r.place, 0
	if !r.on && s.cfg.Compat&CompatOffRobots == 0 {
		s.engine.RemoveRobot(uint8(i))
		r.driven, r.commanded = 0, false
	}
}

// drive applies the received commands, and stops robots whose last command has timed out.
func (s *Session) drive() {
	for i := range s.robots {
		r := &s.robots[i]
		switch old := s.cfg.CommandTimeout; {
		case r.driven != 0:
			if err := s.engine.Drive(uint8(i), r.command.wheels); err == nil { // an error: it was switched off meanwhile
				r.lastTick, r.commanded = s.ticks, true
			}
			r.driven = 0
		case old > 0 && r.commanded && time.Duration(s.ticks-r.lastTick)*sim.Tick >= old:
			_ = s.engine.Drive(uint8(i), soccer.Wheels{}) // a robot off the field does not move anyway
		}
	}
}

// placeBehindLine notes a ball that a placement puts behind a goal line: it is no goal, nor is its way further in.
func (s *Session) placeBehindLine(x float64) {
	if side := math.Copysign(1, x); math.Abs(x) > s.field.Length/2 && s.inGoal != side {
		s.inGoal, s.put = side, true
	}
}

// PlacedBehindLine reports whether the ball is behind a goal line because a placement put it there.
func (s *Session) PlacedBehindLine() bool { return s.put }

// countGoals counts a goal when the whole ball has rolled over a goal line: once until it is back on the field.
func (s *Session) countGoals() {
	if s.cfg.Compat&CompatGoals != 0 {
		return
	}
	p, _ := s.engine.Ball()
	half := float64(s.field.Length / 2)
	side := math.Copysign(1, p.X)
	switch {
	case math.Abs(p.X) <= half:
		s.inGoal, s.put = 0, false
	case math.Abs(p.X) > half+soccer.VSSBallRadius && math.Abs(p.Y) <= s.field.GoalWidth/2 && s.inGoal != side:
		s.inGoal, s.put = side, false
		team := 0
		if side < 0 {
			team = 1
		}
		s.goals[team]++
		s.Mark("goal", fmt.Sprintf("%s scores: blue %d, yellow %d", Teams[team], s.goals[0], s.goals[1]))
	}
}

// Teams are the names of the sides, by index.
var Teams = [2]string{"blue", "yellow"}

// maxMarks is the number of events that are kept.
const maxMarks = 64

// Mark records an event for Show.
func (s *Session) Mark(kind, text string) {
	s.marks = bounded.Append(s.marks, ShowMark{Time: s.Now().Seconds(), Kind: kind, Text: text}, maxMarks)
	s.fresh = min(s.fresh+1, maxMarks)
}

// NewMarks returns the events since its last call, at most the last 64. They are valid until the next one.
func (s *Session) NewMarks() []ShowMark {
	n := s.fresh
	s.fresh = 0
	return s.marks[len(s.marks)-n:]
}

// Goals returns the goals of each team since the start or the last Reset.
func (s *Session) Goals() (blue, yellow uint32) { return s.goals[0], s.goals[1] }

// Environment writes the present state to env, without latency, loss and noise.
func (s *Session) Environment(env *firasim.Environment) {
	ball, v := s.engine.Ball()
	if s.cfg.Compat&CompatFlatBall != 0 {
		v.Z = 0
	}
	env.Step, env.HasFrame, env.HasField = s.step(), true, true
	env.GoalsBlue, env.GoalsYellow = s.goals[0], s.goals[1]
	env.Field = s.sent
	f := &env.Frame
	f.HasBall, f.Ball = true, firasim.Ball{X: ball.X, Y: ball.Y, Z: ball.Z, VX: v.X, VY: v.Y, VZ: v.Z}
	f.Blue = s.appendTeam(f.Blue[:0], 0)
	f.Yellow = s.appendTeam(f.Yellow[:0], 1)
}

func (s *Session) appendTeam(to []firasim.Robot, team int) []firasim.Robot {
	for id := range s.cfg.Robots {
		i := id + team*s.cfg.Robots
		pose, twist, there := s.engine.Robot(uint8(i))
		if there && s.robots[i].on {
			to = append(to, firasim.Robot{
				ID: uint32(id), X: pose.X, Y: pose.Y, Orientation: pose.Theta, VX: twist.X, VY: twist.Y,
				VOrientation: twist.Theta,
			})
		}
	}
	return to
}

// step returns the simulated time in ms. It wraps to 0 after 2^32 ms.
func (s *Session) step() uint32 {
	if s.cfg.Compat&CompatStepGlitch != 0 {
		return uint32(uint64(float64(float64(s.ticks)*0.016) * 1000)) // truncated, as in FIRASim
	}
	return uint32(s.ticks * uint64(sim.Tick/time.Millisecond))
}

// wireField returns the field as FIRASim sends it: its penalty area is the goal area where there is one (FIRASim).
func wireField(f *soccer.Field) firasim.Field {
	w := firasim.Field{
		Width: f.Width, Length: f.Length, GoalWidth: f.GoalWidth, GoalDepth: f.GoalDepth, CenterRadius: f.CircleRadius,
		PenaltyPoint: f.PenaltySpot,
	}
	w.PenaltyDepth, w.PenaltyWidth = f.GoalArea()
	return w
}

// OnMask returns which robots of a team (0 blue, 1 yellow) are on: bit n for robot n.
func (s *Session) OnMask(team int) (mask uint8) {
	for id := range s.cfg.Robots {
		if s.robots[id+team*s.cfg.Robots].on {
			mask |= 1 << id
		}
	}
	return mask
}
