package matchnet

import (
	"net/netip"
	"slices"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/transport/traffic"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// openField opens the node of the field: robots in processes of their own join with a request for the directory or with
// a motor command, and leave by silence. The field knows each robot by the address that its datagrams come from.
func (t *teamNodes) openField() error {
	own := t.directory
	own.Entries = slices.Clone(own.Entries)
	for i := range own.Entries {
		if e := &own.Entries[i]; e.Entity.Kind == tcm.Robot {
			e.Addr, e.Learn = netip.AddrPort{}, true
		}
	}
	var err error
	if t.field, err = t.open(robot.Field, "", &own); err != nil {
		return err
	}
	t.others = append(t.others, t.field)
	field := t.field.Module(tcm.Field)
	teamcom.Handle(field, t.onDirectory)
	teamcom.Handle(field, t.onMotor)
	teamcom.Handle(field, t.onDebug)
	teamcom.Handle(field, t.onScene)
	t.run(t.ctx, t.field)
	return nil
}

// onDirectory answers a robot's request for the directory. The robot's node in this program has ended before the answer,
// so that the robot can open its sockets.
func (t *teamNodes) onDirectory(from teamcom.From, m *team.Directory) {
	s := t.session
	s.mu.Lock()
	joined := m.Text == "" && t.join(from)
	s.mu.Unlock()
	if joined {
		_ = t.field.Module(tcm.Field).Client().Send(t.field.Now(), from.Entity, &team.Directory{Text: t.text})
	}
}

// onMotor drives a robot.
func (t *teamNodes) onMotor(from teamcom.From, m *team.Motor) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	if t.join(from) {
		t.session.core.Drive(from.Entity.ID, m)
	}
}

// onDebug shows the belief of a robot on its tile.
func (t *teamNodes) onDebug(from teamcom.From, m *team.Debug) {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.core.Joined(from.Entity.ID) {
		return // its software runs here
	}
	s.lastMessage[from.Entity.ID] = time.Now()
	age := time.Duration(float64(from.Now.Sub(from.Captured)) * s.speed)
	m.World(s.core.Now().Add(-max(age, 0)), &s.world)
	s.core.Believe(from.Entity.ID, &s.world)
}

// onScene says what lies before the camera of a robot outside, and remembers it: the page may ask what each pixel shows.
func (t *teamNodes) onScene(from teamcom.From, m *team.Scene) {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	var seen camera.Scene
	if m.Known || !s.core.Joined(from.Entity.ID) || !s.core.Scene(from.Entity.ID, &seen) {
		return
	}
	params := t.office.Params(from.Entity.ID, t.drawn[from.Entity.ID].Camera())
	t.drawn[from.Entity.ID].Keep(from.Captured, &seen, &params)
	managernet.SetScene(m, &seen, s.cfg.Match.Seed)
	_ = t.field.Module(tcm.Field).Client().Send(t.field.Now(), from.Entity, m) // the node counts what it drops
}

// join lets the robot that sent a message join, if it has not, and reports whether it is part of the session. It
// requires the session's lock.
func (t *teamNodes) join(from teamcom.From) bool {
	s, number := t.session, from.Entity.ID
	if from.Entity.Kind != tcm.Robot || s.ended {
		return false
	}
	if !s.core.Joined(number) {
		err := s.core.Join(number, func(captured soccer.Time, m *team.Sense) { t.sendSense(number, captured, m) })
		if err != nil {
			t.refuse(number, err)
			return false
		}
		delete(t.refused, number)
	}
	s.lastMessage[number] = time.Now()
	return true
}

// refuse logs why a robot cannot join, once for each reason.
func (t *teamNodes) refuse(number uint8, err error) {
	if t.refused[number] != err.Error() {
		t.refused[number] = err.Error()
		t.session.log.Warn("a robot outside cannot join the session", "robot", number, "err", err)
	}
}

// sendSense sends a robot what it senses. captured is a time of the session.
func (t *teamNodes) sendSense(number uint8, captured soccer.Time, m *team.Sense) {
	s := t.session
	age := time.Duration(float64(s.core.Now().Sub(captured)) / s.speed)
	to := tcm.Entity{Kind: tcm.Robot, ID: number}
	_ = t.field.Module(tcm.Field).Client().Send(t.field.Now().Add(-age), to, m) // the node counts what it drops
}

// expireRobots ends the part of robots outside the session that are silent. It requires s.mu.
func (s *Session) expireRobots(now time.Time) {
	for _, p := range match.Participants() {
		if s.core.Joined(p.Number) && now.Sub(s.lastMessage[p.Number]) > robot.SilentFor {
			s.core.Leave(p.Number)
		}
	}
}

// Wanted returns the numbers of the robots that are on the field and not switched off.
func (s *Session) Wanted() soccer.RobotSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Wanted()
}

// Air returns how the session's network impairs what a robot receives, and the robots of which nothing reaches it.
func (s *Session) Air(number uint8) (traffic.Link, soccer.RobotSet) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Link(), s.core.Apart(number)
}

// MarkRobot puts an event of a robot on the timeline: kind is "on" or "off".
func (s *Session) MarkRobot(kind string, number uint8, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.core.Note(kind, number, text)
}

// TCM returns the path of TCM.ini and the address of the field's first socket. They are zero without the TCM.
func (s *Session) TCM() (ini string, field netip.AddrPort) {
	if s.tcm == nil {
		return "", netip.AddrPort{}
	}
	return s.tcm.ini, s.tcm.field.Address()
}

// Teamcom returns what the session's nodes of the TCM measured.
func (s *Session) Teamcom() []teamcom.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Reports()
}
