package matchlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"

	"touchline/matchlog"
	"touchline/soccer"
)

// annotate writes a note into a finished log.
func annotate(t testing.TB, path string, a matchlog.Annotation) matchlog.Annotation {
	t.Helper()
	a, err := matchlog.Annotate(path, a)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// moment is a note about a moment of a log of sample messages.
func moment(text string) matchlog.Annotation {
	return matchlog.Annotation{From: began + 2e7, To: began + 2e7, Text: text}
}

// finished writes a finished log of a form: plain, or one of packedForms.
func finished(t testing.TB, form string) (path string, messages []matchlog.Message) {
	t.Helper()
	var w *matchlog.Writer
	if form == "plain" {
		path, w = create(t, 100)
	} else {
		path, w, _ = packedForms[form].write(t, packedForms[form].messages)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path, messagesOf(t, path, 0, 0)
}

// Notes of a finished log are written, changed and removed. Its messages stay, for the reader of the MCAP project
// too, which finds the notes by the name of their records.
func TestAnnotate(t *testing.T) {
	for _, form := range []string{"plain", "one by one", "live"} {
		path, messages := finished(t, form)
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		before := open(t, path)
		first := annotate(t, path, matchlog.Annotation{From: began + 3e7, To: began + 5e7, Text: "good pass"})
		second := annotate(t, path, moment("pressing works — schön"))
		third := annotate(t, path, moment("a mistake"))
		second.Text, third.Text = "pressing works", ""
		annotate(t, path, second)
		annotate(t, path, third)
		fourth := annotate(t, path, moment("later"))
		if first.ID != 1 || second.ID != 2 || fourth.ID != 4 {
			t.Errorf("%s: ids %d, %d and %d, want 1, 2 and 4", form, first.ID, second.ID, fourth.ID)
		}
		want := []matchlog.Annotation{second, fourth, first}
		after := open(t, path)
		read, err := matchlog.Annotations(path)
		if err != nil || !slices.Equal(read, want) || !slices.Equal(after.Annotations(), want) ||
			!slices.Equal(after.Info().Annotations, want) {
			t.Errorf("%s: got %v and %v, want %v", form, read, after.Annotations(), want)
		}
		if i := after.Info(); !i.Finished || len(i.Notes) > 0 || len(after.Loss()) > 0 ||
			i.Meta[matchlog.MetaHome] != "Home Team" {
			t.Errorf("%s: %+v", form, i)
		}
		equal(t, all(t, after, 0, 0), messages)
		equal(t, all(t, before, 0, 0), messages) // it holds the old file
		for _, l := range []*matchlog.Log{before, after} {
			if _, ok := matchlog.Glance(path); !ok || l.Wait() != nil {
				t.Errorf("%s: the end of the log is damaged", form)
			}
		}
		if stat, err := os.Stat(path); err != nil || stat.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v %v, want the mode that it had", form, stat.Mode(), err)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
			t.Errorf("%s: left behind: %v, %v", form, left, err)
		}
		libraryFinds(t, path, messages,
			[]string{"good pass", "pressing works — schön", "a mistake", "pressing works", "", "later"})
	}
}

// libraryFinds reads an annotated log with the reader of the MCAP project.
func libraryFinds(t *testing.T, path string, messages []matchlog.Message, texts []string) {
	t.Helper()
	if read, info, _ := library(t, path); len(read) != len(messages) {
		t.Errorf("the library reads %d messages, want %d", len(read), len(messages))
	} else if len(info.ChunkIndexes) > 0 {
		libraryReads(t, path, slices.Clone(messages))
	}
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
	info, err := r.Info()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range info.MetadataIndexes {
		m, err := r.GetMetadata(i.Offset)
		if err != nil || m.Name != i.Name {
			t.Fatalf("%v: the index says %s, the record %s", err, i.Name, m.Name)
		}
		if m.Name == "touchline.annotation" {
			got = append(got, m.Metadata["text"])
		}
	}
	if !slices.Equal(got, texts) || int(info.Statistics.MetadataCount) != 1+len(texts) {
		t.Errorf("the library finds %q, and counts %d, want %q", got, info.Statistics.MetadataCount, texts)
	}
}

// Notes of a log that is being written are in it at once, and stay when the log is continued and finished.
func TestAnnotateWhileWritten(t *testing.T) {
	path, w := create(t, 10)
	l := open(t, path)
	a, err := w.Annotate(moment("first"))
	if err != nil || l.Grow() != nil {
		t.Fatal(err)
	}
	if got := l.Annotations(); !slices.Equal(got, []matchlog.Annotation{a}) {
		t.Errorf("got %v, want %v", got, a)
	}
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	if w, err = matchlog.Append(path); err != nil {
		t.Fatal(err)
	}
	b, err := w.Annotate(moment("second"))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := matchlog.Annotations(path); err != nil || !slices.Equal(got, []matchlog.Annotation{a, b}) || a.ID == b.ID {
		t.Errorf("got %v %v, want %v and %v", got, err, a, b)
	}
	libraryFinds(t, path, messagesOf(t, path, 0, 0), []string{"first", "second"})
}

// Notes that a log cannot hold, and files that cannot hold notes, are refused and stay as they are.
func TestAnnotateRefuses(t *testing.T) {
	path, _ := finished(t, "plain")
	late := moment("x")
	late.To = began + 1e12
	for want, a := range map[string]matchlog.Annotation{
		"no text":    {From: began, To: began},
		"no note 7":  {ID: 7, From: began, To: began},
		"note -1":    {ID: -1, From: began, To: began, Text: "x"},
		"not in the": late,
		"before its": {From: began + 2, To: began + 1, Text: "x"},
		"4096":       moment(strings.Repeat("x", matchlog.MaxAnnotation+1)),
		"UTF-8":      moment("\xff"),
		"U+001B":     moment("\x1b[2J"),
		"U+000A":     moment("two\nlines"),
		"U+202E":     moment("\u202e"),
		"-1 ns":      {From: -1, To: began, Text: "x"},
	} {
		if _, err := matchlog.Annotate(path, a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", a, err, want)
		}
	}
	live, w := create(t, 3)
	refused := func(want error, text string) {
		t.Helper()
		_, err := matchlog.Annotate(live, moment("x"))
		if runtime.GOOS == "linux" && (!errors.Is(err, want) || !strings.Contains(err.Error(), text)) {
			t.Errorf("%v, want %v: %s", err, want, text)
		}
	}
	refused(matchlog.ErrNotYet, "when that ends")
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	refused(matchlog.ErrNotYet, "log cut "+live)
	for name, data := range map[string][]byte{
		"other.mcap": foreign(t, official.CompressionZSTD, 10), "x.zip": []byte("PK\x03\x04"), "x.A.msl": []byte("[\n]"),
		"none.mcap": nil,
	} {
		other := write(t, filepath.Join(t.TempDir(), name), data)
		_, err := matchlog.Annotate(other, moment("x"))
		kept, _ := os.ReadFile(other)
		if !errors.Is(err, matchlog.ErrFormat) || !strings.Contains(err.Error(), "log cut "+other) || !bytes.Equal(kept, data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A note of a log that a link leads to goes into the log, and the link stays.
func TestAnnotateLink(t *testing.T) {
	path, _ := finished(t, "plain")
	link := filepath.Join(t.TempDir(), "link.mcap")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	annotate(t, link, moment("x"))
	stat, err := os.Lstat(link)
	if got, _ := matchlog.Annotations(path); err != nil || stat.Mode()&os.ModeSymlink == 0 || len(got) != 1 {
		t.Errorf("%v, %v, %v", stat, err, got)
	}
}

// Several annotators of one log lose nothing.
func TestAnnotateTogether(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("locks of files are those of Linux")
	}
	path, messages := finished(t, "plain")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for k := range 5 {
				if _, err := matchlog.Annotate(path, moment(fmt.Sprint(i, k))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	got, _ := matchlog.Annotations(path)
	texts := map[string]bool{}
	for _, a := range got {
		texts[a.Text] = true
	}
	if len(got) != 40 || len(texts) != 40 {
		t.Errorf("got %d notes with %d texts, want 40", len(got), len(texts))
	}
	equal(t, messagesOf(t, path, 0, 0), messages)
}

// A damaged byte in the record of a note costs no message, and gives no wrong note. The log says that a note is
// missing, except where its record has another name, as metadata of other programs has.
func TestDamagedAnnotation(t *testing.T) {
	path, messages := finished(t, "plain")
	kept := annotate(t, path, moment("kept"))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := annotate(t, path, moment("damaged"))
	with, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start := 0
	for start < len(whole) && whole[start] == with[start] {
		start++
	}
	end := bytes.Index(with, []byte("damaged")) + len("damaged")
	start = bytes.LastIndex(with[:end], []byte("touchline.annotation")) - 4 - 9
	for at := start; at < end; at++ {
		data := bytes.Clone(with)
		data[at] ^= 0x21
		part := write(t, filepath.Join(t.TempDir(), "d.mcap"), data)
		l := open(t, part)
		got := l.Annotations()
		if slices.Contains(got, changed) {
			got = slices.DeleteFunc(got, func(a matchlog.Annotation) bool { return a == changed })
		} else if in := at - start - 9 - 4; len(l.Info().Notes) == 0 && (in < 0 || in >= len("touchline.annotation")) {
			t.Errorf("byte %d: the note is left out, and nothing says it", at-start)
		}
		if !slices.Equal(got, []matchlog.Annotation{kept}) {
			t.Errorf("byte %d: got %v, want %v", at-start, got, kept)
		}
		equal(t, all(t, l, 0, 0), messages)
	}
}

// TestKilledAnnotating kills a program that annotates a log, at random times: the log is whole, with each note that
// the program had written.
func TestKilledAnnotating(t *testing.T) {
	path, messages := finished(t, "one by one")
	for round := range 20 {
		before, _ := matchlog.Annotations(path)
		child := exec.Command(os.Args[0], "-test.run=^TestKilledAnnotatingChild$")
		child.Env = append(os.Environ(), "TOUCHLINE_ANNOTATED="+path)
		least, err := killedAfter(child, len(before)+1+round%5)
		if err != nil {
			t.Fatal(err)
		}
		l := open(t, path)
		got := l.Annotations()
		if len(got) < least || len(got) > least+1 || !l.Info().Finished || len(l.Loss()) > 0 {
			t.Fatalf("round %d: %d notes, want the %d written ones and at most one more: %+v", round, len(got), least, l.Info())
		}
		for i, a := range got {
			if a.ID != i+1 || a.Text != fmt.Sprint("note ", i+1) {
				t.Fatalf("round %d: note %d is %+v", round, i+1, a)
			}
		}
		equal(t, all(t, l, 0, 0), messages)
	}
	annotate(t, path, moment("the last one"))
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestKilledAnnotatingChild(t *testing.T) {
	path := os.Getenv("TOUCHLINE_ANNOTATED")
	if path == "" {
		t.Skip("TestKilledAnnotating runs it")
	}
	for {
		got, err := matchlog.Annotations(path)
		if err != nil {
			t.Fatal(err)
		}
		a := moment(fmt.Sprint("note ", len(got)+1))
		a.From += soccer.Time(len(got))
		a.To = a.From
		annotate(t, path, a)
		fmt.Println("wrote", len(got)+1)
	}
}
