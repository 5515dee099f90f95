package console

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Progress tells how far long work is, in one line of a terminal that the next one replaces, twice a second at most. It
// writes nothing to what is no terminal. It is not safe for concurrent use.
type Progress struct {
	w     io.Writer // nil: no terminal
	said  time.Time
	width int
}

// NewProgress returns a Progress on errs, whose first line comes after half a second.
func NewProgress(errs io.Writer) *Progress {
	p := &Progress{said: time.Now()}
	if Terminal(errs) {
		p.w = errs
	}
	return p
}

// Say replaces the line.
func (p *Progress) Say(format string, args ...any) {
	if p.w == nil || time.Since(p.said) < 500*time.Millisecond {
		return
	}
	text := fmt.Sprintf(format, args...)
	p.said, p.width = time.Now(), max(p.width, len(text))
	fmt.Fprintf(p.w, "\r%-*s", p.width, text)
}

// End takes the line away.
func (p *Progress) End() {
	if p.width > 0 {
		fmt.Fprint(p.w, "\r"+strings.Repeat(" ", p.width)+"\r")
	}
}
