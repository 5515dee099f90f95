package monitor

import (
	"os"
	"strings"
	"testing"
)

// An error of Find names what is missing and how to install it.
func TestFindWithoutBrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("ProgramFiles", t.TempDir())
	t.Setenv("CHROMIUM", "")
	if path, err := Find(); err == nil {
		t.Logf("this machine has %s outside of PATH", path)
	} else if text := err.Error(); !strings.Contains(text, "install one") || !strings.Contains(text, "CHROMIUM") {
		t.Errorf("got %q, want how to install a browser, and CHROMIUM", text)
	}
	t.Setenv("CHROMIUM", "no-such-browser")
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "no-such-browser") {
		t.Errorf("got %v, want an error that names no-such-browser", err)
	}
}

// A program that is no browser ends at once, and its folder is deleted.
func TestBrowserThatEnds(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	cfg := DefaultScreenshotConfig()
	cfg.Browser = os.Args[0] // this test does not know the browser's flags
	if _, _, err := Take(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "ended: ") {
		t.Errorf("got %v, want an error with the last message of the program", err)
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) != 0 {
		t.Errorf("got %v and %v in the temporary folder, want nothing", err, left)
	}
}
