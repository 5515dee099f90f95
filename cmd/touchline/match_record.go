package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"touchline/game"
	"touchline/internal/console"
	"touchline/internal/match"
	"touchline/internal/playback"
	"touchline/internal/watch"
	"touchline/matchlog"
	"touchline/soccer"
)

// matchRecord records a match. Without a record it does nothing.
type matchRecord struct {
	match   *match.Match
	record  *matchlog.Writer // nil: nothing is recorded
	writer  *playback.Virtual
	show    *match.Show    // show of the match that is recorded
	watcher *watch.Watcher // watcher of the packages
	failed  error
	view    match.View
}

// metaMatch is the key of a record's metadata with the flags of the match as JSON.
const metaMatch = "match"

// newMatchRecord creates the record.
func newMatchRecord(f *matchFlags) (*matchRecord, error) {
	t := new(matchRecord)
	if f.record == "" {
		return t, nil
	}
	setup, err := json.Marshal(f.setup())
	if err != nil {
		return nil, err
	}
	meta := map[string]string{
		matchlog.MetaField: "match", matchlog.MetaSize: f.field, matchlog.MetaHome: f.cfg.Home.Shown(),
		matchlog.MetaAway: f.cfg.Away.Shown(), metaMatch: string(setup),
	}
	maps.Copy(meta, f.origin)
	record, err := matchlog.CreatePacked(f.record, meta)
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--record %s: %w; give the name of a new file", f.record, err))
	}
	t.record, t.writer = record, playback.NewVirtual(record)
	observed := watch.DefaultConfig()
	observed.Start, observed.Field = soccer.Epoch, f.cfg.Field
	t.watcher = watch.New(observed)
	return t, nil
}

// tap returns what records the match.
func (t *matchRecord) tap() match.Tap {
	if t.record == nil {
		return match.Tap{}
	}
	return match.Tap{
		Packet: func(_ game.Side, p *soccer.Packet) {
			if matchlog.PacketChannel(p) == matchlog.Packets {
				t.watcher.Receive(p)
			}
			t.writer.Packet(p)
		},
		Command: func(at soccer.Time, message []byte) {
			t.writer.Message(at, matchlog.Commands, message)
		},
		Decision: func(d *game.Decision, _ *game.Outcome) {
			t.writer.JSON(d.Time, matchlog.Decisions, d)
		},
		Sample: t.writer.Figures,
	}
}

// step is how far a match advances at a time.
func (t *matchRecord) step() time.Duration {
	if t.record == nil {
		return 200 * time.Millisecond
	}
	return playback.SamplePeriod
}

// sample records the page's topics.
func (t *matchRecord) sample() {
	if t.record == nil || t.failed != nil {
		return
	}
	now := t.match.Now()
	if t.match.Over() {
		// No sample shows the last decision. A state of the same time would belong to the last sample, which was before it.
		t.match.View(&t.view)
		t.writer.JSON(now+1, matchlog.States, &t.view.Game)
	}
	t.failed = t.writer.Sample(now, t.match.Wall(), t)
}

func (t *matchRecord) err() error { return t.failed }

// close finishes the record.
func (t *matchRecord) close() error {
	if t.record == nil {
		return nil
	}
	if err := t.writer.Close(); t.failed == nil {
		t.failed = err
	}
	return errors.Join(t.failed, t.record.Close())
}

// Wall returns the topic "wall".
func (t *matchRecord) Wall(string) any { return t.match.Wall() }

// Network returns the topic "network": the mixed team packages.
func (t *matchRecord) Network(string) any { return t.watcher.Report(t.match.Now(), 0) }

// Match returns the topic "match".
func (t *matchRecord) Match(string) any { return t.show.State() }

// Nodes returns the topic "teamcom" of home, or "teamcom.away".
func (t *matchRecord) Nodes(topic string) any { return t.show.Nodes(match.SideOf(topic)) }

// Booking returns the topic "booking" of home, or "booking.away".
func (t *matchRecord) Booking(topic string) any { return t.show.Booking(match.SideOf(topic)) }

// Behaviour returns the topic "behaviour" of both teams.
func (t *matchRecord) Behaviour(string) any { return t.show.Behaviour() }

// open returns the match, recorded and compared with the record that it forks from.
func (f *matchFlags) open(t *matchRecord, o *original) (*match.Match, error) {
	tap := t.tap()
	f.outside.tap(&tap)
	f.programs.Tap(&tap)
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
