package refboxnet

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"touchline/matchlog"
	"touchline/matchlog/release"
	"touchline/soccer"
)

// exportZip writes the RefBox's zip of a journal beside it and replaces an earlier one.
func exportZip(path string) (err error) {
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
	if err := release.Write(f, log, release.Options{}); err != nil {
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

// zip writes the RefBox's zip of the game beside the journal, reports the result, and returns whether it exists.
func (j *journal) zip(report chan<- synced, ended <-chan struct{}) bool {
	w := j.writer.Load()
	if w == nil {
		return false
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
