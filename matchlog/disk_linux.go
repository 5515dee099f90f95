package matchlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// dataSync waits until the file's bytes are on the disk, with the metadata that reading them needs.
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

// lock locks f for writing until it is closed. Unlike a lock of flock, it can be queried without being taken.
func lock(f *os.File) error {
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
}

// lockPatiently is lock, and waits while another program has the lock.
func lockPatiently(f *os.File) error {
	for {
		err := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLKW, &unix.Flock_t{Type: unix.F_WRLCK})
		if err != unix.EINTR {
			return err
		}
	}
}

// BeingWritten reports whether a Writer, in this program or another, has the file open.
func BeingWritten(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	l := unix.Flock_t{Type: unix.F_RDLCK}
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &l) == nil && l.Type != unix.F_UNLCK
}
