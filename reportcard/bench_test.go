package reportcard_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"testing"

	. "touchline/reportcard"
	"touchline/soccer"
	"touchline/wire/msl"
)

func BenchmarkCard(b *testing.B) {
	all := clean(1, 60)
	size := 0
	for i := range all {
		size += len(all[i].data)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		card(all)
	}
}

// What a report twice a second costs.
func BenchmarkCardFindings(b *testing.B) {
	c := card(robots(func(_ int, r *msl.Robot) { r.Pose.At[2].Value -= 7 })(clean(1, 60)))
	b.ReportAllocs()
	for b.Loop() {
		c.Findings()
	}
}

// A match of 130 MB: the logs of the data folder again and again, each time later.
func BenchmarkTeamLogs(b *testing.B) {
	for _, l := range []struct{ name, file string }{{"TechUnited", "20160703_155014.A.msl"}, {"Water", "20160703_155014.B.msl"}} {
		b.Run(l.name, func(b *testing.B) {
			log := repeated(b, l.file, 48)
			b.SetBytes(int64(log.Len()))
			for b.Loop() {
				c := New(l.name, soccer.Field{})
				if err := ReadTeamLog(bytes.NewReader(log.Bytes()), func(s *Message, _ string) { c.Add(s) }); err != nil {
					b.Fatal(err)
				}
				if len(c.Findings()) < 5 {
					b.Fatal("too little was found")
				}
			}
		})
	}
}

// repeated returns a team's log of 2016 so many times, 50 s apart.
func repeated(t testing.TB, file string, times int) *bytes.Buffer {
	all := logged(t, "refbox-2016-excerpt/test_log2.zip", file)
	var out bytes.Buffer
	out.WriteString("[\n")
	for k := range times {
		for i := range all {
			fmt.Fprintf(&out, `{"teamName": "T","timestamp": %d,"gametimeMs": %d,"worldstate": %s},`+"\n",
				int64(all[i].Published)/1e6+int64(k)*50_000, all[i].Game.Milliseconds(), all[i].Data)
		}
	}
	return &out
}

// Check130MB: the same as a zip, unpacked on the way.
func BenchmarkCheck130MB(b *testing.B) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	size := 0
	for _, file := range []string{"20160703_155014.A.msl", "20160703_155014.B.msl"} {
		w, err := z.Create(file)
		if err != nil {
			b.Fatal(err)
		}
		log := repeated(b, file, 48)
		size += log.Len()
		if _, err := io.Copy(w, log); err != nil {
			b.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		r, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
		if err != nil {
			b.Fatal(err)
		}
		done := make(chan error)
		for _, f := range r.File {
			go func() {
				in, err := f.Open()
				if err == nil {
					c := New(f.Name, soccer.Field{})
					err = ReadTeamLog(in, func(s *Message, _ string) { c.Add(s) })
				}
				done <- err
			}()
		}
		for range r.File {
			if err := <-done; err != nil {
				b.Fatal(err)
			}
		}
	}
}
