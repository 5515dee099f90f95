package matchlog_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"

	"touchline/matchlog"
	"touchline/soccer"
)

const (
	packedMessages = 10_000 // more than two chunks of 4 MiB
	liveMessages   = 1_000  // eleven batches of packedLive
)

// packedForms are the two ways to write a packed log.
var packedForms = map[string]struct {
	write    func(t testing.TB, messages int) (path string, w *matchlog.Writer, written []matchlog.Message)
	messages int
}{"one by one": {packed, packedMessages}, "live": {packedLive, liveMessages}}

// packed writes a packed log of messages that come a little out of order, one by one.
func packed(t testing.TB, messages int) (path string, w *matchlog.Writer, written []matchlog.Message) {
	t.Helper()
	path, w, written = packable(t, messages)
	for _, m := range written {
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	return path, w, written
}

// packedLive writes a packed log in batches, as a Recorder does.
func packedLive(t testing.TB, messages int) (path string, w *matchlog.Writer, written []matchlog.Message) {
	t.Helper()
	path, w, written = packable(t, messages)
	for batch := range slices.Chunk(written, 97) {
		if n, err := w.WriteAll(batch); err != nil || n != len(batch) {
			t.Fatal(n, err)
		}
	}
	return path, w, written
}

// packable creates a packed log, and returns messages to write.
func packable(t testing.TB, messages int) (path string, w *matchlog.Writer, all []matchlog.Message) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "p.mcap")
	w, err := matchlog.CreatePacked(path, map[string]string{matchlog.MetaHome: "Home Team"})
	if err != nil {
		t.Fatal(err)
	}
	w.Declare(matchlog.Commands, matchlog.Schema{Name: "a.B", Data: []byte(`{"type":"object"}`)})
	for i := range messages {
		m := sample(i ^ 3)
		m.Data = bytes.Repeat(m.Data, 15)
		all = append(all, m)
	}
	return path, w, all
}

// messagesOf returns the messages of a log from one time to before another.
func messagesOf(t testing.TB, path string, from, to soccer.Time, channels ...string) (all []matchlog.Message) {
	t.Helper()
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for m, err := range l.Messages(from, to, channels...) {
		if err != nil {
			t.Fatal(err)
		}
		m.Data = bytes.Clone(m.Data)
		all = append(all, m)
	}
	return all
}

func equal(t testing.TB, got, want []matchlog.Message) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d messages, want %d", len(got), len(want))
	}
	for i := range got {
		same(t, got[i], want[i])
	}
}

// A packed log holds what was written, at any time, in fewer bytes.
func TestPacked(t *testing.T) {
	path, w, written := packed(t, packedMessages)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(written, func(a, b matchlog.Message) int { return int(a.Time - b.Time) })
	equal(t, messagesOf(t, path, 0, 0), written)
	from, to := written[7_000].Time, written[7_100].Time
	equal(t, messagesOf(t, path, from, to), written[7_000:7_100])

	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, i := range []int{packedMessages - 1, 3, 5_000, 8_000, 5_004} { // forwards and backwards
		m, ok, err := l.Last(written[i].Channel, written[i].Time)
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		equal(t, []matchlog.Message{m}, written[i:i+1])
	}
	info := l.Info()
	if !info.Finished || info.Torn != "" || len(info.Notes) > 0 || info.Start != written[0].Time || info.End != written[packedMessages-1].Time {
		t.Errorf("got %+v", info)
	}
	if at, ok := matchlog.Glance(path); !ok || at.Start != info.Start || at.Home != "Home Team" {
		t.Errorf("Glance: %+v, %t", at, ok)
	}
	size := 0
	for i := range written {
		size += len(written[i].Data) + 31
	}
	stat, err := os.Stat(path)
	if err != nil || stat.Size() > int64(size)/10 {
		t.Errorf("%v: %d bytes for %d", err, stat.Size(), size)
	}
}

// The MCAP project's reader finds the messages of a packed log by its index and without it.
func TestLibraryReadsPacked(t *testing.T) {
	for name, form := range packedForms {
		t.Run(name, func(t *testing.T) {
			path, w, written := form.write(t, form.messages)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			libraryReads(t, path, written)
		})
	}
}

func libraryReads(t *testing.T, path string, written []matchlog.Message) {
	t.Helper()
	slices.SortStableFunc(written, func(a, b matchlog.Message) int { return int(a.Time - b.Time) })
	for _, indexed := range []bool{true, false} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := official.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		options := []official.ReadOpt{official.UsingIndex(indexed)}
		if indexed {
			options = append(options, official.InOrder(official.LogTimeOrder))
		}
		it, err := r.Messages(options...)
		if err != nil {
			t.Fatal(err)
		}
		n, channels := 0, map[string]int{}
		for ; ; n++ {
			schema, c, m, err := it.NextInto(nil)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			channels[c.Topic]++
			data := unwrapped(t, schema, c, m)
			if want := &written[n]; indexed && (soccer.Time(m.LogTime) != want.Time || !bytes.Equal(data, want.Data)) {
				t.Fatalf("message %d: got %d %s, want %+v", n, m.LogTime, m.Data, want)
			}
		}
		if n != len(written) || len(channels) != 4 {
			t.Errorf("index %t: got %d messages of %v", indexed, n, slices.Collect(maps.Keys(channels)))
		}
	}
}

// A packed log whose writer crashed holds the chunks that were written, wherever it is torn, and is not continued. WriteAll
// leaves nothing behind.
func TestPackedTorn(t *testing.T) {
	for name, form := range packedForms {
		t.Run(name, func(t *testing.T) {
			path, w, written := form.write(t, form.messages)
			grown := messagesOf(t, path, 0, 0) // while it is written
			if err := w.Abandon(); err != nil {
				t.Fatal(err)
			}
			if len(grown) == 0 || (len(grown) == len(written)) != (name == "live") {
				t.Fatalf("got %d of %d messages", len(grown), len(written))
			}
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			last := -1
			for cut := 0; cut < 40; cut++ {
				part := write(t, filepath.Join(t.TempDir(), "t.mcap"), whole[:len(whole)-cut*len(whole)/40])
				got := messagesOf(t, part, 0, 0)
				if len(got) > len(grown) || last >= 0 && len(got) > last {
					t.Fatalf("%d messages, before %d of %d", len(got), last, len(grown))
				}
				last = len(got)
			}
			if _, err := matchlog.Append(path); !errors.Is(err, matchlog.ErrFormat) {
				t.Errorf("Append: %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, whole) {
				t.Errorf("Append changed the log: %v", err)
			}
		})
	}
}

// A packed log that refuses a message has the messages of the batch before it, and accepts those behind it.
func TestPackedRefuses(t *testing.T) {
	path, w, all := packable(t, 10)
	all[6].Data = make([]byte, 17<<20)
	n, err := w.WriteAll(all)
	if n != 6 || err == nil {
		t.Fatalf("got %d, %v", n, err)
	}
	if n, err := w.WriteAll(all[7:]); n != 3 || err != nil {
		t.Fatalf("got %d, %v", n, err)
	}
	want := slices.Delete(all, 6, 7)
	slices.SortStableFunc(want, func(a, b matchlog.Message) int { return int(a.Time - b.Time) })
	equal(t, messagesOf(t, path, 0, 0), want)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := w.WriteAll(all); n != 0 || !errors.Is(err, matchlog.ErrClosed) {
		t.Errorf("got %d, %v", n, err)
	}
}

// A reader follows a packed log while it is written, and finds each batch as soon as it is written.
func TestPackedGrows(t *testing.T) {
	path, w, all := packable(t, packedMessages)
	l := open(t, path)
	written, rest := 0, all
	for batch := range slices.Chunk(all[:1000], 97) {
		if _, err := w.WriteAll(batch); err != nil {
			t.Fatal(err)
		}
		written, rest = written+len(batch), all[written+len(batch):]
		if err := l.Grow(); err != nil {
			t.Fatal(err)
		}
		if n := counted(l); n != written || l.Info().Torn != "" || l.Info().Finished {
			t.Fatalf("got %d messages of %d, %+v", n, written, l.Info())
		}
	}
	for _, m := range rest {
		if err := w.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Grow(); err != nil {
		t.Fatal(err)
	}
	if n := counted(l); n != packedMessages || !l.Info().Finished {
		t.Errorf("got %d messages, finished %t", n, l.Info().Finished)
	}
}

// counted returns the number of messages that a log counts.
func counted(l *matchlog.Log) (n int) {
	for _, c := range l.Info().Channels {
		n += int(c.Count)
	}
	return n
}

// Damage in a chunk is an error that says where; the chunks before it can be read.
func TestPackedDamaged(t *testing.T) {
	path, w, _ := packed(t, packedMessages)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for at := 1000; at < len(whole); at += len(whole) / 60 {
		data := bytes.Clone(whole)
		data[at] ^= 0x55
		l, err := matchlog.Open(write(t, filepath.Join(t.TempDir(), "d.mcap"), data))
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range l.Messages(0, 0) {
			if err == nil {
				continue
			}
			if !errors.Is(err, matchlog.ErrDamaged) {
				t.Errorf("byte %d: %v", at, err)
			}
			seen++
		}
		l.Close()
	}
	if seen == 0 {
		t.Error("no damage was noticed")
	}
}

// Ahead yields what Messages yields, in memory that stays as it is. A reader may stop early, and damage ends it.
func TestAhead(t *testing.T) {
	path, w, written := packed(t, packedMessages)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "plain.mcap")
	w, err := matchlog.Create(plain, nil)
	if err == nil {
		_, err = w.WriteAll(written)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, plain} {
		l := open(t, path)
		for _, channels := range [][]string{nil, {written[0].Channel}, {"none"}} {
			var got []matchlog.Message
			for m, err := range l.Ahead(0, 0, channels...) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m)
			}
			equal(t, got, all(t, l, 0, 0, channels...))
		}
		n := 0
		for range l.Ahead(0, 0) {
			if n++; n == 10 {
				break
			}
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 0x55
	failed := error(nil)
	for _, err := range open(t, write(t, filepath.Join(t.TempDir(), "d.mcap"), data)).Ahead(0, 0) {
		failed = errors.Join(failed, err)
	}
	if !errors.Is(failed, matchlog.ErrDamaged) {
		t.Errorf("damage ends with %v", failed)
	}
}
