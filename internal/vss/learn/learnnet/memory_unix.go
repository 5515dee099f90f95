//go:build unix

package learnnet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

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
	removeOldBlocks.Do(func() { sweepOldBlocks(dir, time.Now().Add(-time.Minute)) })
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

// Earlier versions kept blocks in files without a lock, which stay when their program is killed.
const (
	oldBlocks  = "touchline-learn-" // begins their names
	maxOld     = 1000               // files that a sweep looks at
	maxMapping = 16 << 20           // bytes that it reads of what a process has mapped
)

var removeOldBlocks sync.Once

// sweepOldBlocks removes the blocks of earlier versions in dir that are this user's, were last changed before a time and
// are not mapped or open in any process. Where the system does not tell of all processes of the user, they stay.
func sweepOldBlocks(dir string, before time.Time) {
	paths, _ := filepath.Glob(filepath.Join(dir, oldBlocks+"*")) // the pattern is valid
	var old []string
	for _, path := range paths[:min(len(paths), maxOld)] {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.ModTime().After(before) {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == os.Getuid() {
			old = append(old, path)
		}
	}
	if len(old) == 0 {
		return
	}
	used, ok := usedFiles(old)
	for _, path := range old {
		if ok && !used[path] {
			_ = os.Remove(path)
		}
	}
}

// usedFiles returns which files a process of this user has mapped or open, and whether the system told all.
func usedFiles(paths []string) (used map[string]bool, ok bool) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	used = map[string]bool{}
	for _, process := range processes {
		info, err := os.Stat(process)
		if err != nil {
			continue // it has ended
		}
		if stat, is := info.Sys().(*syscall.Stat_t); !is || int(stat.Uid) != os.Getuid() {
			continue // it cannot open the block, whose mode is 0600
		}
		// A process that hides its mappings has special rights: it is neither touchline nor a program that learns.
		if maps, err := os.Open(filepath.Join(process, "maps")); err == nil {
			text, _ := io.ReadAll(io.LimitReader(maps, maxMapping)) // fails if the process ends
			maps.Close()
			for _, path := range paths {
				used[path] = used[path] || strings.Contains(string(text), path)
			}
			if len(text) == maxMapping {
				return nil, false
			}
		}
		fds, _ := filepath.Glob(filepath.Join(process, "fd", "*"))
		for _, fd := range fds {
			if path, err := os.Readlink(fd); err == nil {
				used[path] = true
			}
		}
	}
	return used, len(processes) > 0
}
