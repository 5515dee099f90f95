package capture_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"touchline/internal/capture"
)

func TestSniff(t *testing.T) {
	worldstate := `{"type": "worldstate", "teamName": "Water", "intention": "` + strings.Repeat("x", 2000) + `"}`
	for _, c := range []struct {
		name, file string
		want       capture.Format
	}{
		{"pcap", "\xd4\xc3\xb2\xa1\x02\x00\x04\x00", capture.Pcap},
		{"pcapng", "\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a", capture.Pcap},
		{"gzip", "\x1f\x8b\x08\x00", capture.Gzip},
		{"zip", "PK\x03\x04\x14\x00", capture.Zip},
		{"empty zip", "PK\x05\x06\x00\x00", capture.Zip},
		{"MCAP", "\x89MCAP0\r\n\x01", capture.MCAP},
		{"team log", "\r\n[\n{\"teamName\": ", capture.TeamLog},
		{"empty team log of RefBox 2.1", "\n]\n", capture.TeamLog},
		{"message", worldstate, capture.Messages},
		{"message with a byte order mark", "\xef\xbb\xbf {\n \"type\":", capture.Messages},
		{"messages with a NUL in front", "\x00{\"type\":", capture.Messages},
		{"part of a team log", `{"teamName": "A","timestamp": 1000,"gametimeMs": 5,"worldstate": {`, capture.TeamLog},
		{"broken message", "{type: worldstate", capture.Messages},
		{"event log of 2016", "1467553814000,00:00(00:00),Pre-Game,A,Cyan\n", capture.EventLog},
		{"event log of 2.1", "New BaseStation @Falcons\n", capture.EventLog},
		{"hex", "# a comment\n7b 02 00\n", capture.Hex},
		{"hex without blanks", strings.Repeat("7b02", 500), capture.Hex},
		{"hex messages", hex.EncodeToString([]byte(worldstate)), capture.HexMessages},
		{"hex messages that are cut within a byte", " " + hex.EncodeToString([]byte(worldstate)), capture.HexMessages},
		{"hex message as a vector", "name a\nhex 7b 22 # text\nhex 61", capture.HexMessages},
		{"mixed team package", "{\x02\x01\x00", capture.Datagram},
		{"other bytes", "\x00\x01\x02", capture.Datagram},
	} {
		r := bufio.NewReader(strings.NewReader(c.file))
		if got, err := capture.Sniff(r); got != c.want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.want)
		}
		if all, err := io.ReadAll(r); string(all) != c.file || err != nil {
			t.Errorf("%s: Sniff has consumed bytes: %d of %d are left, %v", c.name, len(all), len(c.file), err)
		}
		if _, err := capture.NewReader(strings.NewReader(c.file), nil); c.want != capture.Pcap &&
			(err == nil) != (c.want.Station() && !c.want.MatchLog() || c.want == capture.Hex || c.want == capture.Datagram) {
			t.Errorf("%s: NewReader returns the error %v", c.name, err)
		} else if c.want.MatchLog() && !strings.Contains(err.Error(), "matchlog") {
			t.Errorf("%s: the error %q does not name the package that reads match logs", c.name, err)
		}
	}
	if _, err := capture.Sniff(bufio.NewReader(strings.NewReader(""))); !errors.Is(err, capture.ErrEmpty) {
		t.Errorf("empty file: got %v, want ErrEmpty", err)
	}
}

func TestDatagram(t *testing.T) {
	r, err := capture.NewReader(strings.NewReader("{\x02\x01"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := r.Next(); string(p.Data) != "{\x02\x01" || err != nil {
		t.Errorf("got %q, %v", p.Data, err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("then got %v, want io.EOF", err)
	}
	r, err = capture.NewReader(strings.NewReader("\x01"+strings.Repeat("x", 65507)), nil)
	if err == nil {
		_, err = r.Next()
	}
	if err == nil || !strings.Contains(err.Error(), "65507") {
		t.Errorf("too long: got %v", err)
	}
}

func TestMessages(t *testing.T) {
	huge := strings.Repeat("x", 3<<20)
	for _, c := range []struct{ name, file, want string }{
		{"one", " \n{1}\n", "2 {1}"},
		{"one with a byte order mark", "\xef\xbb\xbf{1}", "1 {1}"},
		{"closed by NULs", "{1}\x00\x00 \n{2}\n\x00{3}\n", "1 {1}, 2 {2}, 3 {3}"},
		{"one after the other", "{1}\n{2} {3}\n", "1 {1}, 2 {2}, 2 {3}"},
		{"torn", "{1}\n{2} {3", "1 {1}, 2 {2}, torn"},
		{"a broken one", "{1", "1 {1"},
		{"too long", "{1}\x00{" + huge,
			"1 {1}, capture: byte 4: a message of more than 1114112 bytes: close each message with a NUL"},
	} {
		file := strings.Replace(c.file, "{1", `{"a":1`, 1)
		r, err := capture.NewReader(strings.NewReader(file), nil)
		if err != nil || r.Format != capture.Messages {
			t.Errorf("%s: %v, format %q", c.name, err, r.Format)
			continue
		}
		var got []string
		for {
			p, err := r.Next()
			if err != nil {
				if err != io.EOF {
					got = append(got, strings.Replace(err.Error(), "byte 8", "byte 4", 1))
				} else if r.Skipped.Torn {
					got = append(got, "torn")
				}
				break
			}
			if !strings.HasPrefix(file[r.Offset:], string(p.Data)) {
				t.Errorf("%s: %q is not at byte %d", c.name, p.Data, r.Offset)
			}
			got = append(got, fmt.Sprint(r.Line, " ", strings.Replace(string(p.Data), `{"a":1`, "{1", 1)))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte("{\"teamName\": \"A\"}\n,\n{}\n,\n]"))
	f.Add([]byte("{\"type\":\"event\"}\x00{\"worldstate\":{}}\x00{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := capture.NewReader(bytes.NewReader(append([]byte("{\""), b...)), nil)
		if err != nil {
			return
		}
		file := append([]byte("{\""), b...)
		for {
			p, err := r.Next()
			if err != nil {
				return
			}
			if !bytes.HasPrefix(file[r.Offset:], p.Data) || r.Line != int64(1+bytes.Count(file[:r.Offset], []byte("\n"))) {
				t.Fatalf("line %d, byte %d of %q is not %q", r.Line, r.Offset, file, p.Data)
			}
		}
	})
}
