package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"touchline/internal/analysis/export"
	"touchline/matchlog"
)

// export writes a record of a match in each format, and says what it wrote.
func TestExport(t *testing.T) {
	single(t)
	log := filepath.Join(t.TempDir(), "m.mcap")
	if _, errs, code := touchline(t, "match", "--half", "6s", "--seed", "3", "--quiet", "--record", log); code != 0 {
		t.Fatal(errs)
	}
	for _, as := range export.Formats() {
		dir := filepath.Join(t.TempDir(), as)
		out, errs, code := touchline(t, "export", log, "--as", as, "-o", dir, "--json")
		var r export.Result
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.MatchID != "m" || r.Rate != 10 || r.Frames < 110 {
			t.Errorf("%s: exit %d, %v\n%s%s", as, code, err, out, errs)
		}
		for _, f := range r.Files {
			if info, err := os.Stat(filepath.Join(dir, f.Name)); err != nil || info.Size() != f.Bytes {
				t.Errorf("%s: %s: %v", as, f.Name, err)
			}
		}
		if _, errs, code := touchline(t, "export", log, "--as", as, "-o", dir); code != 2 || !strings.Contains(errs, "name a new or empty folder") {
			t.Errorf("%s again: exit %d, %s", as, code, errs)
		}
	}
	for want, args := range map[string]string{
		"export needs one FILE":   "export",
		"--as : want tracab":      "export LOG -o DIR",
		"-o is required":          "export LOG --as csv",
		"--rate 0: want a whole":  "export LOG --as csv -o DIR --rate 0",
		"--rate 40: the log":      "export LOG --as csv -o DIR --rate 40",
		"already contains m.mcap": "export LOG --as csv -o " + filepath.Dir(log),
		"name a new or empty":     "export LOG --as csv -o LOG",
	} {
		args := strings.Fields(strings.NewReplacer("LOG", log, "DIR", filepath.Join(t.TempDir(), "x")).Replace(args))
		if _, errs, code := touchline(t, args...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%q: exit %d, %s; want %q", args, code, errs, want)
		}
	}
	if _, errs, code := touchline(t, "export", twoTeams(t), "--as", "csv", "-o", t.TempDir(), "--rate", "25"); code != 2 ||
		!strings.Contains(errs, "only a record of touchline match is played again") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// A match that is played again has 50 frames a second, and each fifth one is that of the record. A record that does not
// hold what its flags play is refused.
func TestExportPlayedAgain(t *testing.T) {
	single(t)
	dir := t.TempDir()
	log, fork := filepath.Join(dir, "m.mcap"), filepath.Join(dir, "fork.mcap")
	if _, errs, code := touchline(t, "match", "--half", "6s", "--seed", "3", "--loss", "0.1", "--quiet", "--record", log); code != 0 {
		t.Fatal(errs)
	}
	if _, errs, code := touchline(t, "match", "--fork", log, "--at", "5s", "--seed", "8", "--quiet", "--record", fork); code != 0 {
		t.Fatal(errs)
	}
	for _, name := range []string{log, fork} {
		lines := func(args ...string) map[string]bool {
			to := filepath.Join(t.TempDir(), "x")
			if _, errs, code := touchline(t, append([]string{"export", name, "--as", "cdf", "-o", to}, args...)...); code != 0 {
				t.Fatal(errs)
			}
			text, err := os.ReadFile(filepath.Join(to, "tracking.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			all := map[string]bool{}
			for line := range strings.Lines(string(text)) {
				_, positions, _ := strings.Cut(line, `"timestamp":`) // frames are numbered by their rate
				all[withoutVelocities(positions)] = true
			}
			return all
		}
		own, again := lines(), lines("--rate", "50")
		if len(again) < 5*len(own)-10 {
			t.Errorf("%d frames, and %d played again", len(own), len(again))
		}
		for line := range own {
			if !again[line] {
				t.Fatalf("%s: not played again: %s", filepath.Base(name), line)
			}
		}
	}
	other := filepath.Join(dir, "other.mcap")
	copyLog(t, log, other, `"seed":3`, `"seed":4`)
	_, errs, code := touchline(t, "export", other, "--as", "cdf", "-o", filepath.Join(dir, "x"), "--rate", "50")
	if _, err := os.Stat(filepath.Join(dir, "x")); code != 1 || !strings.Contains(errs, "differs from its record") || err == nil {
		t.Errorf("another seed: exit %d, files are left: %t, %s", code, err == nil, errs)
	}
}

// withoutVelocities removes the velocities of a line: they follow from the frame before.
func withoutVelocities(line string) string {
	parts := strings.Split(line, `,"vel":`)
	for i, part := range parts[1:] {
		_, parts[i+1], _ = strings.Cut(part, "}")
		parts[i+1] = "}" + parts[i+1]
	}
	return strings.Join(parts, "")
}

// copyLog copies a log and replaces a text in its metadata.
func copyLog(t *testing.T, from, to, old, now string) {
	t.Helper()
	l, err := openLog(from)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	meta := map[string]string{}
	for key, value := range l.Info().Meta {
		meta[key] = strings.ReplaceAll(value, old, now)
	}
	if _, err := writeLog(to, meta, []*matchlog.Log{l}, 0, l.Info().End+1); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkExport exports the record of a match of 2 x 15 minutes.
func BenchmarkExport(b *testing.B) {
	log := filepath.Join(b.TempDir(), "m.mcap")
	args := []string{"match", "--half", "900s", "--seed", "7", "--loss", "0.1", "--quiet", "--record", log}
	if code := run(context.Background(), args, io.Discard, io.Discard); code != 0 {
		b.Fatalf("exit code %d", code)
	}
	for _, as := range export.Formats() {
		b.Run(as, func(b *testing.B) {
			for b.Loop() {
				l, err := openLog(log)
				if err != nil {
					b.Fatal(err)
				}
				e, err := export.Prepare(l, export.Options{Format: export.Format(as), Dir: filepath.Join(b.TempDir(), "x"), ID: "m"})
				if err == nil {
					_, err = e.Write(context.Background())
				}
				if err != nil {
					b.Fatal(err)
				}
				l.Close()
			}
		})
	}
}
