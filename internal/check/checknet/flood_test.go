package checknet_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "touchline/internal/check"
	"touchline/matchlog"
	"touchline/soccer"
)

// TestFlood reads the messages that a log counts and does not hold: its card names them, and so does that of its
// export, on which a line stands for them.
func TestFlood(t *testing.T) {
	const began = soccer.Time(1467550000e9)
	path := filepath.Join(t.TempDir(), "flood.mcap")
	w, err := matchlog.Create(path, map[string]string{
		matchlog.MetaHome: "CAMBADA", matchlog.MetaHomeShort: "CAMBADA", matchlog.MetaAway: "Water", matchlog.MetaAwayShort: "Water",
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		at := began + soccer.Time(i)*1e9
		for _, m := range []matchlog.Message{
			{Channel: matchlog.Home, Data: []byte(`{"type":"worldstate","teamName":"CAMBADA","robots":[],"balls":[],"obstacles":[],"ageMs":0}`)},
			{Channel: matchlog.Away, Data: []byte(`{"type":"worldstate","teamName":"Water","robots":[],"balls":[],"obstacles":[],"ageMs":0}`)},
			{Channel: matchlog.Omitted, Data: fmt.Appendf(nil, `{"time":%d,"side":"away","kept":200,"omitted":%d,"bytes":30}`, at, 9000+i)},
		} {
			m.Time = at
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log := open(t, path)
	var exported bytes.Buffer
	if err := matchlog.Write(&exported, log, matchlog.Options{}); err != nil {
		t.Fatal(err)
	}
	zip := filepath.Join(t.TempDir(), "flood.zip")
	if err := os.WriteFile(zip, exported.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, log := range map[string]*matchlog.Log{"the log": log, "its export": open(t, zip)} {
		all := reports(t, log)
		if len(all) != 2 {
			t.Fatalf("%s: %d cards", name, len(all))
		}
		for i, report := range all {
			text := ""
			for _, f := range report.Findings {
				if f.Rule == RuleFlood {
					text = f.Text
				}
			}
			want := ""
			if i == 1 {
				want = "up to 9202 messages in a second: the referee box kept 200 of them, and counted 27003 that are not in the log"
			}
			if text != want {
				t.Errorf("%s: the card of %s says %q, want %q", name, report.Team, text, want)
			}
		}
		summary, err := log.Summary("")
		if err != nil {
			t.Fatal(err)
		}
		noted := 0
		for _, e := range summary.Events {
			if e.Side == "away" && strings.Contains(e.Text, " messages not kept (30 bytes)") {
				noted++
			}
		}
		if noted != 3 {
			t.Errorf("%s: %d events name what is not kept, want 3: %+v", name, noted, summary.Events)
		}
	}
}
