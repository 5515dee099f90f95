package lab

import (
	"errors"
	"math"
	"time"

	"touchline/internal/analysis"
	"touchline/internal/exact"
	software "touchline/internal/robot"
	"touchline/sim"
	"touchline/soccer"
	"touchline/wire/team"
)

// play lets the robot shoot and follows the ball.
func (t *shooting) play() (s shot, err error) {
	const patience = 2500 * time.Millisecond // the robot shoots by then, or not at all
	for end := t.begins.Add(patience); t.engine.Now() < end; {
		kicks, err := t.step()
		if err != nil {
			return s, err
		}
		for _, k := range kicks {
			ball, _ := t.engine.Ball()
			if k.Robot != shooterID {
				return s, nil
			}
			if is, _ := analysis.Aimed(t.field, ball, k.Velocity); !is {
				return s, nil
			}
			s = shot{from: ball.XY(), opening: t.opening(ball.XY())}
			s.outcome, err = t.follow(k.Velocity)
			return s, err
		}
		if id, _, touched := t.engine.LastTouch(); touched && id != shooterID {
			return s, nil // it lost the ball
		}
	}
	return s, nil
}

// opening returns what the goalkeeper and the defenders leave open.
func (t *shooting) opening(ball soccer.Vec) float64 {
	var robots []soccer.Vec
	for _, id := range append(t.defenders, keeperID) {
		if pose, on := t.engine.RobotPose(id); on {
			robots = append(robots, pose.XY())
		}
	}
	return analysis.XGOpening(t.field, ball, robots)
}

// step passes a control period of 20 ms and returns the kicks at its beginning.
func (t *shooting) step() (kicks []sim.Kick, err error) {
	const first = 2 * time.Millisecond
	begun := t.engine.Now() >= t.begins
	if err := t.control(&t.players[1], 1); err != nil {
		return nil, err
	}
	switch {
	case begun && t.far:
		err = t.engine.Command(shooterID, t.farKick())
	case begun:
		err = t.control(&t.players[0], 0)
	}
	if err != nil {
		return nil, err
	}
	t.periods++
	t.engine.Step(first)
	if kicks = t.engine.Kicks(); len(kicks) == 0 {
		t.engine.Step(control - first)
		kicks = t.engine.Kicks()
	}
	return kicks, nil
}

// farKick draws a kick from where built-in robots do not shoot: they play the ball ahead or into space, and a few kicks
// are as hard as shots, in matches.
func (t *shooting) farKick() *soccer.Motor {
	m := soccer.Motor{Kick: 1, KickSpeed: 3}
	switch n := t.random.IntN(10); {
	case n >= 9:
		m.KickSpeed = 11
	case n >= 5:
		m.KickSpeed = 4.5
	}
	return &m
}

// control is a control period of a robot, as in a match: it takes a picture when one is due, processes those that are as
// old as the camera's latency, and decides. The goalkeeper sees through bodies, in place of what teammates would tell it.
func (t *shooting) control(p *shotPlayer, i int) error {
	lens := sim.DefaultCamera()
	lens.SeesThrough = p.turned
	now := t.engine.Now()
	const picture = 50 * time.Millisecond // as often as in a match
	if t.periods%10 == 0 || p.taken == 0 {
		p.ReceiveReferee(now, &team.Referee{State: team.Running, Sequence: 1})
	}
	if due := soccer.Epoch.Add(time.Duration(i)*control + time.Duration(p.pictures)*picture); due <= now {
		p.pictures = int(now.Sub(soccer.Epoch)/picture) + 1
		if err := t.look(p, &lens); err != nil {
			return err
		}
	}
	for p.used < p.taken {
		sense := &p.senses[p.used%len(p.senses)]
		if sense.Time.Add(lens.Latency) > now {
			break
		}
		p.used++
		p.Sense(sense)
	}
	p.Messages(now, func(*software.Message) {})
	motor := p.Motor(now)
	if err := t.engine.Command(p.id, &motor); err != nil && !errors.Is(err, sim.ErrUnknown) {
		return err
	}
	return nil
}

// look takes a picture.
func (t *shooting) look(p *shotPlayer, lens *sim.Camera) error {
	sense := &p.senses[p.taken%len(p.senses)]
	p.taken++
	if err := t.engine.Look(p.id, lens, sense); err != nil {
		return err
	}
	lens.Describe(sense)
	_, sense.Self.Twist, _ = t.engine.Robot(p.id)
	sense.HasBall = t.engine.HoldsBall(p.id)
	if p.turned {
		sense.Self = sense.Self.Turned()
	}
	return nil
}

// follow follows a shot with a velocity to its end.
func (t *shooting) follow(v soccer.Vec3) (outcome, error) {
	const (
		most  = 5 * time.Second
		slow  = 0.3                    // m/s
		reach = 200 * time.Millisecond // before defenders react
	)
	kicked, touchedBy := t.engine.Now(), uint8(shooterID)
	was, _ := t.engine.Ball()
	for t.engine.Now().Sub(kicked) < most {
		if err := t.control(&t.players[1], 1); err != nil {
			return 0, err
		}
		if t.engine.Now().Sub(kicked) >= reach && touchedBy == shooterID {
			if err := t.react(); err != nil {
				return 0, err
			}
		}
		t.periods++
		for range 2 {
			t.engine.Step(control / 2)
			ball, velocity := t.engine.Ball()
			id, at, _ := t.engine.LastTouch()
			if id == shooterID && at.Sub(kicked) > reach {
				return t.fate(touchedBy, died), nil // it has the ball again
			}
			touchedBy = id
			if out, in := t.left(was, ball); out {
				if in {
					return scored, nil
				}
				return t.fate(touchedBy, missed), nil
			}
			if velocity.XY().Len() < slow && velocity.Z == 0 {
				return t.fate(touchedBy, died), nil
			}
			was = ball
		}
	}
	return t.fate(touchedBy, died), nil
}

// fate returns what became of a shot that is no goal.
func (t *shooting) fate(touched uint8, otherwise outcome) outcome {
	switch touched {
	case shooterID:
		return otherwise
	case keeperID:
		return saved
	}
	return blocked
}

// left reports whether the ball left the field, and whether into the goal at +x, as a referee judges it.
func (t *shooting) left(was, ball soccer.Vec3) (out, in bool) {
	end, touch := float64(t.field.Length*0.5)+soccer.BallRadius, float64(t.field.Width*0.5)+soccer.BallRadius
	if math.Abs(ball.X) <= end {
		return math.Abs(ball.Y) > touch, false
	}
	share := min(max((end-was.X)/(ball.X-was.X), 0), 1)
	y, z := was.Y+float64(share*(ball.Y-was.Y)), was.Z+float64(share*(ball.Z-was.Z))
	return true, ball.X > 0 && math.Abs(y) <= float64(t.field.GoalWidth*0.5)-soccer.BallRadius && z <= t.field.GoalHeight-soccer.BallRadius
}

// react lets the defenders run to the way of the ball.
func (t *shooting) react() error {
	const fast = 3.0 // m/s
	ball, velocity := t.engine.Ball()
	way := velocity.XY().Unit()
	for _, id := range t.defenders {
		pose, on := t.engine.RobotPose(id)
		if !on {
			continue
		}
		rel := pose.XY().Sub(ball.XY())
		off := way.Scale(max(rel.Dot(way), 0)).Sub(rel)
		run := off.Unit().Scale(min(fast, 3*off.Len()))
		sin, cos := exact.Sincos(pose.Theta)
		own := run.Rotated(-sin, cos)
		motor := soccer.Motor{Twist: soccer.Twist{X: own.X, Y: own.Y}}
		if err := t.engine.Command(id, &motor); err != nil {
			return err
		}
	}
	return nil
}
