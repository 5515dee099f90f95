// Package explore proves the ball booking protocol for small teams: it visits every state that a team can reach, by
// breadth-first search, and runs the robots' own code in each. docs/booking.md tells what was proven.
//
// Time passes in ticks of one Renewal, which is also the latency: in a tick each robot receives what the others sent in
// the last one, in any order, then carries out a control period. All robots start in lock-step, the worst case for ties.
// Links lose messages, but at most Bounds.Losses in a row. Between two ticks anything may happen that Bounds allows:
// robots crash, restart blank, are moved, lose the ball, are penalised, and one more robot begins to lie for good.
//
// It is apart from package lab because its test builds it again for each mistake that it plants in package booking.
package explore

import (
	"time"

	"touchline/booking"
)

// MaxRobots is the largest team.
const MaxRobots = 4

// tick is the time between two control periods, a renewal and the latency.
const tick = 50 * time.Millisecond

// Bounds say what may happen. With more than these, a proof says nothing.
type Bounds struct {
	Robots    int       `json:"robots"`
	Distances []float64 `json:"distances"` // m: those that a robot can have from the ball; at most 4
	Lease     int       `json:"lease"`     // ticks
	Losses    int       `json:"losses"`    // messages in a row that a link loses, as often as it likes; at most 3
	LossTotal int       `json:"lossTotal"` // messages that all links lose together; 0: no limit
	Odd       int       `json:"odd"`       // messages that arrive twice, or a tick late
	Crashes   int       `json:"crashes"`   // the team keeps one robot
	Restarts  int       `json:"restarts"`  // of crashed robots, which know nothing
	Moves     int       `json:"moves"`     // times that a robot's distance changes
	Outs      int       `json:"outs"`      // times that a robot loses the ball or is penalised; it may come back
	Events    int       `json:"events"`    // crashes, restarts, moves and outs together; 0: no limit
	Liar      Lie       `json:"liar"`      // of one more robot, which begins at any time and never stops; "": none
	States    int       `json:"states"`    // after which the search gives up; 0: 50 million

	// Change alters the configuration of the robots, for tests. nil: nothing.
	Change func(*booking.Config) `json:"-"`
}

// Lie is how a robot lies. Each of its messages beats all that the team knows.
type Lie string

const (
	LieSeen   Lie = "seen"   // it claims to be at the ball, and the others see it elsewhere
	LieHidden Lie = "hidden" // it claims to be at the ball, and tells nobody its place
	LieGossip Lie = "gossip" // it tells that robot 1 has booked the ball
)

// lieFor are the ticks after which a liar is ignored.
const lieFor = 4

// senders returns how many robots send: the last one is the liar, which has no state.
func (b *Bounds) senders() int {
	if b.Liar != "" {
		return b.Robots + 1
	}
	return b.Robots
}

// config returns the configuration of robot i.
func (b *Bounds) config(i int) booking.Config {
	c := booking.DefaultConfig(uint8(i+1), 1<<(b.senders()+1)-2)
	c.Renewal, c.Gossip, c.Jitter, c.Smoothing = tick, tick, 0, 1
	c.Lease, c.Silence, c.Recent, c.Listen = time.Duration(b.Lease)*tick, time.Duration(b.Lease-1)*tick, 2*tick, 3*tick
	c.Dwell, c.Slot, c.Lost, c.Gap, c.Repeats = tick, tick, tick, tick, 0
	if c.LieFor = 0; b.Liar != "" {
		c.LieFor = lieFor * tick
	}
	if b.Change != nil {
		b.Change(&c)
	}
	return c
}

// frame is the place of a robot's numbers: its epoch and renewal, relative to the newest ones in the team.
type frame struct{ epoch, sequence int8 }

func (f frame) plus(g frame) frame  { return frame{f.epoch + g.epoch, f.sequence + g.sequence} }
func (f frame) minus(g frame) frame { return frame{f.epoch - g.epoch, f.sequence - g.sequence} }

// packet is what a robot sent in a tick.
type packet struct {
	output uint16 // index of roster.outputs; 0: nothing
	frame  frame  // of its sender then
}

// place is where a robot is: the index of its distance, and its condition.
type place uint8

// condition is what a robot can do.
type condition uint8

const (
	plays condition = iota
	blind           // does not see the ball
	unfit           // penalised
)

func placed(distance int, c condition) place {
	return place(distance) | place(c)<<4
}
func (p place) distance() int        { return int(p & 15) }
func (p place) condition() condition { return condition(p >> 4) }

// left is what may still happen.
type left struct{ crashes, restarts, moves, outs, events, odd, losses, lies uint8 }

// node is a state of the team at the end of a tick, with the messages on their way. Equal nodes have equal futures.
type node struct {
	local  [MaxRobots]uint32 // each robot's state, an index of roster.states; 0: crashed
	sent   [MaxRobots]packet
	frame  [MaxRobots]frame
	place  [MaxRobots]place
	missed [MaxRobots]uint8 // for each receiver, 2 bits for each sender: messages lost in a row
	late   packet           // a message that arrives a tick late, or again
	from   uint8            // its sender
	to     uint8            // its receiver
	left   left
}

// hash mixes all of a node.
func (n *node) hash() uint64 {
	h := uint64(14695981039346656037)
	mix := func(v uint64) {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	for i := range n.local {
		mix(uint64(n.local[i])<<32 | uint64(n.sent[i].output)<<16 | uint64(n.place[i])<<8 | uint64(n.missed[i]))
		mix(uint64(n.frame[i].word())<<16 | uint64(n.sent[i].frame.word()))
	}
	l := &n.left
	mix(uint64(n.late.output)<<48 | uint64(n.late.frame.word())<<32 | uint64(n.from)<<24 | uint64(n.to)<<16 |
		uint64(l.crashes)<<8 | uint64(l.restarts))
	mix(uint64(l.lies)<<40 | uint64(l.moves)<<32 | uint64(l.outs)<<24 | uint64(l.events)<<16 | uint64(l.odd)<<8 | uint64(l.losses))
	return h ^ h>>32
}

func (f frame) word() uint16 { return uint16(uint8(f.epoch))<<8 | uint16(uint8(f.sequence)) }

// settle makes a node relative to the newest numbers in it. It reports whether they lie near enough to each other.
func (n *node) settle() bool {
	newest := frame{-128, -128}
	see := func(f frame) {
		newest.epoch, newest.sequence = max(newest.epoch, f.epoch), max(newest.sequence, f.sequence)
	}
	for i := range n.local {
		if n.local[i] != 0 {
			see(n.frame[i])
		}
		if n.sent[i].output != 0 {
			see(n.sent[i].frame)
		}
	}
	if n.late.output != 0 {
		see(n.late.frame)
	}
	near := true
	move := func(f *frame, used bool) {
		e, s := int(f.epoch)-int(newest.epoch), int(f.sequence)-int(newest.sequence)
		near = near && (!used || e > -100 && s > -100)
		if *f = (frame{int8(e), int8(s)}); !used {
			*f = frame{}
		}
	}
	for i := range n.local {
		move(&n.frame[i], n.local[i] != 0)
		move(&n.sent[i].frame, n.sent[i].output != 0)
	}
	move(&n.late.frame, n.late.output != 0)
	return near
}
