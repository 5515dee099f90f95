package match

import (
	"net/netip"
	"slices"
	"time"

	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// Radio is the team communication (TCM) of the robots whose software runs in the session. Virtual has one in memory;
// package matchnet opens sockets.
type Radio interface {
	// Start starts the node of a robot that is switched on. Its messages go to r.
	Start(number uint8, r *robot.Robot) error
	// Send sends a message of a robot whose node was started. It keeps nothing of m.
	Send(number uint8, m *robot.Message)
	// Stop ends the node of a robot that is switched off or replaced.
	Stop(number uint8)
	// Refer sends the state of the game from the team's station to all robots.
	Refer(m *team.Referee)
	// Reports returns what the nodes measured.
	Reports() []teamcom.Report
}

// NodeName returns the name of a node in its reports: a robot's team, the base station or the field.
func NodeName(e tcm.Entity) string {
	switch e {
	case robot.Station:
		return "base station"
	case robot.Field:
		return "field"
	}
	for _, p := range Participants() {
		if e == (tcm.Entity{Kind: tcm.Robot, ID: p.Number}) {
			return p.Team
		}
	}
	return ""
}

// Reports returns what the nodes of the TCM measured.
func (s *Session) Reports() []teamcom.Report {
	if s.radio == nil {
		return nil
	}
	return s.radio.Reports()
}

// Connect lets the robots talk over a radio. It is called once, before Advance.
func (s *Session) Connect(radio Radio) error {
	s.radio = radio
	var repeat func()
	repeat = func() {
		s.refer()
		s.afterStill(refereePeriod, repeat)
	}
	repeat()
	for i := range s.slots {
		if err := s.connect(i); err != nil {
			return err
		}
	}
	if s.penalised != 0 {
		s.refer() // robots that are held back from the begin hear it before they book the ball
	}
	return nil
}

// connect starts the node of a slot's robot, and schedules its messages.
func (s *Session) connect(i int) error {
	r, number := s.slots[i].robot, s.slots[i].number
	if s.radio == nil || r == nil {
		return nil
	}
	if err := s.radio.Start(number, r); err != nil {
		return err
	}
	send := func(m *robot.Message) { s.radio.Send(number, m) }
	var talk func()
	talk = func() {
		if s.slots[i].robot != r {
			return // switched off or replaced
		}
		r.Messages(s.now, send)
		s.afterStill(r.MessagesDue().Sub(s.now), talk)
	}
	s.afterStill(max(r.MessagesDue().Sub(s.now), 0), talk)
	return nil
}

// disconnect ends the node of a slot's robot.
func (s *Session) disconnect(i int) {
	if s.radio != nil && s.slots[i].robot != nil {
		s.radio.Stop(s.slots[i].number)
	}
}

// TCMDelays returns the delays of the copies of the next datagram of the TCM from an entity at an address to another one,
// none if it is lost.
func (s *Session) TCMDelays(from tcm.Entity, at netip.AddrPort, to tcm.Entity) []time.Duration {
	return slices.Clone(s.links.next(0, placeOf(from), placeOf(to), link{at, linkID(to)}))
}

// placeOf returns the place of an entity among the robots and computers.
func placeOf(e tcm.Entity) uint8 {
	if e.Kind == tcm.Robot {
		return e.ID
	}
	return computer
}

// Apart returns the robots of which nothing reaches a robot because of the partition.
func (s *Session) Apart(number uint8) (set soccer.RobotSet) {
	for n := uint8(1); n <= maxMembers; n++ {
		if s.links.parted(0, number, n) {
			set = set.With(n)
		}
	}
	return set
}

// sends returns the number of the robot that sends packages from an address, 0 for others.
func (s *Session) sends(from netip.AddrPort) uint8 {
	for number := uint8(1); number <= maxMembers; number++ {
		if s.addrs[number] == from {
			return number
		}
	}
	return 0
}

// Virtual returns a session in virtual time: Advance runs it, and each datagram reaches its receivers through the
// session's Link, 0.3 ms after it was sent: a package every other robot and the monitor, a datagram of the TCM its
// destination. The same Config gives the same session on every machine. If tap is not nil, it is called with each
// datagram at the time of its arrival; the bytes are valid during the call only.
func Virtual(cfg Config, tap func(*soccer.Packet)) (*Session, error) {
	if tap == nil {
		tap = func(*soccer.Packet) {}
	}
	var s *Session
	s, err := New(cfg, func(number uint8, b []byte) {
		p := soccer.Packet{Time: s.now.Add(airTime), Channel: cfg.Group, From: s.addrs[number], Data: b}
		tap(&p)
		s.Deliver(Monitor, &p)
		for i := range s.members {
			s.Deliver(s.members[i].Number, &p)
		}
	})
	if err != nil || cfg.NoTCM {
		return s, err
	}
	radio, err := newVirtualRadio(s, tap)
	if err != nil {
		return nil, err
	}
	return s, s.Connect(radio)
}

// TeamNumber is the number of the session's team in the TCM.
const TeamNumber = 1
