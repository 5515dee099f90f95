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
	maxOpen   = 4    // logs that a Shelf keeps open while nobody uses them
	maxListed = 1000 // logs
)

// Shelf is the logs that a page may open. Its methods may be called from several goroutines.
type Shelf struct {
	Dir   string   // all logs in this folder; "" for none
	Files []string // and these
	// Allowed returns the reason why a request may not open the log of this name, nil if it may; a nil Allowed allows all.
	Allowed func(r *http.Request, name string) error
	// Over reports of a log that is being written that its game is over; nil: none is.
	Over func(name string) bool

	exporting sync.Mutex // one export at a time: it costs a processor, which the referee needs more

	mu   sync.Mutex
	open map[string]*shelved // by path
	use  uint64
}

// shelved is an open log.
type shelved struct {
	once  sync.Once
	log   *matchlog.Log
	err   error
	users int
	used  uint64
	grown time.Time
	stat  fs.FileInfo
	gone  bool // off the shelf: to be closed when nobody uses it
}

// row is a log in the list, and its file.
type row struct {
	matchlog.Row
	path string
}

// List returns the logs, newest first; at most a thousand.
func (s *Shelf) List() []matchlog.Row {
	var rows []row
	entries := s.entries()
	zips := zipsOf(entries)
	logs := map[string]bool{}
	for _, e := range entries {
		r := row{Row: matchlog.Row{Name: e.Name()}, path: filepath.Join(s.Dir, e.Name())}
		if base, ok := strings.CutSuffix(r.Name, ".mcap"); ok {
			logs[base] = true
			r.Zip = zips[base]
		}
		rows = append(rows, r)
	}
	rows = slices.DeleteFunc(rows, func(r row) bool { // a zip of a log that is there is no other log
		base, _, _ := strings.Cut(r.Name, ".")
		return strings.HasSuffix(r.Name, ".zip") && logs[base]
	})
	for _, path := range s.Files { // who names a zip beside its log wants both
		rows = append(rows, row{matchlog.Row{Name: filepath.Base(path)}, path})
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(-cmp.Compare(a.Name, b.Name), cmp.Compare(a.path, b.path)) })
	rows = slices.CompactFunc(rows, func(a, b row) bool { return a.Name == b.Name })
	rows = rows[:min(len(rows), maxListed)]
	for i := range rows {
		s.look(&rows[i])
	}
	listed := make([]matchlog.Row, len(rows))
	for i := range rows {
		listed[i] = rows[i].Row
	}
	slices.SortStableFunc(listed, func(a, b matchlog.Row) int { return -cmp.Compare(a.Start, b.Start) })
	return listed
}

// entries returns the files of the folder that may be logs.
func (s *Shelf) entries() []fs.DirEntry {
	if s.Dir == "" {
		return nil
	}
	all, _ := os.ReadDir(s.Dir) // a folder that is not there yet has no logs
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool { return !isLog(e.Name()) || !e.Type().IsRegular() })
}

// zipsOf returns the zips by what stands before the first point: the log of that name is theirs.
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

// look fills in what can be known of a log without reading all of it.
func (s *Shelf) look(r *row) {
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
	written := isMCAP && matchlog.BeingWritten(r.path)
	r.Running = written && (s.Over == nil || !s.Over(r.Name))
	s.mu.Lock()
	o := s.open[r.path]
	known := o != nil && o.log != nil && o.log.Ready() == 1
	s.mu.Unlock()
	// The names of teams, and how much is written before the zeros, are somewhere in a log that is not finished.
	if known || written || isMCAP && !matchlog.Finished(r.path) {
		if l, done, err := s.take(r.path); err == nil {
			defer done()
			if !known {
				_ = l.Wait() // what can be read of it counts
			}
			i := l.Info()
			r.Home, r.Away, r.Bytes = i.Home, i.Away, i.Bytes
			if i.Start != 0 {
				r.Start, r.End = matchlog.Millis(i.Start), matchlog.Millis(i.End)
			}
		}
	} else if i, ok := matchlog.Glance(r.path); ok {
		r.Start, r.End, r.Home, r.Away = matchlog.Millis(i.Start), matchlog.Millis(i.End), i.Home, i.Away
	}
	if isMCAP && r.End == 0 {
		r.End = float64(stat.ModTime().UnixMilli())
	}
}

var errUnknown = errors.New("matchlog: there is no log of this name")

// row returns the log of a name.
func (s *Shelf) row(name string) (row, error) {
	for _, path := range s.Files {
		if filepath.Base(path) == name {
			return row{matchlog.Row{Name: name}, path}, nil
		}
	}
	if s.Dir != "" && isLog(name) && filepath.Base(name) == name && !strings.ContainsAny(name, `/\`) {
		path := filepath.Join(s.Dir, name)
		if stat, err := os.Lstat(path); err == nil && stat.Mode().IsRegular() {
			return row{matchlog.Row{Name: name}, path}, nil
		}
	}
	return row{}, fmt.Errorf("%w: %.80q", errUnknown, name)
}

// take opens a log, or returns one that is open; done is to be called when it is no longer used.
func (s *Shelf) take(path string) (l *matchlog.Log, done func(), err error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, nil, errUnknown
	}
	s.mu.Lock()
	if s.open == nil {
		s.open = map[string]*shelved{}
	}
	o := s.open[path]
	if o == nil || !os.SameFile(o.stat, stat) || o.err != nil {
		s.retire(path)
		o = &shelved{stat: stat}
		s.open[path] = o
	}
	s.use++
	o.users, o.used = o.users+1, s.use
	s.mu.Unlock()
	o.once.Do(func() {
		l, err := matchlog.Open(path)
		s.mu.Lock()
		defer s.mu.Unlock()
		o.log, o.err, o.grown = l, err, time.Now()
	})
	done = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		o.users--
		o.leave()
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

// retire takes a log off the shelf; mu is held. It is closed when nobody uses it.
func (s *Shelf) retire(path string) {
	if o := s.open[path]; o != nil {
		delete(s.open, path)
		o.gone = true
		o.leave()
	}
}

// leave closes a log that is off the shelf and that nobody uses.
func (o *shelved) leave() {
	if o.gone && o.users == 0 && o.log != nil {
		go o.log.Close() // it may have to end its indexing
	}
}

// trim takes off what was not used for longest; mu is held.
func (s *Shelf) trim() {
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

// Close closes the logs, those that are in use as soon as they are not.
func (s *Shelf) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path := range s.open {
		s.retire(path)
	}
}
