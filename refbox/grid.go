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
	mostLate = 10 * time.Second      // that windows are made up for; a longer step is the clock's
)

// grid is a team's windows.
type grid struct {
	on    bool
	end   soccer.Time // of the oldest window that is open
	heard uint8       // bit i: window i from that one on has a worldstate
}

// closeWindows closes the windows that have passed, and gives each without a worldstate the empty structure.
func (b *Box) closeWindows(e *Effects) {
	for i := range b.seats {
		s := &b.seats[i]
		g := &s.grid
		if on := s.taken && b.isOn(); !on {
			g.on = false
			continue
		}
		late := b.now.Sub(g.end)
		if g.on && late > mostLate {
			b.note(e, "%s: the clock jumped by %v: windows in between are left out", s.Name, late.Round(time.Millisecond))
		}
		if !g.on || late > mostLate {
			n := max(0, b.now.Sub(s.Admission.Time)) / window
			*g = grid{on: true, end: s.Admission.Time.Add((n + 1) * window)}
		}
		for ; g.end.Add(grace) <= b.now; g.end = g.end.Add(window) {
			s.health.windows++
			if g.heard&1 == 0 {
				s.health.empty++
				e.log(g.end, s.empties, s.emptyData)
			}
			g.heard >>= 1
		}
	}
}

// hear marks the window that a worldstate came in.
func (g *grid) hear(at soccer.Time) {
	if n := at.Sub(g.end.Add(-window)) / window; g.on && at >= g.end.Add(-window) && n < 8 {
		g.heard |= 1 << n
	}
}

// emptyStructure returns what stands in the log for a window without a worldstate.
func emptyStructure(team string) []byte {
	w := msl.Worldstate{TeamName: team, Robots: []msl.Robot{}, Balls: []msl.Ball{}, Obstacles: []msl.Obstacle{}, AgeMillis: msl.Num(0)}
	data, err := w.AppendBinary(nil)
	if err != nil { // a name from a journal that is no text
		w.TeamName = "?"
		data, _ = w.AppendBinary(nil)
	}
	return data
}
