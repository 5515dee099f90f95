package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/matchlog"
)

// A journal's decisions are listed with their verdicts; what the log lacks is said.
func TestLogDecisions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.mcap")
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaHome: "CAMBADA", matchlog.MetaAway: "Water"})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range []matchlog.Message{
		{Channel: matchlog.Home, Data: []byte(`{"type":"worldstate","teamName":"CAMBADA","robots":[],"balls":[],"obstacles":[],"ageMs":0}`)},
		{Channel: matchlog.Decisions, Data: []byte(`{"v":1,"time":1467550001000000000,"command":"KICKOFF","side":"home"}`)},
		{Channel: matchlog.Decisions, Data: []byte(`{"v":1,"time":1467550002000000000,"command":"START"}`)},
		{Channel: matchlog.Decisions, Data: []byte(`{"v":1,"time":1467550003000000000,"command":"STOP"}`)},
		{Channel: matchlog.Decisions, Data: []byte(`{"v":1,"time":1467550004000000000,"command":"GOAL","side":"away"}`)},
		{Channel: matchlog.Verdicts, Data: []byte(`{"v":1,"time":1467550005000000000,"decision":4,"verdict":"overturned","note":"3 cm missing"}`)},
	} {
		m.Time = logBegan.Add(time.Duration(i) * time.Second)
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	out, errs, code := touchline(t, "log", "decisions", path, "--measure")
	for _, want := range []string{
		"GOAL Water, measured: open: overturned, 3 cm missing\n", "Nobody saw the ball: whether it was over the line is not known.",
		"KICKOFF CAMBADA\n",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %s: %s\nlacks %q", code, errs, out, want)
		}
	}
	out, _, code = touchline(t, "log", "decisions", path, "--json")
	var list decisionList
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list.Decisions) != 4 || list.Decisions[3].Verdict == nil ||
		list.Decisions[3].Verdict.Found != game.Overturned || list.Names[1] != "Water" {
		t.Errorf("exit code %d, error %v: %s", code, err, out)
	}
	for _, args := range [][]string{{"log", "decisions"}, {"log", "decisions", path, path}} {
		if _, errs, code := touchline(t, args...); code != 2 || !strings.Contains(errs, "needs one FILE") {
			t.Errorf("%v: exit code %d, %s", args, code, errs)
		}
	}
}
