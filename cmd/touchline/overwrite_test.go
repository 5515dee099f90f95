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
	for _, args := range []string{"record --duration 1s -o FILE", "demo --headless --duration 1s --speed max --record FILE",
		"match --half 1s --quiet --record FILE", "monitor --http 127.0.0.1:0 --duration 1s --record FILE", "log cut LOG -o FILE"} {
		capture := filepath.Join(t.TempDir(), "x.pcap")
		_, errs, code := touchline(t, strings.Fields(strings.NewReplacer("LOG", twoTeams(t), "FILE", capture).Replace(args))...)
		if _, err := os.Stat(capture); code != 2 || !strings.Contains(errs, "end it with .mcap") || err == nil {
			t.Errorf("%s: exit code %d, a file: %v; %s", args, code, err == nil, errs)
		}
	}
	page := filepath.Join(t.TempDir(), "report.html")
	for range 2 {
		if out, errs, _ := touchline(t, "check", twoTeams(t), "--html", page); errs != "" || out == "" {
			t.Errorf("the page is not written again: %s%s", out, errs)
		}
	}
}
