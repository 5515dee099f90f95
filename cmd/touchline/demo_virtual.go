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
	for s.Now() < end && ctx.Err() == nil {
		if err := s.advance(min(s.Now().Add(playback.SamplePeriod), end)); err != nil {
			return nil, err
		}
	}
	return s.Scores(), s.failed
}

// runStory plays a session with the story of the booking and prints each figure. The error tells which figure was not
// reached.
func runStory(ctx context.Context, cfg match.Config, record *matchlog.Writer, out io.Writer) error {
	const step = 20 * time.Millisecond
	s, err := openVirtual(match.StoryConfig(cfg), record)
	if err != nil {
		return err
	}
	if s.story, err = match.NewStory(s.Session); err != nil {
		return err
	}
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
	return s.failed
}

// openVirtual returns a session that records itself.
func openVirtual(cfg match.Config, record *matchlog.Writer) (*virtualSession, error) {
	s := &virtualSession{
		group: cfg.Group, team: teamcom.NewOverview(soccer.Epoch), inspector: watch.NewInspector(soccer.Epoch),
		record: record, due: soccer.Epoch.Add(playback.SamplePeriod),
	}
	if record != nil {
		playback.Declare(record)
	}
	var buf []byte
	var err error
	s.Session, err = match.Virtual(cfg, func(p *soccer.Packet) {
		if record == nil {
			return
		}
		s.inspector.Receive(p)
		buf = matchlog.AppendPacket(buf[:0], p)
		s.write(matchlog.Message{Time: p.Time, Channel: matchlog.PacketChannel(p), Data: buf})
	})
	if err != nil {
		return nil, console.Usage(err)
	}
	return s, nil
}

// virtualSession is a session in virtual time, as the page would show it.
type virtualSession struct {
	*match.Session
	group     string
	team      *teamcom.Overview
	inspector *watch.Inspector
	story     *match.Story // nil: none
	record    *matchlog.Writer
	failed    error       // of writing to record
	due       soccer.Time // when the page's topics are next sampled
	samples   int
}

// advance advances the session, and samples the page's topics: each time, or in the short steps of a story when they are due.
func (s *virtualSession) advance(to soccer.Time) error {
	s.Advance(to)
	if to < s.due && s.story != nil {
		return nil
	}
	s.due = to.Add(playback.SamplePeriod)
	wall := s.Wall("wall").(*watch.Wall)
	s.samples++
	if s.record == nil {
		return nil
	}
	playback.SampleSession(s.samples-1, s.Now(), wall, s, func(channel string, v any) {
		m, err := playback.Message(s.Now(), channel, v)
		if s.failed = errors.Join(s.failed, err); err == nil {
			s.write(m)
		}
	})
	return s.failed
}

func (s *virtualSession) write(m matchlog.Message) {
	if s.record != nil && s.failed == nil {
		s.failed = s.record.Write(m)
	}
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
