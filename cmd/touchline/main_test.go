package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/transport"
)

// touchline runs a command line to its end.
func touchline(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var o, e bytes.Buffer
	code = run(ctx, args, &o, &e)
	return o.String(), e.String(), code
}

// The main job: one URL, a page behind it, and a clean end when interrupted.
func TestAloneItServesThePage(t *testing.T) {
	for name, args := range map[string][]string{
		"alone":   {"--http", "127.0.0.1:0", "--seed", "7"},
		"demo":    {"demo", "--http", "127.0.0.1:0"},
		"monitor": {"monitor", "--http", "127.0.0.1:0"},
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
				t.Fatalf("no URL in %q", line)
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
				t.Errorf("interrupted, it ends with %d", c)
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
		if stands := i < 3; r.Waited == stands || stands && r.Packets < 10 {
			t.Errorf("row %+v", r)
		}
	}
}

func TestMisuse(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"demo --package v3", "there are v1, v2 and falcons"},
		{"demo --robots 9", "robots 9: want 1 to 5"},
		{"demo --loss 2", "loss 2: want a share from 0 to 1"},
		{"demo --group 10.0.0.1:5", "224.0.0.0"},
		{"demo --field 30x20", "18x12 and 22x14"},
		{"demo --group nowhere", "224.16.32.75:2005"},
		{"demo --trailer 9999", "1200"},
		{"demo --ttl 300", "TTL"},
		{"demo --interface wlan77", "wlan77"},
		{"monitor --interface wlan77", "wlan77"},
		{"demo --flag-that-is-none", "--help"},
		{"dance", "dance"},
		{"demo extra", "extra"},
		{"monitor extra", "extra"},
		{"demo --duration -5s", "-5s"},
		{"monitor --duration -5s", "-5s"},
		{"demo --json", "--headless"},
		{"monitor --http foo", "a port"},
		{"monitor --http 127.0.0.1:99999", "no port"},
		{"monitor --group 224.16.32.75:0", "name a port"},
	} {
		args := strings.Fields(c.args)
		if !slices.Contains(args, "--http") {
			args = append(args, "--http", "127.0.0.1:0")
		}
		out, errs, code := touchline(t, args...)
		if code != 2 || !strings.Contains(errs, c.says) || strings.Contains(out, "http://") {
			t.Errorf("touchline %s: exit %d, stdout %q, stderr %q: want it to say %q", c.args, code, out, errs, c.says)
		}
	}
}

func TestHelpHasExamples(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"demo", "--help"}, {"monitor", "--help"}, {"check", "--help"}} {
		if out, _, code := touchline(t, args...); code != 0 || !strings.Contains(out, "Examples:") {
			t.Errorf("touchline %s: exit %d, no examples in %q", strings.Join(args, " "), code, out)
		}
	}
}

// broken is an output that takes nothing, as a full disk does.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAddressThatCannotBePrinted(t *testing.T) {
	for _, args := range [][]string{{"demo", "--http", "127.0.0.1:0"}, {"monitor", "--http", "127.0.0.1:0"}, {"demo", "--headless", "--duration", "100ms"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, broken{}, &errs); code != 1 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("touchline %s: exit %d, %q", strings.Join(args, " "), code, errs.String())
		}
	}
}

func TestPageAddresses(t *testing.T) {
	every := &net.TCPAddr{IP: net.IPv6unspecified, Port: 8014}
	one := &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8014}
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
		if url := pageURL(c.host, c.at); url != c.url {
			t.Errorf("--http %s: %s, want %s", c.host, url, c.url)
		}
	}
	if names := hosts("laptop", one); !slices.Contains(names, "laptop") || !slices.Contains(names, "192.0.2.7") {
		t.Errorf("the page may be called %q, want by its name and address", names)
	}
}

// What --package says is what is on the wire.
func TestPackageFlag(t *testing.T) {
	for name, size := range map[string]int{"v1": 96, "v2": 169, "falcons": 188} {
		network := transport.DefaultConfig(netip.MustParseAddrPort("224.16.32.75:0"))
		r, err := transport.Listen(network)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan int, 1)
		go func() {
			_, _, code := touchline(t, "demo", "--headless", "--duration", "1s", "--package", name, "--trailer", "3", "--group", r.Channel())
			done <- code
		}()
		p, err := r.ReadPacket(make([]byte, transport.MaxDatagram))
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Data) != size+3 {
			t.Errorf("--package %s --trailer 3: %d bytes, want %d", name, len(p.Data), size+3)
		}
		if code := <-done; code != 0 {
			t.Errorf("--package %s: exit %d", name, code)
		}
		r.Close()
	}
}
