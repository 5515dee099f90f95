package console

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Create creates a new file. It opens devices and pipes that exist, and refuses other files that do.
func Create(path string) (*os.File, error) {
	mode := os.O_RDWR | os.O_CREATE | os.O_EXCL
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		mode &^= os.O_EXCL
	}
	return os.OpenFile(path, mode, 0o644)
}

// CheckReplaces checks the file that a flag names for a report: it is new, empty, or an earlier report, which begins with
// head. The error is one of usage.
func CheckReplaces(flag, path, head string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil // writing it tells why
	}
	defer file.Close()
	begin := make([]byte, len(head))
	if n, _ := io.ReadFull(file, begin); strings.EqualFold(string(begin[:n]), head) {
		return nil
	}
	return Usage(fmt.Errorf("--%s %s: the file exists and is not an earlier report: choose another name", flag, path))
}
