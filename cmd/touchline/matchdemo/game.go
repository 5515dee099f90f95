// Package matchdemo plays a match of five against five at the speed that a user chooses, for a page. The match itself is
// that of match/fiveaside, in virtual time: a pause, a step and every speed show the same match.
package matchdemo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"touchline/game"
	"touchline/match/fiveaside"
	"touchline/match/show"
	"touchline/soccer"
	"touchline/watch"
	"touchline/wire"
)

const (
	tick       = 10 * time.Millisecond
	busy       = 8 * time.Millisecond   // of a tick, for a match as fast as possible
	maxCatchUp = 250 * time.Millisecond // after a standstill of the machine the match does not leap
	crashTime  = 3 * time.Second        // of a robot's software, until it starts again
	longest    = time.Second            // of one step
)

// Speeds are the speeds that a user can choose; 1 is real time, 0 as fast as possible.
var Speeds = []float64{0.5, 1, 4, 0}

// Game is a match with its clock. Its methods may be called from any goroutine.
type Game struct {
	mu     sync.Mutex
	show   *show.Show
	paused bool
	speed  float64
}

// New returns a match before its kick-off. tap receives what happens.
func New(cfg fiveaside.Config, tap fiveaside.Tap) (*Game, error) {
	s, err := show.New(cfg, tap)
	return &Game{show: s, speed: 1}, err
}

// Run plays the match until ctx ends. After its end the last picture stays.
func (g *Game) Run(ctx context.Context) error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for last := time.Now(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		now := time.Now()
		if err := g.advance(now.Sub(last)); err != nil {
			return err
		}
		last = now
	}
}

// advance plays what a time of this machine stands for.
func (g *Game) advance(passed time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.paused || g.show.Over():
	case g.speed > 0:
		g.play(time.Duration(float64(min(passed, maxCatchUp)) * g.speed))
	default:
		for end := time.Now().Add(busy); time.Now().Before(end) && !g.show.Over(); {
			g.play(tick)
		}
	}
	return g.show.Err()
}

// play advances the match by a time of its own. It requires g.mu.
func (g *Game) play(d time.Duration) { g.show.Advance(g.show.Now().Add(d)) }

// Match returns the topic "match", a *show.View.
func (g *Game) Match(string) any {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.show.State()
	v.Controls, v.Paused, v.Speed = true, g.paused, g.speed
	return v
}

// Wall returns the topic "wall", a *watch.Wall.
func (g *Game) Wall(string) any {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := g.show.Wall()
	w.Paused = g.paused
	return w
}

// Network returns the topic "network", a watch.Network: the robots send no mixed team packages.
func (g *Game) Network(string) any {
	return watch.Network{Group: "TCM of each team", Senders: []watch.SenderRow{}, Alarms: []string{}}
}

// Nodes returns the topics "teamcom" and "teamcom.away", each an overview.View.
func (g *Game) Nodes(topic string) any {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.show.Nodes(show.SideOf(topic))
}

// Booking returns the topics "booking" and "booking.away", each a bookings.View.
func (g *Game) Booking(topic string) any {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.show.Booking(show.SideOf(topic))
}

// Behaviour returns the topic "behaviour", a behaviour.View of both teams.
func (g *Game) Behaviour(string) any {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.show.Behaviour()
}

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
func (g *Game) Command(name string, body json.RawMessage) error {
	create, ok := commands[name]
	if !ok {
		return fmt.Errorf("match: unknown command %.40q: want pause, step, speed, link, crash or partition", name)
	}
	c := create()
	if err := wire.DecodeJSON(body, name, c); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return c.execute(g)
}

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

type link struct {
	Loss  float64 `json:"loss"`  // 0 to 1
	Delay float64 `json:"delay"` // ms
}

func (l *link) execute(g *Game) error {
	impaired := g.show.Config().Link
	impaired.Loss = l.Loss
	if !(l.Delay >= 0 && l.Delay <= 3.6e6) {
		return fmt.Errorf("match: link: delay %v ms: want 0 to 3600000", l.Delay)
	}
	impaired.Delay = time.Duration(l.Delay * float64(time.Millisecond))
	if err := g.show.SetLink(impaired); err != nil {
		return fmt.Errorf("match: link: %w", err)
	}
	return nil
}

// crash ends the software of a robot, which starts again after three seconds.
type crash struct {
	Team   game.Side `json:"team"` // home or away
	Number uint8     `json:"number"`
}

func (c *crash) execute(g *Game) error {
	fault := fiveaside.Fault{
		To: g.show.Now().Sub(soccer.Epoch) + crashTime, What: fiveaside.Crash, Side: c.Team, Robot: c.Number,
	}
	if err := g.show.Trouble(fault); err != nil {
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
	if !slices.Contains(show.Sides[:], p.Team) {
		return fmt.Errorf("match: partition: team %.40q: want home or away", p.Team)
	}
	var set soccer.RobotSet
	for _, n := range p.Robots {
		if n < 1 || n > fiveaside.MostRobots {
			return fmt.Errorf("match: partition: robot %d: want 1 to %d", n, fiveaside.MostRobots)
		}
		set = set.With(uint8(n))
	}
	g.show.Cut(p.Team, set)
	return nil
}
