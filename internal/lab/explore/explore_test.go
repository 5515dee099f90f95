package explore

import (
	"slices"
	"strings"
	"testing"

	"touchline/booking"
)

// short leaves a test out of a run with -short.
func short(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short only small teams are explored")
	}
}

func TestLeaseHolds(t *testing.T) {
	short(t)
	total := 0
	for _, c := range Cases(3) {
		if c.Long {
			continue
		}
		r, err := Lease(c.Bound, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		total += r.States
		t.Logf("%-24s %8d states; ticks without a booker at most %s, with several %s, with a farther one %s; until all "+
			"agree %d", c.Name, r.States, Ticks(r.Nobody), Ticks(r.Several), Ticks(r.Wrong), r.Settle)
		for _, text := range r.Broken() {
			t.Errorf("%s: %s", c.Name, text)
		}
		if t.Failed() {
			trace := slices.Concat(r.StuckTrace, r.FlipTrace, r.SeveralTrace, r.NobodyTrace)
			t.Fatalf("%s", strings.Join(trace, "\n"))
		}
		if r.Settled == 0 || r.Fresh == 0 {
			t.Errorf("%s: the team never settles", c.Name)
		}
	}
	t.Logf("%d states", total)
}

// small are explorations that take no time: they run with -short, too, and with each mutation.
var small = []Bounds{
	{Robots: 3, Distances: []float64{1, 1.2, 2}, Lease: 4, Moves: 1},
	{Robots: 3, Distances: []float64{1, 2}, Lease: 4, Losses: 1, Crashes: 1},
	{Robots: 3, Distances: []float64{1, 2}, Lease: 4, Losses: 1, Moves: 1},
	{Robots: 3, Distances: []float64{1, 2}, Lease: 4, Crashes: 1, Restarts: 1, Outs: 1, Odd: 1, Events: 1},
	{Robots: 2, Distances: []float64{1, 2}, Lease: 4, Losses: 1, Crashes: 1, Liar: LieSeen},
	{Robots: 2, Distances: []float64{1, 2}, Lease: 4, Losses: 1, Liar: LieHidden},
	{Robots: 3, Distances: []float64{1, 2}, Lease: 4, Liar: LieGossip},
}

func TestSmallTeams(t *testing.T) {
	for _, b := range small {
		b.States = 150_000
		r, err := Lease(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if all := r.Broken(); len(all) > 0 || r.Fresh == 0 {
			t.Fatalf("%d settled states; broken: %s", r.Fresh, strings.Join(all, "; "))
		}
	}
}

// The printed protocol never settles: all book, overwrite each other, wait for the lease, and book again.
func TestLiteralHasALivelock(t *testing.T) {
	r, err := Literal(Bounds{Robots: 3, Distances: []float64{1, 1.2, 2}, Lease: 4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the printed protocol may never settle from %d of %d states; the shortest way:\n%s", r.Stuck, r.States,
		strings.Join(r.StuckTrace, "\n"))
	want := []string{
		"start: robot 1 is 1 m from the ball, robot 2 is 1 m from the ball, robot 3 is 1 m from the ball",
		"tick 1: robot 1 books the ball; robot 2 books the ball; robot 3 books the ball",
	}
	last := "now all is as after tick 1, and so it goes on for ever"
	if r.Stuck == 0 || !slices.Equal(r.StuckTrace[:2], want) || r.StuckTrace[len(r.StuckTrace)-1] != last {
		t.Errorf("stuck states %d, trace %q", r.Stuck, r.StuckTrace)
	}
	if len(r.Broken()) == 0 {
		t.Error("the printed protocol breaks no guarantee")
	}
}

// A configuration that breaks a rule of docs/booking.md is found out.
func TestUnsoundConfigurations(t *testing.T) {
	short(t)
	for _, c := range []struct {
		name   string
		bounds Bounds
		change func(*booking.Config)
		broken string
	}{
		{"no hysteresis", Bounds{Robots: 3, Distances: []float64{1, 1.2, 2}, Lease: 4, Moves: 1},
			func(c *booking.Config) { c.Hysteresis = -0.1 }, "G8: states that may never settle"},
		{"no timeout", Bounds{Robots: 3, Distances: []float64{1, 2}, Lease: 4, Crashes: 1},
			func(c *booking.Config) { c.Lease, c.Silence = 100*tick, 100*tick }, "G1"},
		{"T too short", Bounds{Robots: 3, Distances: []float64{1, 2}, Lease: 1, Losses: 2}, nil, "G6"},
	} {
		c.bounds.Change = c.change
		r, err := Lease(c.bounds, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if all := strings.Join(r.Broken(), "; "); !strings.Contains(all, c.broken) {
			t.Errorf("%s: breaks %q, want %s", c.name, all, c.broken)
		} else {
			t.Logf("%s: %s", c.name, all)
		}
	}
}

// The search finds as many states of a team that only starts as can be counted by hand: 27 cold starts, of which all
// listen for two more ticks.
func TestStartsAreCounted(t *testing.T) {
	x := newExplorer[booking.State](&Bounds{Robots: 3, Distances: []float64{1, 1.2, 2}, Lease: 4}, frame{-8, -8})
	if n := len(x.starts()); n != 27 {
		t.Errorf("%d cold starts, want 27", n)
	}
	if err := x.search(nil); err != nil {
		t.Fatal(err)
	}
	for n := range uint32(27) {
		if x.verdicts[n].kind != starting || x.parents[n] != none {
			t.Errorf("node %d is %+v, want a start", n, x.verdicts[n])
		}
	}
}
