package touchline_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestReadmeSnippet runs the README's library snippet as another module, as the README describes.
func TestReadmeSnippet(t *testing.T) {
	out, err := exec.Command(buildGo(t, t.TempDir(), snippet(t, "README.md", "go"))).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := "v2 from robot 2: ball at 2.00 0.50 m\n"; string(out) != want {
		t.Errorf("the snippet prints %q, want %q", out, want)
	}
}

// TestReadmeLength keeps the README short.
func TestReadmeLength(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > 120 {
		t.Errorf("the README has %d lines, want at most 120", n)
	}
}
