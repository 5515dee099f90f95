package programnet

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// Bounds of what a program writes to its standard error.
const (
	mostWords = 64 << 10 // bytes of a match that are told
	mostLine  = 500      // bytes of a line
	lastWords = 300      // bytes that an error quotes
)

// words are what a program writes to its standard error. They are told on the goroutine of the match.
type words struct {
	mu      sync.Mutex
	line    []byte   // that has not ended
	waiting []string // lines that are not told yet
	total   int      // bytes told or waiting
	full    bool     // the rest is left out
	last    []byte
}

// Write takes everything: a program never waits for its complaints to be read.
func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = append(w.last, b[max(0, len(b)-lastWords):]...)
	w.last = w.last[max(0, len(w.last)-lastWords):]
	for rest := b; len(rest) > 0 && !w.full; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		w.line = append(w.line, line[:min(len(line), mostLine-min(len(w.line), mostLine))]...)
		if rest = after; ended {
			w.end()
		}
	}
	return len(b), nil
}

// end ends a line.
func (w *words) end() {
	text := strings.TrimRight(strings.ToValidUTF8(string(w.line), "?"), "\r")
	w.line = w.line[:0]
	if w.total += len(text) + 1; w.total > mostWords {
		w.full, text = true, fmt.Sprintf("(more than %d kB: the rest is left out)", mostWords>>10)
	}
	w.waiting = append(w.waiting, text)
}

// take returns the lines that are to be told; all: also one that has not ended.
func (w *words) take(all bool) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if all && len(w.line) > 0 {
		w.end()
	}
	lines := w.waiting
	w.waiting = nil
	return lines
}

// quote returns the last words for an error; "" without any.
func (w *words) quote() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(w.last), "?")), " ")
	if text == "" {
		return ""
	}
	return fmt.Sprintf("; its standard error ends with %q", text)
}
