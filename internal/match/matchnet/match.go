package matchnet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/match"
	"touchline/internal/refbox"
	"touchline/internal/refbox/refboxnet"
	"touchline/internal/robot"
	"touchline/internal/robot/robotnet"
	"touchline/internal/station/stationnet"
	"touchline/soccer"
	"touchline/teamcom"
	"touchline/teamcom/teamcomnet"
	"touchline/transport/traffic"
)

// MatchConfig describes a match in real time.
type MatchConfig struct {
	// Match is the match. Programs outside drive its external teams, the software of touchline the others. It has neither
	// Faults nor Mixed. Default match.DefaultMatchConfig
	Match match.MatchConfig
	// Interface is where programs of other machines reach the fields of external teams, which sign then. Default "": loopback
	Interface string
	Processes *Processes // each robot is a process of its own. Default nil: all are part of this program
	Dir       string     // folder for the log of the referee box. Default "": a temporary one, deleted at the end
	// NewCard returns the report card of a team for the page of the referee box. Default nil: none
	NewCard func(team string, field soccer.Field) refbox.ReportCard
	// Tap receives each datagram of the TCM that arrives at a robot or base station of this program, with the time of
	// its arrival. It keeps nothing of it, and is called from several goroutines. Default nil
	Tap func(*soccer.Packet)
	// Sample is the Sample of match.Tap. Default nil
	Sample func(now soccer.Time, s *autoref.Scene, st *game.State)
	// CPU returns the processor time of this process so far. Default nil: only that of robots' processes is counted
	CPU func() time.Duration
}

// Match is a match of five against five for a page. In real time it is the field, and for each team a base station and
// robots, all with sockets of their own, and a referee box. In virtual time it runs at the speed that a user chooses,
// where a pause, a step and every speed show the same match. Its methods may be called from any goroutine.
type Match struct {
	cfg     MatchConfig
	log     *slog.Logger // of warnings
	infos   *slog.Logger
	teams   []*liveTeam   // home, away; nil in virtual time
	referee *matchReferee // nil in virtual time
	load    *meter        // nil in virtual time

	mu      sync.Mutex
	show    *match.Show
	began   time.Time     // of the match's clock in real time
	skipped time.Duration // by which the match fell behind real time
	watched bool          // nobody commands it
	paused  bool
	stood   time.Time // when a pause in real time began
	speed   float64   // 1 is real time, 0 as fast as possible
}

const (
	// liveTick is the period in which the field moves, senses and executes motor commands in real time.
	liveTick = 5 * time.Millisecond
	busy     = 8 * time.Millisecond // of a tick, for a match as fast as possible
)

// VirtualMatch returns a match in virtual time, before its kick-off. tap receives what happens.
func VirtualMatch(cfg match.MatchConfig, tap match.Tap) (*Match, error) {
	show, err := match.NewShow(cfg, tap)
	return &Match{cfg: MatchConfig{Match: cfg}, show: show, speed: 1}, err
}

// OpenMatch opens the sockets of a match in real time. The context bounds the opening alone.
func OpenMatch(ctx context.Context, cfg MatchConfig, log *slog.Logger) (opened *Match, err error) {
	m := &Match{cfg: cfg, log: stationnet.Warnings(log), infos: log, speed: 1}
	if len(cfg.Match.Faults) > 0 || cfg.Match.Mixed {
		return nil, errors.New("match: a real-time match supports neither faults nor mixed team packages")
	}
	if err := cfg.Match.Validate(); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	defer func() {
		if err != nil {
			m.Close()
		}
	}()
	driven := cfg.Match
	driven.Home.External, driven.Away.External = true, true
	const each = 2 + match.MostRobots // station, field and robots
	bases, err := teamcomnet.FreeBases(len(game.Sides) * each)
	if err != nil {
		return nil, err
	}
	tap := match.Tap{Sample: m.sample}
	for i, side := range game.Sides {
		t, err := openTeam(m, side, bases[i*each:(i+1)*each])
		if err != nil {
			return nil, err
		}
		m.teams = append(m.teams, t)
		t.field.Tap(&tap)
	}
	if m.show, err = match.NewShow(driven, tap); err != nil {
		return nil, err
	}
	m.show.Reports = m.reports
	if m.referee, err = openMatchReferee(ctx, m); err != nil {
		return nil, err
	}
	m.show.Obey(m.referee)
	for _, t := range m.teams {
		if err = t.connect(m.referee.box); err != nil {
			return nil, err
		}
	}
	m.load = newMeter(m.cpu)
	return m, nil
}

// sample passes a sample of the field on, and logs it in the referee box's journal, which reviews of decisions read.
func (m *Match) sample(now soccer.Time, s *autoref.Scene, st *game.State) {
	if m.cfg.Sample != nil {
		m.cfg.Sample(now, s, st)
	}
	if m.referee != nil {
		m.referee.logTruth(now, s)
	}
}

// Close closes what OpenMatch opened, if Run is not called.
func (m *Match) Close() {
	for _, t := range m.teams {
		t.close()
	}
	if m.referee != nil {
		m.referee.box.close()
	}
}

// Run plays the match until ctx ends, and closes what OpenMatch opened. After the match its last picture stays.
func (m *Match) Run(ctx context.Context) error {
	if m.teams == nil {
		return m.runVirtual(ctx)
	}
	defer m.Close()
	m.mu.Lock()
	m.began = time.Now()
	m.mu.Unlock()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return m.referee.box.run(ctx) })
	group.Go(func() error { return m.referee.run(ctx) })
	for _, t := range m.teams {
		t.run(ctx, group)
	}
	group.Go(func() error { return each(ctx, liveTick, m.advanceLive) })
	return group.Wait()
}

// each calls f periodically until ctx ends.
func each(ctx context.Context, period time.Duration, f func(now time.Time) error) error {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := f(time.Now()); err != nil {
				return err
			}
		}
	}
}

func (m *Match) runVirtual(ctx context.Context) error {
	last := time.Now()
	return each(ctx, tick, func(now time.Time) error {
		passed := now.Sub(last)
		last = now
		return m.advance(passed)
	})
}

// advance plays what a time of this machine stands for.
func (m *Match) advance(passed time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.paused || m.show.Over():
	case m.speed > 0:
		m.play(time.Duration(float64(min(passed, maxCatchUp)) * m.speed))
	default:
		for end := time.Now().Add(busy); time.Now().Before(end) && !m.show.Over(); {
			m.play(tick)
		}
	}
	return m.show.Err()
}

// play advances the match by a time of its own. It requires m.mu.
func (m *Match) play(d time.Duration) { m.show.Advance(m.show.Now().Add(d)) }

// advanceLive executes the motor commands that arrived, and plays the match up to now.
func (m *Match) advanceLive(now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.paused {
		for _, t := range m.teams {
			t.field.Execute(m.show.Match) // the newest commands, after the pause
		}
		return m.show.Err()
	}
	if behind := m.at(now).Sub(m.show.Now()); behind > maxCatchUp {
		m.skipped += behind - liveTick
	}
	for _, t := range m.teams {
		t.field.Execute(m.show.Match)
	}
	m.show.Advance(m.at(now))
	return m.show.Err()
}

// at returns the match's time at now, in real time. It requires m.mu.
func (m *Match) at(now time.Time) soccer.Time {
	if m.paused && now.After(m.stood) {
		now = m.stood
	}
	return soccer.Epoch.Add(now.Sub(m.began) - m.skipped)
}

// isExternal reports whether programs outside play.
func (m *Match) isExternal() bool {
	return slices.ContainsFunc(m.teams, func(t *liveTeam) bool { return t.external })
}

// complete reports whether both base stations are admitted and the programs of external teams are there.
func (m *Match) complete() bool {
	return !slices.ContainsFunc(m.teams, func(t *liveTeam) bool {
		if t.external {
			select {
			case <-t.field.Arrived():
			default:
				return true
			}
		}
		return !t.station.State().Accepted
	})
}

// Look calls f with the match, which it may use during the call only.
func (m *Match) Look(f func(*match.Show)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m.show)
}

// note puts an event on the timeline; number is the robot that it is about, 0 for none.
func (m *Match) note(kind string, number uint8, text string) {
	m.Look(func(s *match.Show) { s.Note(kind, number, text) })
}

// setLink changes the loss or the delay of what the robots and base stations of both teams receive from now on, except
// the senses. Bursts and jitter stay as they are.
func (m *Match) setLink(c traffic.Change) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	link, err := c.Apply(m.show.Config().Link)
	if err != nil {
		return err
	}
	return m.show.SetLink(link)
}

// reception returns how the network impairs what a robot receives.
func (m *Match) reception(side game.Side, number uint8) robotnet.Reception {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := robotnet.Reception{Link: m.show.Config().Link, Apart: m.show.Apart(side)}
	if r.Apart.Has(number) {
		r.Apart = ^r.Apart
	}
	return r
}

// crash ends the software of a robot of a match in real time without a word to its teammates. It starts again after three
// seconds.
func (m *Match) crash(side game.Side, number uint8) error {
	if side != game.Home && side != game.Away || number < 1 || int(number) > m.cfg.Match.Team(side).Robots {
		return fmt.Errorf("crash of robot %d of %.40q: want home or away, and a robot of the match", number, side)
	}
	t := m.teams[side.Index()]
	if t.external {
		return fmt.Errorf("robot %d of %s runs in a program that this match did not start: stop that program yourself", number, side)
	}
	t.robots.kill(number) // one that is down is down
	return nil
}

// Key returns the key with which a program outside and the field of its team sign; "": they do not.
func (m *Match) Key(side game.Side) string { return m.teams[side.Index()].key }

// Field returns the address of the field of a team, which a program outside asks to join.
func (m *Match) Field(side game.Side) netip.AddrPort { return m.teams[side.Index()].field.Address() }

// RefBox returns the referee box of a match in real time.
func (m *Match) RefBox() *refboxnet.Server { return m.referee.box.Server }

// reports returns what the nodes of a team measured of each other: the field is no part of the team. It requires m.mu.
func (m *Match) reports(side game.Side) []teamcom.Report {
	all := m.teams[side.Index()].reports()
	field := robot.Field.String()
	for i := range all {
		isField := func(l teamcom.LinkReport) bool { return l.Peer == field }
		all[i].Links = slices.DeleteFunc(slices.Clone(all[i].Links), isField)
	}
	return all
}
