package match

import (
	"fmt"
	"net/netip"
	"time"

	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/wire/team"
)

// outside is a robot whose software runs outside the session.
type outside struct {
	sense team.Sense   // scratch
	world soccer.World // its newest belief
	known bool         // world is set
}

// beliefFor is the time for which a tile shows the belief of a robot outside the session.
const beliefFor = time.Second

// maxFormer is the number of former addresses that a session remembers.
const maxFormer = 32

// Join hands the robot of a jersey number to a program outside the session. What the robot senses goes to deliver, after
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
	s.mark("on", number, fmt.Sprintf("%d joined", number))
	s.report(number, "joined")
	m := &s.members[s.slots[i].member]
	return s.takePictures(m, func() bool { return s.slots[i].outside == o }, func(sense *soccer.Sense) {
		s.setSense(&o.sense, m, sense)
		deliver(sense.Time, &o.sense)
	})
}

// setSense sets dst to what a participant's robot senses: a picture and its odometry.
func (s *Session) setSense(dst *team.Sense, m *Participant, picture *soccer.Sense) {
	dst.Battery, dst.Motor, dst.HasOdometry = team.Unknown, s.executed[m.Number], true
	dst.SetOdometry(s.travel(m.Number), picture.Self.Twist, picture.Self.Pose.Theta)
	dst.Percepts.SetSense(picture)
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
		s.release(number)
		s.mark("off", number, fmt.Sprintf("%d is silent", number))
		s.report(number, "silent")
	}
}

// Believe sets the belief of a robot outside the session, for its tile and its score. Its slices are copied.
func (s *Session) Believe(number uint8, w *soccer.World) {
	i := s.slot(number)
	if i < 0 || s.slots[i].outside == nil {
		return
	}
	o := s.slots[i].outside
	obstacles, peers := append(o.world.Obstacles[:0], w.Obstacles...), append(o.world.Peers[:0], w.Peers...)
	o.world, o.known = *w, true
	o.world.Obstacles, o.world.Peers = obstacles, peers
}

// belief writes the newest belief of a robot outside the session to w, with the ball where it is at now. It reports
// false if the robot sent none lately.
func (o *outside) belief(now soccer.Time, w *soccer.World) bool {
	age := now.Sub(o.world.Time)
	if !o.known || age > beliefFor {
		return false
	}
	*w = o.world
	if b := &w.Ball; b.Known && age > 0 {
		b.Position.X += float64(b.Velocity.X * age.Seconds())
		b.Position.Y += float64(b.Velocity.Y * age.Seconds())
	}
	return true
}

// adopt binds the address of a package to the robot outside the session that it names. The robot's former address
// remains one of the session.
func (s *Session) adopt(p *soccer.Packet) {
	if s.Bound(p.From) || !p.From.Addr().IsLoopback() {
		return
	}
	for i := range s.slots {
		if s.slots[i].outside == nil {
			continue
		}
		if _, err := mixedteam.Decode(p.Data, &s.header, &s.percepts); err != nil {
			return
		}
		if number := s.members[s.slots[i].member].Number; s.header.Robot == number && s.header.Color == soccer.Cyan {
			if len(s.former) == maxFormer {
				s.former = s.former[1:]
			}
			s.former = append(s.former, s.addrs[number])
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
