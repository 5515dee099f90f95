package vssnet

import (
	"time"

	"touchline/vss"
	"touchline/wire/firasim"
)

// lockstep holds a tick back until the teams have sent their commands.
//
// Over UDP a team's commands are there when each of the robots that it drives has got one: clients may send them one by
// one. At first those are all its robots; when it did not drive some of them until the wait was over, it is taken at its
// word and they are not waited for again. A call of Simulate brings the commands of a team whole.
type lockstep struct {
	on       bool
	expected [2]bool
	patience time.Duration // 0: for ever
	drives   [2]uint8      // the robots of each team that are waited for, by id
	got      [2]uint8      // those that got a command since the last tick
	whole    [2]bool       // a call brought them
	spoken   time.Time     // when the first came; the zero time: nobody spoke yet
	since    time.Time     // the last tick or repetition
	calls    []*call
}

// call is a call of Simulate that waits for its tick.
type call struct {
	env  firasim.Environment
	done chan struct{} // closed when env is there
}

func newLockstep(cfg Config) lockstep {
	s := lockstep{on: cfg.Lockstep[0] || cfg.Lockstep[1], patience: cfg.LockstepWait, drives: [2]uint8{0xff, 0xff}}
	for team := range s.expected {
		s.expected[team] = cfg.Lockstep[team] && !cfg.Builtin[team]
	}
	return s
}

// hear notes whose commands came. whole says that there will be no more of these teams for this tick; without any
// command it is then for all teams.
func (s *lockstep) hear(p *firasim.Packet, whole bool, now time.Time) {
	if s.spoken.IsZero() && (whole || len(p.Commands) > 0) {
		s.spoken = now
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

// missing reports whether commands of a team are waited for.
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

// waits reports whether commands of any team are waited for.
func (s *lockstep) waits(session *vss.Session) bool {
	return s.missing(0, session) || s.missing(1, session)
}

// wait returns how long it is to the next tick if nobody speaks, 0 for now.
func (s *lockstep) wait(now time.Time, session *vss.Session) time.Duration {
	if !s.waits(session) {
		return 0
	}
	again := s.again(now)
	if s.spoken.IsZero() || s.patience == 0 {
		return again
	}
	return min(max(s.spoken.Add(s.patience).Sub(now), 0), again)
}

// again returns how long it is until vision is repeated while nothing happens.
func (s *lockstep) again(now time.Time) time.Duration {
	return max(s.since.Add(repeatAfter).Sub(now), time.Millisecond)
}

// repeat reports whether vision is due again because nothing happens.
func (s *lockstep) repeat(now time.Time) bool {
	if now.Sub(s.since) < repeatAfter {
		return false
	}
	s.since = now
	return true
}

// ticked learns from who spoke for this tick, answers the calls, and begins to wait for the next.
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
	s.calls, s.got, s.whole, s.spoken = s.calls[:0], [2]uint8{}, [2]bool{}, time.Time{}
}
