package matchnet

import (
	"encoding/json"
	"fmt"
	"slices"

	"touchline/camera"
	"touchline/manager"
	"touchline/manager/calibration"
	"touchline/manager/managernet"
	"touchline/soccer"
	"touchline/wire/team"
)

// parameters returns those that a robot declares of its camera, and of what it assumes of its lens and mount.
func (a *agent) parameters() (list []team.Parameter) {
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
	return list
}

// set sets one of them.
func (a *agent) set(name string, value float32) (float32, error) {
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

// Manages reports whether a command of a page is one of Manage.
func Manages(name string) bool { return manager.Known(name) || calibration.Known(name) }

// calibrate executes a command of the calibration, and asks the robot for what it sets.
func (t *teamNodes) calibrate(name string, body json.RawMessage) error {
	var of struct {
		Robot uint8  `json:"robot"`
		Page  uint32 `json:"page"`
	}
	if err := json.Unmarshal(body, &of); err != nil {
		return fmt.Errorf("match: %s: %w", name, err)
	}
	asked, err := t.manage.room.Command(calibration.Call{
		Name: name, Body: body, View: t.manage.desk.View(of.Robot, t.station.Now()),
		Shot: func() (*calibration.Shot, bool) { return t.manage.pictures.Shot(of.Robot) },
		Now:  t.station.Now(), Field: t.session.cfg.Match.Field,
		Self: func() (soccer.Pose, bool) { return t.session.believed(of.Robot) },
	})
	if err != nil {
		return err
	}
	if len(asked.Colors) > 0 {
		return t.manage.desk.SendFile(of.Robot, of.Page, manager.ColorsFile, asked.Colors)
	}
	return t.setAll(of.Robot, of.Page, asked.Values)
}

// believed returns where a robot believes to stand, by its packages.
func (s *Session) believed(number uint8) (soccer.Pose, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tile := range s.core.Wall().Tiles {
		if tile.Number != number {
			continue
		}
		for _, f := range tile.Belief.Robots {
			if f.Self && f.Facing {
				return f.Pose, true
			}
		}
	}
	return soccer.Pose{}, false
}

// arrived gives a picture of a robot to its calibration, where that collects them.
func (t *teamNodes) arrived(robot uint8) {
	m, now := t.manage, t.station.Now()
	if !m.room.Collecting(robot) {
		return
	}
	shot, ok := m.pictures.Shot(robot)
	if !ok {
		return
	}
	page, values := m.room.Arrived(now, robot, m.desk.View(robot, now), shot)
	if err := t.setAll(robot, page, values); err != nil {
		t.session.log.Warn("a robot's head cannot be turned for its calibration", "robot", robot, "err", err)
	}
}

// setAll asks for values of a robot's parameters as a page does.
func (t *teamNodes) setAll(robot uint8, page uint32, values []manager.Value) error {
	if len(values) == 0 {
		return nil
	}
	set, err := json.Marshal(map[string]any{"robot": robot, "page": page, "values": values})
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	return t.manage.desk.Command(t.station.Now(), "robot-set-all", set, managernet.Send(t.station))
}
