package vss

import (
	"fmt"
	"math"
	"net/netip"

	"touchline/exact"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/firasim"
)

// maxLate bounds what is under way to the simulator: 10 s of ten robots' commands, one packet each a tick.
const maxLate = 8192

// saturated is the wheel speed in rad/s that an infinite command stands for where it is obeyed: no motor gets there.
const saturated = 1e6

// late is a command or a placement under way.
type late struct {
	due     uint64 // tick
	packet  uint64
	from    netip.AddrPort
	kind    lateKind
	command firasim.Command
	robot   firasim.RobotReplacement
	ball    firasim.BallReplacement
}

type lateKind uint8

const (
	lateCommand lateKind = iota
	lateRobot
	lateBall
)

// Receive takes in what somebody sent; it works at the next Tick, or later by the latency of commands. Nothing of p is
// kept. from is the zero AddrPort for those within this program.
func (s *Session) Receive(from netip.AddrPort, p *firasim.Packet) {
	if s.cfg.CommandLoss > 0 && exact.Uniform(s.noise.commands.Rand) < s.cfg.CommandLoss {
		return
	}
	s.receive(from, p, ticksOf(s.cfg.CommandLatency))
}

// ReceiveNow applies a packet at the next Tick, whatever the configured latency and loss: a referee's hand is no packet.
func (s *Session) ReceiveNow(p *firasim.Packet) { s.receive(netip.AddrPort{}, p, 0) }

// receive applies a packet after delay ticks.
func (s *Session) receive(from netip.AddrPort, p *firasim.Packet, delay uint64) {
	s.heard++
	l := late{due: s.ticks + delay, packet: s.heard, from: from}
	if p.HasReplacement {
		for i := range p.Replacement.Robots {
			l.kind, l.robot = lateRobot, p.Replacement.Robots[i]
			s.send(&l)
		}
		if p.Replacement.HasBall {
			l.kind, l.ball = lateBall, p.Replacement.Ball
			s.send(&l)
		}
	}
	l.kind = lateCommand
	var last [2 * (firasim.MaxID + 1)]int // of each robot: the index after its last command, so that no packet fills the way alone
	for i := range p.Commands {
		if at := s.commanded(from, &p.Commands[i]); at >= 0 {
			last[at] = i + 1
		}
	}
	for _, i := range last {
		if i > 0 {
			l.command = p.Commands[i-1]
			s.send(&l)
		}
	}
}

// send puts l on its way, which may be at its end already.
func (s *Session) send(l *late) {
	switch {
	case l.due == s.ticks:
		s.take(l)
	case len(s.late) >= maxLate:
		s.refuse(tooLate, refusal{from: l.from, robot: nobody})
	default:
		s.late = append(s.late, *l)
	}
}

// arrive takes what is due now.
func (s *Session) arrive() {
	n := 0
	for n < len(s.late) && s.late[n].due <= s.ticks {
		s.take(&s.late[n])
		n++
	}
	s.late = append(s.late[:0], s.late[n:]...)
}

func (s *Session) take(l *late) {
	switch l.kind {
	case lateCommand:
		s.takeCommand(l)
	case lateRobot:
		s.takeRobot(l)
	case lateBall:
		s.takeBall(l)
	}
}

// index returns which of s.robots is meant; -1 for an id that is none.
func (s *Session) index(yellow bool, id uint32) int {
	switch {
	case id >= uint32(s.cfg.Robots):
		return -1
	case yellow:
		return int(id) + s.cfg.Robots
	}
	return int(id)
}

// commanded returns the robot that may obey c; -1 if none does.
func (s *Session) commanded(from netip.AddrPort, c *firasim.Command) int {
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

func (s *Session) takeCommand(l *late) {
	c := &l.command
	i := s.index(c.Yellow, c.ID)
	r := &s.robots[i]
	if !r.on && !(r.placed != 0 && r.turnOn) && s.cfg.Compat&CompatOffRobots == 0 {
		s.refuse(switchedOff, refusal{from: l.from, robot: i, x: c.Left, y: c.Right})
		return
	}
	bound := func(w float64) float64 { return min(max(w, -saturated), saturated) }
	r.driven = l.packet
	r.command = command{soccer.Wheels{Left: bound(c.Left), Right: bound(c.Right)}, l.from}
}

func (s *Session) takeRobot(l *late) {
	p := &l.robot.Position // without one it is that of robot 0 in the centre, as protobuf has it
	i := s.index(l.robot.Yellow, p.ID)
	no := refusal{from: l.from, robot: i, id: p.ID, yellow: l.robot.Yellow, x: p.X, y: p.Y}
	if i < 0 {
		s.refuse(unknownRobot, no)
		return
	}
	r := &s.robots[i]
	pose := soccer.Pose{X: p.X, Y: p.Y, Theta: soccer.WrapAngle(float64(p.Orientation * (math.Pi / 180)))}
	why, ok := s.fits(pose.XY(), pose.Theta)
	switch goesOff := r.on && s.cfg.Compat&CompatOffRobots == 0; {
	case !ok && l.robot.TurnOn:
		s.refuse(why, no)
		return
	case !l.robot.TurnOn && (!ok || goesOff): // one that goes off may be sent anywhere, and comes back where it was
		pose = s.poseOf(i)
	}
	r.placed, r.place, r.turnOn = l.packet, pose, l.robot.TurnOn
}

func (s *Session) takeBall(l *late) {
	b := &l.ball
	no := refusal{from: l.from, robot: theBall, x: b.X, y: b.Y}
	if why, ok := s.fits(soccer.Vec{X: b.X, Y: b.Y}, 0); !ok {
		s.refuse(why, no)
		return
	}
	if v := (soccer.Vec{X: b.VX, Y: b.VY}); !(v.Len() <= sim.MaxBallSpeed) {
		no.x, no.y = b.VX, b.VY
		s.refuse(tooFast, no)
		return
	}
	s.ball = pendingBall{l.packet, *b}
}

// fits reports whether something may be put to p: between the walls, or in a goal, and with which heading.
func (s *Session) fits(p soccer.Vec, theta float64) (Reason, bool) {
	if sum := p.X + p.Y + theta; sum-sum != 0 {
		return notPlace, false
	}
	return OutsideField, s.engine.Inside(p)
}

// poseOf returns where robot i is, or was when it left the field.
func (s *Session) poseOf(i int) soccer.Pose {
	if pose, _, there := s.engine.Robot(uint8(i)); there {
		return pose
	}
	return s.robots[i].pose
}

// PlaceRobot puts a robot elsewhere at the next Tick or Settle, switched on.
func (s *Session) PlaceRobot(yellow bool, id uint32, pose soccer.Pose) error {
	return s.wish(yellow, id, &pose, true)
}

// Switch switches a robot on, where it was, or off.
func (s *Session) Switch(yellow bool, id uint32, on bool) error {
	return s.wish(yellow, id, nil, on)
}

// wish is what somebody beside the field wants of one robot; without a pose it is where it is.
func (s *Session) wish(yellow bool, id uint32, pose *soccer.Pose, on bool) error {
	i := s.index(yellow, id)
	if i < 0 {
		return fmt.Errorf("vss: there is no robot %d: the ids are 0 to %d", id, s.cfg.Robots-1)
	}
	r := &s.robots[i]
	at := s.poseOf(i)
	if pose != nil {
		at = soccer.Pose{X: pose.X, Y: pose.Y, Theta: soccer.WrapAngle(pose.Theta)}
	} else if r.on == on {
		return nil
	}
	if _, ok := s.fits(at.XY(), at.Theta); !ok {
		return fmt.Errorf("vss: %w", outOfField(&s.field, at.XY()))
	}
	s.heard++
	r.placed, r.place, r.turnOn = s.heard, at, on
	return nil
}

func outOfField(f *soccer.Field, p soccer.Vec) error {
	return fmt.Errorf("(%g, %g) m is outside the field: |x| up to %g and |y| up to %g, not behind a corner's wall, or inside a goal",
		p.X, p.Y, f.Length/2, f.Width/2)
}

// PlaceBall puts the ball elsewhere at the next Tick or Settle, with a velocity in m/s.
func (s *Session) PlaceBall(at, velocity soccer.Vec) error {
	if _, ok := s.fits(at, 0); !ok {
		return fmt.Errorf("vss: %w", outOfField(&s.field, at))
	}
	if !(velocity.Len() <= sim.MaxBallSpeed) {
		return fmt.Errorf("vss: a ball of %g m/s: up to %d m/s", velocity.Len(), sim.MaxBallSpeed)
	}
	s.heard++
	s.ball = pendingBall{s.heard, firasim.BallReplacement{X: at.X, Y: at.Y, VX: velocity.X, VY: velocity.Y}}
	return nil
}
