package matchlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// dataSync returns when the file's bytes are on the disk, with what is needed to read them.
func dataSync(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	e := c.Control(func(fd uintptr) {
		for {
			if err = unix.Fdatasync(int(fd)); err != unix.EINTR {
				return
			}
		}
	})
	if e != nil {
		return e
	}
	return err
}

// lock makes f this program's to write until it is closed.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
