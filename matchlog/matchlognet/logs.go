// Package matchlognet serves match logs to web pages: lists, summaries, frames, exports and files.
package matchlognet

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"touchline/matchlog"
)

const (
	maxOpen   = 4    // unused logs that Logs keep open
	maxListed = 1000 // logs
)

// Row is a log in the list of a page.
type Row struct {
	Name    string  `json:"name"`
	Start   float64 `json:"start"` // ms since 1970
	End     float64 `json:"end"`   // ms since 1970; 0: unknown until the log is opened
	Home    string  `json:"home"`
	Away    string  `json:"away"`
	Bytes   int64   `json:"bytes"`
	Zip     string  `json:"zip"`     // name of the RefBox's zip of the log; "" if there is none yet
	Running bool    `json:"running"` // the log is being written, and its game is not over
	Error   string  `json:"error"`   // what is wrong with the file, as far as it was read; "" for nothing

	path string
}

// Logs are the logs that pages may open. Its methods may be called from any goroutine.
type Logs struct {
	Dir   string   // folder of logs; "" for none
	Files []string // further logs
	// Allowed returns why a request may not open the log of this name, nil if it may. A nil Allowed allows every log.
	Allowed func(r *http.Request, name string) error
	// Over reports whether the game of a log that is being written is over. A nil Over reports false.
	Over func(name string) bool
	// Parts are further parts of a log's address, GET /api/logs/{name}/PART, by their names. The answer is what a part
	// makes of the log, which it may use during the call only, and of the parameters of the request, as JSON. An error
	// is one of the request.
	Parts map[string]Part
	// Annotates says that pages may write notes: the program has a command that calls Annotate. Default false
	Annotates bool

	exporting sync.Mutex // one export at a time: the referee needs the other processor

	mu   sync.Mutex
	open map[string]*openLog // open logs by path
	use  uint64
}

// Part makes an answer of a log. parameter returns a parameter of the request; "": it is not given.
type Part func(l *matchlog.Log, parameter func(name string) string) (any, error)

// openLog is an open log with its users.
type openLog struct {
	once  sync.Once
	log   *matchlog.Log
	err   error
	users int
	used  uint64
	grown time.Time
	stat  fs.FileInfo
	// An older file was open at its path, perhaps the log without a note. Pages know that it was indexed.
	replaces bool

	gone bool // removed from Logs.open; closed when users is 0
}

// List returns at most 1,000 logs, newest first.
func (s *Logs) List() []Row {
	rows := []Row{}
	entries := s.entries()
	zips := zipsOf(entries)
	logs := map[string]bool{}
	for _, e := range entries {
		r := Row{Name: e.Name(), path: filepath.Join(s.Dir, e.Name())}
		if base, ok := strings.CutSuffix(r.Name, ".mcap"); ok {
			logs[base] = true
			r.Zip = zips[base]
		}
		rows = append(rows, r)
	}
	rows = slices.DeleteFunc(rows, func(r Row) bool { // the zip of a listed log is not a log of its own
		base, _, _ := strings.Cut(r.Name, ".")
		return strings.HasSuffix(r.Name, ".zip") && logs[base]
	})
	for _, path := range s.Files { // if a log and its zip are both named, both are listed
		rows = append(rows, Row{Name: filepath.Base(path), path: path})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(-cmp.Compare(a.Name, b.Name), cmp.Compare(a.path, b.path))
	})
	rows = slices.CompactFunc(rows, func(a, b Row) bool { return a.Name == b.Name })
	rows = rows[:min(len(rows), maxListed)]
	for i := range rows {
		s.describe(&rows[i])
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return -cmp.Compare(a.Start, b.Start) })
	return rows
}

// entries returns the files of the folder that may be logs.
func (s *Logs) entries() []fs.DirEntry {
	if s.Dir == "" {
		return nil
	}
	all, _ := os.ReadDir(s.Dir) // a missing folder has no logs
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return !isLog(e.Name()) || !e.Type().IsRegular() })
}

// zipsOf returns the zips by their names up to the first dot, the name of their log.
func zipsOf(entries []fs.DirEntry) map[string]string {
	zips := map[string]string{}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".zip") {
			base, _, _ := strings.Cut(name, ".")
			zips[base] = name
		}
	}
	return zips
}

// isLog reports whether a file of a folder may be a log, by its name.
func isLog(name string) bool {
	return strings.HasSuffix(name, ".mcap") || strings.HasSuffix(name, ".zip")
}

// describe fills in a row. It reads no more of the log than necessary.
func (s *Logs) describe(r *Row) {
	stat, err := os.Stat(r.path)
	if err != nil {
		return
	}
	r.Bytes = stat.Size()
	stamp, rest, _ := strings.Cut(r.Name, ".")
	if at, err := time.Parse("20060102_150405", stamp); err == nil {
		r.Start = float64(at.UnixMilli())
	}
	if home, away, ok := strings.Cut(strings.TrimSuffix(rest, ".zip"), "-"); ok {
		r.Home, r.Away = home, away
	}
	if strings.HasSuffix(r.Name, ".zip") {
		r.Zip = r.Name
	}
	isMCAP := strings.HasSuffix(r.Name, ".mcap")
	// A note locks a finished log for a moment.
	written := isMCAP && !matchlog.Finished(r.path) && matchlog.BeingWritten(r.path)
	r.Running = written && (s.Over == nil || !s.Over(r.Name))
	s.mu.Lock()
	o := s.open[r.path]
	known := o != nil && o.log != nil && o.log.Ready() == 1
	s.mu.Unlock()
	// The names of the teams and the length without zeros are only known after reading an unfinished log.
	finished := isMCAP && !written && matchlog.Finished(r.path)
	if finished {
		i, ok := matchlog.Glance(r.path)
		if ok {
			r.Start, r.End, r.Home, r.Away = matchlog.Millis(i.Start), matchlog.Millis(i.End), i.Home, i.Away
		}
		r.Error = i.Torn
	}
	if known || isMCAP && !finished || r.Error != "" {
		s.read(r, !known)
	}
	if isMCAP && r.End == 0 {
		r.End = float64(stat.ModTime().UnixMilli())
	}
}

// read fills in a row from the whole log.
func (s *Logs) read(r *Row, wait bool) {
	l, done, err := s.acquire(r.path)
	if err != nil {
		r.Error = strings.TrimPrefix(strings.TrimPrefix(err.Error(), r.path+": "), "matchlog: ")
		return
	}
	defer done()
	if wait {
		_ = l.Wait() // the readable part is enough, and Loss says why
	}
	i := l.Info()
	r.Home, r.Away, r.Bytes = i.Home, i.Away, i.Bytes
	if i.Start != 0 {
		r.Start, r.End = matchlog.Millis(i.Start), matchlog.Millis(i.End)
	}
	if loss := l.Loss(); len(loss) > 0 {
		r.Error = loss[0]
	}
}

var errUnknown = errors.New("matchlog: there is no log of this name")

// row returns the log of a name.
func (s *Logs) row(name string) (Row, error) {
	for _, path := range s.Files {
		if filepath.Base(path) == name {
			return Row{Name: name, path: path}, nil
		}
	}
	if s.Dir != "" && isLog(name) && filepath.Base(name) == name && !strings.ContainsAny(name, `/\`) {
		path := filepath.Join(s.Dir, name)
		if stat, err := os.Lstat(path); err == nil && stat.Mode().IsRegular() {
			return Row{Name: name, path: path}, nil
		}
	}
	return Row{}, fmt.Errorf("%w: %.80q", errUnknown, name)
}

// acquire opens a log, or returns an open one. The caller calls done when it no longer uses the log.
func (s *Logs) acquire(path string) (l *matchlog.Log, done func(), err error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, nil, errUnknown
	}
	s.mu.Lock()
	if s.open == nil {
		s.open = map[string]*openLog{}
	}
	o := s.open[path]
	if o == nil || !os.SameFile(o.stat, stat) || o.err != nil {
		replaced := o != nil
		s.retire(path)
		o = &openLog{stat: stat, replaces: replaced}
		s.open[path] = o
	}
	s.use++
	o.users, o.used = o.users+1, s.use
	s.mu.Unlock()
	o.once.Do(func() {
		l, err := matchlog.Open(path)
		if err == nil && o.replaces {
			_ = l.Wait() // the readable part is enough
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		o.log, o.err, o.grown = l, err, time.Now()
	})
	done = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		o.users--
		o.closeUnused()
		s.trim()
	}
	if o.err != nil {
		done()
		return nil, nil, o.err
	}
	s.mu.Lock()
	grow := o.log.Ready() == 1 && time.Since(o.grown) > 500*time.Millisecond
	if grow {
		o.grown = time.Now()
	}
	s.mu.Unlock()
	if grow {
		if err := o.log.Grow(); err != nil {
			done()
			return nil, nil, err
		}
	}
	return o.log, done, nil
}

// retire removes a log from the open ones, to be closed when it is no longer used. It requires s.mu.
func (s *Logs) retire(path string) {
	if o := s.open[path]; o != nil {
		delete(s.open, path)
		o.gone = true
		o.closeUnused()
	}
}

// closeUnused closes a retired log that is no longer used.
func (o *openLog) closeUnused() {
	if o.gone && o.users == 0 && o.log != nil {
		go o.log.Close() // it waits until the indexing has stopped
	}
}

// trim retires unused logs beyond maxOpen, the least recently used first. It requires s.mu.
func (s *Logs) trim() {
	for {
		oldest, n := "", 0
		for path, o := range s.open {
			if o.users > 0 {
				continue
			}
			if n++; oldest == "" || o.used < s.open[oldest].used {
				oldest = path
			}
		}
		if n <= maxOpen {
			return
		}
		s.retire(oldest)
	}
}

// Close closes the logs. A log in use is closed when it is no longer used.
func (s *Logs) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path := range s.open {
		s.retire(path)
	}
}
