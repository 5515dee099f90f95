package refboxnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
)

// journal is the log of one game while it is written. The loop calls its methods; run waits for the disk in a goroutine
// of its own.
type journal struct {
	began soccer.Time // time in its name until the file is created
	path  string
	meta  map[string]string
	log   *slog.Logger
	tap   func(matchlog.Message) // receives each message; nil: none
	over  time.Time              // start of the next game; zero: it is the running one

	// Messages that the disk did not take wait here, in order, for another try.
	waiting  []matchlog.Message
	bytes    int            // size of waiting
	late     int            // messages written late
	missing  map[string]int // messages beyond maxWaiting, by channel
	failed   error          // why messages wait; nil: none do
	since    time.Time      // start of failed
	tried    time.Time
	unsynced error // why syncing fails; nil: it works
	wanted   bool  // a zip was requested while messages waited

	w       *matchlog.Writer // nil until the file is created
	writer  atomic.Pointer[matchlog.Writer]
	written atomic.Uint64 // messages written to the file
	gone    atomic.Bool   // it is no longer in its folder
	// The last attempt to write its zip was interrupted by the end of the program.
	interrupted atomic.Bool
	done        uint64        // messages on disk
	kick        chan struct{} // a decision waits for the disk
	ending      chan bool     // true: the game is over
	zips        chan struct{} // a zip is requested
}

// synced is a result of the disk: the messages up to mark are on it, or err.
type synced struct {
	journal *journal
	mark    uint64
	err     error
	zip     bool // it is the result of a zip
}

const (
	// The teams' messages are synced this often, so that little is left when a decision waits for the disk.
	syncEvery  = 150 * time.Millisecond
	retryEvery = time.Second
	lookEvery  = time.Second // checks that the journal is in its folder
	retryFor   = 2 * time.Millisecond
	// Bytes that may wait in memory while the disk is full; beyond that the teams' messages are only counted.
	maxWaiting = 32 << 20
)

func emptyJournal(meta map[string]string, log *slog.Logger) *journal {
	return &journal{
		meta: meta, log: log, missing: map[string]int{}, kick: make(chan struct{}, 1), ending: make(chan bool, 1),
		zips: make(chan struct{}, 1),
	}
}

// newJournal begins a journal in dir. If the disk does not take it, its messages wait.
func newJournal(dir string, began soccer.Time, meta map[string]string, log *slog.Logger) *journal {
	j := emptyJournal(meta, log)
	j.began, j.path = began, filepath.Join(dir, matchlog.LogName(began))
	if err := j.create(); err != nil {
		j.fail(err)
	}
	return j
}

// continueJournal opens the journal of a resumed game.
func continueJournal(path string, meta map[string]string, log *slog.Logger) (*journal, error) {
	w, err := matchlog.Append(path)
	if err != nil {
		return nil, err
	}
	j := emptyJournal(meta, log)
	j.path, j.w = path, w
	j.writer.Store(w)
	return j, nil
}

func (j *journal) create() error {
	w, err := matchlog.Create(j.path, j.meta)
	for errors.Is(err, fs.ErrExist) { // two games began in one second
		j.began = j.began.Add(time.Second)
		j.path = filepath.Join(filepath.Dir(j.path), matchlog.LogName(j.began))
		w, err = matchlog.Create(j.path, j.meta)
	}
	if err != nil {
		return err
	}
	j.w = w
	j.writer.Store(w)
	return nil
}

// remove removes the file of a game in which nothing happened. A full disk may never have taken it.
func (j *journal) remove() error {
	if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("refboxnet: the journal of a game without decisions stays: %w; remove it", err)
	}
	return nil
}

// name returns the name of the game, like 20260703_155014.
func (j *journal) name() string { return strings.TrimSuffix(filepath.Base(j.path), ".mcap") }

// length returns the path of the journal and the number of bytes written.
func (j *journal) length() (path string, bytes int64) {
	if j.w == nil {
		return "", 0
	}
	return j.path, j.w.Size()
}

// fail notes that the disk fails.
func (j *journal) fail(err error) {
	if j.failed == nil {
		j.since = time.Now()
		j.tried = j.since
		j.log.Error("writing the journal failed; the game continues", "err", err)
	}
	j.failed = err
}

// trouble returns a warning about the disk, "" if it works.
func (j *journal) trouble() string {
	const but = "The game continues and decisions are sent, but a crash would lose them"
	switch {
	case j.failed != nil:
		return fmt.Sprintf("the journal cannot be written: %v. %s", j.failed, but)
	case j.unsynced != nil:
		return fmt.Sprintf("the journal cannot be written: %v. %s", j.unsynced, but)
	case j.gone.Load():
		return fmt.Sprintf("the log is missing from its folder: %s was moved or removed; put it back. %s", j.path, but)
	}
	return ""
}

// write appends a message, or lets it wait for the disk.
func (j *journal) write(m matchlog.Message) {
	if j.tap != nil {
		j.tap(m)
	}
	if j.failed == nil {
		err := j.w.Write(m)
		if err == nil {
			j.written.Add(1)
			return
		}
		j.fail(err)
	}
	if teams := m.Channel == matchlog.Home || m.Channel == matchlog.Away || m.Channel == matchlog.Truth; teams &&
		j.bytes+len(m.Data) > maxWaiting {
		j.missing[m.Channel]++
		return
	}
	m.Data = append([]byte(nil), m.Data...)
	j.waiting = append(j.waiting, m)
	j.bytes += len(m.Data)
}

// message returns a record of the box as the log's message.
func message(r refbox.Record) matchlog.Message {
	return matchlog.Message{Time: r.Time, Published: r.Published, Channel: r.Channel, Data: r.Data}
}

// writeJSON appends a value as JSON.
func (j *journal) writeJSON(now soccer.Time, channel string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types of package game hold nothing that JSON cannot
	}
	j.write(matchlog.Message{Time: now, Published: now, Channel: channel, Data: data})
}

// note appends a note.
func (j *journal) note(now soccer.Time, text string) {
	j.write(matchlog.Message{Time: now, Published: now, Channel: matchlog.Notes, Data: []byte(text)})
}

// setTeams stores the teams in the log's metadata.
func (j *journal) setTeams(teams []refbox.Admission) {
	for i := range teams {
		a := &teams[i]
		name, short, id := matchlog.MetaHome, matchlog.MetaHomeShort, matchlog.MetaHomeID
		if a.Side == game.Away {
			name, short, id = matchlog.MetaAway, matchlog.MetaAwayShort, matchlog.MetaAwayID
		}
		j.meta[name], j.meta[short], j.meta[id] = a.Name, a.Short, strconv.Itoa(a.ID)
	}
	if j.w != nil && j.failed == nil {
		if err := j.w.WriteMeta(j.meta); err != nil {
			j.fail(err)
		}
	}
}

// retry writes waiting messages once a second.
func (j *journal) retry(now time.Time, at soccer.Time) {
	if j.failed != nil && now.Sub(j.tried) >= retryEvery {
		j.flush(now, at, retryFor)
	}
}

// flush writes waiting messages for at most this time.
func (j *journal) flush(now time.Time, at soccer.Time, most time.Duration) {
	j.tried = now
	if j.w == nil {
		if err := j.create(); err != nil {
			j.fail(err)
			return
		}
	}
	for len(j.waiting) > 0 {
		if time.Since(now) > most { // the next tick continues
			j.tried = time.Time{}
			return
		}
		if err := j.w.Write(j.waiting[0]); err != nil {
			j.fail(err)
			return
		}
		j.written.Add(1)
		j.late++
		j.bytes -= len(j.waiting[0].Data)
		j.waiting = j.waiting[1:]
	}
	if err := j.w.WriteMeta(j.meta); err != nil {
		j.fail(err)
		return
	}
	j.writable(now, at)
}

// writable notes that the disk works again.
func (j *journal) writable(now time.Time, at soccer.Time) {
	text := fmt.Sprintf("from %s to %s the disk failed (%v): %d messages were written late",
		j.since.UTC().Format("15:04:05"),
		now.UTC().Format("15:04:05"), j.failed, j.late)
	for _, channel := range []string{matchlog.Home, matchlog.Away, matchlog.Truth} {
		if n := j.missing[channel]; n > 0 {
			text += fmt.Sprintf(", %d of %s are missing", n, channel)
		}
	}
	clear(j.missing)
	j.failed, j.waiting, j.late = nil, nil, 0
	j.log.Info("the journal is writable again", "text", text)
	j.note(at, text)
	j.sync()
	if j.wanted {
		j.wanted = false
		j.export()
	}
}

// unwritten returns the number of decisions that are not on disk.
func (j *journal) unwritten() int {
	n := 0
	for i := range j.waiting {
		if j.waiting[i].Channel == matchlog.Decisions {
			n++
		}
	}
	return n
}

// sync requests a sync and returns the mark that it reaches once everything written so far is on disk.
func (j *journal) sync() uint64 {
	select {
	case j.kick <- struct{}{}:
	default:
	}
	return j.written.Load()
}

// confirm takes a result of the disk.
func (j *journal) confirm(s synced) {
	if s.err != nil && j.unsynced == nil {
		j.log.Error("syncing the journal failed; the game continues", "err", s.err)
	}
	j.unsynced = s.err
	j.done = max(j.done, s.mark) // after a failure waiting longer does not help
}

// export requests the zip of the game so far.
func (j *journal) export() {
	j.wanted = j.failed != nil // a zip now would be incomplete
	select {
	case j.zips <- struct{}{}:
	default:
	}
}

// end ends writing. If the game is over the journal is finished, otherwise the next start resumes it.
func (j *journal) end(over bool) { j.ending <- over }

// run waits for the disk until the journal ends. Syncs for decisions do not wait for the regular ones.
func (j *journal) run(report chan<- synced, ended <-chan struct{}) {
	var others sync.WaitGroup
	others.Go(func() {
		for range j.zips {
			j.zip(report, ended)
		}
	})
	others.Go(func() {
		for range j.kick {
			j.syncNow(report, ended)
		}
	})
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	var before uint64
	var looked time.Time
	for {
		select {
		case now := <-tick.C:
			if w := j.writer.Load(); w != nil && now.Sub(looked) >= lookEvery {
				looked = now
				j.gone.Store(!w.InPlace())
			}
			if now := j.written.Load(); now != before {
				before = now
				j.syncNow(report, ended)
			}
		case over := <-j.ending:
			if err := j.syncNow(report, ended); err != nil {
				j.log.Error("syncing the end of the journal failed", "err", err)
			}
			close(j.kick)
			close(j.zips)
			others.Wait()
			j.finish(over && j.zip(report, ended)) // without a zip the next start finds the journal unfinished
			return
		}
	}
}

// syncNow syncs what is written so far and reports the result.
func (j *journal) syncNow(report chan<- synced, ended <-chan struct{}) error {
	s := synced{journal: j, mark: j.written.Load()}
	w := j.writer.Load()
	if w == nil {
		return nil
	}
	s.err = w.Sync()
	select {
	case report <- s:
	case <-ended:
	}
	return s.err
}

// finish closes the file.
func (j *journal) finish(over bool) {
	w := j.writer.Load()
	if w == nil {
		j.log.Error("the journal of a game was never written")
		return
	}
	end := w.Abandon
	if over {
		end = w.Close
	}
	if err := end(); err != nil {
		j.log.Error("closing the journal failed; it is readable", "path", w.Path(), "err", err)
	}
}

// rulesJSON returns rules in the format of their file.
func rulesJSON(r game.Rules) string {
	b, _ := json.Marshal(r) // texts and numbers
	return string(b)
}
