package reportcard

import (
	"fmt"
	"math"
	"slices"
	"time"

	"touchline/soccer"
)

// Bounds of comparing two teams' balls.
const (
	slot     = 500 * time.Millisecond // one ball of each team is kept
	maxSlots = 4 * 3600 * 2
	agree    = 0.5 // m: the balls of two teams that see it right differ by less
)

// track is where a team believed the ball to be, twice a second.
type track struct {
	start soccer.Time
	at    []soccer.Vec // NaN where it was unknown
}

func (t *track) add(now soccer.Time, at soccer.Vec) {
	if now == 0 {
		return
	}
	if t.start == 0 {
		t.start = now
	}
	n := int64(now.Sub(t.start) / slot)
	if n < int64(len(t.at)) || n >= maxSlots {
		return
	}
	for int64(len(t.at)) < n {
		t.at = append(t.at, unknownPlace())
	}
	t.at = append(t.at, at)
}

// position returns where the ball was at a time; NaN if that is unknown.
func (t *track) position(at soccer.Time) soccer.Vec {
	n := int64(at.Sub(t.start) / slot)
	if at < t.start || n >= int64(len(t.at)) {
		return unknownPlace()
	}
	return t.at[n]
}

func unknownPlace() soccer.Vec { return soccer.Vec{X: math.NaN(), Y: math.NaN()} }

// views are ways to convert the ball of the other team; the first one is right (MSL World Model 2015, section 2).
var views = []struct {
	name    string
	convert func(soccer.Vec) soccer.Vec
}{
	{"", soccer.Vec.Turned},
	{"turned by pi", func(v soccer.Vec) soccer.Vec { return v }},
	{"mirrored in X", func(v soccer.Vec) soccer.Vec { return soccer.Vec{X: v.X, Y: -v.Y} }},
	{"mirrored in Y", func(v soccer.Vec) soccer.Vec { return soccer.Vec{X: -v.X, Y: v.Y} }},
	{"turned by a quarter", func(v soccer.Vec) soccer.Vec { return soccer.Vec{X: -v.Y, Y: v.X} }},
	{"turned by a quarter", func(v soccer.Vec) soccer.Vec { return soccer.Vec{X: v.Y, Y: -v.X} }},
	{"X and Y exchanged", func(v soccer.Vec) soccer.Vec { return soccer.Vec{X: v.Y, Y: v.X} }},
	{"X and Y exchanged", func(v soccer.Vec) soccer.Vec { return soccer.Vec{X: -v.Y, Y: -v.X} }},
}

// Compare checks the teams of one match against each other: whether one was away while the referee box logged, and
// where two teams believe the ball to be. If they agree in another frame than that of the specification, and no other
// finding tells whose frame is wrong, both cards get a note.
func Compare(cards ...*Card) {
	absences(cards)
	if len(cards) == 2 {
		compareBalls(cards[0], cards[1])
	}
}

func compareBalls(a, b *Card) {
	if wrongFrame(a) || wrongFrame(b) {
		return
	}
	pairs := ballPairs(a, b)
	if pairs == nil {
		return
	}
	off := make([]float64, len(views))
	for i, v := range views {
		all := make([]float64, 0, len(pairs))
		for _, p := range pairs {
			all = append(all, v.convert(p[1]).Sub(p[0]).Len())
		}
		slices.Sort(all)
		off[i] = all[len(all)/2]
	}
	best := slices.Index(off, slices.Min(off))
	if best == 0 || off[best] > agree || off[0] < 3*agree {
		return
	}
	a.frameNote = frameNote(best, off, b.team)
	b.frameNote = frameNote(best, off, a.team)
}

// ballPairs returns where both teams believed the ball to be at the same times; nil if that tells too little.
func ballPairs(a, b *Card) (pairs [][2]soccer.Vec) {
	var lowest, highest soccer.Vec
	track := &a.contents.track
	for i, at := range track.at {
		other := b.contents.track.position(track.start.Add(time.Duration(i) * slot))
		if math.IsNaN(at.X) || math.IsNaN(other.X) {
			continue
		}
		if len(pairs) == 0 {
			lowest, highest = at, at
		}
		lowest = soccer.Vec{X: min(lowest.X, at.X), Y: min(lowest.Y, at.Y)}
		highest = soccer.Vec{X: max(highest.X, at.X), Y: max(highest.Y, at.Y)}
		pairs = append(pairs, [2]soccer.Vec{at, other})
	}
	if len(pairs) < 60 || highest.X-lowest.X < 3 || highest.Y-lowest.Y < 3 {
		return nil
	}
	return pairs
}

func frameNote(best int, off []float64, team string) string {
	return fmt.Sprintf("the median distance from the ball of %.40q is %.1f m; with one of the two frames %s it is %.1f m",
		team, off[0], views[best].name, off[best])
}

func wrongFrame(c *Card) bool {
	return slices.ContainsFunc(c.frameFindings(nil), func(f Finding) bool { return !f.Note })
}
