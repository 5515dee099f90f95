package matchlog_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

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
	if len(all(t, l, 0, 0, matchlog.Home)) != 1 || !strings.Contains(strings.Join(i.Notes, "\n"), "unpacks to more than") ||
		!strings.Contains(strings.Join(l.Loss(), "\n"), "unpacks to more than") {
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

// TestDamagedChunks reads files with one damaged chunk: a note names the chunk and its time, and the messages of the
// other chunks are read.
func TestDamagedChunks(t *testing.T) {
	for _, c := range []mcap.CompressionFormat{mcap.CompressionNone, mcap.CompressionLZ4, mcap.CompressionZSTD} {
		data := foreign(t, c, 1000)
		info, err := mcap.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		summary, err := info.Info()
		if err != nil {
			t.Fatal(err)
		}
		damaged := summary.ChunkIndexes[len(summary.ChunkIndexes)/2]
		chunk := data[damaged.ChunkStartOffset:][:damaged.ChunkLength]
		at := len(chunk) * 2 / 3
		if c == mcap.CompressionNone { // else somewhere in the compressed records
			at = bytes.LastIndex(chunk, []byte(`{"n":`)) + len(`{"n":`)
		}
		chunk[at] ^= 1
		l := openTorn(t, write(t, filepath.Join(t.TempDir(), "x.mcap"), data))
		i := l.Info()
		if n := len(all(t, l, 0, 0)); n < 950 || !i.Finished || l.Wait() != nil {
			t.Errorf("%q: %d messages, %+v", c, n, i)
		}
		from := time.Unix(0, int64(damaged.MessageStartTime)).UTC().Format("2006-01-02 15:04:05.000")
		want := fmt.Sprintf("the chunk at byte %d, %s to ", damaged.ChunkStartOffset, from)
		if len(i.Notes) != 1 || !strings.HasPrefix(i.Notes[0], want) {
			t.Errorf("%q: the notes are %q, want one that begins with %q", c, i.Notes, want)
		}
		if c == mcap.CompressionNone && (!strings.Contains(i.Notes[0], "checksum is wrong") || len(all(t, l, 0, 0)) != 1000) {
			t.Errorf("the notes are %q, %d messages", i.Notes, len(all(t, l, 0, 0)))
		}
	}
}

// chunked returns an MCAP file with one chunk of these records, which announces its length.
func chunked(t *testing.T, compression string, length uint64, records func(io.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = nopCloser{&b}
	var err error
	switch compression {
	case "lz4":
		w = lz4.NewWriter(&b)
	case "zstd":
		w, err = zstd.NewWriter(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Write(recordOf(4, "\x07\x00\x00\x00\x01\x00\x00\x00t\x04\x00\x00\x00json\x00\x00\x00\x00"))
	records(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	head := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(began)), uint64(began)+1e9)
	head = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(head, length), 0)
	head = append(binary.LittleEndian.AppendUint32(head, uint32(len(compression))), compression...)
	head = binary.LittleEndian.AppendUint64(head, uint64(b.Len()))
	file := append([]byte("\x89MCAP0\r\n"), recordOf(1, "\x01\x00\x00\x00x\x01\x00\x00\x00y")...)
	return append(file, recordOf(6, string(head)+b.String())...)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// recordOf returns a record of an MCAP file.
func recordOf(op byte, body string) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte{op}, uint64(len(body))), body...)
}

// message is a record of a message of the channel that chunked declares.
func message(data string) []byte {
	at := binary.LittleEndian.AppendUint64(nil, uint64(began))
	return recordOf(5, "\x07\x00\x00\x00\x00\x00"+string(at)+string(at)+data)
}

// TestChunkBombs reads small chunks that unpack to 200 MB: of zeros, messages, and records that are skipped. The bytes that
// are read, and kept on the disk, are bounded by the size of the file and by what the chunk announces.
func TestChunkBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks 200 MB")
	}
	const unpacked = 200 << 20
	for name, unit := range map[string][]byte{
		"zeros": make([]byte, 1<<20), "messages": bytes.Repeat(message(""), 30_000), "skipped records": bytes.Repeat(recordOf(0x80, ""), 100_000),
		"long messages": message(strings.Repeat("0", 15<<20)), "records that are too long": recordOf(5, strings.Repeat("0", 17<<20)),
	} {
		for _, compression := range []string{"zstd", "lz4"} {
			if compression == "lz4" && name != "messages" && name != "zeros" {
				continue
			}
			bomb := func(w io.Writer) {
				w.Write(message("first"))
				for n := 0; n < unpacked; n += len(unit) {
					w.Write(unit)
				}
			}
			for announced, want := range map[uint64][]string{
				unpacked + 1<<26: {"unpacks to more than", "in the middle of a record"}, 1 << 20: {"that it announces", "in the middle of a record"},
			} {
				t.Run(fmt.Sprint(name, " ", compression, " ", announced), func(t *testing.T) {
					data := chunked(t, compression, announced, bomb)
					l := openTorn(t, write(t, filepath.Join(t.TempDir(), "bomb.mcap"), data))
					each := 31 // bytes of a record
					if name == "long messages" {
						each = len(unit)
					}
					size := int(l.Info().Channels[0].Count-1) * each // without the first message
					if most := 64<<20 + 100*len(data); size > most {
						t.Errorf("%d bytes of messages are kept of a file of %d, want at most %d", size, len(data), most)
					}
					notes := strings.Join(l.Info().Notes, "\n")
					if !slices.ContainsFunc(want, func(text string) bool { return strings.Contains(notes, text) }) {
						t.Errorf("the notes are %q, want one of %q", notes, want)
					}
				})
			}
		}
	}
}

// TestChunkInChunk refuses a chunk within a chunk, which no writer makes.
func TestChunkInChunk(t *testing.T) {
	inner := chunked(t, "", 1<<20, func(w io.Writer) { w.Write(message("inner")) })
	inner = inner[len("\x89MCAP0\r\n")+9+10:]
	l := openTorn(t, write(t, filepath.Join(t.TempDir(), "nested.mcap"), chunked(t, "zstd", 1<<20, func(w io.Writer) {
		w.Write(message("outer"))
		for range 1000 {
			w.Write(inner)
		}
	})))
	got, notes := all(t, l, 0, 0), strings.Join(l.Info().Notes, "\n")
	if len(got) != 1 || string(got[0].Data) != "outer" || !strings.Contains(notes, "it contains another chunk") {
		t.Errorf("%d messages, notes %q", len(got), notes)
	}
}

// An hour of 1,200 messages a second, which is an honest recording, is read whole.
func TestHour(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	const messages = 3600 * 1200
	path := filepath.Join(t.TempDir(), "hour.mcap")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := mcap.NewWriter(f, &mcap.WriterOptions{Chunked: true, SkipMessageIndexing: true, Compression: mcap.CompressionZSTD})
	if err == nil {
		err = w.WriteHeader(&mcap.Header{Profile: "ros2"})
	}
	if err == nil {
		err = w.WriteChannel(&mcap.Channel{ID: 1, Topic: "/pose", MessageEncoding: "json"})
	}
	m := mcap.Message{ChannelID: 1, Data: []byte("{}")}
	for i := 0; i < messages && err == nil; i++ {
		m.LogTime = uint64(began) + uint64(i)*1e9/1200
		err = w.WriteMessage(&m)
	}
	if err = errors.Join(err, w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	if i := l.Info(); len(l.Loss()) > 0 || i.Channels[0].Count != messages || !i.Finished {
		t.Errorf("%d of %d messages are read, %q is lost", i.Channels[0].Count, messages, l.Loss())
	}
}
