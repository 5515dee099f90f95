// Package matchdemo plays a match of five against five for a page: in real time on sockets (matchnet.Live), or in
// virtual time at the speed that a user chooses, where a pause, a step and every speed show the same match.

package main

import (
	"context"
	"sync"
	"time"

	"touchline/internal/match"
	"touchline/internal/match/matchnet"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/watch"
)

const (
	tick       = 10 * time.Millisecond
	busy       = 8 * time.Millisecond   // of a tick, for a match as fast as possible
	maxCatchUp = 250 * time.Millisecond // after a standstill of the machine the match does not leap
	longest    = time.Second            // of one step
)

// Speeds are the speeds that a user can choose; 1 is real time, 0 as fast as possible.
var Speeds = []float64{0.5, 1, 4, 0}

// Game is a match for a page. Its methods may be called from any goroutine.
type Game struct {
	live *matchnet.Live // nil in virtual time
	crew DemoCrew       // nil where its robots are part of this program
	cpu  *meter         // of live

	mu     sync.Mutex
	show   *match.Show // nil in real time
	paused bool
	speed  float64
}

// NewDemo returns a match in virtual time, before its kick-off. tap receives what happens.
func NewDemo(cfg match.MatchConfig, tap match.Tap) (*Game, error) {
	s, err := match.NewShow(cfg, tap)
	return &Game{show: s, speed: 1}, err
}

// RefBox returns the referee box of a match in real time.
func (g *Game) RefBox() *refboxnet.Server { return g.live.RefBox() }

// look calls f with the match.
func (g *Game) look(f func(s *match.Show)) {
	if g.live != nil {
		g.live.Look(f)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	f(g.show)
}

// Run plays the match until ctx ends. After its end the last picture stays.
func (g *Game) Run(ctx context.Context) error {
	if g.live != nil {
		return g.runLive(ctx)
	}
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

// Match returns the topic "match", a *match.ShowView.
func (g *Game) Match(string) any {
	var v *match.ShowView
	g.look(func(s *match.Show) {
		v = s.State()
		v.Controls, v.Paused, v.Speed = true, g.paused, g.speed
	})
	if g.live != nil {
		v.Loops = g.loops()
	}
	return v
}

// Wall returns the topic "wall", a *watch.Wall.
func (g *Game) Wall(string) (w any) {
	g.look(func(s *match.Show) {
		wall := s.Wall()
		if wall.Paused = g.paused; g.live != nil {
			wall.Link.Interface = "loopback"
		}
		w = wall
	})
	return w
}

// Network returns the topic "network", a watch.Network: the robots send no mixed team packages.
func (g *Game) Network(string) any {
	return watch.Network{Group: "TCM of each team", Senders: []watch.SenderRow{}, Alarms: []string{}}
}

// Nodes returns the topics "teamcom" and "teamcom.away", each an teamcom.View.
func (g *Game) Nodes(topic string) (v any) {
	g.look(func(s *match.Show) { v = s.Nodes(match.SideOf(topic)) })
	return v
}

// Booking returns the topics "booking" and "booking.away", each a watch.BookingView.
func (g *Game) Booking(topic string) (v any) {
	g.look(func(s *match.Show) { v = s.Booking(match.SideOf(topic)) })
	return v
}

// Behaviour returns the topic "behaviour", a watch.BehaviourView of both teams.
func (g *Game) Behaviour(string) (v any) {
	g.look(func(s *match.Show) { v = s.Behaviour() })
	return v
}
