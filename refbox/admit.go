package refbox

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"touchline/game"
	"touchline/reportcard"
	"touchline/soccer"
	"touchline/wire/msl"
)

// Bounds of connections that nobody has taken in: more are closed with a reason.
const (
	mostWaiting     = 250
	mostWaitingHost = 4  // of one address
	mostRefused     = 10 // that the page lists
	mostLines       = 20 // about connections in the log in a second
)

// seat is one side, and who has it.
type seat struct {
	Admission          // without meaning while nobody has it
	side               game.Side
	channel, empties   string // of the journal
	taken              bool
	host               netip.Addr // of its base station
	connected          bool
	conn               ConnID
	before             []ConnID // connections that it replaced: what was read of them is the team's, until they are gone
	told               string   // what it was last sent, in words
	toldAt             soccer.Time
	health             health
	grid               grid
	world              msl.Worldstate // the last one
	found              []msl.Finding  // in the last message
	card               *reportcard.Card
	emptyData, rawData []byte // the empty structure; the last worldstate as it came
}

// waiting is a connection that has no side yet, and has not been sent a byte.
type waiting struct {
	conn  ConnID
	addr  netip.AddrPort
	row   soccer.Team // whose address it is
	since soccer.Time
}

// refusal is the last connection of an address that was closed.
type refusal struct {
	addr string
	at   soccer.Time
	why  string
}

// chatter bounds what connections that come and go can write into the log.
type chatter struct{ phrase, left int }

// may reports whether one line more may be written in this second.
func (c *chatter) may() bool {
	if c.phrase < mostLines {
		c.phrase++
		return true
	}
	c.left++
	return false
}

// next begins another second, and returns how many lines the last one left out.
func (c *chatter) next() int {
	n := c.left
	*c = chatter{}
	return n
}

// name returns what a page calls the side.
func (s *seat) name() string {
	switch {
	case s.taken:
		return s.Name
	case s.side == game.Home:
		return "Home"
	}
	return "Away"
}

// group returns what the wire calls the side. A team whose base station is away keeps its group, other than with the
// RefBox 2.1 (facts msl 1.8).
func (s *seat) group() string {
	if s.taken {
		return s.Group
	}
	return nobodysGroup
}

// hand returns what the RefBox's log calls the side.
func (s *seat) hand() string {
	if s.side == game.Home {
		return "Left"
	}
	return "Right"
}

// take gives the side to a team.
func (s *seat) take(a Admission, host netip.Addr, field soccer.Field) {
	s.Admission, s.host, s.taken = a, host, true
	s.card = reportcard.New(a.Name, field)
	s.emptyData = msl.EmptyWorldstate(a.Name)
}

// has reports whether the side is that of the team that a connection comes from: by the table, or by its address.
func (s *seat) has(w *waiting) bool {
	if !s.taken {
		return false
	}
	return w.row.ID != 0 && s.ID == w.row.ID || s.host == host(w.addr)
}

func host(a netip.AddrPort) netip.Addr { return a.Addr().Unmap().WithZone("") }

// Connect takes notice of a base station. It is taken in at once, or closed, or it waits for the referee.
func (b *Box) Connect(now soccer.Time, c ConnID, from netip.AddrPort) Effects {
	var e Effects
	b.advance(now, &e)
	w := waiting{c, from, teamAt(b.cfg.Teams, from.Addr()), b.now}
	b.chatLine(&e, "New BaseStation @ %s", host(from))
	if b.place(&w, true, &e) {
		b.placeWaiting(&e)
		return e
	}
	same := 0
	for i := range b.waiting {
		if host(b.waiting[i].addr) == host(from) {
			same++
		}
	}
	switch {
	case same >= mostWaitingHost:
		b.close(&w, fmt.Sprintf("%d connections of this address wait already", same), &e)
	case len(b.waiting) >= mostWaiting:
		b.close(&w, fmt.Sprintf("%d connections wait already", len(b.waiting)), &e)
	default:
		b.waiting = append(b.waiting, w)
	}
	return e
}

// place does with a connection what needs no referee, and reports whether it waits no longer. A team that comes back
// takes the place of its last connection at once, dead or, as it arrives, alive, unless it could be the second base
// station of a game of one team against itself: that is before the first half, with a side free, from another machine or
// on this one. While a side is free or its team is away, anybody may wait for it.
func (b *Box) place(w *waiting, arrives bool, e *Effects) bool {
	var mine *seat
	for i := range b.seats {
		s := &b.seats[i]
		if s.has(w) && (mine == nil || s.preferred(mine, w)) {
			mine = s
		}
	}
	if mine != nil && !mine.connected {
		b.replace(mine, w, e)
		return true
	}
	var free *seat
	for i, expected := range [2]int{b.cfg.HomeID, b.cfg.AwayID} {
		s := &b.seats[i]
		switch {
		case s.taken:
		case w.row.ID != 0 && expected == w.row.ID:
			b.admit(s, w, w.row, e)
			return true
		case expected == 0:
			free = s
		}
	}
	switch {
	case mine != nil && free != nil && b.game.State().Part == game.PreGame && (mine.host != host(w.addr) || mine.host.IsLoopback()):
		return false
	case mine != nil && arrives:
		b.replace(mine, w, e)
		return true
	case b.seats[0].connected && b.seats[1].connected:
		b.close(w, fmt.Sprintf("both sides are taken, by %s and %s", b.seats[0].Name, b.seats[1].Name), e)
		return true
	}
	return false
}

// preferred reports whether of two sides that a connection could come back to it is s rather than t: the one without a
// base station, then the one from its address, then the one that was heard longer ago.
func (s *seat) preferred(t *seat, w *waiting) bool {
	from := host(w.addr)
	switch {
	case s.connected != t.connected:
		return !s.connected
	case (s.host == from) != (t.host == from):
		return s.host == from
	}
	return s.health.last < t.health.last
}

// placeWaiting looks at those that wait once more, since the sides have changed.
func (b *Box) placeWaiting(e *Effects) {
	for again := true; again; {
		again = false
		for i := range b.waiting {
			w := b.waiting[i]
			if b.place(&w, false, e) {
				b.waiting = slices.Delete(b.waiting, i, i+1)
				again = true
				break
			}
		}
	}
}

// admit gives a free side to a team.
func (b *Box) admit(s *seat, w *waiting, row soccer.Team, e *Effects) {
	a := Admission{Time: b.now, Side: s.side, ID: row.ID, Name: row.Name, Short: row.Short, Group: row.Group(), Addr: host(w.addr).String()}
	if o := b.seat(s.side.Opponent()); o.taken && o.Group == a.Group {
		letter := " A"
		if s.side == game.Away {
			letter = " B"
		}
		a.Name, a.Group = a.Name+letter, a.Group+":1" // facts msl 1.2
		short := strings.ToValidUTF8(a.Short[:min(len(a.Short), mostShort-len(letter))], "")
		a.Short = strings.TrimRight(short, " ") + letter
	}
	if !b.InProgress() {
		b.begin(game.New(b.cfg.Rules, b.now), e)
		a.Time = b.now
	}
	b.touched = true
	*s = seat{side: s.side, channel: s.channel, empties: s.empties}
	s.take(a, host(w.addr), b.cfg.Field)
	s.openGrid(b.now)
	e.Sync = true
	e.log(b.now, game.AdmissionsChannel, journalJSON(a))
	b.logLine(e, msl.Line{Text: fmt.Sprintf("Connection from %s accepted - %s", s.host, s.hand())})
	b.connect(s, w, e)
}

// replace puts a connection in the place of the team's last one. Nobody else hears of it.
func (b *Box) replace(s *seat, w *waiting, e *Effects) {
	if s.connected {
		e.Close = append(e.Close, Closing{s.conn, "the team connected again"})
		s.before = append(s.before, s.conn)
	}
	s.host = host(w.addr)
	b.chatLine(e, "Connection from %s accepted - %s", s.host, s.hand())
	b.connect(s, w, e)
}

// connect makes a connection that of a side and welcomes it.
func (b *Box) connect(s *seat, w *waiting, e *Effects) {
	s.conn, s.connected = w.conn, true
	s.health.reconnected()
	m := game.Message{Command: welcome, Side: s.side}
	data := b.encode(&m)
	state := b.game.State()
	e.log(b.now, game.CommandsChannel, data)
	b.logLine(e, b.eventLine(&m, &state, &state))
	e.Score = append(e.Score, b.scoreEvent(&m))
	burst := append(slices.Clone(data), 0)
	s.told, s.toldAt = words[welcome].page, b.now
	if b.cfg.Resync {
		var said []string
		for _, m := range state.Resync() {
			burst = append(append(burst, b.encode(&m)...), 0)
			s.told = b.phrase(m.Command, m.Side, m.RobotID)
			said = append(said, b.wireText(&m))
		}
		if said != nil {
			b.note(e, "%s is told where the game is: %s", s.Name, strings.Join(said, ", "))
		}
	}
	e.Send = append(e.Send, Send{s.conn, burst})
}

// close turns a connection away. Nobody else hears of it (facts msl 1.8).
func (b *Box) close(w *waiting, why string, e *Effects) {
	e.Close = append(e.Close, Closing{w.conn, why})
	from := host(w.addr).String()
	b.refused = slices.DeleteFunc(b.refused, func(r refusal) bool { return r.addr == from }) // a crowd hides nobody else
	if len(b.refused) == mostRefused {
		b.refused = slices.Delete(b.refused, 0, 1)
	}
	b.refused = append(b.refused, refusal{from, b.now, why})
	if w.row.ID == 0 {
		b.chatLine(e, "ERR Unknteam (Attempt from %s)", host(w.addr))
	} else {
		b.chatLine(e, "ERR Another team connecting (%s; Attempt from %s)", plain(w.row.Name), host(w.addr))
	}
	if b.chat.may() {
		b.note(e, "%s was refused: %s", host(w.addr), why)
	}
}

// chatLine writes a line about a connection, unless they come too fast.
func (b *Box) chatLine(e *Effects, format string, args ...any) {
	if b.chat.may() {
		b.logLine(e, msl.Line{Text: fmt.Sprintf(format, args...)})
	}
}

// Disconnect takes notice that a connection is gone, and nothing more comes that was read of it. One that the box itself
// has closed matters to nobody else.
func (b *Box) Disconnect(now soccer.Time, c ConnID) Effects {
	var e Effects
	b.advance(now, &e)
	if s := b.of(c); s != nil {
		s.connected = false
		b.chatLine(&e, "Team %s dropped", plain(s.Name))
		b.placeWaiting(&e)
	}
	for i := range b.seats {
		s := &b.seats[i]
		s.before = slices.DeleteFunc(s.before, func(o ConnID) bool { return o == c })
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(w waiting) bool { return w.conn == c })
	return e
}

// of returns the side whose base station has a connection; nil: none has.
func (b *Box) of(c ConnID) *seat {
	for i := range b.seats {
		if s := &b.seats[i]; s.connected && s.conn == c {
			return s
		}
	}
	return nil
}

// Admit gives a side to a connection that waits. A base station whose address the table does not know becomes the team
// that is expected on that side, else one of its own; one that is given the side of a team that is away, as a spare laptop
// is, becomes that team's. After the end of a game another one begins. An error wraps ErrRefused.
func (b *Box) Admit(now soccer.Time, c ConnID, side game.Side) (Effects, error) {
	var e Effects
	b.advance(now, &e)
	i := slices.IndexFunc(b.waiting, func(w waiting) bool { return w.conn == c })
	if i < 0 {
		return e, fmt.Errorf("%w: connection %d does not wait", game.ErrRefused, c)
	}
	if side != game.Home && side != game.Away {
		return e, fmt.Errorf("%w: side %q is neither home nor away", game.ErrRefused, side)
	}
	w, s := b.waiting[i], b.seat(side)
	switch {
	case s.taken && !s.connected:
		b.replace(s, &w, &e)
		s.Addr = s.host.String() // a restart knows it again
		e.Sync = true
		e.log(b.now, game.AdmissionsChannel, journalJSON(s.Admission))
	case s.has(&w):
		b.replace(s, &w, &e)
	case s.taken:
		return e, fmt.Errorf("%w: %s has this side: release it first", game.ErrRefused, s.Name)
	default:
		b.admit(s, &w, b.rowFor(&w, side), &e)
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.placeWaiting(&e)
	return e, nil
}

// rowFor returns as which team the referee takes a connection in.
func (b *Box) rowFor(w *waiting, side game.Side) soccer.Team {
	if w.row.ID != 0 {
		return w.row
	}
	expected := b.cfg.HomeID
	if side == game.Away {
		expected = b.cfg.AwayID
	}
	if row := TeamByID(b.cfg.Teams, expected); row.ID != 0 && b.seat(side.Opponent()).ID != row.ID {
		return row
	}
	// The league's scheme of addresses tells the number of a team that the table lacks; else the highest one that it lacks.
	id := mostTeamID
	for id > leastTeamID && (TeamByID(b.cfg.Teams, id).ID != 0 || b.seat(side.Opponent()).ID == id) {
		id--
	}
	if a := host(w.addr).As16(); host(w.addr).Is4() && a[12] == 172 && a[13] == 16 && a[14] >= leastTeamID && a[14] <= mostTeamID && TeamByID(b.cfg.Teams, int(a[14])).ID == 0 {
		id = int(a[14])
	}
	return soccer.Team{ID: id, Name: fmt.Sprintf("Team %d", id), Short: fmt.Sprintf("Team %d", id)}
}

// Refuse closes a connection that waits; why is for the page, "" the referee's word. An error wraps ErrRefused.
func (b *Box) Refuse(now soccer.Time, c ConnID, why string) (Effects, error) {
	var e Effects
	b.advance(now, &e)
	i := slices.IndexFunc(b.waiting, func(w waiting) bool { return w.conn == c })
	if i < 0 {
		return e, fmt.Errorf("%w: connection %d does not wait", game.ErrRefused, c)
	}
	if why == "" {
		why = "the referee refused it"
	}
	w := b.waiting[i]
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.close(&w, why, &e)
	return e, nil
}

// Release takes a side from its team, before the first half or after the end: then another game begins. The team is
// expected there no longer. An error wraps ErrRefused.
func (b *Box) Release(now soccer.Time, side game.Side) (Effects, error) {
	var e Effects
	b.advance(now, &e)
	s := b.seat(side)
	switch {
	case side != game.Home && side != game.Away:
		return e, fmt.Errorf("%w: side %q is neither home nor away", game.ErrRefused, side)
	case !s.taken:
		return e, fmt.Errorf("%w: nobody has the %s side", game.ErrRefused, side)
	case b.game.State().Part != game.PreGame && b.game.State().Part != game.End:
		return e, fmt.Errorf("%w: a game is on: a team leaves before the first half or after the end", game.ErrRefused)
	}
	a, left := s.Admission, *s
	*s = seat{side: s.side, channel: s.channel, empties: s.empties}
	if b.InProgress() {
		a.Time, a.Gone = b.now, true
		e.log(b.now, game.AdmissionsChannel, journalJSON(a))
	} else {
		b.begin(game.New(b.cfg.Rules, b.now), &e)
	}
	e.Sync = true
	b.note(&e, "%s was released from the %s side", a.Name, side)
	if left.connected {
		e.Close = append(e.Close, Closing{left.conn, "the referee released the side"})
	}
	if side == game.Home {
		b.cfg.HomeID = 0
	} else {
		b.cfg.AwayID = 0
	}
	b.placeWaiting(&e)
	return e, nil
}

// sidesFor returns the sides that a connection that waits may be given.
func (b *Box) sidesFor(w *waiting) []game.Side {
	sides := []game.Side{}
	for i := range b.seats {
		if s := &b.seats[i]; !s.connected || s.has(w) {
			sides = append(sides, s.side)
		}
	}
	return sides
}
