package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"touchline/internal/console"
	"touchline/matchlog"
	"touchline/soccer"
)

// isSSLName reports whether a file with this name is a log of the Small Size League, and whether it is packed.
func isSSLName(path string) (packed, ok bool) {
	return strings.HasSuffix(path, ".log.gz"), strings.HasSuffix(path, ".log") || strings.HasSuffix(path, ".log.gz")
}

// writeSSL writes the packets of logs between two times to a new log of the Small Size League, and returns their number.
func writeSSL(path string, packed bool, logs []*matchlog.Log, from, to soccer.Time) (n uint64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, console.Usage(fmt.Errorf("%w; give the name of a new file with -o", err))
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			os.Remove(path)
		}
	}()
	w, err := matchlog.NewSSLWriter(f, packed)
	if err != nil {
		return 0, err
	}
	for m, err := range matchlog.Merge(logs, from, to) {
		if err != nil {
			return n, err
		}
		written, err := w.Write(&m)
		if err != nil {
			return n, err
		}
		if written {
			n++
		}
	}
	if n == 0 {
		return 0, console.Usage(errors.New("the log holds no packets of the Small Size League in this time, so a file of that " +
			"league would be empty; touchline log info lists its contents"))
	}
	if cut := w.Cut(); cut > 0 {
		return n, fmt.Errorf("%d packets were truncated when they were recorded, and cannot be written", cut)
	}
	return n, w.Close()
}
