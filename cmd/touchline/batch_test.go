package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/internal/batch"
	"touchline/internal/batch/batchnet"
	"touchline/internal/stat"
)

// writePlan plans a small matrix in a new folder and returns the folder.
func writePlan(t *testing.T, matrix string) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile("../../docs/play.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"new.json": text, "m.toml": []byte(matrix)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, errs, code := touchline(t, "batch", "plan", filepath.Join(dir, "m.toml"), "-o", filepath.Join(dir, "plan.json"))
	if code != 0 || !strings.Contains(out, "core-seconds") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	return dir
}

const smallMatrix = `
name = "small"
half = "1s"
seeds = 1
teams = ["touchline", "still", "play:new.json"]

[[network]]
name = "lossy"
loss = 0.1
`

// One run and eight slices give reports that are equal byte by byte: text, JSON, page, CSV and Parquet. A match of the plan
// is played again and is that of its result.
func TestBatchSlices(t *testing.T) {
	single(t)
	dir := writePlan(t, smallMatrix)
	plan := filepath.Join(dir, "plan.json")
	report := func(results string) string {
		all := ""
		for _, args := range [][]string{
			{"--json"}, {"-o", filepath.Join(dir, "r.html"), "--csv", filepath.Join(dir, "r.csv"), "--parquet", filepath.Join(dir, "r.parquet")},
		} {
			out, errs, code := touchline(t, append([]string{"batch", "report", results}, args...)...)
			if code != 0 {
				t.Fatalf("exit %d, %s", code, errs)
			}
			all += out
		}
		for _, name := range []string{"r.html", "r.csv", "r.parquet"} {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all += string(b)
		}
		return all
	}
	whole, sliced := filepath.Join(dir, "whole"), filepath.Join(dir, "sliced")
	if out, errs, code := touchline(t, "batch", "run", plan, "--dir", whole); code != 0 || !strings.Contains(out, "6 were played now") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	for n := 8; n >= 1; n-- {
		out, errs, code := touchline(t, "batch", "run", plan, "--dir", sliced, "--slice", fmt.Sprintf("%d/8", n), "--json")
		var r batchRan
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Played != r.Jobs || r.Jobs > 1 {
			t.Fatalf("slice %d: exit %d, %s%s", n, code, out, errs)
		}
	}
	if one, eight := report(whole), report(sliced); one != eight {
		t.Error("eight slices give another report than one run")
	}
	if out, _, code := touchline(t, "batch", "run", plan, "--dir", whole); code != 0 || !strings.Contains(out, "6 had a result, 0 were played") {
		t.Errorf("again: exit %d, %s", code, out)
	}
	p, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	read, err := batch.ParsePlan(p)
	if err != nil {
		t.Fatal(err)
	}
	id := read.Jobs()[2].ID
	if out, errs, code := touchline(t, "match", "--job", id[:8], "--plan", whole, "--json"); code != 0 || !strings.Contains(out, `"over": true`) {
		t.Errorf("the match again: exit %d, %s%s", code, out, errs)
	}
	path := filepath.Join(whole, id[:2], id+".json")
	if err := os.WriteFile(path, []byte("torn"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, _, code := touchline(t, "batch", "status", whole); code != 1 || !strings.Contains(out, "5 of 6 matches") || !strings.Contains(out, path) {
		t.Errorf("a torn result: exit %d, %s", code, out)
	}
	if out, errs, code := touchline(t, "batch", "run", plan, "--dir", whole); code != 0 || !strings.Contains(errs, "played again: "+path) ||
		!strings.Contains(out, "1 were played") {
		t.Errorf("a torn result: exit %d, %s%s", code, out, errs)
	}
	if one, eight := report(whole), report(sliced); one != eight {
		t.Error("the result that was played again is another one")
	}
}

// Slices come from the flag or from the variables of a cluster.
func TestSliceOf(t *testing.T) {
	for _, c := range []struct {
		flag   string
		slices int
		vars   string
		n, of  int
		want   string // in the error
	}{
		{"", 0, "", 1, 1, ""},
		{"7/100", 0, "SLURM_ARRAY_TASK_ID=3", 7, 100, ""},
		{"", 0, "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=24", 3, 24, ""},
		{"", 0, "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=24", 4, 24, ""},
		{"", 0, "SLURM_ARRAY_TASK_ID=21 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=10 SLURM_ARRAY_TASK_COUNT=3", 3, 3, ""},
		{"", 8, "JOB_COMPLETION_INDEX=0", 1, 8, ""},
		{"", 0, "JOB_COMPLETION_INDEX=0", 0, 0, "--slices"},
		{"", 0, "CI_NODE_INDEX=2 CI_NODE_TOTAL=4", 2, 4, ""},
		{"", 0, "CI_NODE_INDEX=two CI_NODE_TOTAL=4", 0, 0, `CI_NODE_INDEX="two"`},
		{"7", 0, "", 0, 0, "want N/M"},
		{"7/8x", 0, "", 0, 0, "want N/M"},
		{"", 8, "", 0, 0, "--slice N/M"},
	} {
		vars := map[string]string{}
		for _, v := range strings.Fields(c.vars) {
			name, value, _ := strings.Cut(v, "=")
			vars[name] = value
		}
		n, of, err := sliceOf(c.flag, c.slices, func(name string) string { return vars[name] })
		if c.want == "" && (err != nil || n != c.n || of != c.of) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q %d %s: got %d/%d, %v", c.flag, c.slices, c.vars, n, of, err)
		}
	}
}

// A team that does not move loses: compare finds it, and stops before --pairs; the JSON is that of the test.
func TestBatchCompare(t *testing.T) {
	single(t)
	out, errs, code := touchline(t, "batch", "compare", "touchline", "still", "--half", "1s", "--pairs", "3", "--json")
	var r batchCompared
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 1 {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	if r.Matches != 6 || r.Pairs.Count() != 3 || r.Won+r.Drawn+r.Lost != 6 || r.Verdict != stat.GoOn || len(r.Figures) < 10 {
		t.Errorf("%+v", r)
	}
	dir := filepath.Join(t.TempDir(), "c")
	for _, pairs := range []string{"1", "2"} { // more pairs go on in the same folder
		if out, errs, code := touchline(t, "batch", "compare", "touchline", "still", "--half", "1s", "--pairs", pairs, "--dir", dir); code != 1 ||
			!strings.Contains(out, "in "+pairs+" pairs") {
			t.Errorf("%s pairs: exit %d, %s%s", pairs, code, out, errs)
		}
	}
	for _, d := range r.Figures {
		if d.Name == "driven" && !(*d.A > 2 && *d.B < 0.5) {
			t.Errorf("the team that moves drove %v m, the other one %v", *d.A, *d.B)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"touchline touchline", "are the same team"}, {"touchline still --elo0 5 --elo1 5", "--elo0 5 --elo1 5"}, {"touchline nobody", "nobody"},
		{"touchline external", "in real time"}, {"touchline still --fault boom", "--fault"}, {"touchline still --cores -1", "--cores"},
		{"touchline still --pairs 0", "--pairs 0: want 1 to"},
		{"touchline still --half 600s", "--yes"},
	} {
		if _, errs, code := touchline(t, append([]string{"batch", "compare"}, strings.Fields(c.args)...)...); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, %s", c.args, code, errs)
		}
	}
}

// A league reports, and tuning writes a machine that plays.
func TestBatchLeagueAndTune(t *testing.T) {
	single(t)
	dir := t.TempDir()
	out, errs, code := touchline(t, "batch", "league", "touchline", "still", "../../docs/play.json", "--half", "1s", "--seeds", "1",
		"--dir", filepath.Join(dir, "l"), "-o", filepath.Join(dir, "l.html"))
	if code != 0 || !strings.Contains(out, "play:../../docs/play.json") || !strings.Contains(out, "won-drawn-lost") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "l.html")); err != nil || !strings.Contains(string(page), "<svg") {
		t.Errorf("the page: %v", err)
	}
	tuned := filepath.Join(dir, "tuned.json")
	args := []string{"batch", "tune", "../../docs/play.json", "-o", tuned, "--half", "1s", "--steps", "2", "--pairs", "1",
		"--yes"}
	if out, errs, code := touchline(t, args...); code != 0 || !strings.Contains(out, "--seed 3") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if _, errs, code := touchline(t, "match", "--half", "1s", "--home", "play:"+tuned, "--quiet"); code != 0 {
		t.Errorf("the tuned machine: exit %d, %s", code, errs)
	}
	if _, errs, code := touchline(t, args...); code != 2 || !strings.Contains(errs, "the file exists") {
		t.Errorf("the file exists: exit %d, %s", code, errs)
	}
}

// A search that is interrupted after a step writes what it has found.
func TestTuneInterrupted(t *testing.T) {
	single(t)
	tuned := filepath.Join(t.TempDir(), "tuned.json")
	args := []string{"batch", "tune", "../../docs/play.json", "-o", tuned, "--half", "1s", "--steps", "10000", "--pairs", "1", "--yes"}
	for wait := 2 * time.Second; ; wait *= 2 {
		ctx, interrupt := context.WithCancel(t.Context())
		timer := time.AfterFunc(wait, interrupt)
		var out, errs bytes.Buffer
		code := run(ctx, args, &out, &errs)
		timer.Stop()
		interrupt()
		if code == 0 || !strings.Contains(errs.String(), "interrupted: ") {
			t.Fatalf("exit %d, %s%s", code, &out, &errs)
		}
		if !strings.Contains(errs.String(), "interrupted: 0 of") {
			break // otherwise this machine needs more time for a step
		}
	}
	if _, errs, code := touchline(t, "match", "--half", "1s", "--home", "play:"+tuned, "--quiet"); code != 0 {
		t.Errorf("the machine that was found: exit %d, %s", code, errs)
	}
}

// Batch explains each refusal.
func TestBatchMisuse(t *testing.T) {
	single(t)
	dir := writePlan(t, smallMatrix)
	plan := filepath.Join(dir, "plan.json")
	text, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.json")
	if err := os.WriteFile(other, []byte(strings.Replace(string(text), `"behaviour": "`, `"behaviour": "0`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"batch", "needs a command"},
		{"batch run " + plan, "--dir is missing"},
		{"batch run " + plan + " --dir " + dir + " --slice 3/2", "want N/M with N from 1 to M"},
		{"batch run " + other + " --dir " + dir + "/r", "plan the matrix again"},
		{"batch run " + dir + "/m.toml --dir " + dir + "/r", "is not a JSON object"},
		{"batch run " + plan + " --dir " + plan, "--dir"},
		{"batch status " + dir + "/none", "want a folder"},
		{"batch plan " + dir + "/m.toml", "-o is missing"},
		{"batch plan " + dir + "/m.toml -o " + dir + "/new.json", "not an earlier report"},
		{"batch plan " + dir + "/new.json -o x.json", "unknown key"},
		{"batch emit pbs " + plan, "want slurm, kubernetes, github or parallel"},
		{"batch emit slurm " + plan + " --slices 5000", "--slices 5000: want 1 to 1000"},
		{"match --job 00", "--job needs --plan"},
		{"match --job zz --plan " + plan, "no such match"},
		{"match --job 0 --plan " + plan + " --seed 3", "--seed: leave it out"},
		{"batch tune ../../docs/play.json -o " + dir + "/x.json --parameters a>b", "no such transition"},
		{"batch tune ../../docs/play.json -o " + dir + "/x.json --parameters team>search=0s..1s --parameters team>defend=0s..1s " +
			"--parameters team>support=0s..1s", "in turn without time"},
	} {
		if out, errs, code := touchline(t, strings.Fields(c.args)...); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: exit %d, want %q, got %s%s", c.args, code, c.want, out, errs)
		}
	}
}

// A team that is a program plays in a batch: with the matrix's folder around it, and only as the version that was planned.
func TestBatchProgram(t *testing.T) {
	single(t)
	dir := writePlan(t, "half = \"1s\"\nseeds = 1\nteams = [\"touchline\", \"still\"]")
	team, err := os.ReadFile("../../docs/team.py")
	if err != nil {
		t.Fatal(err)
	}
	mine, plan, results := filepath.Join(dir, "mine.py"), filepath.Join(dir, "plan.json"), filepath.Join(dir, "results")
	matrix := "half = \"1s\"\nseeds = 1\nteams = [\"still\", \"program:python3 mine.py - {team} {robots}\"]"
	for path, text := range map[string]string{mine: string(team), filepath.Join(dir, "m.toml"): matrix} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	try := func(code int, want string, args ...string) {
		t.Helper()
		out, errs, got := touchline(t, args...)
		if got != code || !strings.Contains(out+errs, want) {
			t.Errorf("%s: exit %d, want %d; printed %s%s, want %s", args, got, code, out, errs, want)
		}
	}
	try(0, "told by the SHA-256 of its files: mine.py (", "batch", "plan", filepath.Join(dir, "m.toml"), "-o", plan)
	try(2, "workers run no commands from a queue", "batch", "run", plan, "--dir", results, "--nats", "nats://127.0.0.1:1")
	try(2, "workers run no commands from a queue", "batch", "compare", "still", "program:none", "--nats", "nats://127.0.0.1:1")
	if _, err := os.Stat(results); err == nil {
		t.Error("a refused run makes a folder")
	}
	try(0, "2 were played now", "batch", "run", plan, "--dir", results)
	try(0, "python3 mine.py", "batch", "report", results)
	p, err := batchnet.ReadPlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	id := p.Jobs()[1].ID
	try(0, "python3 mine.py", "match", "--job", id, "--plan", results)
	if err := os.WriteFile(mine, append(team, "# changed\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	try(2, "mine.py has changed since the plan was made", "batch", "run", plan, "--dir", results)
	try(2, "mine.py has changed since the plan was made", "match", "--job", id, "--plan", results)
	try(0, "2 matches", "batch", "plan", plan, "-o", filepath.Join(dir, "again.json"))
	try(1, "none of the first 10 pairs of matches ended", "batch", "compare", "still", "program:false", "--half", "1s", "--yes")
}
