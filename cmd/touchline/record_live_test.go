package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"touchline/matchlog"
)

// recordOf runs a command with --record and returns the path of the record, and its messages by channel.
func recordOf(t *testing.T, args ...string) (path string, counts map[string]uint64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.mcap")
	if out, errs, code := touchline(t, append(args, "--record", path)...); code != 0 {
		t.Fatalf("%v: exit %d, printed %s%s", args, code, out, errs)
	}
	return path, channels(t, path)
}

// channels returns how many messages each channel of a finished log has.
func channels(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	info := l.Info()
	if !info.Finished || info.Torn != "" || len(info.Notes) > 0 {
		t.Errorf("the record is not whole: %+v", info)
	}
	counts := map[string]uint64{}
	for _, c := range info.Channels {
		counts[c.Name] = c.Count
	}
	return counts
}

// replayed checks that replay sends all datagrams of a record to a group, or those that were sent to it.
func replays(t *testing.T, path, group string, want uint64) {
	t.Helper()
	out, errs, code := touchline(t, "replay", path, "--to", group, "--speed", "64")
	if code != 0 || !strings.Contains(out, count(want, "message")) {
		t.Errorf("replay --to %s: exit %d, printed %s%s, want %d messages", group, code, out, errs, want)
	}
}

func TestRecordDemo(t *testing.T) {
	path, counts := recordOf(t, "demo", "--headless", "--duration", "2s", "--group", freeGroup(t))
	for channel, least := range map[string]uint64{
		matchlog.Packets: 50, "topic/wall": 5, matchlog.Home: 5, matchlog.Commands: 1, matchlog.Decisions: 1, matchlog.Truth: 5,
	} {
		if counts[channel] < least {
			t.Errorf("%s has %d messages, want at least %d", channel, counts[channel], least)
		}
	}
	report, code := check(t, "", "--json", path)
	if code != 0 || !strings.Contains(report, `"variant": "v2"`) || !strings.Contains(report, `"worldstates":`) {
		t.Errorf("check: exit %d, printed %s", code, report)
	}
	replays(t, path, freeGroup(t), counts[matchlog.Packets])
}

func TestRecordSimVSS(t *testing.T) {
	vision := freeGroup(t)
	path, counts := recordOf(t, "sim", "vss", "-H", "--duration", "1s", "--commands", "127.0.0.1:0", "--vision", vision,
		"--referee-group", freeGroup(t), "--placement-group", freeGroup(t), "--yellow", "builtin")
	if counts[matchlog.Packets] < 50 || counts["topic/vss"] < 3 {
		t.Errorf("got %v", counts)
	}
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var sent, commands uint64
	for m, err := range l.Messages(0, 0, matchlog.Packets) {
		if err != nil {
			t.Fatal(err)
		}
		switch p, err := matchlog.ParsePacket(m); {
		case err != nil:
			t.Fatal(err)
		case p.Channel == vision:
			sent++
		default:
			commands++
		}
	}
	if sent < 50 || commands < 50 {
		t.Errorf("got %d packets of vision, %d others", sent, commands)
	}
	replays(t, path, vision, sent)
}

// A station and its referee box record the same worldstates and commands.
func TestRecordStation(t *testing.T) {
	dir := t.TempDir()
	boxes := filepath.Join(dir, "box.mcap")
	f := referee(t, filepath.Join(dir, "games"), "--json", "--home", "39", "--record", boxes)
	var at struct{ BaseStations string }
	if err := json.Unmarshal([]byte(f.line(t)), &at); err != nil {
		t.Fatal(err)
	}
	path, sent := recordOf(t, "station", "--team", "39", "--refbox", at.BaseStations, "--group", freeGroup(t), "--event", "2:kick", "--duration", "3s")
	f.interrupt()
	if code := <-f.code; code != 0 {
		t.Fatalf("the referee box ended with %d", code)
	}
	received := channels(t, boxes)
	if n := sent[matchlog.Home]; n < 10 || received[matchlog.Home] != n || sent[matchlog.Commands] < 1 || received[matchlog.Admissions] < 1 {
		t.Errorf("sent %v, received %v", sent, received)
	}
	for _, name := range []string{path, boxes} {
		if report, code := check(t, "", "--json", name); code > 1 || !strings.Contains(report, `"side": "A"`) || !strings.Contains(report, `"events": 1`) {
			t.Errorf("check %s: exit %d, printed %s", name, code, report)
		}
	}
	again := referee(t, filepath.Join(dir, "again"), "--json", "--home", "39")
	if err := json.Unmarshal([]byte(again.line(t)), &at); err != nil {
		t.Fatal(err)
	}
	replays(t, path, at.BaseStations, sent[matchlog.Home])
	again.interrupt()
	<-again.code
}

// Recording into a file that exists is refused, since it may be the last match's log.
func TestRecordExists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	_, errs, code := touchline(t, "monitor", "--http", "127.0.0.1:0", "--duration", "1s", "--record", path)
	if code != 2 || !strings.Contains(errs, "--record "+path) || !strings.Contains(errs, "new file") {
		t.Errorf("exit %d, printed %s", code, errs)
	}
}
