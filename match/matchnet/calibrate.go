package matchnet

import (
	"encoding/json"
	"fmt"

	"touchline/camera"
	"touchline/manager"
	"touchline/manager/calibration"
	"touchline/manager/managernet"
	"touchline/soccer"
)

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
		Self:  func() (soccer.Pose, bool) { return t.session.believed(of.Robot) },
		Truth: func(captured soccer.Time) ([]camera.Thing, int) { return t.truth(of.Robot, captured) },
	})
	if err != nil {
		return err
	}
	if name == "robot-hold" { // to compare the edited table with. It fails where another file is on its way
		fetch := fmt.Appendf(nil, `{"robot": %d, "page": %d, "file": %q}`, of.Robot, of.Page, manager.ColorsFile)
		_ = t.manage.desk.Command(t.station.Now(), "robot-fetch", fetch, managernet.Send(t.station))
	}
	if len(asked.Colors) > 0 {
		return t.manage.desk.SendFile(of.Robot, of.Page, manager.ColorsFile, asked.Colors)
	}
	return t.setAll(of.Robot, of.Page, asked.Values)
}

// truth returns what the picture of a robot that was drawn at a time shows, row by row, and its width; nil: none was.
func (t *teamNodes) truth(robot uint8, captured soccer.Time) ([]camera.Thing, int) {
	t.session.mu.Lock()
	n := t.robots[robot]
	t.session.mu.Unlock()
	if n == nil || n.hosted == nil {
		return nil, 0
	}
	return n.hosted.drawn.Things(captured)
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
	page, values := m.room.Arrived(now, robot, m.desk.View(robot, now), shot, func() (soccer.Pose, bool) {
		return t.session.believed(robot)
	})
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
