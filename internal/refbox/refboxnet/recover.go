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
	"syscall"
	"time"

	"touchline/game"
	"touchline/internal/refbox"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/wire"
)

// lockFolder locks Dir for this program and reads the token.
func (srv *Server) lockFolder() error {
	dir := srv.Config.Dir
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("refboxnet: the folder for journals: %w; choose another one", err)
	}
	var err error
	if srv.lock, err = lockDir(dir); err != nil {
		return err
	}
	halves, _ := filepath.Glob(filepath.Join(dir, ".zip-*")) // the pattern is valid
	for _, half := range halves {                            // a crash interrupted writing them
		os.Remove(half)
	}
	srv.token = srv.Config.Token
	if srv.token == "" {
		if srv.token, err = loadToken(filepath.Join(dir, "token")); err != nil {
			srv.tokenTrouble = fmt.Sprintf("the referee's token is not stored: %v; the next start has another one", err)
			srv.Log.Warn(srv.tokenTrouble)
		}
	}
	return nil
}

// lockDir locks a folder until the file is closed.
func lockDir(dir string) (*os.File, error) {
	lock, err := lockFile(filepath.Join(dir, "lock"))
	switch {
	case errors.Is(err, errLocked):
		return nil, fmt.Errorf("refboxnet: another referee box uses %s: stop it, or choose another folder", dir)
	case err != nil:
		return nil, fmt.Errorf("refboxnet: the folder for journals is not writable: %w; choose another one", err)
	}
	return lock, nil
}

// errLocked is returned if another program has the lock.
var errLocked = errors.New("locked by another program")

// loadToken returns the token stored in a file, so that a restart keeps it, or stores a new one. If it cannot be stored
// the token is valid, too, and the error tells why.
func loadToken(path string) (string, error) {
	b, err := os.ReadFile(path)
	if token := strings.TrimSpace(string(b)); err == nil && token != "" {
		return token, nil
	}
	token := rand.Text()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		_ = os.Remove(path) // half of a token would be another one
		return token, err
	}
	return token, nil
}

// unfinishedGame is the game of an unfinished journal.
type unfinishedGame struct {
	refbox.History
	path string
	meta map[string]string
	end  soccer.Time // time of its newest message
	sent int         // number of the last decision known to be delivered
}

// openGame resumes the unfinished game in Dir, or begins one.
func (srv *Server) openGame() error {
	paths, err := unfinished(srv.Config.Dir)
	if err != nil {
		return err
	}
	if srv.copied != "" { // a standby resumes its copy and no other game
		srv.older = slices.DeleteFunc(paths, func(path string) bool { return path == srv.copied })
		paths = []string{srv.copied}
	}
	var texts []string
	for i, path := range paths {
		old, err := readJournal(path)
		switch {
		case errors.Is(err, matchlog.ErrFinished):
		case err != nil && srv.copied != "":
			return fmt.Errorf("refboxnet: resuming the copied game: %w", err)
		case err != nil:
			srv.Log.Warn("an unreadable journal is skipped", "journal", path, "err", err)
			texts = append(texts, fmt.Sprintf("the journal %s cannot be resumed and is skipped: %v", filepath.Base(path),
				err))
		case srv.Config.New, len(old.Decisions)+len(old.Admissions) == 0:
			if text := srv.closeOld(old); text != "" {
				texts = append(texts, text)
			}
		default:
			srv.older = append(srv.older, paths[i+1:]...)
			return srv.resume(old, texts)
		}
	}
	srv.clock = soccer.Clock{Start: soccer.Time(time.Now().Add(srv.skew).UnixNano()), Began: time.Now()}
	srv.box = refbox.New(srv.Config.Box, srv.Now())
	srv.beginJournal()
	if err := srv.journal.failed; err != nil && !isFull(err) {
		return fmt.Errorf("refboxnet: %w", err)
	}
	srv.box.Trouble("restart", strings.Join(texts, "; "))
	return nil
}

// isFull reports whether a disk has no room: the game begins without it, and the page shows a warning.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// maxUnfinished is how many journals are read.
const maxUnfinished = 20

// unfinished returns the unfinished journals of a folder, the newest name first. A finished journal may have a later
// name: its clock was ahead.
func unfinished(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("refboxnet: %w", err)
	}
	var paths []string
	for _, e := range slices.Backward(entries) {
		path := filepath.Join(dir, e.Name())
		if isJournal(e.Name()) && len(paths) < maxUnfinished && !matchlog.Finished(path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// closeOlder finishes the other unfinished journals, so that no later start resumes them.
func (srv *Server) closeOlder() {
	for _, path := range srv.older {
		if old, err := readJournal(path); err == nil {
			if text := srv.closeOld(old); text != "" {
				_ = srv.call(srv.queries, func(soccer.Time) { srv.box.Trouble("zip", text) })
			}
		}
	}
}

// readJournal reads the game of an unfinished journal. The error is matchlog.ErrFinished if it is finished.
func readJournal(path string) (*unfinishedGame, error) {
	log, err := matchlog.Open(path)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	o := &unfinishedGame{path: path}
	for m, err := range log.Messages(0, 1<<63-1, matchlog.Decisions, matchlog.Admissions, matchlog.Sent, matchlog.Notes,
		matchlog.States, matchlog.Verdicts) {
		if err != nil {
			return nil, err
		}
		if err := o.add(m); err != nil {
			return nil, err
		}
	}
	for m, err := range log.Messages(max(0, o.Last.Add(-refbox.Lookback)), o.Last.Add(refbox.Lookback), matchlog.Home,
		matchlog.Away, matchlog.HomeEmpty, matchlog.AwayEmpty) {
		if err != nil {
			return nil, err
		}
		m.Data = bytes.Clone(m.Data)
		o.Messages = append(o.Messages, refbox.Record{Time: m.Time, Published: m.Published, Channel: m.Channel,
			Data: m.Data})
	}
	info := log.Info() // complete, because everything is read
	if info.Finished {
		return nil, matchlog.ErrFinished
	}
	began, err := strconv.ParseInt(info.Meta[matchlog.MetaBegan], 10, 64)
	if err != nil {
		return nil, errors.New("the start of its game is missing")
	}
	o.meta, o.Began, o.end = info.Meta, soccer.Time(began), info.End
	return o, nil
}

// add adds one message of the journal.
func (g *unfinishedGame) add(m matchlog.Message) error {
	switch m.Channel {
	case matchlog.Decisions:
		d, err := refbox.ParseDecision(m.Data)
		if err != nil {
			return err
		}
		g.Decisions = append(g.Decisions, d)
	case matchlog.Admissions:
		a, err := refbox.ParseAdmission(m.Data)
		if err != nil {
			return err
		}
		g.Admissions = append(g.Admissions, a)
	case matchlog.Verdicts:
		v, err := refbox.ParseVerdict(m.Data)
		if err != nil {
			return err
		}
		g.Verdicts = append(g.Verdicts, v)
	case matchlog.States:
		g.Last = m.Time
	case matchlog.Sent:
		var d game.Delivery
		if err := wire.DecodeJSON(m.Data, "the delivery", &d); err != nil {
			return err
		}
		g.sent = d.Decision
	case matchlog.Notes: // earlier versions wrote it there
		_, _ = fmt.Sscanf(string(m.Data), "decision %d went out", &g.sent)
	}
	return nil
}

// resume resumes a game with the rules that it began with; its clock never goes back. texts are warnings for the
// referee.
func (srv *Server) resume(old *unfinishedGame, texts []string) error {
	now := time.Now()
	wall := soccer.Time(now.Add(srv.skew).UnixNano())
	srv.clock = soccer.Clock{Start: max(wall, old.end), Began: now}
	if err := srv.restore(old); err != nil {
		return err
	}
	show := srv.box.Show(srv.Now())
	srv.resumed = fmt.Sprintf("%s: %s %d : %d %s, %s %s", srv.journal.name(), show.Home.Name, show.Home.Goals,
		show.Away.Goals,
		show.Away.Name, show.Part, refbox.FormatClock(time.Duration(show.Total*float64(time.Second))))
	for _, r := range srv.box.Tick(srv.Now()).Log { // what happened meanwhile; no base station is connected yet
		srv.journal.write(message(r))
	}
	srv.journal.note(srv.Now(), matchlog.StartedAgain)
	if behind := srv.Now().Sub(wall); behind > clockSlack {
		text := fmt.Sprintf("the clock of this machine is %v behind the journal: the game continues from the end of the journal",
			behind.Round(time.Second))
		srv.box.Trouble("clock", text)
		srv.journal.note(srv.Now(), text)
		srv.jumpedAt = now
	}
	if torn := srv.journal.w.Torn(); torn != "" {
		texts = append(texts, torn+"; check score and clock")
		srv.journal.note(srv.Now(), torn)
		srv.Log.Warn(torn, "journal", old.path)
	}
	srv.box.Trouble("restart", strings.Join(append(texts, srv.warnings(old, &show)...), "; "))
	return nil
}

// restore restores the box and its journal.
func (srv *Server) restore(old *unfinishedGame) error {
	cfg := srv.Config.Box
	rules, err := refbox.ParseRules([]byte(old.meta[matchlog.MetaRules]))
	if err != nil {
		return fmt.Errorf("refboxnet: the rules in %s: %w; begin another game with --new", old.path, err)
	}
	if rules != cfg.Rules {
		srv.Log.Warn("the game continues with the rules that it began with", "rules", rules.Name)
		cfg.Rules, srv.Config.Box.Rules = rules, rules
	}
	if srv.box, err = refbox.Restore(cfg, old.History); err != nil {
		return fmt.Errorf("refboxnet: the game in %s: %w; begin another game with --new", old.path, err)
	}
	if srv.journal, err = continueJournal(old.path, old.meta, srv.Log); err != nil {
		return fmt.Errorf("refboxnet: %w", err)
	}
	srv.journal.tap = srv.Config.Tap
	srv.running.Store(srv.runningName())
	if srv.runningName() == "" { // a crash may have prevented the zip
		if text := interrupted(old.path); text != "" {
			srv.journal.interrupted.Store(true)
			srv.box.Trouble("zip", text)
			srv.Log.Warn(text)
		}
		srv.journal.export()
	}
	return nil
}

// warnings returns what the referee must know about a resumed game.
func (srv *Server) warnings(old *unfinishedGame, show *refbox.Show) []string {
	var texts []string
	for _, side := range []struct {
		refbox.TeamShow
		expected int
	}{{show.Home, srv.Config.Box.HomeID}, {show.Away, srv.Config.Box.AwayID}} {
		if side.expected != 0 && side.ID != 0 && side.expected != side.ID {
			texts = append(texts, fmt.Sprintf("the game continues with %s as %s, not with team %d: "+
				"release the side, or begin another game with --new", side.Name, side.Side, side.expected))
			srv.Log.Warn(texts[len(texts)-1])
		}
	}
	var unsent []string
	for i := old.sent; i < len(old.Decisions); i++ {
		unsent = append(unsent, srv.box.Describe(&old.Decisions[i]))
	}
	if unsent != nil {
		texts = append(texts, fmt.Sprintf("decided just before the restart: %s. "+
			"Press again if the teams did not receive it", strings.Join(unsent, ", ")))
	}
	return texts
}

// closeOld finishes the journal of a game that is not resumed, so that its log is offered. A journal without decisions
// and admissions is removed. It returns a warning for the referee about its zip, "" without one.
func (srv *Server) closeOld(old *unfinishedGame) (text string) {
	w, err := matchlog.Append(old.path)
	if err == nil {
		if torn := w.Torn(); torn != "" {
			srv.Log.Warn(torn, "journal", old.path)
		}
		if len(old.Decisions)+len(old.Admissions) == 0 {
			err = errors.Join(w.Abandon(), os.Remove(old.path))
		} else if text = interrupted(old.path); text != "" {
			srv.Log.Warn(text)
			err = w.Close()
		} else if err = exportZip(old.path); err == nil {
			err = w.Close()
		} else {
			err = errors.Join(err, w.Abandon()) // the next start tries again
		}
	}
	if err != nil {
		srv.Log.Warn("finishing the journal of the last game failed", "journal", old.path, "err", err)
	}
	return text
}
