package vss

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"touchline/soccer"
)

// ParseLineup reads a start for 3 or 5 robots a team from JSON, in m, rad and the field frame:
//
//	{"ball":   {"x": 0, "y": 0, "vx": 0, "vy": 0},
//	 "blue":   [{"id": 0, "x": -0.6, "y": 0, "theta": 0}, {"id": 2, "on": false}],
//	 "yellow": []}
//
// Numbers that are missing are 0. Robots that are missing start where FIRASim has them; with "on": false one is not on the
// field. Errors name the line.
func ParseLineup(b []byte, robots int) (*Lineup, error) {
	p := lineupParser{b, json.NewDecoder(bytes.NewReader(b))}
	l := DefaultLineup(robots)
	err := p.object(func(key string) error {
		switch key {
		case "ball":
			return p.object(p.numbers(map[string]*float64{"x": &l.Ball.X, "y": &l.Ball.Y, "vx": &l.BallVelocity.X, "vy": &l.BallVelocity.Y}))
		case "blue":
			return p.team(l.Blue)
		case "yellow":
			return p.team(l.Yellow)
		}
		return p.unknown(key, "ball, blue and yellow")
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
	b []byte
	d *json.Decoder
}

// token returns the next token; the end of the file is an error.
func (p *lineupParser) token() (json.Token, error) {
	t, err := p.d.Token()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file ends too early")
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

func (p *lineupParser) unknown(key, known string) error {
	return fmt.Errorf("there is no %q here; there are %s", key, known)
}

// numbers returns a function that reads the values of an object's keys.
func (p *lineupParser) numbers(to map[string]*float64) func(string) error {
	return func(key string) error {
		at, ok := to[key]
		if !ok {
			return p.unknown(key, "x, y, vx and vy")
		}
		return p.number(key, at)
	}
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

// team reads the robots of a team.
func (p *lineupParser) team(to []Stand) error {
	t, err := p.token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return fmt.Errorf("want a list of robots in brackets, not %v", t)
	}
	named := make([]bool, len(to))
	for p.d.More() {
		id := -1.0
		s := Stand{Pose: soccer.Pose{}}
		if err := p.object(func(key string) error { return p.robot(key, &id, &s) }); err != nil {
			return err
		}
		if id < 0 || id >= float64(len(to)) || id != float64(int(id)) {
			return fmt.Errorf("a robot's id: want 0 to %d", len(to)-1)
		}
		if named[int(id)] {
			return fmt.Errorf("robot %d stands there twice", int(id))
		}
		to[int(id)], named[int(id)] = s, true
	}
	_, err = p.token()
	return err
}

func (p *lineupParser) robot(key string, id *float64, s *Stand) error {
	switch key {
	case "id":
		return p.number(key, id)
	case "x":
		return p.number(key, &s.Pose.X)
	case "y":
		return p.number(key, &s.Pose.Y)
	case "theta":
		return p.number(key, &s.Pose.Theta)
	case "on":
		t, err := p.token()
		if err != nil {
			return err
		}
		on, ok := t.(bool)
		if !ok {
			return fmt.Errorf("on: want true or false, not %v", t)
		}
		s.Off = !on
		return nil
	}
	return p.unknown(key, "id, x, y, theta and on")
}
