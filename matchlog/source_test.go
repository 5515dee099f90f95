package matchlog_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"touchline/matchlog"
)

// zipOf returns a zip of files, in this order: name, text, name, text.
func zipOf(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := z.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSource checks that the bytes of each message stand where its Source says.
func TestSource(t *testing.T) {
	record := func(ms int, worldstate string) string {
		return fmt.Sprintf(`{"teamName": "A","timestamp": %d,"gametimeMs": 2,"worldstate": %s}`, 1467550001000+ms, worldstate)
	}
	files := map[string]string{
		"x.msl":   "New BaseStation @ 1.2.3.4\n\n1467550001020,00:40(00:00),Pre-Game,S,STOP\n",
		"x.A.msl": "[\n" + record(0, `{"a":1,`+"\n"+`"ageMs": 5}`) + ",\n\n" + record(10, ` {"b":2, "ageMs":5} `) + ",\n{\"no\":\n \"record\"}\n]",
		"x.B.msl": record(3, `{"quote"s": 1}`) + "\r\n,\r\n" + record(4, "[1]"),
	}
	var named []string
	for _, name := range []string{"x.B.msl", "x.msl", "x.A.msl"} {
		named = append(named, name, files[name])
	}
	dir := t.TempDir()
	check := func(l *matchlog.Log, file func(matchlog.Source) string, want int) {
		t.Helper()
		count := 0
		for _, m := range all(t, l, 0, 0) {
			if m.Channel == matchlog.States {
				if m.Source != (matchlog.Source{}) {
					t.Errorf("a state, which is in no file, is at %+v", m.Source)
				}
				continue
			}
			count++
			text := file(m.Source)
			if !strings.HasPrefix(text[m.Source.Offset:], string(m.Data)) {
				t.Errorf("%q is not at byte %d of %s", m.Data, m.Source.Offset, m.Source.File)
			}
			if n := int64(strings.Count(text[:m.Source.Offset], "\n")) + 1; m.Source.Line != 0 && m.Source.Line != n {
				t.Errorf("%q is in line %d of %s, not in %d", m.Data, n, m.Source.File, m.Source.Line)
			}
		}
		if count != want {
			t.Errorf("got %d messages, want %d", count, want)
		}
	}
	l := open(t, write(t, filepath.Join(dir, "x.zip"), zipOf(t, named...)))
	check(l, func(s matchlog.Source) string { return files[s.File] }, 7)
	if got := all(t, l, 0, 0, matchlog.HomeUntimed); len(got) != 1 || got[0].Time != 1467550001015e6 || got[0].Source.Line != 6 {
		t.Errorf("untimed: %+v", got)
	}
	alone := open(t, write(t, filepath.Join(dir, "x.A.msl"), []byte(files["x.A.msl"])))
	check(alone, func(s matchlog.Source) string { return map[string]string{"": files["x.A.msl"]}[s.File] }, 3)
	path := filepath.Join(dir, "x.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range l.Messages(0, 0) {
		if err == nil && m.Channel != matchlog.States {
			err = w.Write(m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check(open(t, path), func(matchlog.Source) string { return string(written) }, 7)
}

// TestFiles checks what a log says of the files that it was read from.
func TestFiles(t *testing.T) {
	record := `{"teamName": "A","timestamp": 1467550001000,"gametimeMs": 2,"worldstate": {"ageMs": 5}}`
	l := open(t, write(t, filepath.Join(t.TempDir(), "x.zip"),
		zipOf(t, "x.B.msl", "["+record+",\n"+record[:40], "x.A.msl", `[{"list": `+strings.Repeat(" ", 5<<20)+"}]", "x.msl", "")))
	l.Wait()
	want := []matchlog.FileInfo{
		{Name: "x.msl", Channel: matchlog.Lines},
		{Name: "x.A.msl", Channel: matchlog.Home, Error: "byte 1: a record of more than 4194304 bytes is not read"},
		{Name: "x.B.msl", Channel: matchlog.Away, Torn: true},
	}
	if got := l.Info().Files; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestNoRecords reads JSON messages that are no records: as a list, and one after the other.
func TestNoRecords(t *testing.T) {
	for _, text := range []string{`[{"type":"worldstate"},{"type":"event"}]`, "\xef\xbb\xbf{\"type\":\"worldstate\"}\n{\"type\":\"event\"}\n", "{}{}"} {
		l := open(t, write(t, filepath.Join(t.TempDir(), "x.json"), []byte(text)))
		if got := all(t, l, 0, 0, matchlog.HomeUntimed); len(got) != 2 || got[0].Time != 0 || l.Info().Format != "msl" {
			t.Errorf("%q gave %+v", text, got)
		}
	}
	for _, text := range []string{"", "{", "\x7b\x02", "hello", "\xd4\xc3\xb2\xa1"} {
		l, err := matchlog.Open(write(t, filepath.Join(t.TempDir(), "x.json"), []byte(text)))
		if err == nil {
			l.Close()
		}
		if text != "" && !errors.Is(err, matchlog.ErrFormat) { // an empty file may be a log that was just created
			t.Errorf("%q: got %v, want ErrFormat", text, err)
		}
	}
}

// TestMatches names the matches of a zip with several, and reads one of them.
func TestMatches(t *testing.T) {
	record := func(team string) string {
		return `[{"timestamp":1467555014000,"gametimeMs":0,"worldstate":{"type":"worldstate","teamName":"` + team + `"}}]`
	}
	dir := t.TempDir()
	write := func(name string, files ...string) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z := zip.NewWriter(f)
		for _, name := range files {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(w, record(name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	day := write("day.zip", "x/1.A.msl", "x/1.B.msl", "2.b.MSL", "notes.txt")
	for path, want := range map[string][]string{
		day: {"1", "2"}, write("one.zip", "left.A.msl", "right.B.msl", "events.msl"): {""}, filepath.Join(dir, "day.zip"): {"1", "2"},
	} {
		if got, err := matchlog.Matches(path); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
		}
	}
	if _, err := matchlog.Matches(filepath.Join(dir, "none.zip")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
	log, err := matchlog.OpenMatch(day, "2")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if err := log.Wait(); err != nil {
		t.Fatal(err)
	}
	if files := log.Info().Files; len(files) != 1 || files[0].Name != "2.b.MSL" {
		t.Errorf("got the files %+v, want 2.b.MSL", files)
	}
}
