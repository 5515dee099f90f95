//go:build !linux

package matchlog

import "os"

func dataSync(f *os.File) error { return f.Sync() }

func lock(*os.File) error { return nil }
