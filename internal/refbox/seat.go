package refbox

import (
	"net/netip"
	"time"
	"unicode/utf8"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/msl"
)

// seat is one side and the team that has it.
type seat struct {
	Admission             // meaningless while the side is available
	side                  game.Side
	channel, emptyChannel string // channels of the journal
	taken                 bool
	host                  netip.Addr // address of its base station
	connected             bool
	conn                  ConnID
	aliveAt               soccer.Time // the connection last sent something, or was made
	replacedAlive         soccer.Time // time at which it replaced a live connection; 0: never
	rival                 rival
	replaced              []ConnID // earlier connections, whose messages count until they disconnect
	lastSent              string   // the last message to it, as text
	lastSentAt            soccer.Time
	sent                  []SentShow   // the last messages to it, oldest first
	check                 *readerCheck // check of its reader; nil: none was made
	checkNoted            bool         // the journal has its result
	link                  linkHealth
	grid                  grid
	quota                 quota          // counts of the running second
	world                 msl.Worldstate // the last one
	found                 []msl.Finding  // findings in the newest message
	card                  ReportCard
	emptyWorld, rawWorld  []byte // the empty worldstate; the last worldstate as received
}

// name returns the name of the side on pages.
func (s *seat) name() string {
	switch {
	case s.taken:
		return s.Name
	case s.side == game.Home:
		return "Home"
	}
	return "Away"
}

// maxLabel is the longest name in lists and on keys, in characters: longer ones take up the whole line.
const maxLabel = 18

// label returns the name of the side in lists and on keys: the team's name, or its short one if that is too long.
func (s *seat) label() string {
	if s.taken && utf8.RuneCountInString(s.Name) > maxLabel {
		return s.Short
	}
	return s.name()
}

// group returns the targetTeam of the side. A team whose base station is disconnected keeps its group; with RefBox 2.1
// it loses it.
func (s *seat) group() string {
	if s.taken {
		return s.Group
	}
	return freeGroup
}

// hand returns the RefBox's name for the side.
func (s *seat) hand() string {
	if s.side == game.Home {
		return "Left"
	}
	return "Right"
}

// assign gives the side to a team.
func (s *seat) assign(a Admission, host netip.Addr, cfg *Config) {
	s.Admission, s.host, s.taken = a, host, true
	s.card = noCard{}
	if cfg.NewCard != nil {
		s.card = cfg.NewCard(a.Name, cfg.Field)
	}
	s.emptyWorld = msl.EmptyWorldstate(a.Name)
}

// matches reports whether a connection comes from the team of the side, by the team table or by its address.
func (s *seat) matches(w *waiting) bool {
	if !s.taken {
		return false
	}
	return w.team.ID != 0 && s.ID == w.team.ID || s.host == host(w.addr)
}

// preferred reports whether s is a better seat than t for a base station that reconnects: the seat without a
// connection, then the one with its address, then the one that received a worldstate longer ago.
func (s *seat) preferred(t *seat, w *waiting) bool {
	from := host(w.addr)
	switch {
	case s.connected != t.connected:
		return !s.connected
	case (s.host == from) != (t.host == from):
		return s.host == from
	}
	return s.link.last < t.link.last
}

// waiting is a connection without a side. It has not been sent a byte.
type waiting struct {
	conn  ConnID
	addr  netip.AddrPort
	team  soccer.Team // team of its address; the zero Team if the table does not have it
	since soccer.Time

	contests bool // its team had a live base station on arrival
}

func host(a netip.AddrPort) netip.Addr { return a.Addr().Unmap().WithZone("") }

// refusal is the last closed connection of an address.
type refusal struct {
	addr string
	at   soccer.Time
	why  string

	byReferee soccer.Time // time of the referee's last refusal of the address; 0: never
}

// maxLines is how many lines about connections the journal takes in a second.
const maxLines = 20

// lineLimit limits the lines about connections that come and go.
type lineLimit struct{ written, omitted int }

// allow reports whether one more line may be written in this second.
func (c *lineLimit) allow() bool {
	if c.written < maxLines {
		c.written++
		return true
	}
	c.omitted++
	return false
}

// restart begins another second and returns the number of omitted lines.
func (c *lineLimit) restart() int {
	n := c.omitted
	*c = lineLimit{}
	return n
}

// The sampling grid (MSL World Model 2015, section 3): windows of 100 ms from a team's admission to the end of the
// game.
const (
	window  = 100 * time.Millisecond
	grace   = 50 * time.Millisecond // a worldstate takes this long from its socket to the box
	maxLate = 10 * time.Minute      // windows of a longer step, as after a clock change, are omitted
)

// grid holds a team's sampling windows.
type grid struct {
	on       bool
	end      soccer.Time // end of the oldest open window
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

// bit returns the bit of received for the window of a time, or 0 if that window is not open.
func (g *grid) bit(at soccer.Time) uint64 {
	begin := g.end.Add(-window)
	if n := at.Sub(begin) / window; g.on && at >= begin && n < 64 {
		return 1 << n
	}
	return 0
}

// lacks reports whether the window of a time is open and has no worldstate yet.
func (g *grid) lacks(at soccer.Time) bool { return g.bit(at)&^g.received != 0 }

// mark notes that the window of a time has a worldstate.
func (g *grid) mark(at soccer.Time) { g.received |= g.bit(at) }
