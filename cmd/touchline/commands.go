package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/match"
	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire"
)

// commands are the bodies of the page's commands by name.
var commands = map[string]func() command{
	"pause":     func() command { return new(pause) },
	"step":      func() command { return new(step) },
	"speed":     func() command { return new(speed) },
	"link":      func() command { return new(link) },
	"crash":     func() command { return new(crash) },
	"partition": func() command { return new(partition) },
}

// command is the body of a command. execute requires the game's lock.
type command interface{ execute(g *Game) error }

// Command executes a command of the page.
func (g *Game) Command(name string, body json.RawMessage) (any, error) {
	create, ok := commands[name]
	switch {
	case name == "robot-attend" && g.live != nil:
		return nil, g.attend(body)
	case strings.HasPrefix(name, "robot-"): // of a robot's page
		return nil, errors.New("match: no operator manages the robots of a match: a refereed game plays, in which robots take no " +
			"commands; touchline without --match has robots to manage")
	case !ok:
		return nil, fmt.Errorf("match: unknown command %.40q: want pause, step, speed, link, crash or partition", name)
	}
	c := create()
	if err := wire.DecodeJSON(body, name, c); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	if _, clock := c.(clockCommand); clock && g.live != nil {
		return nil, fmt.Errorf("match: %s: this match runs in real time, and nothing holds it: touchline demo --match --virtual "+
			"plays one that pauses, steps and runs faster", name)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return nil, c.execute(g)
}

// clockCommand is a command that changes the match's clock.
type clockCommand interface{ clock() }

func (*pause) clock() {}
func (*step) clock()  {}
func (*speed) clock() {}

type pause struct {
	Paused bool `json:"paused"`
}

func (p *pause) execute(g *Game) error {
	g.paused = p.Paused
	return nil
}

// step pauses the match and plays a short time.
type step struct {
	Millis float64 `json:"ms"` // 1 to 1000
}

func (s *step) execute(g *Game) error {
	if !(s.Millis >= 1 && s.Millis <= float64(longest.Milliseconds())) {
		return fmt.Errorf("match: step: %v ms: want 1 to %d", s.Millis, longest.Milliseconds())
	}
	g.paused = true
	g.play(time.Duration(s.Millis * float64(time.Millisecond)))
	return g.show.Err()
}

type speed struct {
	Factor float64 `json:"factor"` // one of Speeds
}

func (s *speed) execute(g *Game) error {
	if !slices.Contains(Speeds, s.Factor) {
		return fmt.Errorf("match: speed %v: want one of %v, 0 for as fast as possible", s.Factor, Speeds)
	}
	g.speed = s.Factor
	return nil
}

type link struct{ traffic.Change }

func (l *link) execute(g *Game) error {
	if err := g.setLink(l.Change); err != nil {
		return fmt.Errorf("match: link: %w", err)
	}
	return nil
}

// setLink changes the loss or the delay of the links. Bursts and jitter stay as they are.
func (g *Game) setLink(c traffic.Change) error {
	if g.live != nil {
		return g.live.SetLink(c)
	}
	link, err := c.Apply(g.show.Config().Link)
	if err != nil {
		return err
	}
	return g.show.SetLink(link)
}

// crash ends the software of a robot, which starts again after three seconds.
type crash struct {
	Team   game.Side `json:"team"` // home or away
	Number uint8     `json:"number"`
}

func (c *crash) execute(g *Game) error {
	if g.live != nil {
		return g.live.Crash(c.Team, c.Number)
	}
	if err := g.show.Crash(c.Team, c.Number); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	return nil
}

// partition cuts robots of a team off from the others.
type partition struct {
	Team   game.Side `json:"team"`   // home or away
	Robots []int     `json:"robots"` // jersey numbers; none connects all again
}

func (p *partition) execute(g *Game) error {
	if !slices.Contains(game.Sides[:], p.Team) {
		return fmt.Errorf("match: partition: team %.40q: want home or away", p.Team)
	}
	var set soccer.RobotSet
	for _, n := range p.Robots {
		if n < 1 || n > match.MostRobots {
			return fmt.Errorf("match: partition: robot %d: want 1 to %d", n, match.MostRobots)
		}
		set = set.With(uint8(n))
	}
	if g.live != nil {
		return g.live.Cut(p.Team, set)
	}
	g.show.Cut(p.Team, set)
	return nil
}
