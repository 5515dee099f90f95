//go:build unix

package learnnet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"touchline/internal/scratch"
)

// shared is a block of memory in a file, or of this process alone.
type shared struct {
	name   string // name of the file; "" for memory of this process
	data   []byte
	folder *scratch.Folder // folder that holds only the file: if this program is killed, the next one removes it
}

// newShared makes a block of zeros. Where the system has a file system in memory (Linux), its file is there.
func newShared(size int) (*shared, error) {
	dir := "/dev/shm"
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = os.TempDir()
	}
	folder, err := scratch.In(dir)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	s := &shared{name: filepath.Join(folder.Path, "block"), folder: folder}
	f, err := os.OpenFile(s.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("shared memory: %w", err), s.close())
	}
	// Blocks of the file are allocated here: a full file system is an error now, and no crash later.
	if err = allocate(f, size); err == nil {
		s.data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("shared memory of %d bytes in %s: %w", size, s.name, err), s.close())
	}
	return s, nil
}

// allocate fills a file with zeros.
func allocate(f *os.File, size int) error {
	zeros := make([]byte, min(size, 1<<20))
	for left := size; left > 0; left -= len(zeros) {
		zeros = zeros[:min(left, len(zeros))]
		if _, err := f.Write(zeros); err != nil {
			return err
		}
	}
	return nil
}

// close ends the block and removes its file, unless the other program has. The memory stays for those who have mapped it.
func (s *shared) close() error {
	err := s.folder.Remove()
	if s.name != "" && s.data != nil {
		err = errors.Join(err, unix.Munmap(s.data))
		s.data = nil
	}
	return err
}
