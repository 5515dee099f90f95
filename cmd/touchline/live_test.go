package main

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/internal/match"
	"touchline/internal/match/matchnet"
)

// A match in real time takes trouble from the page, and says why it neither pauses nor steps.
func TestRealTime(t *testing.T) {
	g, err := Open(t.Context(), matchnet.LiveConfig{Match: match.DefaultMatchConfig()}, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	for name, body := range map[string]string{"pause": `{"paused":true}`, "step": `{"ms":100}`, "speed": `{"factor":4}`} {
		if _, err := g.Command(name, json.RawMessage(body)); err == nil || !strings.Contains(err.Error(), "--virtual") {
			t.Errorf("%s: got error %v, want one that names --virtual", name, err)
		}
	}
	g.do(t, "link", `{"loss":0.25,"delay":30}`)
	g.do(t, "crash", `{"team":"home","number":4}`)
	v := g.do(t, "partition", `{"team":"away","robots":[2,3]}`)
	if v.Loss != 0.25 || v.Delay != 30 || len(v.Away.Apart) != 2 || v.Paused || v.Speed != 1 || v.Loops == nil {
		t.Errorf("got %+v", v)
	}
	for name, body := range map[string]string{
		"link": `{"loss":2,"delay":0}`, "crash": `{"team":"home","number":6}`, "partition": `{"team":"home","robots":[9]}`,
	} {
		if _, err := g.Command(name, json.RawMessage(body)); err == nil {
			t.Errorf("%s accepts %s", name, body)
		}
	}
	if _, err := g.Command("robot-attend", json.RawMessage(`{"robot":13,"page":5,"name":"Eva"}`)); err != nil {
		t.Errorf("a page cannot look at robot 3 of away: %v", err)
	}
	if v, ok := g.Robot("robot/13").(*manager.View); !ok || v.Robot != 13 || g.Robot("robot/3") != nil || g.Robot("robot/x") != nil {
		t.Errorf("the page of robot 3 of away shows %+v", v)
	}
	for name, body := range map[string]string{
		"robot-attend": `{"robot":300,"page":5,"name":"Eva"}`, "robot-take": `{"robot":13,"page":5}`,
		"robot-machine": `{"robot":3,"page":5,"machine":{}}`, "robot-send-colors": `{"robot":3,"page":5}`,
	} {
		if _, err := g.Command(name, json.RawMessage(body)); err == nil {
			t.Errorf("%s accepts %s", name, body)
		}
	}
	if _, err := g.Command("robot-attend", json.RawMessage(`[]`)); err == nil {
		t.Error("robot-attend accepts a list")
	}
	if v := g.Match("match").(*match.ShowView); v.Loss != 0.25 {
		t.Errorf("a refused command changed the loss to %v", v.Loss)
	}
}

// The share of a core is that of the last full window, and of the running one before the first is full.
func TestMeter(t *testing.T) {
	used := 10 * time.Second
	m := newMeter(func() time.Duration { return used })
	began := m.began
	near := func(what string, got, want float64) {
		t.Helper()
		if got < want-0.2 || got > want+0.5 { // this process works, too
			t.Errorf("%s: %v of a core, want about %v", what, got, want)
		}
	}
	used += 2 * time.Second
	near("in the first window", m.read(began.Add(time.Second)), 2)
	used += 8 * time.Second
	near("at its end", m.read(began.Add(meterWindow)), 2)
	near("in the second window", m.read(began.Add(meterWindow+time.Second)), 2)
	near("at its end", m.read(began.Add(2*meterWindow)), 0)
	near("over all", m.whole(began.Add(10*time.Second)), 1)
}
