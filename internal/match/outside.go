package match

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"touchline/game"
	"touchline/internal/bounded"
	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/team"
)

// outside is the software of a robot in a program outside the session or match.
type outside struct {
	sense  team.Sense   // scratch
	driven soccer.Time  // when the newest motor command came; 0: never
	world  soccer.World // its newest belief
	known  bool         // world is set
}

// beliefFor is the time for which the belief of a robot outside counts.
const beliefFor = time.Second

// believe sets the newest belief.
func (o *outside) believe(w *soccer.World) {
	obstacles, peers := append(o.world.Obstacles[:0], w.Obstacles...), append(o.world.Peers[:0], w.Peers...)
	o.world, o.known = *w, true
	o.world.Obstacles, o.world.Peers = obstacles, peers
}

// belief sets w to the newest belief, with the ball where it is at now. It reports false if the robot has told none for
// beliefFor.
func (o *outside) belief(now soccer.Time, w *soccer.World) bool {
	age := now.Sub(o.world.Time)
	if !o.known || age > beliefFor {
		return false
	}
	obstacles, peers := append(w.Obstacles[:0], o.world.Obstacles...), append(w.Peers[:0], o.world.Peers...)
	*w = o.world
	w.Obstacles, w.Peers = obstacles, peers
	if b := &w.Ball; b.Known && age > 0 {
		b.Position.X += float64(b.Velocity.X * age.Seconds())
		b.Position.Y += float64(b.Velocity.Y * age.Seconds())
	}
	return true
}

// maxFormer is the number of former addresses that a session remembers.
const maxFormer = 32

// Join hands the robot of a jersey number to a program outside the session. Its percepts go to deliver, after
// the latency of its camera; the message is valid during the call only. The session's own software of this robot ends.
// Join refuses a robot that is not on the field or is switched off.
func (s *Session) Join(number uint8, deliver func(captured soccer.Time, m *team.Sense)) error {
	i := s.slot(number)
	if i < 0 {
		return errNotOnField(number)
	}
	if s.slots[i].off {
		return fmt.Errorf("match: robot %d is switched off", number)
	}
	if s.slots[i].robot != nil {
		s.stop(i)
	}
	o := new(outside)
	s.slots[i].outside = o
	s.Note("on", number, fmt.Sprintf("%d joined", number))
	s.report(number, "joined")
	u := &s.slots[i].unit
	return s.takePictures(i, func() bool { return u.outside == o }, func(sense *soccer.Sense) {
		s.setSense(u, sense, &o.sense)
		deliver(sense.Time, &o.sense)
	})
}

// Joined reports whether a program outside the session runs the robot of a jersey number.
func (s *Session) Joined(number uint8) bool {
	i := s.slot(number)
	return i >= 0 && s.slots[i].outside != nil
}

// Leave ends the part of a program outside the session. Its robot stays on the field without software.
func (s *Session) Leave(number uint8) {
	if i := s.slot(number); i >= 0 && s.slots[i].outside != nil {
		s.slots[i].outside, s.slots[i].mirrored = nil, false
		s.Release(number)
		s.Note("off", number, fmt.Sprintf("%d is silent", number))
		s.report(number, "silent")
	}
}

// Believe sets the belief of a robot outside the session, for its tile and its score. Its slices are copied.
func (s *Session) Believe(number uint8, w *soccer.World) {
	if i := s.slot(number); i >= 0 && s.slots[i].outside != nil {
		s.slots[i].outside.believe(w)
	}
}

// adopt binds the address of a package to the robot outside the session that it names. The robot's former address
// remains one of the session.
func (s *Session) adopt(p *soccer.Packet) {
	if s.Bound(p.From) || !s.cfg.Remote && !p.From.Addr().IsLoopback() {
		return
	}
	for i := range s.slots {
		if s.slots[i].outside == nil {
			continue
		}
		if _, err := mixedteam.Decode(p.Data, &s.header, &s.percepts); err != nil {
			return
		}
		if number := s.slots[i].number; s.header.Robot == number && s.header.Color == soccer.Cyan {
			s.former = bounded.Append(s.former, s.addrs[number], maxFormer)
			s.watcher.Forget(s.addrs[number]) // a robot has one row, also after its program started again
			s.Bind(number, p.From)
			return
		}
	}
}

// countPackage counts a package of a robot outside the session.
func (s *Session) countPackage(from netip.AddrPort) {
	for i := range s.slots {
		if at := &s.slots[i]; at.outside != nil && s.addrs[s.members[at.member].Number] == from {
			s.scores[at.member].Sent++
		}
	}
}

// player returns the robot of a side with a jersey number, nil without one.
func (m *Match) player(side game.Side, number uint8) *player {
	i := slices.IndexFunc(m.players, func(p player) bool { return p.side == side && p.number == number })
	if i < 0 {
		return nil
	}
	return &m.players[i]
}

// Believe notes the belief that a robot of an external team told in its debug record, which it held age ago.
func (m *Match) Believe(side game.Side, number uint8, age time.Duration, debug *team.Debug) {
	if p := m.player(side, number); p != nil && p.outside != nil {
		debug.World(m.now.Add(-max(age, 0)), &m.world)
		p.outside.believe(&m.world)
	}
}

// runs reports whether the software of a robot runs.
func (p *player) runs(now soccer.Time) bool {
	return p.robot != nil || p.outside != nil && p.outside.driven != 0 && now.Sub(p.outside.driven) <= robot.SilentFor
}

// Drive executes a motor command that a program outside sent for a robot of an external team. The robot keeps to it for
// 300 ms. The error names a robot that the match does not hand over, or a command that no robot can execute.
func (m *Match) Drive(side game.Side, number uint8, command *team.Motor) error {
	p := m.player(side, number)
	if p == nil || p.outside == nil {
		return fmt.Errorf("match: robot %d of %s: want a robot of an external team", number, side)
	}
	if err := m.drive(&p.unit, command); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	p.outside.driven = m.now
	return nil
}

// tellSenses hands a picture to the program outside, with the odometry of now.
func (m *Match) tellSenses(p *player, picture *soccer.Sense) {
	if m.tap.Sense == nil {
		return
	}
	dst := &p.outside.sense
	m.setSense(&p.unit, picture, dst)
	m.tap.Sense(p.side, p.number, m.now.Sub(picture.Time), dst)
}

// tellReferee hands the newest message of a station to the program outside that drives its team.
func (m *Match) tellReferee(side game.Side, message *team.Referee) {
	if !m.cfg.Team(side).External {
		return
	}
	for i := range m.players {
		if p := &m.players[i]; p.side == side {
			p.hearReferee(m.now, message)
		}
	}
	if m.tap.Referee != nil {
		m.tap.Referee(side, message)
	}
}
