package main

import (
	"strings"
	"testing"
)

// Flags of a lobby, and of a team that joins one, that make no sense are refused.
func TestLobbyIsRefused(t *testing.T) {
	for args, want := range map[string]string{
		"lobby --teams 1":                                            "want 2 to 64",
		"lobby --wait-for 31":                                        "want 2 to 30",
		"lobby --robots 6":                                           "want 1 to 5",
		"lobby --half 10ms":                                          "want whole seconds",
		"lobby --patience 0s":                                        "want 1s or more",
		"lobby --key short":                                          "at least 16 letters",
		"lobby --http 0.0.0.0:0":                                     "--interface",
		"lobby --interface none0":                                    "there is no interface",
		"join --key k --name A":                                      "--lobby",
		"join --lobby 127.0.0.1:1 --name A":                          "--key",
		"join --lobby 127.0.0.1:1 --key k":                           "--name",
		"join A --lobby 127.0.0.1:1":                                 "after --",
		"join --lobby 127.0.0.1:1 --plays unknown":                   "--key",
		"join --lobby 127.0.0.1:1 --key k --name A --plays external": "after --",
		"join --lobby 127.0.0.1:1 --key k --name A --plays unknown":  "touchline-nobooking",
	} {
		if _, errs, code := touchline(t, strings.Fields(args)...); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, printed %q, want %q", args, code, errs, want)
		}
	}
	if _, errs, code := touchline(t, strings.Fields("join --lobby 127.0.0.1:1 --key k --name A")...); code != 1 ||
		!strings.Contains(errs, "127.0.0.1:1") {
		t.Errorf("a lobby that does not exist: exit %d, printed %q", code, errs)
	}
}
