package explore

import (
	"fmt"
	"slices"
	"strings"

	"touchline/wire/b3p"
)

// trace tells in words how the team comes to node n, a line for the start, for each event and for each tick.
func (x *explorer[S, P]) trace(n uint32) []string {
	var path []uint32
	for ; n != none; n = x.parents[n] {
		path = append(path, n)
	}
	slices.Reverse(path)
	lines := []string{"start: " + x.distances(x.node(path[0]))}
	ticks := 0
	for k := 1; k < len(path); k++ {
		lines = append(lines, x.describe(x.node(path[k-1]), x.node(path[k]), &ticks))
	}
	return lines
}

// follow tells the way to node n, and from there the longest way in a graph, or round without end.
func (x *explorer[S, P]) follow(n uint32, e *edges, height []int32) []string {
	lines, ticks := x.trace(n), 0
	for _, line := range lines {
		if strings.HasPrefix(line, "tick") {
			ticks++
		}
	}
	for seen := map[uint32]int{n: ticks}; ; {
		next := none
		for _, to := range e.of(n) {
			if next == none || height[to] < 0 && height[next] >= 0 || height[next] >= 0 && height[to] > height[next] {
				next = to
			}
		}
		if next == none || height[n] == 0 {
			return lines
		}
		lines = append(lines, x.describe(x.node(n), x.node(next), &ticks))
		if since, ok := seen[next]; ok {
			return append(lines, fmt.Sprintf("now all is as after tick %d, and so it goes on for ever", since))
		}
		seen[next], n = ticks, next
	}
}

// distances tells where the robots are.
func (x *explorer[S, P]) distances(n *node) string {
	var all []string
	for i, local := range n.local[:x.b.Robots] {
		if local != 0 {
			all = append(all, fmt.Sprintf("robot %d is %g m from the ball", i+1, x.b.Distances[n.place[i].distance()]))
		}
	}
	return strings.Join(all, ", ")
}

// describe tells what happened between two nodes, and counts ticks.
func (x *explorer[S, P]) describe(a, b *node, ticks *int) string {
	if event := x.event(a, b); event != "" {
		return "then:   " + event
	}
	*ticks++
	var all []string
	for i := range x.b.Robots {
		for from := range x.b.senders() {
			if b.missed[i]>>(2*from)&3 > a.missed[i]>>(2*from)&3 {
				all = append(all, fmt.Sprintf("robot %d's message to robot %d is lost", from+1, i+1))
			}
		}
	}
	if b.late.output != 0 {
		all = append(all, fmt.Sprintf("robot %d's message reaches robot %d a tick late or twice", b.from+1, b.to+1))
	}
	for i, local := range b.local[:x.b.Robots] {
		if local != 0 {
			all = append(all, x.mind(i, a, b))
		}
	}
	return fmt.Sprintf("tick %d: %s", *ticks, strings.Join(all, "; "))
}

// mind tells what robot i does in the tick from a to b.
func (x *explorer[S, P]) mind(i int, a, b *node) string {
	was, is := int(x.belief(i, a.local[i]).booker), int(x.belief(i, b.local[i]).booker)
	sent := &x.outputs[b.sent[i].output]
	switch {
	case sent.N > 0 && sent.Messages[0].Type == b3p.TypeRelease:
		return fmt.Sprintf("robot %d releases the ball", i+1)
	case is == i && sent.N > 0 && sent.Messages[0].Type == b3p.TypeClaim && (was != i || a.local[i] == blankLocal):
		return fmt.Sprintf("robot %d books the ball", i+1)
	case is == i:
		return fmt.Sprintf("robot %d is the booker", i+1)
	case is >= 0:
		return fmt.Sprintf("robot %d believes robot %d", i+1, is+1)
	case was >= 0:
		return fmt.Sprintf("robot %d holds the ball for free", i+1)
	}
	return fmt.Sprintf("robot %d knows no booker", i+1)
}

// event tells which event lies between two nodes; "": none, but a tick.
func (x *explorer[S, P]) event(a, b *node) string {
	if a.left.odd != b.left.odd || a.left.losses != b.left.losses || a.sent != b.sent {
		return ""
	}
	if a.left.lies != b.left.lies {
		return fmt.Sprintf("robot %d begins to lie", x.liar+1)
	}
	changed := -1
	for i := range a.local {
		if a.local[i] != b.local[i] || a.place[i] != b.place[i] {
			if changed >= 0 {
				return ""
			}
			changed = i
		}
	}
	if changed < 0 {
		return ""
	}
	i, was, is := changed, a.place[changed], b.place[changed]
	switch {
	case b.local[i] == 0:
		return fmt.Sprintf("robot %d crashes", i+1)
	case a.local[i] == 0:
		return fmt.Sprintf("robot %d starts again, %g m from the ball", i+1, x.b.Distances[is.distance()])
	case a.local[i] != b.local[i]:
		return ""
	case was.distance() != is.distance():
		return fmt.Sprintf("robot %d is now %g m from the ball", i+1, x.b.Distances[is.distance()])
	case is.condition() == blind:
		return fmt.Sprintf("robot %d loses the ball", i+1)
	case is.condition() == unfit:
		return fmt.Sprintf("robot %d is penalised", i+1)
	}
	return fmt.Sprintf("robot %d can play the ball again", i+1)
}
