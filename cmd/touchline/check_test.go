package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/internal/capture"
	"touchline/soccer"
	"touchline/transport"
	"touchline/wire/wiretest"
)

// goodPackage is a v2 package of robot 4 (magenta, Tech United) with one ball and two obstacles.
const goodPackage = "7b 02 40420f00 01 3f 04" + // flag, version, timestamp 1000000 ms, team_color, original_team_id, robot
	" d204 3cf6 6e00 f401 4ef3 0000 e5" + // ball_cand_vision[0]
	" 0080 0080 0080 0080 0080 0080 00 0080 0080 0080 0080 0080 0080 00" +
	" b80b 401f 0080 0080 ff 6cee fa00 0080 0080 fe" + // obstacles[0] and [1]
	" 0080 0080 0080 0080 00 0080 0080 0080 0080 00 0080 0080 0080 0080 00 0080 0080 0080 0080 00 0080 0080 0080 0080 00" +
	" 0080 0080 0080 0080 00 0080 0080 0080 0080 00 0080 0080 0080 0080 00 0080 0080 0080 0080 00 0080 0080 0080 0080 00" +
	" 48f4 2be4 2306 0080 0080 0080 e5" // self-loc

// wantChecks runs the command and returns its output and exit code.
func wantChecks(t *testing.T, in string, args ...string) (out string, code int) {
	t.Helper()
	var b bytes.Buffer
	c := checkCommand()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetIn(strings.NewReader(in))
	c.SetOut(&b)
	c.SetErr(&b)
	err := c.ExecuteContext(t.Context())
	var exit interface{ ExitCode() int }
	switch {
	case errors.As(err, &exit):
		return b.String() + err.Error(), exit.ExitCode()
	case err != nil:
		t.Fatalf("%v gave %v, which has no exit code", args, err)
	}
	return b.String(), 0
}

func TestCheckStdin(t *testing.T) {
	out, code := wantChecks(t, goodPackage, "-")
	want := "- (hex): 1 packet\n  robot 4, magenta, Tech United Eindhoven: 1 packet, v2\nOK: no faults in 1 mixed team package\n"
	if out != want || code != 0 {
		t.Errorf("exit %d, printed:\n%s", code, out)
	}
	bad := strings.Replace(goodPackage, "7b 02 40420f00 01 3f 04", "7b 02 40420f00 01 3f 07", 1)
	out, code = wantChecks(t, goodPackage+"\n"+bad+"\n"+bad+" # again\n", "-")
	want = `- (hex): 3 packets
  robot 4, magenta, Tech United Eindhoven: 1 packet, v2
  robot 7, magenta, Tech United Eindhoven: 2 packets, v2
    fault      2 x  byte 8, mixed_team_robot_id: 7 is no jersey number of a mixed team: write 1 to 6 (Mixed Team Package v2, Specification)
                  first in packet 2, mixed_team_robot_id = 7, bytes from 0: 7b 02 40 42 0f 00 01 3f [07] d2 04 3c f6 6e 00 f4 01 4e f3 00
WRONG: 2 of 3 packets (3 mixed team packages)
`
	if out != want || code != 1 {
		t.Errorf("exit %d, printed:\n%s", code, out)
	}
}

func TestCheckCapture(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "field.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := capture.NewPcapWriter(file)
	for i := range 3 {
		p := soccer.Packet{Time: soccer.Time(100+i) * 1e9, From: netip.MustParseAddrPort("10.0.0.3:4000"), Data: bytes.Repeat([]byte{123}, 40)}
		err = errors.Join(err, w.WritePacket(&p, netip.MustParseAddrPort("224.16.32.75:2005")))
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	out, code := wantChecks(t, "", file.Name(), "--json")
	var report checkReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if code != 1 || report.OK || len(report.Inputs) != 1 {
		t.Fatalf("exit %d, printed:\n%s", code, out)
	}
	input := report.Inputs[0]
	if input.Kind != "capture" || input.Report.Foreign != 3 || input.Report.Wrong != 3 || input.Report.Senders[0].Addr != "10.0.0.3:4000" {
		t.Errorf("got %+v", input)
	}
	if out, code := wantChecks(t, "", file.Name(), "--group", "224.16.32.75:2006"); code != 1 || !strings.Contains(out, "3 skipped: to other addresses") {
		t.Errorf("exit %d, printed:\n%s", code, out)
	}
}

// TestCheckHumanoid checks a capture of a game of the Humanoid Soccer League, and its vectors.
func TestCheckHumanoid(t *testing.T) {
	vector := func(file string, n int) []byte {
		return wiretest.Vectors(t, filepath.Join("..", "..", "wire", "vectors", "hsl-"+file+".txt"))[n].Data
	}
	var file bytes.Buffer
	w, err := capture.NewPcapWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []struct {
		from, to string
		data     []byte
	}{
		{"10.0.0.1:4000", "10.0.255.255:3838", vector("control", 0)},
		{"10.0.24.3:4001", "10.0.0.1:3939", vector("return", 0)},
		{"10.0.24.3:4002", "10.0.24.4:10024", make([]byte, 513)},
		{"10.0.24.3:4002", "10.0.24.4:10025", []byte("of another game")},
	} {
		packet := soccer.Packet{Time: soccer.Epoch, From: netip.MustParseAddrPort(p.from), Data: p.data}
		if err := w.WritePacket(&packet, netip.MustParseAddrPort(p.to)); err != nil {
			t.Fatal(err)
		}
	}
	out, code := wantChecks(t, file.String(), "-")
	for _, want := range []string{
		"HSL control message, from 10.0.0.1:4000: 1 packet", "HSL return message of robot 3, team 24, from 10.0.24.3:4001: 1 packet",
		"HSL team message, team 24", "513 bytes: the GameController sets the team's score to 0", "1 skipped: to other addresses",
		"WRONG: 1 of 3 packets (3 HSL packets)",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if code != 1 {
		t.Errorf("exit %d, want 1", code)
	}
	out, _ = wantChecks(t, "", filepath.Join("..", "..", "wire", "vectors", "hsl-control.txt"))
	if !strings.Contains(out, "an older struct") || !strings.Contains(out, "newer than version 19") {
		t.Errorf("the vectors of other versions are not named in\n%s", out)
	}
}

// TestCheckFIRASim checks the packets of a simulator in a capture, by their ports, and in hex, by --kind.
func TestCheckFIRASim(t *testing.T) {
	var file bytes.Buffer
	w, err := capture.NewPcapWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	command := []byte{0x0a, 0x04, 0x0a, 0x02, 0x08, 0x01} // robot 1 of blue stands still
	tooLarge := bytes.Clone(command)
	tooLarge[5] = 77
	for _, data := range [][]byte{command, command, tooLarge} {
		p := soccer.Packet{Time: soccer.Epoch, From: netip.MustParseAddrPort("127.0.0.1:4000"), Data: data}
		if err := w.WritePacket(&p, netip.MustParseAddrPort("127.0.0.1:20011")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, in string
		args     []string
		want     []string
		code     int
	}{
		{"capture", file.String(), nil, []string{"FIRASim Packet, from 127.0.0.1:4000: 3 packets", "fault      1 x", "robot_commands[0].id = 77", "WRONG: 1 of 3 packets (3 FIRASim packets)"}, 1},
		{"other group", file.String(), []string{"--group", "224.0.0.1:10002"}, []string{"3 skipped: to other addresses"}, 1},
		{"hex", hex.EncodeToString(command), []string{"--kind", "packet"}, []string{"FIRASim Packet: 1 packet", "OK: no faults in 1 FIRASim packet"}, 0},
		{"hex without a kind", hex.EncodeToString(command), nil, []string{"OK: no faults in 1 FIRASim packet"}, 0},
		{"no kind fits", "010203", nil, []string{"other traffic", "--kind says what they are: environment, grsim, hsl, mixed-team"}, 1},
		{"unknown kind", "7b", []string{"--kind", "vision"}, []string{"choose one of environment, grsim, hsl, mixed-team, packet"}, 2},
		{"mixed team", goodPackage, []string{"--kind", "mixed-team"}, []string{"OK: no faults in 1 mixed team package"}, 0},
	} {
		out, code := wantChecks(t, c.in, append(c.args, "-")...)
		if code != c.code {
			t.Errorf("%s: exit %d, want %d", c.name, code, c.code)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is not in\n%s", c.name, want, out)
			}
		}
	}
}

// TestCheckByContents checks packets whose destination tells nothing: each decoder is tried.
func TestCheckByContents(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"firasim-environment", "FIRASim Environment: 20 packets"},
		{"firasim-packet", "FIRASim Packet: 18 packets"},
		{"firasim-placement", "FIRASim VSSRef_Placement: 5 packets"},
		{"firasim-referee", "FIRASim VSSRef_Command: 6 packets"},
		{"ssl-vision", "FIRASim SSL_WrapperPacket: 8 packets"},
		{"grsim-packet", "FIRASim grSim_Packet: 7 packets"},
		{"msl-worldstate", "T: 24 worldstates"},
		{"team-belief", "other traffic: 23 packets"},
		{"b3p-claim", "other traffic: 10 packets"},
	} {
		if out, _ := wantChecks(t, "", "../../wire/vectors/"+c.file+".txt"); !strings.Contains(out, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.file, c.want, out)
		}
	}
}

// TestCheckCapturedWorldstates checks worldstates among the datagrams of a capture: JSON is no mixed team package.
func TestCheckCapturedWorldstates(t *testing.T) {
	var file bytes.Buffer
	w, err := capture.NewPcapWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	states, received := worldstates(t, 60)
	for i, data := range append(states, []byte(`{"score": 1}`)) {
		at := soccer.Time(received[min(i, len(received)-1)]) * 1e6
		p := soccer.Packet{Time: at, From: netip.MustParseAddrPort("172.16.39.10:4000"), Data: data}
		if err := w.WritePacket(&p, netip.MustParseAddrPort("172.16.1.2:28097")); err != nil {
			t.Fatal(err)
		}
	}
	out, code := wantChecks(t, file.String(), "-")
	if code != 0 || !strings.Contains(out, "MYTEAM: 60 worldstates in 3 s") || !strings.Contains(out, "OK: no faults in 60 messages") ||
		strings.Contains(out, "mixed_team_flag") {
		t.Errorf("exit %d, printed\n%s", code, out)
	}
}

// TestCheckFileNames prints the name of a file without characters that control a terminal.
func TestCheckFileNames(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"a\x1b[31m\u202etxt.bin": unhex(t, goodPackage), "b\x1b[31m\u202etxt.json": []byte(`{"type": "worldstate"}`),
		"c\x1b[31m\u202etxt": {},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		var printed string
		for _, args := range [][]string{{path}, {"--html", "-", path}} {
			out, errs, _ := touchline(t, append([]string{"check"}, args...)...)
			printed += out + errs
		}
		if strings.ContainsAny(printed, "\x1b\u202e") || !strings.Contains(printed, ".[31m.txt") {
			t.Errorf("%q is in the output for %q", printed, name)
		}
	}
}

func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	foreign := write("foreign.bin", []byte{1, 2, 3})
	for _, c := range []struct {
		name, want string
		args       []string
		code       int
	}{
		{"no arguments", "nothing to check", nil, 2},
		{"no such file", "no such file", []string{filepath.Join(dir, "none")}, 2},
		{"empty", "is empty", []string{write("empty", nil)}, 2},
		{"a folder", "is a directory: give its files, for example " + dir, []string{dir}, 2},
		{"text", `line 1: "hello," is not hex`, []string{write("text", []byte("hello, you"))}, 2},
		{"text is of no kind", "hex digits: write two for each byte): want a match log", []string{write("csv", []byte("a,b\n1,2"))}, 2},
		{"too long", "the file is neither pcap, pcapng nor hex", []string{write("long", make([]byte, 70000))}, 2},
		{"hex with a wrong digit is of a kind", `line 2: "7z" is not hex`, []string{write("hex", []byte(strings.Repeat("7b ", 64)+"\n7z"))}, 2},
		{"a list of numbers", "no record of a RefBox's team log follows the first bracket): want a match log", []string{write("list", []byte("[1,2,3]"))}, 2},
		{"an empty team log", "no messages", []string{write("empty.A.msl", []byte("]"))}, 1},
		{"binary", "it is none of the kinds that check reads: a match log", []string{write("binary", []byte{1, 2, 3})}, 1},
		{"compressed", "unpack it", []string{write("gz", []byte{0x1f, 0x8b, 8, 0})}, 2},
		{"broken capture", "pcap", []string{write("pcap", []byte{0xd4, 0xc3, 0xb2, 0xa1, 9, 9, 9, 9})}, 2},
		{"bad group", "for example 224.16.32.75:2005", []string{"--group", "224.16.32.75", "-"}, 2},
		{"interface without live", "--live", []string{"--interface", "eth0", "-"}, 2},
		{"live with a file", "remove the files", []string{"--live", "1s", "-"}, 2},
		{"no such interface", "nosuch0", []string{"--live", "1s", "--interface", "nosuch0"}, 2},
		{"foreign alone", "NOT CHECKED: no packet of a known format among 1 packet", []string{foreign}, 1},
		{"a good one", "OK: no faults", []string{write("good", unhex(t, goodPackage))}, 0},
		{"a worldstate begins with 123 too", "teamName: is missing", []string{write("json", []byte(`{"type": "worldstate"}`))}, 1},
	} {
		out, code := wantChecks(t, "", c.args...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d, want %d and %q; printed:\n%s", c.name, code, c.code, c.want, out)
		}
	}
}

func TestCheckLive(t *testing.T) {
	group := netip.MustParseAddrPort(freeGroup(t))
	sender, err := transport.Dial(transport.DefaultConfig(group))
	if err != nil {
		t.Fatal(err)
	}
	defer sender.Close()
	f := checkFlags{live: 2 * time.Second, group: group.String()}
	report, err := f.check(t.Context(), nil, nil, onText(func(string) { // it listens now
		for range 5 {
			if err := sender.Send(unhex(t, goodPackage)); err != nil {
				t.Error(err)
			}
		}
	}))
	if err != nil || !report.OK || report.Inputs[0].Kind != "live" || report.Inputs[0].Report.Packages != 5 {
		t.Errorf("got %+v, %v", report, err)
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCheckStations(t *testing.T) {
	all, _ := worldstates(t, 20)
	answer := make(chan string, 1)
	f := checkFlags{live: 1500 * time.Millisecond, listen: "127.0.0.1:0"}
	report, err := f.check(t.Context(), nil, nil, onText(func(text string) { // it listens now
		addr := strings.Fields(text)[5]
		go func() {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				answer <- err.Error()
				return
			}
			defer conn.Close()
			for _, m := range all {
				conn.Write(append(m, 0))
			}
			conn.Write([]byte(`{"type": "worldstate", "teamName`))
			welcome := make([]byte, 300)
			n, _ := io.ReadAtLeast(conn, welcome, 20)
			answer <- string(welcome[:n])
		}()
	}))
	if err != nil || report.OK || len(report.Inputs[0].Cards) != 1 || report.Inputs[0].Cards[0].Messages != 20 {
		t.Fatalf("got %+v, %v", report, err)
	}
	if !slices.ContainsFunc(report.Findings, func(f checkFinding) bool { return f.Rule == "unclosed" && strings.Contains(f.Text, "32 bytes") }) {
		t.Errorf("got %+v", report.Findings)
	}
	if got := <-answer; got != "{\n  \"command\": \"WELCOME\",\n  \"targetTeam\": \"224.16.32.127\"\n}\x00" {
		t.Errorf("got %q", got)
	}
	for _, c := range []struct{ name, want, listen string }{
		{"no port", "for example 127.0.0.1:28097", "127.0.0.1"},
		{"not an address of this machine", "cannot assign", "192.0.2.1:1"},
	} {
		if out, code := wantChecks(t, "", "--live", "1s", "--listen", c.listen); code != 2 || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d, printed:\n%s", c.name, code, out)
		}
	}
	if out, code := wantChecks(t, "", "--live", "10ms", "--listen", "127.0.0.1:0"); code != 1 || !strings.Contains(out, "no base station connected") {
		t.Errorf("exit %d, printed:\n%s", code, out)
	}
}

// onText calls a function with each text written.
type onText func(string)

func (f onText) Write(p []byte) (int, error) {
	f(string(p))
	return len(p), nil
}
