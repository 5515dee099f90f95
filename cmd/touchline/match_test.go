package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"touchline/internal/playback"
	"touchline/matchlog"
	"touchline/soccer"
)

// A match as in continuous integration: assertions decide the exit code, and JUnit's file has a case for each.
func TestMatchAsserts(t *testing.T) {
	single(t)
	junit := filepath.Join(t.TempDir(), "r.xml")
	args := []string{"match", "--seed", "7", "--half", "5s", "--loss", "0.1", "--away", "still", "--home-name", "Lions", "--json",
		"--junit", junit}
	out, errs, code := touchline(t, append(args, "--assert", "goals.away==0", "--assert", "played >= 1")...)
	var r matchResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit %d %s, printed %s: %v", code, errs, out, err)
	}
	if r.Names.Home != "Lions" || r.Names.Away != "still" {
		t.Errorf("the teams are %+v", r.Names)
	}
	if r.Seed != 7 || r.Half != 5 || r.Home != "touchline" || r.Away != "still" || !r.Over || r.Seconds < 10 || r.Way.Home < 1 {
		t.Errorf("the result is %+v", r)
	}
	if again, _, _ := touchline(t, args...); again != out {
		t.Errorf("the same seed printed %s, then %s", out, again)
	}
	_, errs, code = touchline(t, append(args, "--assert", "goals.away==0", "--assert", "goals.home>=98")...)
	if code != 1 || !strings.Contains(errs, "expected goals.home >= 98, found") {
		t.Errorf("a failed assertion: exit %d, printed %q", code, errs)
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
		} `xml:"testcase"`
	}
	data, err := os.ReadFile(junit)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(data, &suite); err != nil {
		t.Fatal(err)
	}
	if suite.Tests != 3 || suite.Failures != 1 || suite.Errors != 0 || len(suite.Cases) != 3 || suite.Cases[2].Failure == nil ||
		suite.Cases[1].Failure != nil || suite.Cases[2].Name != "goals.home>=98" ||
		!strings.HasPrefix(suite.Cases[0].Name, "Lions against still") {
		t.Errorf("JUnit's file is %s", data)
	}
}

// Nonsense is wrong usage, and the error names it and what is allowed.
func TestMatchRefusesNonsense(t *testing.T) {
	for want, args := range map[string][]string{
		`"goal.home>=1": the result has no field "goal.home": want one of`: {"--assert", "goal.home>=1"},
		`"home wins": want a field`:                                        {"--assert", "home wins"},
		`"goals.home>=many": "many" is not a number`:                       {"--assert", "goals.home>=many"},
		`"goals.home>=NaN": "NaN" is not a number`:                         {"--assert", "goals.home>=NaN"},
		`"goals.home~1": want a field`:                                     {"--assert", "goals.home~1"},
		`"": want a field`:                                                 {"--assert", ""},
		`--home-name "a\tb": want 1 to 20 printable characters`:            {"--home-name", "a\tb"},
		`--home "barcelona": want touchline,`:                              {"--home", "barcelona"},
		"--half 0s: want whole seconds":                                    {"--half", "0"},
		"--half soon: want whole seconds":                                  {"--half", "soon"},
		"--loss 2: want a share":                                           {"--loss", "2"},
		"--speed fast: want max":                                           {"--speed", "fast"},
		"--field 9x9: want 18x12 or 22x14":                                 {"--field", "9x9"},
		"--home-robots 6: want 1 to 5":                                     {"--home-robots", "6"},
		"--port 70000: want a whole number from 0 to 65535":                {"--port", "70000"},
		"an end time is required":                                          {"--fault", "silent 5s"},
		`--fault "earthquake": want 'crash home`:                           {"--fault", "earthquake"},
		`--fault "crash home 1": want 'crash home`:                         {"--fault", "crash home 1"},
		`fault "flood" of away 0: want the crash`:                          {"--fault", "flood away 1s"},
		`fault "crash" of home 9: want the crash`:                          {"--fault", "crash home 9 1s"},
		"/no/such/folder/m.mcap":                                           {"--record", "/no/such/folder/m.mcap"},
		"--junit /no/such/folder/r.xml: its folder does":                   {"--junit", "/no/such/folder/r.xml"},
		`"ball" is neither a command nor a flag`:                           {"ball"},
	} {
		_, errs, code := touchline(t, append([]string{"match"}, args...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, printed %q, want %q", args, code, errs, want)
		}
	}
}

// The same seed gives the same record, which opens on the wall; recording does not change the match.
func TestMatchRecord(t *testing.T) {
	single(t)
	dir := t.TempDir()
	args := []string{"match", "--half", "3s", "--loss", "0.1", "--jitter", "20ms", "--mixed", "--json", "--quiet"}
	record := func(name string) (path, result string) {
		path = filepath.Join(dir, name)
		out, errs, code := touchline(t, append(args, "--record", path)...)
		if code != 0 || errs != "" {
			t.Fatalf("exit %d, printed %s", code, errs)
		}
		return path, out
	}
	first, result := record("a.mcap")
	second, _ := record("b.mcap")
	a, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("the same seed gave two records")
	}
	if without, _, _ := touchline(t, args...); without != result {
		t.Errorf("without a record the result is %s, with it %s", without, result)
	}
	counts := channels(t, first)
	for _, channel := range []string{
		matchlog.TCM, matchlog.Packets, matchlog.Commands, matchlog.Decisions, matchlog.States, matchlog.Truth, playback.WallChannel,
		playback.TCMChannel, playback.BookingChannel, playback.NetworkChannel, playback.BehaviourChannel,
	} {
		if counts[channel] == 0 {
			t.Errorf("the record has no message of %s: %v", channel, counts)
		}
	}
	if out, errs, code := touchline(t, "replay", first, "--http", "127.0.0.1:0", "--duration", "300ms"); code != 0 ||
		!strings.HasPrefix(out, "session: http://127.0.0.1:") {
		t.Errorf("replay: exit %d, printed %s%s", code, out, errs)
	}
}

// A fork plays the match of its record up to a time, byte for byte, and another one from there.
func TestMatchFork(t *testing.T) {
	single(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	run := func(args ...string) {
		t.Helper()
		if _, errs, code := touchline(t, append([]string{"match", "--quiet"}, args...)...); code != 0 {
			t.Fatalf("%v: exit %d, printed %s", args, code, errs)
		}
	}
	run("--seed", "7", "--half", "4s", "--loss", "0.1", "--fault", "crash away 2 3s 5s", "--record", path("a.mcap"))
	run("--fork", path("a.mcap"), "--at", "6s", "--seed", "8", "--record", path("b.mcap"))
	run("--fork", path("b.mcap"), "--at", "8s", "--seed", "9", "--record", path("c.mcap"))
	common := func(a, b string) (seconds float64) {
		first, second := sent(t, path(a)), sent(t, path(b))
		for i := range min(len(first), len(second)) {
			if first[i].Time != second[i].Time || !bytes.Equal(first[i].Data, second[i].Data) {
				return first[i].Time.Sub(soccer.Epoch).Seconds()
			}
		}
		t.Fatalf("%s and %s are equal", a, b)
		return 0
	}
	if at := common("a.mcap", "b.mcap"); at < 6 || at > 7 {
		t.Errorf("the fork at 6 s differs after %v s", at)
	}
	if at := common("b.mcap", "c.mcap"); at < 8 || at > 9 {
		t.Errorf("the fork of the fork at 8 s differs after %v s", at)
	}
	for want, args := range map[string][]string{
		"--at needs --fork":         {"--at", "6s"},
		"--fork needs --at":         {"--fork", path("a.mcap")},
		"--half: leave it out with": {"--fork", path("a.mcap"), "--at", "6s", "--seed", "8", "--half", "9s"},
		"no such file":              {"--fork", path("none.mcap"), "--at", "6s", "--seed", "8"},
		"ends after 19":             {"--fork", path("a.mcap"), "--at", "1h", "--seed", "8"},
		"its record":                {"--fork", path("a.mcap"), "--seed", "8"},
	} {
		if out, errs, code := touchline(t, append([]string{"match", "--quiet"}, args...)...); code == 0 || out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, printed %s%q, want %q", args, code, out, errs, want)
		}
	}
}

// sent returns the datagrams of a record.
func sent(t *testing.T, path string) (all []matchlog.Message) {
	t.Helper()
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for m, err := range l.Messages(0, 1<<62, matchlog.TCM) {
		if err != nil {
			t.Fatal(err)
		}
		m.Data = bytes.Clone(m.Data)
		all = append(all, m)
	}
	return all
}
