package ssl

import (
	"fmt"
	"math"
	"slices"

	"touchline/sim"
	"touchline/soccer"
	wire "touchline/wire/ssl"
)

// The codes of errors.
const (
	CodeDecode      = "DECODE"      // the bytes are not the message of this port
	CodeUnsupported = "UNSUPPORTED" // the simulator cannot do this
	CodeUnknown     = "UNKNOWN"     // no such robot
	CodeRange       = "RANGE"       // a value is out of range
	CodeOverlap     = "OVERLAP"     // something else stands there
)

// failures collects errors, at most wire.MaxObjects.
type failures []wire.Error

func (f *failures) add(code, format string, args ...any) {
	if len(*f) < wire.MaxObjects {
		*f = append(*f, wire.Error{Code: []byte(code), Text: fmt.Appendf(nil, format, args...)})
	}
}

// finite reports whether all values are numbers.
func finite(values ...float32) bool {
	for _, v := range values {
		if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// robotOf returns the index of a team and whether a robot of it may exist.
func robotOf(f *failures, team wire.Team, id uint32) (t int, ok bool) {
	t = slices.Index(teams[:], team)
	switch {
	case t < 0:
		f.add(CodeUnknown, "robot %d: its team is %v: want YELLOW or BLUE", id, team)
	case id > wire.MaxID:
		f.add(CodeUnknown, "%v robot %d: ids go from 0 to %d", team, id, wire.MaxID)
	default:
		return t, true
	}
	return 0, false
}

// Control takes a team's commands, and returns what is wrong with them. A robot keeps its command until the next one.
func (s *Session) Control(team wire.Team, m *wire.RobotControl) []wire.Error {
	var f failures
	if m.Dropped > 0 {
		f.add(CodeRange, "more than %d commands", wire.MaxObjects)
	}
	for i := range m.Commands {
		c := &m.Commands[i]
		t, ok := robotOf(&f, team, c.ID)
		if !ok {
			continue
		}
		name := fmt.Sprintf("%v robot %d", team, c.ID)
		if _, there := s.engine.RobotPose(index(t, c.ID)); !there {
			f.add(CodeUnknown, "%s is not on the field: teleport it with present", name)
			continue
		}
		if text := wrongCommand(c); text != "" {
			f.add(CodeRange, "%s: %s", name, text)
			continue
		}
		r := &s.robots[t][c.ID]
		if !c.HasMove { // the robot keeps moving as it does
			c.HasLocal, c.Local, c.HasGlobal, c.Global = r.command.HasLocal, r.command.Local, r.command.HasGlobal, r.command.Global
			c.HasWheels, c.Wheels = r.command.HasWheels, r.command.Wheels
		}
		if !c.HasDribbler {
			c.HasDribbler, c.DribblerSpeed = r.command.HasDribbler, r.command.DribblerSpeed
		}
		switch {
		case !c.HasKickSpeed || c.KickSpeed <= 0:
			r.kick = 0
		case r.kick == 0:
			s.kicks++
			r.kick = s.kicks
		}
		r.command, r.commands = *c, true
	}
	return f
}

// wrongCommand returns what is wrong with a command, "" for nothing.
func wrongCommand(c *wire.RobotCommand) string {
	ways := 0
	for _, v := range [...]struct {
		has    bool
		values []float32
	}{{c.HasWheels, c.Wheels[:]}, {c.HasLocal, c.Local[:]}, {c.HasGlobal, c.Global[:]}} {
		if v.has {
			ways++
		}
		for _, x := range v.values {
			if !(math.Abs(float64(x)) <= 100) {
				return fmt.Sprintf("velocity %v: want at most 100 m/s or rad/s", x)
			}
		}
	}
	switch {
	case ways > 1:
		return "several kinds of velocity: want one"
	case !(c.KickSpeed >= 0 && c.KickSpeed <= 100):
		return fmt.Sprintf("kick_speed %v: want 0 to 100 m/s", c.KickSpeed)
	case !(c.KickAngle >= 0 && c.KickAngle < 90):
		return fmt.Sprintf("kick_angle %v: want 0 to 90 degrees", c.KickAngle)
	case !finite(c.DribblerSpeed):
		return fmt.Sprintf("dribbler_speed %v: want a number", c.DribblerSpeed)
	}
	return ""
}

// Command takes a client's command, and returns what is wrong with it.
func (s *Session) Command(m *wire.SimulatorCommand) []wire.Error {
	var f failures
	if m.Dropped > 0 {
		f.add(CodeRange, "a list has more than %d elements", wire.MaxObjects)
	}
	if m.HasConfig {
		s.configure(&f, m)
	}
	s.teleportRobots(&f, m.Robots)
	if m.HasBall {
		s.teleportBall(&f, &m.Ball)
	}
	if m.HasSpeed {
		if v := float64(m.Speed); v >= 0 && v <= MaxRate {
			s.speed = v
		} else {
			f.add(CodeRange, "simulation_speed %v: want 0 to %d, 0 is a pause", m.Speed, MaxRate)
		}
	}
	return f
}

// teleportRobots moves robots all at once, so that they can change places.
func (s *Session) teleportRobots(f *failures, list []wire.TeleportRobot) {
	type was struct {
		pose  soccer.Pose
		there bool
	}
	before := make([]was, len(list))
	for i := range list {
		t, ok := robotOf(f, list[i].Team, list[i].ID)
		if !ok {
			list[i].Team = wire.NoTeam
			continue
		}
		at := index(t, list[i].ID)
		before[i].pose, before[i].there = s.engine.RobotPose(at)
		s.engine.RemoveRobot(at)
	}
	for i := range list {
		m, b := &list[i], before[i]
		t := slices.Index(teams[:], m.Team)
		if t < 0 {
			continue
		}
		at, name := index(t, m.ID), fmt.Sprintf("%v robot %d", m.Team, m.ID)
		if slices.ContainsFunc(list[:i], func(o wire.TeleportRobot) bool { return o.Team == m.Team && o.ID == m.ID }) {
			b.pose, b.there = s.engine.RobotPose(at)
			s.engine.RemoveRobot(at)
		}
		if m.ByForce {
			f.add(CodeUnsupported, "%s: by_force: the robot is teleported", name)
		}
		pose := b.pose
		for k, v := range [...]*float64{&pose.X, &pose.Y, &pose.Theta} {
			if m.HasPlace[k] {
				*v = float64(m.Place[k])
			}
		}
		switch {
		case m.HasPresent && !m.Present:
			s.robots[t][m.ID] = robot{limits: s.robots[t][m.ID].limits}
			continue
		case !b.there && !m.Present:
			f.add(CodeUnknown, "%s is not on the field: add it with present", name)
			continue
		}
		s.place(f, at, name, pose, b.pose, b.there)
		if m.HasTwist != [3]bool{} {
			s.push(f, at, name, m.Twist)
		}
	}
}

// place adds a robot at a pose, or where it was if there is no room.
func (s *Session) place(f *failures, at uint8, name string, pose, was soccer.Pose, there bool) {
	err := s.engine.AddRobot(at, pose)
	if err == nil {
		return
	}
	f.add(codeOf(err), "%s: %v", name, err)
	if there {
		if err := s.engine.AddRobot(at, was); err != nil {
			f.add(CodeOverlap, "%s is off the field now: %v", name, err)
		}
	}
}

// push sets the velocity of a robot.
func (s *Session) push(f *failures, at uint8, name string, v [3]float32) {
	if _, there := s.engine.RobotPose(at); !there {
		return
	}
	s.engine.Command(at, &soccer.Motor{}) // it is driven from now on
	twist := soccer.Twist{X: float64(v[0]), Y: float64(v[1]), Theta: float64(v[2])}
	if err := s.engine.Push(at, twist); err != nil {
		f.add(CodeRange, "%s: %v", name, err)
	}
}

// codeOf returns the code of an error of the engine.
func codeOf(err error) string {
	if isOverlap(err) {
		return CodeOverlap
	}
	return CodeRange
}

// teleportBall moves the ball.
func (s *Session) teleportBall(f *failures, m *wire.TeleportBall) {
	if m.ByForce {
		f.add(CodeUnsupported, "ball: by_force: the ball is teleported")
	}
	position, velocity := s.engine.Ball()
	for k, v := range [...]*float64{&position.X, &position.Y, &position.Z, &velocity.X, &velocity.Y, &velocity.Z} {
		if m.HasValue[k] {
			*v = float64(m.Value[k])
		}
	}
	if speed := velocity.Dot(velocity); !(speed <= sim.MaxBallSpeed*sim.MaxBallSpeed) {
		f.add(CodeRange, "ball: a velocity of more than %d m/s", sim.MaxBallSpeed)
		return
	}
	if m.Safely {
		s.makeRoom(position.XY())
	}
	if m.HasValue[0] || m.HasValue[1] || m.HasValue[2] {
		if err := s.engine.PlaceBall(position); err != nil {
			f.add(codeOf(err), "ball: %v", err)
			return
		}
	}
	if err := s.engine.KickBall(velocity); err != nil {
		f.add(CodeRange, "ball: %v", err)
	}
}

// makeRoom moves robots away from a place for the ball, and stops those nearby.
func (s *Session) makeRoom(at soccer.Vec) {
	const room = RobotRadius + BallRadius + 0.02
	for id := range uint8(2 * (wire.MaxID + 1)) {
		pose, there := s.engine.RobotPose(id)
		d := pose.XY().Sub(at)
		if distance := d.Len(); there && distance < room {
			if distance == 0 {
				d, distance = soccer.Vec{X: 1}, 1
			}
			to := at.Add(d.Scale(room / distance))
			s.engine.MoveRobot(id, soccer.Pose{X: to.X, Y: to.Y, Theta: pose.Theta}) // stays without room: PlaceBall tells
		}
	}
}

// configure takes a configuration.
func (s *Session) configure(f *failures, m *wire.SimulatorCommand) {
	if m.HasGeometry {
		s.resize(f, &m.Geometry)
	}
	for i := range m.Specs {
		p := &m.Specs[i]
		t, ok := robotOf(f, p.Team, p.ID)
		if !ok {
			continue
		}
		name := fmt.Sprintf("%v robot %d", p.Team, p.ID)
		for k, field := range [...]string{"radius", "height", "mass", 5: "center_to_dribbler"} {
			standard := [...]float64{RobotRadius, RobotHeight, -1, 5: -1}[k]
			if field != "" && p.HasSize[k] && math.Abs(float64(p.Size[k])-standard) > 1e-3 {
				f.add(CodeUnsupported, "%s: %s %v cannot change", name, field, p.Size[k])
			}
		}
		for k, field := range [...]string{"acc_speedup_absolute_max", "acc_speedup_angular_max", "acc_brake_absolute_max",
			"acc_brake_angular_max"} {
			if p.HasLimit[k] {
				f.add(CodeUnsupported, "%s: %s cannot change", name, field)
			}
		}
		bad := false
		for k := range p.Limit {
			bad = bad || p.HasLimit[k] && !(p.Limit[k] >= 0 && p.Limit[k] <= 100) ||
				(k == 3 || k == 4) && p.HasSize[k] && !(p.Size[k] >= 0 && p.Size[k] <= 100)
		}
		if bad || p.HasWheels && !finite(p.Wheels[:]...) {
			f.add(CodeRange, "%s: a limit is below 0, above 100 or no number", name)
			continue
		}
		s.robots[t][p.ID].limits = *p
	}
	if m.HasRealism {
		for _, c := range m.Realism {
			f.add(CodeUnsupported, "realism_config: %.80q: start touchline with --noise-ball and its other flags", c.Type)
		}
	}
	if m.HasPort {
		if m.VisionPort < 1 || m.VisionPort > 65535 {
			f.add(CodeRange, "vision_port %d: want 1 to 65535", m.VisionPort)
		} else {
			s.port = m.VisionPort
		}
	}
}

// resize changes the field. Robots and ball stay where they are, as far as there is room.
func (s *Session) resize(f *failures, g *wire.Geometry) {
	field := wire.FieldOf(g)
	switch {
	case field.Length < 2 || field.Length > 30 || field.Width < 2 || field.Width > 30:
		f.add(CodeRange, "geometry: a field of %g x %g m: want 2 to 30 m", field.Length, field.Width)
		return
	case !wire.IsField(&field):
		f.add(CodeRange, "geometry: goals, areas, lines or walls do not fit to a field of %g x %g m", field.Length,
			field.Width)
		return
	}
	old := s.engine
	s.field, s.offset = field, s.offset+old.Now().Sub(soccer.Epoch)
	s.engine = sim.New(s.config())
	for id := range uint8(2 * (wire.MaxID + 1)) {
		if pose, there := old.RobotPose(id); there {
			if err := s.engine.AddRobot(id, pose); err != nil {
				f.add(CodeOverlap, "%v robot %d is off the field now: %v", teams[id/(wire.MaxID+1)], id%(wire.MaxID+1), err)
			}
		}
	}
	if position, velocity := old.Ball(); s.engine.PlaceBall(position) == nil {
		s.engine.KickBall(velocity)
	}
}
