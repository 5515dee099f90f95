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

// packedMessages are more than two chunks.
const packedMessages = 10_000

// packed writes a packed log of messages that come a little out of order.
func packed(t testing.TB, messages int) (path string, w *matchlog.Writer, written []matchlog.Message) {
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
		written = append(written, m)
		if i%2 == 0 {
			err = w.Write(m)
		} else {
			_, err = w.WriteAll([]matchlog.Message{m})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return path, w, written
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
	path, w, written := packed(t, packedMessages)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
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
		if n != packedMessages || len(channels) != 4 {
			t.Errorf("index %t: got %d messages of %v", indexed, n, slices.Collect(maps.Keys(channels)))
		}
	}
}

// A packed log whose writer crashed holds the chunks that were written, wherever it is torn, and is not continued.
func TestPackedTorn(t *testing.T) {
	path, w, written := packed(t, packedMessages)
	grown := messagesOf(t, path, 0, 0) // while it is written
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	if len(grown) == 0 || len(grown) >= len(written) {
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
}

// A reader follows a packed log while it is written.
func TestPackedGrows(t *testing.T) {
	path, w, _ := packed(t, packedMessages)
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Grow(); err != nil {
		t.Fatal(err)
	}
	var counted uint64
	for _, c := range l.Info().Channels {
		counted += c.Count
	}
	if counted != packedMessages || !l.Info().Finished {
		t.Errorf("got %d messages, finished %t", counted, l.Info().Finished)
	}
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
