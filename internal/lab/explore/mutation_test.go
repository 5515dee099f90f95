package explore

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutations are the classic mistakes of a booking protocol, each put back into the lease: the text in a file of package
// booking, and what takes its place. A mutation without a file continues the one before it.
var mutations = []struct{ name, file, is, becomes string }{
	{"a tie leaves two bookers", "receive.go", "return b.Booker < s.Booker", "return false"},
	{"a tie leaves no booker", "receive.go", "return b.Booker < s.Booker", "return true"},
	{"no hysteresis", "lease.go", "float64(c.Hysteresis*1000)", "0"},
	{"no timeout", "lease.go",
		"case silence > c.Lease, silence > c.Silence+wait && s.allMiss(c, now):",
		"case silence > time.Hour:"},
	{"the timeout's sign reversed", "lease.go", "case silence > c.Lease,", "case silence < c.Lease,"},
	{"a claim wins only if it is strictly nearer", "receive.go",
		"	case b.Epoch != s.Epoch:\n" +
			"		return newer(b.Epoch, s.Epoch)\n" +
			"	case s.Booker == 0:",
		"	case s.Booker == 0:"},
	{"", "receive.go", "return b.Booker < s.Booker", "return false"},
	{"old epochs are not fenced off", "receive.go", "return newer(b.Epoch, s.Epoch)", "return b.Claimed < s.Claimed"},
	{"every message overwrites the booking", "receive.go",
		"case age < c.Recent && (s.beats(&b) || s.over(c, now, &b)):",
		"case true:"},
	{"gossip that is no news counts", "receive.go",
		"case !newer(m.Epoch, s.Epoch) && newer(s.Sequence, m.Sequence):",
		"case false:"},
	{"", "receive.go", "case age < c.Recent && (", "case ("},
	{"a renewal that was held back counts in full", "receive.go", "	return latest\n", "	return heard\n"},
	{"gossip without the age", "receive.go", "heard := now.Add(-age)", "heard := now"},
	{"", "receive.go", "		if newer(b.Sequence, s.Sequence) {", "		if true {"},
	{"an expired booking is followed by the next epoch", "lease.go",
		"return s.Epoch, true",
		"return s.Epoch + 1, true"},
	{"the claimed distance may grow", "lease.go", "min(s.Claimed, s.Own), now", "s.Own, now"},
	{"a booker never gives way", "receive.go", "case age < c.Recent && (", "case s.Booker != c.Self && ("},
	{"the farther robots do not wait", "lease.go",
		"wait := time.Duration(s.rank(c, now)) * c.Slot",
		"wait := 0*c.Slot"},
	{"no release", "lease.go",
		"s.reason, s.repeats, s.due = b3p.Lost, c.Repeats, now.Add(c.Gap)",
		"s.Booker, s.Released = c.Self, 0; return"},
	{"a restarted robot does not listen", "lease.go",
		"s.ready, s.Since = now.Add(c.Listen), now.Add(c.Listen)",
		"s.ready, s.Since = now, now"},
	{"a booker renews nothing", "lease.go", "if now < s.due && !s.changed(c, now) {", "if true {"},
	{"a liar is never ignored", "receive.go", "case !ignored && now.Sub(m.turned) >= c.LieFor:", "case false:"},
	{"a false gossip is no lie", "receive.go", "case m.lied != 0 && now.Sub(m.lied) <= c.Recent, claims", "case claims"},
	{"a booker forgets what is told of itself", "receive.go",
		"s.Epoch, s.Sequence, s.due = m.Epoch, m.Sequence, now\n\t\treturn",
		"return"},
	{"a release does not end the epoch", "receive.go", "s.Epoch, s.due = epoch+1, now", "s.Counts.Old++"},
	{"", "receive.go", "|| s.Booker == c.Self || s.Booker == 0 {", "|| s.Booker == c.Self {"},
}

// Each mistake turns a test red: that of this package, or those of package booking.
func TestMutationsAreFound(t *testing.T) {
	short(t)
	for i := 0; i < len(mutations); {
		name, files := mutations[i].name, map[string]string{}
		for first := true; i < len(mutations) && (first || mutations[i].name == ""); first = false {
			mutate(t, files, mutations[i].file, mutations[i].is, mutations[i].becomes)
			i++
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if found := red(t, overlay(t, files)); found == "" {
				t.Error("all tests stay green")
			} else {
				t.Log(found)
			}
		})
	}
}

// overlay returns a file that tells the go command to take these texts for files of package booking.
func overlay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	write := func(name string, text []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for file, text := range files {
		at, err := filepath.Abs(filepath.Join("..", "..", "..", "booking", file))
		if err != nil {
			t.Fatal(err)
		}
		replace[at] = write(file, []byte(text))
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	return write("overlay.json", b)
}

// mutate puts a mistake into a file of package booking.
func mutate(t *testing.T, files map[string]string, file, is, becomes string) {
	t.Helper()
	if files[file] == "" {
		b, err := os.ReadFile(filepath.Join("..", "..", "..", "booking", file))
		if err != nil {
			t.Fatal(err)
		}
		files[file] = strings.ReplaceAll(string(b), "\r\n", "\n")
	}
	if n := strings.Count(files[file], is); n != 1 {
		t.Fatalf("%s contains %q %d times: adapt the mutation", file, is, n)
	}
	files[file] = strings.Replace(files[file], is, becomes, 1)
}

// red returns the first test that fails with the overlay; "": none.
func red(t *testing.T, overlay string) string {
	t.Helper()
	for _, args := range [][]string{{"-run", "^TestSmallTeams$", "."}, {"../../../booking"}} {
		args = append([]string{"test", "-vet=off", "-ldflags=-s -w", "-timeout", "5m", "-overlay", overlay}, args...)
		cmd := exec.Command("go", args...)
		out, err := cmd.CombinedOutput()
		text := string(out)
		switch {
		case err == nil:
			continue
		case strings.Contains(text, "[build failed]") || !strings.Contains(text, "--- FAIL: "):
			t.Fatalf("%v:\n%s", err, text)
		}
		_, text, _ = strings.Cut(text, "--- FAIL: ")
		lines := strings.SplitN(text, "\n", 3)
		return strings.TrimSpace(lines[0] + " " + strings.TrimSpace(lines[1]))
	}
	return ""
}
