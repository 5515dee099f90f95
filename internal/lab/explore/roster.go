package explore

import (
	"fmt"

	"touchline/booking"
	"touchline/soccer"
	"touchline/wire/b3p"
)

// machine is a booking protocol that can be explored.
type machine[S any] interface {
	*S
	booking.Protocol
	// Relative writes a state in a form in which states that behave alike are equal.
	Relative(c *booking.Config, now, base soccer.Time) (epoch, sequence uint32)
	Listens(now soccer.Time) bool
	Blank() bool
}

// roster numbers the states of single robots and what they send, and runs each transition of one robot once.
type roster[S comparable, P machine[S]] struct {
	cfg      []booking.Config
	distance []float64
	liar     int      // its index
	hidden   bool     // it tells nobody its place
	lies     []uint16 // what it can send: indexes of outputs
	states   []S
	numbers  map[S]uint32
	outputs  []booking.Output
	printed  map[booking.Output]uint16
	heard    map[uint64]change
	acted    map[uint64]change
	joined   map[uint64]uint16
	faults   []string // reasons why the exploration is not to be trusted
}

// change is what a transition does to a robot.
type change struct {
	local  uint32
	output uint16
	frame  frame // the change of its numbers
}

// blankLocal is the state of a robot that has just started.
const blankLocal = 1

// before and after are the times of a robot at the end of one tick and at the end of the next.
const (
	before = soccer.Epoch
	after  = soccer.Epoch + soccer.Time(tick)
)

func newRoster[S comparable, P machine[S]](b *Bounds) *roster[S, P] {
	r := &roster[S, P]{
		distance: b.Distances, states: make([]S, 2), numbers: map[S]uint32{}, outputs: make([]booking.Output, 1),
		printed: map[booking.Output]uint16{{}: 0}, heard: map[uint64]change{}, acted: map[uint64]change{},
		joined: map[uint64]uint16{}, liar: b.Robots, hidden: b.Liar == LieHidden,
	}
	r.numbers[r.states[blankLocal]] = blankLocal
	for i := range b.Robots {
		r.cfg = append(r.cfg, b.config(i))
	}
	for _, m := range b.lies() {
		r.lies = append(r.lies, r.print(&booking.Output{Messages: [2]booking.Message{m}, N: 1}))
	}
	return r
}

// lies returns what the liar can send, with numbers relative to the team's newest ones.
func (b *Bounds) lies() (all []booking.Message) {
	self := uint8(b.Robots + 1)
	switch b.Liar {
	case LieSeen, LieHidden:
		all = append(all, booking.Message{Type: b3p.TypeClaim, Claim: b3p.Claim{Booker: self, Epoch: 1, Sequence: 1}})
	case LieGossip:
		all = append(all, booking.Message{Type: b3p.TypeBelief, Belief: b3p.Belief{
			Booker: 1, Epoch: 1, Sequence: 1, Own: b3p.Unknown,
		}})
	}
	return all
}

func (r *roster[S, P]) fault(format string, a ...any) {
	if len(r.faults) < 10 {
		r.faults = append(r.faults, fmt.Sprintf(format, a...))
	}
}

// hear returns what a packet of robot from does to robot i, whose numbers lie in frame f.
func (r *roster[S, P]) hear(i int, local uint32, f frame, from int, p packet) change {
	d := p.frame.minus(f)
	key := uint64(local)<<36 | uint64(i)<<34 | uint64(from)<<32 | uint64(p.output)<<16 | uint64(d.word())
	if c, ok := r.heard[key]; ok {
		return c
	}
	s, out := r.states[local], booking.Output{}
	for k := range r.outputs[p.output].N {
		m := shifted(r.outputs[p.output].Messages[k], int(d.epoch), int(d.sequence))
		var answer booking.Output
		P(&s).Step(&r.cfg[i], after, &booking.Event{From: uint8(from + 1), Message: m}, &answer)
		r.append(&out, answer)
	}
	c := r.number(i, &s, &out, after)
	r.heard[key] = c
	return c
}

// act returns what a control period does to robot i.
func (r *roster[S, P]) act(i int, local uint32, p place) change {
	key := uint64(local)<<10 | uint64(i)<<8 | uint64(p)
	if c, ok := r.acted[key]; ok {
		return c
	}
	v := booking.View{Known: p.condition() == plays, Fit: p.condition() != unfit, Reason: b3p.Unfit}
	v.Distance = r.distance[p.distance()]
	if len(r.lies) > 0 {
		if v.Seen[r.liar] = 10; r.hidden {
			v.Seen[r.liar], v.Hidden = 0, 1<<(r.liar+1)
		}
	}
	s, out := r.states[local], booking.Output{}
	P(&s).Step(&r.cfg[i], after, &booking.Event{View: v}, &out)
	c := r.number(i, &s, &out, before)
	r.acted[key] = c
	return c
}

// number returns the numbers of a state and of what it sends, after moving it to the time base.
func (r *roster[S, P]) number(i int, s *S, out *booking.Output, base soccer.Time) change {
	epoch, sequence := P(s).Relative(&r.cfg[i], after, base)
	e, q := int32(epoch), int32(sequence)
	if e < -100 || e > 100 || q < -100 || q > 100 {
		r.fault("robot %d's epoch changes by %d and its sequence by %d at once", i+1, e, q)
	}
	c := change{frame: frame{int8(e), int8(q)}}
	for k := range out.N {
		out.Messages[k] = shifted(out.Messages[k], -int(e), -int(q))
	}
	c.output = r.print(out)
	var ok bool
	if c.local, ok = r.numbers[*s]; !ok {
		c.local = uint32(len(r.states))
		r.states, r.numbers[*s] = append(r.states, *s), c.local
		if c.local == 1<<28 {
			r.fault("a robot has too many states")
		}
	}
	return c
}

// print returns the number of an output.
func (r *roster[S, P]) print(out *booking.Output) uint16 {
	n, ok := r.printed[*out]
	if !ok {
		n = uint16(len(r.outputs))
		r.outputs, r.printed[*out] = append(r.outputs, *out), n
		if n == 1<<16-1 {
			r.fault("a robot sends too many messages")
		}
	}
	return n
}

// append appends what a robot sends to what it sent earlier in the tick.
func (r *roster[S, P]) append(out *booking.Output, more booking.Output) {
	if out.N+more.N > len(out.Messages) {
		r.fault("a robot sends more than %d messages in a tick", len(out.Messages))
		return
	}
	out.N += copy(out.Messages[out.N:], more.Messages[:more.N])
}

// join returns the packet of a robot with numbers f that sent p earlier in the tick, and then this output.
func (r *roster[S, P]) join(p packet, f frame, output uint16) packet {
	if p.output == 0 || output == 0 {
		if output != 0 {
			p = packet{output, f}
		}
		return p
	}
	d := p.frame.minus(f)
	key := uint64(p.output)<<32 | uint64(output)<<16 | uint64(d.word())
	n, ok := r.joined[key]
	if !ok {
		out := r.outputs[p.output]
		for k := range out.N {
			out.Messages[k] = shifted(out.Messages[k], int(d.epoch), int(d.sequence))
		}
		r.append(&out, r.outputs[output])
		n = r.print(&out)
		r.joined[key] = n
	}
	return packet{n, f}
}

// shifted returns a message with its numbers moved.
func shifted(m booking.Message, epoch, sequence int) booking.Message {
	e, q := uint32(epoch), uint32(sequence)
	switch m.Type {
	case b3p.TypeClaim:
		m.Claim.Epoch, m.Claim.Sequence = m.Claim.Epoch+e, m.Claim.Sequence+q
	case b3p.TypeRelease:
		m.Release.Epoch, m.Release.Sequence = m.Release.Epoch+e, m.Release.Sequence+q
	case b3p.TypeBelief:
		m.Belief.Epoch, m.Belief.Sequence = m.Belief.Epoch+e, m.Belief.Sequence+q
	}
	return m
}

// believes returns what robot i believes.
func (r *roster[S, P]) believes(i int, local uint32) belief {
	s := r.states[local]
	b := P(&s).Booking(&r.cfg[i], before)
	return belief{int8(b.Booker) - 1, int8(b.Left / tick), b.Distance, uint8(b.Ignored)}
}

// listens reports whether a robot has just started.
func (r *roster[S, P]) listens(local uint32) bool {
	s := r.states[local]
	return P(&s).Listens(before)
}

// isBlank reports whether a robot knows nothing of the team's bookings.
func (r *roster[S, P]) isBlank(local uint32) bool {
	s := r.states[local]
	return P(&s).Blank()
}
