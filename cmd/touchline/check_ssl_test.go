package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/ssl"
	"touchline/wire/wiretest"
)

// Check reads logs of the Small Size League, packed ones up to where they break off.
func TestCheckSSLLogs(t *testing.T) {
	message := wiretest.Vectors(t, "../../wire/vectors/ssl-referee.txt")[0].Data
	logOf := func(packed bool) []byte {
		var b bytes.Buffer
		w, err := matchlog.NewSSLWriter(&b, packed)
		for i := 0; i < 2000 && err == nil; i++ {
			p := soccer.Packet{Time: 1790000000e9 + soccer.Time(i)*1e7, Channel: ssl.RefereeGroup, Data: message}
			_, err = w.Write(&matchlog.Message{Time: p.Time, Channel: matchlog.Packets, Data: matchlog.AppendPacket(nil, &p)})
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	plain, packed := logOf(false), logOf(true)
	for _, c := range []struct {
		name string
		b    []byte
		want string
		code int
	}{
		{"plain.log", plain, "OK: no faults in 2000 SSL packets", 0},
		{"packed.log.gz", packed, "OK: no faults in 2000 SSL packets", 0},
		{"cut.log", plain[:len(plain)/2], "torn: it ends within a message", 0},
		{"cut.log.gz", packed[:len(packed)/2], "torn: it ends within a message", 0},
		{"sum.log.gz", append(bytes.Clone(packed[:len(packed)-8]), 0, 0, 0, 0, 0, 0, 0, 0), "gzip: invalid checksum", 0},
		{"head.log.gz", packed[:12], "unpack it first", 2},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, c.b, 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := run(context.Background(), []string{"check", path}, &out, &errs)
		if text := out.String() + errs.String(); code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%s: code %d, want %d and %q:\n%s", c.name, code, c.code, c.want, text)
		}
	}
}
