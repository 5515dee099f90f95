//go:build !unix

package refboxnet

import (
	"fmt"
	"os"
)

// lockFile takes a lock that ends with the program, where the system refuses to remove an open file; elsewhere the
// journal's own lock has to do.
func lockFile(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("%w (%v)", errLocked, err)
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}
