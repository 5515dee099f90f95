package vss

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"touchline/soccer"
)

// Command carries out what the page or somebody with curl asks for, in SI units and the field frame:
//
//	pause    {"on":true}
//	step     {"ticks":1}                                         1 to 100000; what runs is paused first
//	speed    {"x":2}                                             0: as fast as it goes
//	reset    {}                                                  start positions, goals 0, a new match
//	ball     {"x":0.1,"y":0,"vx":0,"vy":0}                       velocities may be left out
//	robot    {"team":"blue","id":0,"x":0.1,"y":0,"theta":0}      rad; theta may be left out. It is switched on
//	switch   {"team":"blue","id":0,"on":false}
//	referee  {"command":"kickoff blue"}                          see Referee.Do; "resume" takes the match back from another referee
//
// All else in a body is an error. It may be called from any goroutine.
func (l *Live) Command(_ context.Context, name string, body json.RawMessage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.do(name, body)
	if err == nil && (l.paused || l.step.on) && slices.Contains(placing, name) {
		l.settle()
	}
	l.poke()
	return err
}

// placing are the commands that change the field.
var placing = []string{"reset", "ball", "robot", "switch"}

// settle lets what was placed work at once and has it shown, where time stands still.
func (l *Live) settle() {
	l.session.Settle()
	l.stale = true
}

// commands are the names that do knows.
const commands = "pause, step, speed, reset, ball, robot, switch and referee"

func (l *Live) do(name string, body json.RawMessage) error {
	switch name {
	case "pause":
		return l.doPause(body)
	case "step":
		return l.doStep(body)
	case "speed":
		var b struct{ X *float64 }
		if err := strict(body, &b); err != nil {
			return err
		}
		if b.X == nil {
			return missing("x")
		}
		return l.setSpeed(*b.X, time.Now())
	case "reset":
		if err := strict(body, &struct{}{}); err != nil {
			return err
		}
		return l.reset()
	case "ball":
		return l.doBall(body)
	case "robot":
		return l.doRobot(body)
	case "switch":
		return l.doSwitch(body)
	case "referee":
		return l.doReferee(body)
	}
	return fmt.Errorf("vss: there is no command %.40q; there are %s", name, commands)
}

// strict reads a JSON object that holds nothing else than v has.
func strict(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("null")) {
		return errors.New("vss: want a JSON object, not null")
	}
	err := d.Decode(v)
	if err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.New("something comes after the JSON object")
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return wrongType(wrong)
	}
	return fmt.Errorf("vss: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// wrongType says in plain words that a value is of another type.
func wrongType(e *json.UnmarshalTypeError) error {
	want := map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.String: "text", reflect.Float64: "a number up to 1e308",
		reflect.Int: "a whole number", reflect.Uint32: "a whole number from 0 on",
	}[e.Type.Kind()]
	if e.Field == "" || want == "" {
		return errors.New("vss: want a JSON object in braces")
	}
	return fmt.Errorf("vss: %q: want %s", strings.ToLower(e.Field), want)
}

func missing(field string) error { return fmt.Errorf("vss: give %s", field) }

func (l *Live) doPause(body []byte) error {
	var b struct{ On *bool }
	if err := strict(body, &b); err != nil {
		return err
	}
	if b.On == nil {
		return missing("on")
	}
	l.paused, l.steps, l.due = *b.On, 0, time.Now()
	return nil
}

// maxSteps bounds what one command lets pass: half an hour.
const maxSteps = 100_000

func (l *Live) doStep(body []byte) error {
	b := struct{ Ticks int }{1}
	if err := strict(body, &b); err != nil {
		return err
	}
	if b.Ticks < 1 || b.Ticks > maxSteps {
		return fmt.Errorf("vss: %d ticks: give 1 to %d", b.Ticks, maxSteps)
	}
	if !l.paused || l.steps == 0 {
		l.due = time.Now()
	}
	l.paused, l.steps = true, min(l.steps+b.Ticks, maxSteps)
	return nil
}

func (l *Live) doBall(body []byte) error {
	var b struct {
		X, Y   *float64
		VX, VY float64
	}
	if err := strict(body, &b); err != nil {
		return err
	}
	if b.X == nil || b.Y == nil {
		return missing("x and y")
	}
	return l.session.PlaceBall(soccer.Vec{X: *b.X, Y: *b.Y}, soccer.Vec{X: b.VX, Y: b.VY})
}

func (l *Live) doRobot(body []byte) error {
	var b struct {
		Team  string
		ID    *uint32
		X, Y  *float64
		Theta float64
	}
	if err := strict(body, &b); err != nil {
		return err
	}
	yellow, err := teamOf(b.Team)
	switch {
	case err != nil:
		return err
	case b.ID == nil:
		return missing("id")
	case b.X == nil || b.Y == nil:
		return missing("x and y")
	}
	return l.session.PlaceRobot(yellow, *b.ID, soccer.Pose{X: *b.X, Y: *b.Y, Theta: b.Theta})
}

func (l *Live) doSwitch(body []byte) error {
	var b struct {
		Team string
		ID   *uint32
		On   *bool
	}
	if err := strict(body, &b); err != nil {
		return err
	}
	yellow, err := teamOf(b.Team)
	switch {
	case err != nil:
		return err
	case b.ID == nil:
		return missing("id")
	case b.On == nil:
		return missing("on")
	}
	return l.session.Switch(yellow, *b.ID, *b.On)
}

func teamOf(name string) (yellow bool, err error) {
	switch name {
	case teams[0]:
		return false, nil
	case teams[1]:
		return true, nil
	}
	return false, fmt.Errorf("vss: team %.40q: say blue or yellow", name)
}

func (l *Live) doReferee(body []byte) error {
	var b struct{ Command string }
	if err := strict(body, &b); err != nil {
		return err
	}
	switch o := &l.referee; {
	case o.own == nil:
		return errors.New("vss: there is no built-in referee; start with --referee")
	case strings.EqualFold(strings.TrimSpace(b.Command), "resume"):
		if !o.foreign.IsValid() {
			return errors.New("vss: the built-in referee has the match already")
		}
		o.foreign = netip.AddrPort{}
		l.session.mark("referee", "the built-in referee has the match again")
		return nil
	case o.foreign.IsValid():
		return fmt.Errorf("vss: the referee at %s has the match; the command resume takes it back, and so does reset", o.foreign)
	}
	return l.referee.own.Do(b.Command)
}
