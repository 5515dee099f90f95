package vss

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"touchline/sim"
	"touchline/soccer"
)

// ParseLineup reads start positions for 3 or 5 robots a team from JSON, in m, rad and the field frame:
//
//	{"ball":   {"x": 0, "y": 0, "vx": 0, "vy": 0},
//	 "blue":   [{"id": 0, "x": -0.6, "y": 0, "theta": 0}, {"id": 2, "on": false}],
//	 "yellow": []}
//
// Missing robots and numbers are those of defaultLineup; with "on": false a robot is not on the field. Errors name the
// line.
func ParseLineup(b []byte, robots int) (*Lineup, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // editors of Windows write it
	field := FieldOf(robots)
	p := lineupParser{b, jsontext.NewDecoder(bytes.NewBuffer(b)), field, sim.New(sim.VSS(field, sim.FIRASim()))}
	l := defaultLineup(robots)
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
	at := p.dec.InputOffset()
	if len(bytes.TrimSpace(b)) == 0 {
		err = errors.New(`the file is empty: want an object in braces, for example {"ball": {"x": 0.2}}`)
	} else if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, err = syntax.ByteOffset, syntax.Err
		if at >= int64(len(bytes.TrimSpace(b))) {
			err = errors.New("the file ends too early")
		}
	} else if rest := bytes.TrimSpace(b[at:]); err == nil && len(rest) > 0 {
		at = int64(len(b) - len(rest))
		err = errors.New("the file continues after the closing brace")
	}
	if err != nil {
		line := 1 + bytes.Count(b[:min(at, int64(len(b)))], []byte("\n"))
		return nil, fmt.Errorf("start positions, line %d: %w", line, err)
	}
	return l, nil
}

// lineupParser reads JSON token by token, so that an error knows its line.
type lineupParser struct {
	b      []byte
	dec    *jsontext.Decoder
	field  soccer.Field
	engine *sim.Engine // knows where things may be
}

// object reads an object; field reads the value of each key.
func (p *lineupParser) object(field func(key string) error) error {
	t, err := p.dec.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '{' {
		return fmt.Errorf("want an object in braces, not %v", t)
	}
	for {
		key, err := p.dec.ReadToken()
		if err != nil || key.Kind() == '}' {
			return err
		}
		if err := field(key.String()); err != nil {
			return err
		}
	}
}

func unknownKey(key, known string) error {
	return fmt.Errorf("unknown key %.40q; the keys are %s", key, known)
}

func (p *lineupParser) number(key string, to *float64) error {
	t, err := p.dec.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '0' {
		return fmt.Errorf("%s: want a number, not %v", key, t)
	}
	text := t.String()
	if *to, err = t.Float(); err != nil {
		return fmt.Errorf("%s: %s is too large", key, text)
	}
	return nil
}

func (p *lineupParser) ball(l *Lineup) error {
	err := p.object(func(key string) error {
		switch key {
		case "x":
			return p.number(key, &l.Ball.X)
		case "y":
			return p.number(key, &l.Ball.Y)
		case "vx":
			return p.number(key, &l.BallVelocity.X)
		case "vy":
			return p.number(key, &l.BallVelocity.Y)
		}
		return unknownKey(key, "x, y, vx and vy")
	})
	if err != nil {
		return err
	}
	return l.putBall(p.engine, 0)
}

// team reads the robots of a team.
func (p *lineupParser) team(name string, to []Start) error {
	t, err := p.dec.ReadToken()
	if err != nil {
		return err
	}
	if t.Kind() != '[' {
		return fmt.Errorf("want a list of robots in brackets, not %v", t)
	}
	named := make([]bool, len(to))
	for p.dec.PeekKind() == '{' {
		if err := p.robot(name, to, named); err != nil {
			return err
		}
	}
	if t, err = p.dec.ReadToken(); err == nil && t.Kind() != ']' {
		err = fmt.Errorf("want an object in braces, not %v", t)
	}
	return err
}

// robot reads one robot. named tells which ids the list has named so far.
func (p *lineupParser) robot(team string, to []Start, named []bool) error {
	id, on := -1.0, true
	var given [3]*float64 // x, y, theta: the id may come after them
	err := p.object(func(key string) error {
		switch i := slices.Index([]string{"x", "y", "theta"}, key); {
		case i >= 0:
			given[i] = new(float64)
			return p.number(key, given[i])
		case key == "id":
			return p.number(key, &id)
		case key == "on":
			return p.on(&on)
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
	switch s.Off = !on; {
	case named[int(id)]:
		return fmt.Errorf("%s %d is listed twice", team, int(id))
	case !p.engine.Inside(s.Pose.XY()):
		return fmt.Errorf("%s %d: %w", team, int(id), outOfField(&p.field, s.Pose.XY()))
	}
	named[int(id)] = true
	return nil
}

func (p *lineupParser) on(to *bool) error {
	t, err := p.dec.ReadToken()
	if err != nil {
		return err
	}
	if k := t.Kind(); k != 't' && k != 'f' {
		return fmt.Errorf("on: want true or false, not %v", t)
	}
	*to = t.Bool()
	return nil
}
