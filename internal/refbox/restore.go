package refbox

import (
	"fmt"
	"net/netip"
	"time"

	"touchline/game"
	"touchline/soccer"
	"touchline/wire/msl"
)

// History is a game as a journal holds it.
type History struct {
	Began, Last soccer.Time // Last is the time of the newest state
	Decisions   []game.Decision
	Admissions  []Admission
	Verdicts    []game.Verdict
	Messages    []Record // records of both teams' channels, from Last less Lookback to Last plus Lookback
}

// Lookback is how long before the last state of a journal sampling windows can still be open.
const Lookback = 2 * time.Second

// Restore returns the box of a journal: the same game at its last time and the same teams, not connected. Messages sent
// by then are not sent again. The next call advances it to the present, because the game continued in the meantime. If
// a decision is refused, which only other rules can cause, the error names it and the box is not usable.
func Restore(cfg Config, p History) (*Box, error) {
	b := New(cfg, p.Began)
	g, err := game.Replay(cfg.Rules, b.began, p.Decisions)
	if err != nil {
		return nil, err
	}
	b.game, b.touched, b.restored = g, len(p.Admissions) > 0, true
	b.now = max(b.now, g.State().Time, min(p.Last, game.Latest))
	g.Tick(b.now)
	for i := range p.Admissions {
		a := &p.Admissions[i]
		if a.Side != game.Home && a.Side != game.Away {
			return nil, fmt.Errorf("refbox: admission %d: side %q is neither home nor away", i+1, a.Side)
		}
		if _, err := (&msl.Command{Name: msl.Welcome, TargetTeam: a.Group}).AppendBinary(nil); err != nil {
			return nil, fmt.Errorf("refbox: admission %d: %w", i+1, err)
		}
		s := b.seat(a.Side)
		*s = seat{side: s.side, channel: s.channel, emptyChannel: s.emptyChannel}
		if a.Gone {
			continue
		}
		host, _ := netip.ParseAddr(a.Addr) // an invalid address matches no base station
		s.assign(*a, host, &cfg)
	}
	for i := range p.Verdicts {
		v := &p.Verdicts[i]
		if why := b.malformed(v); why != "" {
			return nil, fmt.Errorf("refbox: verdict %d: %s", i+1, why)
		}
		b.verdicts[v.Decision] = *v
	}
	for i := range b.seats {
		b.restoreGrid(&b.seats[i], p.Messages)
	}
	return b, nil
}

// restoreGrid restores the sampling windows of a team that were open at the end of the journal.
func (b *Box) restoreGrid(s *seat, messages []Record) {
	if !s.taken || !b.InProgress() {
		return
	}
	s.openGrid(b.now.Add(-Lookback))
	for i := range messages {
		switch m := &messages[i]; m.Channel {
		case s.channel:
			if len(m.Data) > maxRead || kindOf(m.Data) != msl.KindWorldstate {
				continue
			}
			var err error
			s.found, err = s.world.Examine(s.found[:0], m.Data)
			if why, _ := b.dropped(s, m.Data); err == nil && why == "" {
				s.grid.mark(m.Time)
			}
		case s.emptyChannel:
			s.grid.mark(m.Time.Add(-1)) // the window is closed
		}
	}
	s.world = msl.Worldstate{}
}
