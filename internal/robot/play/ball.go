package play

import (
	"math"
	"time"

	"touchline/soccer"
)

// approach drives to the ball, to where it can be met, and faces it.
func approach(s *scene) Action {
	if !s.knows {
		return search(s)
	}
	at, _ := meet(s.me, s.ball, s.roll)
	at = s.allowed(at)
	face := bearing(s.me, s.ball)
	const (
		beside = 0.8 // m, from where the robot comes straight to the ball
		catch  = 0.7 // m/s
	)
	if dir, yes := s.hasTime(at); yes {
		return s.comeFromBehind(at, dir)
	}
	d := at.Sub(s.me).Len()
	behind := at.Add(at.Sub(s.me).Unit().Scale(-(reachBall - 0.03)))
	if s.away < beside && (s.cfg.Number == soccer.Goalkeeper || !s.inGoalArea(s.ball, 0)) {
		// Straight at it: others on the way touch the ball, too.
		a := s.drive(behind, face, cruise, keep{}, "take the ball")
		v := s.ball.Sub(s.me).Unit()
		pace := catch + math.Sqrt(float64(2*braking*max(0, s.away-reachBall)))
		a.Motor.Twist.X, a.Motor.Twist.Y = 0, 0
		s.move(&a.Motor, v.Scale(pace).Add(s.roll.Scale(0.8)))
		return s.near(a)
	}
	a := s.drive(behind, face, cruise, keep{}, "go to the ball")
	if d > 0.3 { // do not brake before the ball
		v := s.way(behind, keep{})
		pace := min(cruise, catch+math.Sqrt(float64(2*braking*d)))
		s.move(&a.Motor, v.Scale(pace))
	}
	return s.near(a)
}

// hasTime reports whether the robot can go around a ball that lies still before an opponent gets there, and where it will
// play the ball then.
func (s *scene) hasTime(at soccer.Vec) (dir soccer.Vec, yes bool) {
	const (
		slow   = 0.4 // m/s, of the ball
		margin = 1.5 // m, by which opponents are farther
	)
	if s.speed > slow || s.away > 2.5 || s.contested(at, s.away+margin) {
		return dir, false
	}
	to := soccer.Vec{X: s.end}
	switch {
	case s.shot.exists && s.shot.open > 0 && s.shot.at.Sub(at).Len() < farShot:
		to = s.shot.at
	case s.pass.exists && s.pass.open > 0.3 && s.pass.worth > 0.5:
		to = s.pass.at
	}
	return to.Sub(at).Unit(), true
}

// comeFromBehind goes to the side of the ball from which the robot can play it in a direction at once.
func (s *scene) comeFromBehind(at, dir soccer.Vec) Action {
	const (
		start = 0.3 // m, of the straight way to the ball
		off   = 0.4 // rad
	)
	face := dir.Angle()
	if math.Abs(soccer.WrapAngle(bearing(s.me, at)-face)) > off {
		around := keep{at, reachBall + 0.12}
		return s.drive(s.allowed(at.Add(dir.Scale(-(reachBall + start)))), face, cruise, around, "go behind the ball")
	}
	a := s.drive(s.allowed(at.Add(dir.Scale(-0.2))), face, 1.2, keep{}, "take the ball")
	return s.near(a)
}

// near switches the dribbler on near the ball.
func (s *scene) near(a Action) Action {
	const near = 0.8 // m
	if s.knows && s.away < near {
		a.Motor.Dribbler = 1
	}
	return a
}

// duel frees a ball between this robot and a rival. Robots that push against each other with the same strength stand for
// ever: for half a second each, in an order that differs from robot to robot, it turns to a side with the ball, draws it
// back, or presses. It kicks as soon as the rival is out of the way.
func duel(s *scene) Action {
	const (
		phase = 400 * time.Millisecond
		turn  = 3.5 // rad/s: the dribbler holds the ball up to 4
		free  = 0.8 // rad between the kick and other robots
		least = 2.0 // m of the field before the robot: else the kick is a throw-in
		hard  = 4.0 // m/s
	)
	a := Action{Intention: "fight for the ball", Motor: soccer.Motor{Dribbler: 1}}
	if room := s.roomAhead(); s.HasBall && room > least && s.frontIsFree(free) {
		a.Motor.KickSpeed = min(hard, math.Sqrt(2*friction*room))
		return a
	}
	// The bits of a number that looks random are as good as a coin.
	n := uint64(s.Now) / uint64(phase) * 0x9e3779b97f4a7c15
	n ^= (uint64(s.cfg.Number) + uint64(s.MateSide)*8 + 1) * 0xbf58476d1ce4e5b9
	n ^= n >> 29
	n *= 0x94d049bb133111eb
	switch n >> 62 {
	case 0:
		a.Motor.Twist = soccer.Twist{X: 0.3, Theta: turn}
	case 1:
		a.Motor.Twist = soccer.Twist{X: 0.3, Theta: -turn}
	case 2:
		a.Motor.Twist = soccer.Twist{X: -1}
	default:
		face := bearing(s.me, s.ball)
		a.Motor.Twist = soccer.Twist{X: 2, Theta: s.turn(face, wheelTurn)}
	}
	return a
}

// roomAhead returns how far, in m, a ball can roll in the direction of the robot before it leaves the field.
func (s *scene) roomAhead() float64 { return s.room(s.ball, turned(s.self.Theta)) }

// room returns how far a ball can roll in a direction before it leaves the field, in m.
func (s *scene) room(from, dir soccer.Vec) float64 {
	const flat = 1e-3
	room := math.Inf(1)
	if math.Abs(dir.X) > flat {
		room = (math.Copysign(s.end, dir.X) - from.X) / dir.X
	}
	if math.Abs(dir.Y) > flat {
		room = min(room, (math.Copysign(s.touch, dir.Y)-from.Y)/dir.Y)
	}
	return max(0, room)
}

// frontIsFree reports whether no other robot is in front of the ball that the robot has, to an angle on either side.
func (s *scene) frontIsFree(angle float64) bool {
	const near = 0.8 // m
	for i := range s.circles {
		d := s.circles[i].at.Sub(s.ball)
		if d.Len() < near && math.Abs(soccer.WrapAngle(d.Angle()-s.self.Theta)) < angle {
			return false
		}
	}
	return true
}

// dribble takes the ball towards the goal, around opponents.
func dribble(s *scene) Action {
	const (
		ahead = 2.2 // m/s
		lead  = 1.1 // m/s, by which the ball is faster than the robot: else it has the ball again at once
		slow  = 1.6 // m/s, before
	)
	goal := soccer.Vec{X: s.end - s.field.PenaltyAreaLength, Y: clamp(s.ball.Y, s.post)}
	dir := s.way(goal, keep{})
	face := dir.Angle()
	e := math.Abs(soccer.WrapAngle(face - s.self.Theta))
	a := Action{
		Target: soccer.Pose{X: goal.X, Y: goal.Y, Theta: face}, HasTarget: true, Intention: "dribble",
		Motor: soccer.Motor{Dribbler: 1},
	}
	if s.mustRelease() && s.HasBall && e < 0.3 { // play it ahead, and run after it
		a.Motor.KickSpeed, a.Intention = max(ahead, s.velocity().Dot(turned(s.self.Theta))+lead), "play the ball ahead"
		s.playsAhead = true
	}
	most := carry
	if s.mustRelease() {
		most = slow
	}
	// Ahead, since a ball that is not pushed is lost.
	a.Motor.Twist.X = s.ahead(most * max(0.2, 1-e))
	a.Motor.Twist.Theta = s.turn(face, wheelTurn)
	return a
}

// ahead returns the speed of a robot with the ball, in m/s: it draws the ball back from a line that it faces.
func (s *scene) ahead(speed float64) float64 {
	const near, back = 0.7, -0.6 // m, m/s
	if s.roomAhead() < near && s.toGoal(s.ball) > s.field.GoalWidth {
		return back
	}
	return speed
}

// endDribble stops a robot that has taken the ball nearly as far as it may: then it turns on the spot. One that others push
// on gives the ball away.
func (s *scene) endDribble(a *Action) {
	const (
		far    = 2.2 // m of 3 (MSL Rules 2026): it still rolls 0.6 m
		pushed = 2.6 // m
		soft   = 2.5 // m/s
		ahead  = 1.6 // rad: not to the own goal
	)
	if !s.has || s.carried() <= far {
		return
	}
	a.Motor.Twist.X, a.Motor.Twist.Y = 0, 0
	if s.HasBall && s.carried() > pushed && a.Motor.KickSpeed == 0 && math.Abs(s.self.Theta) < ahead {
		a.Motor.KickSpeed, a.Intention = soft, "give the ball away"
	}
}

// kickAt turns to a place with the ball, and kicks when the robot faces it.
func (s *scene) kickAt(to aim, tolerance float64, intention string) Action {
	face := bearing(s.me, to.at)
	e := soccer.WrapAngle(face - s.self.Theta)
	a := Action{
		Target: soccer.Pose{X: s.me.X, Y: s.me.Y, Theta: face}, HasTarget: true, Intention: intention,
		Motor: soccer.Motor{Dribbler: 1},
	}
	a.Motor.Twist.X = s.ahead(0.2) // keeps the ball at the front
	a.Motor.Twist.Theta = s.turn(face, wheelTurn)
	if s.HasBall && math.Abs(e) < tolerance {
		a.Motor.KickSpeed, a.Motor.KickElevation = to.speed, to.elevation
	}
	return a
}

// shoot kicks the ball at the goal.
func shoot(s *scene) Action {
	if !s.has {
		return approach(s)
	}
	return s.kickAt(s.shot, min(max(0.6*s.shot.margin, 0.03), 0.1), "shoot")
}

// passTo are the intentions of passes.
var passTo = [maxRobot + 1]string{
	"pass", "pass to robot 1", "pass to robot 2", "pass to robot 3", "pass to robot 4", "pass to robot 5", "pass to robot 6",
}

// pass kicks the ball to a teammate.
func pass(s *scene) Action {
	if !s.has {
		return approach(s)
	}
	if !s.pass.exists {
		return shoot(s)
	}
	d := max(1, s.pass.at.Sub(s.ball).Len())
	return s.kickAt(s.pass, min(max(0.35/d, 0.05), 0.2), passTo[s.pass.mate])
}

// release plays the ball to where a teammate gets it before the opponents.
func release(s *scene) Action {
	if !s.has {
		return approach(s)
	}
	if !s.space.exists {
		return dribble(s)
	}
	return s.kickAt(s.space, 0.2, "play the ball into space")
}

// clearance kicks the ball away from the own goal: to a teammate, else where the way is open.
func clearance(s *scene) Action {
	if !s.has {
		return approach(s)
	}
	if s.pass.exists && s.pass.open > 0.3 && s.pass.at.X > s.ball.X+1 {
		return pass(s)
	}
	const speed, far = 7.0, 6.0 // m/s, m
	best := aim{}
	for i := -2; i <= 2; i++ {
		to := s.ball.Add(turned(float64(i) * 0.45).Scale(far))
		a := aim{at: to, speed: speed, open: s.open(s.ball, to, speed, 0)}
		a.worth = a.open - float64(0.1*math.Abs(float64(i)))
		best.improve(a)
	}
	return s.kickAt(best, 0.2, "clear the ball")
}

// comes reports whether the ball rolls to this robot, or is about to pass it, and no teammate is before it.
func (s *scene) comes() bool {
	const (
		slow  = 0.8 // m/s
		wide  = 1.3 // m, beside the robot
		reach = 8.0 // m
	)
	if !s.knows || s.speed < slow || s.isKeeper || s.passed() {
		return false
	}
	dir := s.roll.Unit()
	along, off := s.me.Sub(s.ball).Dot(dir), math.Abs(dir.Cross(s.me.Sub(s.ball)))
	if along < 0.3 || along > reach || off > wide {
		return false
	}
	for i := range s.circles[:s.mates] {
		rel := s.circles[i].at.Sub(s.ball)
		if a := rel.Dot(dir); a > 0.3 && a < along && math.Abs(dir.Cross(rel)) < wide {
			return false
		}
	}
	return true
}

// receive waits for a pass on its way, with the front to the ball.
func receive(s *scene) Action {
	dir := s.roll.Unit()
	along := s.me.Sub(s.ball).Dot(dir)
	to := s.allowed(s.ball.Add(dir.Scale(max(along, 0.3))))
	return s.near(s.drive(to, bearing(s.me, s.ball), maxSpeed, keep{}, "receive the ball"))
}
