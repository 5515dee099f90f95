package matchlog_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire/msl"
	"touchline/wire/wiretest"
)

// BenchmarkWrite writes worldstates of typical length.
func BenchmarkWrite(b *testing.B) {
	w, err := matchlog.Create(filepath.Join(b.TempDir(), "a.mcap"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abandon()
	m := matchlog.Message{Time: began, Published: began, Channel: matchlog.Home, Data: bytes.Repeat([]byte("x"), 1600)}
	b.SetBytes(int64(len(m.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Write(m); err != nil {
			b.Fatal(err)
		}
	}
}

// long writes a RefBox zip of about 130 MB unpacked: the excerpt of 2016 repeated with shifted times.
func long(b *testing.B) string {
	b.Helper()
	z, err := zip.OpenReader(wiretest.Data(b, "refbox-2016-excerpt/test_log2.zip"))
	if err != nil {
		b.Fatal(err)
	}
	defer z.Close()
	path := filepath.Join(b.TempDir(), "long.zip")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	out := zip.NewWriter(f)
	total := 0
	for _, m := range z.File {
		r, err := m.Open()
		if err != nil {
			b.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			b.Fatal(err)
		}
		r.Close()
		w, err := out.Create(m.Name)
		if err != nil {
			b.Fatal(err)
		}
		if !strings.HasSuffix(m.Name, ".A.msl") && !strings.HasSuffix(m.Name, ".B.msl") {
			w.Write(data)
			continue
		}
		separator := "[\n"
		for round := range 48 {
			in := bufio.NewScanner(bytes.NewReader(data))
			in.Buffer(nil, 1<<20)
			in.Split(msl.SplitRecords)
			for in.Scan() {
				var r msl.Record
				if err := r.UnmarshalBinary(in.Bytes()); err != nil {
					b.Fatal(err)
				}
				r.TimestampMillis += int64(round) * 50000
				text, err := r.AppendBinary([]byte(separator))
				if err != nil {
					b.Fatal(err)
				}
				w.Write(text)
				total, separator = total+len(text), ",\n"
			}
		}
		io.WriteString(w, "]\n")
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	if total < 125e6 {
		b.Fatalf("the log has %d bytes", total)
	}
	return path
}

// resident returns the resident memory of the program in MB.
func resident(b *testing.B) float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kB, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kB / 1e3
}

// BenchmarkOpen130MB opens a long zip as the page does. It measures the first frame, the indexing, and frames at random
// times.
func BenchmarkOpen130MB(b *testing.B) {
	path := long(b)
	debug.FreeOSMemory()
	var first, ready []time.Duration
	most := resident(b)
	var seeks []time.Duration
	for b.Loop() {
		start := time.Now()
		l, err := matchlog.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		from := l.Info().Start
		frames, err := l.Frames(from+1e9, from+2e9, 50*time.Millisecond)
		if err != nil || frames[0].Away == nil {
			b.Fatal(err, "no first frame")
		}
		first = append(first, time.Since(start))
		for l.Ready() < 1 {
			time.Sleep(20 * time.Millisecond)
			most = max(most, resident(b))
		}
		ready = append(ready, time.Since(start))
		random := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			at := from + soccer.Time(random.Int64N(2390e9))
			began := time.Now()
			if _, err := l.Frames(at, at+2e9, 50*time.Millisecond); err != nil {
				b.Fatal(err)
			}
			seeks = append(seeks, time.Since(began))
		}
		began := time.Now()
		if _, err := l.Summary("x"); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds()*1e3, "ms/summary")
		most = max(most, resident(b))
		l.Close()
	}
	slices.Sort(seeks)
	b.ReportMetric(slices.Max(first).Seconds()*1e3, "ms/first-frame")
	b.ReportMetric(slices.Max(ready).Seconds()*1e3, "ms/ready")
	b.ReportMetric(seeks[len(seeks)*95/100].Seconds()*1e3, "ms/seek-p95")
	b.ReportMetric(most, "MB-resident")
}

// BenchmarkHour records an hour of a session with 1160 messages a second, as a Recorder writes them: in 14,400 chunks. It
// measures the writing and the opening.
func BenchmarkHour(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 6))
	pad := strings.Repeat(`"intention":"pass","targetPose":[null,null,null],`, 8)
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "hour.mcap")
		w, err := matchlog.CreatePacked(path, nil)
		if err != nil {
			b.Fatal(err)
		}
		var wrote time.Duration
		for n := range 4 * 3600 {
			var batch []matchlog.Message
			for i := range 290 {
				at := began + soccer.Time(n)*250e6 + soccer.Time(i)*800e3
				batch = append(batch, matchlog.Message{
					Time: at, Channel: fmt.Sprint("topic/", i%20), Data: fmt.Appendf(nil, `{%s"pose":[%d,%d]}`, pad, random.Int(), random.Int()),
				})
			}
			start := time.Now()
			if _, err := w.WriteAll(batch); err != nil {
				b.Fatal(err)
			}
			wrote += time.Since(start)
		}
		records := w.Size()
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
		stat, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		debug.FreeOSMemory()
		start := time.Now()
		l := open(b, path)
		b.ReportMetric(time.Since(start).Seconds()*1e3, "ms/open")
		b.ReportMetric(wrote.Seconds(), "s/write")
		b.ReportMetric(float64(stat.Size())/1e6, "MB/file")
		b.ReportMetric(float64(stat.Size()-records)/1e6, "MB/summary")
		b.ReportMetric(resident(b), "MB-resident")
		l.Close()
	}
}

// BenchmarkExport exports ten minutes of a match.
func BenchmarkExport(b *testing.B) {
	w, err := matchlog.Create(filepath.Join(b.TempDir(), "a.mcap"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abandon()
	robots := strings.TrimSuffix(strings.Repeat(`{"id":1,"pose":[1.002,-8.933,6.2800],"intention":""},`, 25), ",")
	for i := range 12000 {
		m := matchlog.Message{Time: began + soccer.Time(i)*5e7, Channel: []string{matchlog.Home, matchlog.Away}[i%2]}
		m.Data = fmt.Appendf(nil, `{"type":"worldstate","teamName":"x","intention":"%d","robots":[%s],"ageMs":20}`, i, robots)
		b.SetBytes(int64(len(m.Data)) * 12000)
		if err := w.Write(m); err != nil {
			b.Fatal(err)
		}
	}
	l := open(b, w.Path())
	for b.Loop() {
		if err := matchlog.Write(io.Discard, l, matchlog.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
