package vssnet

import (
	"time"

	"golang.org/x/sys/unix"
)

// nap sleeps for d, more exactly than a timer: the runtime's timers have the whole milliseconds of epoll on Linux,
// which shifts the median interval of ticks by 0.2 ms.
func nap(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // after an early wake-up the loop checks the clock and naps again
}
