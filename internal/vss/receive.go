package vss

import (
	"fmt"
	"math"
	"net/netip"

	"touchline/internal/exact"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// maxDelayed bounds the queue: 10 s of commands for ten robots, one packet each a tick.
const maxDelayed = 8192

// saturated replaces an infinite wheel speed, in rad/s, where Compat allows it. No motor reaches it.
const saturated = 1e6

// delayed is a command or a placement in flight.
type delayed struct {
	due     uint64 // tick
	packet  uint64
	from    netip.AddrPort
	kind    delayedKind
	command firasim.Command
	robot   firasim.RobotReplacement
	ball    firasim.BallReplacement
}

type delayedKind uint8

const (
	delayedCommand delayedKind = iota
	delayedRobot
	delayedBall
)

// Receive accepts a packet. It takes effect at the next Tick, or later by the latency of commands. Receive keeps
// nothing of p. from is the zero AddrPort for built-in teams.
func (s *Session) Receive(from netip.AddrPort, p *firasim.Packet) {
	if s.cfg.CommandLoss > 0 && exact.Uniform(s.noise.commands.Rand) < s.cfg.CommandLoss {
		return
	}
	s.receive(from, p, ticksOf(s.cfg.CommandLatency))
}

// ReceiveNow accepts a packet of the built-in referee, without latency and loss: it takes effect at the next Tick.
func (s *Session) ReceiveNow(p *firasim.Packet) { s.receive(netip.AddrPort{}, p, 0) }

// Command sets the wheel speeds of a robot of a team (0 blue, 1 yellow) from the next Tick on, as a packet without latency
// and loss would. The speeds are finite. A robot that is switched off ignores it.
func (s *Session) Command(team, id int, w soccer.Wheels) {
	if r := &s.robots[id+team*s.cfg.Robots]; r.on {
		s.received++
		r.driven, r.command = s.received, command{wheels: w}
	}
}

// receive accepts a packet that takes effect after delay ticks.
func (s *Session) receive(from netip.AddrPort, p *firasim.Packet, delay uint64) {
	s.received++
	d := delayed{due: s.ticks + delay, packet: s.received, from: from}
	if p.HasReplacement {
		for i := range p.Replacement.Robots {
			d.kind, d.robot = delayedRobot, p.Replacement.Robots[i]
			s.enqueue(&d)
		}
		if p.Replacement.HasBall {
			d.kind, d.ball = delayedBall, p.Replacement.Ball
			s.enqueue(&d)
		}
	}
	d.kind = delayedCommand
	// last has the index of each robot's last command + 1. Earlier ones have no effect, and must not fill the queue.
	var last [2 * (firasim.MaxID + 1)]int
	for i := range p.Commands {
		if at := s.robotFor(from, &p.Commands[i]); at >= 0 {
			last[at] = i + 1
		}
	}
	for _, i := range last {
		if i > 0 {
			d.command = p.Commands[i-1]
			s.enqueue(&d)
		}
	}
}

// enqueue applies d now, or after its latency.
func (s *Session) enqueue(d *delayed) {
	switch {
	case d.due == s.ticks:
		s.apply(d)
	case len(s.queue) >= maxDelayed:
		s.refuse(queueFull, refusal{from: d.from, robot: wholePacket})
	default:
		s.queue = append(s.queue, *d)
	}
}

// applyDue applies everything that is due now.
func (s *Session) applyDue() {
	n := 0
	for n < len(s.queue) && s.queue[n].due <= s.ticks {
		s.apply(&s.queue[n])
		n++
	}
	s.queue = append(s.queue[:0], s.queue[n:]...)
}

func (s *Session) apply(d *delayed) {
	switch d.kind {
	case delayedCommand:
		s.applyCommand(d)
	case delayedRobot:
		s.applyRobot(d)
	case delayedBall:
		s.applyBall(d)
	}
}

// index returns the index of a robot in s.robots; -1 for an id that does not exist.
func (s *Session) index(yellow bool, id uint32) int {
	switch {
	case id >= uint32(s.cfg.Robots):
		return -1
	case yellow:
		return int(id) + s.cfg.Robots
	}
	return int(id)
}

// robotFor returns the index of the robot for a command; -1 if the command is refused.
func (s *Session) robotFor(from netip.AddrPort, c *firasim.Command) int {
	i := s.index(c.Yellow, c.ID)
	no := refusal{from: from, robot: i, id: c.ID, yellow: c.Yellow, x: c.Left, y: c.Right}
	switch {
	case i < 0:
		s.refuse(unknownRobot, no)
	case math.IsNaN(c.Left) || math.IsNaN(c.Right):
		s.refuse(notANumber, no)
	case s.cfg.Compat&CompatInfinite == 0 && (math.IsInf(c.Left, 0) || math.IsInf(c.Right, 0)):
		s.refuse(infinite, no)
	default:
		return i
	}
	return -1
}

func (s *Session) applyCommand(d *delayed) {
	c := &d.command
	i := s.index(c.Yellow, c.ID)
	r := &s.robots[i]
	if !r.on && !(r.placed != 0 && r.turnOn) && s.cfg.Compat&CompatOffRobots == 0 {
		s.refuse(switchedOff, refusal{from: d.from, robot: i, x: c.Left, y: c.Right})
		return
	}
	bound := func(w float64) float64 { return min(max(w, -saturated), saturated) }
	r.driven = d.packet
	r.command = command{soccer.Wheels{Left: bound(c.Left), Right: bound(c.Right)}, d.from}
}

func (s *Session) applyRobot(d *delayed) {
	p := &d.robot.Position // a missing position is robot 0 in the centre: protobuf's default values
	i := s.index(d.robot.Yellow, p.ID)
	no := refusal{from: d.from, robot: i, id: p.ID, yellow: d.robot.Yellow, x: p.X, y: p.Y}
	if i < 0 {
		s.refuse(unknownRobot, no)
		return
	}
	r := &s.robots[i]
	pose := soccer.Pose{X: p.X, Y: p.Y, Theta: soccer.WrapAngle(float64(p.Orientation * (math.Pi / 180)))}
	why, ok := s.checkPlace(pose.XY(), pose.Theta)
	switch goesOff := r.on && s.cfg.Compat&CompatOffRobots == 0; {
	case !ok && d.robot.TurnOn:
		s.refuse(why, no)
		return
	case !d.robot.TurnOn && (!ok || goesOff): // a robot that is switched off keeps its place, wherever the packet puts it
		pose = s.poseOf(i)
	}
	r.placed, r.place, r.turnOn = d.packet, pose, d.robot.TurnOn
}

func (s *Session) applyBall(d *delayed) {
	b := &d.ball
	no := refusal{from: d.from, robot: theBall, x: b.X, y: b.Y}
	if why, ok := s.checkPlace(soccer.Vec{X: b.X, Y: b.Y}, 0); !ok {
		s.refuse(why, no)
		return
	}
	if v := (soccer.Vec{X: b.VX, Y: b.VY}); !(v.Len() <= sim.MaxBallSpeed) {
		no.x, no.y = b.VX, b.VY
		s.refuse(tooFast, no)
		return
	}
	s.ball = pendingBall{d.packet, *b}
}

// checkPlace reports whether a pose is finite and between the walls or in a goal, and if not, why.
func (s *Session) checkPlace(p soccer.Vec, theta float64) (Reason, bool) {
	if sum := p.X + p.Y + theta; sum-sum != 0 {
		return notPlace, false
	}
	return OutsideField, s.engine.Inside(p)
}

// poseOf returns the pose of robot i, or its last one on the field.
func (s *Session) poseOf(i int) soccer.Pose {
	if pose, _, there := s.engine.Robot(uint8(i)); there {
		return pose
	}
	return s.robots[i].pose
}

// PlaceRobot places a robot at the next Tick or ApplyPlacements, and switches it on.
func (s *Session) PlaceRobot(yellow bool, id uint32, pose soccer.Pose) error {
	return s.placeRobot(yellow, id, &pose, true)
}

// Switch switches a robot off, or on at its last place.
func (s *Session) Switch(yellow bool, id uint32, on bool) error {
	return s.placeRobot(yellow, id, nil, on)
}

// placeRobot is a user's placement of one robot; without a pose it stays where it is.
func (s *Session) placeRobot(yellow bool, id uint32, pose *soccer.Pose, on bool) error {
	i := s.index(yellow, id)
	if i < 0 {
		return fmt.Errorf("vss: unknown robot %d: want 0 to %d", id, s.cfg.Robots-1)
	}
	r := &s.robots[i]
	at := s.poseOf(i)
	if pose != nil {
		at = soccer.Pose{X: pose.X, Y: pose.Y, Theta: soccer.WrapAngle(pose.Theta)}
	} else if r.on == on {
		return nil
	}
	if _, ok := s.checkPlace(at.XY(), at.Theta); !ok {
		return fmt.Errorf("vss: %w", outOfField(&s.field, at.XY()))
	}
	s.received++
	r.placed, r.place, r.turnOn = s.received, at, on
	return nil
}

func outOfField(f *soccer.Field, p soccer.Vec) error {
	return fmt.Errorf("(%g, %g) m is outside the field: want |x| up to %g and |y| up to %g but not behind a corner's wall, or a place inside a goal",
		p.X, p.Y, f.Length/2, f.Width/2)
}

// PlaceBall places the ball at the next Tick or ApplyPlacements, with a velocity in m/s.
func (s *Session) PlaceBall(at, velocity soccer.Vec) error {
	if _, ok := s.checkPlace(at, 0); !ok {
		return fmt.Errorf("vss: %w", outOfField(&s.field, at))
	}
	if !(velocity.Len() <= sim.MaxBallSpeed) {
		return fmt.Errorf("vss: a ball of %g m/s is too fast: want up to %d m/s", velocity.Len(), sim.MaxBallSpeed)
	}
	s.received++
	s.ball = pendingBall{s.received, firasim.BallReplacement{X: at.X, Y: at.Y, VX: velocity.X, VY: velocity.Y}}
	return nil
}
