package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"touchline/internal/station"
	"touchline/internal/station/stationnet"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
	"touchline/wire/msl"
	"touchline/wire/wiretest"
)

const logBegan = soccer.Time(1467550000e9)

// twoTeams writes a log of two teams, one second long.
func twoTeams(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaHome: "CAMBADA", matchlog.MetaAway: "Water"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		for _, channel := range []string{matchlog.Home, matchlog.Away} {
			m := matchlog.Message{
				Time: logBegan + soccer.Time(i)*5e7, Channel: channel,
				Data: fmt.Appendf(nil, `{"type":"worldstate","teamName":"%s %d","robots":[],"balls":[],"obstacles":[],"ageMs":0}`, channel, i),
			}
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLogCommands(t *testing.T) {
	path := twoTeams(t)
	dir := t.TempDir()
	out, errs, code := touchline(t, "log", "info", path)
	if code != 0 || !strings.Contains(out, "home CAMBADA, away Water") || !strings.Contains(out, "home               20") {
		t.Errorf("info: %d %s%s", code, out, errs)
	}
	out, errs, code = touchline(t, "log", "info", "--json", path)
	var infos []struct {
		Name     string  `json:"name"`
		Duration float64 `json:"duration"`
	}
	if err := json.Unmarshal([]byte(out), &infos); code != 0 || err != nil || len(infos) != 1 || infos[0].Duration != 0.95 {
		t.Errorf("info --json: %d %v %s%s", code, err, out, errs)
	}
	cut := filepath.Join(dir, "cut.mcap")
	if out, errs, code = touchline(t, "log", "cut", path, "--from", "0:00.5", "--to", "700ms", "-o", cut); code != 0 || !strings.Contains(out, "8 messages") {
		t.Errorf("cut: %d %s%s", code, out, errs)
	}
	merged := filepath.Join(dir, "merged.zip")
	if out, errs, code = touchline(t, "log", "merge", path, cut, "-o", merged, "--json"); code != 0 || !strings.Contains(out, `"messages": 48`) {
		t.Errorf("merge: %d %s%s", code, out, errs)
	}
	l, err := openLog(merged)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if i := l.Info(); i.Format != "zip" || i.Home != "CAMBADA" {
		t.Errorf("%+v", i)
	}
	var last soccer.Time
	n := 0
	for m, err := range l.Messages(0, 0, matchlog.Home, matchlog.Away) {
		if err != nil || m.Time < last {
			t.Fatal(err, m.Time, last)
		}
		last, n = m.Time, n+1
	}
	if n != 48 {
		t.Errorf("%d messages in what was merged, want 48", n)
	}
	grid := filepath.Join(dir, "grid.zip")
	if out, errs, code = touchline(t, "log", "export", path, "--grid", "-o", grid); code != 0 {
		t.Errorf("export: %d %s%s", code, out, errs)
	}
	z, err := zip.OpenReader(grid)
	if err != nil || len(z.File) != 3 {
		t.Fatal(err)
	}
	z.Close()
	for _, c := range [][]string{ // what cannot be meant, or read
		{"log"}, {"log", "mend"}, {"log", "info"}, {"log", "info", "nothing.mcap"}, {"log", "cut"}, {"log", "merge", path, "-o", "x.mcap"},
		{"log", "merge", path, path}, {"log", "cut", path, "--from", "x"}, {"log", "cut", path, "--from", "20", "-o", cut},
		{"log", "cut", path, "--from", "1:00", "--to", "0:10"}, {"log", "cut", path, "-o", cut}, {"log", "export", path, "-o", grid},
		{"replay"}, {"replay", "nothing.zip"}, {"replay", path, "--speed", "2"}, {"replay", path, "--to", "127.0.0.1:1", "--speed", "100"},
		{"replay", path, "--to", "224.16.32.75:2005"}, {"replay", path, "--to", "224.16.32.75"}, {"record", "x"}, {"record", "--group", "x"}, {"record", "-o", path, "--group", "224.16.32.99:0"},
	} {
		if out, errs, code = touchline(t, c...); code != 2 || errs == "" {
			t.Errorf("%q: exit code %d, want 2; %s%s", c, code, out, errs)
		}
	}
	for want, flags := range map[string][]string{ // times outside the log
		"no message after --from 9:00":                    {"--from", "9:00"},
		"no message after --from 9:10: it covers":         {"--from", "9:10", "--to", "10:00"},
		"no message before --to 2001-01-01T00:00:00Z: ":   {"--to", "2001-01-01T00:00:00Z"},
		"--to 0:00.2 is not after --from 0:00.5; the log": {"--from", "0:00.5", "--to", "0:00.2"},
	} {
		none := filepath.Join(dir, "none.mcap")
		_, errs, code = touchline(t, append([]string{"log", "cut", path, "-o", none}, flags...)...)
		if _, err := os.Stat(none); code != 2 || !strings.Contains(errs, want) || err == nil {
			t.Errorf("%q: exit code %d, file: %v; %s", flags, code, err == nil, errs)
		}
	}
	nothing := filepath.Join(dir, "nothing.mcap")
	if err := os.WriteFile(nothing, []byte("\x89MCAP0\r\n"), 0o644); err != nil { // its writer was killed at once
		t.Fatal(err)
	}
	if out, _, code = touchline(t, "log", "info", nothing); code != 0 || !strings.Contains(out, "MB, no messages\n") {
		t.Errorf("info of a log without messages: %d %s", code, out)
	}
}

// TestReplayMatch retransmits a match: each team waits for WELCOME and keeps its timing.
func TestReplayMatch(t *testing.T) {
	box, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	type station struct {
		from     string
		messages []string
	}
	all := make(chan station)
	go func() {
		for {
			conn, err := box.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.Write([]byte("{\"command\":\"WELCOME\"}\x00"))
				h := station{from: conn.RemoteAddr().(*net.TCPAddr).IP.String()}
				for r := bufio.NewReader(conn); ; {
					text, err := r.ReadString(0)
					if err != nil {
						all <- h
						return
					}
					h.messages = append(h.messages, strings.TrimSuffix(text, "\x00"))
				}
			}()
		}
	}()
	done := make(chan [2]string)
	path := twoTeams(t)
	go func() {
		out, errs, code := touchline(t, "replay", path, "--to", box.Addr().String(), "--speed", "4", "--from", "250ms", "--json")
		done <- [2]string{out, fmt.Sprint(code, errs)}
	}()
	teams := map[string]string{"127.0.0.39": matchlog.Home, "127.0.0.67": matchlog.Away}
	for range 2 {
		h := <-all
		channel := teams[h.from]
		if len(h.messages) != 15 || !strings.Contains(h.messages[0], channel+" 5") || !strings.Contains(h.messages[14], channel+" 19") {
			t.Errorf("from %s: %d messages, %q", h.from, len(h.messages), h.messages)
		}
	}
	var r stationnet.ReplayResult
	got := <-done
	if err := json.Unmarshal([]byte(got[0]), &r); err != nil || r.Messages != 30 || r.Seconds < 0.17 {
		t.Errorf("%v: %q", err, got)
	}
}

// A referee box that admits one station at a time, as RefBox 2.1 does, gets all messages of both teams: the second one connects
// when the first one is admitted. It also gets the rest of a team whose connection it closes before or after WELCOME.
func TestReplayOneByOne(t *testing.T) {
	box, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	var mu sync.Mutex
	asked, refused, cut, got := "", 0, false, map[string][]string{}
	serve := func(conn net.Conn) {
		defer conn.Close()
		from := conn.RemoteAddr().(*net.TCPAddr).IP.String()
		mu.Lock()
		if asked != "" || from == "127.0.0.67" && refused == 0 { // the first time the referee does not want it
			if asked != "" {
				t.Errorf("%s connects while the referee is asked about %s", from, asked)
			}
			refused++
			mu.Unlock()
			conn.Write([]byte("{\"command\":\"RESET\"}\x00"))
			return
		}
		asked = from
		mu.Unlock()
		time.Sleep(50 * time.Millisecond) // the referee thinks
		mu.Lock()
		asked = ""
		mu.Unlock()
		conn.Write([]byte("{\"command\":\"WELCOME\"}\x00"))
		for r := bufio.NewReader(conn); ; {
			text, err := r.ReadString(0)
			if err != nil {
				return
			}
			mu.Lock()
			got[from] = append(got[from], text)
			end := !cut && from == "127.0.0.39" && len(got[from]) == 5
			cut = cut || end
			mu.Unlock()
			if end {
				return
			}
		}
	}
	var serving sync.WaitGroup
	go func() {
		for {
			conn, err := box.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { serve(conn) })
		}
	}()
	out, errs, code := touchline(t, "replay", twoTeams(t), "--to", box.Addr().String(), "--json")
	serving.Wait()
	mu.Lock()
	defer mu.Unlock()
	home, away := got["127.0.0.39"], got["127.0.0.67"]
	if code != 0 || refused != 1 || len(away) != 20 || len(home) < 15 || !strings.Contains(home[len(home)-1], "home 19") {
		t.Errorf("exit code %d, %d messages of home and %d of away, %d refused: %s%s", code, len(home), len(away), refused, out, errs)
	}
}

// A referee box that refuses a team closes its connection: the error names the own address and those that are known.
func TestReplayRefused(t *testing.T) {
	box, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	refused := make(chan string, 2)
	go func() {
		for {
			conn, err := box.Accept()
			if err != nil {
				return
			}
			refused <- conn.RemoteAddr().(*net.TCPAddr).IP.String()
			conn.Close()
		}
	}()
	_, errs, code := touchline(t, "replay", twoTeams(t), "--to", box.Addr().String(), "--from", "127.0.39.7,127.0.67.7",
		"--from", "0:00")
	if code == 0 || !strings.Contains(errs, "before WELCOME: the RefBox identifies teams by their address") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if got := <-refused; got != "127.0.39.7" {
		t.Errorf("the home team connects from %s", got)
	}
	for _, from := range []string{"1:00,2:00", "127.0.0.1,127.0.0.2,127.0.0.3"} {
		if _, errs, code := touchline(t, "replay", twoTeams(t), "--to", "127.0.0.1", "--from", from); code != 2 ||
			!strings.Contains(errs, "want one start time, and one address for each team") {
			t.Errorf("--from %s: exit %d: %s", from, code, errs)
		}
	}
}

// TestRecordReplay records a group, retransmits the recording and records it again.
func TestRecordReplay(t *testing.T) {
	dir := t.TempDir()
	group := "224.16.32.99:" + wiretest.FreePort(t, "udp")
	first := filepath.Join(dir, "first.mcap")
	w, err := matchlog.Create(first, nil)
	if err != nil {
		t.Fatal(err)
	}
	const packets = 20
	for i := range packets {
		p := soccer.Packet{Channel: group, Data: fmt.Appendf(nil, "packet %d", i)}
		m := matchlog.Message{Time: logBegan + soccer.Time(i)*1e7, Channel: matchlog.Packets, Data: matchlog.AppendPacket(nil, &p)}
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(dir, "second.mcap")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ended := make(chan int)
	var out, errs bytes.Buffer
	go func() { ended <- run(ctx, []string{"record", "--group", group, "-o", second, "--json"}, &out, &errs) }()
	recordedPackets := func() (all []string) { // while the recording continues
		l, err := matchlog.Open(second)
		if err != nil {
			return nil
		}
		defer l.Close()
		for m, err := range l.Messages(0, 0, matchlog.Packets) {
			if err != nil {
				t.Fatal(err)
			}
			p, err := matchlog.ParsePacket(m)
			if err != nil || p.Channel != group || !p.From.Addr().IsLoopback() {
				t.Fatal(err, p.Channel, p.From)
			}
			all = append(all, string(p.Data))
		}
		return all
	}
	wiretest.Eventually(t, "the recorder listens", func() bool {
		if out, errs, code := touchline(t, "replay", first, "--to", group, "--speed", "64"); code != 0 {
			t.Skipf("no multicast here: %s%s", out, errs)
		}
		return len(recordedPackets()) > 0
	})
	before := len(recordedPackets())
	if out, errs, code := touchline(t, "replay", first, "--to", group, "--speed", "10"); code != 0 || !strings.Contains(out, "sent 20 messages") {
		t.Fatalf("replay: exit %d, printed %s%s", code, out, errs)
	}
	var want []string
	for i := range packets {
		want = append(want, fmt.Sprintf("packet %d", i))
	}
	wiretest.Eventually(t, "all packets are recorded in order", func() bool {
		got := recordedPackets()
		return len(got) > before && slices.Equal(got[max(len(got)-packets, 0):], want)
	})
	cancel()
	var r recorded
	if code := <-ended; code != 0 || json.Unmarshal(out.Bytes(), &r) != nil || int(r.Packets) <= before || r.Lost != 0 {
		t.Errorf("%d %s%s", code, out.String(), errs.String())
	}
	if l, err := openLog(second); err != nil || !l.Info().Finished {
		t.Errorf("%v: the recording was not finished", err)
	}
}

// A recorder overwrites no line of a file.
func TestRecordIntoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.mcap")
	out, errs, code := touchline(t, "record", "--group", freeGroup(t), "-o", path, "--duration", "1500ms")
	if code != 0 || strings.Contains(errs, "\r") || !strings.HasPrefix(errs, "recording ") || !strings.Contains(out, "0 packets") {
		t.Errorf("exit %d, printed %q and %q", code, out, errs)
	}
}

// TestReplayPage opens a log on the page.
func TestReplayPage(t *testing.T) {
	path := twoTeams(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ended := make(chan int)
	var errs bytes.Buffer
	go func() {
		ended <- run(ctx, []string{"replay", path, "--http", "127.0.0.1:0"}, w, &errs)
		w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err, errs.String())
	}
	url, name, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "log: ")), "log#")
	if name != "a.mcap" {
		t.Errorf("it says %q", line)
	}
	for _, path := range []string{"log", "api/logs", "api/logs/a.mcap", "api/logs/a.mcap/frames?from=1467550000000&to=1467550000500&step=100"} {
		a, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
}

// Texts of a hostile team or log reach a terminal and a page without control characters and direction marks.
func TestHostileTexts(t *testing.T) {
	const evil = "a\u202eb\u0085\u2028\u200b\x1b[2J"
	path := filepath.Join(t.TempDir(), "hostile.mcap")
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaHome: "Home" + evil, matchlog.MetaAwayShort: evil, "key" + evil: evil})
	if err != nil {
		t.Fatal(err)
	}
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	quoted = bytes.ReplaceAll(quoted, []byte(`\u2028`), []byte("\u2028"))
	for i, m := range []matchlog.Message{
		{Channel: matchlog.Home, Data: fmt.Appendf(nil, `{"type":"worldstate","teamName":%s,"intention":%[1]s,"robots":[{"id":1,"intention":%[1]s}],"ageMs":%[1]s}`, quoted)},
		{Channel: matchlog.Home, Data: fmt.Appendf(nil, `{"type":"event","robotId":1,"event":%s}`, quoted)},
		{Channel: matchlog.Away, Data: []byte(evil)},
		{Channel: matchlog.Notes, Data: []byte(evil)},
		{Channel: matchlog.Lines, Data: []byte(evil)},
		{Channel: "topic/" + evil, Data: []byte("{}")},
	} {
		m.Time = logBegan + soccer.Time(i)*1e8
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	control := func(r rune) bool { return r != '\n' && wire.IsControl(r) }
	for _, args := range [][]string{
		{"log", "info", path}, {"log", "info", "--json", path}, {"check", path}, {"check", "--json", path},
		{"check", "--html", "-", path}, {"check", "--live", "1ms", "--json", "--listen", "127.0.0.1:0"},
	} {
		out, errs, _ := touchline(t, args...)
		if at := strings.IndexFunc(out+errs, control); at >= 0 || out == "" {
			t.Errorf("%v: %q at byte %d of %.300q", args, (out + errs)[max(at, 0):][:min(1, len(out))], at, out+errs)
		}
	}
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	summary, err := l.Summary("hostile.mcap")
	if err != nil {
		t.Fatal(err)
	}
	frames, err := l.Frames(logBegan, logBegan+2e8, 1e8)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal([]any{summary, frames})
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Events) != 3 || frames[1].Home == nil || strings.ContainsFunc(string(shown), control) || strings.Contains(string(shown), `\u001b`) {
		t.Errorf("the page of a log shows %q", shown)
	}
	command := station.Command{Command: msl.Command{Name: evil, TargetTeam: evil}}
	for _, asJSON := range []bool{false, true} {
		var out strings.Builder
		if err := printCommand(&out, &command, asJSON); err != nil || strings.ContainsFunc(out.String(), control) {
			t.Errorf("the station prints %q, %v", out.String(), err)
		}
	}
}
