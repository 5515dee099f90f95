package matchlog_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"

	"touchline/matchlog"
)

// readAll opens a file that may be a log, reads it in every way, and returns the number of messages.
func readAll(t *testing.T, path string) int {
	t.Helper()
	l, err := matchlog.Open(path)
	if err != nil {
		return 0
	}
	defer l.Close()
	l.Wait() // broken ends are fine
	n := 0
	for m, err := range l.Messages(-1<<63, 0) {
		if errors.Is(err, matchlog.ErrDamaged) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		matchlog.ParsePacket(m)
		n++
	}
	i := l.Info()
	var counted uint64
	for _, c := range i.Channels {
		counted += c.Count
	}
	if counted != uint64(n) {
		t.Fatalf("got %d messages, want %d as in Info", n, counted)
	}
	if _, err := l.Summary("x"); err != nil {
		t.Fatal(err)
	}
	frames, err := l.Frames(i.Start, i.End, max(1e6, i.End.Sub(i.Start)/10))
	if err == nil {
		_, err = json.Marshal(frames)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// exported exports a log and checks the format of the files.
func exported(t *testing.T, path string, grid bool) {
	t.Helper()
	l, err := matchlog.Open(path)
	if err != nil {
		return
	}
	defer l.Close()
	l.Wait()
	grid = grid && l.Info().Duration < 600 // others are right, too, but take long
	var b bytes.Buffer
	err = matchlog.Write(&b, l, matchlog.Options{Grid: grid})
	if errors.Is(err, matchlog.ErrDamaged) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File[1:] {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var records []struct{ Worldstate json.RawMessage }
		if err := json.NewDecoder(r).Decode(&records); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		r.Close()
	}
}

// FuzzOpen opens arbitrary files.
func FuzzOpen(f *testing.F) {
	path, w := create(f, 5)
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	ours, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(ours)
	f.Add(ours[:len(ours)/2])
	path, w, _ = packed(f, 5)
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	if ours, err = os.ReadFile(path); err != nil {
		f.Fatal(err)
	}
	f.Add(ours)
	for _, c := range []official.CompressionFormat{official.CompressionNone, official.CompressionLZ4, official.CompressionZSTD} {
		f.Add(foreign(f, c, 3))
	}
	f.Add([]byte("[\n{\"teamName\": \"A\",\"timestamp\": 1,\"gametimeMs\": 2,\"worldstate\": {\"ageMs\": 5}}\n]"))
	f.Add([]byte("[{\"teamName\": \"A\",\"timestamp\": 1,\"gametimeMs\": 2,\"worldstate\": {\"a\xff\n{\"teamName\": \"A\",\"timestamp\": 1e300,"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := write(t, filepath.Join(t.TempDir(), "x.A.msl"), data)
		readAll(t, path)
		exported(t, path, len(data)%2 == 0)
	})
}

// FuzzZip opens arbitrary files in a RefBox zip.
func FuzzZip(f *testing.F) {
	f.Add([]byte("[\n]"), []byte("]"), []byte("1467550001000,00:01(00:00),1st Half,Goal+,A\nhello\n"))
	f.Add([]byte("[\n{\"teamName\": \"A\",\"timestamp\": 1467550001000,\"gametimeMs\": 2,\"worldstate\": {\"ageMs\": 5}}"), []byte("{\"teamName\""), []byte(",,,,"))
	f.Fuzz(func(t *testing.T, home, away, lines []byte) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, data := range map[string][]byte{"../x.A.msl": home, `c:\x.B.msl`: away, "x.msl": lines} {
			w, err := z.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			w.Write(data)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		path := write(t, filepath.Join(t.TempDir(), "x.zip"), b.Bytes())
		readAll(t, path)
		exported(t, path, len(home)%2 == 0)
		cut := write(t, filepath.Join(t.TempDir(), "y.zip"), b.Bytes()[:b.Len()-len(lines)%b.Len()])
		readAll(t, cut)
	})
}

// FuzzAppend continues a log with arbitrary bytes behind or instead of its last whole record; Append cuts them off.
func FuzzAppend(f *testing.F) {
	path, w := create(f, 6)
	if err := w.Abandon(); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{}, uint16(0))
	f.Add(make([]byte, 100), uint16(3))
	f.Add(data[len(data)-200:], uint16(0))
	f.Add([]byte{15, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, uint16(0))
	f.Add(bytes.Replace(data, []byte("touchline"), []byte("sidelines"), 1), uint16(math.MaxUint16)) // of another program
	f.Fuzz(func(t *testing.T, tail []byte, cut uint16) {
		whole := append(bytes.Clone(data[:len(data)-min(int(cut), len(data))]), tail...)
		path := write(t, filepath.Join(t.TempDir(), "a.mcap"), whole)
		before := readAll(t, path)
		w, err := matchlog.Append(path)
		if err != nil {
			if errors.Is(err, matchlog.ErrFinished) || errors.Is(err, matchlog.ErrFormat) || len(whole) < 100 {
				return
			}
			t.Fatal(err)
		}
		if err := w.Write(sample(1)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if after := readAll(t, path); after != before+1 || cut == 0 && after < 7 {
			t.Fatalf("got %d messages, before %d", after, before)
		}
	})
}
