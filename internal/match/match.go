package match

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/robot"
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
	Mixed    bool // robots also send mixed team packages to their teammates and the station. Default false
	// Debug lets robots send debug records to their computers, and nodes measure their links: pages and records show both.
	// Default false
	Debug  bool
	Faults []Fault // in any order. Default none
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
		if t.Title != "" {
			if err := CheckTitle(t.Title); err != nil {
				return fmt.Errorf("%s-name %w", side, err)
			}
		}
		if err := robot.CheckBooking(t.Booking); err != nil {
			return fmt.Errorf("%s: booking %w", side, err)
		}
	}
	if t := c.Home.Title; t != "" && t == c.Away.Title {
		return fmt.Errorf("away-name %q: the home team already has this name: choose another one", t)
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
	controlPeriod = 20 * time.Millisecond // of robots, base stations and referee
	tallyPeriod   = 5                     // of the figures, in control periods
	bodyStep      = 2 * time.Millisecond  // of the field: control periods begin at multiples of it
)

// Match is a match. Advance moves its clock, which starts at soccer.Epoch. It is not safe for concurrent use.
type Match struct {
	core
	cfg     MatchConfig
	tap     Tap
	players []player // home 1.., away 1..
	bases   [2]base  // home, away
	game    *game.Game
	box     Box // nil: game is
	referee referee
	tally   *analysis.Tally
	sampled autoref.Scene // what tally saw last
	judged  uint64        // control periods of the referee
	began   soccer.Time   // the game that tally counts
	ether   ether
	decoded [2]robot.Decoded // home, away
	failed  error            // the first error of the program itself
}

// Tap receives what happens in a match. A nil function receives nothing. Arguments are valid during the call only.
type Tap struct {
	Packet   func(team game.Side, p *soccer.Packet)    // each datagram that was sent
	Command  func(at soccer.Time, message []byte)      // each command of the referee box, as JSON
	Decision func(d *game.Decision, out *game.Outcome) // each decision of the referee
	// Sample receives what the figures are computed from: the field and the state of the game, ten times a second.
	Sample func(now soccer.Time, s *autoref.Scene, st *game.State)
	// Look receives the field and the state of the game as the referee sees them, 50 times a second.
	Look func(now soccer.Time, s *autoref.Scene, st *game.State)
	// For external teams: what a robot sensed some time ago, the latency of its camera, and what its station tells its robots.
	Sense   func(side game.Side, number uint8, age time.Duration, m *team.Sense)
	Referee func(side game.Side, m *team.Referee)
	// Turn is called at the start and every TurnPeriod, for teams that programs play in lockstep: it hands them what Sense and
	// Referee told since the last turn, and calls Drive with what they answer. Its error ends the match: it is that of Err.
	Turn func(m *Match) error
}

// TurnPeriod is the time between two turns of a program: the control period of touchline's own robots.
const TurnPeriod = controlPeriod

// NewMatch returns a match with all robots in their halves, before its kick-off. An error names the range of a value that is
// out of range.
func NewMatch(cfg MatchConfig, tap Tap) (*Match, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	if (cfg.Home.Program != nil || cfg.Away.Program != nil) && tap.Turn == nil {
		return nil, errors.New("match: one team is a program; programs play only in touchline match and touchline batch")
	}
	cfg.Faults = slices.Clone(cfg.Faults)
	simulator := sim.DefaultConfig()
	simulator.Field, simulator.Seed = cfg.Field, cfg.Seed
	rules := game.DefaultRules()
	rules.HalfSeconds = int(cfg.Half / time.Second)
	m := &Match{cfg: cfg, tap: tap, game: game.New(rules, soccer.Epoch), began: soccer.Epoch}
	m.open(simulator)
	m.kicked = m.kick
	m.ether.open(&cfg)
	m.tally = analysis.NewTally(cfg.Field)
	phases := rand.New(rand.NewPCG(cfg.Seed, 0x5a1de))
	for i, side := range game.Sides {
		if err := m.bases[i].open(m, side); err != nil {
			return nil, err
		}
		for n := range cfg.Team(side).Robots {
			m.players = append(m.players, newPlayer(side, uint8(n+1), cfg.Team(side)))
		}
	}
	for i := range m.players {
		if err := m.enter(i, phases); err != nil {
			return nil, err
		}
	}
	m.referee.open(&cfg, rules, len(m.players))
	for i := range m.bases {
		m.every(m.now, controlPeriod, func() { m.bases[i].step(m) })
	}
	m.every(m.now, controlPeriod, m.judge)
	if tap.Turn != nil {
		m.every(m.now, TurnPeriod, m.turn)
	}
	for _, f := range cfg.Faults {
		m.schedule(f)
	}
	return m, nil
}

// turn lets the programs of teams play. After a failure they are not asked again.
func (m *Match) turn() {
	if m.failed == nil {
		m.fail(m.tap.Turn(m))
	}
}

// Config returns the match's configuration.
func (m *Match) Config() MatchConfig { return m.cfg }

// Over reports whether the match has ended.
func (m *Match) Over() bool { return m.over }

// Err returns the first error of the program itself: a match never goes on with one unnoticed.
func (m *Match) Err() error { return m.failed }

// fail notes an error of the program itself.
func (m *Match) fail(err error) {
	if err != nil && m.failed == nil {
		m.failed = fmt.Errorf("match: at %v: %w", m.now.Sub(soccer.Epoch), err)
	}
}

// Advance runs the match up to a time, at most to its end. A time before Now has no effect. The field stands where it was
// at the newest event: the steps of the caller change nothing.
func (m *Match) Advance(to soccer.Time) {
	if m.over && m.box != nil {
		m.lookAtGame() // a person may have begun another game
	}
	if m.run(to); !m.over {
		m.now = max(m.now, to)
	}
}

// kick notes a kick of a robot.
func (m *Match) kick(k *sim.Kick) {
	s := &m.referee.scene
	s.Kicked, s.KickedAt, s.KickVelocity = playerOf(k.Robot), k.At, k.Velocity
	s.KickBall, _ = m.engine.Ball()
	m.Note("kick", s.Kicked.Number, fmt.Sprintf("%s %d kicks", s.Kicked.Side, s.Kicked.Number))
}

// SetLink impairs the datagrams of both teams from now on.
func (m *Match) SetLink(link traffic.Link) error {
	if err := link.Validate(); err != nil {
		return err
	}
	m.cfg.Link = link
	m.ether.impair(&m.cfg, uint64(m.now))
	return nil
}

// StationDelays returns the delays of the copies of the next datagram from a robot of a team to its base station, or for
// number 0 from another sender; none if it is lost.
func (m *Match) StationDelays(side game.Side, number uint8) []time.Duration {
	t, from := side.Index(), min(number, MostRobots)
	return slices.Clone(m.ether.links.next(t, from, computer, link{m.ether.from[t][from][0], computer}))
}

// Apart returns the robots of a team that are cut off from the others.
func (m *Match) Apart(side game.Side) soccer.RobotSet { return m.ether.links.apart[side.Index()] }

// Reseed goes on with another seed: what happened before stays, and all random numbers from now on are others.
func (m *Match) Reseed(seed uint64) {
	m.cfg.Seed = seed
	m.engine.Reseed(seed)
	m.ether.impair(&m.cfg, uint64(m.now))
	for i := range m.players {
		if p := &m.players[i]; p.robot != nil {
			p.robot.Reseed(p.seed(&m.cfg))
			if p.self != nil {
				m.fail(p.self.reseed(seed))
			}
		}
	}
}
