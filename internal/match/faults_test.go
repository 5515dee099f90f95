package match_test

import (
	"os"
	"strings"
	"testing"

	"touchline/internal/match"
)

// docs/match.md lists the faults as the table has them, and each example is a fault of a match.
func TestFaultTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/match.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range match.Faults() {
		row := "| `" + strings.ReplaceAll(k.Syntax, "|", "\\|") + "` | " + k.Help + " |\n"
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/match.md lacks %s", row)
		}
		cfg := short()
		f, err := match.ParseFault(k.Example)
		if cfg.Faults = append(cfg.Faults, f); err != nil || f.What != k.Name || cfg.Validate() != nil {
			t.Errorf("%s: got %+v, errors %v and %v", k.Example, f, err, cfg.Validate())
		}
	}
	for text, want := range map[string]string{
		"":                   "'crash home 1 10s 20s', 'gone away 30s' or 'silent 30s 33s'",
		"crash home 1":       "without the second time",
		"crash home x 1s 2s": "'gone away 30s'",
		"silent 30s":         "give the time at which it ends",
		"gone away 1s 2s 3s": "without the second time",
	} {
		if _, err := match.ParseFault(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
