package robot

import (
	"errors"
	"fmt"

	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/soccer"
	"touchline/wire/team"
)

// adoption is the change of the state machine of a robot that runs.
type adoption struct {
	waits, returns    bool          // waiting or previous is set; a machine may be nil: the robot stands
	waiting, previous *hfsm.Machine // to change to at a safe moment; to roll back to
	waitingSum        uint32        // their checksums; 0: none
	previousSum       uint32
}

// Adopt lets a state machine take the place of the one that runs, at the next safe moment: the robot does not hold the
// ball, kicks none, and waits for no set piece. It returns all faults of a machine that the robot cannot execute, and
// then nothing changes. The robot keeps m.
func (r *Robot) Adopt(m *hfsm.Machine) error {
	if err := m.Check(play.Conditions(), play.Behaviours()); err != nil {
		return fmt.Errorf("robot: %w", err)
	}
	r.adoption.wait(m)
	return nil
}

// RollBack lets the robot go back to the state machine before the newest Adopt, at the next safe moment.
func (r *Robot) RollBack() error {
	a := &r.adoption
	switch {
	case a.waits:
		a.forget()
	case a.returns:
		a.wait(a.previous)
	default:
		return errors.New("robot: no state machine to roll back to")
	}
	return nil
}

// Machines returns the checksums of the state machine that runs, of the one to roll back to, and of the one that waits
// for a safe moment; 0: none.
func (r *Robot) Machines() (running, previous, waiting uint32) {
	return r.commander.machine, r.adoption.previousSum, r.adoption.waitingSum
}

// Machine returns the state machine that runs, nil for none. It is not to be changed.
func (r *Robot) Machine() *hfsm.Machine { return r.cfg.Machine }

// wait lets a machine wait for a safe moment; nil: the robot is to stand.
func (a *adoption) wait(m *hfsm.Machine) {
	if a.waits, a.waiting, a.waitingSum = true, m, 0; m != nil {
		a.waitingSum = m.Checksum()
	}
}

// forget forgets the machine that waits.
func (a *adoption) forget() { a.waits, a.waiting, a.waitingSum = false, nil, 0 }

// change changes to the machine that waits, if the moment is safe.
func (r *Robot) change(now soccer.Time) {
	a, c := &r.adoption, &r.commander
	holds := r.picture.HasBall && now.Sub(r.picture.Time) <= poseFor
	if !a.waits || holds || c.action.Motor.Kick != 0 || r.referee.heard(now) && r.referee.newest.State == team.Waiting {
		return
	}
	cfg := r.cfg
	cfg.Machine = a.waiting
	next, err := newCommander(&cfg)
	if err != nil {
		a.forget() // Adopt checked it
		return
	}
	if next.player != nil && c.player != nil {
		next.player.Continue(c.player)
	}
	a.returns, a.previous, a.previousSum = true, r.cfg.Machine, c.machine
	a.forget()
	r.cfg, *c = cfg, next
}
