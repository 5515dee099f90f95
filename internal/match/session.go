package match

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"touchline/internal/camera"
	"touchline/internal/watch"
	"touchline/sim"
	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/wire/mixedteam"
)

// Config describes a practical session.
type Config struct {
	Seed       uint64            // of everything random. Default 1
	Group      string            // the channel's name on the page. Default "224.16.32.75:2005"
	Field      soccer.Field      // Default 18 x 12 m
	Robots     int               // on the field, 1..5; one more is the substitute. Default 5
	Obstacles  int               // 0..12. Default 4
	Variant    mixedteam.Variant // of the robots' packages. Default v2
	Trailer    int               // bytes after each package, 0..1200. Default 0
	Link       traffic.Link      // impairs the packets to each receiver. Default perfect
	Kick       [2]time.Duration  // least and greatest time between kick-ins; zeros: never. Default 3 to 6 s
	Substitute [2]time.Duration  // least and greatest time between substitutions; zeros: never. Default 20 to 40 s
	NoTCM      bool              // the robots send packages only; see Virtual. Default false
	Booking    string            // protocol with which the robots book the ball; see robot.Config. Default "lease"
	Outside    bool              // all robots' software runs outside the session; see Join. Default false
	Remote     bool              // programs outside run on other machines, too. Default false
	Alone      bool              // robots have no substitute. Default false
	// Localise lets robots find their poses by odometry with slip, field lines and a compass. Otherwise, and for stand-ins
	// that see through bodies, the errors of poses are drawn, as sim.Camera says. Default false
	Localise bool

	// Pixels are the robots that see balls and obstacles in the pixels of drawn pictures, at most ten a second; the others
	// have the sensor model of sim.Camera. Default none
	Pixels soccer.RobotSet
	// Known returns what is set at a robot's camera before a picture is taken for Pixels. Default: as built
	Known func(number uint8) Known
	// Background draws a picture in the background: it starts work and returns a function that waits for its end. Default:
	// the session waits while a picture is drawn
	Background func(work func()) (wait func())
}

// DefaultConfig returns the session of 2014.
func DefaultConfig() Config {
	return Config{
		Seed: 1, Group: mixedteam.Group, Field: soccer.MSL18x12(), Robots: 5, Obstacles: 4, Variant: mixedteam.V2,
		Kick:       [2]time.Duration{3 * time.Second, 6 * time.Second},
		Substitute: [2]time.Duration{20 * time.Second, 40 * time.Second}, Booking: "lease",
	}
}

// Session is a practical session. Advance moves its clock, which starts at soccer.Epoch; the robots' datagrams go to
// the function given to New, and Deliver hands a datagram to a receiver. It is not safe for concurrent use.
type Session struct {
	core
	cfg        Config
	friction   float64 // of the field, m/s^2
	rng        *rand.Rand
	members    []Participant                  // all of them
	addrs      [maxMembers + 1]netip.AddrPort // by jersey number: the address that a robot sends from
	former     []netip.AddrPort               // addresses that robots sent from
	quiet      bool                           // see Quiet
	slots      []slot                         // places on the field, each with a tile on the page
	substitute int                            // index into members
	links      links
	send       func(number uint8, b []byte)
	watcher    *watch.Watcher // of the Monitor
	reports    []RobotEvent
	scores     []Score          // by member
	buf        []byte           // scratch
	header     mixedteam.Header // scratch
	percepts   soccer.Percepts  // scratch
	radio      Radio            // nil without the TCM
	penalised  soccer.RobotSet
	decisions  uint32 // changes of penalised
	probe      Probe
	venue      *camera.Venue // nil until a robot sees by pixels
}

// slot is a place on the field with the robot that stands there.
type slot struct {
	unit
	member   int             // index into members
	off      bool            // switched off
	crashed  soccer.Time     // when its software last crashed
	received []soccer.Packet // the newest of each sender, for the page
	drag     drag
	body     Body // the newest one
}

// enter puts a participant into the place. Its software does not run yet.
func (s *slot) enter(index int, m *Participant) {
	*s = slot{member: index, unit: unit{number: m.Number, id: m.Number, team: m.Team, shape: m.Shape, lens: m.Camera}}
}

const maxMembers = 6

// Name returns the name of the session for people.
func (c *Config) Name() string {
	if c.Alone {
		return "one robot"
	}
	return "practical session"
}

// Monitor is the number of the receiver that observes all packets and is not a robot.
const Monitor uint8 = 0

// New returns a session with all robots placed. Advance calls send with each datagram that a robot sends; its bytes are
// valid during the call only. New returns an error that names the range of a value that is out of range.
func New(cfg Config, send func(number uint8, b []byte)) (*Session, error) {
	members := Participants()
	if cfg.Robots < 1 || cfg.Robots > len(members)-1 {
		return nil, fmt.Errorf("match: robots %d: want 1 to %d; one more is the substitute", cfg.Robots, len(members)-1)
	}
	if cfg.Obstacles < 0 || cfg.Obstacles > 12 {
		return nil, fmt.Errorf("match: obstacles %d: want 0 to 12, as many as a package holds", cfg.Obstacles)
	}
	if err := cfg.Link.Validate(); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	simulator := sim.DefaultConfig()
	simulator.Field, simulator.Seed = cfg.Field, cfg.Seed
	s := &Session{
		cfg: cfg, send: send, friction: simulator.Friction, rng: rand.New(rand.NewPCG(cfg.Seed, 0x5e5510)),
		members: members, substitute: cfg.Robots, slots: make([]slot, cfg.Robots),
	}
	s.open(simulator)
	s.links.set(cfg.Link)
	s.links.joined = true
	s.links.seed = func(l link) (uint64, uint64) {
		return cfg.Seed*1_000_003 + uint64(l.from.Port())*257 + uint64(l.to), 0
	}
	s.kicked = func(k *sim.Kick) {
		s.Note("kick", k.Robot, "kick")
		s.report(k.Robot, "kick")
	}
	observed := watch.DefaultConfig()
	observed.Group, observed.Start, observed.Field = cfg.Group, soccer.Epoch, cfg.Field
	s.watcher = watch.New(observed)
	for _, m := range members {
		s.scores = append(s.scores, Score{Number: m.Number, Team: m.Team})
		s.addrs[m.Number] = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 40000+uint16(m.Number))
	}
	var numbers []uint8
	for i := range s.slots {
		s.slots[i].enter(i, &members[i])
		s.units = append(s.units, &s.slots[i].unit)
		numbers = append(numbers, members[i].Number)
	}
	if err := s.engine.Scatter(numbers, cfg.Obstacles); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	for i := range s.slots {
		if err := s.start(i); err != nil {
			return nil, err
		}
	}
	s.repeat([2]time.Duration{samplePeriod, samplePeriod}, s.sample)
	s.repeat([2]time.Duration{stopPeriod, stopPeriod}, s.stopBall)
	s.repeat(cfg.Kick, s.unlessQuiet(s.KickIn))
	s.repeat(cfg.Substitute, s.unlessQuiet(s.substituteAny))
	return s, nil
}

// Bind sets the address that the robot of a jersey number sends from.
func (s *Session) Bind(number uint8, addr netip.AddrPort) { s.addrs[number] = addr }

// Bound reports whether a robot of the session sends from addr, or did.
func (s *Session) Bound(addr netip.AddrPort) bool {
	return slices.Contains(s.addrs[:], addr) || slices.Contains(s.former, addr)
}

// repeat runs do again and again at random intervals within the bounds; zeros mean never.
func (s *Session) repeat(between [2]time.Duration, do func()) {
	if between[1] <= 0 {
		return
	}
	wait := between[0] + time.Duration(s.rng.Int64N(int64(between[1]-between[0])+1))
	s.after(wait, func() {
		do()
		s.repeat(between, do)
	})
}

// Advance runs the session up to a time: bodies move, cameras take pictures, robots send. A time before Now has no
// effect.
func (s *Session) Advance(to soccer.Time) {
	s.run(to)
	s.move(to)
}
