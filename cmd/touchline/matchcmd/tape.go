package matchcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"touchline/cmd/touchline/console"
	"touchline/game"
	"touchline/match/fiveaside"
	"touchline/matchlog"
	"touchline/playback"
	"touchline/playback/playbacknet"
	"touchline/soccer"
	"touchline/teamcom/overview"
	"touchline/watch"
	"touchline/watch/inspect"
)

// tape records a match. Without a record it does nothing.
type tape struct {
	*fiveaside.Match
	record    *matchlog.Writer // nil: nothing is recorded
	overview  *overview.Overview
	inspector *inspect.Inspector // of home's messages
	watcher   *watch.Watcher     // of the packages
	samples   int
	stated    soccer.Time // when the newest state was recorded
	failed    error
	view      fiveaside.View
	buf       []byte
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
	t.record, err = matchlog.Create(f.record, map[string]string{
		matchlog.MetaField: "match", matchlog.MetaSize: f.field, matchlog.MetaHome: f.cfg.Home.Name,
		matchlog.MetaAway: f.cfg.Away.Name, MetaMatch: string(setup),
	})
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--record %s: %w; give the name of a new file", f.record, err))
	}
	playbacknet.Declare(t.record)
	t.overview = overview.New(overview.Config{Start: soccer.Epoch})
	t.inspector = inspect.New(soccer.Epoch)
	observed := watch.DefaultConfig()
	observed.Start, observed.Field = soccer.Epoch, f.cfg.Field
	t.watcher = watch.New(observed)
	return t, nil
}

// tap returns what records the match.
func (t *tape) tap() fiveaside.Tap {
	if t.record == nil {
		return fiveaside.Tap{}
	}
	return fiveaside.Tap{
		Packet: func(team game.Side, p *soccer.Packet) {
			if matchlog.PacketChannel(p) == matchlog.Packets {
				t.watcher.Receive(p)
			} else if team == game.Home {
				t.inspector.Receive(p)
			}
			t.buf = matchlog.AppendPacket(t.buf[:0], p)
			t.write(matchlog.Message{Time: p.Time, Channel: matchlog.PacketChannel(p), Data: t.buf})
		},
		Command: func(at soccer.Time, message []byte) {
			t.write(matchlog.Message{Time: at, Channel: matchlog.Commands, Data: message})
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

// truth is the message of the channel truth: the field frame.
type truth struct {
	Time   soccer.Time  `json:"time"`
	Ball   soccer.Vec3  `json:"ball"`
	Robots []truthRobot `json:"robots"`
}

type truthRobot struct {
	Number uint8       `json:"number"`
	Team   game.Side   `json:"team"`
	Shape  string      `json:"shape"`
	Pose   soccer.Pose `json:"pose"`
}

// sample records the truth, the state of the game and the page's topics.
func (t *tape) sample() {
	if t.record == nil || t.failed != nil {
		return
	}
	now := t.Now()
	t.View(&t.view)
	scene := truth{Time: now, Ball: t.view.Ball, Robots: []truthRobot{}}
	for _, r := range t.view.Robots {
		if r.On {
			scene.Robots = append(scene.Robots, truthRobot{r.Number, r.Side, "robot", r.Pose})
		}
	}
	t.json(now, matchlog.Truth, &scene)
	if now.Sub(t.stated) >= time.Second {
		t.stated = now
		t.json(now, matchlog.States, &t.view.Game)
	}
	t.failed = errors.Join(t.failed, playbacknet.Sample(t.samples, now, t.Match.Wall(), t, t.write))
	t.samples++
}

func (t *tape) json(at soccer.Time, channel string, v any) {
	data, err := json.Marshal(v)
	if t.failed = errors.Join(t.failed, err); err == nil {
		t.write(matchlog.Message{Time: at, Channel: channel, Data: data})
	}
}

func (t *tape) write(m matchlog.Message) {
	if t.record != nil && t.failed == nil {
		t.failed = t.record.Write(m)
	}
}

func (t *tape) err() error { return t.failed }

// close finishes the record.
func (t *tape) close() error {
	if t.record == nil {
		return nil
	}
	return errors.Join(t.failed, t.record.Close())
}

// Wall returns the topic "wall".
func (t *tape) Wall(string) any { return t.Match.Wall() }

// Network returns the topic "network": the mixed team packages.
func (t *tape) Network(string) any { return t.watcher.Report(t.Now(), 0) }

// Nodes returns the topic "teamcom": the nodes of both teams.
func (t *tape) Nodes(string) any {
	return t.overview.View(t.Now(), append(t.Reports(game.Home), t.Reports(game.Away)...))
}

// Booking returns the topic "booking" of home.
func (t *tape) Booking(string) any { return t.inspector.Booking(t.Now()) }

// setup is the metadata of a record from which a match is played again.
type setup struct {
	Seed       uint64            `json:"seed"`
	Half       time.Duration     `json:"half"` // ns
	Home       string            `json:"home"`
	Away       string            `json:"away"`
	HomeRobots int               `json:"homeRobots"`
	AwayRobots int               `json:"awayRobots"`
	Field      string            `json:"field"`
	Loss       float64           `json:"loss"`
	Burst      float64           `json:"burst"`
	Delay      time.Duration     `json:"delay"`  // ns
	Jitter     time.Duration     `json:"jitter"` // ns
	Mixed      bool              `json:"mixed"`
	Localise   bool              `json:"localise"`
	Faults     []fiveaside.Fault `json:"faults"`
}

// setup returns the flags that a match depends on.
func (f *flags) setup() *setup {
	c := &f.cfg
	return &setup{
		Seed: c.Seed, Half: c.Half, Home: f.home, Away: f.away, HomeRobots: c.Home.Robots, AwayRobots: c.Away.Robots,
		Field: f.field, Loss: c.Link.Loss, Burst: c.Link.Burst, Delay: c.Link.Delay, Jitter: c.Link.Jitter,
		Mixed: c.Mixed, Localise: c.Localise, Faults: c.Faults,
	}
}

// open returns the match, recorded by a tape.
func (f *flags) open(t *tape) (*fiveaside.Match, error) {
	m, err := fiveaside.New(f.cfg, t.tap())
	t.Match = m
	return m, err
}
