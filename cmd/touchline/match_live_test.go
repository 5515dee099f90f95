package main

import (
	"encoding/json"
	"strings"
	"testing"

	"touchline/internal/match/matchnet"
)

// A match in real time without a page is led through both halves to its end by its referee box, and says what it was like.
func TestLiveMatch(t *testing.T) {
	if testing.Short() {
		t.Skip("it plays in real time")
	}
	out, errs, code := touchline(t, "demo", "--match", "--half", "2s", "--away", "still", "--away-name", "Sharks",
		"--headless", "--json")
	var r matchnet.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit %d %s, printed %s: %v", code, errs, out, err)
	}
	if r.Part != "end" || r.Seconds < 10 || r.CPU <= 0 || len(r.Robots) != 10 || r.Names != [2]string{"touchline", "Sharks"} {
		t.Errorf("the report is %+v", r)
	}
	for _, robot := range r.Robots {
		if robot.Number < 5 && robot.Side == "home" && (robot.Period != 20 || robot.Periods < 100 || robot.P99 > robot.Worst+0.1) {
			t.Errorf("a robot that plays: %+v", robot)
		}
	}
}

// The page of a match is served in real time and in virtual time.
func TestServesMatch(t *testing.T) {
	for args, want := range map[string]string{
		"demo --match --duration 2s --http 127.0.0.1:0":                            "five against five in real time, seed 1, open this: http://127.0.0.1:",
		"demo --match --virtual --duration 1s --http 127.0.0.1:0":                  "five against five, seed 1, open this: http://127.0.0.1:",
		"demo --match --away external --half 20s --duration 1s --http 127.0.0.1:0": "team 2: python3 docs/team.py 127.0.0.1:",
	} {
		out, errs, code := touchline(t, strings.Fields(args)...)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, printed %q and %q, want %q", args, code, out, errs, want)
		}
	}
}

// Without a page, too, a match says where it waits for the program of its external team.
func TestLiveMatchWaits(t *testing.T) {
	out, errs, code := touchline(t, "demo", "--match", "--home", "external", "--headless", "--json", "--duration", "2s")
	var r matchnet.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Part != "pre-game" {
		t.Errorf("exit %d, printed %s: %v", code, out, err)
	}
	if !strings.Contains(errs, "home:          waits for a program that drives its robots at the field 127.0.0.1:") {
		t.Errorf("printed %q", errs)
	}
}

// Flags of a match that contradict each other, or mean nothing, are refused.
func TestMatchFlagsAreRefused(t *testing.T) {
	for args, want := range map[string]string{
		"demo --home-name Lions":                                   "--home-name is for a match: add --match",
		"demo --half 60s":                                          "--half is for a match: add --match",
		"demo --virtual":                                           "add --match",
		"demo --match --robots 3":                                  "has no --robots",
		"demo --match --story booking":                             "has no --story",
		"demo --match --json":                                      "--json needs --headless",
		"demo --match --virtual --headless":                        "leave out --headless",
		"demo --match --virtual --processes":                       "leave out --processes",
		"demo --match --virtual --away external":                   "--virtual: external programs play in real time",
		"demo --match --home dream":                                "--home \"dream\": want touchline",
		"demo --match --half 1500ms":                               "whole seconds",
		"demo --match --loss 2":                                    "loss",
		"demo --match --dir /dev/null/x --half 5s":                 "/dev/null",
		"demo --match --processes --home external --away external": "--processes: no team runs robots of touchline",
	} {
		out, errs, code := touchline(t, strings.Fields(args)...)
		if code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, printed %q and %q, want %q", args, code, out, errs, want)
		}
	}
}
