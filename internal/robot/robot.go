// Package robot is the software of a robot, in the layers of the TeamChaos paper (section 2): the commander with sensors
// and motors; PAM, which anchors the robot's own percepts in the team frame; GM, the global map, one world fused from own
// and teammates' percepts (package world); the HFSM, which decides (internal/robot/hfsm); the HBM, the behaviours that move
// (internal/robot/play); and ORGCtrl, which obeys the referee. Ball booking (package booking) chooses the robot that goes to the
// ball. A Robot is a pure core: pictures and messages go in; messages, a soccer.World and motor commands come out.
// docs/robot.md describes the layers.
package robot

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"touchline/internal/exact"
	"touchline/internal/robot/hfsm"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/world"
)

// Config identifies a robot and sets what it sends.
type Config struct {
	Number  uint8             // jersey number, 1 to 6
	Color   soccer.Color      // side
	TeamID  uint8             // original_team_id of its packages
	Variant mixedteam.Variant // layout of its packages. Default v2
	Trailer int               // bytes of the team's own data after the package, 0 to 1200. Default 0
	World   world.Config
	Booking string // protocol that books the ball: "lease", "literal", "nearest" or "none". Default "lease"
	Seed    uint64 // of the jitter of its messages. Default 1
	NoDebug bool   // it sends no debug records. Default false
	// Lean leaves out the world model of the robot's own percepts alone, where nobody reads it: OwnWorld is empty, and the
	// ball of its packages and beliefs is that of the newest picture, without a velocity. Default false
	Lean bool

	Machine *hfsm.Machine // decides what the robot does, for example play.Default(). Default nil: it stands
}

// DefaultConfig returns the defaults for a robot of a team on this side.
func DefaultConfig(number uint8, color soccer.Color, teamID uint8) Config {
	return Config{
		Number: number, Color: color, TeamID: teamID, Variant: mixedteam.V2, World: world.DefaultConfig(number, color),
		Booking: "lease", Seed: 1,
	}
}

// Robot is one robot's software. It is not safe for concurrent use.
type Robot struct {
	cfg      Config
	started  soccer.Time     // start of the current half
	percepts soccer.Percepts // of the newest picture
	unsent   bool            // percepts
	own      *world.Model    // of own percepts: source of the velocities that it sends; nil if it is Lean
	team     *world.Model    // of all percepts
	foreign  uint64          // datagrams that are no packages
	picture  soccer.Sense    // the newest one
	messages messages
	booker   booker

	commander commander
	adoption  adoption
	hold      hfsm.Hold
	referee   referee

	penalised bool // sent off by the referee

	// scratch memory
	ownWorld soccer.World
	header   mixedteam.Header
	received soccer.Percepts
	sense    soccer.Sense
	mate     matePicture
}

// maxTrailer, in bytes, keeps package and trailer in one Ethernet frame.
const maxTrailer = 1200

// New returns a robot for a half that started at started. It refuses a number outside 1..6, a trailer outside 0..1200
// bytes, and a state machine with faults.
func New(cfg Config, started soccer.Time) (*Robot, error) {
	if cfg.Number < 1 || cfg.Number > 6 {
		return nil, fmt.Errorf("robot: jersey number %d: give 1 to 6", cfg.Number)
	}
	if cfg.Trailer < 0 || cfg.Trailer > maxTrailer {
		return nil, fmt.Errorf("robot: trailer of %d bytes: give 0 to %d", cfg.Trailer, maxTrailer)
	}
	books, err := newBooker(&cfg)
	if err != nil {
		return nil, err
	}
	commands, err := newCommander(&cfg)
	if err != nil {
		return nil, err
	}
	r := &Robot{cfg: cfg, started: started, commander: commands, booker: books}
	if r.team = world.New(cfg.World); !cfg.Lean {
		r.own = world.New(cfg.World)
	}
	r.messages.rng = rand.New(rand.NewPCG(cfg.Seed, uint64(cfg.Number)))
	first := func(period time.Duration) soccer.Time {
		return started.Add(time.Duration(r.messages.rng.Int64N(int64(period))))
	}
	r.messages.belief, r.messages.status, r.messages.debug = first(beliefPeriod), first(statusPeriod), first(debugPeriod)
	r.messages.control = first(controlPeriod) // robots that start together do not keep sending together
	return r, nil
}

// Reseed draws the jitter of messages and booking from now on from another seed.
func (r *Robot) Reseed(seed uint64) {
	r.cfg.Seed, r.booker.cfg.Seed = seed, seed
	*r.messages.rng = *rand.New(rand.NewPCG(seed, uint64(r.cfg.Number)))
}

// Sense fuses one picture of the robot's sensors.
func (r *Robot) Sense(s *soccer.Sense) {
	r.keep(s)
	anchor(s, &r.percepts)
	r.team.Observe(&r.percepts)
	if r.own != nil {
		r.own.Observe(&r.percepts)
		r.own.World(s.Time, &r.ownWorld)
		r.addVelocity()
	}
	r.unsent, r.messages.unsent = true, true
}

// keep keeps a copy of a picture.
func (r *Robot) keep(s *soccer.Sense) {
	balls, obstacles := append(r.picture.Balls[:0], s.Balls...), append(r.picture.Obstacles[:0], s.Obstacles...)
	r.picture = *s
	r.picture.Balls, r.picture.Obstacles = balls, obstacles
}

// addVelocity sets the velocity of the ball candidate that is the ball of the robot's own model to the model's
// velocity. No data of other robots enters it.
func (r *Robot) addVelocity() {
	const sameBall = 0.5 // m
	b := &r.ownWorld.Ball
	for i := range r.percepts.Balls {
		o := &r.percepts.Balls[i]
		if b.Known && o.Position.XY().Sub(b.Position.XY()).Len() < sameBall {
			o.Velocity, o.HasVelocity = b.Velocity, true
			return
		}
	}
}

// anchor sets p to the observations of a picture, converted from the robot's frame to the team frame. Without a pose
// only the robot itself remains.
func anchor(s *soccer.Sense, p *soccer.Percepts) {
	p.Time, p.Self = s.Time, s.Self
	p.Balls, p.Obstacles = p.Balls[:0], p.Obstacles[:0]
	if !s.Self.Known || !s.Self.HasHeading {
		return
	}
	sin, cos := exact.Sincos(s.Self.Pose.Theta)
	place := func(o *soccer.Observation) {
		o.Position.X, o.Position.Y = s.Self.Pose.X+float64(cos*o.Position.X)-float64(sin*o.Position.Y),
			s.Self.Pose.Y+float64(sin*o.Position.X)+float64(cos*o.Position.Y)
		o.Velocity, o.HasVelocity = soccer.Vec3{}, false
		o.Cov = o.Cov.Rotated(sin, cos)
	}
	p.Balls, p.Obstacles = append(p.Balls, s.Balls...), append(p.Obstacles, s.Obstacles...)
	for i := range p.Balls {
		place(&p.Balls[i])
	}
	for i := range p.Obstacles {
		place(&p.Obstacles[i])
	}
}

// ErrNothingNew is the error of a robot without an unsent picture.
var ErrNothingNew = errors.New("robot: nothing new to send")

// AppendPacket appends this robot's package to b: the percepts of its newest picture, never fused or received data. It
// sends each picture once; until the next one it returns ErrNothingNew. A percept that does not fit into the package is
// the codec's error.
func (r *Robot) AppendPacket(b []byte) ([]byte, error) {
	if !r.unsent {
		return b, ErrNothingNew
	}
	r.unsent = false
	h := mixedteam.Header{
		Variant: r.cfg.Variant, Color: r.cfg.Color, TeamID: r.cfg.TeamID, Robot: r.cfg.Number,
		HasTimestamp: true, TimestampMillis: r.stamp(r.percepts.Time),
	}
	b, err := mixedteam.Append(b, &h, &r.percepts)
	if err != nil {
		return b, fmt.Errorf("robot %d: %w", r.cfg.Number, err)
	}
	for i := range r.cfg.Trailer {
		b = append(b, byte(i)) // in place of a team's own data
	}
	return b, nil
}

// stamp returns the milliseconds since the start of the half, 0 before it.
func (r *Robot) stamp(t soccer.Time) uint32 {
	return uint32(max(0, t.Sub(r.started)) / time.Millisecond)
}

// Receive fuses one datagram of the team's channel. It counts datagrams that are no packages. The caller drops the
// robot's own datagrams, by their source address.
func (r *Robot) Receive(p *soccer.Packet) {
	if _, err := mixedteam.Decode(p.Data, &r.header, &r.received); err != nil {
		r.foreign++
		return
	}
	from := soccer.Sender{Addr: p.From, Color: r.header.Color, Robot: r.header.Robot}
	r.team.Receive(&world.Message{
		From: from, Arrival: p.Time, HasStamp: r.header.HasTimestamp, Stamp: r.header.TimestampMillis, Percepts: &r.received,
	})
}

// Percepts returns what the robot perceived in its newest picture. They are valid until the next Sense.
func (r *Robot) Percepts() *soccer.Percepts { return &r.percepts }

// Counts returns how much received input was not fused, and how many datagrams were no packages.
func (r *Robot) Counts() (world.Counts, uint64) { return r.team.Counts(), r.foreign }

// World writes this robot's belief at time now, from its own and its teammates' percepts, to w.
func (r *Robot) World(now soccer.Time, w *soccer.World) {
	r.team.World(now, w)
	r.booker.setBooking(now, &w.Booking)
}

// OwnWorld writes the belief from the robot's own percepts alone to w. The difference to World is what teammates are
// worth.
func (r *Robot) OwnWorld(now soccer.Time, w *soccer.World) {
	if r.own == nil {
		*w = soccer.World{Time: now, Self: r.percepts.Self, Obstacles: w.Obstacles[:0], Peers: w.Peers[:0]}
		return
	}
	r.own.World(now, w)
}
