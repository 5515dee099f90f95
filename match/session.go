package match

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"touchline/robot"
	"touchline/sim"
	"touchline/soccer"
	"touchline/transport/traffic"
	"touchline/watch"
	"touchline/wire/mixedteam"
)

// Config describes a practical session.
type Config struct {
	Seed       uint64            // of everything random. Default 1
	Group      string            // what the page calls the channel. Default "224.16.32.75:2005"
	Field      soccer.Field      // Default 18 x 12 m
	Robots     int               // on the field, 1..5; one more waits. Default 5
	Obstacles  int               // 0..12. Default 4
	Variant    mixedteam.Variant // what the senders put on the wire. Default v2
	Trailer    int               // bytes after each package. Default 0
	Link       traffic.Link      // what each receiver's link does to packets. Default nothing
	Kick       [2]time.Duration  // least and greatest time between kick-ins; zeros: never. Default 3 to 6 s
	Substitute [2]time.Duration  // likewise between substitutions. Default 20 to 40 s
}

// DefaultConfig returns the session of seed 001.
func DefaultConfig() Config {
	return Config{
		Seed: 1, Group: mixedteam.Group, Field: soccer.MSL18x12(), Robots: 5, Obstacles: 4, Variant: mixedteam.V2,
		Kick:       [2]time.Duration{3 * time.Second, 6 * time.Second},
		Substitute: [2]time.Duration{20 * time.Second, 40 * time.Second},
	}
}

// Session is a practical session as a pure core: it moves when told the time, hands out what the robots send, and takes
// what they receive. Its clock starts at soccer.Epoch and stands still while paused. It is not safe for concurrent use.
type Session struct {
	cfg      Config
	engine   *sim.Engine
	friction float64 // of the engine, m/s^2
	rng      *rand.Rand
	members  []Participant                  // everybody
	addrs    [maxMembers + 1]netip.AddrPort // where each jersey number sends from
	slots    []slot                         // who stands on the field, a monitor each
	waiting  int                            // index into members: who stands outside
	now      soccer.Time
	queue    events
	order    uint64
	links    map[link]*traffic.Impairment
	send     func(number uint8, b []byte)
	watcher  *watch.Watcher // the monitor beside the field
	marks    []watch.Mark
	marked   int             // marks so far, with those that are gone
	scores   []Score         // by member
	delays   []time.Duration // scratch
	buf      []byte          // scratch
	world    soccer.World    // scratch
}

// slot is a place on the field with its monitor.
type slot struct {
	member int          // index into members
	robot  *robot.Robot // nil while switched off
}

const maxMembers = 6

// link is the way from one sender to one receiver.
type link struct {
	from netip.AddrPort
	to   uint8
}

// Monitor is the receiver that is no robot: what a monitor beside the field hears.
const Monitor uint8 = 0

// New returns a session with everybody placed. send is called with each datagram that a robot sends, during Advance; the
// bytes are only lent. It refuses counts out of range, naming the range.
func New(cfg Config, send func(number uint8, b []byte)) (*Session, error) {
	members := Participants()
	if cfg.Robots < 1 || cfg.Robots > len(members)-1 {
		return nil, fmt.Errorf("match: %d robots: 1 to %d can stand on the field, one more waits", cfg.Robots, len(members)-1)
	}
	if cfg.Obstacles < 0 || cfg.Obstacles > 12 {
		return nil, fmt.Errorf("match: %d obstacles: the package holds 0 to 12", cfg.Obstacles)
	}
	if err := cfg.Link.Validate(); err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	simulator := sim.DefaultConfig()
	simulator.Field, simulator.Seed = cfg.Field, cfg.Seed
	s := &Session{
		cfg: cfg, send: send, engine: sim.New(simulator), friction: simulator.Friction,
		rng: rand.New(rand.NewPCG(cfg.Seed, 0x5e5510)), links: map[link]*traffic.Impairment{},
		members: members, waiting: cfg.Robots, now: soccer.Epoch,
	}
	listen := watch.DefaultConfig()
	listen.Group, listen.Start = cfg.Group, soccer.Epoch
	s.watcher = watch.New(listen)
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
	s.repeat([2]time.Duration{sampleEvery, sampleEvery}, s.sample)
	s.repeat([2]time.Duration{catchEvery, catchEvery}, s.catch)
	s.repeat(cfg.Kick, s.kickIn)
	s.repeat(cfg.Substitute, func() { _ = s.substitute(s.rng.IntN(len(s.slots))) })
	return s, nil
}

// Bind says where a jersey number really sends from.
func (s *Session) Bind(number uint8, addr netip.AddrPort) { s.addrs[number] = addr }

// event is something that happens at a time.
type event struct {
	at    soccer.Time
	order uint64
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

// after queues do for d after now, in whole milliseconds.
func (s *Session) after(d time.Duration, do func()) {
	s.order++
	heap.Push(&s.queue, event{s.now.Add(d.Round(time.Millisecond)), s.order, do})
}

// repeat does something again and again, at random intervals within the bounds; zeros mean never.
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

// Advance brings the session to a time: the field moves, cameras look, robots send. A time before Now changes nothing.
func (s *Session) Advance(to soccer.Time) {
	for len(s.queue) > 0 && s.queue[0].at <= to {
		e := heap.Pop(&s.queue).(event)
		s.move(e.at)
		e.do()
	}
	s.move(to)
}

func (s *Session) move(to soccer.Time) {
	if to > s.now {
		s.engine.Step(to.Sub(s.now))
		s.now = to
	}
}
