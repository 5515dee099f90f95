package refbox

import (
	"fmt"
	"net/netip"
	"time"

	"touchline/soccer"
	"touchline/wire/msl"
)

const (
	// A base station that sent something within this time is alive: another one waits for the referee.
	aliveFor = time.Second
	// Two base stations of one team are reported for this time after the last sign of them, and a base station that
	// replaced a live one at the same address keeps its side against the next one for this time.
	rivalFor = 10 * time.Second
	// The referee's refusal of a second base station holds for this time: it connects again at once.
	refusedFor = 10 * time.Second
)

// rival is another base station of a team that has a live one.
type rival struct {
	addr   netip.Addr
	seen   soccer.Time // 0: never
	logged soccer.Time // time of the last line about one in the log
}

// markAlive notes that a connection sent something.
func (b *Box) markAlive(c ConnID) {
	if s := b.of(c); s != nil {
		s.aliveAt = b.now
	}
}

// alive reports whether the base station of a side sent something within the last second.
func (s *seat) alive(now soccer.Time) bool { return s.connected && now.Sub(s.aliveAt) <= aliveFor }

// contests reports whether a connection of the team has to wait for the referee: another base station is alive. At the
// same address it replaces that one at once, because a client that restarts may leave a half-open connection behind; a
// third connection within 10 s is of a second program.
func (s *seat) contests(w *waiting, now soccer.Time) bool {
	return s.alive(now) && (s.host != host(w.addr) || s.replacedAlive != 0 && now.Sub(s.replacedAlive) <= rivalFor)
}

// contest lets a second base station wait, or closes it if the referee has just refused it. It reports whether the
// connection is closed.
func (b *Box) contest(s *seat, w *waiting, e *Effects) (closed bool) {
	if !w.contests {
		w.contests = true
		b.noteRival(s, host(w.addr), e)
	}
	for i := range b.refused {
		if r := &b.refused[i]; r.addr == host(w.addr).String() && r.byReferee != 0 &&
			b.now.Sub(r.byReferee) <= refusedFor {
			b.close(w, refusedByReferee, e)
			return true
		}
	}
	return false
}

// noteRival notes that a team has a second base station at an address. The log names it once, and of many addresses one
// every 10 s.
func (b *Box) noteRival(s *seat, other netip.Addr, e *Effects) {
	known := b.rivalText(s) != "" && (s.rival.addr == other || b.now.Sub(s.rival.logged) <= rivalFor)
	s.rival.addr, s.rival.seen = other, b.now
	if !known {
		s.rival.logged = b.now
		b.logLine(e, msl.Line{Text: msl.LineText(b.rivalText(s))})
	}
}

// rivalText describes the second base station of a side, a waiting one or the last one; "": there is none.
func (b *Box) rivalText(s *seat) string {
	var other netip.Addr
	if s.rival.seen != 0 && b.now.Sub(s.rival.seen) <= rivalFor {
		other = s.rival.addr
	}
	for i := range b.waiting {
		if w := &b.waiting[i]; w.contests && s.matches(w) {
			other = host(w.addr)
			break
		}
	}
	switch {
	case !s.taken || !other.IsValid():
		return ""
	case other == s.host:
		return fmt.Sprintf("two programs at %s connect as %s: stop one of them", s.host, s.Name)
	}
	return fmt.Sprintf("%s connects from two addresses: %s and %s: stop one of the two base stations", s.Name, s.host, other)
}

// contested returns the address of the base station that a waiting connection would replace; "": none.
func (b *Box) contested(w *waiting) string {
	for i := range b.seats {
		if s := &b.seats[i]; w.contests && s.connected && s.matches(w) {
			return s.host.String()
		}
	}
	return ""
}

// queueFor makes room for a connection in the queue and returns "", or why there is none. A team of the table takes the
// place of an unknown connection, then that of a team with more connections.
func (b *Box) queueFor(w *waiting, e *Effects) string {
	same := 0
	for i := range b.waiting {
		if host(b.waiting[i].addr) == host(w.addr) {
			same++
		}
	}
	switch {
	case same >= maxWaitingHost:
		return fmt.Sprintf("%d connections from this address are waiting already", same)
	case len(b.waiting) < b.cfg.MaxWaiting:
		return ""
	}
	i := b.displaceable(w)
	if i < 0 {
		return fmt.Sprintf("%d connections are waiting already", len(b.waiting))
	}
	other := b.waiting[i]
	b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
	b.close(&other, fmt.Sprintf("%d connections are waiting, and %s takes its place", b.cfg.MaxWaiting, w.team.Name), e)
	return ""
}

// displaceable returns the index of the newest waiting connection whose place w takes; -1: none.
func (b *Box) displaceable(w *waiting) int {
	if w.team.ID == 0 {
		return -1
	}
	count := map[int]int{}
	for i := range b.waiting {
		count[b.waiting[i].team.ID]++
	}
	victim := -1
	for i := range b.waiting {
		id := b.waiting[i].team.ID
		if id == 0 && count[0] > 0 {
			victim = i
			continue
		}
		if count[0] == 0 && count[id] > count[w.team.ID]+1 && (victim < 0 ||
			count[id] >= count[b.waiting[victim].team.ID]) {
			victim = i
		}
	}
	return victim
}
