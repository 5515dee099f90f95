package refboxnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/refbox"
	"touchline/soccer"
)

// journal is the log of one game while it is written. Its methods are the loop's; a goroutine of its own waits for the
// disk.
type journal struct {
	began soccer.Time // by its name, until it could be created
	path  string
	meta  map[string]string
	log   *slog.Logger
	tap   func(matchlog.Message) // gets each message; nil: nobody
	over  time.Time              // when its game was followed by another; zero: it was not

	// What the disk did not take waits here, in its order, and is tried again.
	waiting  []matchlog.Message
	bytes    int            // of waiting
	late     int            // messages that waited and are written
	missing  map[string]int // messages of a channel that found no room here either
	failed   error          // why they wait; nil: they do not
	since    time.Time      // of failed
	tried    time.Time
	unsynced error // why the disk does not confirm; nil: it does
	wanted   bool  // a zip was asked for while messages waited

	w       *matchlog.Writer // nil until the file could be created
	writer  atomic.Pointer[matchlog.Writer]
	written atomic.Uint64 // messages in the system's hands
	gone    atomic.Bool   // it is not in its folder any more
	done    uint64        // of them on the disk
	kick    chan struct{} // a decision waits
	ending  chan bool     // true: the game is over
	zips    chan struct{} // a zip is wanted
}

// synced is what the disk said: the messages up to mark are on it, or err.
type synced struct {
	journal *journal
	mark    uint64
	err     error
	zip     bool // it is of the zip
}

const (
	// What the teams say is brought to the disk this often: little is left when a decision waits for it.
	syncEvery  = 150 * time.Millisecond
	retryEvery = time.Second
	lookEvery  = time.Second // whether the journal is still in its folder
	retryFor   = 2 * time.Millisecond
	// What a full disk leaves waiting in memory, in bytes; beyond that the teams' messages are counted only.
	maxWaiting = 32 << 20
)

func emptyJournal(meta map[string]string, log *slog.Logger) *journal {
	return &journal{
		meta: meta, log: log, missing: map[string]int{}, kick: make(chan struct{}, 1), ending: make(chan bool, 1), zips: make(chan struct{}, 1),
	}
}

// newJournal begins a journal in dir. Where the disk does not take it, what is written waits.
func newJournal(dir string, began soccer.Time, meta map[string]string, log *slog.Logger) *journal {
	j := emptyJournal(meta, log)
	j.began, j.path = began, filepath.Join(dir, matchlog.LogName(began))
	if err := j.create(); err != nil {
		j.fail(err)
	}
	return j
}

// continued is the journal of a game that goes on.
func continued(path string, meta map[string]string, log *slog.Logger) (*journal, error) {
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
	for errors.Is(err, fs.ErrExist) { // two games may begin in one second
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

// name returns what the game is called, like 20260703_155014.
func (j *journal) name() string { return strings.TrimSuffix(filepath.Base(j.path), ".mcap") }

// length returns where the journal is, and how many of its bytes are written.
func (j *journal) length() (path string, bytes int64) {
	if j.w == nil {
		return "", 0
	}
	return j.path, j.w.Size()
}

// fail notes that the disk takes nothing.
func (j *journal) fail(err error) {
	if j.failed == nil {
		j.since = time.Now()
		j.tried = j.since
		j.log.Error("the journal cannot be written; the game goes on", "err", err)
	}
	j.failed = err
}

// trouble says what is wrong with the disk, "" for nothing.
func (j *journal) trouble() string {
	const but = "The game goes on and decisions are sent, but a crash would lose them"
	switch {
	case j.failed != nil:
		return fmt.Sprintf("the journal cannot be written: %v. %s", j.failed, but)
	case j.unsynced != nil:
		return fmt.Sprintf("the journal cannot be written: %v. %s", j.unsynced, but)
	case j.gone.Load():
		return fmt.Sprintf("the log is gone from its folder: %s was moved or removed; put it back. %s", j.path, but)
	}
	return ""
}

// write appends a message, or lets it wait.
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
	if teams := m.Channel == matchlog.Home || m.Channel == matchlog.Away || m.Channel == matchlog.Truth; teams && j.bytes+len(m.Data) > maxWaiting {
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

// note writes a line for whoever reads the log.
func (j *journal) note(now soccer.Time, text string) {
	j.write(matchlog.Message{Time: now, Published: now, Channel: matchlog.Notes, Data: []byte(text)})
}

// setTeams says who plays, for whoever lists the logs.
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

// retry tries again to write what waits.
func (j *journal) retry(now time.Time, at soccer.Time) {
	if j.failed != nil && now.Sub(j.tried) >= retryEvery {
		j.flush(now, at, retryFor)
	}
}

// flush writes what waits, as much as can be in so long.
func (j *journal) flush(now time.Time, at soccer.Time, most time.Duration) {
	j.tried = now
	if j.w == nil {
		if err := j.create(); err != nil {
			j.fail(err)
			return
		}
	}
	for len(j.waiting) > 0 {
		if time.Since(now) > most { // the loop has other things to do: the rest follows with the next tick
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
	text := fmt.Sprintf("from %s to %s the disk took nothing (%v): %d messages were written late", j.since.UTC().Format("15:04:05"),
		now.UTC().Format("15:04:05"), j.failed, j.late)
	for _, channel := range []string{matchlog.Home, matchlog.Away, matchlog.Truth} {
		if n := j.missing[channel]; n > 0 {
			text += fmt.Sprintf(", %d of %s are missing", n, channel)
		}
	}
	if err := j.w.WriteMeta(j.meta); err != nil {
		j.fail(err)
		return
	}
	clear(j.missing)
	j.failed, j.waiting, j.late = nil, nil, 0
	j.log.Info("the journal is written again", "text", text)
	j.note(at, text)
	j.sync()
	if j.wanted {
		j.wanted = false
		j.export()
	}
}

// unwritten returns how many decisions the disk has not taken.
func (j *journal) unwritten() int {
	n := 0
	for i := range j.waiting {
		if j.waiting[i].Channel == matchlog.Decisions {
			n++
		}
	}
	return n
}

// sync asks for the disk and returns the mark that tells when it has all that was written so far.
func (j *journal) sync() uint64 {
	select {
	case j.kick <- struct{}{}:
	default:
	}
	return j.written.Load()
}

// took notes what the disk said.
func (j *journal) took(s synced) {
	if s.err != nil && j.unsynced == nil {
		j.log.Error("the disk does not confirm the journal; the game goes on", "err", s.err)
	}
	j.unsynced = s.err
	j.done = max(j.done, s.mark) // where it failed, waiting longer does not help
}

// export asks for the zip of the game so far.
func (j *journal) export() {
	j.wanted = j.failed != nil // this one will not have all
	select {
	case j.zips <- struct{}{}:
	default:
	}
}

// end finishes the journal where its game is over; otherwise the next start goes on with it. Nothing is written to it any
// more.
func (j *journal) end(over bool) { j.ending <- over }

// run waits for the disk, until the journal ends. What a decision waits for does not wait for what is brought to the disk
// between times.
func (j *journal) run(report chan<- synced, ended <-chan struct{}) {
	var others sync.WaitGroup
	others.Go(func() {
		for range j.zips {
			j.zip(report, ended)
		}
	})
	others.Go(func() {
		for range j.kick {
			j.bring(report, ended)
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
				j.bring(report, ended)
			}
		case over := <-j.ending:
			if err := j.bring(report, ended); err != nil {
				j.log.Error("the disk does not confirm the end of the journal", "err", err)
			}
			close(j.kick)
			close(j.zips)
			others.Wait()
			j.finish(over && j.zip(report, ended)) // where there is no zip, the next start finds the journal unfinished
			return
		}
	}
}

// bring brings to the disk what is written so far, and reports that.
func (j *journal) bring(report chan<- synced, ended <-chan struct{}) error {
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
		j.log.Error("the disk never took the journal of a game")
		return
	}
	end := w.Abandon
	if over {
		end = w.Close
	}
	if err := end(); err != nil {
		j.log.Error("the journal could not be closed; it can be read", "path", w.Path(), "err", err)
	}
}

// zip writes the RefBox's zip of the game beside the journal, reports that, and whether it is there.
func (j *journal) zip(report chan<- synced, ended <-chan struct{}) bool {
	w := j.writer.Load()
	if w == nil {
		return false
	}
	err := exportZip(w.Path())
	if err != nil {
		j.log.Error("the zip of the game could not be written", "journal", w.Path(), "err", err)
	}
	select {
	case report <- synced{journal: j, err: err, zip: true}:
	case <-ended:
	}
	return err == nil
}

// rulesJSON returns rules as their file has them.
func rulesJSON(r game.Rules) string {
	b, _ := json.Marshal(r) // texts and numbers
	return string(b)
}
