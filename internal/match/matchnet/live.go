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
	"touchline/wire/team"
)

// LiveConfig describes a match in real time.
type LiveConfig struct {
	// Match is the match. Programs outside drive its external teams, the software of touchline the others. It has neither
	// Faults nor Mixed. Default match.DefaultMatchConfig
	Match match.MatchConfig
	// Outside leaves the robots of all teams to other processes; see Live.Field. Default false
	Outside bool
	Dir     string    // folder for the log of the referee box. Default "": a temporary one, deleted at the end
	Ports   [2]uint16 // base ports of the fields of home and away. Default 0: available ones
	// NewCard returns the report card of a team for the page of the referee box. Default nil: none
	NewCard func(team string, field soccer.Field) refbox.ReportCard
	// Tap receives each datagram of the TCM that arrives at a robot or base station of this program, with the time of
	// its arrival. It keeps nothing of it, and is called from several goroutines. Default nil
	Tap func(*soccer.Packet)
}

// Live is a match in real time: the field, and for each team a base station and robots, all with sockets of their own,
// and a referee box. Each robot is driven as one of an external team is. Its methods may be called from any goroutine.
type Live struct {
	cfg         LiveConfig
	log         *slog.Logger
	clubs       [2]*club // home, away
	referee     *liveReferee
	connections connections

	mu      sync.Mutex
	show    *match.Show
	began   time.Time     // of the match's clock
	skipped time.Duration // by which the match fell behind
	robots  Robots
}

// Robots are robots in processes of their own, of a match that leaves its robots Outside.
type Robots interface {
	Kill(side game.Side, number uint8) bool
	Reports(side game.Side) []teamcom.Report
	Timings() []Timing
}

// Timing is how well the loop of a robot keeps its period.
type Timing struct {
	Side   game.Side `json:"side"`
	Number uint8     `json:"number"`
	robotnet.Timing
}

const (
	// liveTick is the period in which the field moves, senses and executes motor commands.
	liveTick = 5 * time.Millisecond
	// liveMaxCatchUp is the most that a match catches up: after a standstill of the machine it does not leap.
	liveMaxCatchUp = 250 * time.Millisecond
)

// OpenLive opens the sockets of a match. The context bounds the opening alone.
func OpenLive(ctx context.Context, cfg LiveConfig, log *slog.Logger) (*Live, error) {
	l := &Live{cfg: cfg, log: stationnet.Warnings(log)}
	if len(cfg.Match.Faults) > 0 || cfg.Match.Mixed {
		return nil, errors.New("fiveasidenet: a match in real time has neither faults nor mixed team packages")
	}
	if err := cfg.Match.Validate(); err != nil {
		return nil, fmt.Errorf("fiveasidenet: %w", err)
	}
	driven := cfg.Match
	driven.Home.External, driven.Away.External = true, true
	var tap match.Tap
	var err error
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	const each = 2 + match.MostRobots // station, field and robots
	bases, err := teamcomnet.FreeBases(len(game.Sides) * each)
	if err != nil {
		return nil, err
	}
	for i, side := range game.Sides {
		own := bases[i*each : (i+1)*each]
		if cfg.Ports[i] != 0 {
			own[1] = cfg.Ports[i]
		}
		if l.clubs[i], err = openClub(l, side, own); err != nil {
			return nil, err
		}
		l.clubs[i].field.Tap(&tap)
	}
	if l.show, err = match.NewShow(driven, tap); err != nil {
		return nil, err
	}
	l.show.Reports = l.reports
	if l.referee, err = openReferee(ctx, l); err != nil {
		return nil, err
	}
	l.show.Obey(l.referee)
	for _, c := range l.clubs {
		if err = c.connect(l.referee.server.Addr().String()); err != nil {
			return nil, err
		}
		for n := 0; n < cfg.Match.Team(c.side).Robots && !c.external && !cfg.Outside; n++ {
			c.runners = append(c.runners, &runner{club: c, number: uint8(n + 1)})
		}
	}
	return l, nil
}

// Close closes what OpenLive opened, if Run is not called.
func (l *Live) Close() {
	for _, c := range l.clubs {
		if c != nil {
			c.close()
		}
	}
	if l.referee != nil {
		l.referee.close()
	}
}

// Run plays the match until ctx ends, and closes what OpenLive opened. After the match its last picture stays.
func (l *Live) Run(ctx context.Context) error {
	defer l.Close()
	l.mu.Lock()
	l.began = time.Now()
	l.mu.Unlock()
	group, ctx := errgroup.WithContext(ctx)
	l.referee.ran = true
	group.Go(func() error {
		if err := l.referee.server.Run(ctx); err != nil {
			return fmt.Errorf("the referee box: %w", err)
		}
		return nil
	})
	group.Go(func() error { return l.referee.run(ctx) })
	for _, c := range l.clubs {
		c.run(ctx, group)
	}
	group.Go(func() error { return l.loop(ctx) })
	return group.Wait()
}

// loop moves the field.
func (l *Live) loop(ctx context.Context) error {
	ticker := time.NewTicker(liveTick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if err := l.advance(time.Now()); err != nil {
				return err
			}
		}
	}
}

// advance executes the motor commands that arrived, and plays the match up to now.
func (l *Live) advance(now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if behind := l.at(now).Sub(l.show.Now()); behind > liveMaxCatchUp {
		l.skipped += behind - liveTick
	}
	for _, c := range l.clubs {
		c.field.Execute(l.show.Match)
	}
	l.show.Advance(l.at(now))
	return l.show.Err()
}

// at returns the match's time at now. It requires l.mu.
func (l *Live) at(now time.Time) soccer.Time { return soccer.Epoch.Add(now.Sub(l.began) - l.skipped) }

// complete reports whether both base stations are admitted and the programs of external teams are there.
func (l *Live) complete() bool {
	return !slices.ContainsFunc(l.clubs[:], func(c *club) bool {
		if c.external {
			select {
			case <-c.field.Arrived():
			default:
				return true
			}
		}
		return !c.station.State().Accepted
	})
}

// Look calls f with the match, which it may use during the call only.
func (l *Live) Look(f func(*match.Show)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.show)
}

// Note puts an event on the timeline; number is the robot that it is about, 0 for none.
func (l *Live) Note(kind string, number uint8, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.show.Note(kind, number, text)
}

// receive shows and records a datagram that arrived at a node of a team.
func (l *Live) receive(side game.Side, p *soccer.Packet) {
	if l.cfg.Tap != nil {
		l.cfg.Tap(p)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p.Time = l.show.Now()
	l.show.Receive(side, p)
}

// heard notes that the robots of a team heard its station. Where messages are lost or late nobody knows when they did.
func (l *Live) heard(c *club, m *team.Referee) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.show.Config().Link != (traffic.Link{}) {
		return
	}
	for n := range l.cfg.Match.Team(c.side).Robots {
		if number := uint8(n + 1); !l.show.Apart(c.side).Has(number) {
			l.show.Hear(c.side, number, m)
		}
	}
}

// Config returns the configuration.
func (l *Live) Config() LiveConfig { return l.cfg }

// Field returns the address of the field of a team, which a robot in a process of its own asks to join.
func (l *Live) Field(side game.Side) netip.AddrPort { return l.clubs[side.Index()].field.Address() }

// RefBox returns the referee box.
func (l *Live) RefBox() *refboxnet.Server { return l.referee.server }

// Attach lets the match show, and crash, robots in processes of their own.
func (l *Live) Attach(robots Robots) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.robots = robots
}

// reports returns what the nodes of a team measured of each other: the field is no part of the team. It requires l.mu.
func (l *Live) reports(side game.Side) []teamcom.Report {
	all := l.clubs[side.Index()].reports()
	if l.robots != nil {
		all = append(all, l.robots.Reports(side)...)
	}
	field := robot.Field.String()
	for i := range all {
		isField := func(l teamcom.LinkReport) bool { return l.Peer == field }
		all[i].Links = slices.DeleteFunc(slices.Clone(all[i].Links), isField)
	}
	return all
}

// Timings returns how well the loops of the robots keep their period, home first. Robots that do not run, and those of
// other programs, are missing.
func (l *Live) Timings() []Timing {
	l.mu.Lock()
	robots := l.robots
	l.mu.Unlock()
	if robots != nil {
		return robots.Timings()
	}
	var all []Timing
	for _, c := range l.clubs {
		for _, r := range c.runners {
			if t, ok := r.timing(); ok {
				all = append(all, Timing{c.side, r.number, t})
			}
		}
	}
	return all
}
