package reportcard

import (
	"fmt"
	"math"
	"slices"
	"time"

	"touchline/soccer"
)

// What two teams say of one ball.
const (
	slot     = 500 * time.Millisecond // one ball of each is kept
	maxSlots = 4 * 3600 * 2
	agree    = 0.5 // m: two teams' balls differ by less
)

// track is where a team believed the ball to be, twice a second.
type track struct {
	began soccer.Time
	at    []soccer.Vec // NaN where it was not known
}

func (t *track) add(now soccer.Time, x, y float64) {
	if now == 0 {
		return
	}
	if t.began == 0 {
		t.began = now
	}
	n := int64(now.Sub(t.began) / slot)
	if n < int64(len(t.at)) || n >= maxSlots {
		return
	}
	for int64(len(t.at)) < n {
		t.at = append(t.at, soccer.Vec{X: math.NaN(), Y: math.NaN()})
	}
	t.at = append(t.at, soccer.Vec{X: x, Y: y})
}

// look returns where the ball was; NaN where it was not known.
func (t *track) look(now soccer.Time) soccer.Vec {
	n := int64(now.Sub(t.began) / slot)
	if now < t.began || n >= int64(len(t.at)) {
		return soccer.Vec{X: math.NaN(), Y: math.NaN()}
	}
	return t.at[n]
}

// views are ways to see the other team's ball; the first is right (MSL World Model 2015, section 2).
var views = []struct {
	name string
	from func(soccer.Vec) soccer.Vec
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

// Compare holds two teams of one match against each other: both see one ball. Where their balls agree in another frame
// than the seed's, and nothing else tells whose frame is wrong, both cards get a note.
func Compare(a, b *Card) {
	if wrongFrame(a) || wrongFrame(b) {
		return // whose it is was found already
	}
	var pairs [][2]soccer.Vec
	var lowest, highest soccer.Vec
	for i, at := range a.sense.track.at {
		other := b.sense.track.look(a.sense.track.began.Add(time.Duration(i) * slot))
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
		return
	}
	off := make([]float64, len(views))
	for i, v := range views {
		all := make([]float64, 0, len(pairs))
		for _, p := range pairs {
			all = append(all, v.from(p[1]).Sub(p[0]).Len())
		}
		slices.Sort(all)
		off[i] = all[len(all)/2]
	}
	best := slices.Index(off, slices.Min(off))
	if best == 0 || off[best] > agree || off[0] < 3*agree {
		return
	}
	a.differs = differs(best, off, b.team)
	b.differs = differs(best, off, a.team)
}

func differs(best int, off []float64, team string) string {
	return fmt.Sprintf("the ball is %.1f m from where %.40q has it, half of the time; if one of the two frames is %s, it is %.1f m", off[0], team, views[best].name, off[best])
}

func wrongFrame(c *Card) bool {
	return slices.ContainsFunc(c.frame(nil), func(f Finding) bool { return !f.Note })
}
