package robotnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"touchline/internal/camera"
	"touchline/internal/manager"
	"touchline/internal/robot"
	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/soccer"
	"touchline/wire/team"
)

// Agent is what managers see and change of a robot of touchline: operators set the parameters of its camera and what it
// assumes of its lens and mount, send it state machines and colour tables, and hold its state machine. Its methods may be
// called from any goroutine.
type Agent struct {
	*manager.Robot
	camera camera.Camera

	mu      sync.Mutex // of what follows; a goroutine that holds it waits for no other lock
	params  camera.Params
	assumed camera.Camera              // what the robot assumes of its camera
	colors  *camera.Table              // that an operator sent, never changed; nil: the robot's own
	changes []func(*robot.Robot) error // of the state machine, for Step
	adopted bool                       // a state machine, at least once
	machine *hfsm.Machine              // that runs; nil: none
}

// NewAgent returns the agent of a robot with a camera, whose checks keep inside a field. The seed is that of RobotConfig.
func NewAgent(seed uint64, cam camera.Camera, field soccer.Field) (*Agent, error) {
	a := &Agent{camera: cam, params: camera.DefaultParams(), assumed: cam}
	cfg := manager.DefaultRobotConfig(seed)
	cfg.MaxPan, cfg.MaxTilt = float32(cam.Head.PanMax), float32(max(-cam.Head.TiltMin, cam.Head.TiltMax))
	cfg.Field, cfg.Parameters, cfg.Holds = field, a.parameters(), true
	cfg.Set, cfg.Adopt, cfg.RollBack, cfg.Fetch = a.set, a.adopt, a.rollBack, a.fetch
	var err error
	if a.Robot, err = manager.NewRobot(cfg); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return a, nil
}

// Step passes what operators want to the robot's software: changes of its state machine, and whether that is held. It turns
// the head, and tells managers which machines the robot has. It is to be called in each control period, before the
// commands for the motors are read.
func (a *Agent) Step(now soccer.Time, r *robot.Robot) {
	r.Hold(a.Hold(now))
	a.mu.Lock()
	changes := a.changes
	a.changes, a.machine = nil, r.Machine()
	a.mu.Unlock()
	for _, change := range changes {
		_ = change(r) // adopt checked the machine; a second rollback has nothing to do
	}
	var m manager.Machines
	m.Running, m.Previous, m.Waiting = r.Machines()
	a.SetMachines(m)
	if pan, tilt, ok := a.Head(now); ok {
		a.turn("pan", pan)
		a.turn("tilt", tilt)
	}
}

// turn turns a joint of the head, if the camera has it, and tells the managers where it looks.
func (a *Agent) turn(joint string, angle float64) {
	a.mu.Lock()
	took, err := a.camera.Set(&a.params, joint, angle)
	a.mu.Unlock()
	if err == nil {
		_ = a.Robot.Set(joint, float32(took)) // a parameter that the camera declares
	}
}

// View sets what the robot knows of a picture: where its head looks, its lens and mount, and its table of colours. It
// returns the parameters of its camera.
func (a *Agent) View(view *camera.View) camera.Params {
	a.mu.Lock()
	defer a.mu.Unlock()
	assumed := a.assumed
	view.Pan, view.Tilt, view.Camera, view.Table = a.params.Pan, a.params.Tilt, &assumed, a.colors
	return a.params
}

// parameters returns those that a robot declares of its camera, and of what it assumes of its lens and mount.
func (a *Agent) parameters() (list []team.Parameter) {
	declare := func(group string, params []camera.Param) {
		for _, p := range params {
			list = append(list, team.Parameter{
				Name: p.Name, Group: group, Unit: p.Unit, Value: float32(p.Now), Default: float32(p.Default),
				Min: float32(p.Min), Max: float32(p.Max),
			})
		}
	}
	declare("camera", a.camera.Declare(&a.params))
	declare("lens and mount", a.camera.DeclareOptics(&a.assumed))
	declare("trouble", a.camera.DeclareKnock(&a.params))
	return list
}

// set sets one of them.
func (a *Agent) set(name string, value float32) (float32, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	optics := a.camera.DeclareOptics(&a.assumed)
	if slices.ContainsFunc(optics, func(p camera.Param) bool { return p.Name == name }) {
		took, err := a.camera.SetOptics(&a.assumed, name, float64(value))
		return float32(took), err
	}
	took, err := a.camera.Set(&a.params, name, float64(value))
	return float32(took), err
}

// adopt lets the robot execute a state machine from the next safe moment on, or see by a colour table. It refuses one that
// the robot cannot use.
func (a *Agent) adopt(name string, contents []byte) error {
	if name == manager.ColorsFile {
		table := new(camera.Table)
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
	a.changes, a.adopted = append(a.changes, func(r *robot.Robot) error { return r.Adopt(m) }), true
	return nil
}

// rollBack lets the robot go back to the state machine before.
func (a *Agent) rollBack() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.adopted {
		return errors.New("no state machine to roll back to")
	}
	a.changes = append(a.changes, (*robot.Robot).RollBack)
	return nil
}

// fetch returns the sheet of the robot's state machine, or its colour table.
func (a *Agent) fetch(name string) ([]byte, error) {
	a.mu.Lock()
	machine, table := a.machine, a.colors
	a.mu.Unlock()
	switch name {
	case hfsm.SheetFile:
	case manager.ColorsFile:
		if table == nil {
			table = camera.DefaultTable()
		}
		return table.AppendBinary(nil)
	default:
		return nil, fmt.Errorf("no file %.40q: want %s or %s", name, hfsm.SheetFile, manager.ColorsFile)
	}
	return json.Marshal(hfsm.Sheet{
		Machine: machine, Default: play.Default(), Conditions: play.Conditions(), Behaviours: play.Behaviours(),
	})
}
