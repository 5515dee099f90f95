package export

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// file is a file that is written.
type file struct {
	name string // in the folder
	f    *os.File
	w    *bufio.Writer
	rows int
}

// create creates a file of the export.
func (e *Export) create(name string) (*file, error) {
	path := filepath.Join(e.options.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("%w: name a new or empty folder with -o", err)
	}
	out := &file{name: name, f: f, w: bufio.NewWriterSize(f, 1<<16)}
	e.files = append(e.files, out)
	return out, nil
}

// Write writes a row or a part of one.
func (f *file) Write(b []byte) (int, error) { return f.w.Write(b) }

// row writes a row.
func (f *file) row(b []byte) error {
	f.rows++
	_, err := f.w.Write(b)
	return err
}

// close writes what waits, and returns the size.
func (f *file) close() (int64, error) {
	if err := f.w.Flush(); err != nil {
		return 0, err
	}
	size, err := f.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	return size, f.f.Close()
}
