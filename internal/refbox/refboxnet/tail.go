package refboxnet

import (
	"cmp"
	"fmt"
	"io"
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

// tail is the written length of the running journal, for standbys.
type tail struct {
	mu      sync.Mutex
	path    string
	length  int64
	changed chan struct{} // closed by the next change
	sent    map[*follower]bool
	moved   chan struct{} // closed when a follower moves
}

// follower is a standby that receives the journal.
type follower struct {
	path string
	at   int64 // the journal is sent up to here
}

func newTail() *tail {
	return &tail{changed: make(chan struct{}), sent: map[*follower]bool{}, moved: make(chan struct{})}
}

// set sets the running journal, "" for none, and its written length.
func (t *tail) set(path string, length int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if path == t.path && length == t.length {
		return
	}
	t.path, t.length = path, length
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *tail) get() (path string, length int64, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.path, t.length, t.changed
}

// move notes how far a follower is; one that leaves is not waited for.
func (t *tail) move(r *follower, at int64, leaves bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.at = at
	if t.sent[r] = true; leaves {
		delete(t.sent, r)
	}
	close(t.moved)
	t.moved = make(chan struct{})
}

// wait waits for a short time until every standby is sent the journal: a confirmed decision is then in the copies, too.
// A standby that is far behind is not waited for. It reports whether all were sent it.
func (t *tail) wait() bool {
	_, length, _ := t.get()
	patience := time.NewTimer(standbyWait)
	defer patience.Stop()
	for {
		t.mu.Lock()
		behind, moved := false, t.moved
		for r := range t.sent {
			behind = behind || r.path == t.path && r.at < length && r.at > length-standbyNear
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

// journalHandler serves the journals of a folder; now is the game's clock.
func journalHandler(dir string, tail *tail, now func() soccer.Time, authorised func(*http.Request) bool) http.Handler {
	room := make(chan struct{}, maxStandbys)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !authorised(r) {
			http.Error(w, "following needs the referee's token: start with --token TOKEN", http.StatusForbidden)
			return
		}
		select {
		case room <- struct{}{}:
			defer func() { <-room }()
		default:
			http.Error(w, fmt.Sprintf("%d standbys are connected already", maxStandbys), http.StatusServiceUnavailable)
			return
		}
		from, err := strconv.ParseInt(cmp.Or(r.FormValue("from"), "0"), 10, 64)
		if err != nil || from < 0 {
			http.Error(w, "from: want a number of bytes", http.StatusBadRequest)
			return
		}
		w.Header().Set("Journal-Now", strconv.FormatInt(int64(now()), 10))
		path, from, status := chooseJournal(dir, r.FormValue("name"), from, tail)
		if status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
		streamJournal(w, r, path, from, tail)
	})
}

// isJournal reports whether a file has the name of a journal: no other file of the folder is served or written.
func isJournal(name string) bool {
	return filepath.Base(name) == name && strings.HasSuffix(name, ".mcap") &&
		len(name) >= len("20060102_150405.mcap") &&
		!strings.HasPrefix(name, ".") && strings.Trim(name[:8], "0123456789") == ""
}

// chooseJournal returns the answer to a request for a journal: its rest if it is running or finished, otherwise the
// running journal from its beginning.
func chooseJournal(dir, name string, from int64, tail *tail) (string, int64, int) {
	running, length, _ := tail.get()
	asked := filepath.Join(dir, name)
	if !isJournal(name) {
		asked = ""
	}
	if asked != "" && asked != running {
		if info, err := os.Stat(asked); err == nil && info.Mode().IsRegular() && from < info.Size() &&
			matchlog.Finished(asked) {
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

// streamJournal sends a journal from an offset on, as long as it is the running one.
func streamJournal(w http.ResponseWriter, r *http.Request, path string, from int64, t *tail) {
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
	s := journalStream{file: file, out: w, control: http.NewResponseController(w), piece: make([]byte, pieceSize),
		at: from}
	reader := &follower{path: path}
	defer func() { t.move(reader, s.at, true) }()
	for {
		running, length, changed := t.get()
		over := running != path
		if over {
			length = 0 // zeros may follow the messages until it is finished: the standby asks again
			if info, err := file.Stat(); err == nil && matchlog.Finished(path) {
				length = info.Size()
			}
		}
		s.sendTo(length)
		t.move(reader, s.at, false)
		if over {
			s.deadline(0)
			return
		}
		select {
		case <-changed:
		case <-time.After(quietAfter):
			s.deadline(0)
			return
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
}

// journalStream sends a file as it grows.
type journalStream struct {
	file    *os.File
	out     io.Writer
	control *http.ResponseController
	piece   []byte
	at      int64 // offset of the next byte
}

// sendTo sends the file up to length. On an error it cuts the answer off without an end, so that the standby asks
// again.
func (s *journalStream) sendTo(length int64) {
	for s.at < length {
		n, err := s.file.ReadAt(s.piece[:min(int64(len(s.piece)), length-s.at)], s.at)
		if n == 0 {
			panic(http.ErrAbortHandler)
		}
		s.deadline(standbyWrite)
		if _, err := s.out.Write(s.piece[:n]); err != nil {
			panic(http.ErrAbortHandler)
		}
		s.at += int64(n)
		if err != nil && s.at < length {
			panic(http.ErrAbortHandler)
		}
	}
	s.deadline(standbyWrite)
	if err := s.control.Flush(); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// deadline limits the time of the next write; 0: no limit. Not every ResponseWriter has deadlines.
func (s *journalStream) deadline(d time.Duration) {
	at := time.Time{}
	if d > 0 {
		at = time.Now().Add(d)
	}
	_ = s.control.SetWriteDeadline(at)
}
