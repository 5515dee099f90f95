package refbox

import (
	"time"

	"touchline/soccer"
)

// The sampling grid (MSL World Model 2015, section 3): windows of 100 ms from a team's admission to the end of the
// game.
const (
	window  = 100 * time.Millisecond
	grace   = 50 * time.Millisecond // for a worldstate between its socket and the box
	maxLate = 10 * time.Minute      // windows of a longer step, as after a clock change, are omitted
)

// grid holds a team's sampling windows.
type grid struct {
	on       bool
	end      soccer.Time // of the oldest open window
	received uint64      // bit i: open window i has a worldstate
	empty    soccer.Time // end of the last window without a worldstate
}

// openGrid starts the grid with the first window that begins at from or later.
func (s *seat) openGrid(from soccer.Time) {
	n := (max(0, from.Sub(s.Admission.Time)) + window - 1) / window
	s.grid = grid{on: true, end: s.Admission.Time.Add((n + 1) * window)}
}

// closeWindows closes the windows that have passed, in their order, and records an empty worldstate for each that has
// none. The last windows are those that passed before the end of the game.
func (b *Box) closeWindows(e *Effects) {
	till := b.now.Add(-grace)
	for i := range b.seats {
		s := &b.seats[i]
		switch late := b.now.Sub(s.grid.end); {
		case !s.taken, !b.InProgress() && s.grid.end > b.lastInProgress && s.grid.end <= till:
			s.grid.on = false
		case !s.grid.on && b.InProgress():
			s.openGrid(b.now)
		case s.grid.on && late > maxLate:
			b.note(e, "%s: the clock jumped by %v, or the referee box was down: the windows in between are omitted",
				s.Name, late.Round(time.Millisecond))
			s.openGrid(b.now)
		}
	}
	till = min(till, b.lastInProgress)
	for {
		s := &b.seats[0]
		if t := &b.seats[1]; t.grid.on && (!s.grid.on || t.grid.end < s.grid.end) {
			s = t
		}
		g := &s.grid
		if !g.on || g.end > till {
			return
		}
		s.link.windows++
		if g.received&1 == 0 {
			s.link.empty++
			g.empty = g.end
			e.log(g.end, s.emptyChannel, s.emptyWorld)
		}
		g.received >>= 1
		g.end = g.end.Add(window)
	}
}

// lacks reports whether the window of a time is open and has no worldstate yet.
func (g *grid) lacks(at soccer.Time) bool {
	n := at.Sub(g.end.Add(-window)) / window
	return g.on && at >= g.end.Add(-window) && n < 64 && g.received>>n&1 == 0
}

// mark notes that the window of a time has a worldstate.
func (g *grid) mark(at soccer.Time) {
	if n := at.Sub(g.end.Add(-window)) / window; g.on && at >= g.end.Add(-window) && n < 64 {
		g.received |= 1 << n
	}
}
