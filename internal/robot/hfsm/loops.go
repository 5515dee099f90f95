package hfsm

import "slices"

// checkLoops finds loops that a machine runs through without time: of two transitions whose conditions can hold together,
// and longer ones of transitions without conditions. In such a loop a robot changes its mind in each control period.
func (c *checker) checkLoops(s *shape) {
	leaving := make([][]int, len(c.States)) // the transitions that leave each leaf for another one without time
	always := make([]int, len(c.States))    // the leaf that follows each leaf in any case
	for leaf := range c.States {
		if always[leaf] = none; s.first[leaf] != none {
			continue
		}
		leaving[leaf] = c.leaving(s, leaf)
		for _, t := range slices.Backward(leaving[leaf]) {
			if len(s.parts[t]) == 0 {
				always[leaf] = s.entry(s.to[t])
			}
		}
	}
	c.checkTurns(s, leaving)
	for leaf := range always {
		if n := loopLength(always, leaf); n > 2 {
			c.fault(c.States[leaf].Name, none, "the transitions from %q lead back to it without condition and time", c.States[leaf].Name)
		}
	}
}

// leaving returns the transitions without After that leave a leaf for another one.
func (c *checker) leaving(s *shape, leaf int) []int {
	var all []int
	for _, in := range s.path(nil, leaf) {
		for _, t := range s.from[in] {
			if c.Transitions[t].After == 0 && !s.inside(leaf, s.to[t]) {
				all = append(all, t)
			}
		}
	}
	return all
}

// checkTurns finds pairs of transitions that can be taken in turn.
func (c *checker) checkTurns(s *shape, leaving [][]int) {
	reported := map[[2]int]bool{}
	for leaf := range leaving {
		for _, t := range leaving[leaf] {
			other := s.entry(s.to[t])
			for _, u := range leaving[other] {
				pair := [2]int{min(t, u), max(t, u)}
				if s.entry(s.to[u]) != leaf || reported[pair] || !compatible(s.parts[t], s.parts[u]) {
					continue
				}
				reported[pair] = true
				c.wrong(t, "transitions %d and %d, between %q and %q, can be taken in turn without time: "+
					"give one of them an after, or both conditions that exclude each other",
					pair[0]+1, pair[1]+1, c.States[leaf].Name, c.States[other].Name)
			}
		}
	}
}

// compatible reports whether two lists of conditions can hold together.
func compatible(a, b []literal) bool {
	return !slices.ContainsFunc(a, func(l literal) bool { return slices.Contains(b, literal{l.name, !l.not}) })
}

// loopLength returns the length of the loop that begins with a leaf, if it is the first one of the loop; else 0.
func loopLength(next []int, leaf int) int {
	at := next[leaf]
	for n := 1; n <= len(next) && at != none && at >= leaf; n++ {
		if at == leaf {
			return n
		}
		at = next[at]
	}
	return 0
}
