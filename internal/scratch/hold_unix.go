//go:build linux || darwin || freebsd

package scratch

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hold locks a folder until the file is closed, which the end of the program does, too. The error is errHeld, or
// os.ErrNotExist. It returns nil where the file system has no locks.
func hold(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case err == nil:
		return f, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return nil, errors.Join(errHeld, f.Close())
	default:
		return nil, f.Close()
	}
}
