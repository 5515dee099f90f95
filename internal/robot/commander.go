package robot

import (
	"fmt"
	"time"

	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/soccer"
	"touchline/wire/team"
)

const (
	refereeFor = time.Second            // without a message of the referee, after which the robot stops
	commandFor = 100 * time.Millisecond // without a new decision, after which the motors stop
)

// referee obeys the referee (ORGCtrl of the TeamChaos paper).
type referee struct {
	newest team.Referee
	at     soccer.Time // arrival of newest or of a repetition; 0: none
}

// receive notes a message. One that is older than the newest, by its sequence, counts only after silence: then the
// computer that sends it has started again.
func (r *referee) receive(at soccer.Time, m *team.Referee) {
	if r.heard(at) && int32(m.Sequence-r.newest.Sequence) < 0 {
		return
	}
	r.newest, r.at = *m, at
}

// heard reports whether a message arrived in the last second.
func (r *referee) heard(now soccer.Time) bool { return r.at > 0 && now.Sub(r.at) <= refereeFor }

// mayMove reports whether a robot may move.
func (r *referee) mayMove(now soccer.Time) bool {
	state := r.newest.State
	return r.heard(now) && (state == team.Waiting || state == team.Running || state == team.Parking)
}

// commander passes what the robot perceives to its state machine, and holds the newest command for the motors (the
// commander of the TeamChaos paper).
type commander struct {
	player  *play.Player // nil: the robot stands
	machine uint32       // checksum
	action  play.Action
	decided soccer.Time
	view    play.View // scratch
}

func newCommander(cfg *Config) (commander, error) {
	if cfg.Machine == nil {
		return commander{}, nil
	}
	player, err := play.New(play.Config{
		Number: cfg.Number, Field: cfg.World.Field, Books: cfg.Booking != "none", Machine: cfg.Machine,
	})
	if err != nil {
		return commander{}, fmt.Errorf("robot: %w", err)
	}
	return commander{player: player, machine: cfg.Machine.Checksum()}, nil
}

// ReceiveReferee notes what the referee says, at a time of this robot's clock: it takes effect at once.
func (r *Robot) ReceiveReferee(at soccer.Time, m *team.Referee) {
	r.referee.receive(at, m)
	r.penalised = soccer.RobotSet(r.referee.newest.Out).Has(r.cfg.Number)
}

// Motor returns the command for the motors at now: that of the newest control period, in which Messages decides. It is
// zero while the referee is silent or has stopped the robot, while the machine is held, and without a decision in the last
// 100 ms.
func (r *Robot) Motor(now soccer.Time) soccer.Motor {
	c := &r.commander
	if c.player == nil || !r.referee.mayMove(now) || now.Sub(c.decided) > commandFor || c.player.Held() {
		return soccer.Motor{}
	}
	return c.action.Motor
}

// Hold holds the state machine from the next control period on, or lets it go on. It is to be called while an operator
// wants it.
func (r *Robot) Hold(h hfsm.Hold) { r.hold = h }

// decide lets the state machine decide. m.world holds the world at now.
func (r *Robot) decide(now soccer.Time) {
	c, w := &r.commander, &r.messages.world
	r.addMates(now)
	c.view = play.View{
		Now: now, World: w, Self: r.SelfAt(now), HasBall: r.picture.HasBall && now.Sub(r.picture.Time) <= poseFor,
		Booker: r.booked(now), Heard: r.referee.heard(now), Referee: r.referee.newest, MateSide: r.cfg.Color,
	}
	for i := range r.percepts.Balls {
		at := r.percepts.Balls[i].Position.XY()
		if d := at.Sub(w.Ball.Position.XY()).Len(); c.view.SightAt == 0 || d < c.view.Sight.Sub(w.Ball.Position.XY()).Len() {
			c.view.Sight, c.view.SightAt = at, r.percepts.Time
		}
	}
	c.player.Hold(r.hold)
	c.action, c.decided = c.player.Decide(&c.view), now
}

// SelfAt returns where the robot is at now: where it was in the newest picture, moved on by its velocity. It is unknown
// when that picture is old.
func (r *Robot) SelfAt(now soccer.Time) soccer.Localisation {
	l := r.percepts.Self
	age := now.Sub(r.percepts.Time)
	if !l.Known || age > poseFor {
		return soccer.Localisation{}
	}
	if dt := max(age.Seconds(), 0); l.HasTwist {
		l.Pose.X += float64(l.Twist.X * dt)
		l.Pose.Y += float64(l.Twist.Y * dt)
		l.Pose.Theta = soccer.WrapAngle(l.Pose.Theta + float64(l.Twist.Theta*dt))
	}
	return l
}
