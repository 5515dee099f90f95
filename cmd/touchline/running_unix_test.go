//go:build unix

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// running reports whether a process runs. One that has ended and whose parent did not wait does not.
func running(pid int) bool {
	if status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		return !strings.Contains(string(status), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}
