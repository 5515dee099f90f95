package refboxnet

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"touchline/matchlog"
	"touchline/soccer"
)

// journalTail is how far the running journal is written.
type journalTail struct {
	mu      sync.Mutex
	path    string
	length  int64
	changed chan struct{} // closed by the next set
	sent    map[*journalReader]bool
	moved   chan struct{} // closed when a reader's at changes
}

// journalReader is one who follows.
type journalReader struct {
	path string
	at   int64 // the journal was sent up to here
}

func newJournalTail() *journalTail {
	return &journalTail{changed: make(chan struct{}), sent: map[*journalReader]bool{}, moved: make(chan struct{})}
}

// set says what the running journal is, "" for none, and how many of its bytes are written.
func (t *journalTail) set(path string, length int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if path == t.path && length == t.length {
		return
	}
	t.path, t.length = path, length
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *journalTail) get() (path string, length int64, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.path, t.length, t.changed
}

// move notes how far a reader has come; one that leaves is not waited for.
func (t *journalTail) move(r *journalReader, at int64, leaves bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.at = at
	if t.sent[r] = true; leaves {
		delete(t.sent, r)
	}
	close(t.moved)
	t.moved = make(chan struct{})
}

// wait waits until all who follow were sent what is written now, for a while: what the referee is told to be decided is in
// the copy, too. Who is far behind is not waited for. It reports whether they were.
func (t *journalTail) wait() bool {
	_, length, _ := t.get()
	patience := time.NewTimer(followWait)
	defer patience.Stop()
	for {
		t.mu.Lock()
		behind, moved := false, t.moved
		for r := range t.sent {
			behind = behind || r.path == t.path && r.at < length && r.at > length-followNear
		}
		t.mu.Unlock()
		if !behind {
			return true
		}
		select {
		case <-moved:
		case <-patience.C:
			return false
		}
	}
}

// journalHandler serves the journals of a folder; allowed judges the token, and now is the moment that the game goes by.
func journalHandler(dir string, tail *journalTail, now func() soccer.Time, authorised func(*http.Request) bool) http.Handler {
	room := make(chan struct{}, followers)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !authorised(r) {
			http.Error(w, "following needs the referee's token: start with --token TOKEN", http.StatusForbidden)
			return
		}
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
		default:
			http.Error(w, fmt.Sprintf("%d others follow already", followers), http.StatusServiceUnavailable)
			return
		}
		from, err := strconv.ParseInt(cmp.Or(r.FormValue("from"), "0"), 10, 64)
		if err != nil || from < 0 {
			http.Error(w, "from is a number of bytes", http.StatusBadRequest)
			return
		}
		w.Header().Set("Journal-Now", strconv.FormatInt(int64(now()), 10))
		path, from, status := askedJournal(dir, r.FormValue("name"), from, tail)
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		sendJournal(w, r, path, from, tail)
	})
}

// isJournal reports whether a file is named as journals are: nothing else of the folder is served or written.
func isJournal(name string) bool {
	return filepath.Base(name) == name && strings.HasSuffix(name, ".mcap") && len(name) >= len("20060102_150405.mcap") &&
		!strings.HasPrefix(name, ".") && strings.Trim(name[:8], "0123456789") == ""
}

// askedJournal returns what answers a question for a journal: its rest where it runs or is finished, else the running one
// from its beginning.
func askedJournal(dir, name string, from int64, tail *journalTail) (string, int64, int) {
	running, length, _ := tail.get()
	asked := filepath.Join(dir, name)
	if !isJournal(name) {
		asked = ""
	}
	if asked != "" && asked != running {
		if info, err := os.Stat(asked); err == nil && info.Mode().IsRegular() && from < info.Size() && matchlog.Finished(asked) {
			return asked, from, http.StatusOK
		}
	}
	switch {
	case running == "":
		return "", 0, http.StatusNoContent
	case asked != running:
		return running, 0, http.StatusOK
	case from > length:
		return "", 0, http.StatusRequestedRangeNotSatisfiable
	}
	return running, from, http.StatusOK
}

// sendJournal sends a journal from an offset on, as long as it is the running one.
func sendJournal(w http.ResponseWriter, r *http.Request, path string, from int64, tail *journalTail) {
	file, err := os.Open(path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Journal-Name", filepath.Base(path))
	w.Header().Set("Journal-From", strconv.FormatInt(from, 10))
	control := http.NewResponseController(w)
	piece := make([]byte, followPiece)
	reader := &journalReader{path: path}
	defer func() { tail.move(reader, from, true) }()
	for {
		running, length, changed := tail.get()
		over := running != path
		if over {
			length = 0 // until it is finished zeros may stand behind what is written: the follower asks again
			if info, err := file.Stat(); err == nil && matchlog.Finished(path) {
				length = info.Size()
			}
		}
		for from < length {
			n, err := file.ReadAt(piece[:min(int64(len(piece)), length-from)], from)
			if n == 0 {
				panic(http.ErrAbortHandler) // cut off, not ended: the follower asks again
			}
			_ = control.SetWriteDeadline(time.Now().Add(followWrite))
			if _, werr := w.Write(piece[:n]); werr != nil {
				panic(http.ErrAbortHandler)
			}
			from += int64(n)
			if err != nil && from < length {
				panic(http.ErrAbortHandler)
			}
		}
		_ = control.SetWriteDeadline(time.Now().Add(followWrite))
		if err := control.Flush(); err != nil {
			panic(http.ErrAbortHandler)
		}
		tail.move(reader, from, false)
		if over {
			_ = control.SetWriteDeadline(time.Time{})
			return
		}
		select {
		case <-changed:
		case <-time.After(followQuiet):
			_ = control.SetWriteDeadline(time.Time{})
			return
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
}
