package teamcomnet

import (
	"testing"
	"time"

	"touchline/soccer"
)

// A boot is the tenths of a second since 2020-01-01, as docs/teamcom.md says.
func TestBootID(t *testing.T) {
	for text, want := range map[string]uint32{
		"2020-01-01T00:01:00Z": 600, "2026-11-27T09:00:00.35Z": 2_179_332_003, "1970-01-01T00:00:10Z": 1,
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := bootID(soccer.Time(at.UnixNano())); got != want {
			t.Errorf("a program that starts at %s has boot %d, want %d", text, got, want)
		}
	}
}
