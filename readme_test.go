package touchline_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeSnippet runs the README's library snippet as another module, as the README says.
func TestReadmeSnippet(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```go\n")
	code, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("the README has no Go snippet")
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	var out string
	for _, args := range [][]string{
		{"mod", "init", "mine"},
		{"mod", "edit", "-require", "touchline@v0.0.0", "-replace", "touchline=" + here},
		{"run", "."},
	} {
		c := exec.Command("go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		b, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, b)
		}
		out = string(b)
	}
	if want := "v2 from robot 2: ball at 2.00 0.50 m\n"; !strings.HasSuffix(out, want) {
		t.Errorf("it prints %q, want %q", out, want)
	}
}

// TestReadmeLength keeps the README short.
func TestReadmeLength(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(readme), "\n"); n > 120 {
		t.Errorf("the README has %d lines, at most 120", n)
	}
}
