//go:build !unix

package learnnet

import "errors"

// shared is a block of memory in a file, or of this process alone.
type shared struct {
	name string // name of the file; "" for memory of this process
	data []byte
}

func newShared(int) (*shared, error) {
	return nil, errors.New("learning needs shared memory, which touchline has on Linux, macOS and BSD; on Windows use WSL")
}

func (s *shared) close() error { return nil }
