package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/internal/watch"
)

func open(t *testing.T) *Game {
	t.Helper()
	g, err := NewDemo(match.DefaultMatchConfig(), match.Tap{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *Game) do(t *testing.T, name, body string) *match.ShowView {
	t.Helper()
	if _, err := g.Command(name, json.RawMessage(body)); err != nil {
		t.Fatalf("%s %s: %v", name, body, err)
	}
	return g.Match("match").(*match.ShowView)
}

func (g *Game) pass(t *testing.T, d time.Duration) float64 {
	t.Helper()
	before := g.Match("match").(*match.ShowView).Time
	if err := g.advance(d); err != nil {
		t.Fatal(err)
	}
	return g.Match("match").(*match.ShowView).Time - before
}

// The match passes at the chosen speed, stands in a pause, goes on by steps, and does not leap after a standstill.
func TestSpeed(t *testing.T) {
	g := open(t)
	for factor, want := range map[string]float64{"1": 0.1, "0.5": 0.05, "4": 0.4} {
		g.do(t, "speed", `{"factor":`+factor+`}`)
		if got := g.pass(t, 100*time.Millisecond); got < want-0.001 || got > want+0.001 {
			t.Errorf("at speed %s, 100 ms are %v s", factor, got)
		}
	}
	if got := g.pass(t, time.Hour); got > 4*maxCatchUp.Seconds()+0.001 {
		t.Errorf("after a standstill the match leaps by %v s", got)
	}
	if v := g.do(t, "speed", `{"factor":0}`); v.Speed != 0 {
		t.Errorf("got speed %v", v.Speed)
	}
	if got := g.pass(t, 0); got < tick.Seconds() {
		t.Errorf("as fast as possible, %v s pass in a tick", got)
	}
	before := g.do(t, "pause", `{"paused":true}`)
	if got := g.pass(t, time.Second); got != 0 || !before.Paused || !g.Wall("wall").(*watch.Wall).Paused {
		t.Errorf("in a pause %v s pass", got)
	}
	if v := g.do(t, "step", `{"ms":100}`); v.Time-before.Time < 0.0999 || v.Time-before.Time > 0.1001 || !v.Paused {
		t.Errorf("a step of 100 ms took %v s", v.Time-before.Time)
	}
	if v := g.do(t, "pause", `{"paused":false}`); v.Paused || g.pass(t, 0) == 0 {
		t.Error("the match does not go on")
	}
}

// Trouble of the page reaches the match.
func TestTrouble(t *testing.T) {
	g := open(t)
	g.pass(t, maxCatchUp)
	g.do(t, "link", `{"loss":0.25,"delay":30}`)
	g.do(t, "partition", `{"team":"away","robots":[2,3]}`)
	g.do(t, "crash", `{"team":"home","number":4}`)
	v := g.do(t, "step", `{"ms":20}`)
	if v.Loss != 0.25 || v.Delay != 30 || len(v.Away.Apart) != 2 || len(v.Home.Apart) != 0 || v.Robots[3].Running {
		t.Errorf("got loss %v, delay %v, apart %v, robot 4 %+v", v.Loss, v.Delay, v.Away.Apart, v.Robots[3])
	}
	for range 4 {
		v = g.do(t, "step", `{"ms":1000}`)
	}
	if !v.Robots[3].Running {
		t.Error("the crashed robot does not start again")
	}
	if v = g.do(t, "partition", `{"team":"away","robots":[]}`); len(v.Away.Apart) != 0 {
		t.Errorf("healed: still apart %v", v.Away.Apart)
	}
}

// Commands out of range change nothing, and their errors say what is allowed.
func TestRefusals(t *testing.T) {
	g := open(t)
	for name, bodies := range map[string][]string{
		"dance": {`{}`}, "pause": {`{"paused":1}`, `[]`}, "speed": {`{"factor":3}`, `{"factor":-1}`},
		"step": {`{}`, `{"ms":0.5}`, `{"ms":1001}`, `{"ms":1e300}`}, "link": {`{"loss":1.5,"delay":0}`, `{"loss":0,"delay":-1}`},
		"crash":     {`{"team":"home","number":9}`, `{"team":"both","number":1}`, `{"number":1}`},
		"partition": {`{"team":"x","robots":[]}`, `{"team":"home","robots":[0]}`, `{"team":"home","robots":[300]}`},
	} {
		for _, body := range bodies {
			if _, err := g.Command(name, json.RawMessage(body)); err == nil {
				t.Errorf("%s accepts %s", name, body)
			}
		}
	}
	if _, err := g.Command("robot-attend", json.RawMessage(`{"robot":3,"page":5,"name":"Eva"}`)); err == nil ||
		!strings.Contains(err.Error(), "no operator manages the robots of a match") {
		t.Errorf("a robot's page learns: %v", err)
	}
	if v := g.Match("match").(*match.ShowView); v.Paused || v.Speed != 1 || v.Loss != 0 || v.Time != 0 {
		t.Errorf("a refused command changed the match: %+v", v)
	}
}
