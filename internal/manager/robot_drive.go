package manager

import (
	"errors"
	"fmt"

	"touchline/internal/robot/hfsm"
	"touchline/soccer"
	"touchline/wire/team"
)

// control is who controls the robot, and the newest command.
type control struct {
	holder    team.Operator
	name      string
	heard     soccer.Time // when the holder's computer last said that the page lives
	challenge soccer.Time // when the next nonce leaves

	drove    bool        // a command of this holder was executed
	until    soccer.Time // when the lease of the newest nonce ends
	sequence uint32      // of the newest command
	command  team.Drive

	kicked    uint32 // id of the newest kick
	number    uint32 // of kicks, for the motors
	kickUntil soccer.Time
	kick      team.Kick

	hold hfsm.Hold // of the state machine
}

// Hold returns what the holder wants of the state machine. It ends with the control, and when a refereed game plays.
func (r *Robot) Hold(now soccer.Time) hfsm.Hold {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	return r.control.hold
}

// setHold executes a request to hold the state machine.
func (r *Robot) setHold(m *team.Request) error {
	switch {
	case !r.cfg.Holds:
		return errors.New("this robot does not hold its state machine")
	case r.playing:
		return errors.New("a refereed game plays")
	case m.Value != 0 && m.Value != 1 && m.Value != 2:
		return fmt.Errorf("hold %v: want 0 to go on, 1 to hold, 2 for one transition", m.Value)
	}
	r.holds++
	r.control.hold = hfsm.Hold{On: m.Value != 0, Step: m.Value == 2, Number: r.holds}
	if m.Value == 1 {
		r.control.hold.At = m.Text
	}
	return nil
}

// stop ends the commands of the holder, who keeps the control.
func (c *control) stop() { c.until, c.kickUntil = 0, 0 }

// firstKick is the first number of an operator's kick: those of the robot's own software are below it.
const firstKick = 1 << 31

// receiveDrive receives a command of an operator. It counts from the departure of the nonce that it echoes: commands of others,
// with an unknown nonce, older than the lease, or not newer than the newest one, are ignored.
func (r *Robot) receiveDrive(computer uint8, now soccer.Time, m *team.Drive) {
	c := &r.control
	if c.holder != (team.Operator{Computer: computer, Page: m.Operator}) || r.playing {
		return
	}
	issued, ok := r.issued(m.Nonce)
	if !ok || now.Sub(issued) >= Lease || (c.drove && int32(m.Sequence-c.sequence) <= 0) {
		return
	}
	c.drove, c.sequence, c.command = true, m.Sequence, *m
	c.until = max(c.until, issued.Add(Lease))
	if r.permitCheck(m); r.check.active {
		return
	}
	if m.Kick != 0 && int32(m.Kick-c.kicked) > 0 && int(m.KickIndex) < len(r.cfg.Kicks) {
		c.kicked, c.kick, c.kickUntil = m.Kick, r.cfg.Kicks[m.KickIndex], now.Add(kickFor)
		c.number = max(firstKick, c.number+1)
	}
}

// Motor returns the command for the motors, and whether an operator drives: then it takes the place of the robot's own.
// It is zero when the commands of the operator stopped or are too old, until the control is given up or taken over.
func (r *Robot) Motor(now soccer.Time) (soccer.Motor, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire(now)
	r.watchCheck(now)
	c := &r.control
	if r.check.active && !r.playing {
		return r.check.command(now), true
	}
	if !c.drove || r.playing {
		return soccer.Motor{}, false
	}
	if now >= c.until {
		return soccer.Motor{}, true
	}
	m := soccer.Motor{
		Twist: soccer.Twist{
			X: limited(c.command.VX, r.cfg.MaxAhead), Y: limited(c.command.VY, r.cfg.MaxSide),
			Theta: limited(c.command.VHeading, r.cfg.MaxTurn),
		},
		Dribbler: float64(c.command.Dribbler),
	}
	if now < c.kickUntil {
		m.Kick, m.KickSpeed, m.KickElevation = c.number, float64(c.kick.Speed), float64(c.kick.Elevation)
	}
	return m, true
}

// Head returns where the operator who drives turns the head, in rad.
func (r *Robot) Head(now soccer.Time) (pan, tilt float64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.control
	if !c.drove || !c.command.HasHead || now >= c.until || r.playing {
		return 0, 0, false
	}
	return limited(c.command.HeadPan, r.cfg.MaxPan), limited(c.command.HeadTilt, r.cfg.MaxTilt), true
}

func limited(v, most float32) float64 { return float64(min(max(v, -most), most)) }

// state returns whether the robot can be driven.
func (r *Robot) state(now soccer.Time) team.DriveState {
	c := &r.control
	switch {
	case r.playing:
		return team.DriveRefused
	case c.holder.Computer == 0:
		return team.DriveFree
	case c.drove && now >= c.until:
		return team.DriveLapsed
	case c.hold.On:
		return team.DriveHeld
	case !c.drove:
		return team.DriveReady
	}
	return team.Driving
}
