package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A report replaces an earlier report and no other file, such as the log that a shell's *.zip put behind --html. A
// capture replaces nothing.
func TestReportsReplaceNoLogs(t *testing.T) {
	for name, line := range map[string]string{
		"html":  "check LOG --html FILE",
		"junit": "match --half 1s --quiet --junit FILE",
		"png":   "replay LOG --png FILE",
		"pcap":  "sim vss --headless --duration 16ms --record FILE",
	} {
		t.Run(name, func(t *testing.T) {
			log := twoTeams(t)
			before, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			precious := strings.TrimSuffix(log, ".mcap") + ".log"
			if err := os.WriteFile(precious, before, 0o644); err != nil {
				t.Fatal(err)
			}
			args := strings.Fields(strings.NewReplacer("LOG", log, "FILE", precious).Replace(line))
			_, errs, code := touchline(t, args...)
			after, err := os.ReadFile(precious)
			if code != 2 || !strings.Contains(errs, "exists") || err != nil || string(after) != string(before) {
				t.Errorf("%q: exit code %d, %d bytes are left of %d, %v\n%s", args, code, len(after), len(before), err, errs)
			}
		})
	}
	page := filepath.Join(t.TempDir(), "report.html")
	for range 2 {
		if out, errs, _ := touchline(t, "check", twoTeams(t), "--html", page); errs != "" || out == "" {
			t.Errorf("the page is not written again: %s%s", out, errs)
		}
	}
}
