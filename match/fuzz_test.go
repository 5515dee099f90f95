package match

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport"
)

// FuzzCommand sends the page's commands with whatever body: the session goes on, and its wall can still be shown.
func FuzzCommand(f *testing.F) {
	for name, body := range map[string]string{
		"kick": `{"vx":1,"vy":2,"vz":3}`, "place-ball": `{"x":1,"y":2}`, "move-obstacle": `{"index":1,"x":0,"y":0}`,
		"move-robot": `{"number":1,"x":1e308,"y":-1e308,"theta":1e9}`, "switch": `{"number":2,"on":false}`,
		"substitute": `{"number":3}`, "pause": `{"paused":true}`, "dance": `[]`,
	} {
		f.Add(name, []byte(body))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		live, err := NewLive(DefaultConfig(), transport.Config{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		s := live.session
		s.send = func(uint8, []byte) {}
		s.Advance(soccer.Epoch.Add(200 * time.Millisecond))
		for range 3 {
			_ = live.do(name, body) // refused or carried out, but never worse
			s.Advance(s.now.Add(100 * time.Millisecond))
		}
		if _, err := json.Marshal(s.Wall()); err != nil {
			t.Fatal(err)
		}
		if n := len(s.Wall().Truth.Robots); n != 5 {
			t.Fatalf("%d robots stand on the field", n)
		}
	})
}
