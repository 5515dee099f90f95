package refboxnet

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"touchline/game"
	"touchline/matchlog"
	"touchline/refbox"
	"touchline/soccer"
	"touchline/wire"
)

// takeDir makes Dir this program's, and finds the token.
func (l *Server) takeDir() error {
	dir := l.Config.Dir
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("refbox: the folder for journals: %w; name another one", err)
	}
	var err error
	if l.lock, err = lockDir(dir); err != nil {
		return err
	}
	halves, _ := filepath.Glob(filepath.Join(dir, ".zip-*")) // the pattern is sound
	for _, half := range halves {                            // somebody was cut off while writing them
		os.Remove(half)
	}
	l.token = l.Config.Token
	if l.token == "" {
		l.token, err = keptToken(filepath.Join(dir, "token"))
	}
	return err
}

// lockDir makes a folder this program's until the file is closed.
func lockDir(dir string) (*os.File, error) {
	lock, err := lockFile(filepath.Join(dir, "lock"))
	switch {
	case errors.Is(err, errLocked):
		return nil, fmt.Errorf("refbox: another referee box writes to %s: end it, or name another folder", dir)
	case err != nil:
		return nil, fmt.Errorf("refbox: the folder for journals cannot be written: %w; name another one", err)
	}
	return lock, nil
}

// errLocked says that another program has the lock.
var errLocked = errors.New("locked by another program")

// keptToken returns the token of a folder, which a restart keeps; a new one where there is none.
func keptToken(path string) (string, error) {
	b, err := os.ReadFile(path)
	if token := strings.TrimSpace(string(b)); err == nil && token != "" {
		return token, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("refbox: the referee's token: %w", err)
	}
	token := rand.Text()
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("refbox: the referee's token cannot be kept: %w", err)
	}
	return token, nil
}

// left is what a journal tells of its game.
type left struct {
	refbox.History
	path string
	meta map[string]string
	end  soccer.Time // of its newest message
	sent int         // number of the last decision that is known to have gone out
}

// openGame goes on with the game that Dir was left with, or begins one.
func (l *Server) openGame() error {
	paths, err := unfinished(l.Config.Dir)
	if err != nil {
		return err
	}
	if l.copied != "" { // that game and no other, whatever lies beside it
		l.older = slices.DeleteFunc(paths, func(path string) bool { return path == l.copied })
		paths = []string{l.copied}
	}
	var told []string
	for i, path := range paths {
		old, err := readJournal(path)
		switch {
		case errors.Is(err, matchlog.ErrFinished):
		case err != nil && l.copied != "":
			return fmt.Errorf("refbox: the copied game cannot be gone on with: %w", err)
		case err != nil:
			l.Log.Warn("a journal that cannot be gone on with is left aside", "journal", path, "err", err)
			told = append(told, fmt.Sprintf("the journal %s cannot be gone on with and is left aside: %v", filepath.Base(path), err))
		case l.Config.New, len(old.Decisions)+len(old.Admissions) == 0:
			l.finishOld(old)
		default:
			l.older = append(l.older, paths[i+1:]...)
			return l.goOn(old, told)
		}
	}
	l.clock = soccer.Clock{Start: soccer.Time(time.Now().Add(l.skew).UnixNano()), Began: time.Now()}
	l.box = refbox.New(l.Config.Box, l.now())
	l.beginJournal()
	if l.journal.failed != nil {
		return fmt.Errorf("refbox: %w", l.journal.failed)
	}
	l.box.Trouble("restart", strings.Join(told, "; "))
	return nil
}

// mostUnfinished is how many journals are looked into.
const mostUnfinished = 20

// unfinished returns the journals of a folder that could be gone on with, the newest by its name first. Later ones may
// be finished: their clock was ahead.
func unfinished(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("refbox: %w", err)
	}
	var paths []string
	for _, e := range slices.Backward(entries) {
		path := filepath.Join(dir, e.Name())
		if isJournal(e.Name()) && len(paths) < mostUnfinished && !matchlog.Finished(path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// finishOlder finishes what was left before the game that goes on, so that no later start goes back to it.
func (l *Server) finishOlder() {
	for _, path := range l.older {
		if old, err := readJournal(path); err == nil {
			l.finishOld(old)
		}
	}
}

// readJournal reads what makes the game of an unfinished journal. The error is matchlog.ErrFinished where it is one no more.
func readJournal(path string) (*left, error) {
	log, err := matchlog.Open(path)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	o := &left{path: path}
	for m, err := range log.Messages(0, 1<<63-1, matchlog.Decisions, matchlog.Admissions, matchlog.Sent, matchlog.Notes, matchlog.States) {
		if err != nil {
			return nil, err
		}
		if err := o.take(m); err != nil {
			return nil, err
		}
	}
	for m, err := range log.Messages(max(0, o.Last.Add(-refbox.Lookback)), o.Last.Add(refbox.Lookback), matchlog.Home, matchlog.Away, matchlog.HomeEmpty, matchlog.AwayEmpty) {
		if err != nil {
			return nil, err
		}
		m.Data = bytes.Clone(m.Data)
		o.Messages = append(o.Messages, refbox.Record{Time: m.Time, Published: m.Published, Channel: m.Channel, Data: m.Data})
	}
	info := log.Info() // all is read: it is complete
	if info.Finished {
		return nil, matchlog.ErrFinished
	}
	began, err := strconv.ParseInt(info.Meta[matchlog.MetaBegan], 10, 64)
	if err != nil {
		return nil, errors.New("it does not say when its game began")
	}
	o.meta, o.Began, o.end = info.Meta, soccer.Time(began), info.End
	return o, nil
}

// take takes one message of the journal.
func (o *left) take(m matchlog.Message) error {
	switch m.Channel {
	case matchlog.Decisions:
		d, err := refbox.ParseDecision(m.Data)
		if err != nil {
			return err
		}
		o.Decisions = append(o.Decisions, d)
	case matchlog.Admissions:
		a, err := refbox.ParseAdmission(m.Data)
		if err != nil {
			return err
		}
		o.Admissions = append(o.Admissions, a)
	case matchlog.States:
		o.Last = m.Time
	case matchlog.Sent:
		var d game.Delivery
		if err := wire.DecodeJSON(m.Data, "the delivery", &d); err != nil {
			return err
		}
		o.sent = d.Decision
	case matchlog.Notes: // where journals of earlier versions have it
		_, _ = fmt.Sscanf(string(m.Data), "decision %d went out", &o.sent)
	}
	return nil
}

// goOn goes on with a game. It goes by the rules that it began with, and its clock never falls back. told is what the
// referee is to know already.
func (l *Server) goOn(old *left, told []string) error {
	cfg := l.Config.Box
	rules, err := refbox.ParseRules([]byte(old.meta[matchlog.MetaRules]))
	if err != nil {
		return fmt.Errorf("refbox: the rules in %s: %w; begin anew with --new", old.path, err)
	}
	if rules != cfg.Rules {
		l.Log.Warn("the game goes on by the rules that it began with", "rules", rules.Name)
		cfg.Rules, l.Config.Box.Rules = rules, rules
	}
	now := time.Now()
	l.clock = soccer.Clock{Start: max(soccer.Time(now.Add(l.skew).UnixNano()), old.end), Began: now}
	if l.box, err = refbox.Restore(cfg, old.History); err != nil {
		return fmt.Errorf("refbox: the game in %s: %w; begin anew with --new", old.path, err)
	}
	if l.journal, err = continued(old.path, old.meta, l.Log); err != nil {
		return fmt.Errorf("refbox: %w", err)
	}
	l.journal.tap = l.Config.Tap
	l.running.Store(l.runningName())
	if l.runningName() == "" { // it may have been cut off before the zip was there
		l.journal.export()
	}
	show := l.box.Show(l.now())
	l.resumed = fmt.Sprintf("%s: %s %d : %d %s, %s %s", l.journal.name(), show.Home.Name, show.Home.Goals, show.Away.Goals, show.Away.Name, show.Part,
		refbox.FormatClock(time.Duration(show.Total*float64(time.Second))))
	for _, m := range l.box.Tick(l.now()).Log { // what passed meanwhile; nobody is connected who could be sent something
		l.journal.write(message(m))
	}
	l.journal.note(l.now(), "the referee box was started again")
	if behind := l.now().Sub(soccer.Time(now.Add(l.skew).UnixNano())); behind > clockSlack {
		text := fmt.Sprintf("the clock of this machine is %v behind the journal: the game goes on from the journal's last moment", behind.Round(time.Second))
		l.box.Trouble("clock", text)
		l.journal.note(l.now(), text)
		l.leapt = now
	}
	if torn := l.journal.w.Torn(); torn != "" {
		told = append(told, torn+"; check score and clock")
		l.journal.note(l.now(), torn)
		l.Log.Warn(torn, "journal", old.path)
	}
	l.box.Trouble("restart", strings.Join(append(told, l.unexpected(old, &show)...), "; "))
	return nil
}

// unexpected says what the referee is to know of a game that goes on.
func (l *Server) unexpected(old *left, show *refbox.Show) []string {
	var told []string
	for _, side := range []struct {
		refbox.TeamShow
		expected int
	}{{show.Home, l.Config.Box.HomeID}, {show.Away, l.Config.Box.AwayID}} {
		if side.expected != 0 && side.ID != 0 && side.expected != side.ID {
			told = append(told, fmt.Sprintf("the game goes on with %s %s, not with team %d: release the side, or begin anew with --new", side.Name, side.Side, side.expected))
			l.Log.Warn(told[len(told)-1])
		}
	}
	var unsent []string
	for i := old.sent; i < len(old.Decisions); i++ {
		unsent = append(unsent, l.box.Describe(&old.Decisions[i]))
	}
	if unsent != nil {
		told = append(told, fmt.Sprintf("decided just before the restart: %s. Press it again if the teams did not get it", strings.Join(unsent, ", ")))
	}
	return told
}

// finishOld closes the journal of a game that is not gone on with, so that it is offered like others. One in which
// nothing happened goes.
func (l *Server) finishOld(old *left) {
	w, err := matchlog.Append(old.path)
	if err == nil {
		if torn := w.Torn(); torn != "" {
			l.Log.Warn(torn, "journal", old.path)
		}
		if len(old.Decisions)+len(old.Admissions) == 0 {
			err = errors.Join(w.Abandon(), os.Remove(old.path))
		} else if err = exportZip(old.path); err == nil {
			err = w.Close()
		} else {
			err = errors.Join(err, w.Abandon()) // the next start tries it again
		}
	}
	if err != nil {
		l.Log.Warn("the journal of the last game could not be finished", "journal", old.path, "err", err)
	}
}
