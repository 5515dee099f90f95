package matchlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"touchline/matchlog"
	"touchline/soccer"
)

const began = soccer.Time(1467550000e9)

func sample(i int) matchlog.Message {
	channels := []string{matchlog.Home, matchlog.Away, matchlog.Commands, matchlog.Notes}
	return matchlog.Message{
		Time: began + soccer.Time(i)*1e7, Published: began + soccer.Time(i)*1e7 - 2e6, Channel: channels[i%len(channels)],
		Data: fmt.Appendf(nil, `{"n":%d,"pad":"%0*d"}`, i, i%97, 0),
	}
}

func create(t testing.TB, messages int) (string, *matchlog.Writer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaHome: "Home Team"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range messages {
		if err := w.Write(sample(i)); err != nil {
			t.Fatal(err)
		}
	}
	return path, w
}

// unwrapped returns the contents of a message, which are in a message of protocol buffers on channels that are not JSON.
func unwrapped(t testing.TB, schema *mcap.Schema, c *mcap.Channel, m *mcap.Message) []byte {
	t.Helper()
	if c.MessageEncoding == "json" {
		return m.Data
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(schema.Data, &set); err != nil || c.MessageEncoding != "protobuf" || schema.Encoding != "protobuf" {
		t.Fatalf("channel %s has encoding %s: %v", c.Topic, c.MessageEncoding, err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	found, err := files.FindDescriptorByName(protoreflect.FullName(schema.Name))
	if err != nil {
		t.Fatal(err)
	}
	message := dynamicpb.NewMessage(found.(protoreflect.MessageDescriptor))
	if err := proto.Unmarshal(m.Data, message); err != nil || len(message.GetUnknown()) > 0 {
		t.Fatalf("channel %s: %v", c.Topic, err)
	}
	field := message.Descriptor().Fields().ByNumber(1)
	if field.Kind() == protoreflect.StringKind {
		return []byte(message.Get(field).String())
	}
	return message.Get(field).Bytes()
}

// library reads a log with the reader of the MCAP project.
func library(t testing.TB, path string) (messages []matchlog.Message, info *mcap.Info, meta map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := mcap.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if info, err = r.Info(); err != nil {
		t.Fatal(err)
	}
	for _, m := range info.MetadataIndexes {
		got, err := r.GetMetadata(m.Offset)
		if err != nil {
			t.Fatal(err)
		}
		meta = got.Metadata
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if r, err = mcap.NewReader(f); err != nil {
		t.Fatal(err)
	}
	it, err := r.Messages(mcap.UsingIndex(false))
	if err != nil {
		t.Fatal(err)
	}
	for {
		schema, c, m, err := it.NextInto(nil)
		if errors.Is(err, io.EOF) {
			return messages, info, meta
		}
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, matchlog.Message{
			Time: soccer.Time(m.LogTime), Published: soccer.Time(m.PublishTime), Channel: c.Topic, Data: bytes.Clone(unwrapped(t, schema, c, m)),
		})
	}
}

func same(t testing.TB, got, want matchlog.Message) {
	t.Helper()
	if got.Time != want.Time || got.Published != want.Published || got.Channel != want.Channel || !bytes.Equal(got.Data, want.Data) {
		t.Fatalf("got %d %d %s %.200q, want %d %d %s %.200q", got.Time, got.Published, got.Channel, got.Data,
			want.Time, want.Published, want.Channel, want.Data)
	}
}

// TestLibraryReads reads finished logs with the reader of the MCAP project, including continued ones.
func TestLibraryReads(t *testing.T) {
	path, w := create(t, 50)
	if err := w.WriteMeta(map[string]string{matchlog.MetaAway: "Away Team"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	w, err := matchlog.Append(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 50; i < 100; i++ {
		if err := w.Write(sample(i)); err != nil {
			t.Fatal(err)
		}
	}
	last := matchlog.Message{Time: began, Published: began, Channel: "a channel of its own", Data: nil}
	if err := w.Write(last); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	messages, info, meta := library(t, path)
	if len(messages) != 101 || info.Statistics.MessageCount != 101 || len(info.Channels) != 5 ||
		info.Statistics.MessageStartTime != uint64(began) || info.Statistics.MessageEndTime != uint64(sample(99).Time) {
		t.Fatalf("got %d messages, %d channels, statistics %+v", len(messages), len(info.Channels), info.Statistics)
	}
	for i := range 100 {
		same(t, messages[i], sample(i))
	}
	same(t, messages[100], last)
	if want := (map[string]string{matchlog.MetaHome: "Home Team", matchlog.MetaAway: "Away Team"}); !maps.Equal(meta, want) {
		t.Errorf("metadata %v, want %v", meta, want)
	}
	if _, err := matchlog.Append(path); !errors.Is(err, matchlog.ErrFinished) {
		t.Errorf("appending to a finished log: %v", err)
	}
	if _, err := matchlog.Create(path, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("creating a log over another: %v", err)
	}
	if err := w.Write(last); !errors.Is(err, matchlog.ErrClosed) {
		t.Errorf("writing into a closed log: %v", err)
	}
}

// TestOneWriter checks that a second Writer of a log is refused.
func TestOneWriter(t *testing.T) {
	path, w := create(t, 1)
	if _, err := matchlog.Append(path); !errors.Is(err, matchlog.ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	w, err := matchlog.Append(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
}

// TestFileName checks that names of files are valid on every file system.
func TestFileName(t *testing.T) {
	for _, c := range [][3]string{
		{"TechU", "Water", "20160703_124640.TechU-Water.zip"},
		{"TU/e", "../../x", "20160703_124640.TUe-x.zip"},
		{"", "Team B", "20160703_124640.HOME-Team_B.zip"},
	} {
		if got := matchlog.FileName(began, c[0], c[1]); got != c[2] {
			t.Errorf("%q and %q: %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// TestTornTwice checks that a second torn end does not overwrite the first, and that Torn reports more than one lost
// record.
func TestTornTwice(t *testing.T) {
	path, w := create(t, 30)
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		at   int
		kept string
	}{{len(data) - 1, ""}, {len(data) / 2, ".torn2"}, {len(data) / 4, ".torn3"}} {
		broken := bytes.Clone(data)
		broken[c.at] ^= 1
		write(t, path, broken)
		if w, err = matchlog.Append(path); err != nil {
			t.Fatal(err)
		}
		if got := w.Torn(); (got == "") != (c.kept == "") || !strings.HasSuffix(got, c.kept) {
			t.Errorf("byte %d of %d: %q", c.at, len(data), got)
		}
		if kept, err := filepath.Glob(path + ".torn*"); len(kept) != i+1 {
			t.Errorf("%q, %v", kept, err)
		}
		w.Abandon()
	}
}

// TestInPlace moves and removes a log while it is written.
func TestInPlace(t *testing.T) {
	path, w := create(t, 1)
	defer w.Close()
	if !w.InPlace() {
		t.Error("InPlace: got false for a new log")
	}
	if err := os.Rename(path, path+".moved"); err != nil {
		t.Fatal(err)
	}
	if w.InPlace() {
		t.Error("InPlace: got true for a moved log")
	}
	write(t, path, []byte("another"))
	if w.InPlace() {
		t.Error("InPlace: got true with another file in its place")
	}
}

// Schemas of channels survive a crash, the end of the log, and reading it as a stream; other programs find them.
func TestSchemas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, second := matchlog.Schema{Name: "a.First", Data: []byte(`{"type":"object"}`)}, matchlog.Schema{Name: "a.Second"}
	write := func(channel string) {
		t.Helper()
		if err := w.Write(matchlog.Message{Time: 5, Channel: channel, Data: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	w.Declare("first", first)
	w.Declare("unused", second)
	write("plain")
	write("first")
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	if w, err = matchlog.Append(path); err != nil {
		t.Fatal(err)
	}
	w.Declare("second", second)
	write("second")
	write("first")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	got := l.Schemas()
	if len(got) != 2 || got["first"].Name != first.Name || string(got["first"].Data) != string(first.Data) ||
		got["second"].Name != second.Name || l.Info().Torn != "" || !l.Info().Finished {
		t.Errorf("got the schemas %v of %+v", got, l.Info())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	s := matchlog.NewStream(func(matchlog.Message) { n++ })
	if s.Write(data); s.Err() != nil || n != 4 {
		t.Errorf("as a stream it has %d messages, %v", n, s.Err())
	}
	r, err := mcap.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	info, err := r.Info()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range info.Channels {
		want := map[string]string{"first": "a.First", "second": "a.Second"}[c.Topic]
		if s := info.Schemas[c.SchemaID]; (s == nil) != (want == "") || s != nil && (s.Name != want || s.Encoding != "jsonschema") {
			t.Errorf("channel %s has the schema %+v, want %q", c.Topic, s, want)
		}
	}
	if info.Statistics.SchemaCount != 2 || info.Statistics.MessageCount != 4 {
		t.Errorf("the statistics are %+v", info.Statistics)
	}
}
