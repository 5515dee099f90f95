package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"touchline/internal/control"
	"touchline/internal/manager/managernet"
	"touchline/internal/monitor"
	"touchline/internal/playback"
	"touchline/matchlog"
)

// A session in virtual time prints and records the same bytes in each run and on every processor.
func TestVirtualDemo(t *testing.T) {
	single(t)
	const golden = "7382b76ee39d77e9"
	run := func(seed string) (printed, record []byte, path string) {
		t.Helper()
		path = filepath.Join(t.TempDir(), "s.mcap")
		args := []string{"demo", "--seed", seed, "--headless", "--speed", "max", "--duration", "20s", "--json"}
		out, errs, code := touchline(t, append(args, "--record", path)...)
		if code != 0 {
			t.Fatalf("exit %d, printed %s", code, errs)
		}
		if bare, _, _ := touchline(t, args...); bare != out {
			t.Errorf("without --record it printed %s, with it %s", bare, out)
		}
		record, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if counts := channels(t, path); counts[matchlog.Packets] < 1500 || counts[matchlog.TCM] < 5000 ||
			counts["topic/wall"] != 200 || counts["topic/network"] != 40 {
			t.Errorf("the record has %v", counts)
		}
		return []byte(out), record, path
	}
	printed, record, path := run("3")
	again, recordAgain, _ := run("3")
	if !bytes.Equal(printed, again) || !bytes.Equal(record, recordAgain) {
		t.Error("two runs with one seed differ")
	}
	if other, _, _ := run("4"); bytes.Equal(printed, other) {
		t.Error("two seeds give the same scores")
	}
	if got := hashOf(t, printed, path); got != golden {
		t.Errorf("got hash %s, want %s: after an intended change of the session replace the constant", got, golden)
	}
}

// hashOf returns a hash of the scores, and of the recorded packets and datagrams of the TCM with their times.
func hashOf(t *testing.T, printed []byte, path string) string {
	t.Helper()
	h := sha256.New()
	h.Write(printed)
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for m, err := range l.Messages(0, 0, matchlog.Packets, matchlog.TCM) {
		if err != nil {
			t.Fatal(err)
		}
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(m.Time)))
		h.Write(m.Data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func TestSpeedIsChecked(t *testing.T) {
	for _, args := range [][]string{
		{"--speed", "2"}, {"--speed", "max"}, {"--speed", "max", "--headless"}, {"--speed", "max", "--duration", "1s"},
	} {
		_, errs, code := touchline(t, append([]string{"demo"}, args...)...)
		if code != 2 || !strings.Contains(errs, "--speed") || !strings.Contains(errs, "want") && !strings.Contains(errs, "60s") {
			t.Errorf("%v: exit %d, printed %q", args, code, errs)
		}
	}
}

// A story is printed in virtual time, and needs its own session.
func TestStory(t *testing.T) {
	single(t)
	out, errs, code := touchline(t, "demo", "--story", "booking", "--auto", "--seed", "3")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, want := range []string{
		"figure 6, ", "No robot has booked the ball", "figure 7, ", "robot 1 has booked the ball", "figure 10, ",
		"robot 3 has booked the ball",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("printed %q, want %q in it", out, want)
		}
	}
	for name, want := range map[string]string{"liar": "Robots 1, 2, 3 and 5 name robot 4", "network": "two robots had booked the ball for"} {
		out, errs, code := touchline(t, "demo", "--story", name, "--auto")
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, printed %q %q, want %q", name, code, out, errs, want)
		}
	}
	if again, _, _ := touchline(t, "demo", "--story", "booking", "--auto", "--seed", "3"); again != out {
		t.Errorf("printed %q, then %q", out, again)
	}
	for want, args := range map[string][]string{
		"--story chess: want one of":       {"--story", "chess"},
		"--auto needs --story":             {"--auto"},
		"--story runs three robots in the": {"--story", "booking", "--processes"},
		"waits at each figure":             {"--story", "booking", "--headless"},
	} {
		if _, errs, code := touchline(t, append([]string{"demo"}, args...)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, printed %q, want %q", args, code, errs, want)
		}
	}
}

// Robots as processes need real time and the TCM.
func TestProcessesAreChecked(t *testing.T) {
	for _, args := range [][]string{
		{"--no-tcm"}, {"--headless", "--speed", "max", "--duration", "1s"},
	} {
		_, errs, code := touchline(t, append([]string{"demo", "--processes"}, args...)...)
		if code != 2 || !strings.Contains(errs, "--processes runs robots in real time") || !strings.Contains(errs, args[0]) &&
			!strings.Contains(errs, "--speed") {
			t.Errorf("%v: exit %d, printed %q", args, code, errs)
		}
	}
	for _, args := range [][]string{{}, {"--id", "9", "--field", "127.0.0.1:1"}, {"--id", "3"}, {"--id", "x"}} {
		if _, errs, code := touchline(t, append([]string{"robot"}, args...)...); code != 2 || !strings.Contains(errs, "want") {
			t.Errorf("robot %v: exit %d, printed %q", args, code, errs)
		}
	}
}

// A robot that is alone shows its own page, has no substitute, and refuses what only a robot beside a field has.
func TestRobotAlone(t *testing.T) {
	out, errs, code := touchline(t, "robot", "--alone", "--http", "127.0.0.1:0", "--duration", "50ms")
	if code != 0 || !strings.HasPrefix(out, "robot 1, alone on its field: http://127.0.0.1:") || !strings.Contains(out, "/robot/1\n") ||
		strings.Contains(out, "--field") {
		t.Errorf("exit %d, printed %s%s", code, out, errs)
	}
	for _, name := range []string{"--id=4", "--field=127.0.0.1:23456", "--json", "--seed=7"} {
		flag, _, _ := strings.Cut(name, "=")
		if _, errs, code := touchline(t, "robot", "--alone", name); code != 2 || !strings.Contains(errs, flag+": leave it out with --alone") {
			t.Errorf("%s: exit %d, printed %q", name, code, errs)
		}
	}
}

// Pictures that cannot play are refused before a robot starts, for one that is alone and for one that joins a field.
func TestPicturesAreChecked(t *testing.T) {
	empty := t.TempDir()
	for want, args := range map[string][]string{
		"holds no .png, .jpg or .jpeg file": {"--pictures", empty},
		"--pictures open ":                  {"--pictures", filepath.Join(empty, "x")},
		"--pictures-rate 100: want 1 to 60": {"--pictures", empty, "--pictures-rate", "100"},
		"--pictures-rate needs --pictures":  {"--pictures-rate", "9"},
	} {
		for _, how := range [][]string{{"--alone"}, {"--id", "3", "--field", "127.0.0.1:1"}} {
			_, errs, code := touchline(t, append(append([]string{"robot"}, how...), args...)...)
			if code != 2 || !strings.Contains(errs, want) {
				t.Errorf("%v %v: exit %d, printed %q, want %q", how, args, code, errs, want)
			}
		}
	}
}

// Without the TCM the robots send the same packages and see the same, but have no measurements of their teammates, and the
// session records no datagram of it.
func TestVirtualDemoWithoutTCM(t *testing.T) {
	single(t)
	path := filepath.Join(t.TempDir(), "s.mcap")
	args := []string{"demo", "--headless", "--speed", "max", "--duration", "10s", "--json"}
	scores := func(args ...string) (rows []scoreRow, fused float64) {
		out, errs, code := touchline(t, args...)
		if err := json.Unmarshal([]byte(out), &rows); err != nil || code != 0 {
			t.Fatalf("exit %d %s, printed %s: %v", code, errs, out, err)
		}
		for i := range rows {
			if rows[i].Fused != nil {
				fused += *rows[i].Fused
			}
			rows[i].Fused, rows[i].HasBall = nil, 0
		}
		return rows, fused
	}
	with, fused := scores(args...)
	without, fusedWithout := scores(append(args, "--no-tcm", "--record", path)...)
	if !reflect.DeepEqual(with, without) || fused == fusedWithout {
		t.Errorf("without the TCM the scores are %+v, with it %+v; the fused errors add up to %v and %v",
			without, with, fusedWithout, fused)
	}
	if counts := channels(t, path); counts[matchlog.TCM] != 0 || counts[matchlog.Packets] == 0 {
		t.Errorf("the record has %v", counts)
	}
}

// The page records without a token on this machine, and only with it where other machines reach the page.
func TestRecordFromPage(t *testing.T) {
	t.Chdir(t.TempDir())
	for http, open := range map[string]bool{
		"": true, "127.0.0.1:0": true, "[::1]:80": true, "localhost:80": true,
		"0.0.0.0:80": false, ":80": false, "192.0.2.1:80": false, "field.example:80": false,
	} {
		page := pageFlags{http: http}
		tape := playback.New(playback.Config{}, slog.New(slog.DiscardHandler))
		command := page.withTape(monitor.DefaultConfig(), tape).Commands.Carry
		_, err := command(control.Request{Name: "record", Body: []byte(`{"on":true}`)})
		if (err == nil) != open {
			t.Errorf("--http %q without the token: %v", http, err)
		}
		if !open {
			_, err = command(control.Request{Name: "record", Body: []byte(`{"on":true}`), Authorised: true})
		}
		if state := tape.State("session").(*playback.State); err != nil || state.Recording == nil {
			t.Errorf("--http %q: %v, state %+v", http, err, state)
		} else if err := os.Remove(state.Recording.File); err != nil {
			t.Error(err)
		}
		if _, err := command(control.Request{Name: "record", Body: []byte(`{"on":false}`)}); open && err != nil {
			t.Error(err)
		}
		if err := tape.Stop(); err != nil {
			t.Error(err)
		}
		if _, err := command(control.Request{Name: "record", Body: []byte(`{"on":true}`), Authorised: true}); err != nil {
			t.Error(err)
		}
		_, err = command(control.Request{Name: "record", Body: []byte(`{"on":true}`), Authorised: true})
		if err == nil || strings.Contains(err.Error(), "playback:") {
			t.Errorf("a second recording beside the first: %v", err)
		}
		if err := tape.Stop(); err != nil {
			t.Error(err)
		}
		for _, r := range []control.Request{{Name: "kick", Body: []byte("{}")}, {Name: "record", Body: []byte(`{"of":1}`), Authorised: true}} {
			if _, err := command(r); err == nil {
				t.Errorf("%s %s was accepted", r.Name, r.Body)
			}
		}
	}
}

// The recording of a session is replayed on the wall, and a part of it too.
func TestReplayOpensTheWall(t *testing.T) {
	dir := t.TempDir()
	path, part := filepath.Join(dir, "s.mcap"), filepath.Join(dir, "part.mcap")
	if out, errs, code := touchline(t, "demo", "--headless", "--speed", "max", "--duration", "5s", "--record", path); code != 0 {
		t.Fatal(out, errs)
	}
	if out, errs, code := touchline(t, "log", "cut", path, "--from", "2s", "--to", "4s", "-o", part); code != 0 {
		t.Fatal(out, errs)
	}
	for _, name := range []string{path, part} {
		out, errs, code := touchline(t, "replay", name, "--http", "127.0.0.1:0", "--duration", "300ms")
		if code != 0 || !strings.HasPrefix(out, "session: http://127.0.0.1:") {
			t.Errorf("%s: exit %d, printed %s%s", name, code, out, errs)
		}
	}
	l, err := openLog(part)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := l.Schemas(); got[playback.WallChannel].Name != "touchline.Wall" || len(got) < 4 {
		t.Errorf("the part has the schemas %v", got)
	}
}

// Where other machines reach the page, profiles and files of robots need the token; driving one does not.
func TestFilesOfRobotsNeedTheToken(t *testing.T) {
	var done []string
	all := control.Table{}
	for _, name := range append([]string{"robot-take", "robot-drive"}, fileCommands...) {
		all[name] = control.Command{Do: func(control.Request) (any, error) { done = append(done, name); return nil, nil }}
	}
	for _, name := range fileCommands {
		if !slices.Contains(managernet.Commands(), name) {
			t.Errorf("a robot's page has no command %s", name)
		}
	}
	for http, want := range map[string]int{"": 6, "127.0.0.1:0": 6, "0.0.0.0:80": 2} {
		page := pageFlags{http: http}
		commands := page.guarded("files of a robot", all, fileCommands...)
		done = nil
		for name := range all {
			if _, err := commands.Carry(control.Request{Name: name}); (err == nil) != (http != "0.0.0.0:80" || !slices.Contains(fileCommands, name)) {
				t.Errorf("--http %q: %s: %v", http, name, err)
			}
		}
		if len(done) != want {
			t.Errorf("--http %q without the token: %v were carried out", http, done)
		}
		if _, err := commands.Carry(control.Request{Name: fileCommands[0], Authorised: true}); err != nil {
			t.Errorf("--http %q with the token: %v", http, err)
		}
	}
}
