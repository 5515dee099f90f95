package refbox_test

import (
	"strings"
	"testing"
	"time"

	. "touchline/refbox"
)

func TestParseRules(t *testing.T) {
	r, err := ParseRules([]byte("{\n  \"name\": \"MSL 2027\",\n  \"repairSeconds\": 30\n}\n"))
	want := DefaultRules()
	want.Name, want.RepairSeconds = "MSL 2027", 30
	if err != nil || r != want {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = ParseRules([]byte(text(t, DefaultRules()))); err != nil || r != DefaultRules() {
		t.Errorf("the default rules read back: %+v, %v", r, err)
	}
	for file, want := range map[string]string{
		"":                                     "line 1: one JSON object",
		"[]":                                   "line 1: one JSON object",
		"{\n\"halfSeconds\": 900,\n}":          "line 3: invalid character '}'",
		"{\n\n\"halfSecond\": 900}":            `line 3: key "halfSecond" is not known`,
		"{\"robots\":5,\n\"robots\": 5}":       `line 2: key "robots" is given twice`,
		"{\"robots\": 5.5}":                    `line 1: key "robots" takes a whole number from 1 to 11, not 5.5`,
		"{\"repairSeconds\":\n\"20\"}":         `line 2: key "repairSeconds" takes a whole number`,
		"{\"repairSeconds\": -1}":              "not -1",
		"{\"repairSeconds\": null}":            `key "repairSeconds" takes`,
		"{\"name\": {}}":                       `key "name" takes a text`,
		"{} {}":                                "something follows",
		"{\"name\": \"x\"":                     "line 1",
		"{\"robots\": 2,\n\"leastRobots\": 3}": `keys "leastRobots" and "robots": 3 are to stay of 2`,
		strings.Repeat(" ", 1<<17):             "65536 are the most",
	} {
		if _, err := ParseRules([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", file, err, want)
		}
	}
}

// The durations come from the rules, not from the code.
func TestRulesCount(t *testing.T) {
	r := DefaultRules()
	r.RepairSeconds, r.DoubleYellowSeconds, r.Substitutions, r.SetPieceSeconds = 3, 5, 1, 2
	g := New(r, epoch)
	follow(t, g, plus(firstHalf, "SUBSTITUTION home 1", "SUBSTITUTION home 2 -x has made its substitutions: 1", "REPAIR home 1 -> ",
		"YELLOW_CARD home -> ", "YELLOW_CARD home -> ", "DROP_BALL", "START -> REPAIR home, YELLOW_CARD home, DOUBLE_YELLOW home, START")...)
	if s := g.State(); s.TakingUntil.Sub(s.Time) != 2*time.Second {
		t.Errorf("set piece until %v, now %v", s.TakingUntil, s.Time)
	}
	follow(t, g, "+3s -> REPAIR_END home", "+2s -> ")
	if p := g.State().Home.Penalties; !p[2].Over {
		t.Errorf("%+v", p)
	}
	for part, want := range map[Part]time.Duration{
		PreGame: 0, FirstHalf: 15 * time.Minute, HalfTime: 10 * time.Minute, SecondHalf: 15 * time.Minute, OvertimeFirst: 5 * time.Minute,
		OvertimeSecond: 5 * time.Minute, ShootOut: 0, End: 0,
	} {
		if got := r.Length(part); got != want {
			t.Errorf("%s lasts %v, want %v", part, got, want)
		}
	}
}

func TestParseDecision(t *testing.T) {
	d, err := ParseDecision([]byte(`{"v":1,"time":1415610000000000000,"command":"SUBSTITUTION","side":"away","robot":7}`))
	if err != nil || d != (Decision{Version: 1, Time: epoch, Command: Substitution, Side: Away, Robot: 7}) {
		t.Errorf("%+v, %v", d, err)
	}
	for _, b := range []string{``, `{`, `[]`, `{"v":2}`, `{"comand":"STOP"}`, `{"Command":"STOP"}`, `{"command":"STOP","command":"STOP"}`, `{"command":"STOP"} {}`, `{"robot":"7"}`, `{"robot":7.5}`, strings.Repeat(" ", 1<<17)} {
		if d, err := ParseDecision([]byte(b)); err == nil || !strings.HasPrefix(err.Error(), "refbox: ") {
			t.Errorf("%.40q: %+v, %v", b, d, err)
		}
	}
	if got, want := text(t, Decision{Version: Version, Time: epoch, Command: Stop}), `{"v":1,"time":1415610000000000000,"command":"STOP"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
