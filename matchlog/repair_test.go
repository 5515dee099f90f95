package matchlog_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"touchline/matchlog"
)

// One damaged byte of a finished log costs the message that it is in, and the log says so.
func TestDamagedMessage(t *testing.T) {
	path, w := create(t, 30)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := messagesOf(t, path, 0, 0)
	for i, m := range all {
		head := (1 + 8) + (2 + 4 + 8 + 8) // bytes of a record, and of a message, before its data
		if m.Channel == matchlog.Notes {
			head += 2 // a tag and a length
		}
		for _, at := range []int{0, 1, 2, 8, 9, 11, 20, head, head + len(m.Data) - 1} { // in the record
			data := bytes.Clone(whole)
			data[int(m.Source.Offset)-head+at] ^= 0x55
			part := write(t, filepath.Join(t.TempDir(), "d.mcap"), data)
			l, err := matchlog.Open(part)
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Wait(); err != nil {
				t.Fatal(err)
			}
			info := l.Info()
			l.Close()
			lost, from := fmt.Sprintf("1 of %d messages are lost: ", len(all)), fmt.Sprintf(" bytes from byte %d on are damaged",
				int(m.Source.Offset)-head)
			if !info.Finished || info.Torn != "" || len(info.Notes) != 1 || !strings.HasPrefix(info.Notes[0], lost) ||
				!strings.HasSuffix(info.Notes[0], from) {
				t.Fatalf("message %d, byte %d: %+v, want %s%s", i, at, info, lost, from)
			}
			got := messagesOf(t, part, 0, 0)
			if len(got) != len(all)-1 {
				t.Fatalf("message %d, byte %d: got %d of %d messages", i, at, len(got), len(all))
			}
			for k := range got {
				if k < i {
					same(t, got[k], all[k])
				} else {
					same(t, got[k], all[k+1])
				}
			}
		}
	}
}

// The end of an unfinished log is torn where it is damaged: Append cuts it off there.
func TestDamagedUnfinished(t *testing.T) {
	path, w := create(t, 30)
	if err := w.Abandon(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := messagesOf(t, path, 0, 0)
	whole[all[10].Source.Offset] ^= 0x55
	part := write(t, filepath.Join(t.TempDir(), "d.mcap"), whole)
	if got := messagesOf(t, part, 0, 0); len(got) != 10 {
		t.Errorf("got %d messages, want 10", len(got))
	}
	w, err = matchlog.Append(part)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.Torn(), "the log is damaged at byte ") {
		t.Errorf("Append says %q", w.Torn())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := messagesOf(t, part, 0, 0); len(got) != 10 {
		t.Errorf("after Append: got %d messages, want 10", len(got))
	}
}
