// Command summary turns the output of go test -json into that of go test: a line for each package, and the output of
// failed tests. It writes the skipped tests to the file that its argument names, as the closing line of ./check shows
// them.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is one line of go test -json (go doc cmd/test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// line is a line of output that waits for the end of its package.
type line struct{ test, text string }

// summary holds the output of unfinished packages, and the skipped tests.
type summary struct {
	output     map[string][]line
	recordings int      // tests that found no recordings of others
	others     []string // "TestName (reason)" of the other skipped tests
}

func main() {
	s := summary{output: map[string][]line{}}
	dec := json.NewDecoder(os.Stdin)
	for {
		var e event
		err := dec.Decode(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fatal(fmt.Errorf("standard input is not the output of go test -json: %w", err))
		}
		s.apply(&e)
	}
	if len(os.Args) > 1 {
		if err := os.WriteFile(os.Args[1], []byte(s.skipped()), 0o644); err != nil {
			fatal(err)
		}
	}
}

func fatal(err error) {
	fmt.Println(err)
	os.Exit(1)
}

func (s *summary) apply(e *event) {
	switch e.Action {
	case "build-output":
		fmt.Print(e.Output)
	case "output":
		if !strings.HasPrefix(e.Output, "=== ") {
			s.output[e.Package] = append(s.output[e.Package], line{e.Test, e.Output})
		}
	case "pass", "skip":
		if e.Test == "" {
			if e.Action == "pass" {
				fmt.Printf("ok  \t%s\t%.3fs\n", e.Package, e.Elapsed)
			}
			delete(s.output, e.Package)
			return
		}
		s.finish(e)
	case "fail":
		if e.Test != "" {
			return
		}
		for _, l := range s.output[e.Package] {
			fmt.Print(l.text)
		}
		delete(s.output, e.Package)
	}
}

// finish drops the output of a test that passed or was skipped, and notes the reason for a skip.
func (s *summary) finish(e *event) {
	var kept []line
	reason := ""
	for _, l := range s.output[e.Package] {
		if l.test != e.Test {
			kept = append(kept, l)
		} else if !strings.Contains(l.text, "--- SKIP") {
			reason += l.text
		}
	}
	s.output[e.Package] = kept
	switch {
	case e.Action != "skip":
	case strings.Contains(reason, "no recordings"):
		s.recordings++
	case strings.Contains(reason, "runs it"), strings.Contains(reason, "part of"): // the child process of a test
	default:
		if _, text, ok := strings.Cut(reason, ".go:"); ok {
			_, reason, _ = strings.Cut(text, ": ")
		}
		s.others = append(s.others, fmt.Sprintf("%s (%s)", e.Test, strings.TrimSpace(reason)))
	}
}

// skipped returns the end of ./check's closing line: how many tests were skipped, and why. It is empty when all ran.
func (s *summary) skipped() string {
	text := ""
	if s.recordings > 0 {
		text += fmt.Sprintf("; %s skipped: no recordings (set TOUCHLINE_DATA)", tests(s.recordings))
	}
	if n := len(s.others); n > 0 {
		text += fmt.Sprintf("; %s skipped: %s", tests(n), strings.Join(s.others, ", "))
	}
	return text
}

func tests(n int) string {
	if n == 1 {
		return "1 test"
	}
	return fmt.Sprintf("%d tests", n)
}
