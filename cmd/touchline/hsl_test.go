package main

import (
	"encoding/json"
	"net"
	"strconv"
	"strings"
	"testing"

	"touchline/internal/hslgame"
	"touchline/wire/hsl"
)

// freeShift returns what to add to the ports of the Humanoid Soccer League, which other programs of this machine may use.
func freeShift(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	by := conn.LocalAddr().(*net.UDPAddr).Port - hsl.ReturnPort
	if by > 50_000 { // the highest port of the league is 10000 + a team
		by -= 20_000
	}
	return strconv.Itoa(by)
}

// TestHSL plays a short game with synthetic robots to its end.
func TestHSL(t *testing.T) {
	args := []string{"hsl", "--shift-ports", freeShift(t), "--half", "20s", "--speed", "40", "--seed", "3", "--teams", "24,5"}
	out, errs, code := touchline(t, append(args, "--robots", "--json")...)
	var r hslgame.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	if code != 0 || !r.OK || len(r.Robots) != 14 || !strings.HasPrefix(r.State, "second half, finished") {
		t.Errorf("code %d, report %+v", code, r)
	}
	if !strings.Contains(errs, "HULKs against B-Human") {
		t.Errorf("it begins with %q", errs)
	}
	out, _, code = touchline(t, args...)
	if code != 0 || !strings.Contains(out, "no robot sent a return message") || !strings.Contains(out, "playing") {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestHSLFlags refuses games that cannot be played, and flags of monitors that have no effect.
func TestHSLFlags(t *testing.T) {
	for want, args := range map[string]string{
		"want two different numbers": "hsl --teams 5",
		"want two different":         "hsl --teams 5,5",
		"want 20s to 2h":             "hsl --half 1s",
		"want small, middle":         "hsl --division huge",
		"want 0 to 65535":            "hsl --budget 70000",
		"want 0 to 50000":            "hsl --shift-ports 60000",
		"there is no interface":      "hsl --interface nowhere0",
		"is for mixed teams":         "monitor --league hsl --group 224.16.32.75:2005",
		"needs --league hsl":         "monitor --gamecontroller 10.0.0.1",
		"want an IPv4 address":       "monitor --league hsl --gamecontroller here",
		"want 9x6, 14x9 or 22x14":    "monitor --league hsl --field 18x12",
		"want msl or hsl":            "monitor --league ssl",
	} {
		out, errs, code := touchline(t, strings.Fields(args)...)
		if code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: code %d, %q, %q, want %q", args, code, out, errs, want)
		}
	}
}
