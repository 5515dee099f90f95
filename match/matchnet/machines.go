package matchnet

import (
	"encoding/json"
	"errors"
	"fmt"

	"touchline/camera/percept"
	"touchline/manager"
	"touchline/manager/managed"
	"touchline/robot/hfsm"
	"touchline/robot/play"
)

// adopt lets the robot execute a state machine from the next safe moment on, or see by a colour table. It refuses one that
// the robot cannot use.
func (a *agent) adopt(name string, contents []byte) error {
	if name == manager.ColorsFile {
		table := new(percept.Table)
		if err := table.UnmarshalBinary(contents); err != nil {
			return err
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.colors = table
		return nil
	}
	m, err := hfsm.Parse(contents)
	if err == nil {
		err = m.Check(play.Conditions(), play.Behaviours())
	}
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes, a.adopted = append(a.changes, func() error { return a.software.Adopt(m) }), true
	return nil
}

// fetch returns the sheet of the robot's state machine.
func (a *agent) fetch(name string) ([]byte, error) {
	if name != hfsm.SheetFile {
		return nil, fmt.Errorf("no file %.40q: want %s", name, hfsm.SheetFile)
	}
	a.mu.Lock()
	s := hfsm.Sheet{Machine: a.machine, Default: play.Default(), Conditions: play.Conditions(), Behaviours: play.Behaviours()}
	a.mu.Unlock()
	return json.Marshal(s)
}

// rollBack lets the robot go back to the state machine before.
func (a *agent) rollBack() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.adopted {
		return errors.New("no state machine to roll back to")
	}
	a.changes = append(a.changes, a.software.RollBack)
	return nil
}

// change passes changes of the state machine on to the robot. It requires the session's lock.
func (a *agent) change() {
	a.mu.Lock()
	changes := a.changes
	a.changes, a.machine = nil, a.software.Machine()
	a.mu.Unlock()
	for _, change := range changes {
		_ = change() // adopt checked the machine; a second rollback has nothing to do
	}
	var m managed.Machines
	m.Running, m.Previous, m.Waiting = a.software.Machines()
	a.SetMachines(m)
}
