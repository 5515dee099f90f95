package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"touchline/soccer"
	"touchline/wire/msl"
)

// Bounds of how robots move and where they stand.
const (
	jumpSpeed   = 15.0 // m/s: three times as fast as the league's fastest robots
	jumpLength  = 1.0  // m within one reading
	mirrorError = 0.6  // m beside the place opposite to the centre
	changeEnds  = 30.0 // s in which all robots of a team flip when it changes ends
	manyFlips   = 3    // robots that flip then
	narrowest   = 0.25 // m between robots: the smallest are 0.3 m wide (MSL Rules 2026), less the error of places
	stacked     = 1.0  // s that two robots are closer
	sameMeeting = 0.5  // s between two worldstates of it
)

// moves is what the steps of robots from worldstate to worldstate, and their distances, show.
type moves struct {
	jumps    spot
	longest  string // the longest jump
	length   float64
	flips    spot
	flipped  string // the first flip
	pending  []flip // may belong to a change of ends
	overlaps spot   // worldstates in which two robots have been on top of each other for some time
	stacks   [msl.MaxRobots * (msl.MaxRobots - 1) / 2]meeting
	here     []place // robots of the current worldstate
}

// flip is a step to the place opposite to the centre.
type flip struct {
	robot   *robotHistory
	seconds float64
	text    string
	spot    spot
}

// meeting is how long two robots are on top of each other.
type meeting struct{ start, last, longest float64 }

// place is where the current worldstate has a robot.
type place struct {
	robot  int // index in contents.robots
	at     soccer.Vec
	offset int32
}

// follow notes the move of a robot to a place, unless it is noise or a jump. A robot that returns, for example as a
// substitute, may begin anywhere.
func (r *robotHistory) follow(at soccer.Vec, d *contents) {
	if d.seconds-r.seen >= returned {
		r.anchor, r.anchored = at, d.seconds
		return
	}
	move := at.Sub(r.anchor)
	length := move.Len()
	if length <= minMove {
		return
	}
	r.anchor = at
	if length < maxMove {
		r.move, r.moved = move, length
		r.path += length
		if d.seconds-r.anchored <= slowest {
			d.driven += length
		}
		if d.seconds-r.anchored <= fastMove {
			d.fastUntil = d.seconds + 0.1
		}
	}
	r.anchored = d.seconds
}

// step judges the step of r to its next pose.
func (c *Card) step(m *StationMessage, r *robotHistory, at soccer.Vec, offset int32) {
	d := &c.contents
	dt := d.seconds - r.seen
	if m.Published != 0 && r.published != 0 {
		dt = max(dt, m.Published.Sub(r.published).Seconds())
	}
	length := at.Sub(r.at).Len()
	if length <= max(jumpLength, jumpSpeed*dt) {
		return
	}
	text := fmt.Sprintf("robot %v from (%.2f, %.2f) to (%.2f, %.2f)", r.id, r.at.X, r.at.Y, at.X, at.Y)
	if dt > 0 {
		text += fmt.Sprintf(" in %.0f ms", 1000*dt)
	}
	if at.Sub(soccer.Vec{X: -r.at.X, Y: -r.at.Y}).Len() <= mirrorError+float64(jumpSpeed/3*dt) { // it drives on meanwhile
		f := flip{robot: r, seconds: d.seconds, text: text}
		c.markValue(&f.spot, m, offset)
		d.moves.flip(f)
		return
	}
	// A pose that was the same to the last digit may be that of a robot that was silent meanwhile, or off and carried.
	if length <= jumpSpeed*(d.seconds-r.changed) {
		return
	}
	c.markValue(&d.moves.jumps, m, offset)
	if r.jumps++; length > d.moves.length {
		d.moves.length, d.moves.longest = length, text
	}
}

// flip counts f, unless at least manyFlips robots flip one after the other: their team changes ends.
func (v *moves) flip(f flip) {
	v.settle(f.seconds - changeEnds)
	again := slices.IndexFunc(v.pending, func(p flip) bool { return p.robot == f.robot })
	if v.pending = append(v.pending, f); again >= 0 { // it flipped back
		v.count(&v.pending[again])
		v.count(&f)
		v.pending = slices.Delete(slices.Delete(v.pending, len(v.pending)-1, len(v.pending)), again, again+1)
	}
	if len(v.pending) >= manyFlips {
		for i := range v.pending {
			v.pending[i].text = "" // excused, but it still excuses the next one
		}
	}
}

// settle counts the flips before a time.
func (v *moves) settle(before float64) {
	for len(v.pending) > 0 && v.pending[0].seconds < before {
		v.count(&v.pending[0])
		v.pending = slices.Delete(v.pending, 0, 1)
	}
}

func (v *moves) count(f *flip) {
	if f.text == "" {
		return
	}
	if v.flips.add(&f.spot); v.flips.order == f.spot.order {
		v.flipped = f.text
	}
	f.robot.flips++
}

// meet counts how long the robots of the current worldstate have been on top of each other.
func (c *Card) meet(m *StationMessage) {
	d := &c.contents
	now, marked := d.seconds, false
	for j := range d.moves.here {
		for i := range d.moves.here[:j] {
			a, b := &d.moves.here[i], &d.moves.here[j]
			if a.at.Sub(b.at).Len() >= narrowest {
				continue
			}
			low, high := min(a.robot, b.robot), max(a.robot, b.robot)
			s := &d.moves.stacks[high*(high-1)/2+low]
			if now-s.last > sameMeeting || s.start == 0 {
				s.start = now
			}
			s.last = now
			if now-s.start < stacked {
				continue
			}
			s.longest = max(s.longest, now-s.start)
			if !marked {
				marked = true
				c.markValue(&d.moves.overlaps, m, b.offset)
			}
		}
	}
	d.moves.here = d.moves.here[:0]
}

// judgeJumps reports the robots that jump.
func (c *Card) judgeJumps(out *findings) {
	d := &c.contents
	v := &d.moves
	if n := v.jumps.count; n > 0 && !d.lengths[ofRobots].otherUnit() {
		out.fault(&v.jumps, n, c.worldstates,
			"%s of %s, faster than %v m/s and longer than %v m; the longest: %s", Plural(n, "jump"),
			d.names(func(r *robotHistory) bool { return r.jumps > 0 }), jumpSpeed, jumpLength, v.longest)
	}
}

// judgeFlips reports the robots that flip to the place opposite to the centre.
func (c *Card) judgeFlips(out *findings) {
	d := &c.contents
	flips := make([]uint64, d.known)
	for i := range flips {
		flips[i] = d.robots[i].flips
	}
	v := moves{flips: d.moves.flips, flipped: d.moves.flipped, pending: slices.Clone(d.moves.pending)}
	v.settle(math.Inf(1)) // the pending ones, too
	if n := v.flips.count; n > 0 {
		out.fault(&v.flips, n, c.worldstates,
			"%s of %s to the place opposite to the centre while the other robots stay; the first: %s",
			Plural(n, "flip"), d.names(func(r *robotHistory) bool { return r.flips > 0 }), v.flipped)
	}
	for i := range flips {
		d.robots[i].flips = flips[i]
	}
}

// judgeOverlaps reports the robots on top of each other.
func (c *Card) judgeOverlaps(out *findings) {
	d := &c.contents
	n := d.moves.overlaps.count
	if n == 0 {
		return
	}
	longest := 0.0
	for i := range d.moves.stacks {
		longest = max(longest, d.moves.stacks[i].longest)
	}
	in := d.stacked()
	out.fault(&d.moves.overlaps, n, c.worldstates, "%s are less than %v m apart for up to %.1f s: no two robots fit there",
		d.names(func(r *robotHistory) bool { return in[r.index] }), narrowest, longest)
}

// stacked returns which robots are on top of another one.
func (d *contents) stacked() (in [msl.MaxRobots]bool) {
	for high := range d.known {
		for low := range high {
			if d.moves.stacks[high*(high-1)/2+low].longest > 0 {
				in[low], in[high] = true, true
			}
		}
	}
	return in
}

// names returns the numbers of some robots as text.
func (d *contents) names(which func(*robotHistory) bool) string {
	var numbers []float64
	for i := range d.robots[:d.known] {
		if r := &d.robots[i]; which(r) {
			numbers = append(numbers, r.id)
		}
	}
	slices.Sort(numbers)
	names := make([]string, len(numbers))
	for i, id := range numbers {
		names[i] = fmt.Sprint(id)
	}
	switch n := len(names); n {
	case 0:
		return "robots"
	case 1:
		return "robot " + names[0]
	default:
		return "robots " + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}
