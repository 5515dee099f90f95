package explore

import (
	"fmt"
	"slices"
	"strings"
)

// kind is what a node is for the guarantees.
type kind uint8

const (
	agreed   kind = iota // each live robot believes in the same live booker, nobody is nearer by Hysteresis, all ignore the liar
	idle                 // nobody can play the ball, and nobody books it
	unsure               // one booker, but not every robot believes in it or ignores the liar
	wrong                // one booker, but a robot that can play the ball is nearer by more than Hysteresis
	nobody               // no booker, though a robot can play the ball
	several              // more than one booker
	starting             // no booker, and each robot that could play the ball has just started
)

// verdict is a node's kind, and its booker.
type verdict struct {
	kind   kind
	booker int8 // from 0, if kind is agreed, unsure or wrong
	fresh  bool // each live robot has heard a renewal in the last ticks, and knows the booker's distance
	flips  bool // after a tick without an event, the same may not hold, or of another booker

	accused bool // a robot ignores one that does not lie
}

// explorer is a search.
type explorer[S comparable, P machine[S]] struct {
	*roster[S, P]
	b        *Bounds
	blank    frame // of a robot that has just started
	chunks   [][]node
	count    int
	table    []uint32 // hash table of node numbers plus 1
	parents  []uint32
	verdicts []verdict
	fair     edges // ticks without a loss, a delay or a duplicate
	spells   edges // ticks within a spell of the same kind
	options  [MaxRobots][]option
	arrivals []arrival
	beliefs  map[uint64]belief
}

// edges are the edges of a graph: those of node n are to[from[n]:from[n+1]].
type edges struct{ from, to []uint32 }

func (e *edges) of(n uint32) []uint32 { return e.to[e.from[n]:e.from[n+1]] }

// next ends the edges of a node.
func (e *edges) next() { e.from = append(e.from, uint32(len(e.to))) }

// add adds an edge of the newest node once.
func (e *edges) add(to uint32) {
	if !slices.Contains(e.to[e.from[len(e.from)-1]:], to) {
		e.to = append(e.to, to)
	}
}

const chunk = 1 << 14

func (x *explorer[S, P]) node(n uint32) *node { return &x.chunks[n/chunk][n%chunk] }

// find returns the number of a node, a new one if the node is new.
func (x *explorer[S, P]) find(n *node, parent uint32) uint32 {
	if !n.settle() {
		x.fault("the robots' epochs or sequences lie too far apart")
	}
	if x.count*5 >= len(x.table)*3 {
		x.grow()
	}
	mask := uint64(len(x.table) - 1)
	for h := n.hash() & mask; ; h = (h + 1) & mask {
		k := x.table[h]
		if k == 0 {
			x.table[h] = uint32(x.count + 1)
			break
		}
		if *x.node(k - 1) == *n {
			return k - 1
		}
	}
	if x.count%chunk == 0 {
		x.chunks = append(x.chunks, make([]node, 0, chunk))
	}
	last := &x.chunks[len(x.chunks)-1]
	*last = append(*last, *n)
	x.parents = append(x.parents, parent)
	x.verdicts = append(x.verdicts, x.judge(n))
	x.count++
	return uint32(x.count - 1)
}

func (x *explorer[S, P]) grow() {
	x.table = make([]uint32, max(1<<16, 2*len(x.table)))
	mask := uint64(len(x.table) - 1)
	for k := range x.count {
		h := x.node(uint32(k)).hash() & mask
		for x.table[h] != 0 {
			h = (h + 1) & mask
		}
		x.table[h] = uint32(k + 1)
	}
}

// search visits every node.
func (x *explorer[S, P]) search(progress func(states int) error) error {
	for _, n := range x.starts() {
		x.find(&n, none)
	}
	limit := x.b.States
	if limit == 0 {
		limit = 50_000_000
	}
	for k := uint32(0); int(k) < x.count; k++ {
		x.fair.next()
		x.spells.next()
		n := *x.node(k)
		x.events(&n, func(next *node) { x.find(next, k) })
		x.tick(&n, func(next *node, fair bool) {
			to := x.find(next, k)
			if fair {
				x.fair.add(to)
			}
			was, is := &x.verdicts[k], x.verdicts[to]
			if is.kind == was.kind && is.kind > unsure || is.kind == several && was.kind == several {
				x.spells.to = append(x.spells.to, to)
			}
			was.flips = was.flips || is.kind > idle || !is.fresh || is.booker != was.booker
		})
		if len(x.faults) > 0 {
			return fmt.Errorf("the model does not hold: %s, after:\n%s", x.faults[0], strings.Join(x.trace(k), "\n"))
		}
		if x.count > limit {
			return fmt.Errorf("more than %d states", limit)
		}
		if k%100_000 == 99_999 && progress != nil {
			if err := progress(x.count); err != nil {
				return err
			}
		}
	}
	x.fair.next()
	x.spells.next()
	return nil
}

// none is no node.
const none = ^uint32(0)

// starts returns the cold starts: all robots start in the same tick, at all combinations of distances.
func (x *explorer[S, P]) starts() (all []node) {
	b := x.b
	n := node{left: left{
		crashes: uint8(b.Crashes), restarts: uint8(b.Restarts), moves: uint8(b.Moves), outs: uint8(b.Outs),
		events: uint8(b.Events), odd: uint8(b.Odd), losses: uint8(b.LossTotal),
	}}
	if b.Liar != "" {
		n.left.lies = 1
	}
	for i := range b.Robots {
		n.local[i] = blankLocal
	}
	var place func(i int)
	place = func(i int) {
		if i == b.Robots {
			all = append(all, n)
			return
		}
		for d := range b.Distances {
			n.place[i] = placed(d, plays)
			place(i + 1)
		}
	}
	place(0)
	return all
}

// judge returns what a node is for the guarantees.
func (x *explorer[S, P]) judge(n *node) verdict {
	bookers, booker, believed, differ := 0, -1, -2, false
	able, listening, nearest, fresh := false, false, 0.0, true
	accused, named, liar := false, true, uint8(0)
	if x.lying(n) {
		liar = 2 << x.b.Robots
	}
	for i, local := range n.local[:x.b.Robots] {
		if local == 0 {
			continue
		}
		held := x.belief(i, local)
		b := int(held.booker)
		accused = accused || held.ignored&^liar != 0
		named = named && (held.ignored == liar || x.b.Liar == LieGossip && b == 0) // what is true is no lie
		fresh = fresh && int(held.left) >= x.b.Lease-x.b.Losses-x.b.Odd+int(n.left.odd) &&
			(b < 0 || b < x.b.Robots && held.metres == x.b.Distances[n.place[b].distance()])
		if b == i {
			bookers, booker = bookers+1, i
		}
		differ = differ || believed != -2 && believed != b
		believed = b
		switch d := x.b.Distances[n.place[i].distance()]; {
		case n.place[i].condition() != plays:
		case x.listens(local):
			listening = true
		default:
			if !able || d < nearest {
				nearest = d
			}
			able = true
		}
	}
	v := verdict{booker: -1, fresh: fresh, accused: accused}
	if bookers == 1 {
		v.booker = int8(booker)
	}
	switch {
	case bookers > 1:
		v.kind = several
	case bookers == 0 && able:
		v.kind = nobody
	case bookers == 0 && listening:
		v.kind = starting
	case bookers == 0:
		v.kind = idle
	case able && x.b.Distances[n.place[booker].distance()] > nearest+x.cfg[0].Hysteresis:
		v.kind = wrong
	case differ || !named || n.place[booker].condition() != plays:
		v.kind = unsure
	}
	return v
}

// belief is what a robot believes: the booker, from 0, -1: none; what is left of its lease in ticks; its distance; and the
// robots that it ignores.
type belief struct {
	booker, left int8
	metres       float64
	ignored      uint8 // bit n is robot n, from 1
}

// belief returns what robot i believes.
func (x *explorer[S, P]) belief(i int, local uint32) belief {
	key := uint64(local)<<2 | uint64(i)
	b, ok := x.beliefs[key]
	if !ok {
		b = x.believes(i, local)
		x.beliefs[key] = b
	}
	return b
}

// newExplorer returns a search for a protocol. A robot that has just started lies by blank behind the team's numbers.
func newExplorer[S comparable, P machine[S]](b *Bounds, blank frame) *explorer[S, P] {
	return &explorer[S, P]{
		roster: newRoster[S, P](b), b: b, blank: blank,
		beliefs: map[uint64]belief{},
	}
}
