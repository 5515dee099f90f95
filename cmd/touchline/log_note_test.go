package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// notesAs returns the notes of a log as log note prints them: number, times in s since its start, text.
func notesAs(t *testing.T, path string) (notes []shownNote) {
	t.Helper()
	out, errs, code := touchline(t, "log", "note", path, "--json")
	if err := json.Unmarshal([]byte(out), &notes); code != 0 || err != nil {
		t.Fatalf("log note %s: %d %v %s%s", path, code, err, out, errs)
	}
	return notes
}

// Notes of a log are written, listed and removed by their numbers, and copies keep those of their time.
func TestLogNote(t *testing.T) {
	path, dir := twoTeams(t), t.TempDir()
	for _, c := range [][]string{
		{"note 1 at 0:00.200: ball lost", "--at", "200ms", "ball lost"},
		{"note 2 at 0:00.100 to 0:00.600: pressing", "--at", "0:00.1", "--to", "0:00.6", " pressing "},
		{"note 3 at 0:00.900: late", "--at", "0.9s", "late"},
		{"note 3 is removed", "--remove", "3"},
		{"note 1 at 0:00.200: ball lost"},
	} {
		out, errs, code := touchline(t, append([]string{"log", "note", path}, c[1:]...)...)
		if code != 0 || !strings.Contains(out, c[0]) {
			t.Errorf("%q: %d %s%s, want %s", c[1:], code, out, errs, c[0])
		}
	}
	got := notesAs(t, path)
	if len(got) != 2 || got[0].ID != 2 || got[0].Start != 0.1 || got[0].End != 0.6 || got[0].Text != "pressing" || got[1].ID != 1 {
		t.Errorf("%+v", got)
	}
	if out, _, _ := touchline(t, "log", "info", path); !strings.Contains(out, "note 2 at 0:00.100 to 0:00.600: pressing\n") {
		t.Errorf("info: %s", out)
	}
	cut, both, zip := filepath.Join(dir, "cut.mcap"), filepath.Join(dir, "both.mcap"), filepath.Join(dir, "x.zip")
	if out, errs, code := touchline(t, "log", "cut", path, "--from", "0.3s", "-o", cut); code != 0 {
		t.Fatal(out, errs)
	}
	if got := notesAs(t, cut); len(got) != 1 || got[0].ID != 2 || got[0].Start != 0 || got[0].End != 0.3 {
		t.Errorf("cut: %+v", got)
	}
	if out, errs, code := touchline(t, "log", "merge", path, cut, "-o", both); code != 0 {
		t.Fatal(out, errs)
	}
	ids := map[int]bool{}
	for _, n := range notesAs(t, both) {
		ids[n.ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("merge: %+v, want three notes", notesAs(t, both))
	}
	if out, errs, code := touchline(t, "log", "export", path, "-o", zip); code != 0 || !strings.Contains(errs, "cannot hold notes") {
		t.Errorf("export: %d %s%s", code, out, errs)
	}
	if got := notesAs(t, zip); len(got) != 0 {
		t.Errorf("zip: %+v", got)
	}
}

// A note that cannot be meant, or a file that cannot hold it, is an error that says what to do.
func TestLogNoteRefuses(t *testing.T) {
	path := twoTeams(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	zip := filepath.Join(t.TempDir(), "x.zip")
	if out, errs, code := touchline(t, "log", "export", path, "-o", zip); code != 0 {
		t.Fatal(out, errs)
	}
	for want, args := range map[string][]string{
		"FILE is required":         {},
		"--at 1:12":                {path, "text"},
		"need the TEXT":            {path, "--at", "0:00"},
		"put the text in quotes":   {path, "two", "words", "--at", "0:00"},
		"is before --at":           {path, "x", "--at", "0.5s", "--to", "0.4s"},
		"not in the log":           {path, "x", "--at", "12:00"},
		"has no text":              {path, " ", "--at", "0:00"},
		"there is no note 4":       {path, "--remove", "4"},
		"takes no TEXT":            {path, "x", "--remove", "4"},
		"want the number":          {path, "--remove", "0"},
		"--at noon":                {path, "x", "--at", "noon"},
		"log cut " + zip:           {zip, "x", "--at", "0.1s"},
		"control character U+001B": {path, "\x1b[2J", "--at", "0.1s"},
	} {
		out, errs, code := touchline(t, append([]string{"log", "note"}, args...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%q: %d %s%s, want %s", args, code, out, errs, want)
		}
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != string(before) {
		t.Errorf("the log changed: %v", err)
	}
}
