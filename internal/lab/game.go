package lab

import (
	"math"
	"math/rand/v2"
	"time"

	"touchline/booking"
	"touchline/internal/exact"
	"touchline/soccer"
	"touchline/transport/traffic"
)

const (
	control   = 20 * time.Millisecond // control period of a robot
	crashes   = 15 * time.Second      // between two crashes of the booker
	down      = 5 * time.Second       // until a crashed robot starts again, with nothing that it knew
	heartbeat = 40 * time.Millisecond // between two datagrams of a robot whose protocol says nothing
)

// robot is one robot of a game.
type robot struct {
	protocol booking.Protocol
	cfg      booking.Config
	next     soccer.Time // end of its control period
	sent     soccer.Time // its newest datagram
	down     soccer.Time // when it starts again; 0: it is up
	believes uint8       // in this booker
	links    [maxRobots]*traffic.Impairment

	lease   booking.State
	literal booking.Literal
	nearest booking.Nearest
	auction booking.Auction
}

// booker reports whether the robot believes that it is the booker itself.
func (r *robot) booker() bool { return r.believes == r.cfg.Self }

// restart makes the robot forget everything.
func (r *robot) restart(name RivalsName) {
	r.lease, r.literal, r.nearest, r.auction = booking.State{}, booking.Literal{}, booking.Nearest{}, booking.Auction{}
	r.down, r.believes = 0, 0
	switch name {
	case Literal:
		r.protocol = &r.literal
	case Nearest:
		r.protocol = &r.nearest
	case Auction:
		r.protocol = &r.auction
	default:
		r.protocol = &r.lease
	}
}

// rivalsGame plays one rivalsGame. It can be used again: then it allocates little.
type rivalsGame struct {
	cfg    *RivalsConfig
	field  field
	robots []robot
	air    air
	now    soccer.Time
	rolled soccer.Time // until when the ball has moved
	crash  soccer.Time // the next crash is due
	score  *rivalsScore
	event  booking.Event
	out    booking.Output
	delays []time.Duration
}

// play plays the game of a seed.
func (g *rivalsGame) play(cfg *RivalsConfig, seed uint64, s *rivalsScore) {
	g.begin(cfg, seed, s)
	for end := soccer.Epoch.Add(cfg.Length); ; {
		next, from := g.nextControl()
		at, flying := g.air.next()
		if now := min(next, at); now >= end {
			s.pass(end)
			return
		}
		if flying && at < next {
			g.now = at
			m := g.air.land()
			s.pass(g.now)
			g.receive(&m)
			continue
		}
		g.now = next
		s.pass(g.now)
		g.control(from)
	}
}

func (g *rivalsGame) begin(cfg *RivalsConfig, seed uint64, s *rivalsScore) {
	rng := rand.New(rand.NewPCG(seed, 0))
	g.cfg, g.score, g.now, g.rolled = cfg, s, soccer.Epoch, soccer.Epoch
	g.crash = soccer.Epoch.Add(crashes)
	g.air.clear()
	g.field.begin(rng, cfg.Scene, cfg.Robots)
	*s = rivalsScore{now: soccer.Epoch}
	if g.robots == nil {
		g.robots = make([]robot, cfg.Robots)
	}
	link := cfg.link()
	for i := range g.robots {
		r := &g.robots[i]
		*r = robot{cfg: protocolConfig(cfg, i, seed), next: soccer.Epoch}
		if cfg.Scene != LockStep {
			r.next = soccer.Epoch.Add(time.Duration(exact.Uniform(rng) * float64(control)))
		}
		r.sent = r.next
		r.restart(cfg.Protocol)
		for to := range g.robots {
			r.links[to] = traffic.NewImpairment(link, seed, uint64(1+i*maxRobots+to))
		}
	}
}

// protocolConfig returns the constants of a robot. The protocols that the lease is compared with send a little more often,
// each second control period: the repeats of the lease do not give it more datagrams than they have.
func protocolConfig(cfg *RivalsConfig, robot int, seed uint64) booking.Config {
	members := uint64(1)<<(cfg.Robots+1) - 2
	c := booking.DefaultConfig(uint8(robot+1), members)
	switch cfg.Protocol {
	case Lease:
	case Budget:
		c = booking.BudgetConfig(uint8(robot+1), members)
	default:
		c.Renewal = heartbeat
	}
	c.Seed = seed
	return c
}

// nextControl returns the robot whose control period ends next.
func (g *rivalsGame) nextControl() (at soccer.Time, robot int) {
	at = g.robots[0].next
	for i := 1; i < len(g.robots); i++ {
		if t := g.robots[i].next; t < at {
			at, robot = t, i
		}
	}
	return at, robot
}

// control carries out the end of a robot's control period.
func (g *rivalsGame) control(i int) {
	r := &g.robots[i]
	r.next = r.next.Add(control)
	g.field.roll(g.now.Sub(g.rolled).Seconds())
	g.rolled = g.now
	if r.down > 0 {
		if g.now < r.down {
			return
		}
		r.restart(g.cfg.Protocol)
	}
	g.field.drive(i, r.booker(), control.Seconds())
	g.event = booking.Event{View: booking.View{Known: true, Distance: g.field.measure(i), Fit: true}}
	g.step(i)
	if g.cfg.Protocol == Literal && g.now.Sub(r.sent) >= heartbeat {
		g.count(r) // its other periodic data: it says nothing of the booking
	}
	g.score.margin = g.margin()
	g.crashBooker()
}

func (g *rivalsGame) receive(f *flight) {
	if g.robots[f.to].down > 0 {
		return
	}
	g.event = booking.Event{Message: f.message, From: uint8(f.from + 1)}
	g.step(f.to)
}

// step carries out g.event, sends what the robot sends, and notes whether it is the booker.
func (g *rivalsGame) step(i int) {
	r := &g.robots[i]
	r.protocol.Step(&r.cfg, g.now, &g.event, &g.out)
	if g.out.N > 0 {
		g.count(r) // all messages of one step ride in one datagram
	}
	for _, m := range g.out.Messages[:g.out.N] {
		for to := range g.robots {
			if to == i {
				continue
			}
			g.delays = r.links[to].Next(g.delays[:0])
			for _, d := range g.delays {
				g.air.send(g.now.Add(d), flight{from: i, to: to, message: m})
			}
		}
	}
	b := r.protocol.Booking(&r.cfg, g.now)
	if b.Booker == r.believes {
		return
	}
	was := r.booker()
	r.believes = b.Booker
	if is := r.booker(); is != was {
		g.score.change(r.cfg.Self, is)
		g.score.margin = g.margin()
	}
	if g.score.agreed == 0 && g.agreed() {
		g.score.agreed = g.now.Sub(soccer.Epoch)
	}
}

func (g *rivalsGame) count(r *robot) {
	r.sent = g.now
	g.score.datagrams++
}

// agreed reports whether all robots believe in one booker.
func (g *rivalsGame) agreed() bool {
	first := g.robots[0].believes
	for i := range g.robots {
		if g.robots[i].believes != first {
			return false
		}
	}
	return first != 0
}

// margin returns by how much the farthest booker is farther from the ball than the nearest live robot.
func (g *rivalsGame) margin() float64 {
	nearest, farthest := math.Inf(1), 0.0
	for i := range g.robots {
		r := &g.robots[i]
		if r.down > 0 {
			continue
		}
		d := g.field.distance(i)
		nearest = min(nearest, d)
		if r.booker() {
			farthest = max(farthest, d)
		}
	}
	return farthest - nearest
}

// crashBooker crashes the booker when it is time and there is one, and just one.
func (g *rivalsGame) crashBooker() {
	if g.cfg.Scene == Equal || g.now < g.crash || g.score.bookers != 1 {
		return
	}
	for i := range g.robots {
		if r := &g.robots[i]; r.booker() {
			r.believes, r.down = 0, g.now.Add(down)
		}
	}
	g.crash = g.crash.Add(crashes)
	g.score.crash()
	g.score.margin = g.margin()
}
