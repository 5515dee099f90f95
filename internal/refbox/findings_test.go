package refbox_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
)

// With StrictUpstream a worldstate that RefBox 2.1 drops is recorded and does not count, and the card names the first
// failed check.
func TestStrictUpstream(t *testing.T) {
	cfg := refbox.DefaultConfig()
	cfg.StrictUpstream = true
	full := map[string]string{"type": `"worldstate"`, "ageMs": "20", "teamName": `""`, "intention": `""`, "robots": "[]", "balls": "[]", "obstacles": "[]"}
	for _, c := range []struct{ key, value, why string }{
		{"", "", ""},
		{"ageMs", "20.9", ""}, {"ageMs", "1e300", ""}, {"ageMs", "99999999999999999999", `"ageMs" is not a whole number`}, {"ageMs", `"20"`, ""}, {"ageMs", `"-3"`, ""}, {"extra", "{}", ""}, {"robots", `[{"id":null},7]`, ""},
		{"ageMs", "null", `"ageMs" is not a whole number`}, {"ageMs", `"20.5"`, `"ageMs" is not`}, {"ageMs", "true", `"ageMs" is not`},
		{"ageMs", `"3000000000"`, `"ageMs" is not`}, {"ageMs", "", `"ageMs" is missing`},
		{"teamName", "null", `"teamName" is not a text`}, {"intention", "null", `"intention" is not a text`}, {"intention", "", `"intention" is missing`},
		{"robots", "null", `"robots" is not a list`}, {"balls", "", `"balls" is missing`}, {"obstacles", "{}", `"obstacles" is not a list`},
	} {
		r, now := playing(t, cfg)
		m := map[string]json.RawMessage{}
		for k, v := range full {
			m[k] = json.RawMessage(v)
		}
		if c.key != "" {
			m[c.key] = json.RawMessage(c.value)
		}
		if c.value == "" {
			delete(m, c.key)
		}
		r.do(r.box.Receive(now, 1, []byte(text(t, m))))
		now = r.tick(now, 300*time.Millisecond)
		h := r.box.Teams(now, true).Teams[0]
		said := ""
		for _, f := range h.Findings {
			if f.Rule == "upstream" && !f.Note {
				said += f.Text
			}
		}
		counted := h.Rate == 1 && len(r.logged(game.HomeEmptyChannel))+1 == len(r.logged(game.AwayEmptyChannel))
		if counted != (c.why == "") || !strings.Contains(said, c.why) || (said == "") != (c.why == "") ||
			len(r.logged(game.HomeChannel)) != 1 {
			t.Errorf("%s %s: counted %t, %q, want %q", c.key, c.value, counted, said, c.why)
		}
	}
	// RefBox 2.1 drops events, too.
	r, now := playing(t, cfg)
	r.do(r.box.Receive(now, 1, []byte(`{"type":"event","robotId":2,"event":"kick"}`)))
	if h := r.box.Teams(now, true).Teams[0]; h.Events != 1 || len(h.Findings) == 0 ||
		h.Findings[0].Rule != "upstream" || !strings.Contains(h.Findings[0].Text, "events") {
		t.Errorf("%+v", h)
	}
	// Without StrictUpstream the minimal worldstate of MSL World Model 2015 counts.
	r, now = playing(t, refbox.DefaultConfig())
	r.do(r.box.Receive(now, 1, []byte(minimal)))
	if h := r.box.Teams(now, true).Teams[0]; h.Rate != 1 {
		t.Errorf("%+v", h)
	}
}

// The public view of the teams page quotes nothing that a team said.
func TestTeamsClosed(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	for i := range 60 {
		r.do(r.box.Receive(now, 1, fmt.Appendf(nil, `{"type":"worldstate","teamName":"CAMBADA","intention":"secret","robots":[{"id":4711,"pose":[%d.25,77,9],"batteryLevel":815}],"ageMs":33,"plan":"secret"}`, 3000+i)))
		r.do(r.box.Receive(now, 1, []byte(`{"type":"event","robotId":4711,"event":"secret"}`)))
		now = now.Add(10 * time.Millisecond)
	}
	open, closed := text(t, r.box.Teams(now, true)), text(t, r.box.Teams(now, false))
	for _, s := range []string{"secret", "4711", "815", "77"} {
		if !strings.Contains(open, s) {
			t.Errorf("open lacks %q", s)
		}
		if strings.Contains(closed, s) {
			t.Errorf("closed has %q: %s", s, closed)
		}
	}
	if n := strings.Count(closed, `"rule"`); n < 4 {
		t.Errorf("%d findings", n)
	}
	if strings.Contains(closed, "see the document") {
		t.Errorf("a rule without a text: %s", closed)
	}
	rules := map[string]bool{}
	for _, f := range r.box.Teams(now, false).Teams[0].Findings {
		if rules[f.Rule] {
			t.Errorf("rule %s has two rows", f.Rule)
		}
		rules[f.Rule] = true
	}
}
