package refboxnet_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/internal/refbox"
)

// get asks for a part of the running game's log.
func (f *field) get(query, token string, v any) int {
	f.t.Helper()
	r, err := http.NewRequest(http.MethodGet, f.page.URL+"/api/logs/"+f.shelf()[0].Name+"/review"+query, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(v); err != nil {
		f.t.Fatal(err)
	}
	return answer.StatusCode
}

// A decision of the running game can be reviewed at once, by the referee alone, and the verdict survives a restart.
func TestReviewOfTheRunningGame(t *testing.T) {
	dir := t.TempDir()
	f := open(t, liveConfig(dir))
	home, _ := f.both()
	home.sends(worldstate("CAMBADA", 1))
	f.decide(`{"command":"KICKOFF","side":"home"}`, `{"command":"START"}`, `{"command":"STOP"}`, `{"command":"GOAL","side":"home"}`)
	var refused map[string]string
	if status := f.get("?decision=4", "no token", &refused); status != http.StatusForbidden {
		t.Errorf("without the token: %d, %v", status, refused)
	}
	if status := f.get("?decision=5", f.live.Token(), &refused); status != http.StatusBadRequest || !strings.Contains(refused["error"], "no decision 5") {
		t.Errorf("an unknown decision: %d, %v", status, refused)
	}
	var r analysis.Review
	if status := f.get("?decision=4", f.live.Token(), &r); status != http.StatusOK || r.Decision.Command != game.Goal ||
		r.Names != [2]string{"CAMBADA", "Tech United Eindhoven"} || r.Origin != analysis.FromWorldstates {
		t.Errorf("%d, %+v", status, r)
	}
	if _, trouble := f.post("verdict", `{"decision":4,"verdict":"upheld","note":"seen"}`, "no token"); trouble == "" {
		t.Error("a verdict without the token is taken")
	}
	for body, want := range map[string]string{
		`{"decision":4,"verdict":"upheld","note":"seen"}`: "", `{"decision":4}`: "want upheld", `{"found":"upheld"}`: "verdict: want",
	} {
		if _, trouble := f.post("verdict", body, f.live.Token()); want == "" && trouble != "" || !strings.Contains(trouble, want) {
			t.Errorf("%s: %q, want %q", body, trouble, want)
		}
	}
	f.stop()
	f = open(t, liveConfig(dir))
	var show refbox.RefereeShow
	f.topic("referee", &show, func() bool { return len(show.Entries) == 4 })
	if v := show.Entries[0].Verdict; v == nil || v.Found != game.Upheld || v.Note != "seen" {
		t.Errorf("after a restart: %+v", v)
	}
	var list analysislog.Decisions
	if f.get("", f.live.Token(), &list); len(list.Decisions) != 4 || list.Decisions[3].Verdict == nil || list.Decisions[3].Part != game.FirstHalf {
		t.Errorf("%+v", list)
	}
}
