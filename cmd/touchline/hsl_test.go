package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"touchline/internal/hslgame"
	"touchline/internal/playback"
	"touchline/internal/watch"
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
		"want first-half, timeout,":  "hsl --phase penalties",
		"want 1s to 10m":             "hsl --break 11m",
		"want 0 to 50000":            "hsl --shift-ports 60000",
		"there is no interface":      "hsl --interface nowhere0",
		"is for mixed teams":         "monitor --league hsl --group 224.16.32.75:2005",
		"needs --league hsl":         "monitor --gamecontroller 10.0.0.1",
		"want an IPv4 address":       "monitor --league hsl --gamecontroller here",
		"want 9x6, 14x9 or 22x14":    "monitor --league hsl --field 18x12",
		"want msl, hsl or ssl":       "monitor --league rugby",
	} {
		out, errs, code := touchline(t, strings.Fields(args)...)
		if code != 2 || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: code %d, %q, %q, want %q", args, code, out, errs, want)
		}
	}
}

// TestHSLRecord records a game of the Humanoid Soccer League, and reads the record with all that reads records.
func TestHSLRecord(t *testing.T) {
	shift, record := freeShift(t), filepath.Join(t.TempDir(), "game.mcap")
	ended := make(chan string, 1)
	go func() {
		out, errs, code := touchline(t, "hsl", "--shift-ports", shift, "--half", "40s", "--speed", "10", "--seed", "11", "--robots", "--json")
		var r hslgame.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
			t.Errorf("hsl: code %d, %v: %s%s", code, err, out, errs)
		}
		ended <- fmt.Sprintf("B-Human %d:%d ZJUDancer", r.Score[0], r.Score[1])
	}()
	var score string
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { score = <-ended; cancel() }()
	var out, errs bytes.Buffer
	if code := run(ctx, strings.Fields("monitor --league hsl --no-browser --http 127.0.0.1:0 --shift-ports "+shift+" --record "+record),
		&out, &errs); code != 0 {
		t.Fatalf("monitor: code %d: %s%s", code, &out, &errs)
	}
	page := filepath.Join(t.TempDir(), "report.html")
	for _, c := range []struct{ want, args string }{
		{score, "report -o " + page + " " + record},
		{"OK: no faults in", "check " + record},
		{"tracking.csv", "export --as csv -o " + filepath.Join(t.TempDir(), "csv") + " " + record},
		{"states", "log info " + record},
	} {
		if out, errs, code := touchline(t, strings.Fields(c.args)...); code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%s: code %d, %s%s, want %q", c.args, code, out, errs, c.want)
		}
	}
	replay, err := playback.OpenReplay(record)
	if err != nil {
		t.Fatal(err)
	}
	defer replay.Close()
	if err := replay.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	at, server := replay.State("").(*playback.State).To/2*1000, http.NewServeMux()
	for pattern, handler := range playback.Handlers(replay.Player) {
		server.Handle(pattern, handler)
	}
	get := func(path string, v any) {
		t.Helper()
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
			t.Fatalf("%s: %v: %.200s", path, err, w.Body)
		}
	}
	var shown struct{ Frames []playback.Frame }
	get(fmt.Sprintf("/api/session/frames?from=%f&to=%f&step=100", at, at), &shown)
	if len(shown.Frames) != 1 || len(shown.Frames[0].Wall.Tiles) != 14 || shown.Frames[0].Wall.Game == nil {
		t.Fatalf("frames %+v", shown.Frames)
	}
	var view watch.PacketView
	get(fmt.Sprintf("/api/session/packets?key=%s&at=%f", url.QueryEscape(shown.Frames[0].Wall.Tiles[9].Sender), at), &view)
	if len(view.Packets) == 0 || view.Own == nil || view.Packets[0].Variant != "forwarded return message" {
		t.Errorf("packets %+v", view)
	}
}
