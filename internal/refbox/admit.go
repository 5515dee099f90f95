package refbox

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"touchline/game"
	"touchline/internal/bounded"
	"touchline/soccer"
	"touchline/wire/msl"
)

// Limits of waiting connections; beyond them new ones are closed with the reason.
const (
	maxWaitingHost = 4  // connections of one address
	maxRefused     = 10 // listed on the page
)

// Connect adds a connection of a base station: the box admits it at once, closes it, or lets it wait for the referee.
func (b *Box) Connect(now soccer.Time, c ConnID, from netip.AddrPort) Effects {
	var e Effects
	b.advance(now, &e)
	w := waiting{conn: c, addr: from, team: soccer.TeamAt(b.cfg.Teams, from.Addr()), since: b.now}
	b.connectionLine(&e, "New BaseStation @ %s", host(from))
	if b.place(&w, true, &e) {
		b.placeWaiting(&e)
		return e
	}
	if why := b.queueFor(&w, &e); why != "" {
		b.close(&w, why, &e)
	} else {
		b.waiting = append(b.waiting, w)
	}
	return e
}

// place admits or closes a connection where that needs no referee, and reports whether it is done with it. A team that
// reconnects replaces its last connection at once, unless that one is alive and at another address: then it waits for
// the referee, or for the end of the other one. The exception is a possible second base station of a team that plays
// against itself: before the first half, with a side available, and from another machine or this one. While a side is
// available or its team disconnected, any connection may wait for it.
func (b *Box) place(w *waiting, arrives bool, e *Effects) bool {
	var mine *seat
	for i := range b.seats {
		s := &b.seats[i]
		if s.matches(w) && (mine == nil || s.preferred(mine, w)) {
			mine = s
		}
	}
	if mine != nil && !mine.connected {
		b.reconnect(mine, w, e)
		return true
	}
	var available *seat
	for i, expected := range [2]int{b.cfg.HomeID, b.cfg.AwayID} {
		s := &b.seats[i]
		switch {
		case s.taken:
		case w.team.ID != 0 && expected == w.team.ID:
			b.admit(s, w, w.team, e)
			return true
		case expected == 0:
			available = s
		}
	}
	switch {
	case mine != nil && available != nil && b.game.State().Part == game.PreGame &&
		(mine.host != host(w.addr) || mine.host.IsLoopback()):
		return false
	case mine != nil && mine.contests(w, b.now):
		return b.contest(mine, w, e)
	case mine != nil && (arrives || w.contests):
		b.reconnect(mine, w, e)
		return true
	case b.seats[0].connected && b.seats[1].connected:
		b.close(w, fmt.Sprintf("both sides are taken: %s and %s", b.seats[0].Name, b.seats[1].Name), e)
		return true
	}
	return false
}

// placeWaiting tries to place the waiting connections after the sides have changed.
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

// admit gives an available side to a team.
func (b *Box) admit(s *seat, w *waiting, row soccer.Team, e *Effects) {
	a := Admission{Time: b.now, Side: s.side, ID: row.ID, Name: row.Name, Short: row.Short, Group: row.Group(),
		Addr: host(w.addr).String()}
	if o := b.seat(s.side.Opponent()); o.taken && o.Group == a.Group {
		letter := " A"
		if s.side == game.Away {
			letter = " B"
		}
		a.Name, a.Group = a.Name+letter, a.Group+":1"
		short := strings.ToValidUTF8(a.Short[:min(len(a.Short), maxShort-len(letter))], "")
		a.Short = strings.TrimRight(short, " ") + letter
	}
	if !b.InProgress() {
		b.startGame(game.New(b.cfg.Rules, b.now), e)
		a.Time = b.now
	}
	b.touched = true
	*s = seat{side: s.side, channel: s.channel, emptyChannel: s.emptyChannel}
	s.assign(a, host(w.addr), &b.cfg)
	s.openGrid(b.now)
	e.Sync = true
	e.log(b.now, game.AdmissionsChannel, journalJSON(a))
	b.logLine(e, msl.Line{Text: fmt.Sprintf("Connection from %s accepted - %s", s.host, s.hand())})
	b.connect(s, w, e)
}

// reconnect replaces the connection of a team. The other team is not affected.
func (b *Box) reconnect(s *seat, w *waiting, e *Effects) {
	if s.connected {
		if s.alive(b.now) {
			s.replacedAlive = b.now
			if s.host != host(w.addr) {
				s.rival.addr, s.rival.seen = s.host, b.now
			}
		}
		e.Close = append(e.Close, Closing{s.conn, "the team connected again"})
		s.replaced = append(s.replaced, s.conn)
	}
	s.host = host(w.addr)
	b.connectionLine(e, "Connection from %s accepted - %s", s.host, s.hand())
	b.connect(s, w, e)
}

// connect gives a connection to a side and welcomes it.
func (b *Box) connect(s *seat, w *waiting, e *Effects) {
	s.conn, s.connected, s.aliveAt = w.conn, true, b.now
	s.link.reconnected()
	m := game.Message{Command: welcome, Side: s.side}
	data := b.encode(&m)
	state := b.game.State()
	e.log(b.now, game.CommandsChannel, data)
	b.logLine(e, b.eventLine(&m, &state, &state))
	e.Score = append(e.Score, b.scoreEvent(&m))
	burst := append(slices.Clone(data), 0)
	s.lastSent, s.lastSentAt = words[welcome].page, b.now
	if b.cfg.Resync {
		var sent []string
		for _, m := range state.Resync() {
			burst = append(append(burst, b.encode(&m)...), 0)
			s.lastSent = b.phrase(m.Command, m.Side, m.RobotID)
			sent = append(sent, b.wireText(&m))
		}
		if sent != nil {
			b.note(e, "%s is sent the state of the game: %s", s.Name, strings.Join(sent, ", "))
		}
	}
	e.Send = append(e.Send, Send{s.conn, burst, s.side})
}

// close rejects a connection (RefBox 2.1 closes it without a message, too).
func (b *Box) close(w *waiting, why string, e *Effects) {
	e.Close = append(e.Close, Closing{w.conn, why})
	r := refusal{addr: host(w.addr).String(), at: b.now, why: why}
	// One entry an address: many connections of one address hide no other.
	if i := slices.IndexFunc(b.refused, func(o refusal) bool { return o.addr == r.addr }); i >= 0 {
		r.byReferee = b.refused[i].byReferee
		b.refused = slices.Delete(b.refused, i, i+1)
	}
	b.refused = bounded.Append(b.refused, r, maxRefused)
	if w.team.ID == 0 {
		b.connectionLine(e, "ERR Unknteam (Attempt from %s)", host(w.addr))
	} else {
		b.connectionLine(e, "ERR Another team connecting (%s; Attempt from %s)", msl.LineText(w.team.Name), host(w.addr))
	}
	if b.limit.allow() {
		b.note(e, "%s was refused: %s", host(w.addr), why)
	}
}

// connectionLine writes a line about a connection, within the limit.
func (b *Box) connectionLine(e *Effects, format string, args ...any) {
	if b.limit.allow() {
		b.logLine(e, msl.Line{Text: fmt.Sprintf(format, args...)})
	}
}

// Disconnect removes a connection, all of whose messages were received. Closing a connection on behalf of the box has
// no further effect.
func (b *Box) Disconnect(now soccer.Time, c ConnID) Effects {
	var e Effects
	b.advance(now, &e)
	if s := b.of(c); s != nil {
		s.connected = false
		b.connectionLine(&e, "Team %s dropped", msl.LineText(s.Name))
		b.placeWaiting(&e)
	}
	for i := range b.seats {
		s := &b.seats[i]
		s.replaced = slices.DeleteFunc(s.replaced, func(o ConnID) bool { return o == c })
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(w waiting) bool { return w.conn == c })
	return e
}

// of returns the seat of a connection, nil if it has none.
func (b *Box) of(c ConnID) *seat {
	for i := range b.seats {
		if s := &b.seats[i]; s.connected && s.conn == c {
			return s
		}
	}
	return nil
}

// Admit gives a side to a waiting connection. If its address is not in the team table, it becomes the team expected on
// that side, otherwise a new team. On the side of a disconnected team it continues for that team, as a spare laptop
// does. After the end of a game another one begins. An error wraps game.ErrRefused.
func (b *Box) Admit(now soccer.Time, c ConnID, side game.Side) (Effects, error) {
	var e Effects
	b.advance(now, &e)
	i, err := b.waitingIndex(c)
	if err != nil {
		return e, err
	}
	s, err := b.seatOf(side)
	if err != nil {
		return e, err
	}
	w := b.waiting[i]
	switch {
	case s.taken && !s.connected:
		b.reconnect(s, &w, &e)
		s.Addr = s.host.String() // a restart admits it there
		e.Sync = true
		e.log(b.now, game.AdmissionsChannel, journalJSON(s.Admission))
	case s.matches(&w):
		b.reconnect(s, &w, &e)
	case s.taken:
		return e, fmt.Errorf("%w: %s has this side: release it first", game.ErrRefused, s.Name)
	default:
		b.admit(s, &w, b.teamFor(&w, side), &e)
	}
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.placeWaiting(&e)
	return e, nil
}

// waitingIndex returns the place of a waiting connection in the queue.
func (b *Box) waitingIndex(c ConnID) (int, error) {
	i := slices.IndexFunc(b.waiting, func(w waiting) bool { return w.conn == c })
	if i < 0 {
		return i, fmt.Errorf("%w: connection %d is not waiting", game.ErrRefused, c)
	}
	return i, nil
}

// teamFor returns the team that the referee admits a connection as.
func (b *Box) teamFor(w *waiting, side game.Side) soccer.Team {
	if w.team.ID != 0 {
		return w.team
	}
	expected := b.cfg.HomeID
	if side == game.Away {
		expected = b.cfg.AwayID
	}
	if row := TeamByID(b.cfg.Teams, expected); row.ID != 0 && b.seat(side.Opponent()).ID != row.ID {
		return row
	}
	// The ID of a team that the table lacks is that of its address 172.16.ID.*, or the highest one available.
	id := maxTeamID
	for id > minTeamID && (TeamByID(b.cfg.Teams, id).ID != 0 || b.seat(side.Opponent()).ID == id) {
		id--
	}
	if a := host(w.addr).As16(); host(w.addr).Is4() && a[12] == 172 && a[13] == 16 && a[14] >= minTeamID &&
		a[14] <= maxTeamID && TeamByID(b.cfg.Teams, int(a[14])).ID == 0 {
		id = int(a[14])
	}
	return soccer.Team{ID: id, Name: fmt.Sprintf("Team %d", id), Short: fmt.Sprintf("Team %d", id)}
}

// refusedByReferee is the reason for closing a connection that the referee refused.
const refusedByReferee = "the referee refused it"

// Refuse closes a waiting connection that the referee refuses. An error wraps game.ErrRefused.
func (b *Box) Refuse(now soccer.Time, c ConnID) (Effects, error) {
	var e Effects
	b.advance(now, &e)
	i, err := b.waitingIndex(c)
	if err != nil {
		return e, err
	}
	w := b.waiting[i]
	b.waiting = slices.Delete(b.waiting, i, i+1)
	b.close(&w, refusedByReferee, &e)
	b.refused[len(b.refused)-1].byReferee = b.now
	return e, nil
}

// Release makes a side available before the first half or after the end; then another game begins. The team is not
// expected there any more. An error wraps game.ErrRefused.
func (b *Box) Release(now soccer.Time, side game.Side) (Effects, error) {
	var e Effects
	b.advance(now, &e)
	s, err := b.seatOf(side)
	switch {
	case err != nil:
		return e, err
	case !s.taken:
		return e, fmt.Errorf("%w: no team has the %s side", game.ErrRefused, side)
	case b.game.State().Part != game.PreGame && b.game.State().Part != game.End:
		return e, fmt.Errorf("%w: the game is not over: release a side before the first half or after the end",
			game.ErrRefused)
	}
	a, left := s.Admission, *s
	*s = seat{side: s.side, channel: s.channel, emptyChannel: s.emptyChannel}
	if b.InProgress() {
		a.Time, a.Gone = b.now, true
		e.log(b.now, game.AdmissionsChannel, journalJSON(a))
	} else {
		b.startGame(game.New(b.cfg.Rules, b.now), &e)
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

// sidesFor returns the sides that the referee may give to a waiting connection.
func (b *Box) sidesFor(w *waiting) []game.Side {
	sides := []game.Side{}
	for i := range b.seats {
		if s := &b.seats[i]; !s.connected || s.matches(w) {
			sides = append(sides, s.side)
		}
	}
	return sides
}
