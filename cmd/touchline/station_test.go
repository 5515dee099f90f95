package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/mixedteam"
	"touchline/wire/wiretest"
)

// A station is accepted, sends events, prints commands and forwards them to the robots, and stops cleanly.
func TestStation(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	robots, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer robots.Close()
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	defer interrupt()
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{
			"station", "--team", "39", "--refbox", l.Addr().String(), "--json", "--event", "2:kick", "--event", "4:pass: left",
			"--forward", robots.LocalAddr().String(), "--group", freeGroup(t),
		}, w, io.Discard)
	}()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	io.WriteString(conn, "{\"command\": \"WELCOME\",\"targetTeam\": \"224.16.32.39\"}\x00{\"robotID\": 7,\"command\": \"IS_ALIVE\",\"targetTeam\": \"224.16.32.39\"}\x00")
	lines := bufio.NewReader(r)
	for _, want := range []string{
		`"command":"WELCOME","side":"ours","targetTeam":"224.16.32.39"}`,
		`"command":"IS_ALIVE","side":"ours","targetTeam":"224.16.32.39","robotID":7}`,
	} {
		line, err := lines.ReadString('\n')
		if err != nil || !json.Valid([]byte(line)) || !strings.HasSuffix(line, want+"\n") {
			t.Fatalf("%q, %v; want %s", line, err, want)
		}
	}
	forwarded := make([]byte, 2048)
	robots.SetReadDeadline(time.Now().Add(20 * time.Second))
	for _, want := range []string{"WELCOME", "IS_ALIVE"} {
		if n, _, err := robots.ReadFrom(forwarded); err != nil || !strings.Contains(string(forwarded[:n]), want) {
			t.Errorf("forwarded: %q, %v; want %s", forwarded[:n], err, want)
		}
	}
	received := bufio.NewReader(conn)
	for want := []string{`"robotId":2,"event":"kick"`, `"robotId":4,"event":"pass: left"`,
		`"worldstate","teamName":"CAMBADA"`}; len(want) > 0; {
		m, err := received.ReadString(0)
		if err != nil {
			t.Fatalf("no %s: %v", want[0], err)
		}
		if strings.Contains(m, want[0]) {
			want = want[1:]
		}
	}
	interrupt()
	if c := <-code; c != 0 {
		t.Errorf("interrupted: exit %d, want 0", c)
	}
}

// A station that receives only robots of the other side says so.
func TestStationOfTheOtherSide(t *testing.T) {
	group := freeGroup(t)
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	defer interrupt()
	r, w := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"station", "--team", "39", "--color", "cyan", "--refbox", "127.0.0.1:1", "--group", group},
			io.Discard, w)
		w.Close()
	}()
	sender, err := transport.Dial(transport.DefaultConfig(netip.MustParseAddrPort(group)))
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	b, err := mixedteam.Append(nil, &mixedteam.Header{Variant: mixedteam.V2, Color: soccer.Magenta, Robot: 2},
		new(soccer.Percepts))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for ctx.Err() == nil {
			_ = sender.Send(b)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	warned := regexp.MustCompile(`all packages are of the other side.* datagrams=[1-9]`)
	lines, log := bufio.NewScanner(r), ""
	for !warned.MatchString(log) && lines.Scan() {
		log += lines.Text() + "\n"
	}
	interrupt()
	go io.Copy(io.Discard, r)
	if c := <-code; c != 0 || !warned.MatchString(log) {
		t.Errorf("exit %d, logged:\n%s", c, log)
	}
}

// freeGroup returns the mixed teams' group with a free port.
func freeGroup(t testing.TB) string { return "224.16.32.75:" + wiretest.FreePort(t, "udp") }

func TestStationMisuse(t *testing.T) {
	if out, _, code := touchline(t, "station", "--help"); code != 0 || !strings.Contains(out, "Examples:") {
		t.Errorf("--help: exit %d, no examples in %q", code, out)
	}
	for _, c := range []struct{ args, want string }{
		{"station", "--team 39"},
		{"station --team 300", "1 to 254"},
		{"station --team 39 --refbox a:b:c", "172.16.1.2:28097"},
		{"station --team 39 --color blue", "cyan or magenta"},
		{"station --team 39 --rate 0", "1 to 200"},
		{"station --team 39 --rate NaN", "1 to 200"},
		{"station --team 39 --rate fast", "--rate fast: want a number from 1 to 200, for example 20"},
		{"station --team cambada", "--team cambada: want the number of a team, 1 to 254, for example 39"},
		{"station --team 39 --event kick", "2:kick"},
		{"station --team 39 --event 0:kick", "2:kick"},
		{"station --team 39 --from here", "172.16.39.10"},
		{"station --team 39 --forward robots", "172.16.39.20:30000"},
		{"station --team 39 --group 10.0.0.1:5", "224.0.0.0"},
		{"station --team 39 --interface wlan77", "wlan77"},
		{"station --team 39 --duration -1s", "-1s"},
		{"station extra", "extra"},
		{"station --team 39 --listen 127.0.0.1:0", "--listen needs --check-reader"},
	} {
		out, errs, code := touchline(t, strings.Fields(c.args)...)
		if code != 2 || !strings.Contains(errs, c.want) || out != "" {
			t.Errorf("touchline %s: exit %d, stdout %q, stderr %q; want exit 2 and %q", c.args, code, out, errs, c.want)
		}
	}
}

// The demo's page executes the session's commands for everyone, and the referee's with the token only.
func TestDemoCommands(t *testing.T) {
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	defer interrupt()
	r, w := io.Pipe()
	code := make(chan int, 1)
	dir := t.TempDir()
	go func() {
		code <- run(ctx, []string{"demo", "--http", "127.0.0.1:0", "--dir", dir, "--addresses", "--group", freeGroup(t)}, w, io.Discard)
	}()
	printed := make([]byte, 4096)
	n, err := r.Read(printed)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(http://[^/]+/)referee#token=(\S+)\nbase stations: (127\.0\.0\.1:\d+)\n`).FindStringSubmatch(string(printed[:n]))
	if found == nil || !strings.Contains(string(printed[:n]), dir) {
		t.Fatalf("got %q, want the addresses", printed[:n])
	}
	url, token := found[1], found[2]
	post := func(name, body, token string) (int, string) {
		request, err := http.NewRequestWithContext(ctx, "POST", url+"api/command/"+name, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		b, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(b)
	}
	for _, page := range []string{"referee", "scoreboard", "teams", "log"} {
		answer, err := http.Get(url + page)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 {
			t.Errorf("/%s answers %d", page, answer.StatusCode)
		}
	}
	if status, body := post("kick", `{}`, ""); status >= 300 {
		t.Errorf("a kick: %d %s", status, body)
	}
	if status, body := post("decide", `{"command":"STOP"}`, ""); status < 400 || !strings.Contains(body, "token") {
		t.Errorf("a decision without a token: %d %s", status, body)
	}
	if status, body := post("decide", `{"command":"STOP"}`, token); status != 200 || !strings.Contains(body, `"STOP"`) {
		t.Errorf("a decision: %d %s", status, body)
	}
	if status, body := post("dance", `{}`, token); status < 400 || !strings.Contains(body, "dance") {
		t.Errorf("an unknown command: %d %s", status, body)
	}
	// Another team's base station can connect.
	conn, err := net.Dial("tcp", found[3])
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	interrupt()
	if c := <-code; c != 0 {
		t.Errorf("interrupted: exit %d, want 0", c)
	}
	if logs, _ := filepath.Glob(filepath.Join(dir, "*.mcap")); len(logs) != 1 {
		t.Errorf("got the logs %v, want one", logs)
	}
}

// The log of a demo has no faults of its robots and its base station, also on a busy machine. A side without a team is
// not in the report.
func TestDemoLogIsClean(t *testing.T) {
	dir := t.TempDir()
	busy, rest := context.WithCancel(t.Context())
	defer rest()
	for range 2 {
		go func() {
			for busy.Err() == nil {
			}
		}()
	}
	if _, errs, code := touchline(t, "demo", "--headless", "--duration", "4s", "--dir", dir, "--group",
		freeGroup(t)); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	rest()
	logs, err := filepath.Glob(filepath.Join(dir, "*.mcap"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, %v", logs, err)
	}
	out, _, code := touchline(t, "check", "--json", logs[0])
	var report checkReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if cards := report.Inputs[0].Cards; len(cards) != 1 || cards[0].Side != "A" || cards[0].Worldstates < 10 {
		t.Errorf("%+v", cards)
	}
	slow := false // a busy machine sends worldstates late
	for _, f := range report.Findings {
		switch {
		case f.Note:
		case slices.Contains([]string{"rate", "gap", "burst"}, f.Rule):
			slow = true
		default:
			t.Errorf("%s: %s", f.Rule, f.Text)
		}
	}
	if code != 0 && !slow {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// With --check-reader the station listens in the place of a referee box, and checks the program that follows: here
// another station, which answers.
func TestStationChecksReader(t *testing.T) {
	address := "127.0.0.1:" + wiretest.FreePort(t, "tcp")
	ctx, interrupt := context.WithCancel(t.Context())
	other := make(chan int, 1)
	go func() {
		other <- run(ctx, []string{"station", "--team", "39", "--refbox", address, "--group", freeGroup(t)}, io.Discard, io.Discard)
	}()
	var out, errs bytes.Buffer
	code := run(t.Context(), []string{"station", "--check-reader", "--team", "39", "--listen", address}, &out, &errs)
	if code != 0 || !strings.Contains(out.String(), "together  6 of 6 read") || !strings.Contains(out.String(), "reads: ") {
		t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
	}
	interrupt()
	<-other
	for _, test := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"--check-reader", "--listen", address, "--", "/no/such/program"}, 1, "the program does not start"},
		{[]string{"--check-reader", "--listen", address, "--", os.Args[0], "-test.run=^$"}, 1, "connected (without an error)"},
		{[]string{"--team", "39", "program"}, 2, "neither a command nor a flag"},
	} {
		errs.Reset()
		if code := run(t.Context(), append([]string{"station"}, test.args...), io.Discard, &errs); code != test.code ||
			!strings.Contains(errs.String(), test.text) {
			t.Errorf("%v: exit code %d, %s", test.args, code, errs.String())
		}
	}
}
