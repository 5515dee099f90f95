package refboxnet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"touchline/matchlog"
	"touchline/soccer"
)

// marker returns the path of the file that exists while the zip of a journal is written. It remains if the program ends
// meanwhile, perhaps because of the zip: the next start then leaves the zip to the referee.
func marker(path string) string { return strings.TrimSuffix(path, ".mcap") + ".exporting" }

// interrupted describes a zip during whose writing the program ended; "" if it did not.
func interrupted(path string) string {
	if _, err := os.Stat(marker(path)); err != nil {
		return ""
	}
	return fmt.Sprintf("the program ended while it wrote the zip of game %s, perhaps because memory ran out, and does not "+
		"try again by itself: download the zip on the page /log, or run touchline log export %s",
		strings.TrimSuffix(filepath.Base(path), ".mcap"), path)
}

// mark creates the marker of a journal. It is on the disk before the export begins.
func mark(path string) error {
	f, err := os.Create(marker(path))
	if err != nil {
		return err
	}
	_, err = f.WriteString("touchline writes the zip of this game, or ended while it did.\n")
	return errors.Join(err, f.Sync(), f.Close())
}

// exportZip writes the RefBox's zip of a journal beside it and replaces an earlier one.
func exportZip(path string) (err error) {
	if err := mark(path); err != nil {
		return err
	}
	unmark := func() { os.Remove(marker(path)) }
	defer unmark()
	log, err := matchlog.Open(path)
	if err != nil {
		return err
	}
	defer log.Close()
	f, err := os.CreateTemp(filepath.Dir(path), ".zip-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := matchlog.Write(f, log, matchlog.Options{}); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	meta := log.Info().Meta
	began, _ := strconv.ParseInt(meta[matchlog.MetaBegan], 10, 64)
	name := matchlog.FileName(soccer.Time(began), meta[matchlog.MetaHomeShort], meta[matchlog.MetaAwayShort])
	stem := strings.TrimSuffix(filepath.Base(path), ".mcap")
	name = stem + name[strings.IndexByte(name, '.'):]
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(path), stem+".*.zip")) // the pattern is valid
	unmark()                                                                  // a crash from here on has another cause
	if err := os.Rename(f.Name(), filepath.Join(filepath.Dir(path), name)); err != nil {
		return err
	}
	for _, o := range old {
		if filepath.Base(o) != name {
			os.Remove(o) // the same game under its earlier team names
		}
	}
	return nil
}

// zip writes the RefBox's zip of the game beside the journal, reports the result, and returns whether the journal needs
// no other attempt. It makes none if the last one was interrupted, until the game ends once more.
func (j *journal) zip(report chan<- synced, ended <-chan struct{}) bool {
	w := j.writer.Load()
	if w == nil {
		return false
	}
	if j.interrupted.Load() {
		return true
	}
	err := exportZip(w.Path())
	if err != nil {
		j.log.Error("writing the zip of the game failed", "journal", w.Path(), "err", err)
	}
	select {
	case report <- synced{journal: j, err: err, zip: true}:
	case <-ended:
	}
	return err == nil
}
