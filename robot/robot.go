// Package robot is the stand-in robot, in the layers of TeamChaos' software as far as they are needed: sense (what the
// sensors say), anchor (its own percepts, in the team frame) and map (one world fused from its own and its teammates'
// percepts). It is a pure core: pictures and packets go in, packets and a World come out.
package robot

import (
	"errors"
	"fmt"
	"time"

	"touchline/exact"
	"touchline/soccer"
	"touchline/wire/mixedteam"
	"touchline/world"
)

// Config says who a robot is and what it puts on the wire.
type Config struct {
	Number  uint8             // jersey, 1..6
	Color   soccer.Color      // side
	TeamID  uint8             // original_team_id of seed 000
	Variant mixedteam.Variant // layout of its packages. Default v2
	Trailer int               // bytes of its own that follow the package (seed 000 lets teams prepend it to theirs). Default 0
	World   world.Config
}

// DefaultConfig returns the defaults for a robot of one team and side.
func DefaultConfig(number uint8, color soccer.Color, teamID uint8) Config {
	return Config{Number: number, Color: color, TeamID: teamID, Variant: mixedteam.V2, World: world.DefaultConfig(number, color)}
}

// Robot is one robot's software. It is not safe for concurrent use.
type Robot struct {
	cfg      Config
	started  soccer.Time
	percepts soccer.Percepts // anchored from the newest picture
	fresh    bool            // percepts were not sent yet
	own      *world.Model    // its own percepts alone: for the velocity of its candidates
	team     *world.Model    // all percepts
	alone    soccer.World    // scratch
	header   mixedteam.Header
	heard    soccer.Percepts // scratch
	foreign  uint64
}

// maxTrailer keeps package and trailer in one Ethernet frame.
const maxTrailer = 1200

// New returns a robot that heard the current part of the match start at `started`. It refuses a number outside 1..6 and
// a trailer outside 0..1200 bytes.
func New(cfg Config, started soccer.Time) (*Robot, error) {
	if cfg.Number < 1 || cfg.Number > 6 {
		return nil, fmt.Errorf("robot: number %d is outside 1..6", cfg.Number)
	}
	if cfg.Trailer < 0 || cfg.Trailer > maxTrailer {
		return nil, fmt.Errorf("robot: trailer of %d bytes is outside 0..%d", cfg.Trailer, maxTrailer)
	}
	return &Robot{cfg: cfg, started: started, own: world.New(cfg.World), team: world.New(cfg.World)}, nil
}

// Sense takes in one picture, when it is ready.
func (r *Robot) Sense(s *soccer.Sense) {
	anchor(s, &r.percepts)
	r.own.Observe(&r.percepts)
	r.team.Observe(&r.percepts)
	r.own.World(s.Time, &r.alone)
	r.addVelocity()
	r.fresh = true
}

// addVelocity gives the ball candidate that is this robot's own ball the velocity that its own filter has. Nothing that
// was heard from others is in it.
func (r *Robot) addVelocity() {
	const same = 0.5 // m
	b := &r.alone.Ball
	for i := range r.percepts.Balls {
		o := &r.percepts.Balls[i]
		if b.Known && o.Position.XY().Sub(b.Position.XY()).Len() < same {
			o.Velocity, o.HasVelocity = b.Velocity, true
			return
		}
	}
}

// anchor turns a picture from the robot's frame into percepts in the team frame, in place of what p held. Without a pose
// nothing can be placed, so only the robot itself is reported.
func anchor(s *soccer.Sense, p *soccer.Percepts) {
	p.Time, p.Self = s.Time, s.Self
	p.Balls, p.Obstacles = p.Balls[:0], p.Obstacles[:0]
	if !s.Self.Known || !s.Self.HasHeading {
		return
	}
	sin, cos := exact.Sincos(s.Self.Pose.Theta)
	place := func(o soccer.Observation) soccer.Observation {
		o.Position.X, o.Position.Y = s.Self.Pose.X+float64(cos*o.Position.X)-float64(sin*o.Position.Y),
			s.Self.Pose.Y+float64(sin*o.Position.X)+float64(cos*o.Position.Y)
		o.Velocity, o.HasVelocity = soccer.Vec3{}, false
		return o
	}
	for _, o := range s.Balls {
		p.Balls = append(p.Balls, place(o))
	}
	for _, o := range s.Obstacles {
		p.Obstacles = append(p.Obstacles, place(o))
	}
}

// ErrNothingNew says that a robot has no new picture to report.
var ErrNothingNew = errors.New("robot: nothing new to send")

// AppendPacket appends this robot's package to b: the newest picture's own percepts, never anything fused or heard of. Each
// picture is reported once, then it returns ErrNothing; a percept that does not fit on the wire is the codec's error.
func (r *Robot) AppendPacket(b []byte) ([]byte, error) {
	if !r.fresh {
		return b, ErrNothingNew
	}
	r.fresh = false
	h := mixedteam.Header{
		Variant: r.cfg.Variant, Color: r.cfg.Color, TeamID: r.cfg.TeamID, Robot: r.cfg.Number,
		HasTimestamp: true, TimestampMillis: r.stamp(r.percepts.Time),
	}
	b, err := mixedteam.Append(b, &h, &r.percepts)
	if err != nil {
		return b, fmt.Errorf("robot %d: %w", r.cfg.Number, err)
	}
	for i := range r.cfg.Trailer {
		b = append(b, byte(i)) // stands for the team's own data
	}
	return b, nil
}

// stamp returns the milliseconds since the part began, 0 before.
func (r *Robot) stamp(t soccer.Time) uint32 {
	return uint32(max(0, t.Sub(r.started)) / time.Millisecond)
}

// Receive takes in one datagram of the team's channel; what is not a package is counted and left out. A socket that hears
// its own robot is the caller's to filter, by the address that it sends from.
func (r *Robot) Receive(p *soccer.Packet) {
	if _, err := mixedteam.Decode(p.Data, &r.header, &r.heard); err != nil {
		r.foreign++
		return
	}
	from := soccer.Sender{Addr: p.From, Color: r.header.Color, Robot: r.header.Robot}
	r.team.Receive(&world.Message{
		From: from, Arrival: p.Time, HasStamp: r.header.HasTimestamp, Stamp: r.header.TimestampMillis, Percepts: &r.heard,
	})
}

// Counts returns what was heard but not taken into the team's world, and how many datagrams were no packages.
func (r *Robot) Counts() (world.Counts, uint64) { return r.team.Counts(), r.foreign }

// World writes what this robot believes of the moment now, from its own percepts and its teammates', into w.
func (r *Robot) World(now soccer.Time, w *soccer.World) { r.team.World(now, w) }

// OwnWorld writes what this robot would believe without its teammates into w: the measure of what they are worth.
func (r *Robot) OwnWorld(now soccer.Time, w *soccer.World) { r.own.World(now, w) }
