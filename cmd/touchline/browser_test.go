package main

import (
	"strings"
	"testing"
)

// A browser opens where the user sees windows, and nowhere else.
func TestHasDesktop(t *testing.T) {
	for _, c := range []struct {
		system, env string
		want        bool
	}{
		{"linux", "", false}, {"linux", "DISPLAY=:0", true}, {"linux", "WAYLAND_DISPLAY=wayland-0", true},
		{"linux", "DISPLAY=localhost:10 SSH_CONNECTION=1", false}, {"linux", "DISPLAY=:99 CI=true", false},
		{"darwin", "", true}, {"darwin", "SSH_CONNECTION=1", false}, {"windows", "", true}, {"freebsd", "DISPLAY=:0", true},
	} {
		env := func(name string) string {
			for _, pair := range strings.Fields(c.env) {
				if key, value, _ := strings.Cut(pair, "="); key == name {
					return value
				}
			}
			return ""
		}
		if got := hasDesktop(c.system, env); got != c.want {
			t.Errorf("%s, %q: got %t", c.system, c.env, got)
		}
	}
}
