package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"touchline/game"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/playback"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
)

// tape records a match. Without a record it does nothing.
type tape struct {
	match   *match.Match
	record  *matchlog.Writer // nil: nothing is recorded
	writer  *writer          // to it
	show    *match.Show      // of a match that is recorded
	watcher *watch.Watcher   // of the packages
	samples int
	stated  soccer.Time // when the newest state was recorded
	failed  error
	view    match.View
}

// MetaMatch is the key of a record's metadata with the flags of the match as JSON.
const MetaMatch = "match"

// newTape creates the record.
func newTape(f *flags) (*tape, error) {
	t := new(tape)
	if f.record == "" {
		return t, nil
	}
	setup, err := json.Marshal(f.setup())
	if err != nil {
		return nil, err
	}
	record, err := matchlog.CreatePacked(f.record, map[string]string{
		matchlog.MetaField: "match", matchlog.MetaSize: f.field, matchlog.MetaHome: f.cfg.Home.Name,
		matchlog.MetaAway: f.cfg.Away.Name, MetaMatch: string(setup),
	})
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--record %s: %w; give the name of a new file", f.record, err))
	}
	playback.Declare(record)
	t.record, t.writer = record, newWriter(record)
	observed := watch.DefaultConfig()
	observed.Start, observed.Field = soccer.Epoch, f.cfg.Field
	t.watcher = watch.New(observed)
	return t, nil
}

// tap returns what records the match.
func (t *tape) tap() match.Tap {
	if t.record == nil {
		return match.Tap{}
	}
	return match.Tap{
		Packet: func(_ game.Side, p *soccer.Packet) {
			if matchlog.PacketChannel(p) == matchlog.Packets {
				t.watcher.Receive(p)
			}
			t.writer.packet(p)
		},
		Command: func(at soccer.Time, message []byte) {
			t.writer.message(at, matchlog.Commands, message)
		},
		Decision: func(d *game.Decision, _ *game.Outcome) {
			t.json(d.Time, matchlog.Decisions, d)
			t.stated = 0
		},
	}
}

// step is how far a match advances at a time.
func (t *tape) step() time.Duration {
	if t.record == nil {
		return 200 * time.Millisecond
	}
	return playback.SamplePeriod
}

// sample records the truth, the state of the game and the page's topics.
func (t *tape) sample() {
	if t.record == nil || t.failed != nil {
		return
	}
	now := t.match.Now()
	t.match.View(&t.view)
	scene := game.Truth{Time: now, Ball: t.view.Ball, Robots: []game.TruthRobot{}}
	for _, r := range t.view.Robots {
		if r.On {
			scene.Robots = append(scene.Robots, game.TruthRobot{Number: r.Number, Team: r.Side, Shape: "robot", Pose: r.Pose})
		}
	}
	t.json(now, matchlog.Truth, &scene)
	if now.Sub(t.stated) >= time.Second {
		t.stated = now
		t.json(now, matchlog.States, &t.view.Game)
	}
	playback.SampleSession(t.samples, now, t.match.Wall(), t, func(channel string, v any) { t.writer.value(now, channel, v) })
	t.samples++
	t.failed = errors.Join(t.failed, t.writer.flush())
}

// json records a value that may change later.
func (t *tape) json(at soccer.Time, channel string, v any) {
	data, err := json.Marshal(v)
	if t.failed = errors.Join(t.failed, err); err == nil {
		t.writer.message(at, channel, data)
	}
}

func (t *tape) err() error { return t.failed }

// close finishes the record.
func (t *tape) close() error {
	if t.record == nil {
		return nil
	}
	if err := t.writer.close(); t.failed == nil {
		t.failed = err
	}
	return errors.Join(t.failed, t.record.Close())
}

// Wall returns the topic "wall".
func (t *tape) Wall(string) any { return t.match.Wall() }

// Network returns the topic "network": the mixed team packages.
func (t *tape) Network(string) any { return t.watcher.Report(t.match.Now(), 0) }

// Match returns the topic "match".
func (t *tape) Match(string) any { return t.show.State() }

// Nodes returns the topic "teamcom" of home, or "teamcom.away".
func (t *tape) Nodes(topic string) any { return t.show.Nodes(match.SideOf(topic)) }

// Booking returns the topic "booking" of home, or "booking.away".
func (t *tape) Booking(topic string) any { return t.show.Booking(match.SideOf(topic)) }

// Behaviour returns the topic "behaviour" of both teams.
func (t *tape) Behaviour(string) any { return t.show.Behaviour() }

// open returns the match, recorded by a tape and compared with the record that it forks from.
func (f *flags) open(t *tape, o *original) (*match.Match, error) {
	tap := t.tap()
	f.outside.tap(&tap)
	if o != nil {
		record := tap.Packet
		tap.Packet = func(side game.Side, p *soccer.Packet) {
			o.compare(p)
			if record != nil {
				record(side, p)
			}
		}
		f.cfg.Debug = true // as in a record
	}
	if t.record == nil {
		m, err := match.NewMatch(f.cfg, tap)
		t.match = m
		return m, err
	}
	s, err := match.NewShow(f.cfg, tap)
	if err != nil {
		return nil, err
	}
	t.match, t.show = s.Match, s
	return t.match, nil
}
