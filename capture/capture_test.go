package capture_test

import (
	"bufio"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"touchline/capture"
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
		if _, err := capture.NewReader(strings.NewReader(c.file), nil); c.want != capture.Pcap && (err == nil) != c.want.Packets() {
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
