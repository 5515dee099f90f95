package refbox

import (
	"time"

	"touchline/soccer"
	"touchline/wire/msl"
)

// The sampling grid of seed 002 section 3: windows of 100 ms from a team's admission to the end of the game.
const (
	window   = 100 * time.Millisecond
	grace    = 50 * time.Millisecond // that a worldstate may be on its way from its socket to the box
	mostLate = 10 * time.Minute      // that windows are made up for, after a restart too; a longer step is the clock's
)

// grid is a team's windows.
type grid struct {
	on    bool
	end   soccer.Time // of the oldest window that is open
	heard uint64      // bit i: window i from that one on has a worldstate
	empty soccer.Time // end of the last one that had none
}

// openGrid begins a team's windows with the first one that begins at a moment or after it.
func (s *seat) openGrid(from soccer.Time) {
	n := (max(0, from.Sub(s.Admission.Time)) + window - 1) / window
	s.grid = grid{on: true, end: s.Admission.Time.Add((n + 1) * window)}
}

// restoreGrid goes on with the windows of a journal where that ends.
func (b *Box) restoreGrid(s *seat, said []Record) {
	if !s.taken || !b.InProgress() {
		return
	}
	s.openGrid(b.now.Add(-Lookback))
	for i := range said {
		switch m := &said[i]; m.Channel {
		case s.channel:
			if len(m.Data) > mostRead || kindOf(m.Data) != msl.KindWorldstate {
				continue
			}
			var err error
			s.found, err = s.world.Examine(s.found[:0], m.Data)
			if why, _ := b.dropped(s, m.Data); err == nil && why == "" {
				s.grid.hear(m.Time)
			}
		case s.empties:
			s.grid.hear(m.Time.Add(-1)) // that one is closed
		}
	}
	s.world = msl.Worldstate{}
}

// closeWindows closes the windows that have passed, in their order, and gives each without a worldstate the empty
// structure. The last windows are those that passed before the end of the game.
func (b *Box) closeWindows(e *Effects) {
	till := b.now.Add(-grace)
	for i := range b.seats {
		s := &b.seats[i]
		switch late := b.now.Sub(s.grid.end); {
		case !s.taken, !b.InProgress() && s.grid.end > b.over && s.grid.end <= till:
			s.grid.on = false
		case !s.grid.on && b.InProgress():
			s.openGrid(b.now)
		case s.grid.on && late > mostLate:
			b.note(e, "%s: the clock jumped by %v, or the referee box was away: windows in between are left out", s.Name, late.Round(time.Millisecond))
			s.openGrid(b.now)
		}
	}
	till = min(till, b.over)
	for {
		s := &b.seats[0]
		if t := &b.seats[1]; t.grid.on && (!s.grid.on || t.grid.end < s.grid.end) {
			s = t
		}
		g := &s.grid
		if !g.on || g.end > till {
			return
		}
		s.health.windows++
		if g.heard&1 == 0 {
			s.health.empty++
			g.empty = g.end
			e.log(g.end, s.empties, s.emptyData)
		}
		g.heard >>= 1
		g.end = g.end.Add(window)
	}
}

// hear marks the window that a worldstate came in.
func (g *grid) hear(at soccer.Time) {
	if n := at.Sub(g.end.Add(-window)) / window; g.on && at >= g.end.Add(-window) && n < 64 {
		g.heard |= 1 << n
	}
}
