package touchline_test

import (
	"os/exec"
	"strings"
	"testing"
)

// A failed stage of ./check does not end it, also not one in the background: the last line lists all that failed.
func TestCheckGoesOn(t *testing.T) {
	const stages = `
source <(sed '/^as_root/,$d' check)
broken() { false; echo "not reached"; }
beside() { stage "beside" broken; stage "beside, good" true; }
background beside
stage "first" true
stage "second" broken
stage "third" bash -c 'echo its output; exit 3'
stage "fourth" true
await
[ -z "$1" ] || rm -f "$work/failed"
echo ", nothing skipped" >"$work/skipped"
finish`
	run := func(green string) (string, error) {
		out, err := exec.Command("bash", "-c", stages, "./check", green).CombinedOutput()
		return string(out), err
	}
	out, err := run("")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	last := lines[len(lines)-1]
	if err == nil || !strings.HasPrefix(last, "FAILED after ") || strings.Contains(out, "not reached") {
		t.Errorf("it ends with %v:\n%s", err, out)
	}
	for _, want := range []string{"second", "third", "beside"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last line does not name %q: %s", want, last)
		}
	}
	for _, want := range []string{"s  first\n", "s  fourth\n", "s  beside, good\n", "its output\n", "FAILED  second after "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(last, "good") || strings.Contains(last, "first") || strings.Contains(last, "fourth") {
		t.Errorf("the last line names a stage that passed: %s", last)
	}
	if out, err := run("green"); err != nil || !strings.Contains(out, "all green after ") {
		t.Errorf("without failures it ends with %v:\n%s", err, out)
	}
}
