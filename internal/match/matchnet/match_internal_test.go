package matchnet

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"touchline/internal/manager"
	"touchline/internal/match"
	"touchline/internal/watch"
)

func virtual(t *testing.T) *Match {
	t.Helper()
	m, err := VirtualMatch(match.DefaultMatchConfig(), match.Tap{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *Match) do(t *testing.T, name, body string) *match.ShowView {
	t.Helper()
	if _, err := m.Commands().Do(name, json.RawMessage(body)); err != nil {
		t.Fatalf("%s %s: %v", name, body, err)
	}
	return m.Match("match").(*match.ShowView)
}

func (m *Match) pass(t *testing.T, d time.Duration) float64 {
	t.Helper()
	before := m.Match("match").(*match.ShowView).Time
	if err := m.advance(d); err != nil {
		t.Fatal(err)
	}
	return m.Match("match").(*match.ShowView).Time - before
}

// The match passes at the chosen speed, stands in a pause, goes on by steps, and does not leap after a standstill.
func TestVirtualMatchSpeed(t *testing.T) {
	m := virtual(t)
	for factor, want := range map[string]float64{"1": 0.1, "0.5": 0.05, "4": 0.4} {
		m.do(t, "speed", `{"factor":`+factor+`}`)
		if got := m.pass(t, 100*time.Millisecond); got < want-0.001 || got > want+0.001 {
			t.Errorf("at speed %s, 100 ms are %v s", factor, got)
		}
	}
	if got := m.pass(t, time.Hour); got > 4*maxCatchUp.Seconds()+0.001 {
		t.Errorf("after a standstill the match leaps by %v s", got)
	}
	if v := m.do(t, "speed", `{"factor":0}`); v.Speed != 0 {
		t.Errorf("got speed %v", v.Speed)
	}
	if got := m.pass(t, 0); got < tick.Seconds() {
		t.Errorf("as fast as possible, %v s pass in a tick", got)
	}
	before := m.do(t, "pause", `{"paused":true}`)
	if got := m.pass(t, time.Second); got != 0 || !before.Paused || !m.Wall("wall").(*watch.Wall).Paused {
		t.Errorf("in a pause %v s pass", got)
	}
	if v := m.do(t, "step", `{"ms":100}`); v.Time-before.Time < 0.0999 || v.Time-before.Time > 0.1001 || !v.Paused {
		t.Errorf("a step of 100 ms took %v s", v.Time-before.Time)
	}
	if v := m.do(t, "pause", `{"paused":false}`); v.Paused || m.pass(t, 0) == 0 {
		t.Error("the match does not go on")
	}
}

// Trouble of the page reaches the match.
func TestVirtualMatchTrouble(t *testing.T) {
	m := virtual(t)
	m.pass(t, maxCatchUp)
	m.do(t, "link", `{"loss":0.25,"delay":30}`)
	m.do(t, "partition", `{"team":"away","robots":[2,3]}`)
	m.do(t, "crash", `{"team":"home","number":4}`)
	v := m.do(t, "step", `{"ms":20}`)
	if v.Loss != 0.25 || v.Delay != 30 || len(v.Away.Apart) != 2 || len(v.Home.Apart) != 0 || v.Robots[3].Running {
		t.Errorf("got loss %v, delay %v, apart %v, robot 4 %+v", v.Loss, v.Delay, v.Away.Apart, v.Robots[3])
	}
	for range 4 {
		v = m.do(t, "step", `{"ms":1000}`)
	}
	if !v.Robots[3].Running {
		t.Error("the crashed robot does not start again")
	}
	if v = m.do(t, "partition", `{"team":"away","robots":[]}`); len(v.Away.Apart) != 0 {
		t.Errorf("healed: still apart %v", v.Away.Apart)
	}
}

// Commands out of range change nothing, and their errors say what is allowed.
func TestVirtualMatchRefuses(t *testing.T) {
	m := virtual(t)
	for name, bodies := range map[string][]string{
		"dance": {`{}`}, "pause": {`{"paused":1}`, `[]`}, "speed": {`{"factor":3}`, `{"factor":-1}`},
		"step": {`{}`, `{"ms":0.5}`, `{"ms":1001}`, `{"ms":1e300}`}, "link": {`{"loss":1.5,"delay":0}`, `{"loss":0,"delay":-1}`},
		"crash":     {`{"team":"home","number":9}`, `{"team":"both","number":1}`, `{"number":1}`},
		"partition": {`{"team":"x","robots":[]}`, `{"team":"home","robots":[0]}`, `{"team":"home","robots":[300]}`},
	} {
		for _, body := range bodies {
			if _, err := m.Commands().Do(name, json.RawMessage(body)); err == nil {
				t.Errorf("%s accepts %s", name, body)
			}
		}
	}
	if _, err := m.Commands().Do("robot-attend", json.RawMessage(`{"robot":3,"page":5,"name":"Eva"}`)); err == nil ||
		!strings.Contains(err.Error(), "robots cannot be managed during a match") {
		t.Errorf("a robot's page learns: %v", err)
	}
	if v := m.Match("match").(*match.ShowView); v.Paused || v.Speed != 1 || v.Loss != 0 || v.Time != 0 {
		t.Errorf("a refused command changed the match: %+v", v)
	}
}

// In a pause in real time field and referee box stand still; with an external team there is none.
func TestRealTimePause(t *testing.T) {
	m, err := OpenMatch(t.Context(), MatchConfig{Match: match.DefaultMatchConfig()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	start := time.Now()
	m.began = start
	at := func(d time.Duration) float64 {
		if err := m.advanceLive(start.Add(d)); err != nil {
			t.Fatal(err)
		}
		return m.Match("match").(*match.ShowView).Time
	}
	pause := func(d time.Duration, on bool) {
		if err := m.pause(start.Add(d), on); err != nil {
			t.Fatal(err)
		}
	}
	const step = 100 * time.Millisecond
	before := at(step)
	pause(step, true)
	stood := m.referee.box.Now()
	if got, box := at(time.Minute), m.referee.box.Now(); got != before || box != stood {
		t.Errorf("in a pause the match went on by %v s, the referee box by %v", got-before, box.Sub(stood))
	}
	pause(time.Minute, false)
	if got := at(time.Minute+step) - before; got < 0.099 || got > 0.101 {
		t.Errorf("%v s passed in the 100 ms after a pause", got)
	}
	if m.referee.box.Now() == stood {
		t.Error("the clock of the referee box stands after a pause")
	}
	external := match.DefaultMatchConfig()
	external.Away.External = true
	m, err = OpenMatch(t.Context(), MatchConfig{Match: external}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if err := m.pause(time.Now(), true); err == nil || !strings.Contains(err.Error(), "external") {
		t.Errorf("a match with an external team pauses: %v", err)
	}
}

// A match in real time takes trouble from the page, and says why it makes no steps and has one speed.
func TestRealTimeCommands(t *testing.T) {
	m, err := OpenMatch(t.Context(), MatchConfig{Match: match.DefaultMatchConfig()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	for name, body := range map[string]string{"step": `{"ms":100}`, "speed": `{"factor":4}`} {
		if _, err := m.Commands().Do(name, json.RawMessage(body)); err == nil || !strings.Contains(err.Error(), "--virtual") {
			t.Errorf("%s: got error %v, want one that names --virtual", name, err)
		}
	}
	if _, err := m.Commands().Do("again", json.RawMessage(`{}`)); err == nil || !strings.Contains(err.Error(), "not over") {
		t.Errorf("another game begins before the end of this one: %v", err)
	}
	m.do(t, "link", `{"loss":0.25,"delay":30}`)
	m.do(t, "crash", `{"team":"home","number":4}`)
	v := m.do(t, "partition", `{"team":"away","robots":[2,3]}`)
	if v.Loss != 0.25 || v.Delay != 30 || len(v.Away.Apart) != 2 || v.Paused || v.Speed != 1 || v.Loops == nil {
		t.Errorf("got %+v", v)
	}
	for name, body := range map[string]string{
		"link": `{"loss":2,"delay":0}`, "crash": `{"team":"home","number":6}`, "partition": `{"team":"home","robots":[9]}`,
	} {
		if _, err := m.Commands().Do(name, json.RawMessage(body)); err == nil {
			t.Errorf("%s accepts %s", name, body)
		}
	}
	if _, err := m.Commands().Do("robot-attend", json.RawMessage(`{"robot":13,"page":5,"name":"Eva"}`)); err != nil {
		t.Errorf("a page cannot look at robot 3 of away: %v", err)
	}
	if v, ok := m.Robot("robot/13").(*manager.View); !ok || v.Robot != 13 || m.Robot("robot/3") != nil || m.Robot("robot/x") != nil {
		t.Errorf("the page of robot 3 of away shows %+v", v)
	}
	for name, body := range map[string]string{
		"robot-attend": `{"robot":300,"page":5,"name":"Eva"}`, "robot-take": `{"robot":13,"page":5}`,
		"robot-machine": `{"robot":3,"page":5,"machine":{}}`, "robot-send-colors": `{"robot":3,"page":5}`,
	} {
		if _, err := m.Commands().Do(name, json.RawMessage(body)); err == nil {
			t.Errorf("%s accepts %s", name, body)
		}
	}
	if _, err := m.Commands().Do("robot-attend", json.RawMessage(`[]`)); err == nil {
		t.Error("robot-attend accepts a list")
	}
	if v := m.Match("match").(*match.ShowView); v.Loss != 0.25 {
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
