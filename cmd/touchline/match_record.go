package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
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
	writer  *writer          // to it
	show    *match.Show      // of a match that is recorded
	watcher *watch.Watcher   // of the packages
	samples int
	stated  soccer.Time // when the newest state was recorded
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
	record, err := matchlog.CreatePacked(f.record, map[string]string{
		matchlog.MetaField: "match", matchlog.MetaSize: f.field, matchlog.MetaHome: f.cfg.Home.Name,
		matchlog.MetaAway: f.cfg.Away.Name, metaMatch: string(setup),
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
func (t *matchRecord) tap() match.Tap {
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
func (t *matchRecord) step() time.Duration {
	if t.record == nil {
		return 200 * time.Millisecond
	}
	return playback.SamplePeriod
}

// sample records the truth, the state of the game and the page's topics.
func (t *matchRecord) sample() {
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
func (t *matchRecord) json(at soccer.Time, channel string, v any) {
	data, err := json.Marshal(v)
	if t.failed = errors.Join(t.failed, err); err == nil {
		t.writer.message(at, channel, data)
	}
}

func (t *matchRecord) err() error { return t.failed }

// close finishes the record.
func (t *matchRecord) close() error {
	if t.record == nil {
		return nil
	}
	if err := t.writer.close(); t.failed == nil {
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

// writer encodes and writes a record on a goroutine of its own, so that the match goes on meanwhile. Messages wait in
// batches, each of a sample; the match waits when the writer is four of them behind.
type writer struct {
	record *matchlog.Writer
	batch  *batch // that the match fills
	full   chan *batch
	empty  chan *batch
	done   chan struct{}

	mu     sync.Mutex
	failed error // of encoding or writing
}

// batch holds messages in order.
type batch struct {
	entries []entry
	data    []byte
}

// entry is a message: its data, or a value that becomes its data.
type entry struct {
	at       soccer.Time
	channel  string
	value    any
	from, to int // of the data in the batch, without a value
}

const batches = 4

func newWriter(record *matchlog.Writer) *writer {
	w := &writer{
		record: record, batch: new(batch), full: make(chan *batch, batches), empty: make(chan *batch, batches),
		done: make(chan struct{}),
	}
	for range batches {
		w.empty <- new(batch)
	}
	go w.run()
	return w
}

// packet adds a datagram, which it copies.
func (w *writer) packet(p *soccer.Packet) {
	b := w.batch
	from := len(b.data)
	b.data = matchlog.AppendPacket(b.data, p)
	b.entries = append(b.entries, entry{at: p.Time, channel: matchlog.PacketChannel(p), from: from, to: len(b.data)})
}

// message adds a message with data, which it copies.
func (w *writer) message(at soccer.Time, channel string, data []byte) {
	b := w.batch
	from := len(b.data)
	b.data = append(b.data, data...)
	b.entries = append(b.entries, entry{at: at, channel: channel, from: from, to: len(b.data)})
}

// value adds a message with a value that does not change any more.
func (w *writer) value(at soccer.Time, channel string, v any) {
	w.batch.entries = append(w.batch.entries, entry{at: at, channel: channel, value: v})
}

// flush hands over what was added, and returns the first error of writing.
func (w *writer) flush() error {
	w.full <- w.batch
	w.batch = <-w.empty
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

func (w *writer) run() {
	defer close(w.done)
	var failed error
	for b := range w.full {
		for i := 0; i < len(b.entries) && failed == nil; i++ {
			failed = w.write(&b.entries[i], b.data)
		}
		w.mu.Lock()
		w.failed = failed
		w.mu.Unlock()
		clear(b.entries)
		b.entries, b.data = b.entries[:0], b.data[:0]
		w.empty <- b
	}
}

func (w *writer) write(e *entry, data []byte) error {
	m := matchlog.Message{Time: e.at, Channel: e.channel, Data: data[e.from:e.to]}
	if e.value != nil {
		var err error
		if m, err = playback.Message(e.at, e.channel, e.value); err != nil {
			return err
		}
		m.Data = playback.CutDigits(m.Data)
	}
	return w.record.Write(m)
}

// close writes the rest and ends the goroutine.
func (w *writer) close() error {
	err := w.flush()
	close(w.full)
	<-w.done
	if err == nil {
		err = w.failed
	}
	return err
}
