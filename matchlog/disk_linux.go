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

// lock makes f ours to write until it is closed. Unlike flock's, this lock can be seen without being taken.
func lock(f *os.File) error {
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
}

// BeingWritten reports whether somebody, in this program or another, has the file locked.
func BeingWritten(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	l := unix.Flock_t{Type: unix.F_RDLCK}
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &l) == nil && l.Type != unix.F_UNLCK
}
