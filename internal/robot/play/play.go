// Package play is how a robot plays football: the behaviours that move it (HBM), the conditions that its state machine
// (HFSM, package hfsm) decides by, and the places of the robots that do not go to the ball (TeamChaos paper, section 2).
//
// The robot that has booked the ball goes to it, dribbles, shoots or passes. All others go to useful places and leave the
// ball alone. The goalkeeper, number 1, stays in its area. All of them obey the referee. A Player is a pure core: the same
// views give the same actions. docs/robot.md describes it.
package play

import (
	"math"
	"slices"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/soccer"
	"touchline/wire/team"
)

// Limits of a robot: a command never exceeds them.
const (
	maxSpeed     = 4.0         // m/s (Falcons)
	maxTurn      = 6.0         // rad/s
	maxKick      = 12.0        // m/s
	maxElevation = math.Pi / 3 // rad
)

// maxRobot is the greatest jersey number of a team.
const maxRobot = 6

// Config describes the robot that plays.
type Config struct {
	Number  uint8         // jersey number, 1 to maxRobot
	Field   soccer.Field  // required
	Books   bool          // the team books the ball; false: each robot that knows where the ball is goes to it
	Machine *hfsm.Machine // state machine that decides. Default Default()
}

// View is all that a robot decides by, at one time, in the team frame.
type View struct {
	Now      soccer.Time
	World    *soccer.World       // world at Now: the ball, obstacles, and teammates as Peers
	Self     soccer.Localisation // its own pose at Now
	HasBall  bool                // it has the ball at its front
	Sight    soccer.Vec          // where the robot itself saw the ball at SightAt, placed by its own pose
	SightAt  soccer.Time         // 0: it does not see the ball
	Booker   uint8               // robot that has booked the ball, as this robot believes; 0: none
	Heard    bool                // a message of the referee in the last second
	Referee  team.Referee        // the newest one
	MateSide soccer.Color        // color of the peers that are teammates
}

// Action is what a robot does.
type Action struct {
	Motor     soccer.Motor
	Target    soccer.Pose // pose to which it drives, if HasTarget
	HasTarget bool
	Intention string // text for people
}

// Player decides and moves. It is not safe for concurrent use.
type Player struct {
	cfg    Config
	runner *hfsm.Runner
	hold   hfsm.Hold
	memory memory
	scene  scene // scratch
	holds  func(condition int) bool
}

// memory is what a Player keeps from one view to the next.
type memory struct {
	had      soccer.Time // when the ball was at its front last
	got      soccer.Time // since when it has the ball
	gotAt    soccer.Vec  // where the ball was then
	hadAt    soccer.Vec  // where the ball was when it had it last
	alone    soccer.Time // when no other robot contested the ball last
	lastBall soccer.Vec  // where the ball was when it was known last
	lastAt   soccer.Time
	kick     uint32      // number of the newest kick
	kicked   soccer.Time // when it was
	// Its speed in m/s and its elevation in rad.
	kickSpeed, kickElevation float64
	ahead                    bool        // it was to play the ball ahead
	aimed                    int         // place in the goal that the robot chose last
	aimedTo                  uint8       // the teammate to which it would pass
	took                     soccer.Time // when it took a set piece
	lastTaker                uint8       // taker of the own team's newest set piece
	takenAt                  soccer.Time // when that was
	places                   [maxRobot + 1]place
	renewed                  soccer.Time // places
	crowd                    soccer.Time // when several opponents were near the ball last
	spot                     soccer.Vec  // place of the supporter
	spotAt                   soccer.Time // when it was chosen
	piece                    piece
	side                     float64     // side on which it goes around a set piece
	sideAt                   soccer.Time // when it did last
	along                    along
	exit                     exit
	push                     push
	inArea                   crowd
	settled                  bool                      // stands at its place at a set piece
	met                      [maxRobot + 1]soccer.Time // when each teammate was heard last
	began                    soccer.Time
}

// Hold holds the state machine, or lets it go on. A wish with the number of the newest one changes nothing.
func (p *Player) Hold(h hfsm.Hold) {
	if h.Number != p.hold.Number || h.On != p.hold.On {
		p.hold = h
	}
}

// Held reports whether the state machine is held: then the robot is to stand.
func (p *Player) Held() bool { return p.hold.On && p.hold.At == "" }

// step lets the machine take a transition, unless it is held.
func (p *Player) step(now soccer.Time) {
	h := &p.hold
	if h.At != "" && slices.Contains(p.runner.States(), h.At) {
		h.At = ""
	}
	if p.Held() && !h.Step && len(p.runner.States()) > 0 {
		return
	}
	if p.runner.Step(now, p.holds) >= 0 {
		h.Step = false
	}
}

// New returns a player. It returns an error for a machine that Check refuses.
func New(cfg Config) (*Player, error) {
	if cfg.Machine == nil {
		cfg.Machine = Default()
	}
	runner, err := hfsm.NewRunner(cfg.Machine, Conditions(), Behaviours())
	if err != nil {
		return nil, err
	}
	p := &Player{cfg: cfg, runner: runner}
	p.scene.circles = make([]circle, 0, 64)
	p.holds = func(c int) bool { return conditions[c].holds(&p.scene) }
	return p, nil
}

// Continue lets p take the place of another player of the same robot: it goes on counting its kicks.
func (p *Player) Continue(from *Player) {
	p.memory.kick, p.memory.kicked = from.memory.kick, from.memory.kicked
}

// Decide returns what the robot does at the time of a view. Its motor command is finite and within the limits, whatever
// the view contains.
func (p *Player) Decide(v *View) Action {
	s := &p.scene
	s.look(p, v)
	p.step(v.Now)
	s.since = p.runner.Since()
	a := behaviours[p.runner.Behaviour()].move(s)
	s.endDribble(&a)
	s.leaveCrowd(&a)
	s.giveWay(&a)
	s.avoidGoalArea(&a)
	if s.halted() { // also in a machine that forgets to stop
		a.Motor = soccer.Motor{}
	}
	p.number(v.Now, &a)
	bound(&a)
	return a
}

// number gives a kick its number, and repeats it for a moment: a command can be lost on its way. After a kick the robot
// waits for the ball to leave before it kicks again.
func (p *Player) number(now soccer.Time, a *Action) {
	const (
		pause  = 250 * time.Millisecond
		repeat = 80 * time.Millisecond
		soft   = 2.3 // m/s: the robot plays the ball ahead of itself
	)
	m := &p.memory
	if a.Motor.KickSpeed > 0 && now.Sub(m.kicked) >= pause {
		m.kick, m.kicked, m.ahead = max(1, m.kick+1), now, p.scene.playsAhead || a.Motor.KickSpeed < soft
		m.kickSpeed, m.kickElevation = a.Motor.KickSpeed, a.Motor.KickElevation
		if m.piece.active && p.scene.ours() {
			m.took = now
		}
	}
	a.Motor.KickSpeed, a.Motor.KickElevation = 0, 0
	if m.kick != 0 && now.Sub(m.kicked) < repeat && !p.scene.halted() {
		a.Motor.Kick, a.Motor.KickSpeed, a.Motor.KickElevation = m.kick, m.kickSpeed, m.kickElevation
	}
}

// bound keeps a command finite and within the limits.
func bound(a *Action) {
	m := &a.Motor
	speed := soccer.Vec{X: m.Twist.X, Y: m.Twist.Y}.Len()
	if !(speed <= 1e6) || !(math.Abs(m.Twist.Theta) <= 1e6) {
		m.Twist, speed = soccer.Twist{}, 0
	}
	if speed > maxSpeed {
		m.Twist.X, m.Twist.Y = m.Twist.X*(maxSpeed/speed), m.Twist.Y*(maxSpeed/speed)
	}
	m.Twist.Theta = clamp(m.Twist.Theta, maxTurn)
	m.Dribbler, m.KickSpeed = within(m.Dribbler, 1), within(m.KickSpeed, maxKick)
	m.KickElevation = within(m.KickElevation, maxElevation)
	if t := &a.Target; !(t.XY().Len() <= 1e3) || !(math.Abs(t.Theta) <= 1e3) {
		a.Target, a.HasTarget = soccer.Pose{}, false
	}
}

// States returns the active states of the machine, from the outermost to the innermost. They are valid until the next
// Decide.
func (p *Player) States() []string { return p.runner.States() }

// Wants reports whether the robot takes part in the booking of the ball, at the time of the newest view. The goalkeeper
// does while the ball is in its area, and a robot that has just passed leaves the ball to others.
func (p *Player) Wants() bool {
	s := &p.scene
	if s.View == nil || s.isKeeper && !s.inReach() {
		return false
	}
	return !s.passed()
}

// Reach returns how far a robot at a place must drive to meet the ball, in m: the distance to a ball at rest. Where the
// ball rolls it counts to the point of the ball's way that a robot with 3 m/s can reach first.
func Reach(from soccer.Vec, b *soccer.Ball) float64 {
	at, _ := meet(from, b.Position.XY(), soccer.Vec{X: b.Velocity.X, Y: b.Velocity.Y})
	return at.Sub(from).Len()
}

// How soon a robot is at a ball.
const (
	pace  = 3.0 // m/s
	start = 0.2 // s, to accelerate
	arm   = 0.3 // m, from the robot's centre to a ball that it reaches
)

// meet returns where and when, in s, a robot can meet a ball.
func meet(from, ball, velocity soccer.Vec) (at soccer.Vec, in float64) {
	const (
		step    = 0.1 // s
		longest = 3   // s
	)
	speed := velocity.Len()
	if speed < 0.2 {
		return ball, max(0, ball.Sub(from).Len()-arm)/pace + start
	}
	stops := speed / friction
	first := math.Floor((ball.Sub(from).Len()-arm)/(pace+speed)/step) * step // not earlier, even if both move towards each other
	dir := soccer.Vec{X: velocity.X / speed, Y: velocity.Y / speed}
	for t := max(0, first); ; t += step {
		rolls := min(t, stops)
		way := float64(speed*rolls) - float64(0.5*friction*rolls*rolls)
		at = ball.Add(dir.Scale(way))
		reach := float64(pace*max(0, t-start)) + arm
		if d := at.Sub(from); t >= longest || d.Dot(d) <= float64(reach*reach) {
			return at, t
		}
	}
}
