package matchlog

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A log of an earlier version has text and datagrams as they are: it is read, and continued in the same way.
func TestUnwrapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.mcap")
	b := appendChannel(appendFileHead(nil), 1, 0, Notes, false)
	b = appendMessage(b, 1, &Message{Time: 5, Data: []byte("\n\x03abc")}, false)
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Append(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, channel := range []string{Notes, Lines} {
		if err := w.Write(Message{Time: 6, Channel: channel, Data: []byte("more")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var got []string
	for m, err := range l.Messages(0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Channel+" "+string(m.Data))
	}
	if want := []string{"notes \n\x03abc", "notes more", "lines more"}; !slices.Equal(got, want) || len(l.Loss()) > 0 {
		t.Errorf("got %q, want %q; %q", got, want, l.Loss())
	}
}
