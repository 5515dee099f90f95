package matchlog_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"touchline/matchlog"
	"touchline/soccer"
)

// foreign returns a chunked MCAP file as other programs write it.
func foreign(t testing.TB, compression mcap.CompressionFormat, messages int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, &mcap.WriterOptions{Chunked: true, ChunkSize: 500, Compression: compression, IncludeCRC: true})
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.WriteHeader(&mcap.Header{Profile: "ros2", Library: "other"}))
	must(w.WriteSchema(&mcap.Schema{ID: 1, Name: "s", Encoding: "jsonschema", Data: []byte("{}")}))
	must(w.WriteChannel(&mcap.Channel{ID: 7, SchemaID: 1, Topic: "/pose", MessageEncoding: "json"}))
	must(w.WriteChannel(&mcap.Channel{ID: 9, SchemaID: 1, Topic: matchlog.Home, MessageEncoding: "json"}))
	must(w.WriteMetadata(&mcap.Metadata{Name: "any", Metadata: map[string]string{"robot": "4"}}))
	must(w.WriteAttachment(&mcap.Attachment{Name: "a", MediaType: "text/plain", DataSize: 5, Data: strings.NewReader("hello")}))
	for i := range messages {
		must(w.WriteMessage(&mcap.Message{
			ChannelID: []uint16{7, 9}[i%2], LogTime: uint64(began) + uint64(i)*1e6, PublishTime: uint64(began), Data: fmt.Append(nil, `{"n":`, i, `}`),
		}))
	}
	must(w.Close())
	return b.Bytes()
}

func TestForeign(t *testing.T) {
	for _, c := range []mcap.CompressionFormat{mcap.CompressionNone, mcap.CompressionLZ4, mcap.CompressionZSTD} {
		data := foreign(t, c, 1000)
		l := open(t, write(t, filepath.Join(t.TempDir(), "x.mcap"), data))
		got := all(t, l, 0, 0)
		if len(got) != 1000 {
			t.Fatalf("%q: %d messages", c, len(got))
		}
		for i, m := range got {
			same(t, m, matchlog.Message{
				Time: began + soccer.Time(i)*1e6, Published: began, Channel: []string{"/pose", "home"}[i%2], Data: fmt.Append(nil, `{"n":`, i, `}`),
			})
		}
		if i := l.Info(); !i.Finished || i.Format != "mcap of another program" || i.Meta["robot"] != "4" || i.Ready != 1 {
			t.Errorf("%q: %+v", c, i)
		}
		l = openTorn(t, write(t, filepath.Join(t.TempDir(), "torn.mcap"), data[:len(data)/2]))
		if n := len(all(t, l, 0, 0)); n < 100 || n > 900 || l.Info().Finished || l.Info().Torn == "" {
			t.Errorf("%q: half of the file has %d messages, %+v", c, n, l.Info())
		}
		if _, err := matchlog.Append(write(t, filepath.Join(t.TempDir(), "other.mcap"), data)); err == nil {
			t.Errorf("%q: a log of another program was continued", c)
		}
	}
}

// openTorn opens a log whose end need not be readable.
func openTorn(t testing.TB, path string) *matchlog.Log {
	t.Helper()
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	l.Wait()
	return l
}

// TestBombs checks the limits on files that unpack to large sizes.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks 64 MB")
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("x.A.msl")
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, `{"teamName": "A","timestamp": 1467550001000,"gametimeMs": 2,"worldstate": {"ageMs": 5}}`+"\n")
	blanks := bytes.Repeat([]byte(" "), 1<<20)
	for range 200 {
		w.Write(blanks)
	}
	for i := range 200 { // and many names
		if _, err := z.Create(fmt.Sprint("../../", i, ".msl")); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	l := openTorn(t, write(t, filepath.Join(t.TempDir(), "bomb.zip"), b.Bytes()))
	i := l.Info()
	if len(all(t, l, 0, 0, matchlog.Home)) != 1 || !strings.Contains(strings.Join(i.Notes, "\n"), "unpacks to more than") {
		t.Errorf("got %+v", i)
	}
	chunk := append([]byte("\x89MCAP0\r\n\x01\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), 6, 40, 0, 0, 0, 0, 0, 0, 0)
	chunk = append(chunk, bytes.Repeat([]byte{0xff}, 40)...) // lengths beyond anything
	if l, err := matchlog.Open(write(t, filepath.Join(t.TempDir(), "x.mcap"), chunk)); err == nil {
		t.Errorf("a broken chunk was read: %+v", l.Info())
		l.Close()
	}
}

// TestUntimed reads a log of events without times beside a team's file: the events get the team's first time.
func TestUntimed(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"x.msl":   "New BaseStation @ 1.2.3.4\nand nothing else\n",
		"x.A.msl": `[{"teamName": "A","timestamp": 1467553840000,"gametimeMs": 0,"worldstate": {"type":"worldstate","ageMs":10}}]`,
	} {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	l := open(t, write(t, filepath.Join(t.TempDir(), "x.zip"), b.Bytes()))
	if err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	if i := l.Info(); i.Start != 1467553840010e6 || len(all(t, l, 0, 0, matchlog.Lines)) != 2 {
		t.Errorf("got %+v", i)
	}
}
