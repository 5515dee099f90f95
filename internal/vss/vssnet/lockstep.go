package vssnet

import (
	"time"

	"touchline/internal/vss"
	"touchline/wire/firasim"
)

// lockstep delays a tick until the teams have sent their commands.
//
// Over UDP the commands of a team are complete when each robot that it drives has one: clients may send them one by
// one. At first those are all robots of the team. When some of them get no command before the wait ends, later ticks do
// not wait for them. A call of Simulate has the complete commands of a team.
type lockstep struct {
	on       bool
	expected [2]bool       // ticks wait for the commands of blue, of yellow
	patience time.Duration // longest wait after the first commands; 0: no limit
	drives   [2]uint8      // robots of each team that ticks wait for, by id
	got      [2]uint8      // robots with a command since the last tick
	whole    [2]bool       // a call brought the complete commands
	first    time.Time     // arrival of the first commands for this tick; zero: none yet
	since    time.Time     // the last tick or repetition of vision
	calls    []*call
}

// call is a call of Simulate that waits for its tick.
type call struct {
	env  firasim.Environment
	done chan struct{} // closed when env is set
}

func newLockstep(cfg Config) lockstep {
	s := lockstep{on: cfg.Lockstep[0] || cfg.Lockstep[1], patience: cfg.LockstepWait, drives: [2]uint8{0xff, 0xff}}
	for team := range s.expected {
		s.expected[team] = cfg.Lockstep[team] && cfg.Builtin[team] == ""
	}
	return s
}

// note registers the commands of a packet. A whole packet has the complete commands of its teams for this tick; without
// commands it stands for all teams.
func (s *lockstep) note(p *firasim.Packet, whole bool, now time.Time) {
	if s.first.IsZero() && (whole || len(p.Commands) > 0) {
		s.first = now
	}
	if whole && len(p.Commands) == 0 {
		s.whole = [2]bool{true, true}
	}
	for i := range p.Commands {
		c, team := &p.Commands[i], 0
		if c.Yellow {
			team = 1
		}
		if c.ID < 8 {
			s.got[team] |= 1 << c.ID
		}
		s.whole[team] = s.whole[team] || whole
	}
}

// missing reports whether the tick waits for commands of a team.
func (s *lockstep) missing(team int, session *vss.Session) bool {
	if !s.expected[team] || s.whole[team] {
		return false
	}
	on := session.OnMask(team)
	need := s.drives[team] & on
	if need == 0 {
		need = on
	}
	return s.got[team]&need != need
}

// waits reports whether the tick waits for commands.
func (s *lockstep) waits(session *vss.Session) bool {
	return s.missing(0, session) || s.missing(1, session)
}

// wait returns the time to the next tick if no packet arrives, 0 for now.
func (s *lockstep) wait(now time.Time, session *vss.Session) time.Duration {
	if !s.waits(session) {
		return 0
	}
	repeat := s.untilRepeat(now)
	if s.first.IsZero() || s.patience == 0 {
		return repeat
	}
	return min(max(s.first.Add(s.patience).Sub(now), 0), repeat)
}

// untilRepeat returns the time until vision is repeated.
func (s *lockstep) untilRepeat(now time.Time) time.Duration {
	return max(s.since.Add(repeatAfter).Sub(now), time.Millisecond)
}

// repeatDue reports whether vision has to be repeated now, and starts the next interval.
func (s *lockstep) repeatDue(now time.Time) bool {
	if now.Sub(s.since) < repeatAfter {
		return false
	}
	s.since = now
	return true
}

// ticked learns which robots the teams drive, answers the calls, and prepares for the next tick.
func (s *lockstep) ticked(now time.Time, session *vss.Session) {
	s.since = now
	if !s.on {
		return
	}
	for team, got := range s.got {
		switch {
		case got == 0 || s.whole[team]:
		case s.missing(team, session):
			s.drives[team] = got
		default:
			if s.drives[team] != 0xff {
				s.drives[team] |= got
			}
		}
	}
	for _, c := range s.calls {
		env, _ := session.Vision()
		c.env = env.Clone()
		close(c.done)
	}
	s.calls, s.got, s.whole, s.first = s.calls[:0], [2]uint8{}, [2]bool{}, time.Time{}
}
