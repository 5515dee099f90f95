package matchnet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"touchline/camera"
	"touchline/camera/percept"
	"touchline/manager"
	"touchline/manager/agent"
	"touchline/manager/calibration"
	"touchline/manager/film"
	"touchline/manager/managernet"
	"touchline/manager/profile"
	"touchline/match"
	"touchline/match/eyes"
	"touchline/robot"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/team"
)

// manage is the manager of the session's team, at its station.
type manage struct {
	desk     *manager.Desk
	pictures managernet.Pictures
	room     calibration.Room
	hall     func() *camera.Hall // built when somebody looks
}

// hosted is a robot whose software runs in the session, with the manager's agent.
type hosted struct {
	*agent.Agent
	camera   camera.Camera
	software *robot.Robot // its methods require the session's lock
	driven   bool         // by an operator or a state machine; of the session's loop
	motor    team.Motor   // the newest command; of the session's loop
	observed soccer.Time  // the newest picture of its checks; of the session's loop
	drawn    managernet.Drawn
}

// openManager opens the manager at the station.
func (t *teamNodes) openManager() {
	s := t.session
	t.manage = &manage{
		desk: manager.New(manager.Config{
			Computer: t.station.Self().ID, Seed: managernet.Seed(), Start: t.station.Now(), Changed: func(c manager.Change) {
				s.log.Info("a robot's operator", "robot", c.Robot, "operator", c.Operator, "change", c.What, "from", c.From,
					"asked", c.Asked, "to", c.To, "result", c.Result, "why", c.Text)
			},
		}),
		hall: sync.OnceValue(func() *camera.Hall { return camera.MSLHall(s.cfg.Match.Field, s.cfg.Match.Seed) }),
	}
	t.manage.pictures.Recorded = s.cfg.Picture
	t.manage.pictures.Arrived = t.arrived
	t.manage.pictures.Receive(t.station)
	t.running.Go(func() { managernet.Serve(t.ctx, t.station, t.manage.desk) })
}

// cameraOf returns the camera of a participant.
func cameraOf(number uint8) camera.Camera {
	for _, p := range match.Participants() {
		if p.Number == number {
			return p.Optics()
		}
	}
	return camera.Perspective()
}

// knownOfCamera returns what operators set at the camera of a robot, of the session's loop.
func (s *Session) knownOfCamera(number uint8) eyes.Known {
	if s.tcm == nil || s.tcm.robots[number] == nil {
		return eyes.Known{Params: camera.DefaultParams()}
	}
	var view percept.View
	params := s.tcm.robots[number].hosted.View(&view)
	return eyes.Known{Params: params, Camera: view.Camera, Table: view.Table}
}

// beside draws a picture in a goroutine, so that no package waits for it.
func beside(work func()) (wait func()) {
	var done sync.WaitGroup
	done.Go(work)
	return done.Wait
}

// startAgent lets managers see and control a robot until ctx ends.
func (t *teamNodes) startAgent(ctx context.Context, number uint8, r *robot.Robot, n *node) error {
	n.hosted = &hosted{software: r, camera: cameraOf(number)}
	var err error
	n.hosted.Agent, err = agent.New(agent.Config{
		Seed: managernet.Seed(), Camera: n.hosted.camera, Field: t.session.cfg.Match.Field,
		PlaceBall: func(at soccer.Vec) { // observe has the session's lock
			_ = t.session.core.PlaceBall(at) // where there is no room, it is asked again
		},
	})
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	t.running.Go(func() { managernet.Manage(ctx, n, n.hosted.Robot) })
	t.running.Go(func() { t.film(ctx, number, n) })
	return nil
}

// film sends the pictures of a robot's camera while somebody looks: those that it draws, or those of Config.Reel.
func (t *teamNodes) film(ctx context.Context, number uint8, n *node) {
	h, s := n.hosted, t.session
	cfg := percept.DefaultConfig()
	cfg.Field = s.cfg.Match.Field
	know := func(view *percept.View) camera.Params {
		s.mu.Lock()
		view.Self = h.software.SelfAt(s.core.Now())
		s.mu.Unlock()
		return h.View(view)
	}
	rate, take := h.camera.Rate, managernet.Draw(h.camera, t.manage.hall, s.cfg.Match.Seed+uint64(number),
		func(scene *camera.Scene) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.core.Scene(number, scene)
		}, know, &h.drawn)
	if s.cfg.Reel != nil {
		rate, take = s.cfg.Reel.Rate, managernet.Play(s.cfg.Reel, s.log, know)
	}
	managernet.Film(ctx, n, h.Robot, film.New(h.camera, cfg), rate, take)
}

// drive executes the commands of operators, and of state machines that they sent. It requires s.mu.
func (t *teamNodes) drive() {
	checks := false // that run
	for number, n := range t.robots {
		h, now := n.hosted, n.Now()
		h.Step(now, h.software)
		t.observe(number, n)
		checks = checks || h.Checks()
		command, driven := h.Motor(now)
		if running, _, _ := h.software.Machines(); !driven && running != 0 {
			command, driven = h.software.Motor(t.session.core.Now()), true
		}
		switch {
		case driven:
			h.motor.SetCommand(&command)
			h.motor.Sequence++
			t.session.core.Drive(number, &h.motor)
		case h.driven:
			t.session.core.Release(number)
		}
		h.driven = driven
	}
	t.session.core.Quiet(checks)
}

// RecordPictures asks all robots for pictures and passes them to Config.Picture, until ctx ends. rate says how many a
// second, 0 for none; it is asked five times a second.
func (s *Session) RecordPictures(ctx context.Context, rate func() uint8) {
	if s.tcm == nil || s.cfg.Picture == nil {
		return
	}
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		now := rate()
		for _, p := range match.Participants() {
			s.tcm.manage.desk.Record(now, p.Number)
		}
		s.tcm.manage.pictures.Record(now)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// manageRobot executes a command about a robot.
func (s *Session) manageRobot(name string, body json.RawMessage) (any, error) {
	if s.tcm == nil {
		return nil, fmt.Errorf("match: %.40s: robots are managed over the TCM: start the session without --no-tcm", name)
	}
	t := s.tcm
	switch name {
	case manager.SaveProfile, manager.LoadProfile:
		return nil, t.profile(name == manager.SaveProfile, name, body)
	case manager.CheckMachine:
		return t.manage.desk.Check(body)
	}
	if calibration.Known(name) {
		return nil, t.calibrate(name, body)
	}
	return nil, t.manage.desk.Command(t.station.Now(), name, body, managernet.Send(t.station))
}

// profile saves a robot's parameters and its colour table, or sets them to those of a profile.
func (t *teamNodes) profile(save bool, command string, body json.RawMessage) error {
	var of struct {
		Robot uint8  `json:"robot"`
		Page  uint32 `json:"page"`
		Name  string `json:"name"`
	}
	if err := wire.DecodeJSON(body, command, &of); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	view := t.manage.desk.View(of.Robot, t.station.Now())
	if view == nil || len(view.Parameters) == 0 {
		return fmt.Errorf("match: robot %d has declared no parameters", of.Robot)
	}
	shelf, runs := profile.Shelf{Dir: t.session.cfg.Profiles}, t.manage.desk.Colors(of.Robot)
	if save {
		return shelf.Save(of.Name, profile.Of(view), runs)
	}
	p, err := shelf.Load(of.Name)
	if err != nil {
		return err
	}
	colors, err := shelf.Colors(of.Name)
	if err != nil {
		return err
	}
	if colors != nil && !bytes.Equal(colors, runs) {
		if err := t.manage.desk.SendFile(of.Robot, of.Page, manager.ColorsFile, colors); err != nil {
			return err
		}
	}
	changes, _ := p.Compare(view)
	values := make([]manager.Value, 0, len(changes))
	for _, c := range changes {
		values = append(values, manager.Value{Name: c.Name, Value: c.Want})
	}
	return t.setAll(of.Robot, of.Page, values)
}

// Managed returns the topics "robot/ID", "drive/ID", "checks/ID", "machine/ID", "calibration/ID",
// "picture/ID" and "profiles/ID", or nil.
func (s *Session) Managed(topic string) any {
	kind, id, _ := strings.Cut(topic, "/")
	number, err := strconv.ParseUint(id, 10, 8)
	if err != nil || s.tcm == nil {
		return nil
	}
	now, m := s.tcm.station.Now(), s.tcm.manage
	switch kind {
	case "robot":
		if v := m.desk.View(uint8(number), now); v != nil {
			return v
		}
	case "drive":
		if v := m.desk.DriveView(uint8(number)); v != nil {
			return v
		}
	case "checks":
		if v := m.desk.CheckView(uint8(number)); v != nil {
			return v
		}
	case "machine":
		if v := m.desk.SheetView(uint8(number)); v != nil {
			return v
		}
	case "profiles":
		if v := m.desk.View(uint8(number), now); v != nil {
			return profile.Shelf{Dir: s.cfg.Profiles}.Rows(v, m.desk.Colors(v.Robot))
		}
	case "calibration":
		if v := m.room.View(uint8(number), now); v != nil {
			m.room.Compare(v, m.desk.Colors(v.Robot))
			return v
		}
	case "picture":
		if v := m.pictures.View(uint8(number), now); v != nil {
			return v
		}
	}
	return nil
}

// Periods of the topics of Managed.
const (
	ManagedPeriod = 100 * time.Millisecond
	DrivePeriod   = 20 * time.Millisecond
	ChecksPeriod  = 200 * time.Millisecond
	MachinePeriod = 500 * time.Millisecond
	ProfilePeriod = time.Second

	CalibrationPeriod = 200 * time.Millisecond
	PicturePeriod     = 10 * time.Millisecond // at most one a picture
)
