//go:build unix

package learnnet

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// shared is a block of memory in a file, or of this process alone.
type shared struct {
	name string // name of the file; "" for memory of this process
	data []byte
}

// newShared makes a block of zeros. Where the system has a file system in memory (Linux), its file is there.
func newShared(size int) (*shared, error) {
	dir := "/dev/shm"
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = "" // the directory for temporary files
	}
	f, err := os.CreateTemp(dir, "touchline-learn-")
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	s := &shared{name: f.Name()}
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

// remove removes the file. The memory stays for those who have mapped it.
func (s *shared) remove() error {
	err := os.Remove(s.name)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the other program has removed it
	}
	return err
}

// close ends the block.
func (s *shared) close() error {
	if s.name == "" {
		return nil
	}
	err := s.remove()
	if s.data != nil {
		err = errors.Join(err, unix.Munmap(s.data))
		s.data = nil
	}
	return err
}
