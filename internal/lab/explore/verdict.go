package explore

// Result is what an exploration found. Times are in ticks.
type Result struct {
	Bounds Bounds `json:"bounds"`
	States int    `json:"states"`
	Robots int    `json:"robotStates"` // states of a single robot

	// The longest spells between two events; -1: without end.
	Nobody  int `json:"nobody"`  // without a booker, though a robot can play the ball
	Several int `json:"several"` // with more than one booker
	Wrong   int `json:"wrong"`   // with one booker, and a robot that is nearer by more than Hysteresis

	Settled int `json:"settled"` // states in which one live robot is the booker for all, and stays it without losses
	Fresh   int `json:"fresh"`   // those in which all robots have heard a renewal lately, and the booker's distance
	Flips   int `json:"flips"`   // those after which this may not hold, or of another booker, without an event
	Stuck   int `json:"stuck"`   // states from which the team may never settle, though no message is lost any more
	Settle  int `json:"settle"`  // ticks until the team has settled, from all other states, without further losses
	Accused int `json:"accused"` // states in which a robot ignores one that does not lie

	// How the team comes into the longest spells, to the first state of Flips, and into a state of Stuck and round.
	NobodyTrace  []string `json:"nobodyTrace,omitempty"`
	SeveralTrace []string `json:"severalTrace,omitempty"`
	WrongTrace   []string `json:"wrongTrace,omitempty"`
	FlipTrace    []string `json:"flipTrace,omitempty"`
	StuckTrace   []string `json:"stuckTrace,omitempty"`
	AccusedTrace []string `json:"accusedTrace,omitempty"`
}

// conclude measures the spells and the way to settled states.
func (x *explorer[S, P]) conclude() *Result {
	r := &Result{Bounds: *x.b, States: x.count, Robots: len(x.states) - 1}
	r.Nobody, r.NobodyTrace = x.longest(nobody)
	r.Several, r.SeveralTrace = x.longest(several)
	r.Wrong, r.WrongTrace = x.longest(wrong)
	settled := x.settled()
	height := heights(&x.fair, x.count, func(n uint32) bool { return settled[n] })
	first := none
	for n := range uint32(x.count) {
		if x.verdicts[n].accused {
			if r.Accused++; r.Accused == 1 {
				r.AccusedTrace = x.trace(n)
			}
		}
		switch {
		case settled[n]:
			r.Settled++
			if x.verdicts[n].fresh {
				r.Fresh++
			}
			if v := &x.verdicts[n]; v.flips && v.fresh {
				if r.Flips++; r.Flips == 1 {
					r.FlipTrace = x.trace(n)
				}
			}
		case height[n] < 0:
			r.Stuck++
			first = min(first, n)
		default:
			r.Settle = max(r.Settle, int(height[n]))
		}
	}
	if first != none {
		r.StuckTrace = x.follow(first, &x.fair, height)
	}
	return r
}

// longest returns the length of the longest spell of a kind, in ticks until it is over, and how the team comes there.
func (x *explorer[S, P]) longest(what kind) (ticks int, trace []string) {
	height := heights(&x.spells, x.count, func(n uint32) bool { return x.verdicts[n].kind != what })
	at := none
	for n, h := range height {
		if x.verdicts[n].kind == what && (at == none || height[at] >= 0 && (h < 0 || h > height[at])) {
			at = uint32(n)
		}
	}
	if at == none {
		return 0, nil
	}
	return int(max(height[at], -1)), x.follow(at, &x.spells, height)
}

// settled marks the largest set of nodes in which the team agrees and that no fair tick leaves.
func (x *explorer[S, P]) settled() []bool {
	in := make([]bool, x.count)
	for n := range in {
		in[n] = x.verdicts[n].kind <= idle
	}
	for changed := true; changed; {
		changed = false
		for n := range uint32(x.count) {
			if !in[n] {
				continue
			}
			for _, to := range x.fair.of(n) {
				if !in[to] || x.verdicts[to].booker != x.verdicts[n].booker {
					in[n], changed = false, true
				}
			}
		}
	}
	return in
}

// heights returns the length of the longest path from each node until it is over: until a node where end holds, or one
// without edges, which counts one step. -1: a path without end.
func heights(e *edges, count int, end func(n uint32) bool) []int32 {
	const unseen, open = -3, -2
	height := make([]int32, count)
	for n := range height {
		height[n] = unseen
	}
	type frame struct{ node, edge uint32 }
	var stack []frame
	for start := range uint32(count) {
		if height[start] != unseen {
			continue
		}
		stack = append(stack[:0], frame{start, 0})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			n := f.node
			if height[n] == unseen {
				if height[n] = open; end(n) {
					height[n] = 0
					stack = stack[:len(stack)-1]
					continue
				}
			}
			to := e.of(n)
			if int(f.edge) < len(to) {
				m := to[f.edge]
				f.edge++
				switch height[m] {
				case unseen:
					stack = append(stack, frame{m, 0})
				case open, -1:
					// A cycle, or a way into one: all that are open below lead there.
					for k := range stack {
						height[stack[k].node] = -1
					}
				}
				continue
			}
			if height[n] == open {
				longest := int32(0)
				for _, m := range to {
					longest = max(longest, height[m])
				}
				height[n] = longest + 1
			}
			stack = stack[:len(stack)-1]
		}
	}
	return height
}
