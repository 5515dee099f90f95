//go:build unix

package refboxnet

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes a lock that ends with the program; the error is errLocked if another program has it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = errLocked
		}
		return nil, err
	}
	return f, nil
}
