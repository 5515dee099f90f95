package matchnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"touchline/game"
	"touchline/internal/control"
	"touchline/internal/manager/managernet"
	"touchline/internal/match"
	"touchline/soccer"
	"touchline/transport/traffic"
)

// Bodies of commands. Numbers are jerseys; lengths are in m and angles in rad, in the field frame.
type (
	// kick is the velocity of the ball in m/s; without one it is a kick-in.
	kick struct {
		VX *float64 `json:"vx"`
		VY *float64 `json:"vy"`
		VZ float64  `json:"vz"`
	}
	obstaclePlace struct {
		Index int `json:"index"`
		soccer.Vec
	}
	robotPlace struct {
		Number uint8 `json:"number"`
		soccer.Pose
	}
	robotNumber struct {
		Number uint8 `json:"number"`
	}
	robotSwitch struct {
		Number uint8 `json:"number"`
		On     bool  `json:"on"`
	}
	// troubled is which robots have a fault, of a team of a match or of the practical session, and whether it begins.
	troubled struct {
		Team   game.Side `json:"team"`
		Number uint8     `json:"number"`
		Robots []int     `json:"robots"` // robots of a partition; a []uint8 would be a base64 string
		On     bool      `json:"on"`     // of faults that a page ends, too
	}
	// figure is the number of a figure of the story.
	figure struct {
		Number int `json:"number"`
	}
	matchStep struct {
		Millis float64 `json:"ms"`
	}
)

// Errors of commands that a session does not have.
var (
	errNoTCM  = errors.New("match: robots are managed over the TCM: start the session without --no-tcm")
	errNoStep = errors.New("match: the session runs in real time and cannot step; touchline demo --match --virtual can")
	errNoGame = errors.New("match: the practical session never ends, so no new one can begin; touchline demo --match plays games")
)

// Commands returns the commands of the session's pages, after Open.
func (s *Session) Commands() control.Table {
	robots := control.Refuse(errNoTCM, managernet.Commands()...)
	if s.tcm != nil {
		robots = s.tcm.workstation.Commands()
	}
	return control.Join(s.fieldCommands(), robots)
}

// SessionCommands returns the names of the commands about the field of a session.
func SessionCommands() []string { return new(Session).fieldCommands().Names() }

// fieldCommands returns the commands about the session itself.
func (s *Session) fieldCommands() control.Table {
	faults := faultCommands(match.SessionFaults(), func(f match.Fault, begins bool) error { return s.core.SetFault(f, begins) })
	return control.Join(control.Refuse(errNoStep, "step"), control.Refuse(errNoGame, "again"), control.Table{
		"kick":          control.Handle(s.kick),
		"place-ball":    control.Handle(func(p soccer.Vec) error { return s.core.PlaceBall(p) }),
		"move-obstacle": control.Handle(func(p obstaclePlace) error { return s.core.MoveObstacle(p.Index, p.Vec) }),
		"move-robot":    control.Handle(func(p robotPlace) error { return s.core.MoveRobot(p.Number, p.Pose) }),
		"switch":        control.Handle(func(b robotSwitch) error { return s.core.Switch(b.Number, b.On) }),
		"substitute":    control.Handle(func(b robotNumber) error { return s.core.Substitute(b.Number) }),
		"crash":         control.Handle(s.crash),
		"link":          control.Handle(s.changeLink),
		"pause":         control.Handle(s.changePause),
		"speed":         control.Handle(s.changeSpeed),
		"next":          control.Handle(s.nextFigure),
		"figure":        control.Handle(s.goToFigure),
	}, faults).Around(func(r control.Request, do func() (any, error)) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.ended {
			return nil, fmt.Errorf("match: %.40q was not executed: the session has ended", r.Name)
		}
		return do()
	})
}

func (s *Session) kick(k kick) error {
	switch {
	case k.VX == nil && k.VY == nil:
		s.core.KickIn()
		return nil
	case k.VX == nil || k.VY == nil:
		return errors.New("match: kick: want both vx and vy, or neither for a kick-in")
	}
	return s.core.Kick(soccer.Vec3{X: *k.VX, Y: *k.VY, Z: k.VZ})
}

// faultCommands returns a command for each kind of fault, which begins or ends it.
func faultCommands(kinds []match.FaultKind, set func(f match.Fault, begins bool) error) control.Table {
	all := control.Table{}
	for _, k := range kinds {
		all[string(k.Name)] = control.Handle(func(b troubled) error {
			f := match.Fault{What: k.Name, Side: b.Team, Robot: b.Number}
			for _, n := range b.Robots {
				if n < 1 || n > 63 {
					return fmt.Errorf("match: %s: robot %d: want 1 to %d", k.Name, n, match.MostRobots)
				}
				f.Robots = f.Robots.With(uint8(n))
			}
			return set(f, b.On || k.Once())
		})
	}
	return all
}

// crash ends the software of a robot without a word to its teammates. It starts again after 3 s.
func (s *Session) crash(r troubled) error {
	switch joined := s.core.Joined(r.Number); {
	case joined && s.robots.kill(r.Number):
		return nil
	case joined:
		return fmt.Errorf("match: robot %d runs in a program that this session did not start: stop that program yourself", r.Number)
	}
	return s.core.SetFault(match.Fault{What: match.Crash, Robot: r.Number}, true)
}

// changeLink impairs the packets to each receiver. Bursts and jitter stay as they are.
func (s *Session) changeLink(c traffic.Change) error {
	changed, err := c.Apply(s.core.Link())
	if err != nil {
		return fmt.Errorf("match: link: %w", err)
	}
	return s.core.SetLink(changed)
}

func (s *Session) changePause(p control.Pause) error {
	paused, err := p.Value()
	if err != nil {
		return err
	}
	now := time.Now()
	if !s.standing {
		s.core.Advance(s.due(now)) // the first wall of the pause shows its time
	}
	s.pause(now, paused)
	return nil
}

// pause pauses or resumes the session. It requires s.mu.
func (s *Session) pause(now time.Time, standing bool) {
	if s.standing && !standing {
		s.paused += now.Sub(s.pausedAt)
	}
	if !s.standing {
		s.pausedAt = now
	}
	s.standing = standing
}

// changeSpeed slows the session down.
func (s *Session) changeSpeed(v control.Speed) error {
	const slowest = 0.05
	factor, err := v.Value()
	if err != nil {
		return err
	}
	if !(factor >= slowest && factor <= 1) {
		return fmt.Errorf("match: speed %v: want a factor from %v to 1, for example 0.25", factor, slowest)
	}
	s.setSpeed(time.Now(), factor)
	return nil
}

// setSpeed changes the speed of the session's time. It requires s.mu.
func (s *Session) setSpeed(now time.Time, factor float64) {
	s.clock = soccer.Clock{Start: s.at(now), Began: now}
	s.speed, s.paused, s.pausedAt = factor, 0, now
}

// tell goes on with the story. The session stands at a figure; after the last one it runs on. It requires s.mu.
func (s *Session) tell(now time.Time) {
	if s.story == nil || s.standing {
		return
	}
	if s.story.Step() && !s.story.Over() {
		s.pause(now, true)
	}
	s.pace(now)
}

// pace gives the session the speed that the story asks for, unless it asked for it before: a user may choose another one
// meanwhile. It requires s.mu.
func (s *Session) pace(now time.Time) {
	if speed := s.story.Speed(); speed != s.asked {
		s.asked = speed
		s.setSpeed(now, speed)
	}
}

// nextFigure goes on from a figure of the story.
func (s *Session) nextFigure(struct{}) error {
	if s.story == nil || !s.story.Next() {
		return errors.New("match: next: the session is not waiting at a figure of a story")
	}
	s.goOn()
	return nil
}

// goToFigure plays up to a figure of the story without a stop.
func (s *Session) goToFigure(f figure) error {
	if s.story == nil {
		return errors.New("match: figure: this session plays no story; start one with touchline demo --story")
	}
	if err := s.story.Go(f.Number); err != nil {
		return err
	}
	s.goOn()
	return nil
}

// goOn ends the pause at a figure. It requires s.mu.
func (s *Session) goOn() {
	now := time.Now()
	s.pause(now, false)
	s.pace(now)
}

// Errors of commands that a match does not have.
var (
	errNoOperator = errors.New("match: robots cannot be managed during a match: in a refereed game robots take no " +
		"commands; run touchline without --match to manage robots")
	errRealTime = errors.New("match: this match runs in real time, and its robots with it: touchline demo --match --virtual " +
		"plays one that steps and runs at other speeds")
	errExternal  = errors.New("match: cannot pause: the program of an external team would keep running; only matches between touchline's own teams pause")
	errRealFault = errors.New("match: in a real-time match the robots and the referee box have their own sockets: crash one robot, " +
		"or play in virtual time with touchline demo --match --virtual")
	errRefereed = errors.New("match: the referee of a match places the ball and sends robots off; touchline demo without --match " +
		"has a field to change")
)

// Commands returns the commands of the pages of a match.
func (m *Match) Commands() control.Table {
	faults := faultCommands(match.Faults(), func(f match.Fault, begins bool) (err error) {
		m.Look(func(s *match.Show) { err = s.SetFault(f, begins) })
		return err
	})
	own := control.Table{
		"link": control.Handle(m.changeLink), "pause": control.Handle(m.changePause), "again": control.Handle(m.again),
	}
	if m.teams != nil {
		own["crash"] = control.Handle(func(r troubled) error { return m.crash(r.Team, r.Number) })
		own = control.Join(own, control.Refuse(errRealFault, string(match.Gone), string(match.Silent)))
		own["robot-attend"] = control.Command{Do: func(r control.Request) (any, error) { return nil, m.attend(r.Body) }}
		own = control.Join(own, control.Refuse(errRealTime, "step", "speed"))
	} else {
		own["step"], own["speed"] = control.Handle(m.step), control.Handle(m.changeSpeed)
	}
	return control.Join(own, faults, control.Refuse(errNoOperator, managernet.Commands()...),
		control.Refuse(errRefereed, SessionCommands()...))
}

func (m *Match) changePause(p control.Pause) error {
	paused, err := p.Value()
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pause(time.Now(), paused)
}

// pause stops the match, or lets it go on. In real time the field and the clock of the referee box stand still, while the
// robots' loops run. It requires m.mu.
func (m *Match) pause(now time.Time, paused bool) error {
	switch {
	case paused == m.paused:
		return nil
	case m.teams == nil:
	case m.isExternal():
		return errExternal
	case paused:
		m.stood = now
	default:
		m.skipped += now.Sub(m.stood)
	}
	if m.paused = paused; m.referee != nil {
		m.referee.box.Hold(paused)
	}
	return nil
}

// again begins another game with another seed.
func (m *Match) again(struct{}) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.show.Again(m.show.Config().Seed + 1); err != nil {
		return err
	}
	return m.pause(time.Now(), false)
}

// longest is the longest step of a match.
const longest = time.Second

// step pauses the match and plays a short time.
func (m *Match) step(s matchStep) error {
	if !(s.Millis >= 1 && s.Millis <= float64(longest.Milliseconds())) {
		return fmt.Errorf("match: step: %v ms: want 1 to %d", s.Millis, longest.Milliseconds())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paused = true
	m.play(time.Duration(s.Millis * float64(time.Millisecond)))
	return m.show.Err()
}

// speeds are the speeds that a user of a match can choose; 1 is real time, 0 as fast as possible.
var speeds = []float64{0.5, 1, 4, 0}

func (m *Match) changeSpeed(v control.Speed) error {
	factor, err := v.Value()
	if err != nil {
		return err
	}
	if !slices.Contains(speeds, factor) {
		return fmt.Errorf("match: speed %v: want one of %v, 0 for as fast as possible", factor, speeds)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.speed = factor
	return nil
}

func (m *Match) changeLink(c traffic.Change) error {
	if err := m.setLink(c); err != nil {
		return fmt.Errorf("match: link: %w", err)
	}
	return nil
}

// attend lets a page look through the camera of a robot.
func (m *Match) attend(body json.RawMessage) error {
	var of map[string]json.RawMessage
	var page uint8
	err := json.Unmarshal(body, &of)
	if err == nil {
		err = json.Unmarshal(of["robot"], &page)
	}
	if err != nil {
		return fmt.Errorf("match: robot-attend: want an object with the number of a robot: %w", err)
	}
	t, number := m.player(page)
	if t == nil {
		return errors.New("match: an external program runs the robots of this team, so their cameras cannot be shown here")
	}
	of["robot"] = json.RawMessage(strconv.Itoa(int(number)))
	if body, err = json.Marshal(of); err != nil {
		return fmt.Errorf("match: robot-attend: %w", err)
	}
	return t.attend(body)
}
