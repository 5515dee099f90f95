package main

import (
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
)

// A record tells the seed and the flags of the command that made it, without those that are secret or change nothing of
// it, and the page's list of logs shows them.
func TestRecordTellsItsOrigin(t *testing.T) {
	single(t)
	dir := t.TempDir()
	match, session := filepath.Join(dir, "m.mcap"), filepath.Join(dir, "s.mcap")
	for path, args := range map[string][]string{
		match:   {"match", "--half", "2s", "--seed", "7", "--loss", "0.1", "--fault", "silent 1s 2s", "--quiet"},
		session: {"demo", "--headless", "--speed", "max", "--duration", "2s", "--seed", "8"},
	} {
		if out, errs, code := touchline(t, append(args, "--record", path)...); code != 0 {
			t.Fatal(out, errs)
		}
	}
	want := map[string]string{
		"m.mcap": "seed 7, touchline match --fault 'silent 1s 2s' --half 2s --loss 0.1",
		"s.mcap": "seed 8, touchline demo --headless --speed max",
		"a.mcap": "",
	}
	files, origins := []string{match, session, twoTeams(t)}, map[string]string{}
	for _, path := range files {
		l, err := matchlog.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		origins[filepath.Base(path)] = originOf(l.Info().Meta)
		l.Close()
	}
	logs := &matchlognet.Logs{Files: files}
	defer logs.Close()
	answer := httptest.NewRecorder()
	listRecords(logs, origins).ServeHTTP(answer, httptest.NewRequest("GET", "/api/logs", nil))
	var list struct{ Logs []originRow }
	if err := json.Unmarshal(answer.Body.Bytes(), &list); err != nil || len(list.Logs) != len(want) {
		t.Fatalf("%v: the list is %s", err, answer.Body)
	}
	for _, row := range list.Logs {
		if row.Origin != want[row.Name] || row.Bytes == 0 {
			t.Errorf("%s: %q, want %q", row.Name, row.Origin, want[row.Name])
		}
	}
	if got := originOf(map[string]string{matchlog.MetaSeed: "1\x1b[2J", matchlog.MetaFlags: strings.Repeat("x", 1e6)}); len(got) > 300 ||
		strings.ContainsRune(got, '\x1b') {
		t.Errorf("hostile metadata gives %.400q", got)
	}
}
