package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/playback"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
	"touchline/teamcom"
)

// runVirtual runs a session for a time of its own clock and returns its scores. Unless record is nil, it receives all packets
// and the page's topics, with the times of the session.
func runVirtual(ctx context.Context, cfg match.Config, duration time.Duration, record *matchlog.Writer) ([]match.Score, error) {
	s, err := openVirtual(cfg, record)
	if err != nil {
		return nil, err
	}
	end := soccer.Epoch.Add(duration)
	for err == nil && s.Now() < end && ctx.Err() == nil {
		err = s.advance(min(s.Now().Add(playback.SamplePeriod), end))
	}
	if closed := s.record.Close(); err == nil {
		err = closed
	}
	return s.Scores(), err
}

// runStory plays a session with a story and prints each figure. The error tells which figure was not reached.
func runStory(ctx context.Context, name string, cfg match.Config, record *matchlog.Writer, out io.Writer) error {
	cfg, err := match.StoryConfig(name, cfg)
	if err != nil {
		return err
	}
	s, err := openVirtual(cfg, record)
	if err != nil {
		return err
	}
	if s.story, err = match.NewStory(name, s.Session); err == nil {
		err = s.tell(ctx, out)
	}
	if closed := s.record.Close(); err == nil {
		err = closed
	}
	return err
}

// tell plays the story and prints each figure.
func (s *virtualSession) tell(ctx context.Context, out io.Writer) error {
	const step = 20 * time.Millisecond
	for more := true; more && ctx.Err() == nil; {
		if err := s.advance(s.Now().Add(step)); err != nil {
			return err
		}
		if !s.story.Step() {
			continue
		}
		v := s.story.Show()
		if v.Failed != "" {
			return errors.New(v.Failed)
		}
		if _, err := fmt.Fprintf(out, "figure %d, %.1f s: %s\n  %s\n  %s\n", v.Figure, s.Now().Sub(soccer.Epoch).Seconds(),
			v.Title, v.Caption, v.Booking); err != nil {
			return err
		}
		more = s.story.Next()
	}
	return nil
}

// openVirtual returns a session that records itself.
func openVirtual(cfg match.Config, record *matchlog.Writer) (*virtualSession, error) {
	s := &virtualSession{
		group: cfg.Group, team: teamcom.NewOverview(soccer.Epoch), inspector: watch.NewInspector(soccer.Epoch),
		due: soccer.Epoch.Add(playback.SamplePeriod),
	}
	if record != nil {
		s.record = playback.NewVirtual(record)
	}
	var err error
	if s.Session, err = match.Virtual(cfg, func(p *soccer.Packet) {
		if record != nil {
			s.inspector.Receive(p)
			s.record.Packet(p)
		}
	}); err != nil {
		return nil, errors.Join(console.Usage(err), s.record.Close())
	}
	return s, nil
}

// virtualSession is a session in virtual time, as the page would show it.
type virtualSession struct {
	*match.Session
	group     string
	team      *teamcom.Overview
	inspector *watch.Inspector
	story     *match.Story      // nil: none
	record    *playback.Virtual // nil: none
	due       soccer.Time       // when the page's topics are next sampled
}

// advance advances the session, and samples the page's topics: each time, or in the short steps of a story when they are due.
func (s *virtualSession) advance(to soccer.Time) error {
	s.Advance(to)
	if to < s.due && s.story != nil {
		return nil
	}
	s.due = to.Add(playback.SamplePeriod)
	return s.record.Sample(s.Now(), s.Wall("wall").(*watch.Wall), s)
}

// Wall returns the topic "wall".
func (s *virtualSession) Wall(string) any {
	w := s.Session.Wall()
	link := s.Session.Link()
	w.Link = watch.Link{
		Group: s.group, Interface: "virtual time", Loopback: true, Loss: link.Loss, Delay: link.Delay.Seconds() * 1e3,
	}
	if s.story != nil {
		w.Story = s.story.Show()
	}
	return w
}

// Network returns the topic "network".
func (s *virtualSession) Network(string) any { return s.Session.Network(0) }

// Nodes returns the topic "teamcom".
func (s *virtualSession) Nodes(string) any {
	if reports := s.Reports(); reports != nil {
		return s.team.View(s.Now(), reports)
	}
	return nil
}

// Behaviour returns the topic "behaviour".
func (s *virtualSession) Behaviour(string) any {
	if s.Reports() == nil {
		return nil
	}
	return s.inspector.Behaviour(s.Now())
}

// Booking returns the topic "booking".
func (s *virtualSession) Booking(string) any {
	if s.Reports() == nil {
		return nil
	}
	return s.inspector.Booking(s.Now())
}
