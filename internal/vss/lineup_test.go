package vss_test

import (
	"strings"
	"testing"

	"touchline/internal/vss"
	"touchline/soccer"
)

func TestLineup(t *testing.T) {
	l, err := vss.ParseLineup([]byte(`{
		"ball": {"x": 0.1, "y": -0.2, "vy": 0.5},
		"blue": [{"id": 2, "x": -0.6, "y": 0.1, "theta": 1.5}, {"id": 0, "on": false}]
	}`), 3)
	if err != nil {
		t.Fatal(err)
	}
	env := after(session(t, func(c *vss.Config) { c.Lineup = l }), 1)
	if len(env.Frame.Blue) != 2 {
		t.Errorf("got blue %+v, want two robots", env.Frame.Blue)
	}
	r := robot(t, env, blue, 2)
	near(t, "x", r.X, -0.6, 1e-3)
	near(t, "the heading in rad", r.Orientation, 1.5, 1e-3)
	near(t, "yellow 1's x, FIRASim's", robot(t, env, yellow, 1).X, -0.5, 1e-3)
	if env.Frame.Ball.VY < 0.3 {
		t.Errorf("got ball %+v, want it rolling", env.Frame.Ball)
	}
	if l, err = vss.ParseLineup([]byte("\ufeff"+`{"blue": [{"y": 0.2, "id": 1}, {"theta": 1, "id": 2}]}`), 3); err != nil {
		t.Fatal(err)
	}
	if l.Blue[1].Pose != (soccer.Pose{X: 0.5, Y: 0.2}) || l.Blue[2].Pose != (soccer.Pose{X: 0.7, Theta: 1}) {
		t.Errorf("got %+v, want missing numbers from FIRASim's start positions", l.Blue)
	}
	for text, want := range map[string]string{
		"{\"blue\": [\n{\"id\": 1},\n{\"id\": 1, \"x\": 0.3}]}":     `line 3: blue 1 is listed twice`,
		"{\"yellow\": [\n{\"id\": 1, \"x\": 9}]}":                   `line 2: yellow 1: (9, 0) m is outside the field`,
		"{\"yellow\": [\n{\"id\": 0, \"x\": 0.745, \"y\": 0.645}]}": `line 2: yellow 0: (0.745, 0.645) m is outside the field`,
		"{\n\"ball\": {\"x\": 9}}":                                  `line 2: sim: out of range: the ball at (9, 0) m`,
		"{\n\"ball\": {\"vx\": 3e4, \"vy\": 4e4}}":                  `50000 m/s`,
		"{\"ball\": {\"x\": 1e400}}":                                `1e400 is too large`,
		"{\n\"ball\": {\"x\": 1,\n\"z\": 2}}":                       `line 3: unknown key "z"`,
		"{\n\n\"red\": []}":                                         `line 3: unknown key "red"`,
		"{\"blue\": [\n{\"id\": 3}]}":                               `line 2: a robot's id: want 0 to 2`,
		"{\"blue\": [\n{\"x\": 1}]}":                                `line 2: a robot's id`,
		"{\"blue\": [\n{\"id\": 1, \"x\": \"1\"}]":                  `line 2: x: want a number`,
		"{\"yellow\": {}}":                                          `line 1: want a list`,
		"{\"ball\":\n":                                              `the file ends too early`,
		"{}\n{}":                                                    `line 2: the file continues after`,
		"":                                                          `line 1: the file is empty: want an object in braces`,
		" \n\n":                                                     `line 1: the file is empty: want an object in braces`,
		"[1]":                                                       `line 1: want an object`,
		"{\"ball\": nonsense}":                                      `line 1: invalid character`,
	} {
		if _, err := vss.ParseLineup([]byte(text), 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if l, err = vss.ParseLineup([]byte("{}"), 5); err != nil || l.Yellow[4].Pose != (soccer.Pose{X: -1.1}) {
		t.Errorf("got %+v, %v; want FIRASim's start positions", l, err)
	}
}
