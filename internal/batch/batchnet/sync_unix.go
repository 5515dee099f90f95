//go:build !windows

package batchnet

import (
	"errors"
	"os"
)

// syncDir waits until the names in a folder are on the disk.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
