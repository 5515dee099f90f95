// Package fiveaside plays a match of the Middle Size League in virtual time: robots of two teams with their software, the
// TCM of each team on lossy links, base stations, and a referee box with an automatic referee. It is a pure core: one
// queue of events, no goroutine and no socket. The same Config gives the same match on every machine, byte for byte.

package match

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"touchline/game"
	"touchline/internal/robot"
	"touchline/internal/robot/hfsm"
	"touchline/internal/robot/play"
	"touchline/internal/watch"
	"touchline/sim"
	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/team"
)

// MostRobots is the largest number of robots of a team, and their highest jersey number.
const MostRobots = 5

// MatchConfig describes a match.
type MatchConfig struct {
	Seed  uint64        // of everything random. Default 1
	Field soccer.Field  // Default 18 x 12 m
	Half  time.Duration // of each half, in whole seconds, 1 s to 1 h. Default 15 min (MSL Rules 2026)
	Home  Team          // attacks +x in the first half. Default touchline
	Away  Team          // Default touchline
	Link  traffic.Link  // impairs the datagrams to each receiver. Default perfect
	// Localise lets robots find their poses by odometry with slip, field lines and a compass; otherwise the errors of poses
	// are drawn, which is faster. Default false
	Localise bool
	Mixed    bool // robots also send mixed team packages to their teammates. Default false
	// Debug lets robots send debug records to their computers, and nodes measure their links: pages and records show both.
	// Default false
	Debug  bool
	Faults []Fault // in any order. Default none
}

// Team describes a team.
type Team struct {
	Name    string // in results, for example "touchline"
	Robots  int    // 1..5, with the jersey numbers from 1. Default 5
	Booking string // protocol that books the ball; see robot.Config. Default "lease"
	Still   bool   // its robots never move
	// Machine decides what its robots do. nil: play.Default()
	Machine *hfsm.Machine
	// External: programs outside drive its robots; see Tap.Sense and Drive. The match then has to run in real time.
	External bool
}

// Teams returns the built-in teams. Their robots differ in how they book the ball.
func Teams() []Team {
	return []Team{
		{Name: "touchline", Robots: MostRobots, Booking: "lease"},
		{Name: "touchline-nobooking", Robots: MostRobots, Booking: "none"},
		{Name: "touchline-literal", Robots: MostRobots, Booking: "literal"},
		{Name: "touchline-nearest", Robots: MostRobots, Booking: "nearest"},
		{Name: "still", Robots: MostRobots, Booking: "none", Still: true},
		{Name: "external", Robots: MostRobots, Booking: "none", External: true},
	}
}

// machinePrefix begins the name of a team whose robots play by the state machine in a file.
const machinePrefix = "play:"

// FindTeam returns the built-in team of a name, or for "play:FILE" the team touchline whose robots play by the state
// machine in a file, as docs/robot.md writes it. read reads the file. The error lists the names, or says what is wrong
// with the file.
func FindTeam(name string, read func(path string) ([]byte, error)) (Team, error) {
	if path, ok := strings.CutPrefix(name, machinePrefix); ok {
		return machineTeam(name, path, read)
	}
	var names []string
	for _, t := range Teams() {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Team{}, fmt.Errorf("%.40q: want %s, or %sFILE for a state machine", name, strings.Join(names, ", "), machinePrefix)
}

// machineTeam returns the team touchline with the state machine of a file.
func machineTeam(name, path string, read func(path string) ([]byte, error)) (Team, error) {
	t := Teams()[0]
	data, err := read(path)
	if err != nil {
		return t, fmt.Errorf("%s: %w", name, err)
	}
	t.Name = name
	if t.Machine, err = hfsm.Parse(data); err == nil {
		err = t.Machine.Check(play.Conditions(), play.Behaviours())
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// DefaultMatchConfig returns a match of two teams with the booking, 15 minutes a half, on a perfect network.
func DefaultMatchConfig() MatchConfig {
	home, away := Teams()[0], Teams()[0]
	return MatchConfig{Seed: 1, Field: soccer.MSL18x12(), Half: 15 * time.Minute, Home: home, Away: away}
}

// Validate returns an error that names the first value out of range and the range.
func (c *MatchConfig) Validate() error {
	if c.Half < time.Second || c.Half > time.Hour || c.Half%time.Second != 0 {
		return fmt.Errorf("half %v: want whole seconds from 1s to 1h, for example 900s", c.Half)
	}
	for _, side := range game.Sides {
		t := c.Team(side)
		if t.Robots < 1 || t.Robots > MostRobots {
			return fmt.Errorf("%s-robots %d: want 1 to %d", side, t.Robots, MostRobots)
		}
		if err := robot.CheckBooking(t.Booking); err != nil {
			return fmt.Errorf("%s: booking %w", side, err)
		}
	}
	if err := c.Link.Validate(); err != nil {
		return err
	}
	for i := range c.Faults {
		if err := c.Faults[i].validate(c); err != nil {
			return err
		}
	}
	return nil
}

// Team returns the team of a side.
func (c *MatchConfig) Team(side game.Side) *Team {
	if side == game.Home {
		return &c.Home
	}
	return &c.Away
}

// Periods and times of a match.
const (
	controlPeriod      = 20 * time.Millisecond  // of a robot
	matchRefereePeriod = 20 * time.Millisecond  // in which the referee looks at the field
	bodyStep           = 2 * time.Millisecond   // of the field: control periods begin at multiples of it
	matchAir           = 300 * time.Microsecond // that a datagram is under way
)

// Match is a match. Advance moves its clock, which starts at soccer.Epoch. It is not safe for concurrent use.
type Match struct {
	cfg     MatchConfig
	tap     Tap
	engine  *sim.Engine
	now     soccer.Time
	queue   traffic.Queue
	players []player // home 1.., away 1..
	bases   [2]base  // home, away
	game    *game.Game
	box     Box // nil: game is
	over    bool
	referee referee
	tally   *Tally
	marks   []watch.Mark // of the timeline
	world   soccer.World // scratch
	ether   matchEther
	decoded [2]robot.Decoded // home, away
	errors  error            // the first error of the program itself
}

// Tap receives what happens in a match. A nil function receives nothing. Arguments are valid during the call only.
type Tap struct {
	Packet   func(team game.Side, p *soccer.Packet)    // each datagram that was sent
	Command  func(at soccer.Time, message []byte)      // each command of the referee box, as JSON
	Decision func(d *game.Decision, out *game.Outcome) // each decision of the referee
	// For external teams: what a robot sensed some time ago, the latency of its camera, and what its station tells its robots.
	Sense   func(side game.Side, number uint8, age time.Duration, m *team.Sense)
	Referee func(side game.Side, m *team.Referee)
}

// Kinds of events, in the queue's payload beside an index.
const (
	controlEvent = iota // of a player
	baseEvent           // of a team
	refereeEvent
	faultBegins // index of the fault
	faultEnds
	kinds
)

// NewMatch returns a match with all robots in their halves, before its kick-off. An error names the range of a value that is
// out of range.
func NewMatch(cfg MatchConfig, tap Tap) (*Match, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("fiveaside: %w", err)
	}
	cfg.Faults = slices.Clone(cfg.Faults)
	simulator := sim.DefaultConfig()
	simulator.Field, simulator.Seed = cfg.Field, cfg.Seed
	rules := game.DefaultRules()
	rules.HalfSeconds = int(cfg.Half / time.Second)
	m := &Match{cfg: cfg, tap: tap, engine: sim.New(simulator), now: soccer.Epoch, game: game.New(rules, soccer.Epoch)}
	m.ether.open(&cfg)
	m.tally = NewTally(cfg.Field)
	phases := rand.New(rand.NewPCG(cfg.Seed, 0x5a1de))
	for i, side := range game.Sides {
		if err := m.bases[i].open(m, side); err != nil {
			return nil, err
		}
		for n := range cfg.Team(side).Robots {
			m.players = append(m.players, player{side: side, number: uint8(n + 1), id: bodyOf(side, uint8(n+1))})
		}
	}
	for i := range m.players {
		if err := m.enter(i, phases); err != nil {
			return nil, err
		}
	}
	m.referee.open(&cfg, rules, len(m.players))
	for i := range m.bases {
		m.schedule(m.now, baseEvent, i)
	}
	m.schedule(m.now, refereeEvent, 0)
	for i := range cfg.Faults {
		m.schedule(m.now.Add(cfg.Faults[i].From), faultBegins, i)
		m.schedule(m.now.Add(cfg.Faults[i].To), faultEnds, i)
	}
	return m, nil
}

// schedule puts an event into the queue.
func (m *Match) schedule(at soccer.Time, kind, index int) { m.queue.Push(at, int32(index*kinds+kind)) }

// Now returns the match's time.
func (m *Match) Now() soccer.Time { return m.now }

// Config returns the match's configuration.
func (m *Match) Config() MatchConfig { return m.cfg }

// Over reports whether the match has ended.
func (m *Match) Over() bool { return m.over }

// Err returns the first error of the program itself: a match never goes on with one unnoticed.
func (m *Match) Err() error { return m.errors }

// fail notes an error of the program itself.
func (m *Match) fail(err error) {
	if err != nil && m.errors == nil {
		m.errors = fmt.Errorf("fiveaside: at %v: %w", m.now.Sub(soccer.Epoch), err)
	}
}

// Advance runs the match up to a time, at most to its end. A time before Now has no effect.
func (m *Match) Advance(to soccer.Time) {
	for !m.over {
		at, event, ok := m.queue.First()
		if !ok || at > to {
			break
		}
		m.queue.Pop()
		m.now = max(m.now, at)
		m.step()
		m.happen(int(event)%kinds, int(event)/kinds)
	}
	if !m.over {
		m.now = max(m.now, to)
	}
}

// step moves the field to an event: the steps of the caller change nothing.
func (m *Match) step() {
	m.engine.Step(m.now.Sub(m.engine.Now()))
	for _, k := range m.engine.Kicks() {
		s := &m.referee.scene
		s.Kicked, s.KickedAt = playerOf(k.Robot), k.At
		m.Note("kick", k.Robot%10, fmt.Sprintf("%s %d kicks", s.Kicked.Side, s.Kicked.Number))
	}
}

// happen carries out an event.
func (m *Match) happen(kind, index int) {
	switch kind {
	case controlEvent:
		m.control(index)
		m.schedule(m.now.Add(controlPeriod), controlEvent, index)
	case baseEvent:
		if m.box != nil {
			return
		}
		m.bases[index].step(m)
		m.schedule(m.now.Add(controlPeriod), baseEvent, index)
	case refereeEvent:
		m.judge()
		m.schedule(m.now.Add(matchRefereePeriod), refereeEvent, 0)
	case faultBegins:
		m.fault(&m.cfg.Faults[index], true)
	case faultEnds:
		m.fault(&m.cfg.Faults[index], false)
	}
}
