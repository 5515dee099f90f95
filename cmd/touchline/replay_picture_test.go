package main

import (
	"strings"
	"testing"
)

// Each wrong use of --png says what to change. The browser test draws pictures.
func TestRefusedPictures(t *testing.T) {
	t.Setenv("CHROMIUM", "no-such-browser")
	log := twoTeams(t)
	for _, test := range []struct{ args, want string }{
		{"--at 3s", "--at requires --png FILE"},
		{"--size 800x600", "--size requires --png FILE"},
		{"--png x.png --to 127.0.0.1:28097", "leave out --to and --http"},
		{"--png x.png --at yesterday", "for example 10:12 or 612s"},
		{"--png x.png --at 2026-07-03T15:50:14Z", "as the page shows it"},
		{"--png x.png --size 100x100", "for example 1366x768"},
		{"--png x.png --at 0s", "--png x.png: the environment variable CHROMIUM names no program"},
	} {
		_, errs, code := touchline(t, append([]string{"replay", log}, strings.Fields(test.args)...)...)
		if code != 2 || !strings.Contains(errs, test.want) {
			t.Errorf("%s: got exit code %d and %q, want 2 and %q", test.args, code, errs, test.want)
		}
	}
}
