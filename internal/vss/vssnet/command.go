package vssnet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire"
)

// Command runs a command of the page or of curl. Units are SI, places are in the field frame:
//
//	pause    {"on":true}
//	step     {"ticks":1}                                         1 to 100000; pauses a running simulation first
//	speed    {"x":2}                                             times real time; 0: as fast as possible
//	reset    {}                                                  start positions, goals 0, a new match
//	ball     {"x":0.1,"y":0,"vx":0,"vy":0}                       velocities are optional
//	robot    {"team":"blue","id":0,"x":0.1,"y":0,"theta":0}      rad, optional; switches the robot on
//	switch   {"team":"blue","id":0,"on":false}
//	referee  {"command":"kickoff blue"}                          see vss.Referee.Do; "resume" takes the match back from another referee
//	save     {"slot":"a"}                                        keeps the state until the program ends; up to 64 slots
//	restore  {"slot":"a"}                                        brings it back; simulated time goes back with it
//
// Unknown keys are errors. Command may be called from any goroutine.
func (s *Server) Command(_ context.Context, name string, body json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.runCommand(name, body)
	if err == nil && (s.paused || s.step.on) && slices.Contains(placing, name) {
		s.applyPlacements()
	}
	s.wakeLoop()
	return err
}

// placing are the commands that change the field.
var placing = []string{"reset", "ball", "robot", "switch"}

// applyPlacements applies placements at once and has vision sent, while the simulation is paused or waits.
func (s *Server) applyPlacements() {
	s.session.ApplyPlacements()
	s.placed = true
}

func (s *Server) runCommand(name string, body []byte) error {
	switch name {
	case "pause":
		return s.pause(body)
	case "step":
		return s.stepTicks(body)
	case "speed":
		return s.changeSpeed(body)
	case "reset":
		if err := wire.DecodeJSON(body, name, &struct{}{}); err != nil {
			return err
		}
		return s.reset()
	case "ball":
		return s.placeBall(body)
	case "robot":
		return s.placeRobot(body)
	case "switch":
		return s.switchRobot(body)
	case "referee":
		return s.commandReferee(body)
	case "save", "restore":
		return s.saveOrRestore(name, body)
	}
	return fmt.Errorf("unknown command %.40q; the commands are pause, step, speed, reset, ball, robot, switch, referee, save and restore", name)
}

func (s *Server) pause(body []byte) error {
	var b struct {
		On *bool `json:"on"`
	}
	if err := wire.DecodeJSON(body, "pause", &b); err != nil {
		return err
	}
	if b.On == nil {
		return errors.New(`pause: give "on": true or false`)
	}
	s.paused, s.steps, s.due = *b.On, 0, time.Now()
	return nil
}

// maxSteps bounds the ticks of one command: about half an hour.
const maxSteps = 100_000

func (s *Server) stepTicks(body []byte) error {
	b := struct {
		Ticks int `json:"ticks"`
	}{1}
	if err := wire.DecodeJSON(body, "step", &b); err != nil {
		return err
	}
	if b.Ticks < 1 || b.Ticks > maxSteps {
		return fmt.Errorf("step: got %d ticks, want 1 to %d", b.Ticks, maxSteps)
	}
	if !s.paused || s.steps == 0 {
		s.due = time.Now()
	}
	s.paused, s.steps = true, min(s.steps+b.Ticks, maxSteps)
	return nil
}

func (s *Server) changeSpeed(body []byte) error {
	var b struct {
		X *float64 `json:"x"`
	}
	if err := wire.DecodeJSON(body, "speed", &b); err != nil {
		return err
	}
	if b.X == nil {
		return errors.New(`speed: give "x", times real time, or 0 for as fast as possible`)
	}
	return s.setSpeed(*b.X, time.Now())
}

func (s *Server) placeBall(body []byte) error {
	var b struct {
		X  *float64 `json:"x"`
		Y  *float64 `json:"y"`
		VX float64  `json:"vx"`
		VY float64  `json:"vy"`
	}
	if err := wire.DecodeJSON(body, "ball", &b); err != nil {
		return err
	}
	if b.X == nil || b.Y == nil {
		return errors.New(`ball: give "x" and "y" in m`)
	}
	return s.session.PlaceBall(soccer.Vec{X: *b.X, Y: *b.Y}, soccer.Vec{X: b.VX, Y: b.VY})
}

func (s *Server) placeRobot(body []byte) error {
	var b struct {
		Team  string   `json:"team"`
		ID    *uint32  `json:"id"`
		X     *float64 `json:"x"`
		Y     *float64 `json:"y"`
		Theta float64  `json:"theta"`
	}
	if err := wire.DecodeJSON(body, "robot", &b); err != nil {
		return err
	}
	yellow, err := isYellow(b.Team)
	if err != nil {
		return fmt.Errorf("robot: %w", err)
	}
	if b.ID == nil || b.X == nil || b.Y == nil {
		return errors.New(`robot: give "id", and "x" and "y" in m`)
	}
	return s.session.PlaceRobot(yellow, *b.ID, soccer.Pose{X: *b.X, Y: *b.Y, Theta: b.Theta})
}

func (s *Server) switchRobot(body []byte) error {
	var b struct {
		Team string  `json:"team"`
		ID   *uint32 `json:"id"`
		On   *bool   `json:"on"`
	}
	if err := wire.DecodeJSON(body, "switch", &b); err != nil {
		return err
	}
	yellow, err := isYellow(b.Team)
	if err != nil {
		return fmt.Errorf("switch: %w", err)
	}
	if b.ID == nil || b.On == nil {
		return errors.New(`switch: give "id", and "on": true or false`)
	}
	return s.session.Switch(yellow, *b.ID, *b.On)
}

func isYellow(team string) (bool, error) {
	switch team {
	case vss.Teams[0]:
		return false, nil
	case vss.Teams[1]:
		return true, nil
	}
	return false, fmt.Errorf(`got team %.40q, want "blue" or "yellow"`, team)
}

func (s *Server) commandReferee(body []byte) error {
	var b struct {
		Command string `json:"command"`
	}
	if err := wire.DecodeJSON(body, "referee", &b); err != nil {
		return err
	}
	switch r := &s.referee; {
	case r.own == nil:
		return errors.New("referee: there is no built-in referee; start the simulator with --referee")
	case strings.EqualFold(strings.TrimSpace(b.Command), "resume"):
		if !r.other.IsValid() {
			return errors.New("referee: the built-in referee has the match already")
		}
		r.other = netip.AddrPort{}
		s.session.Mark("referee", "the built-in referee has the match again")
		return nil
	case r.other.IsValid():
		return fmt.Errorf("referee: the referee at %s has the match; the command resume takes it back, and so does reset", r.other)
	}
	return s.referee.own.Do(b.Command)
}
