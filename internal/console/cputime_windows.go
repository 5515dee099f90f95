package console

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that this process used since its start.
func CPUTime() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, ended, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(self, &created, &ended, &kernel, &user) != nil {
		return 0
	}
	const step = 100 * time.Nanosecond // of a FILETIME
	ticks := func(t syscall.Filetime) time.Duration {
		return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * step
	}
	return ticks(kernel) + ticks(user)
}
