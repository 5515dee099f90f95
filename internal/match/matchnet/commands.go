package matchnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire"
)

// commands are the bodies of the page's commands by name. Each decodes itself and executes.
var commands = map[string]func() command{
	"kick":          func() command { return new(kick) },
	"place-ball":    func() command { return new(placeBall) },
	"move-obstacle": func() command { return new(moveObstacle) },
	"move-robot":    func() command { return new(moveRobot) },
	"switch":        func() command { return new(switchRobot) },
	"substitute":    func() command { return new(substitute) },
	"mirror":        func() command { return new(mirror) },
	"pause":         func() command { return new(pause) },
	"speed":         func() command { return new(speed) },
	"link":          func() command { return new(link) },
	"crash":         func() command { return new(crash) },
	"penalise":      func() command { return new(penalise) },
	"partition":     func() command { return new(partition) },
	"next":          func() command { return new(next) },
}

// command is the body of a command. execute requires the session's lock.
type command interface{ execute(s *Session) error }

// execute decodes and executes a command. It requires s.mu.
func (s *Session) execute(name string, body json.RawMessage) error {
	create, ok := commands[name]
	if !ok {
		return fmt.Errorf("match: unknown command %.40q: want kick, place-ball, move-obstacle, move-robot, switch, "+
			"substitute, mirror, pause, speed, link, crash, penalise, partition or next", name)
	}
	c := create()
	if err := wire.DecodeJSON(body, name, c); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	return c.execute(s)
}

// kick kicks the ball with a velocity in m/s; without one it is a kick-in.
type kick struct {
	VX *float64 `json:"vx"`
	VY *float64 `json:"vy"`
	VZ float64  `json:"vz"`
}

func (k *kick) execute(s *Session) error {
	if k.VX == nil && k.VY == nil {
		s.core.KickIn()
		return nil
	}
	if k.VX == nil || k.VY == nil {
		return errors.New("match: kick: want both vx and vy, or neither for a kick-in")
	}
	return s.core.Kick(soccer.Vec3{X: *k.VX, Y: *k.VY, Z: k.VZ})
}

type placeBall struct {
	X float64 `json:"x"` // m
	Y float64 `json:"y"`
}

func (p *placeBall) execute(s *Session) error { return s.core.PlaceBall(soccer.Vec{X: p.X, Y: p.Y}) }

type moveObstacle struct {
	Index int     `json:"index"`
	X     float64 `json:"x"` // m
	Y     float64 `json:"y"`
}

func (m *moveObstacle) execute(s *Session) error {
	return s.core.MoveObstacle(m.Index, soccer.Vec{X: m.X, Y: m.Y})
}

type moveRobot struct {
	Number uint8   `json:"number"` // jersey
	X      float64 `json:"x"`      // m
	Y      float64 `json:"y"`
	Theta  float64 `json:"theta"` // rad
}

func (m *moveRobot) execute(s *Session) error {
	return s.core.MoveRobot(m.Number, soccer.Pose{X: m.X, Y: m.Y, Theta: m.Theta})
}

type switchRobot struct {
	Number uint8 `json:"number"` // jersey
	On     bool  `json:"on"`
}

func (w *switchRobot) execute(s *Session) error { return s.core.Switch(w.Number, w.On) }

type substitute struct {
	Number uint8 `json:"number"` // jersey of the robot that leaves the field
}

func (u *substitute) execute(s *Session) error { return s.core.Substitute(u.Number) }

type mirror struct {
	Number uint8 `json:"number"` // jersey
	On     bool  `json:"on"`
}

func (m *mirror) execute(s *Session) error { return s.core.Mirror(m.Number, m.On) }

type pause struct {
	Paused bool `json:"paused"`
}

func (p *pause) execute(s *Session) error {
	now := time.Now()
	if !s.standing {
		s.core.Advance(s.due(now)) // the first wall of the pause shows its time
	}
	s.pause(now, p.Paused)
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

// next goes on from a figure of the story.
type next struct{}

func (*next) execute(s *Session) error {
	if s.story == nil || !s.story.Next() {
		return errors.New("match: next: the session waits at no figure of a story")
	}
	s.pause(time.Now(), false)
	return nil
}

// speed slows the session down.
type speed struct {
	Factor float64 `json:"factor"` // 1 is real time
}

func (v *speed) execute(s *Session) error {
	const slowest = 0.05
	if !(v.Factor >= slowest && v.Factor <= 1) {
		return fmt.Errorf("match: speed %v: want a factor from %v to 1, for example 0.25", v.Factor, slowest)
	}
	s.setSpeed(time.Now(), v.Factor)
	return nil
}

// setSpeed changes the speed of the session's time. It requires s.mu.
func (s *Session) setSpeed(now time.Time, factor float64) {
	s.clock = soccer.Clock{Start: s.at(now), Began: now}
	s.speed, s.paused, s.pausedAt = factor, 0, now
}

// link impairs the packets to each receiver. Bursts and jitter stay as they are.
type link struct{ traffic.Change }

func (l *link) execute(s *Session) error {
	changed, err := l.Apply(s.core.Link())
	if err != nil {
		return fmt.Errorf("match: link: %w", err)
	}
	return s.core.SetLink(changed)
}

// crash ends the software of a robot without a word to its teammates. It starts again after 3 s.
type crash struct {
	Number uint8 `json:"number"` // jersey
}

func (c *crash) execute(s *Session) error {
	switch joined := s.core.Joined(c.Number); {
	case joined && s.kill != nil && s.kill(c.Number):
		return nil
	case joined:
		return fmt.Errorf("match: robot %d runs in a program that the session did not start: end it there", c.Number)
	}
	return s.core.Crash(c.Number)
}

// penalise lets the referee send a robot off, or lets it play again.
type penalise struct {
	Number uint8 `json:"number"` // jersey
	On     bool  `json:"on"`
}

func (p *penalise) execute(s *Session) error { return s.core.Penalise(p.Number, p.On) }

// partition lets nothing pass between some robots and the others. Without robots it heals the network.
type partition struct {
	Robots []int `json:"robots"` // jerseys; a []uint8 would be a base64 string
}

func (p *partition) execute(s *Session) error {
	var side []uint8
	for _, number := range p.Robots {
		side = append(side, uint8(min(max(number, 0), math.MaxUint8)))
	}
	return s.core.Partition(side)
}
