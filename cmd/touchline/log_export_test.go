package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"touchline/matchlog"
	"touchline/soccer"
)

// The number of messages of an export is that of the zip; a recording without a game gives none, and that is an error.
func TestLogExportCounts(t *testing.T) {
	for worldstates, want := range map[int]string{0: "no message of a team and no line of a referee box", 3: "game.zip: 3 messages, "} {
		dir := t.TempDir()
		path, out := filepath.Join(dir, "s.mcap"), filepath.Join(dir, "game.zip")
		w, err := matchlog.Create(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 + worldstates {
			m := matchlog.Message{Time: logBegan + soccer.Time(i)*5e7, Channel: matchlog.Packets, Data: []byte("packet")}
			if i < worldstates {
				m.Channel, m.Data = matchlog.Home, fmt.Appendf(nil, `{"type":"worldstate","teamName":"T","ageMs":%d}`, i)
			}
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"log", "export", path, "-o", out}, {"log", "cut", path, "-o", out}} {
			printed, errs, code := touchline(t, args...)
			_, err := os.Stat(out)
			if exists := err == nil; !strings.Contains(printed+errs, want) || exists != (worldstates > 0) || (code == 0) != exists {
				t.Errorf("%q of %d worldstates: exit code %d, a zip: %v, %s%s", args, worldstates, code, exists, printed, errs)
			}
			os.Remove(out)
		}
	}
}
