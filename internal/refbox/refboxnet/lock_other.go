//go:build !unix

package refboxnet

import (
	"fmt"
	"os"
)

// lockFile takes a lock that ends with the program on systems that refuse to remove an open file; on others only the
// journal itself is locked.
func lockFile(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("%w (%v)", errLocked, err)
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}
