package matchnet

import (
	"fmt"
	"net/netip"
	"os"
	"time"

	"touchline/internal/camera"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/wire/tcm"
	"touchline/wire/team"
)

// openField opens the node of the field: robots in processes of their own join with a request for the directory or with
// a motor command, and leave by silence.
func (t *teamNodes) openField() error {
	cfg := teamcomnet.DefaultConfig(robot.Field)
	cfg.Ini, cfg.Node.Name = t.ini, match.NodeName(robot.Field)
	var err error
	if t.field, err = openFieldNode(cfg, t.directory, t.session.log); err != nil {
		return err
	}
	t.record(t.field.Endpoint)
	t.others = append(t.others, t.field.Endpoint)
	t.field.obey(fieldRules{directory: t.admit, motor: t.driveOutside, debug: t.showBelief, scene: t.completeScene})
	t.run(t.ctx, t.field.Endpoint)
	return nil
}

// admit answers a robot's request for the directory. The robot's node in this program has ended before the answer, so
// that the robot can open its sockets.
func (t *teamNodes) admit(from teamcom.From) (string, bool) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	text, err := os.ReadFile(t.ini) // it may have changed
	if err != nil {
		text = []byte(t.text)
	}
	return string(text), t.join(from)
}

// driveOutside executes the motor command of a robot outside.
func (t *teamNodes) driveOutside(from teamcom.From, m *team.Motor) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	if t.join(from) {
		t.session.core.Drive(from.Entity.ID, m)
	}
}

// showBelief shows the belief of a robot on its tile.
func (t *teamNodes) showBelief(from teamcom.From, m *team.Debug) {
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

// completeScene says what lies before the camera of a robot outside, and remembers it: the page may ask what each pixel
// shows.
func (t *teamNodes) completeScene(from teamcom.From, m *team.Scene) bool {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	var seen camera.Scene
	if !s.core.Joined(from.Entity.ID) || !s.core.Scene(from.Entity.ID, &seen) {
		return false
	}
	params := t.workstation.Params(from.Entity.ID, t.drawn[from.Entity.ID].Camera())
	t.drawn[from.Entity.ID].Keep(from.Captured, &seen, &params)
	managernet.SetScene(m, &seen, s.cfg.Match.Seed)
	return true
}

// join lets the robot that sent a message join, if it has not, and reports whether it is part of the session. It
// requires the session's lock.
func (t *teamNodes) join(from teamcom.From) bool {
	s, number := t.session, from.Entity.ID
	if s.ended {
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
	t.field.send(tcm.Entity{Kind: tcm.Robot, ID: number}, age, m)
}

// expireRobots ends the part of robots outside the session that are silent. It requires s.mu.
func (s *Session) expireRobots(now time.Time) {
	for _, p := range match.Participants() {
		if s.core.Joined(p.Number) && now.Sub(s.lastMessage[p.Number]) > robot.SilentFor {
			s.core.Leave(p.Number)
		}
	}
}

// supervise returns what runs the robots in processes of their own; nil without Config.Processes.
func (s *Session) supervise() (*supervisor, error) {
	p := s.cfg.Processes
	if p == nil {
		return nil, nil
	}
	if s.link.Trouble != "" {
		return nil, fmt.Errorf("robots in their own processes need multicast: %s", s.link.Trouble)
	}
	start, err := p.starter(s.log, s.tcm.key, "--field", s.tcm.field.Address().String())
	if err != nil {
		return nil, err
	}
	return newSupervisor(supervised{start: start, wanted: s.wanted, mark: s.markRobot, reception: s.reception, restart: p.Restart},
		s.log), nil
}

// wanted returns the numbers of the robots that are on the field and not switched off.
func (s *Session) wanted() soccer.RobotSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Wanted()
}

// reception returns how the session's network impairs what a robot receives.
func (s *Session) reception(number uint8) robotnet.Reception {
	s.mu.Lock()
	defer s.mu.Unlock()
	return robotnet.Reception{Link: s.core.Link(), Apart: s.core.Apart(number)}
}

// markRobot puts an event of a robot on the timeline: kind is "on" or "off".
func (s *Session) markRobot(kind string, number uint8, text string) {
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

// Key returns the key with which the nodes of the TCM sign: on an interface that the user named. "": they do not sign.
func (s *Session) Key() string {
	if s.tcm == nil {
		return ""
	}
	return s.tcm.key
}

// Teamcom returns what the session's nodes of the TCM measured, and those of the robots' processes.
func (s *Session) Teamcom() []teamcom.Report {
	s.mu.Lock()
	reports := s.core.Reports()
	s.mu.Unlock()
	return append(reports, s.robots.nodes()...)
}

// Outages returns the last 100 outages of robots' processes that are over, oldest first.
func (s *Session) Outages() []Outage { return s.robots.Outages() }
