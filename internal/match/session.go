// Package match runs the practical session of the MSL Workshop 2014 (Practical Session 2014): a field, robots of six
// teams and the packages that they exchange. It is a pure core that steps in virtual time; package matchnet runs it in
// real time on sockets.
package match

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"touchline/internal/camera"
	"touchline/internal/robot"
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
	Alone      bool              // robots have no substitute. Default false
	// Localise lets robots find their poses by odometry with slip, field lines and a compass. Otherwise, and for stand-ins
	// that see through bodies, the errors of poses are drawn, as sim.Camera says. Default false
	Localise bool

	// Pixels are the robots that see balls and obstacles in the pixels of drawn pictures, at most ten a second; the others
	// have the sensor model of sim.Camera. Default none
	Pixels soccer.RobotSet
	// Known returns what is set at a robot's camera before a picture is taken for Pixels. Default: as built
	Known func(number uint8) Known
	// Beside draws a picture beside the session: it starts work and returns a function that waits for its end. Default: the
	// session waits while a picture is drawn
	Beside func(work func()) (wait func())
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
	cfg        Config
	engine     *sim.Engine
	friction   float64 // of the engine, m/s^2
	rng        *rand.Rand
	members    []Participant                  // all of them
	addrs      [maxMembers + 1]netip.AddrPort // by jersey number: the address that a robot sends from
	former     []netip.AddrPort               // addresses that robots sent from
	drags      [maxMembers + 1]drag           // by jersey number
	executed   [maxMembers + 1]uint32         // by jersey number: sequence of the newest motor command; 0: none
	localisers [maxMembers + 1]*Localiser     //  by jersey number; nil without Localise
	bodies     [maxMembers + 1]Body           // by jersey number: the newest of the robots whose software runs here
	quiet      bool                           // see Quiet
	slots      []slot                         // places on the field, each with a tile on the page
	substitute int                            // index into members
	now        soccer.Time
	queue      events
	order      uint64 // of events at the same time
	links      map[link]*traffic.Impairment
	send       func(number uint8, b []byte)
	watcher    *watch.Watcher // of the Monitor
	marks      []watch.Mark
	reports    []RobotEvent
	scores     []Score          // by member
	delays     []time.Duration  // scratch
	buf        []byte           // scratch
	header     mixedteam.Header // scratch
	percepts   soccer.Percepts  // scratch
	world      soccer.World     // scratch
	radio      Radio            // nil without the TCM
	side       soccer.RobotSet  // robots on one side of a partition; 0: there is none
	penalised  soccer.RobotSet
	decisions  uint32 // changes of penalised
	probe      Probe
	hall       *camera.Venue // nil until a robot sees by pixels
}

// slot is a place on the field.
type slot struct {
	member   int             // index into members
	robot    *robot.Robot    // nil while switched off, or outside
	outside  *outside        // nil while the robot is not outside the session
	off      bool            // switched off
	crashed  soccer.Time     // when its software last crashed
	mirrored bool            // its localisation takes one half of the field for the other
	received []soccer.Packet // the newest of each sender, for the page
}

const maxMembers = 6

// link identifies the link from one sender to one receiver.
type link struct {
	from netip.AddrPort
	to   uint8
}

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
		cfg: cfg, send: send, engine: sim.New(simulator), friction: simulator.Friction,
		rng: rand.New(rand.NewPCG(cfg.Seed, 0x5e5510)), links: map[link]*traffic.Impairment{},
		members: members, substitute: cfg.Robots, now: soccer.Epoch,
	}
	observed := watch.DefaultConfig()
	observed.Group, observed.Start, observed.Field = cfg.Group, soccer.Epoch, cfg.Field
	s.watcher = watch.New(observed)
	for _, m := range members {
		s.scores = append(s.scores, Score{Number: m.Number, Team: m.Team})
		s.addrs[m.Number] = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 40000+uint16(m.Number))
	}
	var numbers []uint8
	for i := range cfg.Robots {
		s.slots = append(s.slots, slot{member: i})
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

// event is a function that runs at a time.
type event struct {
	at    soccer.Time
	order uint64
	still bool // the field does not move up to it: what happens there is the same with and without such events
	do    func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	old[len(old)-1] = event{}
	*e = old[:len(old)-1]
	return last
}

// after schedules do for d after now, in whole milliseconds.
func (s *Session) after(d time.Duration, do func()) {
	s.order++
	heap.Push(&s.queue, event{at: s.now.Add(d.Round(time.Millisecond)), order: s.order, do: do})
}

// afterStill schedules do for d after now, without moving the field up to then.
func (s *Session) afterStill(d time.Duration, do func()) {
	s.order++
	heap.Push(&s.queue, event{at: s.now.Add(d), order: s.order, still: true, do: do})
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

// Now returns the session's time.
func (s *Session) Now() soccer.Time { return s.now }

// Advance runs the session up to a time: bodies move, cameras take pictures, robots send. A time before Now has no
// effect.
func (s *Session) Advance(to soccer.Time) {
	for len(s.queue) > 0 && s.queue[0].at <= to {
		e := heap.Pop(&s.queue).(event)
		if e.still {
			s.now = max(s.now, e.at)
		} else {
			s.step(e.at)
		}
		e.do()
	}
	s.step(to)
}

func (s *Session) step(to soccer.Time) {
	s.now = max(s.now, to)
	s.engine.Step(s.now.Sub(s.engine.Now()))
	s.markKicks()
}
