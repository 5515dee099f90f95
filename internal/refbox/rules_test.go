package refbox_test

import (
	"encoding/json"
	"strings"
	"testing"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

func TestParseRules(t *testing.T) {
	r, err := refbox.ParseRules([]byte("{\n  \"name\": \"MSL 2027\",\n  \"repairSeconds\": 30\n}\n"))
	want := game.DefaultRules()
	want.Name, want.RepairSeconds = "MSL 2027", 30
	if err != nil || r != want {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = refbox.ParseRules([]byte(text(t, game.DefaultRules()))); err != nil || r != game.DefaultRules() {
		t.Errorf("the default rules read back: %+v, %v", r, err)
	}
	for file, want := range map[string]string{
		"":                                     "line 1: want one JSON object",
		"[]":                                   "line 1: want one JSON object",
		"{\n\"halfSeconds\": 900,\n}":          "line 2: invalid character",
		"{\n\n\"halfSecond\": 900}":            `line 3: key "halfSecond" is not known`,
		"{\"robots\":5,\n\"robots\": 5}":       `line 2: key "robots" is given twice`,
		"{\"robots\": 5.5}":                    `line 1: key "robots" takes a whole number from 1 to 11, not 5.5`,
		"{\"repairSeconds\":\n\"20\"}":         `line 2: key "repairSeconds" takes a whole number`,
		"{\"repairSeconds\": -1}":              "not -1",
		"{\"repairSeconds\": null}":            `key "repairSeconds" takes`,
		"{\"name\": {}}":                       `key "name" takes a text`,
		"{} {}":                                "something follows",
		"{\"name\": \"x\"":                     "line 1",
		"{\"robots\": 2,\n\"leastRobots\": 3}": `"leastRobots" is 3, more than "robots", 2`,
		strings.Repeat(" ", 1<<17):             "the limit is 65536",
	} {
		if _, err := refbox.ParseRules([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", file, err, want)
		}
	}
}

func TestParseDecision(t *testing.T) {
	d, err := refbox.ParseDecision([]byte(`{"v":1,"time":1415610000000000000,"command":"SUBSTITUTION","side":"away","robot":7}`))
	if err != nil || d != (game.Decision{Version: 1, Time: epoch, Command: game.Substitution, Side: game.Away,
		Robot: 7}) {
		t.Errorf("%+v, %v", d, err)
	}
	for _, b := range []string{``, `{`, `[]`, `{"v":2}`, `{"comand":"STOP"}`, `{"Command":"STOP"}`, `{"command":"STOP","command":"STOP"}`, `{"command":"STOP"} {}`, `{"robot":"7"}`, `{"robot":7.5}`, strings.Repeat(" ", 1<<17)} {
		if d, err := refbox.ParseDecision([]byte(b)); err == nil || !strings.HasPrefix(err.Error(), "refbox: ") {
			t.Errorf("%.40q: %+v, %v", b, d, err)
		}
	}
	if got, want := text(t, game.Decision{Version: game.Version, Time: epoch, Command: game.Stop}), `{"v":1,"time":1415610000000000000,"command":"STOP"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// FuzzParseDecision reads decisions: an accepted one is written and read back unchanged.
func FuzzParseDecision(f *testing.F) {
	f.Add([]byte(`{"v":1,"time":1415610000000000000,"command":"KICKOFF","side":"home"}`))
	f.Add([]byte(`{"command":"SET_CLOCK","total":9000000000,"effective":-1}`))
	f.Add([]byte(`{"v":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := refbox.ParseDecision(b)
		if err != nil {
			return
		}
		if again, err := refbox.ParseDecision([]byte(text(t, d))); err != nil || again != d {
			t.Fatalf("%+v came back as %+v, %v", d, again, err)
		}
	})
}

func FuzzRules(f *testing.F) {
	f.Add([]byte(`{"name": "MSL 2027", "repairSeconds": 30}`))
	f.Add([]byte("{\n\"robots\": 1e1}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := refbox.ParseRules(b)
		if err != nil {
			return
		}
		if again, err := refbox.ParseRules([]byte(text(t, r))); err != nil || again != r {
			t.Fatalf("%+v came back as %+v, %v", r, again, err)
		}
	})
}

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const epoch = soccer.Epoch
