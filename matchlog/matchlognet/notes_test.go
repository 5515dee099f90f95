package matchlognet_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"touchline/matchlog"
	"touchline/matchlog/matchlognet"
)

// Pages get the notes as they are in the file now, and the log with them. A log that is written says why it takes none.
func TestServeNotes(t *testing.T) {
	dir := t.TempDir()
	name, w := match(t, dir)
	logs := &matchlognet.Logs{Dir: dir, Annotates: true}
	get := serve(t, logs)
	notes := func() matchlognet.Notes {
		t.Helper()
		status, b := get("/api/logs/"+name+"/notes", "")
		return decode[matchlognet.Notes](t, status, b)
	}
	if _, err := w.Annotate(matchlog.Annotation{From: began + 1e9, To: began + 1e9, Text: "first"}); err != nil {
		t.Fatal(err)
	}
	if n := notes(); len(n.Notes) != 1 || n.Why == "" {
		t.Errorf("while it is written: %+v", n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	start := float64(began) / 1e6
	if status, b := get("/api/logs/"+name+"/mcap", ""); status != http.StatusOK || len(b) == 0 { // opens it
		t.Errorf("the file: %d", status)
	}
	if err := logs.Annotate(name, matchlognet.Note{From: start - 1e6, To: start + 2500.5, Text: " second "}); err != nil {
		t.Fatal(err)
	}
	want := matchlognet.Note{ID: 2, From: start, To: start + 2500.5, Text: "second"}
	if n := notes(); len(n.Notes) != 2 || n.Notes[0] != want || n.Why != "" {
		t.Errorf("got %+v, want %+v", n, want)
	}
	path := filepath.Join(t.TempDir(), "download.mcap")
	status, b := get("/api/logs/"+name+"/mcap", "")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	if list, err := matchlog.Annotations(path); status != http.StatusOK || err != nil || len(list) != 2 {
		t.Errorf("the downloaded file has the notes %v: %d %v", list, status, err)
	}
	status, b = get("/api/logs/"+name, "")
	if s := decode[matchlog.Summary](t, status, b); s.Ready != 1 || len(s.Events) == 0 {
		t.Errorf("the log is read to %v", s.Ready)
	}
	for _, n := range []matchlognet.Note{{ID: 9}, {Text: "x\n"}, {ID: -1, Text: "x"}} {
		n.Text += "\x1b"
		if err := logs.Annotate(name, n); err == nil {
			t.Errorf("%+v was written", n)
		}
	}
	if err := logs.Annotate("../"+name, matchlognet.Note{Text: "x"}); err == nil {
		t.Error("a log outside of the folder was annotated")
	}
	if status, b := get("/api/logs/none.mcap/notes", ""); status != http.StatusNotFound || !json.Valid(b) {
		t.Errorf("an unknown log: %d %s", status, b)
	}
}
