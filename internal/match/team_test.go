package match

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"touchline/internal/robot/play"
)

// docs/play.json is the default state machine. A team that plays by it plays the same match, byte for byte, and one with a
// machine without dribbling plays another one.
func TestTeamWithMachine(t *testing.T) {
	const file = "../../docs/play.json"
	text, err := json.MarshalIndent(play.Default(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(bytes.TrimSpace(kept), text) {
		t.Errorf("%s (%v) is not the default machine: replace it by json.MarshalIndent(play.Default(), \"\", \"  \")", file, err)
	}
	played := func(read func(string) ([]byte, error)) string {
		cfg := DefaultMatchConfig()
		cfg.Half = 5 * time.Second
		if read != nil {
			if cfg.Home, err = FindTeam("play:"+file, read); err != nil {
				t.Fatal(err)
			}
		}
		return digest(t, cfg)
	}
	def := played(nil)
	if got := played(os.ReadFile); got != def {
		t.Errorf("the default machine from a file gives the match %s, without a file %s", got, def)
	}
	changed := bytes.ReplaceAll(text, []byte(`"behaviour": "dribble"`), []byte(`"behaviour": "clear"`))
	changed = bytes.ReplaceAll(changed, []byte(`"behaviour": "approach"`), []byte(`"behaviour": "stand"`))
	if got := played(func(string) ([]byte, error) { return changed, nil }); got == def {
		t.Error("another machine gives the same match")
	}
}

func TestBadMachine(t *testing.T) {
	missing := errors.New("missing.json: no such file")
	for want, file := range map[string]string{
		"":       "",
		"line 3": "{\n  \"name\": \"new\",\n  states: []\n}",
		"run":    `{"name":"new","states":[{"name":"a","behaviour":"run"}],"transitions":[]}`,
	} {
		_, err := FindTeam("play:new.json", func(path string) ([]byte, error) {
			if file == "" {
				return nil, missing
			}
			return []byte(file), nil
		})
		if file == "" && !errors.Is(err, missing) || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "play:") {
			t.Errorf("got %v, want an error with play: and %q", err, want)
		}
	}
}
