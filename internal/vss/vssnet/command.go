package vssnet

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"touchline/internal/control"
	"touchline/internal/vss"
	"touchline/soccer"
)

// Commands returns the commands of the page and of curl, which may come on any goroutine. Units are SI, places are in the field frame:
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
// Unknown keys are errors. pause and speed take the keys of the pages of other programs, too (package control).
func (s *Server) Commands() control.Table {
	return control.Table{
		"pause":   control.Handle(s.pause),
		"step":    control.Handle(s.stepTicks),
		"speed":   control.Handle(s.changeSpeed),
		"reset":   control.Handle(func(struct{}) error { return s.reset() }),
		"ball":    control.Handle(s.placeBall),
		"robot":   control.Handle(s.placeRobot),
		"switch":  control.Handle(s.switchRobot),
		"referee": control.Handle(s.commandReferee),
		"save":    control.Handle(func(b slot) error { return s.save(b.Slot) }),
		"restore": control.Handle(func(b slot) error { return s.restore(b.Slot) }),
	}.Around(func(r control.Request, do func() (any, error)) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		_, err := do()
		if err == nil && (s.paused || s.step.on) && slices.Contains(placing, r.Name) {
			s.applyPlacements()
		}
		s.wakeLoop()
		return nil, err
	})
}

// placing are the commands that change the field.
var placing = []string{"reset", "ball", "robot", "switch"}

// applyPlacements applies placements at once and has vision sent, while the simulation is paused or waits.
func (s *Server) applyPlacements() {
	s.session.ApplyPlacements()
	s.placed = true
}

func (s *Server) pause(p control.Pause) (err error) {
	paused, err := p.Value()
	if err == nil {
		s.paused, s.steps, s.due = paused, 0, time.Now()
	}
	return err
}

// maxSteps bounds the ticks of one command: about half an hour.
const maxSteps = 100_000

// steps is the body of the command step.
type steps struct {
	Ticks *int `json:"ticks"` // null: 1
}

func (s *Server) stepTicks(b steps) error {
	ticks := 1
	if b.Ticks != nil {
		ticks = *b.Ticks
	}
	if ticks < 1 || ticks > maxSteps {
		return fmt.Errorf("step: got %d ticks, want 1 to %d", ticks, maxSteps)
	}
	if !s.paused || s.steps == 0 {
		s.due = time.Now()
	}
	s.paused, s.steps = true, min(s.steps+ticks, maxSteps)
	return nil
}

func (s *Server) changeSpeed(b control.Speed) error {
	factor, err := b.Value()
	if err != nil {
		return err
	}
	return s.setSpeed(factor, time.Now())
}

// ballPlace is the body of the command ball.
type ballPlace struct {
	X  *float64 `json:"x"`
	Y  *float64 `json:"y"`
	VX float64  `json:"vx"`
	VY float64  `json:"vy"`
}

func (s *Server) placeBall(b ballPlace) error {
	if b.X == nil || b.Y == nil {
		return errors.New(`ball: give "x" and "y" in m`)
	}
	return s.session.PlaceBall(soccer.Vec{X: *b.X, Y: *b.Y}, soccer.Vec{X: b.VX, Y: b.VY})
}

// robotPlace is the body of the command robot.
type robotPlace struct {
	Team  string   `json:"team"`
	ID    *uint32  `json:"id"`
	X     *float64 `json:"x"`
	Y     *float64 `json:"y"`
	Theta float64  `json:"theta"`
}

func (s *Server) placeRobot(b robotPlace) error {
	yellow, err := isYellow(b.Team)
	if err != nil {
		return fmt.Errorf("robot: %w", err)
	}
	if b.ID == nil || b.X == nil || b.Y == nil {
		return errors.New(`robot: give "id", and "x" and "y" in m`)
	}
	return s.session.PlaceRobot(yellow, *b.ID, soccer.Pose{X: *b.X, Y: *b.Y, Theta: b.Theta})
}

// robotSwitch is the body of the command switch.
type robotSwitch struct {
	Team string  `json:"team"`
	ID   *uint32 `json:"id"`
	On   *bool   `json:"on"`
}

func (s *Server) switchRobot(b robotSwitch) error {
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

// refereeCommand is the body of the command referee.
type refereeCommand struct {
	Command string `json:"command"`
}

func (s *Server) commandReferee(b refereeCommand) error {
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
