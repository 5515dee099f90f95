package matchnet

import (
	"context"
	"fmt"
	"sync"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/wire/team"
)

// agent lets managers see and control a robot whose software runs in the session.
type agent struct {
	*robotnet.Agent
	camera   camera.Camera
	software *robot.Robot // its methods require the session's lock
	driven   bool         // by an operator or a state machine; of the session's loop
	motor    team.Motor   // the newest command; of the session's loop
	observed soccer.Time  // the newest picture of its checks; of the session's loop
}

// openWorkstation opens the manager of the session's team, at its station.
func (t *teamNodes) openWorkstation() {
	s := t.session
	t.venue = sync.OnceValue(func() *camera.Venue { return camera.MSLVenue(s.cfg.Match.Field, s.cfg.Match.Seed) })
	t.drawn = map[uint8]*managernet.Drawn{}
	for _, p := range match.Participants() {
		t.drawn[p.Number] = managernet.NewDrawn(p.Optics(), t.venue)
	}
	t.workstation = managernet.NewWorkstation(t.station, managernet.WorkstationConfig{
		Field: s.cfg.Match.Field, Self: s.believed, Course: &t.helper.course, Truth: t.truth, Profiles: s.cfg.Profiles,
		Picture: s.cfg.Picture, Log: s.log,
	})
	t.running.Go(func() { t.workstation.Run(t.ctx) })
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
func (s *Session) knownOfCamera(number uint8) match.Known {
	if s.tcm == nil || s.tcm.robots[number] == nil {
		return match.Known{Params: camera.DefaultParams()}
	}
	var view camera.View
	params := s.tcm.robots[number].agent.View(&view)
	return match.Known{Params: params, Camera: view.Camera, Table: view.Table}
}

// inBackground draws a picture in a goroutine, so that no package waits for it.
func inBackground(work func()) (wait func()) {
	var done sync.WaitGroup
	done.Go(work)
	return done.Wait
}

// startAgent lets managers see and control a robot until ctx ends.
func (t *teamNodes) startAgent(ctx context.Context, number uint8, r *robot.Robot, n *node) error {
	n.agent = &agent{software: r, camera: cameraOf(number)}
	var err error
	n.agent.Agent, err = robotnet.NewAgent(managernet.Seed(), n.agent.camera, t.session.cfg.Match.Field)
	if err != nil {
		return fmt.Errorf("match: %w", err)
	}
	t.running.Go(func() { managernet.Manage(ctx, n, n.agent.Robot) })
	t.running.Go(func() { t.film(ctx, number, n) })
	return nil
}

// film sends the pictures of a robot's camera while somebody looks: those that it draws, or those of Config.PictureFolder.
func (t *teamNodes) film(ctx context.Context, number uint8, n *node) {
	h, s := n.agent, t.session
	cfg := camera.DefaultConfig()
	cfg.Field = s.cfg.Match.Field
	know := func(view *camera.View) camera.Params {
		s.mu.Lock()
		view.Self = h.software.SelfAt(s.core.Now())
		s.mu.Unlock()
		return h.View(view)
	}
	rate, take := h.camera.Rate, managernet.Draw(h.camera, t.venue, s.cfg.Match.Seed+uint64(number),
		func(scene *camera.Scene) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.core.Scene(number, scene)
		}, know, t.drawn[number].Keep)
	if s.cfg.PictureFolder != nil {
		rate, take = s.cfg.PictureFolder.Rate, managernet.Play(s.cfg.PictureFolder, s.log, know)
	}
	managernet.SendPictures(ctx, n, h.Robot, managernet.NewCameraView(h.camera, cfg), rate, take)
}

// drive executes the commands of operators, and of state machines that they sent. It requires s.mu.
func (t *teamNodes) drive() {
	for number, n := range t.robots {
		h, now := n.agent, n.Now()
		h.Step(now, h.software)
		t.observe(number, n)
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
	t.help()
}

// RecordPictures asks all robots for pictures, which go to Config.Picture, until ctx ends. rate says how many a
// second, 0 for none; it is asked five times a second.
func (s *Session) RecordPictures(ctx context.Context, rate func() uint8) {
	if s.tcm == nil || s.cfg.Picture == nil {
		return
	}
	var robots []uint8
	for _, p := range match.Participants() {
		robots = append(robots, p.Number)
	}
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		s.tcm.workstation.Record(rate(), robots...)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Managed returns a topic of a robot's page, or nil: those of managernet.Workstation.
func (s *Session) Managed(topic string) any {
	if s.tcm == nil {
		return nil
	}
	return s.tcm.workstation.Topic(topic)
}

// truth returns what the picture of a robot that was drawn at a time shows, row by row, and its width; nil: none was.
func (t *teamNodes) truth(robot uint8, captured soccer.Time) ([]camera.Thing, int) {
	if drawn := t.drawn[robot]; drawn != nil {
		return drawn.Things(captured)
	}
	return nil, 0
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
