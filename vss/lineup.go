package vss

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"touchline/sim"
	"touchline/soccer"
)

// ParseLineup reads a start for 3 or 5 robots a team from JSON, in m, rad and the field frame:
//
//	{"ball":   {"x": 0, "y": 0, "vx": 0, "vy": 0},
//	 "blue":   [{"id": 0, "x": -0.6, "y": 0, "theta": 0}, {"id": 2, "on": false}],
//	 "yellow": []}
//
// What is missing starts as FIRASim has it, robots and numbers; with "on": false a robot is not on the field. Errors name
// the line.
func ParseLineup(b []byte, robots int) (*Lineup, error) {
	cfg := Config{Robots: robots}
	field := cfg.field()
	p := lineupParser{b, json.NewDecoder(bytes.NewReader(b)), field, sim.New(sim.VSS(field, sim.FIRASim()))}
	l := DefaultLineup(robots)
	err := p.object(func(key string) error {
		switch key {
		case "ball":
			return p.ball(l)
		case "blue":
			return p.team(key, l.Blue)
		case "yellow":
			return p.team(key, l.Yellow)
		}
		return unknownKey(key, "ball, blue and yellow")
	})
	if err == nil {
		if _, end := p.d.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("something comes after the end")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("vss: placement, line %d: %w", 1+bytes.Count(b[:p.d.InputOffset()], []byte("\n")), err)
	}
	return l, nil
}

// lineupParser walks over JSON token by token, so that an error knows its line.
type lineupParser struct {
	b      []byte
	d      *json.Decoder
	field  soccer.Field
	engine *sim.Engine // knows where things may be
}

// token returns the next token; the end of the file is an error.
func (p *lineupParser) token() (json.Token, error) {
	t, err := p.d.Token()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file ends too early")
	}
	if large, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil, fmt.Errorf("%s is too large", large.Value)
	}
	return t, err
}

// object reads an object; field reads the value of each key.
func (p *lineupParser) object(field func(key string) error) error {
	t, err := p.token()
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return fmt.Errorf("want an object in braces, not %v", t)
	}
	for p.d.More() {
		key, err := p.token()
		if err != nil {
			return err
		}
		if err := field(key.(string)); err != nil { // an object's keys are strings
			return err
		}
	}
	_, err = p.token()
	return err
}

func unknownKey(key, known string) error {
	return fmt.Errorf("there is no %q here; there are %s", key, known)
}

func (p *lineupParser) number(key string, to *float64) error {
	t, err := p.token()
	if err != nil {
		return err
	}
	n, ok := t.(float64)
	if !ok {
		return fmt.Errorf("%s: want a number, not %v", key, t)
	}
	*to = n
	return nil
}

func (p *lineupParser) ball(l *Lineup) error {
	to := map[string]*float64{"x": &l.Ball.X, "y": &l.Ball.Y, "vx": &l.BallVelocity.X, "vy": &l.BallVelocity.Y}
	err := p.object(func(key string) error {
		at, ok := to[key]
		if !ok {
			return unknownKey(key, "x, y, vx and vy")
		}
		return p.number(key, at)
	})
	if err != nil {
		return err
	}
	return l.putBall(p.engine, 0)
}

// team reads the robots of a team.
func (p *lineupParser) team(name string, to []Stand) error {
	t, err := p.token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return fmt.Errorf("want a list of robots in brackets, not %v", t)
	}
	named := make([]bool, len(to))
	for p.d.More() {
		if err := p.robot(name, to, named); err != nil {
			return err
		}
	}
	_, err = p.token()
	return err
}

// robot reads one robot. named says which had their turn.
func (p *lineupParser) robot(team string, to []Stand, named []bool) error {
	id, off := -1.0, false
	var given [3]*float64 // x, y, theta: the id may come after them
	err := p.object(func(key string) error {
		switch i := slices.Index([]string{"x", "y", "theta"}, key); {
		case i >= 0:
			given[i] = new(float64)
			return p.number(key, given[i])
		case key == "id":
			return p.number(key, &id)
		case key == "on":
			return p.off(&off)
		}
		return unknownKey(key, "id, x, y, theta and on")
	})
	if err != nil {
		return err
	}
	if id < 0 || id >= float64(len(to)) || id != float64(int(id)) {
		return fmt.Errorf("a robot's id: want 0 to %d", len(to)-1)
	}
	s := &to[int(id)]
	for i, at := range []*float64{&s.Pose.X, &s.Pose.Y, &s.Pose.Theta} {
		if given[i] != nil {
			*at = *given[i]
		}
	}
	switch s.Off = off; {
	case named[int(id)]:
		return fmt.Errorf("%s %d stands there twice", team, int(id))
	case !p.engine.Inside(s.Pose.XY()):
		return fmt.Errorf("%s %d: %w", team, int(id), outOfField(&p.field, s.Pose.XY()))
	}
	named[int(id)] = true
	return nil
}

func (p *lineupParser) off(to *bool) error {
	t, err := p.token()
	if err != nil {
		return err
	}
	on, ok := t.(bool)
	if !ok {
		return fmt.Errorf("on: want true or false, not %v", t)
	}
	*to = !on
	return nil
}
