package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"touchline/internal/console"
	"touchline/transport"
)

// touchline runs a command line to its end.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	return console.Run(ctx, rootCommand(), args, out, errs)
}

func touchline(t testing.TB, args ...string) (out, errs string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var o, e bytes.Buffer
	code = run(ctx, args, &o, &e)
	return o.String(), e.String(), code
}

// single skips a test of virtual time where only the race detector is of interest: a session in virtual time is one
// goroutine, and the detector makes it ten times slower.
func single(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs on one goroutine")
	}
}

// Each of these prints the page's address, serves the page, and stops cleanly when interrupted.
func TestServesPage(t *testing.T) {
	for name, args := range map[string][]string{
		"alone":     {"--http", "127.0.0.1:0", "--seed", "7"},
		"demo":      {"demo", "--http", "127.0.0.1:0"},
		"monitor":   {"monitor", "--http", "127.0.0.1:0"},
		"one robot": {"robot", "--alone", "--http", "127.0.0.1:0"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
			defer interrupt()
			r, w := io.Pipe()
			code := make(chan int, 1)
			go func() { code <- run(ctx, args, w, io.Discard) }()
			line, err := bufio.NewReader(r).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(line)
			if url == "" {
				t.Fatalf("got %q, want the page's address", line)
			}
			response, err := http.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if body, _ := io.ReadAll(response.Body); response.StatusCode != 200 || !bytes.Contains(body, []byte("touchline")) {
				t.Errorf("%s answers %d with %d bytes", url, response.StatusCode, len(body))
			}
			interrupt()
			if c := <-code; c != 0 {
				t.Errorf("interrupted: exit %d, want 0", c)
			}
		})
	}
}

func TestHeadlessScores(t *testing.T) {
	out, errs, code := touchline(t, "demo", "--headless", "--json", "--duration", "2s", "--robots", "3")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var rows []scoreRow
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for i, r := range rows {
		if plays := i < 3; r.Waited == plays || plays && r.Packets < 10 {
			t.Errorf("row %+v", r)
		}
	}
}

func TestMisuse(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"demo --package v3", "--package v3: want v1, v2 or falcons"},
		{"demo --robots 9", "robots 9: want 1 to 5"},
		{"demo --loss 2", "loss 2: want a share from 0 to 1"},
		{"demo --group 10.0.0.1:5", "224.0.0.0"},
		{"demo --field 30x20", "--field 30x20: want 18x12 or 22x14"},
		{"demo --group nowhere", "224.16.32.75:2005"},
		{"demo --trailer 9999", "1200"},
		{"demo --ttl 300", "TTL"},
		{"demo --interface wlan77", "wlan77"},
		{"monitor --interface wlan77", "wlan77"},
		{"demo --flag-that-is-none", "touchline demo has no flag --flag-that-is-none; see --help"},
		{"demo --colour", "has no flag --colour; see --help"},
		{"demo --robot 3", "has no flag --robot; did you mean --robots?"},
		{"demo -q", "touchline demo has no flag -q; see --help"},
		{"demo --headless --duration 1s --http 127.0.0.1:0", "there is no page: --http 127.0.0.1:0 has no effect"},
		{"demo --headless --duration 1s --speed max --dir logs --ttl 3", "no referee box: --dir logs --ttl 3 has no effect"},
		{"demo --story booking --auto --group 224.1.1.1:99", "virtual time has no sockets"},
		{"demo --match --ttl 3", "has no --ttl"},
		{"demo --match --vision pixels", "has no --vision"},
		{"demo --match --record-pictures 4", "has no --record-pictures"},
		{"demo --match --headless --duration 1s --http 127.0.0.1:0", "there is no page"},
		{"dance", "dance"},
		{"versoin", `"versoin" is neither a command nor a flag of touchline; did you mean version?`},
		{"sim vss --lockstep blue", "--lockstep=blue"},
		{"demo extra", "extra"},
		{"monitor extra", "extra"},
		{"demo --duration -5s", "--duration -5s: want a time above 0"},
		{"refbox --duration 0", "--duration 0: want a time above 0"},
		{"monitor --duration -5s", "-5s"},
		{"demo --json", "--headless"},
		{"monitor --http foo", "--http foo: want an address and a port"},
		{"monitor --http 127.0.0.1:99999", "want a port from 0 to 65535"},
		{"monitor --group 224.16.32.75:0", "want an address and a port"},
		{"demo --loss x", "--loss x: want a share from 0 to 1, for example 0.1; see --help"},
		{"demo --robots many", "--robots many: want a whole number from 1 to 5, for example 3"},
		{"demo --delay 20", "--delay 20: want a time from 0 to 1h, for example 20ms"},
		{"demo --seed -1", "--seed -1: want a whole number of at least 0"},
		{"demo --headless=perhaps", "--headless perhaps: want true or false"},
		{"demo --delay -1s", "delay -1s: want a time from 0 to 1h"},
		{"demo --burst -1", "touchline: burst -1: want a mean run of losses"},
		{"demo --trailer -1", "touchline: trailer"},
		{"refbox --home 999", "touchline: team 999"},
		{"monitor --profiles halls", "--profiles needs --tcm"},
		{"monitor --tcm-as computer:1", "--tcm-as needs --tcm"},
		{"demo --profiles main_test.go", "--profiles main_test.go: want a folder"},
		{"robot --alone --profiles main_test.go", "--profiles main_test.go: want a folder"},
		{"robot --id 3 --field 127.0.0.1:1 --profiles halls", "--profiles needs --alone"},
	} {
		args := strings.Fields(c.args)
		if !slices.Contains(args, "--http") {
			args = append(args, "--http", "127.0.0.1:0")
		}
		out, errs, code := touchline(t, args...)
		if code != 2 || !strings.Contains(errs, c.want) || strings.Contains(out, "http://") {
			t.Errorf("touchline %s: exit %d, stdout %q, stderr %q; want exit 2 and %q", c.args, code, out, errs, c.want)
		}
	}
}

// goText are words of Go and its libraries that mean nothing to a user.
var goText = regexp.MustCompile(`strconv|invalid syntax|parsing|invalid argument|value out of range|\b[A-Z]\w*\.[A-Z]\w*|\b[A-Z][a-z]+Config\b`)

// Each flag of each command names itself, the bad value and what it accepts, in words of the user.
func TestBadFlagValues(t *testing.T) {
	const bad = "12monkeys"
	tried := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			err := c.ParseFlags([]string{"--" + f.Name + "=" + bad})
			if err == nil {
				return // a text, which the command checks
			}
			tried++
			text := c.FlagErrorFunc()(c, err).Error()
			if !strings.HasPrefix(text, "--"+f.Name+" "+bad+": want ") || goText.MatchString(text) {
				t.Errorf("%s --%s %s: %s", c.CommandPath(), f.Name, bad, text)
			}
		})
		c.Flags().VisitAll(func(f *pflag.Flag) {
			err := c.ParseFlags([]string{"--" + f.Name})
			if err == nil {
				return // it has a value without one
			}
			text := c.FlagErrorFunc()(c, err).Error()
			if !strings.HasPrefix(text, "--"+f.Name+" needs a value: want ") || goText.MatchString(text) {
				t.Errorf("%s --%s: %s", c.CommandPath(), f.Name, text)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	root := rootCommand()
	console.Prepare(root)
	walk(root)
	if tried < 50 {
		t.Errorf("tried %d flags, want all of them", tried)
	}
}

func TestHelpHasExamples(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"demo", "--help"}, {"monitor", "--help"}, {"check", "--help"}} {
		if out, _, code := touchline(t, args...); code != 0 || !strings.Contains(out, "Examples:") {
			t.Errorf("touchline %s: exit %d, no examples in %q", strings.Join(args, " "), code, out)
		}
	}
}

// The log shows errors without the names of packages.
func TestLogIsPlain(t *testing.T) {
	var out bytes.Buffer
	err := fmt.Errorf("station: not a command: %w", errors.New("msl: not a JSON object"))
	console.Logger(&out).Warn("trouble", "err", err, "at", "msl: kept")
	if got := out.String(); !strings.Contains(got, `err="not a command: not a JSON object" at="msl: kept"`) {
		t.Errorf("got %s", got)
	}
}

// broken is an output that fails, like a full disk.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestBrokenOutput(t *testing.T) {
	for _, args := range [][]string{{"demo", "--http", "127.0.0.1:0"}, {"monitor", "--http", "127.0.0.1:0"},
		{"demo", "--headless", "--duration", "100ms"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, broken{}, &errs); code != 1 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("touchline %s: exit %d, %q", strings.Join(args, " "), code, errs.String())
		}
	}
}

func TestPageAddresses(t *testing.T) {
	every := &net.TCPAddr{IP: net.IPv6unspecified, Port: 8014}
	one := &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8014}
	lab := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/8"), netip.MustParsePrefix("fe80::1/64"),
		netip.MustParsePrefix("169.254.3.4/16"), netip.MustParsePrefix("192.0.2.7/24")}
	if url, want := pageURL("0.0.0.0", every, lab), "http://192.0.2.7:8014/"; url != want {
		t.Errorf("--http 0.0.0.0 in a network: %s, want %s, the address for other machines", url, want)
	}
	for _, c := range []struct {
		host string
		at   *net.TCPAddr
		url  string
	}{
		{"", every, "http://localhost:8014/"},
		{"0.0.0.0", every, "http://localhost:8014/"},
		{"192.0.2.7", one, "http://192.0.2.7:8014/"},
		{"laptop", one, "http://laptop:8014/"},
		{"::1", &net.TCPAddr{IP: net.IPv6loopback, Port: 80}, "http://[::1]:80/"},
	} {
		if url := pageURL(c.host, c.at, lab[:3]); url != c.url {
			t.Errorf("--http %s: %s, want %s", c.host, url, c.url)
		}
	}
	if names := hosts("laptop", one); !slices.Contains(names, "laptop") || !slices.Contains(names, "192.0.2.7") {
		t.Errorf("got the host names %q, want the name and the address", names)
	}
}

// The robots send the package of --package.
func TestPackageFlag(t *testing.T) {
	for name, size := range map[string]int{"v1": 96, "v2": 169, "falcons": 188} {
		network := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:0"))
		r, err := transport.Listen(network)
		if err != nil {
			t.Fatal(err)
		}
		sizes := make(chan int, 1)
		go func() {
			if p, err := r.ReadPacket(make([]byte, transport.MaxDatagram)); err == nil {
				sizes <- len(p.Data)
			}
		}()
		got := 0
		for try := 0; got == 0 && try < 20; try++ { // on a machine that stands still a second passes without a package
			_, _, code := touchline(t, "demo", "--headless", "--duration", "1s", "--package", name, "--trailer", "3", "--group",
				r.Channel())
			if code != 0 {
				t.Fatalf("--package %s: exit %d", name, code)
			}
			select {
			case got = <-sizes:
			case <-time.After(100 * time.Millisecond):
			}
		}
		if got != size+3 {
			t.Errorf("--package %s --trailer 3: %d bytes, want %d", name, got, size+3)
		}
		r.Close()
	}
}

// A command whose output cannot be written says so, and fails.
func TestFullDisk(t *testing.T) {
	for _, line := range []string{"--help", "version"} {
		r, w := io.Pipe()
		r.CloseWithError(errors.New("no space left on device"))
		var errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(line), w, &errs); code != 1 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%s: exit %d, %q", line, code, errs.String())
		}
	}
}

// An interrupt ends the measurement of the engine at once.
func TestLearnBareInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	var out, errs bytes.Buffer
	code := run(ctx, []string{"learn", "--bare", "20s"}, &out, &errs)
	if code != 1 || out.Len() > 0 || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit %d, %s%s", code, out.String(), errs.String())
	}
	if _, errs, code := touchline(t, "learn", "--bare", "0s"); code != 2 || !strings.Contains(errs, "want a time above 0") {
		t.Errorf("--bare 0s: exit %d, %s", code, errs)
	}
}
