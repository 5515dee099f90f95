package wiretest

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// patience is how long Eventually waits: a machine that others load is slow, and no test depends on how fast it is.
const patience = 30 * time.Second

// Eventually waits until holds reports true, and fails the test when it does not within 30 s. what names the condition.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		time.Sleep(time.Millisecond)
	}
}

// Data returns the path of a file of real recordings by others, which may not be copied into this repository: in the
// folder that TOUCHLINE_DATA names, or in ../shared/data beside the repository. Where the folder is missing it skips the
// test, and ./check says so in its closing line; where CI is set it fails the test.
func Data(t testing.TB, elem ...string) string {
	t.Helper()
	dir := os.Getenv("TOUCHLINE_DATA")
	if dir == "" {
		dir = filepath.Join(repository(), "..", "shared", "data")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("no recordings at %s: CI needs them; set TOUCHLINE_DATA to their folder", path)
	}
	t.Skipf("no recordings at %s: set TOUCHLINE_DATA to their folder", path)
	return ""
}

// repository returns the folder that holds go.mod, from the folder of the test that runs.
func repository() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return "."
}
