package match

import (
	"math"
	"time"

	"touchline/exact"
	"touchline/soccer"
	"touchline/wire/team"
)

// Limits of a driven robot: those of fast robots of the league (Falcons).
const (
	maxSpeed    = 4.0                    // m/s
	maxTurn     = 6.0                    // rad/s
	maxAccel    = 4.0                    // m/s^2
	maxTurnUp   = 12.0                   // rad/s^2
	motorHolds  = 300 * time.Millisecond // a robot without a new command for this time stops
	motionEvery = 10 * time.Millisecond

	maxElevation = math.Pi / 3 // rad, of a kick
)

// A robot has the ball when the ball is this close to its front.
const (
	ballGap   = 0.08          // m between the surfaces
	ballAngle = math.Pi / 6.0 // rad to each side
)

// drive is the motion of a driven robot. Its speed and its acceleration are limited; its body slides along others.
type drive struct {
	command team.Motor
	since   soccer.Time  // arrival of command
	twist   soccer.Twist // field frame
	travel  soccer.Pose  // the way that the wheels measured since the start
	kicked  uint32       // number of the last kick
	moving  bool         // motion is scheduled
}

// Drive executes a motor command of a robot. The robot keeps to it for 300 ms, and stops if no other command follows.
// A robot that is not on the field ignores it, and so does every robot with a command that contains NaN.
func (s *Session) Drive(number uint8, m *team.Motor) {
	v := m.Twist()
	if s.slot(number) < 0 || v != v || m.Dribbler != m.Dribbler || m.KickSpeed != m.KickSpeed ||
		m.KickElevation != m.KickElevation {
		return
	}
	d := &s.drives[number]
	d.command, d.since = *m, s.now
	if !d.moving && acts(m, d) {
		d.moving = true
		s.after(motionEvery, func() { s.move(number) })
	}
}

// move moves a driven robot by one period, and again until it stands.
func (s *Session) move(number uint8) {
	d := &s.drives[number]
	pose, ok := s.engine.RobotPose(number)
	if !ok {
		*d = drive{}
		return
	}
	command := d.command
	if s.now.Sub(d.since) > motorHolds {
		command = team.Motor{}
	}
	const h = float64(motionEvery) / float64(time.Second)
	d.accelerate(command.Twist(), pose.Theta, h)
	s.advanceBody(number, d, pose, h)
	if s.holdsBall(number) {
		s.useBall(number, d, &command)
	}
	if d.twist == (soccer.Twist{}) && !acts(&command, d) {
		d.moving = false
		return
	}
	s.after(motionEvery, func() { s.move(number) })
}

// acts reports whether a command moves the robot or the ball.
func acts(m *team.Motor, d *drive) bool {
	return m.Twist() != soccer.Twist{} || m.Dribbler > 0 || m.Kick != 0 && m.Kick != d.kicked
}

// accelerate changes the twist towards the desired one, given in the frame of a robot with a heading, for h seconds.
func (d *drive) accelerate(desired soccer.Twist, heading, h float64) {
	sin, cos := exact.Sincos(heading)
	want := soccer.Vec{
		X: float64(cos*desired.X) - float64(sin*desired.Y), Y: float64(sin*desired.X) + float64(cos*desired.Y),
	}
	if speed := want.Len(); speed > maxSpeed {
		want.X, want.Y = want.X*(maxSpeed/speed), want.Y*(maxSpeed/speed)
	}
	change := want.Sub(soccer.Vec{X: d.twist.X, Y: d.twist.Y})
	if most := float64(maxAccel * h); change.Len() > most {
		scale := most / change.Len()
		change.X, change.Y = change.X*scale, change.Y*scale
	}
	d.twist.X, d.twist.Y = d.twist.X+change.X, d.twist.Y+change.Y
	turn, most := min(max(desired.Theta, -maxTurn), maxTurn)-d.twist.Theta, float64(maxTurnUp*h)
	d.twist.Theta += min(max(turn, -most), most)
}

// advanceBody moves the body by h seconds of its twist. Where something is in the way, it slides along x or y, or it
// stops. A ball in the way is pushed.
func (s *Session) advanceBody(number uint8, d *drive, pose soccer.Pose, h float64) {
	if d.twist == (soccer.Twist{}) {
		return
	}
	before, rolling := s.engine.Ball()
	to := soccer.Pose{X: pose.X + float64(d.twist.X*h), Y: pose.Y + float64(d.twist.Y*h),
		Theta: soccer.WrapAngle(pose.Theta + float64(d.twist.Theta*h))}
	tries := [...]soccer.Pose{to, {X: to.X, Y: pose.Y, Theta: to.Theta}, {X: pose.X, Y: to.Y, Theta: to.Theta},
		{X: pose.X, Y: pose.Y, Theta: to.Theta}}
	for i, t := range tries {
		if s.engine.MoveRobot(number, t) != nil {
			continue
		}
		if i&1 == 1 {
			d.twist.Y = 0
		}
		if i&2 == 2 {
			d.twist.X = 0
		}
		d.travelled(pose, t)
		break
	}
	if after, _ := s.engine.Ball(); after != before {
		s.push(d, pose.XY(), after.XY(), rolling)
	}
}

// travelled adds the motion from one pose to another to the way.
func (d *drive) travelled(from, to soccer.Pose) {
	sin, cos := exact.Sincos(d.travel.Theta - from.Theta)
	x, y := to.X-from.X, to.Y-from.Y
	d.travel.X += float64(cos*x) - float64(sin*y)
	d.travel.Y += float64(sin*x) + float64(cos*y)
	d.travel.Theta = soccer.WrapAngle(d.travel.Theta + to.Theta - from.Theta)
}

// push gives a ball that a body at from moved aside to at the speed of that body in this direction, at least its own.
func (s *Session) push(d *drive, from, to soccer.Vec, rolling soccer.Vec3) {
	n := to.Sub(from)
	length := max(n.Len(), 1e-9)
	n.X, n.Y = n.X/length, n.Y/length
	along := float64(n.X*d.twist.X) + float64(n.Y*d.twist.Y) - float64(n.X*rolling.X) - float64(n.Y*rolling.Y)
	if along > 0 {
		rolling.X, rolling.Y = rolling.X+float64(along*n.X), rolling.Y+float64(along*n.Y)
	}
	_ = s.engine.KickBall(rolling) // both speeds are within its limit
}

// holdsBall reports whether the ball is on the floor in front of a robot.
func (s *Session) holdsBall(number uint8) bool {
	pose, ok := s.engine.RobotPose(number)
	ball, _ := s.engine.Ball()
	if !ok || ball.Z > 2*soccer.BallRadius {
		return false
	}
	d := ball.XY().Sub(pose.XY())
	if d.Len() > soccer.RobotRadius+soccer.BallRadius+ballGap {
		return false
	}
	return math.Abs(soccer.WrapAngle(exact.Atan2(d.Y, d.X)-pose.Theta)) <= ballAngle
}

// useBall kicks the ball that a robot has, or keeps it in front of the robot with the dribbler.
func (s *Session) useBall(number uint8, d *drive, m *team.Motor) {
	pose, _ := s.engine.RobotPose(number)
	sin, cos := exact.Sincos(pose.Theta)
	if m.Kick != 0 && m.Kick != d.kicked {
		d.kicked = m.Kick
		up, level := exact.Sincos(min(max(float64(m.KickElevation), 0), maxElevation))
		speed := min(max(float64(m.KickSpeed), 0), maxKick)
		v := soccer.Vec3{X: float64(speed * level * cos), Y: float64(speed * level * sin), Z: float64(speed * up)}
		if s.engine.KickBall(v) == nil {
			s.mark("kick", number, "kick")
			s.report(number, "kick")
		}
		return
	}
	if m.Dribbler <= 0 {
		return
	}
	const ahead = soccer.RobotRadius + soccer.BallRadius + 0.01
	at := soccer.Vec3{X: pose.X + float64(ahead*cos), Y: pose.Y + float64(ahead*sin), Z: soccer.BallRadius}
	if s.engine.PlaceBall(at) == nil {
		_ = s.engine.KickBall(soccer.Vec3{X: d.twist.X, Y: d.twist.Y})
	}
}

// twist returns the velocity that a robot measures: that of its drive, or of the user that moves it.
func (s *Session) twist(number uint8) soccer.Twist {
	if d := &s.drives[number]; d.moving {
		return d.twist
	}
	return s.drags[number].at(s.now)
}
