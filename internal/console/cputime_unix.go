//go:build unix

package console

import (
	"syscall"
	"time"
)

// CPUTime returns the processor time that this process used since its start.
func CPUTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
