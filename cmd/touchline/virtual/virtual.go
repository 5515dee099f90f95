// Package virtual runs the practical session in virtual time, as fast as possible, and records what its page would show.
package virtual

import (
	"context"
	"time"

	"touchline/cmd/touchline/console"
	"touchline/match"
	"touchline/matchlog"
	"touchline/playback"
	"touchline/playback/playbacknet"
	"touchline/soccer"
	"touchline/teamcom/overview"
	"touchline/watch"
	"touchline/watch/inspect"
)

// Run runs a session for a time of its own clock and returns its scores. Unless record is nil, it receives all packets
// and the page's topics, with the times of the session.
func Run(ctx context.Context, cfg match.Config, duration time.Duration, record *matchlog.Writer) ([]match.Score, error) {
	var failed error
	write := func(m matchlog.Message) {
		if record != nil && failed == nil {
			failed = record.Write(m)
		}
	}
	if record != nil {
		playbacknet.Declare(record)
	}
	shown := session{
		group: cfg.Group, team: overview.New(overview.Config{Start: soccer.Epoch}), inspector: inspect.New(soccer.Epoch),
	}
	var buf []byte
	var err error
	shown.Session, err = match.Virtual(cfg, func(p *soccer.Packet) {
		if record == nil {
			return
		}
		shown.inspector.Receive(p)
		buf = matchlog.AppendPacket(buf[:0], p)
		write(matchlog.Message{Time: p.Time, Channel: matchlog.PacketChannel(p), Data: buf})
	})
	if err != nil {
		return nil, console.Usage(err)
	}
	for n := 0; time.Duration(n)*playback.SamplePeriod < duration && ctx.Err() == nil; n++ {
		shown.Advance(soccer.Epoch.Add(min(time.Duration(n+1)*playback.SamplePeriod, duration)))
		wall := shown.Wall("wall").(*watch.Wall)
		if err := playbacknet.Sample(n, shown.Now(), wall, shown, write); err != nil {
			return nil, err
		}
	}
	return shown.Scores(), failed
}

// session is a session in virtual time, as the page would show it.
type session struct {
	*match.Session
	group     string
	team      *overview.Overview
	inspector *inspect.Inspector
}

// Wall returns the topic "wall".
func (s session) Wall(string) any {
	w := s.Session.Wall()
	link := s.Session.Link()
	w.Link = watch.Link{
		Group: s.group, Interface: "virtual time", Loopback: true, Loss: link.Loss, Delay: link.Delay.Seconds() * 1e3,
	}
	return w
}

// Network returns the topic "network".
func (s session) Network(string) any { return s.Session.Network(0) }

// Nodes returns the topic "teamcom".
func (s session) Nodes(string) any {
	if reports := s.Reports(); reports != nil {
		return s.team.View(s.Now(), reports)
	}
	return nil
}

// Booking returns the topic "booking".
func (s session) Booking(string) any {
	if s.Reports() == nil {
		return nil
	}
	return s.inspector.Booking(s.Now())
}
