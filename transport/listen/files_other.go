//go:build !unix

package listen

// fileLimit returns how many files and sockets the system allows the program.
func fileLimit() int { return 1 << 20 }
