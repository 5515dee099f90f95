package vss

import (
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// Sizes and speeds of robots in FIRASim. Robots of rSim are a third faster; nothing here depends on that.
const (
	wheelRadius = 0.02 // m
	halfTrack   = 0.04 // m, from the centre of a robot to a wheel
	wheelLimit  = 60.0 // rad/s, limit of commanded wheel speeds
	fastest     = 3.0  // m/s, limit of speeds in vision
	cruise      = 1.1  // m/s
	spin        = 38.0 // rad/s of the body, about the largest possible
	ahead       = 0.1  // m/s, largest lead of a command over the speed: a motor at its limit could not steer
)

// unit returns a with length 1, or the direction of +x for length 0.
func unit(a soccer.Vec) soccer.Vec {
	if l := a.Len(); l > 0 {
		return a.Scale(1 / l)
	}
	return soccer.Vec{X: 1}
}

// command sets a robot's wheels from its speed in m/s and its angular velocity in rad/s. At the limit turning has
// priority.
func (p *footballer) command(speed, turn float64) {
	v, w := speed/wheelRadius, float64(turn*(halfTrack/wheelRadius))
	w = min(max(w, -wheelLimit), wheelLimit)
	room := wheelLimit - math.Abs(w)
	v = min(max(v, -room), room)
	p.wheels = soccer.Wheels{Left: v - w, Right: v + w}
}

// drive moves a robot in direction d, forwards or backwards, with at most the given speed.
func (p *footballer) drive(d soccer.Vec, speed float64) {
	c, s, sign := p.heading.Dot(d), p.heading.Cross(d), 1.0
	if c < 0 {
		c, s, sign = -c, -s, -1
	}
	off := exact.Atan2(s, c)
	speed *= max(0, float64(1.3*c)-0.3)
	if now := float64(sign * p.speed); math.Abs(off) > 0.1 {
		speed = min(speed, max(now, 0)+ahead)
	}
	p.command(float64(sign*speed), float64(14*off))
}

// face turns a robot on the spot until its front or its back points in direction d.
func (p *footballer) face(d soccer.Vec) {
	c, s := p.heading.Dot(d), p.heading.Cross(d)
	if c < 0 {
		c, s = -c, -s
	}
	p.command(0, float64(10*exact.Atan2(s, c)))
}

// approach returns the largest speed from which a robot stops within a distance.
func approach(distance float64) float64 {
	return min(cruise, float64(6*distance))
}

// goTo moves a robot to a place, around all others.
func (t *Team) goTo(i int, place soccer.Vec) {
	p := &t.own[i]
	way := place.Sub(p.position)
	distance := way.Len()
	if distance < 0.03 {
		p.face(unit(t.ball.Sub(p.position)))
		return
	}
	p.drive(t.around(i, unit(way), min(distance, 0.3), true), approach(distance))
}

// around bends a direction so that robot i avoids everything within reach on its path.
func (t *Team) around(i int, d soccer.Vec, reach float64, ball bool) soccer.Vec {
	p := t.own[i].position
	bend := 0.0
	for k := range t.own {
		if k != i && t.own[k].seen {
			bend += bendAt(t.own[k].position.Sub(p), d, reach, 0.11)
		}
		if t.other[k].seen {
			bend += bendAt(t.other[k].position.Sub(p), d, reach, 0.1)
		}
	}
	if ball {
		bend += bendAt(t.ball.Sub(p), d, reach, 0.09)
	}
	bend = min(max(bend, -1.5), 1.5)
	return unit(soccer.Vec{X: d.X - float64(d.Y*bend), Y: d.Y + float64(d.X*bend)})
}

// within turns a direction that leads into a nearby wall along the wall, and out of the own goal.
func (t *Team) within(p, d soccer.Vec) soccer.Vec {
	length, width := float64(t.field.Length*0.5)-0.05, float64(t.field.Width*0.5)-0.05
	d.Y, d.X = slide(d.Y, d.X, p.Y, width-math.Abs(p.Y))
	if p.X < 0 || math.Abs(p.Y) > float64(t.field.GoalWidth*0.5) {
		d.X, d.Y = slide(d.X, d.Y, p.X, length-math.Abs(p.X))
	}
	return d
}

// slide turns the direction (out, side) of a robot at place at along the wall on that side, more with less room.
func slide(out, side, at, room float64) (float64, float64) {
	most := min(max(float64(15*room), -0.3), 1)
	if float64(out*math.Copysign(1, at)) <= most {
		return out, side
	}
	return math.Copysign(1, at) * most, math.Copysign(math.Sqrt(1-float64(most*most)), side)
}

// bendAt returns how far to turn left of direction d to pass a body at q, relative to the robot, with a gap.
func bendAt(q, d soccer.Vec, reach, gap float64) float64 {
	front, side := q.Dot(d), d.Cross(q)
	if front <= 0 || front >= reach || math.Abs(side) >= gap {
		return 0
	}
	return math.Copysign(float64(1.5*(1-float64(0.5*(front/reach)))*(1.2-math.Abs(side)/gap)), -side)
}

// strike drives the ball towards the other goal with robot i.
func (t *Team) strike(i int) {
	p := &t.own[i]
	if area, width := t.field.GoalArea(); inBox(&t.field, t.ball, area, width+0.04) { // only the keeper may be there
		t.goTo(i, soccer.Vec{X: area + 0.1 - float64(t.field.Length*0.5), Y: t.ball.Y})
		return
	}
	ball := t.meeting(p)
	if n := t.wall(ball); n != (soccer.Vec{}) && t.rolling.Len() < 0.3 {
		t.dig(i, n)
		return
	}
	shot := t.shot(ball)
	way := ball.Sub(p.position)
	distance := way.Len()
	d, bent := t.swing(p.position, ball, shot)
	if distance > 0.15 {
		d = t.around(i, d, min(distance-0.08, 0.25), false)
	}
	d = t.within(p.position, d)
	speed := t.pace
	if bent { // slow enough for the curve, but faster than the ball
		speed = min(speed, 0.5+float64(1.5*max(0, distance-0.1))+max(0, t.rolling.Dot(d)))
	}
	p.drive(d, speed)
}

// dig frees a ball from the wall with normal n: the robot spins beside it, and its edge kicks the ball along the wall.
func (t *Team) dig(i int, n soccer.Vec) {
	p := &t.own[i]
	way := t.ball.Sub(p.position)
	if way.Len() < 0.072 {
		p.spinAt(way, t.away(t.ball))
		return
	}
	to := way.Add(n.Scale(0.062))
	distance := to.Len()
	p.drive(t.around(i, unit(to), min(distance, 0.2), way.Dot(n) > -0.03), 0.15+approach(distance))
}

// swing returns the direction from a place that leads to the ball in the direction of shot, along tangents and arcs of
// the two circles that touch the line of the shot at the ball. bent reports that the path leads around the ball.
func (t *Team) swing(from, ball, shot soccer.Vec) (d soccer.Vec, bent bool) {
	way := ball.Sub(from)
	radius := min(0.055+float64(0.22*way.Len()), 0.2) // smaller close to the ball
	x, y := -way.Dot(shot), -shot.Cross(way)          // place of the robot, relative to the ball, with x along the shot
	if x < 0 && math.Abs(y) < min(0.025, -0.3*x) {    // behind the ball
		return unit(way.Add(shot.Scale(-0.02))), false
	}
	side := math.Copysign(1, y)
	left := shot.Left()
	here, there := t.outside(ball.Add(left.Scale(0.17*side))), t.outside(ball.Add(left.Scale(-0.17*side)))
	if here > 0 && here > there {
		side = -side // more room there
	}
	centre := way.Add(left.Scale(float64(radius * side)))
	distance := centre.Len()
	sin, cos := 1.0, 0.0
	if distance > radius {
		sin = radius / distance
		cos = math.Sqrt(1 - float64(sin*sin))
	} else { // inside the circle: along the arc and outwards
		cos = -min(0.8, 2*(1-distance/radius))
		sin = math.Sqrt(1 - float64(cos*cos))
	}
	// The circle stays on the robot's side: a robot that comes from the left has the centre on its left.
	return unit(centre).Rotated(-side*sin, cos), x > -0.1 || math.Abs(y) > -x
}

// outside returns the distance of p from the area of robots' centres.
func (t *Team) outside(p soccer.Vec) float64 {
	return max(math.Abs(p.X)-float64(t.field.Length*0.5)+0.04, math.Abs(p.Y)-float64(t.field.Width*0.5)+0.04)
}

// meeting returns the place where a robot can reach the ball, within the walls.
func (t *Team) meeting(p *footballer) soccer.Vec {
	in := min(t.ball.Sub(p.position).Len()/0.9, 0.8)
	b := t.ball.Add(t.rolling.Scale(in * 0.8))
	x, y := float64(t.field.Length*0.5)-soccer.VSSBallRadius, float64(t.field.Width*0.5)-soccer.VSSBallRadius
	return soccer.Vec{X: min(max(b.X, -x), x), Y: min(max(b.Y, -y), y)}
}

// shot returns the direction in which to push a ball: to the open part of the goal, or along a wall where no robot fits
// behind the ball.
func (t *Team) shot(ball soccer.Vec) soccer.Vec {
	const room = 0.085 // m behind a ball for a robot
	length, width := float64(t.field.Length*0.5), float64(t.field.Width*0.5)
	aim := soccer.Vec{X: length + 0.05}
	for i := range t.other {
		if q := &t.other[i]; q.seen && q.position.X > length-0.15 &&
			math.Abs(q.position.Y) < float64(t.field.GoalWidth*0.5) {
			aim.Y = math.Copysign(float64(t.field.GoalWidth*0.3), -q.position.Y)
		}
	}
	aim.Y += t.bias
	d := unit(aim.Sub(ball))
	behind := ball.Add(d.Scale(-0.065))
	if math.Abs(behind.Y) > width-0.04 && math.Abs(ball.Y) > width-room { // along the side wall
		return unit(soccer.Vec{X: 1, Y: math.Copysign(0.1, ball.Y)})
	}
	if behind.X < 0.04-length { // along the own goal line, away from the goal
		return unit(soccer.Vec{X: 0.2, Y: math.Copysign(1, ball.Y)})
	}
	return d
}

// wall returns the normal of the wall that a ball touches, zero for none.
func (t *Team) wall(ball soccer.Vec) soccer.Vec {
	const gap = soccer.VSSBallRadius + 0.035
	x, y := math.Abs(ball.X), math.Abs(ball.Y)
	length, width := float64(t.field.Length*0.5), float64(t.field.Width*0.5)
	in := soccer.Vec{X: math.Copysign(1, -ball.X), Y: math.Copysign(1, -ball.Y)}
	switch {
	case x+y > length+width-t.field.CornerCut-float64(gap*math.Sqrt2):
		return in.Scale(math.Sqrt2 / 2)
	case y > width-gap:
		return soccer.Vec{Y: in.Y}
	case x > length-gap && y > float64(t.field.GoalWidth*0.5):
		return soccer.Vec{X: in.X}
	}
	return soccer.Vec{}
}

// away returns the direction in which to kick a ball along a wall: along the other goal line to the middle, along the
// own goal line away from it, along the side wall to the other half.
func (t *Team) away(ball soccer.Vec) soccer.Vec {
	length, width := float64(t.field.Length*0.5), float64(t.field.Width*0.5)
	switch side := math.Copysign(1, ball.Y); {
	case ball.X > length-t.field.CornerCut-0.03:
		return soccer.Vec{Y: -side}
	case ball.X < 0.05-length && math.Abs(ball.Y) < width-t.field.CornerCut-0.03:
		return soccer.Vec{Y: side}
	}
	return soccer.Vec{X: 1}
}

// spinAt hits a ball at way with the edge that moves in direction d.
func (p *footballer) spinAt(way, d soccer.Vec) {
	p.command(0, math.Copysign(spin, way.Cross(d)))
}

// keep moves the goalkeeper along its line.
func (t *Team) keep(p *footballer) {
	length := float64(t.field.Length * 0.5)
	line := soccer.VSSRobotEdge/2 + 0.01 - length
	way := t.ball.Sub(p.position)
	slow := t.rolling.Len() < 0.3
	if way.Len() < 0.08 && slow {
		p.spinAt(way, soccer.Vec{X: 0.3, Y: math.Copysign(1, t.ball.Y)})
		return
	}
	area, width := t.field.GoalArea()
	if inBox(&t.field, t.ball, area, width) && slow && way.X > 0 { // clear the ball
		p.drive(unit(way), cruise)
		return
	}
	// Closer to the middle than the ball, because the keeper has no time to come back.
	y := float64(t.ball.Y * 0.45)
	if t.rolling.X < -0.1 { // where the ball will cross the line
		if in := (line - t.ball.X) / t.rolling.X; in > 0 && in < 1.5 {
			at := t.ball.Y + float64(t.rolling.Y*in)
			if y = float64(at * 0.45); in < 0.7 && math.Abs(at) < float64(t.field.GoalWidth*0.5) {
				y = at // it comes
			}
		}
	}
	most := float64(t.field.GoalWidth*0.5) - 0.03
	off := soccer.Vec{X: line, Y: min(max(y, -most), most)}.Sub(p.position)
	switch {
	case math.Abs(off.X) > 0.03 && off.Len() > 0.03:
		p.drive(unit(off), approach(off.Len()))
	case math.Abs(off.Y) > 0.008:
		bend := min(max(float64(3*off.X), -0.15), 0.15)
		p.drive(unit(soccer.Vec{X: bend, Y: math.Copysign(1, off.Y)}), approach(math.Abs(off.Y)))
	default:
		p.face(soccer.Vec{Y: 1})
	}
}

// checkStuck finds robots that do not move despite their command.
func (t *Team) checkStuck(p *footballer) {
	const still, slack = 0.04, 0.05 // m/s, limits of standing still and of a command to stand still
	commanded := max(math.Abs(p.wheels.Left), math.Abs(p.wheels.Right)) * wheelRadius
	turned := math.Abs(p.before.Cross(p.heading)) > 0.02
	p.before = p.heading
	if !p.seen || p.escape > 0 || commanded < slack || math.Abs(p.speed) > still || turned {
		p.stuck = 0
		return
	}
	if p.stuck == 0 {
		p.patience = 300*time.Millisecond + time.Duration(t.random.Uint32N(500))*time.Millisecond
	}
	if p.stuck += t.dt; p.stuck < p.patience {
		return
	}
	p.escape = 200*time.Millisecond + time.Duration(t.random.Uint32N(250))*time.Millisecond
	side := float64(1 - 2*int(t.random.Uint32N(2)))
	pushed := p.wheels.Left + p.wheels.Right
	switch {
	case math.Abs(pushed) < 1:
		p.back, p.turn = float64(0.7*side), 0
	case t.ball.Sub(p.position).Len() < 0.09: // a robot pushes back: kick the ball aside
		p.back, p.turn = 0, float64(spin*side)
	default:
		p.back, p.turn = -math.Copysign(0.7, pushed), float64(8*side)
	}
	if p.position.Sub(p.jam).Len() < 0.05 { // it came back, to a wall along which it cannot turn: leave for longer
		p.escape += 500 * time.Millisecond
		p.back, p.turn = float64(0.7*side), float64(p.turn*0.25)
	}
	p.jam = p.position
}

// escape lets a stuck robot free itself, and reports whether it does.
func (t *Team) escape(i int) bool {
	p := &t.own[i]
	if p.escape <= 0 {
		return false
	}
	p.escape -= t.dt
	p.command(p.back, p.turn)
	return true
}
