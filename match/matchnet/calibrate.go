package matchnet

import (
	"encoding/json"
	"fmt"

	"touchline/manager"
	"touchline/manager/calibration"
	"touchline/manager/managernet"
)

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
	values, err := t.manage.room.Command(calibration.Call{
		Name: name, Body: body, View: t.manage.desk.View(of.Robot, t.station.Now()),
		Shot: func() (*calibration.Shot, bool) { return t.manage.pictures.Shot(of.Robot) },
	})
	if err != nil {
		return err
	}
	return t.setAll(of.Robot, of.Page, values)
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
