//go:build unix

package learnnet

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Eager returns a reader of a pipe that looks for data for a while before it sleeps: waking a sleeping thread takes
// longer than a step of one game. It makes the pipe non-blocking.
func Eager(f *os.File) io.Reader {
	fd := int(f.Fd())
	if unix.SetNonblock(fd, true) != nil {
		return f
	}
	return eager(fd)
}

type eager int

func (fd eager) Read(b []byte) (int, error) {
	var wait patience
	for {
		n, err := unix.Read(int(fd), b)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			if wait.over() {
				_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1) // an error is that of the next Read
			}
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}
