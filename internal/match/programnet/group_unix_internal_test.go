//go:build unix

package programnet

import (
	"strconv"
	"strings"
	"syscall"
	"testing"

	"touchline/wire/wiretest"
)

// The processes that a program started end with the match.
func TestGroupEnds(t *testing.T) {
	t.Parallel()
	p := playMatch(t, t.Context(), "", "parent")
	_, text, _ := strings.Cut(strings.Join(p.told, ""), "away: ")
	child, err := strconv.Atoi(text)
	if err != nil || p.match.Err() != nil {
		t.Fatalf("told %q: %v", p.told, p.match.Err())
	}
	wiretest.Eventually(t, "the child ends", func() bool { return syscall.Kill(child, 0) != nil })
}
