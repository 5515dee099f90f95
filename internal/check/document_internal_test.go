package check

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDocument compares the table of docs/report-card.md with the rules.
func TestDocument(t *testing.T) {
	var want strings.Builder
	for _, r := range rules {
		limit := r.limit
		if limit == "" {
			limit = "any"
		}
		fmt.Fprintf(&want, "| %s | %s | %s |\n", r.name, r.text, limit)
	}
	page, err := os.ReadFile("../../docs/report-card.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| rule | what breaks it | from when on |\n|---|---|---|\n")
	if table, _, _ = strings.Cut(table, "\n\n"); table+"\n" != want.String() {
		t.Errorf("docs/report-card.md has the table\n%s\n\nwant\n%s", table, want.String())
	}
}

// TestRules wants a text, a source and a fix for each rule, and no rule twice.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		ofStream := r.judge != nil
		if r.text == "" || r.fix == "" || ofStream != (r.source != "") || ofStream && r.limit == "" || seen[r.name] {
			t.Errorf("%s is incomplete or there twice: %+v", r.name, r)
		}
		seen[r.name] = true
	}
	if Describe(RuleJump) != "robots that jump" || Describe("none") != "" {
		t.Errorf("Describe returns %q and %q", Describe(RuleJump), Describe("none"))
	}
}
