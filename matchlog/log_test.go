package matchlog_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"touchline/matchlog"
	"touchline/soccer"
)

// open opens a log and waits until it is indexed.
func open(t testing.TB, path string) *matchlog.Log {
	t.Helper()
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	return l
}

// all returns a log's messages.
func all(t testing.TB, l *matchlog.Log, from, to soccer.Time, channels ...string) (got []matchlog.Message) {
	t.Helper()
	for m, err := range l.Messages(from, to, channels...) {
		if err != nil {
			t.Fatal(err)
		}
		m.Data = bytes.Clone(m.Data)
		got = append(got, m)
	}
	return got
}

func write(t testing.TB, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReading(t *testing.T) {
	path, w := create(t, 400)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	got := all(t, l, 0, 0)
	if len(got) != 400 {
		t.Fatalf("got %d messages, want 400", len(got))
	}
	for i := range got {
		same(t, got[i], sample(i))
	}
	got = all(t, l, sample(100).Time, sample(200).Time, matchlog.Home, matchlog.Notes)
	if len(got) != 50 {
		t.Fatalf("got %d messages of two channels in a second, want 50", len(got))
	}
	same(t, got[0], sample(100))
	same(t, got[49], sample(199))
	last, ok, err := l.Last(matchlog.Commands, sample(100).Time)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	same(t, last, sample(98))
	if _, ok, _ := l.Last(matchlog.Commands, began); ok {
		t.Error("got a command before the first one")
	}
	if _, ok, _ := l.Last(matchlog.Truth, began+1e15); ok {
		t.Error("got a message of a missing channel")
	}
	i := l.Info()
	if i.Format != "mcap" || !i.Finished || i.Torn != "" || i.Start != began || i.End != sample(399).Time || i.Home != "Home Team" ||
		len(i.Channels) != 4 || i.Channels[0] != (matchlog.ChannelInfo{Name: matchlog.Home, Count: 100}) || i.Ready != 1 || len(i.Notes) != 0 {
		t.Errorf("got %+v", i)
	}
	stopped := 0
	for range l.Messages(0, 0) {
		if stopped++; stopped == 200 {
			break
		}
	}
	if stopped != 200 {
		t.Errorf("got %d messages before the loop ended", stopped)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); !errors.Is(err, matchlog.ErrClosed) {
		t.Errorf("second Close: got %v, want ErrClosed", err)
	}
}

// TestTornAnywhere cuts a log at every byte of its last records, with nothing, zeros or other bytes behind the cut. It
// reads the log, continues it and reads it again.
func TestTornAnywhere(t *testing.T) {
	path, w := create(t, 30)
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	from := 0 // where the last two records begin
	for i := 28; i < 30; i++ {
		from += 31 + len(sample(i).Data)
	}
	from = len(data) - from
	dir := t.TempDir()
	garbage := bytes.Repeat([]byte{5, 0xff, 0, 7}, 64)
	for cut := from; cut <= len(data); cut++ {
		whole, end := 28, from
		for end+31+len(sample(whole).Data) <= cut {
			end += 31 + len(sample(whole).Data)
			whole++
		}
		for k, tail := range [][]byte{nil, make([]byte, 5000), garbage, append(make([]byte, 300), garbage...)} {
			path := write(t, filepath.Join(dir, "torn.mcap"), slices.Concat(data[:cut], tail))
			l := open(t, path)
			if got := l.Info(); got.Channels[0].Count+got.Channels[1].Count+got.Channels[2].Count+got.Channels[3].Count != uint64(whole) {
				t.Fatalf("cut at %d, tail %d: %+v, want %d messages", cut, k, got, whole)
			} else if torn := cut != end || k > 1; torn != (got.Torn != "") || got.Finished {
				t.Fatalf("cut at %d of a record that begins at %d, tail %d: torn %q", cut, end, k, got.Torn)
			}
			l.Close()
			w, err := matchlog.Append(path)
			if err != nil {
				t.Fatalf("cut at %d, tail %d: %v", cut, k, err)
			}
			extra := matchlog.Message{Time: began + 1e12, Published: began, Channel: fmt.Sprint("new ", k%2), Data: []byte("x")}
			if err := w.Write(extra); err != nil {
				t.Fatal(err)
			}
			if err := w.Abandon(); err != nil {
				t.Fatal(err)
			}
			got := all(t, open(t, path), 0, 0)
			if len(got) != whole+1 {
				t.Fatalf("cut at %d, tail %d: %d messages after Append, want %d", cut, k, len(got), whole+1)
			}
			for i := range whole {
				same(t, got[i], sample(i))
			}
			same(t, got[whole], extra)
			os.Remove(path)
		}
	}
}

// TestTornHead continues logs whose header is incomplete.
func TestTornHead(t *testing.T) {
	path, w := create(t, 1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(data) {
		path := write(t, filepath.Join(t.TempDir(), "head.mcap"), data[:cut])
		open(t, path)
		w, err := matchlog.Append(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if err := w.Write(sample(7)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		messages, info, _ := library(t, path)
		if len(messages) == 0 || info.Statistics.MessageCount != uint64(len(messages)) {
			t.Fatalf("cut at %d: %d messages, want %d as in the statistics", cut, len(messages), info.Statistics.MessageCount)
		}
		same(t, messages[len(messages)-1], sample(7))
	}
}

// TestGrowing reads a log while it is written, with zeros behind its last record.
func TestGrowing(t *testing.T) {
	path, w := create(t, 10)
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	for n := 10; n < 60; n += 10 {
		if got := len(all(t, l, 0, 0)); got != n {
			t.Fatalf("got %d messages, want %d", got, n)
		}
		for i := n; i < n+10; i++ {
			if err := w.Write(sample(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		if err := l.Grow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Grow(); err != nil || !l.Info().Finished || len(all(t, l, 0, 0)) != 60 {
		t.Errorf("got %v, %+v", err, l.Info())
	}
	stat, err := os.Stat(path)
	if err != nil || stat.Size() > 20e3 {
		t.Errorf("%v: the finished log has %d bytes: with zeros at the end", err, stat.Size())
	}
}

// TestClockSetBack writes messages around a clock that is set back, and one that a stalled program wrote late: all are read
// in the order of time, and Info has a note of the clock only.
func TestClockSetBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w, err := matchlog.Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range []soccer.Time{10e9, 11e9, 5e9, 6e9, 6e9, 20e9, 18e9} {
		if err := w.Write(matchlog.Message{Time: began + at, Channel: matchlog.Notes, Data: fmt.Append(nil, i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	var order []string
	for _, m := range all(t, l, 0, 0) {
		order = append(order, string(m.Data))
		if m.Published != m.Time {
			t.Errorf("published %d, want %d", m.Published, m.Time)
		}
	}
	if got := strings.Join(order, ""); got != "2340165" {
		t.Errorf("order %s, want 2340165", got)
	}
	if n := l.Info().Notes; len(n) != 1 || !strings.Contains(n[0], "set back by 6s") {
		t.Errorf("notes %q", n)
	}
}

// TestOrder reads messages that were written in any order, sorted by time; messages of one time keep their order.
func TestOrder(t *testing.T) {
	for _, span := range []int{3, 100, 5000} { // how much they are apart from their order
		path := filepath.Join(t.TempDir(), "a.mcap")
		w, err := matchlog.Create(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(7, uint64(span)))
		var want []matchlog.Message
		for i := range 2000 {
			at := began + soccer.Time(i+random.IntN(span))*1e6
			m := matchlog.Message{Time: at, Published: at, Channel: matchlog.Notes, Data: fmt.Append(nil, i)}
			want = append(want, m)
			if err := w.Write(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(want, func(a, b matchlog.Message) int { return cmp.Compare(a.Time, b.Time) })
		got := all(t, open(t, path), 0, 0)
		if len(got) != len(want) {
			t.Fatalf("got %d messages", len(got))
		}
		for i := range got {
			same(t, got[i], want[i])
		}
	}
}

// TestTornIsKept checks that Append keeps everything that it cuts off, even whole records behind a broken one.
func TestTornIsKept(t *testing.T) {
	path, w := create(t, 30)
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := bytes.Clone(data)
	broken[len(broken)/2] ^= 1
	write(t, path, broken)
	if w, err = matchlog.Append(path); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	kept, err := os.ReadFile(path + ".torn")
	if err != nil || len(kept) < len(data)/3 || !bytes.HasSuffix(broken, kept) || int(w.Size())+len(kept) != len(data) {
		t.Errorf("%v: %d bytes of %d were kept, and %d are the log", err, len(kept), len(data), w.Size())
	}
}

// TestRefused opens files that are not logs.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{
		"text.txt": "hello", "empty.zip": "PK\x05\x06" + strings.Repeat("\x00", 18), "cut.zip": "PK\x03\x04 and no directory",
		"other.mcap": "\x89MCAP0\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
	} {
		l, err := matchlog.Open(write(t, filepath.Join(dir, name), []byte(data)))
		if err == nil || !errors.Is(err, matchlog.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			l.Close()
		}
	}
	if _, err := matchlog.Open(dir); err == nil {
		t.Error("a folder was opened as a log")
	}
	if _, err := matchlog.Append(filepath.Join(dir, "text.txt")); !errors.Is(err, matchlog.ErrFormat) {
		t.Errorf("appending to a text: %v", err)
	}
}

// TestBeingWritten reads a log in the middle of a write: that is no damage, and the reported size is that of the whole
// records.
func TestBeingWritten(t *testing.T) {
	path, w := create(t, 10)
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	whole := w.Size()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	half := func() {
		t.Helper()
		if _, err := f.WriteAt([]byte{5, 99, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3}, whole); err != nil {
			t.Fatal(err)
		}
	}
	half()
	look := func() matchlog.Info {
		t.Helper()
		l, err := matchlog.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := l.Wait(); err != nil {
			t.Fatal(err)
		}
		return l.Info()
	}
	if i := look(); i.Torn != "" || i.Finished || i.Bytes != whole {
		t.Errorf("while it is written, %d bytes: %+v", whole, i)
	}
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	half()
	if i := look(); i.Torn == "" || i.Finished || i.Bytes != whole {
		t.Errorf("after a crash, %d bytes: %+v", whole, i)
	}
}
