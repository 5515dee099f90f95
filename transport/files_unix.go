//go:build unix

package transport

import "syscall"

// fileLimit returns how many files and sockets the system allows the program.
func fileLimit() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return leastConns
	}
	return int(min(limit.Cur, 1<<20))
}
