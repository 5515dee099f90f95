package vss

import (
	"fmt"
	"strings"
)

// Compat is a set of FIRASim defects to reproduce.
type Compat uint16

// The defects (FIRASim).
const (
	CompatGoals Compat = 1 << iota
	CompatOffRobots
	CompatKeepVelocity
	CompatInfinite
	CompatBallDrop
	CompatFlatBall
	CompatLag
	CompatClock
	CompatStepGlitch
)

// compats are their names and descriptions, in the order of the bits.
var compats = [...]struct{ name, text string }{
	{"goals", "goals are never counted"},
	{"off-robots", "switched-off robots stay solid and obey commands"},
	{"keep-velocity", "a placed robot keeps its velocity and its command"},
	{"infinite", "infinite wheel speeds are accepted and limited by the motor"},
	{"ball-drop", "the ball falls from 0.5 m at the start; the first packet has it at 0.13 m"},
	{"flat-ball", "the ball's vz is always 0"},
	{"lag", "commands take effect one tick later"},
	{"clock", "a tick of 16 ms takes 17 ms: 0.941 times real time"},
	{"step-glitch", "some values of step are 1 ms short, from 64111 ms on"},
}

// ParseCompat reads names separated by commas; "" is the empty set.
func ParseCompat(names string) (Compat, error) {
	var c Compat
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		found := false
		for i := range compats {
			if compats[i].name == name {
				c, found = c|1<<i, true
			}
		}
		if !found {
			return 0, fmt.Errorf("vss: unknown defect %q; the defects are:\n%s", name, CompatHelp())
		}
	}
	return c, nil
}

// CompatHelp describes each defect, one line each.
func CompatHelp() string {
	var b strings.Builder
	for _, c := range compats {
		fmt.Fprintf(&b, "  %-14s %s\n", c.name, c.text)
	}
	return b.String()
}
