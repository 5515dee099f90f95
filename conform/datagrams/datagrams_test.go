package datagrams_test

import (
	"strings"
	"testing"
	"time"

	"touchline/conform/datagrams"
	"touchline/transport/traffic"
)

// networks are links from a perfect to a bad one.
var networks = map[string]traffic.Link{
	"perfect":  {},
	"lossy":    {Loss: 0.1, Delay: 5 * time.Millisecond, Jitter: 10 * time.Millisecond, Duplicate: 0.05, Reorder: 0.1},
	"terrible": {Loss: 0.4, Delay: 50 * time.Millisecond, Jitter: 100 * time.Millisecond, Duplicate: 0.2, Reorder: 0.3},
}

// A clean team has no fault on any network, also when robots restart.
func TestCleanTeamHasNoFault(t *testing.T) {
	for name, link := range networks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(8) {
				tm := newTeam(seed, link, 4)
				if seed%2 == 0 {
					tm.robots[1].restarts = 4 * time.Second
				}
				var c datagrams.Checker
				for from, issues := range check(t, tm, 8*time.Second, &c) {
					t.Errorf("seed %d: %v is blamed: %v", seed, from, issues)
				}
			}
		})
	}
}

// found reports whether one of the issues contains a text.
func found(issues map[string]int, text string) bool {
	for issue := range issues {
		if strings.Contains(issue, text) {
			return true
		}
	}
	return false
}
