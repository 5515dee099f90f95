package sim

import "touchline/soccer"

// OmniRobot is the bodies and limits of a league whose robots drive in all directions, apart from the Middle Size League,
// which has its own. Each robot is a disc with a round head.
type OmniRobot struct {
	Radius   float64 // m
	Height   float64 // m; the ball rolls off a robot's top
	Reach    float64 // m between the surfaces of robot and ball up to which the robot dribbles and kicks the ball
	MaxSpeed float64 // m/s
	MaxTurn  float64 // rad/s
	Accel    float64 // m/s^2, to each direction
	TurnUp   float64 // rad/s^2
	MaxKick  float64 // m/s, of the ball, at most MaxBallSpeed
}

// bounded returns p with every number limited to the range in which the engine works; NaN becomes the lower limit.
func (p OmniRobot) bounded() OmniRobot {
	for _, f := range [...]struct {
		value    *float64
		from, to float64
	}{
		{&p.Radius, 0.01, 1}, {&p.Height, 0.01, 5}, {&p.Reach, 0.001, 1}, {&p.MaxSpeed, 0, 20}, {&p.MaxTurn, 0, 100},
		{&p.Accel, 0, 1000}, {&p.TurnUp, 0, 1e4}, {&p.MaxKick, 0, MaxBallSpeed},
	} {
		*f.value = clamp(*f.value, f.from, f.to)
	}
	return p
}

// body is what the engine knows of the robots and the ball of a league with omni-directional robots. Sums are prepared: those
// of the Middle Size League are exact constants.
type body struct {
	radius, ball, height       float64 // m
	reach, near, squeeze       float64 // m between the centres of a robot and a ball that touches it, and nearly; to a wall
	hold, holdSquare           float64 // m, to a ball that a robot holds, and its square
	rival, place               float64 // m, to a ball that another robot disputes; to the ball at the dribbler
	pair, overlap              float64 // m between two robots that touch, and that overlap noticeably
	speed, turn, accel, turnUp float64
	shoved                     float64 // m/s, of a robot that was shoved
	kick                       float64 // m/s
}

const squeezed = 1e-3 // m from a ball within which a body presses it

func bodyOf(p *Physics) body {
	const r, b = soccer.RobotRadius, soccer.BallRadius
	if p.Omni.Radius == 0 || p.Side > 0 {
		return body{
			radius: r, ball: b, height: BodyHeight, reach: r + b, near: r + b + squeezed, squeeze: b + squeezed,
			hold: r + b + ballGap, holdSquare: (r + b + ballGap) * (r + b + ballGap), rival: r + b + rivalGap,
			place: r + b + dribblerGap, pair: 2 * r, overlap: 2*r - residue,
			speed: maxSpeed, turn: maxTurn, accel: maxAccel, turnUp: maxTurnUp, shoved: 1.5 * maxSpeed, kick: MaxKick,
		}
	}
	o := &p.Omni
	touch := o.Radius + p.BallRadius
	hold := touch + o.Reach
	return body{
		radius: o.Radius, ball: p.BallRadius, height: o.Height, reach: touch, near: touch + squeezed, squeeze: p.BallRadius + squeezed,
		hold: hold, holdSquare: hold * hold, rival: touch + min(rivalGap, float64(o.Reach*0.5)),
		place: touch + min(dribblerGap, float64(o.Reach*0.5)), pair: 2 * o.Radius, overlap: float64(2*o.Radius) - residue,
		speed: o.MaxSpeed, turn: o.MaxTurn, accel: o.Accel, turnUp: o.TurnUp, shoved: float64(1.5 * o.MaxSpeed),
		kick: o.MaxKick,
	}
}
