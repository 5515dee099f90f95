package vss

import (
	"fmt"
	"strings"
)

// Compat is a set of FIRASim's defects that are wanted back.
type Compat uint16

// FIRASim's defects (facts firasim 6).
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

// compats names them, in the order of their bits.
var compats = [...]struct{ name, text string }{
	{"goals", "goals are never counted"},
	{"off-robots", "robots that are switched off stay solid and obey commands"},
	{"keep-velocity", "a robot that is placed keeps its velocity and its command"},
	{"infinite", "infinite wheel speeds are obeyed, as far as the motor goes"},
	{"ball-drop", "at the start the ball falls from 0.5 m, to 0.13 m in the first packet"},
	{"flat-ball", "the ball's vz is always 0"},
	{"lag", "a command works one tick later"},
	{"clock", "a tick of 16 ms takes 17 ms: 0.941 x real time"},
	{"step-glitch", "step is 1 ms short at times, from 64111 ms on"},
}

// ParseCompat reads names that are separated by commas; "" is none of them.
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
			return 0, fmt.Errorf("vss: there is no compat %q; there are:\n%s", name, CompatHelp())
		}
	}
	return c, nil
}

// CompatHelp says what each name means, a line each.
func CompatHelp() string {
	var b strings.Builder
	for _, c := range compats {
		fmt.Fprintf(&b, "  %-14s %s\n", c.name, c.text)
	}
	return b.String()
}

// String returns the names of the set, as ParseCompat reads them.
func (c Compat) String() string {
	var names []string
	for i := range compats {
		if c&(1<<i) != 0 {
			names = append(names, compats[i].name)
		}
	}
	return strings.Join(names, ",")
}
