package refbox_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"encoding/json"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/soccer"
)

// omissions returns the omissions in the journal of a side.
func (r *rig) omissions(side game.Side) (all []game.Omission) {
	r.t.Helper()
	for _, m := range r.logged(game.OmittedChannel) {
		var o game.Omission
		if err := json.Unmarshal(m.Data, &o); err != nil {
			r.t.Fatal(err)
		}
		if o.Side == side {
			all = append(all, o)
		}
	}
	return all
}

// Of a flood the journal keeps 200 messages a second, and in each window of 100 ms a worldstate if there is one. It
// counts the rest, and the pages and the report card show the number.
func TestFloodIsBounded(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	windows := r.box.Teams(now, true).Teams[0].Windows
	const seconds, perMillisecond = 3, 10
	sent := 0
	for i := range seconds * 1000 {
		for range perMillisecond {
			r.do(r.box.Receive(now, 1, []byte("{}")))
			sent++
		}
		if i%20 == 0 {
			r.do(r.box.Receive(now, 1, []byte(minimal)))
			sent++
		}
		r.do(r.box.Receive(now, 2, fmt.Appendf(nil, `{"type":"worldstate","teamName":"TUE","intention":"%d"}`, i%50)))
		now = now.Add(time.Millisecond)
		if i%10 == 9 {
			r.do(r.box.Tick(now))
		}
	}
	flooded := r.box.Referee(now).Home.Text
	if got := r.box.Teams(now, false).Teams[0].Trouble; got != flooded {
		t.Errorf("the teams' page shows %q, the referee's %q", got, flooded)
	}
	now = r.tick(now, 2*time.Second)
	perSecond, worldstates := map[soccer.Time]int{}, map[soccer.Time]bool{}
	kept := r.logged(game.HomeChannel)
	for _, m := range kept {
		perSecond[m.Time/1e9]++
		if string(m.Data) == minimal {
			worldstates[m.Time/1e8] = true
		}
	}
	for second, n := range perSecond {
		if n > 200 {
			t.Errorf("second %d: %d messages are kept, want at most 200", second, n)
		}
	}
	if len(worldstates) < seconds*10 {
		t.Errorf("%d windows of 100 ms have a worldstate, want all %d", len(worldstates), seconds*10)
	}
	omitted := 0
	for _, o := range r.omissions(game.Home) {
		omitted += int(o.Omitted)
	}
	if len(kept)+omitted != sent {
		t.Errorf("%d messages are kept and %d counted, want %d together", len(kept), omitted, sent)
	}
	home := r.box.Teams(now, true).Teams[0]
	if home.Omitted != uint64(omitted) || home.Messages != uint64(sent) {
		t.Errorf("the teams' page shows %d messages, %d of them not kept; want %d and %d", home.Messages, home.Omitted, sent,
			omitted)
	}
	if empty := home.Empty; home.Windows-windows < seconds*10 || empty > home.Windows-seconds*10 {
		t.Errorf("%d of %d windows are empty", empty, home.Windows)
	}
	if f := home.Findings[0]; f.Rule != "flood" || f.Count != uint64(omitted) || !strings.Contains(f.Text, "the referee box kept ") {
		t.Errorf("the worst finding is %+v", f)
	}
	if !strings.Contains(flooded, "floods: 100") || !strings.Contains(flooded, " kept") {
		t.Errorf("the referee's page shows %q", flooded)
	}
	if all := r.omissions(game.Away); all == nil {
		t.Error("nothing of 1,000 worldstates a second is omitted")
	}
}

// The journal keeps 2 MiB a second of a team: long messages are counted like many.
func TestLongMessagesAreBounded(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	long := []byte(`{"type":"worldstate","teamName":"` + string(bytes.Repeat([]byte("x"), 60<<10)) + `"}`)
	for range 100 {
		r.do(r.box.Receive(now, 1, long))
		now = r.tick(now, 10*time.Millisecond)
	}
	now = r.tick(now, 2*time.Second)
	size := 0
	for _, m := range r.logged(game.HomeChannel) {
		size += len(m.Data)
	}
	if size > 4<<20 || size < 1<<20 { // the messages may lie in two seconds
		t.Errorf("%d bytes of a second are kept", size)
	}
	if h := r.box.Teams(now, true).Teams[0]; h.Omitted == 0 || h.Bytes != 100*uint64(len(long)+1) {
		t.Errorf("%d messages omitted, %d bytes", h.Omitted, h.Bytes)
	}
}

// A real team, 50 worldstates of 10 kB a second, loses nothing, even when two seconds arrive at once.
func TestRealRateIsKept(t *testing.T) {
	r, now := playing(t, refbox.DefaultConfig())
	real := []byte(`{"type":"worldstate","teamName":"` + string(bytes.Repeat([]byte("x"), 10<<10)) + `"}`)
	n := 0
	for range 5 {
		for range 100 {
			r.do(r.box.Receive(now, 1, real))
			n++
		}
		now = r.tick(now, 2*time.Second)
	}
	if got := len(r.logged(game.HomeChannel)); got != n {
		t.Errorf("%d messages are kept, want %d", got, n)
	}
	if all := r.omissions(game.Home); all != nil {
		t.Errorf("omitted: %+v", all)
	}
}

// Texts of a team reach the pages, the lines of the log and the score clients without control characters and direction
// marks. The journal keeps the messages as they arrived.
func TestTextsArePrintable(t *testing.T) {
	cfg := refbox.DefaultConfig()
	cfg.StrictUpstream = true
	r, now := playing(t, cfg)
	const evil = "a\u202eb\u0085\u2028\u200b\u2066\ufeff"
	sent := []string{
		`{"type":"event","robotId":2,"event":"` + evil + `\u001b[2J\n"}`,
		`{"type":"worldstate","teamName":"` + evil + `"}`,
		`{"type":"worldstate","teamName":"CAMBADA","intention":"","robots":[{"id":1,"` + evil + `":"\u202e"}],"balls":"` + evil + `","obstacles":[],"ageMs":"` + evil + `"}`,
		evil + "\x1b[2J",
	}
	for _, m := range sent {
		r.do(r.box.Receive(now, 1, []byte(m)))
		now = r.tick(now, 10*time.Millisecond)
	}
	teams := r.box.Teams(now, true)
	for _, v := range []any{teams, r.box.Teams(now, false), r.box.Show(now), r.box.Referee(now)} {
		shown := strings.ReplaceAll(text(t, v), `\\`, "") // an excerpt may hold the text of an escape
		if strings.ContainsFunc(shown, isControl) || strings.Contains(shown, `\u001b`) || strings.Contains(shown, `\n`) {
			t.Errorf("%T holds control characters: %q", v, shown)
		}
	}
	if last := teams.Teams[0].LastEvent; !strings.HasPrefix(last, "robot 2: a.b") || len(teams.Teams[0].Findings) < 4 {
		t.Errorf("last event %q, findings %+v", last, teams.Teams[0].Findings)
	}
	for _, m := range r.logged(game.LinesChannel) {
		if strings.ContainsFunc(string(m.Data), isControl) {
			t.Errorf("line %q", m.Data)
		}
	}
	for i, m := range r.logged(game.HomeChannel) {
		if string(m.Data) != sent[i] {
			t.Errorf("the journal holds %q, want %q", m.Data, sent[i])
		}
	}
}

// isControl is wire.IsControl; tests of this package use the name wire for something else.
func isControl(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
