package matchnet

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"touchline/internal/match"
	"touchline/soccer"
)

// FuzzCommand executes commands with any body: the session continues, and its wall can still be encoded.
func FuzzCommand(f *testing.F) {
	for name, body := range map[string]string{
		"kick": `{"vx":1,"vy":2,"vz":3}`, "place-ball": `{"x":1,"y":2}`, "move-obstacle": `{"index":1,"x":0,"y":0}`,
		"move-robot": `{"number":1,"x":1e308,"y":-1e308,"theta":1e9}`, "switch": `{"number":2,"on":false}`,
		"substitute": `{"number":3}`, "pause": `{"paused":true}`, "dance": `[]`,
		"crash": `{"number":2}`, "penalise": `{"number":3,"on":true}`, "partition": `{"robots":[1,2,300]}`,
		"next": `{}`, "figure": `{"number": 8}`,
	} {
		f.Add(name, []byte(body))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		s, err := New(Config{Match: match.DefaultConfig()}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		if s.core, err = match.New(match.DefaultConfig(), func(uint8, []byte) {}); err != nil {
			t.Fatal(err)
		}
		s.core.Advance(soccer.Epoch.Add(200 * time.Millisecond))
		for range 3 {
			_, _ = s.Commands().Do(name, body) // it may fail, but never panic
			s.core.Advance(s.core.Now().Add(100 * time.Millisecond))
		}
		if _, err := json.Marshal(s.core.Wall()); err != nil {
			t.Fatal(err)
		}
		if n := len(s.core.Wall().Truth.Robots); n != 5 {
			t.Fatalf("got %d robots on the field, want 5", n)
		}
	})
}
