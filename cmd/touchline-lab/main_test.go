package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/internal/console"
	"touchline/internal/lab"
)

func run(ctx context.Context, args []string, out, errs io.Writer) int {
	return console.Run(ctx, rootCommand(), args, out, errs)
}

func touchline(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var o, e bytes.Buffer
	code = run(ctx, args, &o, &e)
	return o.String(), e.String(), code
}

// single skips a test of virtual time where only the race detector is of interest: a session in virtual time is one
// goroutine, and the detector makes it ten times slower.
func single(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs on one goroutine")
	}
}

func TestWorld(t *testing.T) {
	single(t)
	for _, source := range []lab.Source{lab.Generator, lab.Simulator} {
		args := []string{"world", "--source", string(source), "--scenario", "loss30", "--seeds", "1", "--length", "10s"}
		table, errs, code := touchline(t, args...)
		lines := 14
		if source == lab.Generator {
			lines++ // raw over the TCM: in the simulator the robots themselves do that
		}
		if code != 0 || !strings.HasPrefix(table, "loss30 ") || strings.Count(table, "\n") != lines ||
			!strings.Contains(table, "touchline names healthy robots: 0 of ") {
			t.Errorf("%s: exit %d: %s%s", source, code, table, errs)
		}
		out, errs, code := touchline(t, append(args, "--json")...)
		var rows []lab.Result
		if err := json.Unmarshal([]byte(out), &rows); err != nil || code != 0 {
			t.Fatalf("%s: exit %d: %v in %s%s", source, code, err, out, errs)
		}
		if r := rows[0]; r.Source != source || r.Scenario != "loss30" || r.Estimator != lab.Ours || !(r.Capped > 0 && r.Capped < 1) {
			t.Errorf("%s: first row %+v", source, r)
		}
	}
	out, errs, code := touchline(t, "world", "--scenario", "loss30,nominal", "--seeds", "1", "--length", "10s", "--table")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 4 {
		t.Fatalf("exit %d, %d lines, want the head and two rows: %s%s", code, len(lines), out, errs)
	}
	for i, begin := range []string{"| scenario | ", "|---|", "| loss30 | 0.", "| nominal | 0."} {
		if !strings.HasPrefix(lines[i], begin) || strings.Count(lines[i], "|") != 13 {
			t.Errorf("line %d is %s, want 12 cells after %q", i, lines[i], begin)
		}
	}
	for line, want := range map[string]string{
		"--source field":                     `--source "field": want generator or simulator`,
		"--source simulator --scenario mm":   `--scenario: the simulator has no scenario "mm"; it has nominal, match, fastkicks`,
		"--scenario rain":                    `--scenario: the generator has no scenario "rain"; it has nominal, match`,
		"--source simulator --variant other": "--variant other changes the generator: leave out --source simulator",
		"--table --json":                     "--table and --json: want one of them",
		"--seeds 0":                          "--seeds must be 1 to 10000",
	} {
		_, errs, code := touchline(t, append([]string{"world"}, strings.Fields(line)...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s, want %s", line, code, errs, want)
		}
	}
}

func TestBooking(t *testing.T) {
	args := []string{"booking", "--loss", "0.3", "--burst", "5", "--robots", "4", "--seeds", "3", "--seconds", "40"}
	out, errs, code := touchline(t, append(args, "--protocol", "lease", "--json")...)
	var r struct {
		Double    *float64 `json:"double_pct"`
		Zero      *float64 `json:"zero_pct"`
		Wrong     *float64 `json:"wrong_pct"`
		Handovers *float64 `json:"handovers_per_min"`
		Gap       struct {
			P50 float64 `json:"p50"`
			P99 float64 `json:"p99"`
			Max float64 `json:"max"`
		} `json:"crash_gap_ms"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit %d: %v in %s%s", code, err, out, errs)
	}
	if r.Double == nil || r.Zero == nil || r.Wrong == nil || r.Handovers == nil || !(r.Gap.P50 > 100 && r.Gap.P50 <= r.Gap.Max) {
		t.Errorf("figures %s", out)
	}
	var tables []string
	for _, name := range []string{"auction", "cbba"} {
		out, errs, code := touchline(t, append(args, "--protocol", name, "--table")...)
		if code != 0 || !strings.HasPrefix(out, "| loss | protocol |") || !strings.Contains(out, "| 30 %, bursts of 5 | auction | ") {
			t.Errorf("%s: exit %d: %s%s", name, code, out, errs)
		}
		tables = append(tables, out)
	}
	if tables[0] != tables[1] {
		t.Errorf("cbba and auction differ:\n%s\n%s", tables[1], tables[0])
	}
	out, errs, code = touchline(t, append(args, "--protocol", "literal")...)
	if code != 0 || !strings.HasPrefix(out, "literal: 3 games of 40 s, 4 robots, loss 30 %, bursts of 5\n") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	for line, want := range map[string]string{
		"--protocol paxos":        `--protocol "paxos": want lease, budget, literal, nearest or auction (cbba)`,
		"--scene rain":            `--scene "rain": want match, lockstep or equal`,
		"--loss 1":                "--loss 1: want a share from 0 to below 1",
		"--loss some":             "--loss some: want a share from 0 to below 1",
		"--loss 0.9 --burst 2":    "--burst 2: a loss of 0.9 needs runs of at least 9 packets",
		"--robots 1":              "--robots 1: want 2 to 16",
		"--seeds 0":               "--seeds 0: want 1 to 1000000",
		"--seconds NaN":           "--seconds NaN: want 1 to 3600",
		"--json --table":          "--table and --json: want one of them",
		"--protocol lease please": `"please" is neither a command nor a flag`,
	} {
		_, errs, code := touchline(t, append([]string{"booking"}, strings.Fields(line)...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s, want %s", line, code, errs, want)
		}
	}
}

// An interrupted batch says how far it came, and fails.
func TestInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	dir := t.TempDir() // with a program touchline, which no batch starts
	if err := os.WriteFile(filepath.Join(dir, "touchline"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for line, want := range map[string]string{
		"world --scenario nominal,match": "0 of 2 scenarios are",
		"self --scenario nominal,kidnap": "0 of 2 scenarios are",
		"match --seeds 3":                "0 of 3 matches are",
		"match --seeds 3 --json":         "0 of 3 matches are",
		"booking --seeds 3":              "0 of 3 games are",
		"booking --check -n 3":           "0 of 11 explorations are",
		"camera --json":                  "0 of 5 parts are",
		"refbox-kill --n 3":              "0 of 3 kills are",
		"xg":                             "0 of 110000 shots are",
		"xg --matches 3":                 "0 of 3 matches are",
	} {
		var errs bytes.Buffer
		code := run(ctx, strings.Fields(line), io.Discard, &errs)
		if want := "touchline-lab: interrupted: " + want + " done\n"; code != 1 || !strings.HasSuffix(errs.String(), want) {
			t.Errorf("%s: exit %d, %q, want 1 and %q", line, code, errs.String(), want)
		}
	}
}

// One game has no confidence interval.
func TestBookingOneGame(t *testing.T) {
	args := []string{"booking", "--seeds", "1", "--seconds", "10"}
	out, errs, code := touchline(t, append(args, "--json")...)
	if code != 0 || !strings.Contains(out, `"one_pct_ci95": null`) {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if out, errs, code := touchline(t, args...); code != 0 || !strings.Contains(out, "(95 %: –)") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if out, errs, code := touchline(t, append(args, "--table")...); code != 0 || !strings.Contains(out, "± – |") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

func TestSelf(t *testing.T) {
	single(t)
	args := []string{"self", "--scenario", "nominal,kidnap", "--seeds", "1", "--length", "6s"}
	table, errs, code := touchline(t, args...)
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if code != 0 || len(lines) != 4 || !strings.HasPrefix(lines[2], "| nominal | 0.0") {
		t.Errorf("exit %d, want a head and two rows: %s%s", code, table, errs)
	}
	out, errs, code := touchline(t, append(args, "--json")...)
	var rows []lab.WalksResult
	if err := json.Unmarshal([]byte(out), &rows); err != nil || code != 0 || len(rows) != 6 {
		t.Fatalf("exit %d: %v in %s%s", code, err, out, errs)
	}
	if r := rows[0]; r.Scenario != "nominal" || r.Estimator != lab.WalksOurs || !(r.Median > 0 && r.Median < 0.1) {
		t.Errorf("first row %+v", r)
	}
	for _, wrong := range [][]string{{"--scenario", "moon"}, {"--seeds", "0"}, {"--length", "1s"}} {
		if _, errs, code := touchline(t, append([]string{"self"}, wrong...)...); code != 2 {
			t.Errorf("%v: exit %d: %s", wrong, code, errs)
		}
	}
}

func TestMatch(t *testing.T) {
	single(t)
	args := []string{"match", "--seeds", "2", "--half", "2s", "--away", "still"}
	text, errs, code := touchline(t, args...)
	if code != 0 || !strings.HasPrefix(text, "touchline against still: 2 matches of 2 x 2 s, 10 % loss\n") ||
		!strings.Contains(text, "\ncrowding, robots ") || !strings.Contains(text, " matches the ball was stuck ") {
		t.Errorf("exit %d: %s%s", code, text, errs)
	}
	out, errs, code := touchline(t, append(args, "--json")...)
	var r lab.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit %d: %v in %s%s", code, err, out, errs)
	}
	if f := r.Teams[1].Figures["coverage"]; r.Matches != 2 || r.Teams[1].Name != "still" || !(f.Mean > 0 && f.CI[0] <= f.Mean) {
		t.Errorf("got %+v", r)
	}
	table, errs, code := touchline(t, append(args, "--table")...)
	if lines := strings.Split(table, "\n"); code != 0 || len(lines) < 10 ||
		lines[0] != "| mean of 2 matches, 95 % | touchline | still | difference |" {
		t.Errorf("exit %d: %s%s", code, table, errs)
	}
	if text, _, code := touchline(t, "match", "--seeds", "1", "--half", "1s"); code != 0 || strings.Contains(text, "± 0") {
		t.Errorf("one match, exit %d: %s, want no interval", code, text)
	}
	for line, want := range map[string]string{
		"--home elves":                 `--home "elves": want touchline, `,
		"--seeds 0":                    "seeds: 0: want 1 to 1000000",
		"--half 0s":                    "half: 0s: want whole seconds",
		"--loss 2":                     "loss",
		"--home still --away external": "external: programs outside play in real time",
		"--json --table":               "--json and --table: want one of them",
	} {
		_, errs, code := touchline(t, append([]string{"match"}, strings.Fields(line)...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s, want %s", line, code, errs, want)
		}
	}
}

func TestXG(t *testing.T) {
	single(t)
	dir := t.TempDir()
	table, plot := filepath.Join(dir, "table.go"), filepath.Join(dir, "plot.svg")
	text, errs, code := touchline(t, "xg", "--shots", "100", "--checks", "100", "-o", table, "--plot", plot)
	if code != 0 || !strings.HasPrefix(text, "200 shots from ") || !strings.Contains(text, " | 10 | ") ||
		!strings.Contains(text, "\nwithin 3 points: ") {
		t.Errorf("exit %d: %s%s", code, text, errs)
	}
	for path, want := range map[string]string{table: "fitted to 100 shots", plot: "</svg>"} {
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %v, %s", path, err, data)
		}
	}
	out, errs, code := touchline(t, "xg", "--matches", "1", "--half", "30s", "--json")
	var r lab.XGMatches
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Matches != 1 || len(r.Bins) != 10 {
		t.Errorf("exit %d: %v in %s%s", code, err, out, errs)
	}
	for line, want := range map[string]string{
		"--shots 1":                "--shots 1: want 100 to 10000000",
		"--checks 1":               "--checks 1: want 100 to 10000000",
		"--matches -1":             "--matches must be 1 to 100000",
		"--matches 1 --half 1ms":   "--half whole seconds",
		"--matches 1 --large":      "--matches fits no table",
		"--matches 1 -o /dev/null": "--matches fits no table",
	} {
		_, errs, code := touchline(t, append([]string{"xg"}, strings.Fields(line)...)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %s, want %s", line, code, errs, want)
		}
	}
}

// A batch whose output cannot be written says so, and fails.
func TestFullDisk(t *testing.T) {
	for _, line := range []string{"--help", "booking --seeds 1 --seconds 1", "match --seeds 1 --half 1s",
		"world --scenario nominal --seeds 1 --length 5s", "self --scenario nominal --seeds 1 --length 5s"} {
		r, w := io.Pipe()
		r.CloseWithError(errors.New("no space left on device"))
		var errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), w, &errs); code != 1 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: exit %d, %q", line, code, errs.String())
		}
	}
}
