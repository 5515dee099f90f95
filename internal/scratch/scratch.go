// Package scratch makes temporary folders. The folder of a program that was killed stays until the next program makes one.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// prefix begins the names of folders. No other temporary file or folder of touchline has it: they have no lock.
const prefix = "touchline-run-"

// Folder is a temporary folder, which is locked while its program lives.
type Folder struct {
	Path string
	lock *os.File // the folder itself
}

// New makes a folder in the system's folder of temporary files, and removes those that no living program holds.
func New() (*Folder, error) { return In(os.TempDir()) }

// In is New in another folder.
func In(dir string) (*Folder, error) {
	sweep(dir)
	for {
		path, err := os.MkdirTemp(dir, prefix)
		if err != nil {
			return nil, err
		}
		f := &Folder{Path: path}
		if f.lock, err = hold(path); err == nil {
			if _, err = os.Stat(path); err == nil {
				return f, nil
			}
		}
		f.close()
		if !errors.Is(err, errHeld) && !errors.Is(err, os.ErrNotExist) { // another program's sweep was faster
			return nil, errors.Join(fmt.Errorf("%s cannot be locked: %w", path, err), os.Remove(path))
		}
	}
}

// Remove removes the folder and what is in it. A nil Folder has nothing to remove.
func (f *Folder) Remove() error {
	if f == nil {
		return nil
	}
	err := os.RemoveAll(f.Path)
	f.close()
	return err
}

func (f *Folder) close() {
	if f.lock != nil {
		f.lock.Close()
	}
}

var errHeld = errors.New("a living program holds it")

// sweep removes the folders in dir that no living program holds.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir) // those that can be read
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if lock, err := hold(path); err == nil && lock != nil {
			_ = os.RemoveAll(path) // a folder of another user stays
			lock.Close()
		}
	}
}
