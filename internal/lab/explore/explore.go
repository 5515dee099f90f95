package explore

import (
	"fmt"

	"touchline/booking"
)

// Lease explores the protocol that robots use. It calls progress from time to time, unless that is nil, and ends
// with its error.
func Lease(b Bounds, progress func(states int) error) (*Result, error) {
	// A robot that has just started has older numbers than all others.
	return run(newExplorer[booking.State](&b, frame{-8, -8}), progress)
}

// Literal explores the protocol as the paper prints it.
func Literal(b Bounds, progress func(states int) error) (*Result, error) {
	return run(newExplorer[booking.Literal](&b, frame{}), progress)
}

func run[S comparable, P machine[S]](x *explorer[S, P], progress func(states int) error) (*Result, error) {
	if err := x.search(progress); err != nil {
		return nil, err
	}
	return x.conclude(), nil
}

// Case is an exploration with a name.
type Case struct {
	Name  string
	Long  bool // left out of the test
	Bound Bounds
}

// Cases returns the explorations that prove the lease for a team of this many robots.
func Cases(robots int) []Case {
	if robots > 3 {
		return fourRobots()
	}
	two, three := []float64{1, 2}, []float64{1, 1.2, 2}
	return []Case{
		{"losses", false, Bounds{Robots: 3, Distances: three, Lease: 5, Losses: 2}},
		{"a crash", false, Bounds{Robots: 3, Distances: two, Lease: 5, Losses: 2, Crashes: 1}},
		{"a move", false, Bounds{Robots: 3, Distances: three, Lease: 4, Losses: 1, Moves: 1}},
		{"a crash and a move", false, Bounds{Robots: 3, Distances: two, Lease: 4, Losses: 1, Crashes: 1, Moves: 1}},
		{"a ball lost, a penalty", false, Bounds{Robots: 3, Distances: two, Lease: 4, Losses: 1, Outs: 1}},
		{"two of all, no loss", false, Bounds{Robots: 3, Distances: two, Lease: 4, Crashes: 1, Restarts: 1, Moves: 2,
			Outs: 2, Odd: 1, Events: 2}},
		{"a liar, a crash", false, Bounds{Robots: 2, Distances: two, Lease: 4, Losses: 1, Crashes: 1, Liar: LieSeen}},
		{"a liar without a place", false, Bounds{Robots: 2, Distances: two, Lease: 4, Losses: 1, Moves: 1, Liar: LieHidden}},
		{"a liar, three robots", false, Bounds{Robots: 3, Distances: two, Lease: 4, Losses: 1, LossTotal: 2, Liar: LieHidden}},
		{"a liar that gossips", false, Bounds{Robots: 3, Distances: two, Lease: 4, Liar: LieGossip}},
		{"a crash and a restart", true, Bounds{Robots: 3, Distances: two, Lease: 4, Losses: 1, Crashes: 1, Restarts: 1}},
	}
}

func fourRobots() []Case {
	two := []float64{1, 2}
	return []Case{
		{"a crash", false, Bounds{Robots: 4, Distances: two, Lease: 5, Losses: 2, LossTotal: 3, Crashes: 1}},
		{"a move", false, Bounds{Robots: 4, Distances: two, Lease: 5, Losses: 2, LossTotal: 3, Moves: 1}},
		{"a ball lost, a penalty", false, Bounds{Robots: 4, Distances: two, Lease: 5, Losses: 2, LossTotal: 2, Outs: 1}},
		{"two of all, no loss", false, Bounds{Robots: 4, Distances: two, Lease: 4, Crashes: 1, Restarts: 1, Moves: 1,
			Outs: 1, Events: 2}},
	}
}

// Broken lists the guarantees of docs/booking.md that the exploration refutes.
func (r *Result) Broken() (all []string) {
	b := &r.Bounds
	slots := b.Robots - 3 + b.Odd          // of nearer robots, and the latency of a late message
	several := []int{2, 3, 6, 8}[b.Losses] // a robot that missed both sides of a hand-over prolongs it
	if b.Restarts > 0 && b.Losses > 0 {    // docs/booking.md names it as a limit: the longest known
		several = b.Lease + 3
	}
	if b.Outs > 0 && b.Losses < 2 {
		several++ // a robot that comes back takes over while two others are at it
	}
	settle := b.Lease + 4 + min(b.Restarts, 1)
	nobody := b.Lease + 2 + slots
	if b.Liar != "" { // it is ignored, and then the lease ends
		settle, nobody = lieFor+2*b.Lease+4, lieFor+b.Lease
	}
	flips := r.Flips
	if b.Liar == LieGossip { // it may tell the truth about the booker, but not about its distance
		flips = 0
	}
	for _, c := range []struct {
		id         string
		what       string
		is, atMost int
	}{
		{"G1", "ticks without a booker", r.Nobody, nobody},
		{"G3", "ticks with more than one booker", r.Several, several},
		{"G6", "settled states with a flip", flips, 0},
		{"G7", "ticks with a booker that is not the nearest", r.Wrong, b.Lease + b.Losses + 1},
		{"G8", "states that may never settle", r.Stuck, 0},
		{"G8", "ticks until all agree", r.Settle, settle},
		{"liar", "states in which a robot ignores one that does not lie", r.Accused, 0},
	} {
		if c.is > c.atMost || c.is < 0 {
			all = append(all, fmt.Sprintf("%s: %s: %s, want at most %d", c.id, c.what, Ticks(c.is), c.atMost))
		}
	}
	return all
}

// Ticks returns a number of ticks in words.
func Ticks(n int) string {
	if n < 0 {
		return "without end"
	}
	return fmt.Sprint(n)
}
