package touchline_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"touchline/internal/watch"
	"touchline/teamcom"
	"touchline/wire/msl"
	"touchline/wire/tcm"
	"touchline/wire/wiretest"
)

// The programs of the documents are extracted, compiled and run against touchline itself.

// read returns a file of this repository.
func read(t *testing.T, elem ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// snippet returns the n-th code block, from 0, of a document in one language.
func snippet(t *testing.T, document, language string, n int) string {
	t.Helper()
	blocks := strings.Split(read(t, filepath.FromSlash(document)), "\n```"+language+"\n")[1:]
	if n >= len(blocks) {
		t.Fatalf("%s has %d blocks of %s, want %d", document, len(blocks), language, n+1)
	}
	code, _, closed := strings.Cut(blocks[n], "\n```")
	if !closed {
		t.Fatalf("block %d of %s in %s does not end", n, language, document)
	}
	return code + "\n"
}

// compile compiles a program, and returns the command that runs it without its arguments. It skips the test where the
// language is not installed.
func compile(t *testing.T, language, code string) []string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	tool, source := "python3", "program.py"
	switch language {
	case "cpp":
		tool, source = "g++", "program.cpp"
	case "go":
		return []string{buildGo(t, dir, code)}
	}
	path, err := exec.LookPath(tool)
	if err != nil {
		t.Skipf("%s is not installed", tool)
	}
	source = filepath.Join(dir, source)
	if err := os.WriteFile(source, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	if language == "python" {
		return []string{path, source}
	}
	if out, err := exec.Command(path, "-Wall", "-Wextra", "-Werror", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return []string{program}
}

// buildGo compiles a Go program in a module of its own, as the README describes it.
func buildGo(t *testing.T, dir, code string) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"mod", "init", "mine"},
		{"work", "init", ".", here},
		{"vet", "."},
		{"build", "-o", "program", "."},
	} {
		c := exec.Command("go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return filepath.Join(dir, "program")
}

// programs is the folder of the compiled programs; empty while no test has needed them.
var programs string

// touchline returns the program touchline, with touchline-lab beside it, compiled once for all tests.
var touchline = sync.OnceValues(func() (string, error) {
	var err error
	if programs, err = os.MkdirTemp("", "touchline"); err != nil {
		return "", err
	}
	program := filepath.Join(programs, "touchline")
	if out, err := exec.Command("go", "build", "-o", programs+string(filepath.Separator), "./cmd/...").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if programs != "" {
		os.RemoveAll(programs)
	}
	os.Exit(code)
}

// process is a program that runs until the test ends.
type process struct {
	lines  *bufio.Scanner
	errors *bytes.Buffer
	name   string
}

// start runs a program until the test ends.
func start(t *testing.T, command ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{bufio.NewScanner(output), &bytes.Buffer{}, filepath.Base(command[0])}
	c.Stderr = p.errors
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_, _ = io.Copy(io.Discard, output)
		_ = c.Wait()
	})
	return p
}

// line returns the program's next line of output.
func (p *process) line(t *testing.T) string {
	t.Helper()
	if !p.lines.Scan() {
		t.Fatalf("%s ended: %v\n%s", p.name, p.lines.Err(), p.errors)
	}
	return strings.TrimSpace(p.lines.Text())
}

// startTouchline runs the command itself.
func startTouchline(t *testing.T, args ...string) *process {
	t.Helper()
	program, err := touchline()
	if err != nil {
		t.Fatal(err)
	}
	return start(t, append([]string{program}, args...)...)
}

// eachLanguage runs a test for the n-th C++, Python and Go programs of a document.
func eachLanguage(t *testing.T, document string, n int, test func(t *testing.T, program []string)) {
	t.Helper()
	for _, language := range []string{"cpp", "python", "go"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			test(t, compile(t, language, snippet(t, document, language, n)))
		})
	}
}

// TestDocumentRobot runs the robots of docs/mixed-team.md beside a session: they receive its robots, and touchline
// check finds nothing wrong with what they send.
func TestDocumentRobot(t *testing.T) {
	t.Parallel()
	line := regexp.MustCompile(`^robot [1-6] of team \d+: ball at (-?[\d.]+ ){3}m`)
	eachLanguage(t, "docs/mixed-team.md", 1, func(t *testing.T, program []string) {
		port := wiretest.FreePort(t, "udp")
		startTouchline(t, "demo", "--headless", "--robots", "4", "--group", "224.16.32.75:"+port)
		robot := start(t, append(program, port)...)
		for range 5 {
			if got := robot.line(t); !line.MatchString(got) {
				t.Errorf("the robot prints %q", got)
			}
		}
		check := startTouchline(t, "check", "--live", "1s", "--json", "--group", "224.16.32.75:"+port)
		var report strings.Builder
		for check.lines.Scan() {
			fmt.Fprintln(&report, check.lines.Text())
		}
		checkRobots(t, report.String())
	})
}

// TestDocumentSender runs the senders of docs/mixed-team.md and of the page beside a monitor: its tile shows their values
// and no fault.
func TestDocumentSender(t *testing.T) {
	t.Parallel()
	for language, file := range map[string]string{"python": "python.txt", "cpp": "cpp.txt", "go": "go.txt"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			code := snippet(t, "docs/mixed-team.md", language, 0)
			if code != read(t, "internal", "monitor", "static", "wall", "robot", file) {
				t.Errorf("the %s sender of the page differs from that of docs/mixed-team.md", language)
			}
			port := wiretest.FreePort(t, "udp")
			start(t, compile(t, language, strings.Replace(code, "2005", port, 1))...)
			shown := startTouchline(t, "monitor", "--group", "224.16.32.75:"+port, "--http", "127.0.0.1:0")
			_, address, ok := strings.Cut(shown.line(t), "http://")
			if !ok {
				t.Fatal("the monitor prints no address")
			}
			tile := firstTile(t, "ws://"+address+"api/stream")
			v := tile.Values
			if tile.Number != 6 || tile.Team != "CAMBADA" || len(tile.Faults) > 0 || v == nil || v.X == nil || *v.X != 1.2 ||
				*v.Y != -0.5 || *v.Heading != 90 || v.BallX == nil || *v.BallX != 1.5 || *v.BallY != 2 {
				t.Errorf("got tile %+v with values %+v", tile, v)
			}
		})
	}
}

// firstTile returns the first tile that the wall at an address shows.
func firstTile(t *testing.T, address string) watch.Tile {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	page, _, err := websocket.Dial(ctx, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer page.CloseNow()
	page.SetReadLimit(1 << 20)
	if err := page.Write(ctx, websocket.MessageText, []byte(`{"subscribe":["wall"]}`)); err != nil {
		t.Fatal(err)
	}
	for {
		_, b, err := page.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var topic struct{ Value watch.Wall }
		if err := json.Unmarshal(b, &topic); err != nil {
			t.Fatal(err)
		}
		if len(topic.Value.Tiles) > 0 {
			return topic.Value.Tiles[0]
		}
	}
}

// checkRobots finds robot 6 of team 39, and no fault, in the report of touchline check.
func checkRobots(t *testing.T, report string) {
	t.Helper()
	var r struct {
		OK     bool
		Inputs []struct {
			Report struct {
				Senders []struct {
					Number, Packets int
					Team            string
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(report), &r); err != nil || len(r.Inputs) != 1 {
		t.Fatalf("%v in the report\n%s", err, report)
	}
	found := false
	for _, s := range r.Inputs[0].Report.Senders {
		found = found || s.Number == 6 && s.Team == "CAMBADA" && s.Packets > 0
	}
	if !r.OK || !found {
		t.Errorf("robot 6 of CAMBADA found: %t; the report is\n%s", found, report)
	}
}

// TestDocumentClient runs the clients of docs/firasim.md against the simulator: they drive a robot.
func TestDocumentClient(t *testing.T) {
	t.Parallel()
	line := regexp.MustCompile(`^step (\d+): blue 0 at (-?[\d.]+) (-?[\d.]+)$`)
	eachLanguage(t, "docs/firasim.md", 0, func(t *testing.T, program []string) {
		vision, commands := wiretest.FreePort(t, "udp"), wiretest.FreePort(t, "udp")
		simulator := startTouchline(t, "sim", "vss", "--headless",
			"--vision", "224.0.0.1:"+vision, "--commands", "127.0.0.1:"+commands)
		simulator.line(t) // its sockets are open
		client := start(t, append(program, vision, commands)...)
		var began float64
		for n := range 1000 {
			got := client.line(t)
			fields := line.FindStringSubmatch(got)
			if fields == nil {
				t.Fatalf("the client prints %q", got)
			}
			x, err := strconv.ParseFloat(fields[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				began = x
			}
			if x < began-0.05 || x > began+0.05 {
				return
			}
		}
		t.Error("the robot did not move by 0.05 m in 1000 steps")
	})
}

// TestDocumentDriver runs the program of docs/teamcom.md beside a session: it takes over a robot of the field and drives it
// to a ball that lies near it.
func TestDocumentDriver(t *testing.T) {
	t.Parallel()
	program := compile(t, "python", snippet(t, "docs/teamcom.md", "python", 0))
	port := wiretest.FreePort(t, "udp")
	session := startTouchline(t, "demo", "--http", "127.0.0.1:0", "--addresses", "--group", "224.16.32.75:"+port)
	first := session.line(t)
	page := first[strings.Index(first, "http://"):]
	address := ""
	for found := false; !found; {
		_, address, found = strings.Cut(session.line(t), "--field ")
	}
	driver := start(t, append(program, address, "4")...)
	line := regexp.MustCompile(`^robot 4 at (-?[\d.]+) (-?[\d.]+), ball (not seen|[\d.]+ m away)$`)
	position := func() (x, y float64) {
		printed := driver.line(t)
		found := line.FindStringSubmatch(printed)
		if found == nil {
			t.Fatalf("the driver prints %q", printed)
		}
		x, _ = strconv.ParseFloat(found[1], 64)
		y, _ = strconv.ParseFloat(found[2], 64)
		return x, y
	}
	x, y := position()
	for moved, lines := 0.0, 0; moved < 1; lines++ { // until the time of start is over
		nowX, nowY := position()
		moved = math.Hypot(nowX-x, nowY-y)
		if lines%20 == 0 { // others kick it
			away := 2 / math.Hypot(nowX, nowY) // towards the centre
			body := fmt.Sprintf(`{"x": %f, "y": %f}`, nowX*(1-away), nowY*(1-away))
			answer, err := http.Post(page+"api/command/place-ball", "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
		}
	}
}

// TestDocumentTeammate runs two robots of the Go program of docs/teamcom.md: each receives the other's message.
func TestDocumentTeammate(t *testing.T) {
	t.Parallel()
	program := buildGo(t, t.TempDir(), snippet(t, "docs/teamcom.md", "go", 0))
	ini := filepath.Join(t.TempDir(), "TCM.ini")
	first, second := wiretest.FreePorts(t, "udp", 4), wiretest.FreePorts(t, "udp", 4)
	text := fmt.Sprintf("[robots]\n1 = 127.0.0.1:%d\n2 = 127.0.0.1:%d\n", first, second)
	if err := os.WriteFile(ini, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	one, two := start(t, program, "robot:1", ini), start(t, program, "robot:2", ini)
	for id, p := range map[int]*process{2: one, 1: two} {
		if got, want := p.line(t), fmt.Sprintf("robot:%d passes to robot 5 at 4.2 m/s", id); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// teamINI writes a TCM.ini with robots 1 to 3 and computer 1 on available ports of this machine.
func teamINI(t *testing.T) string {
	t.Helper()
	d := teamcom.Directory{Team: 1}
	for _, e := range []tcm.Entity{{Kind: tcm.Robot, ID: 1}, {Kind: tcm.Robot, ID: 2}, {Kind: tcm.Robot, ID: 3}, {Kind: tcm.Computer, ID: 1}} {
		port := uint16(wiretest.FreePorts(t, "udp", tcm.Sockets))
		at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)
		d.Entries = append(d.Entries, teamcom.Entry{Entity: e, Addr: at})
	}
	path := filepath.Join(t.TempDir(), "TCM.ini")
	if err := os.WriteFile(path, d.Append(nil), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDocumentFileTransfer runs the two commands of the quick start of docs/teamcom.md.
func TestDocumentFileTransfer(t *testing.T) {
	t.Parallel()
	quick, _, _ := strings.Cut(read(t, "docs", "teamcom.md"), "\n## Drive a robot\n")
	found := regexp.MustCompile(`(?m)^touchline (tcm (?:recv|send) \S+ ?\S* ?\S*?) {2,}`).FindAllStringSubmatch(quick, -1)
	if len(found) != 2 {
		t.Fatalf("the quick start has %q, want tcm recv and tcm send", found)
	}
	ini, dir := teamINI(t), t.TempDir()
	source := filepath.Join(t.TempDir(), "colours.cfg")
	if err := os.WriteFile(source, []byte("yellow 1 2 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	receiver := startTouchline(t, append(strings.Fields(found[0][1]), "--ini", ini, "--dir", dir)...)
	if got := receiver.line(t); !strings.HasPrefix(got, "robot:3 waits for files on 127.0.0.1:") {
		t.Fatalf("recv prints %q", got)
	}
	sender := startTouchline(t, append(strings.Fields(strings.Replace(found[1][1], "FILE", source, 1)), "--ini", ini)...)
	if got := sender.line(t); !strings.HasPrefix(got, "colours.cfg sent to robot:3: 13 bytes in ") {
		t.Errorf("send prints %q", got)
	}
	if got := receiver.line(t); !strings.HasPrefix(got, "colours.cfg from computer:1: 13 bytes in ") {
		t.Errorf("recv prints %q", got)
	}
	if got := read(t, dir, "colours.cfg"); got != "yellow 1 2 3\n" {
		t.Errorf("the stored file has %q", got)
	}
}

// TestDocumentBaseStation runs the base stations of docs/refbox.md: they connect to the referee box, receive commands
// that arrive in any pieces, and send worldstates without findings.
func TestDocumentBaseStation(t *testing.T) {
	t.Parallel()
	eachLanguage(t, "docs/refbox.md", 0, func(t *testing.T, program []string) {
		t.Run("referee box", func(t *testing.T) {
			box := startTouchline(t, "refbox", "--json", "--dir", t.TempDir(), "--home", "39", "--listen", "127.0.0.1:0",
				"--http", "127.0.0.1:0", "--score-clients", "")
			var addresses struct{ BaseStations string }
			if err := json.Unmarshal([]byte(box.line(t)), &addresses); err != nil {
				t.Fatal(err)
			}
			host, port, _ := net.SplitHostPort(addresses.BaseStations)
			station := start(t, append(program, host, port)...)
			if got := station.line(t); got != "WELCOME us" {
				t.Errorf("the base station prints %q, want WELCOME us", got)
			}
		})
		t.Run("pieces", func(t *testing.T) { playRefBox(t, program) })
	})
}

// playRefBox sends commands to a base station in pieces, and checks its worldstates and what it prints.
func playRefBox(t *testing.T, program []string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_ = listener.(*net.TCPListener).SetDeadline(time.Now().Add(20 * time.Second))
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	station := start(t, append(program, "127.0.0.1", port)...)
	conn, err := listener.Accept()
	if err != nil {
		t.Skipf("no address 127.0.0.39 here: %v", err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if from := conn.RemoteAddr().(*net.TCPAddr).IP.String(); from != "127.0.0.39" {
		t.Errorf("the base station connects from %s, want 127.0.0.39", from)
	}
	var stream []byte
	for _, c := range []msl.Command{
		{Name: msl.Welcome, TargetTeam: "224.16.32.39"}, {Name: msl.Start}, {Name: msl.FreeKick, TargetTeam: "224.16.32.63"},
		{Name: msl.Substitution, TargetTeam: "224.16.32.39", RobotID: 7},
	} {
		if stream, err = c.AppendBinary(stream); err != nil {
			t.Fatal(err)
		}
		stream = append(stream, 0)
	}
	reader := bufio.NewReader(conn)
	for _, piece := range [][]byte{stream[:20], stream[20:90], stream[90:]} {
		// Waiting for a worldstate before each piece lets the base station receive the pieces one by one.
		message, err := reader.ReadBytes(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, issue := range msl.Check(message[:len(message)-1]) {
			t.Errorf("%s: %v", message, issue)
		}
		if _, err := conn.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"WELCOME us", "START both", "FREEKICK them", "SUBSTITUTION us 7"} {
		if got := station.line(t); got != want {
			t.Errorf("the base station prints %q, want %q", got, want)
		}
	}
}
