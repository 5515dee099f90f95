package explore

import "slices"

// arrival is a message that reaches a robot in a tick.
type arrival struct {
	from   int
	packet packet
	late   bool
}

// option is what a tick can do to one robot.
type option struct {
	local  uint32
	frame  frame
	sent   packet
	missed uint8
	losses uint8 // messages lost
	late   packet
	from   uint8
	odd    bool // late arrives in the next tick
}

// tick emits every node that can follow after one tick. A tick is fair without a loss, a delay or a duplicate.
func (x *explorer[S, P]) tick(n *node, emit func(next *node, fair bool)) {
	for i := range x.b.Robots {
		x.options[i] = x.options[i][:0]
		if n.local[i] == 0 {
			x.options[i] = append(x.options[i], option{})
		} else {
			x.receive(n, i)
		}
	}
	next := node{place: n.place, left: n.left}
	var combine func(i int, losses uint8, odd bool)
	combine = func(i int, losses uint8, odd bool) {
		if i == x.b.Robots {
			fair := losses == 0 && !odd
			if x.lying(n) {
				x.lie(next, func(m *node) { emit(m, fair) })
				return
			}
			m := next
			emit(&m, fair)
			return
		}
		for k := range x.options[i] {
			o := &x.options[i][k]
			if odd && o.odd || x.b.LossTotal > 0 && losses+o.losses > n.left.losses {
				continue
			}
			next.local[i], next.frame[i], next.sent[i], next.missed[i] = o.local, o.frame, o.sent, o.missed
			if x.b.LossTotal > 0 {
				next.left.losses = n.left.losses - losses - o.losses
			}
			saved := next
			if o.odd {
				next.left.odd--
				next.late, next.from, next.to = o.late, o.from, uint8(i)
			}
			combine(i+1, losses+o.losses, odd || o.odd)
			next = saved
		}
	}
	combine(0, 0, false)
}

// lying reports whether the liar has begun.
func (x *explorer[S, P]) lying(n *node) bool { return x.b.Liar != "" && n.left.lies == 0 }

// lie emits what follows from each lie that the liar can send at the end of a tick.
func (x *explorer[S, P]) lie(n node, emit func(next *node)) {
	newest := frame{-128, -128}
	for i, local := range n.local[:x.b.Robots] {
		if local != 0 {
			newest.epoch, newest.sequence = max(newest.epoch, n.frame[i].epoch), max(newest.sequence, n.frame[i].sequence)
		}
	}
	for _, output := range x.lies {
		m := n
		m.sent[x.b.Robots] = packet{output, newest}
		emit(&m)
	}
}

// receive lists what a tick can do to robot i.
func (x *explorer[S, P]) receive(n *node, i int) {
	x.arrivals = x.arrivals[:0]
	for from := range x.b.senders() {
		if from != i && n.sent[from].output != 0 {
			x.arrivals = append(x.arrivals, arrival{from: from, packet: n.sent[from]})
		}
	}
	if n.late.output != 0 && int(n.to) == i {
		x.arrivals = append(x.arrivals, arrival{from: int(n.from), packet: n.late, late: true})
	}
	x.choose(n, i, 0, nil, option{local: n.local[i], frame: n.frame[i], missed: n.missed[i]})
}

// choose decides about the arrivals from k on: delivered, lost, late or duplicated.
func (x *explorer[S, P]) choose(n *node, i, k int, heard []arrival, o option) {
	if k == len(x.arrivals) {
		x.deliver(n, i, heard, o)
		return
	}
	a := x.arrivals[k]
	shift := 2 * a.from
	kept := o
	if !a.late {
		kept.missed &^= 3 << shift
	}
	heard = heard[:len(heard):len(heard)]
	x.choose(n, i, k+1, append(heard, a), kept)
	if a.late {
		return
	}
	if n.left.odd > 0 && !o.odd {
		odd := kept
		odd.odd, odd.late, odd.from = true, a.packet, uint8(a.from)
		x.choose(n, i, k+1, append(heard, a), odd) // twice
		x.choose(n, i, k+1, heard, odd)            // late
	}
	if in := int(o.missed >> shift & 3); in < x.b.Losses && (x.b.LossTotal == 0 || o.losses < n.left.losses) {
		lost := o
		lost.missed += 1 << shift
		lost.losses++
		x.choose(n, i, k+1, heard, lost)
	}
}

// deliver carries out the tick of robot i, for each order of the messages that it hears.
func (x *explorer[S, P]) deliver(n *node, i int, heard []arrival, o option) {
	if len(heard) > 0 {
		for k := range heard {
			rest := append(heard[:k:k], heard[k+1:]...)
			h := o
			c := x.hear(i, o.local, o.frame, heard[k].from, heard[k].packet)
			h.local, h.frame = c.local, o.frame.plus(c.frame)
			h.sent = x.join(o.sent, h.frame, c.output)
			x.deliver(n, i, rest, h)
		}
		return
	}
	c := x.act(i, o.local, n.place[i])
	o.local, o.frame = c.local, o.frame.plus(c.frame)
	o.sent = x.join(o.sent, o.frame, c.output)
	for from := range x.b.Robots { // what a crashed robot sent has arrived or is lost
		if n.local[from] == 0 {
			o.missed &^= 3 << (2 * from)
		}
	}
	if !slices.Contains(x.options[i], o) {
		x.options[i] = append(x.options[i], o)
	}
}

// events emits what can happen between two ticks.
func (x *explorer[S, P]) events(n *node, emit func(next *node)) {
	if x.b.Events > 0 && n.left.events == 0 {
		return
	}
	change := func(i int, local uint32, p place, counter func(l *left) *uint8) {
		m := *n
		m.local[i], m.place[i] = local, p
		if counter != nil {
			*counter(&m.left)--
			m.left.events -= min(m.left.events, 1)
		}
		switch local {
		case n.local[i]:
		case blankLocal:
			m.frame[i] = x.blankFrame(n)
		default: // crashed
			m.missed[i] = 0
			if int(m.to) == i {
				m.late, m.from, m.to = packet{}, 0, 0
			}
		}
		emit(&m)
	}
	live := 0
	for _, local := range n.local {
		if local != 0 {
			live++
		}
	}
	if n.left.lies > 0 {
		m := *n
		m.left.lies = 0
		m.left.events -= min(m.left.events, 1)
		emit(&m)
	}
	for i, local := range n.local[:x.b.Robots] {
		switch {
		case local == 0 && n.left.restarts > 0:
			for d := range x.b.Distances {
				change(i, blankLocal, placed(d, plays), func(l *left) *uint8 { return &l.restarts })
			}
		case local == 0:
			continue
		}
		if local != 0 && live > 1 && n.left.crashes > 0 {
			change(i, 0, 0, func(l *left) *uint8 { return &l.crashes })
		}
		if local != 0 {
			x.moves(i, n, change)
		}
	}
}

// blankFrame returns the numbers of a robot that starts: those of a robot that knows no more, or else older ones than all.
func (x *explorer[S, P]) blankFrame(n *node) frame {
	for i, local := range n.local[:x.b.Robots] {
		if local != 0 && x.isBlank(local) {
			return n.frame[i]
		}
	}
	return x.blank
}

// moves emits the changes of a live robot's place.
func (x *explorer[S, P]) moves(i int, n *node, change func(int, uint32, place, func(l *left) *uint8)) {
	local, p := n.local[i], n.place[i]
	for d := range x.b.Distances {
		if n.left.moves > 0 && d != p.distance() {
			change(i, local, placed(d, p.condition()), func(l *left) *uint8 { return &l.moves })
		}
	}
	if p.condition() != plays {
		change(i, local, placed(p.distance(), plays), nil)
	} else if n.left.outs > 0 {
		for _, c := range []condition{blind, unfit} {
			change(i, local, placed(p.distance(), c), func(l *left) *uint8 { return &l.outs })
		}
	}
}
