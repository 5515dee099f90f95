package sim

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

// robot is one robot on the field.
type robot struct {
	id       uint8
	pose     soccer.Pose
	twist    soccer.Twist
	wheels   soccer.Wheels
	cos, sin float64    // cosine and sine of the heading
	omni     *omniDrive // drive of an MSL robot; nil for a post
	drive    drive      // wheels and casters of a Very Small Size robot

	// Working values of a sub-step.
	start           soccer.Twist // before it, if the ball is near
	contacts        int          // number of contacts, each counted at one robot
	touched, walled bool         // it is in contact (MSL: it may be); it may touch a wall within the tick

	// still: contacts hold it in place, and will do so while nothing comes near.
	still  bool
	coasts bool    // within this tick: it moves steadily and touches nothing
	way    float64 // m that it moves within this tick, at most
}

func newRobot(id uint8, pose soccer.Pose) robot {
	pose.Theta = soccer.WrapAngle(pose.Theta)
	r := robot{id: id, pose: pose}
	r.drive.driveState = standing()
	r.sin, r.cos = exact.Sincos(pose.Theta)
	return r
}

// carried returns the robot at another place, at rest. A driven robot keeps its command.
func (r *robot) carried(to soccer.Pose) robot {
	moved := newRobot(r.id, to)
	if r.omni != nil {
		d := *r.omni
		d.carry(r.pose, moved.pose)
		moved.omni = &d
	}
	return moved
}

// advance moves a robot's pose by h seconds of its velocity.
func (r *robot) advance(h float64) {
	r.pose.X += float64(r.twist.X * h)
	r.pose.Y += float64(r.twist.Y * h)
	angle := float64(r.twist.Theta * h)
	if angle == 0 {
		return
	}
	r.turn(angle)
	if math.Abs(angle) > 0.25 {
		r.sin, r.cos = exact.Sincos(r.pose.Theta)
		return
	}
	// The tangent of half the angle, from a series with an error below 1e-9.
	a2 := float64(angle * angle)
	t := float64(angle * (0.5 + float64(a2*(1.0/24+float64(a2*(1.0/240))))))
	r.rotate(t, r.shortness()/(1+float64(t*t)))
}

// advanceSubStep moves a Very Small Size robot by a sub-step of h seconds. As in FIRASim's engine the tangent of half
// the angle, not the angle itself, grows with the angular velocity.
func (r *robot) advanceSubStep(h, t, share float64) {
	r.pose.X += float64(r.twist.X * h)
	r.pose.Y += float64(r.twist.Y * h)
	if t == 0 {
		return
	}
	r.turn(float64(2 * arctan(t)))
	r.rotate(t, float64(r.shortness()*share))
}

// turn turns the heading's angle, which stays in (-pi, pi].
func (r *robot) turn(angle float64) {
	if r.pose.Theta += angle; r.pose.Theta > math.Pi || r.pose.Theta <= -math.Pi {
		r.pose.Theta = soccer.WrapAngle(r.pose.Theta)
	}
}

// rotate turns the heading by an angle; t is the tangent of half of it, and scale is shortness / (1 + t^2).
func (r *robot) rotate(t, scale float64) {
	c, s := (1-float64(t*t))*scale, 2*t*scale
	r.cos, r.sin = float64(r.cos*c)-float64(r.sin*s), float64(r.sin*c)+float64(r.cos*s)
}

// shortness returns the factor that keeps the length of the heading except for its last bits: half a Newton step.
func (r *robot) shortness() float64 {
	return 1.5 - float64(0.5*(float64(r.cos*r.cos)+float64(r.sin*r.sin)))
}

// corner returns corner k (0..3, counter-clockwise) of a square with half edges of half, in the field frame.
func (r *robot) corner(k int, half float64) soccer.Vec {
	c, s := float64(r.cos*half), float64(r.sin*half)
	switch k {
	case 0:
		return soccer.Vec{X: r.pose.X + c - s, Y: r.pose.Y + s + c}
	case 1:
		return soccer.Vec{X: r.pose.X - c - s, Y: r.pose.Y - s + c}
	case 2:
		return soccer.Vec{X: r.pose.X - c + s, Y: r.pose.Y - s - c}
	}
	return soccer.Vec{X: r.pose.X + c + s, Y: r.pose.Y + s - c}
}

// local returns a point of the field in the robot's frame.
func (r *robot) local(p soccer.Vec) soccer.Vec {
	return p.Sub(r.pose.XY()).Rotated(-r.sin, r.cos)
}

// turned returns a direction of the robot's frame in the field frame.
func (r *robot) turned(d soccer.Vec) soccer.Vec { return d.Rotated(r.sin, r.cos) }

// touch is a point of contact of a square with another square or a wall.
type touch struct {
	at     soccer.Vec
	normal soccer.Vec // away from the other body
	gap    float64    // m; below 0 they overlap
}

// meetSquares writes to dst the points where square a touches square b or is closer than margin, and returns their
// number. They are the ends of the part in which the nearest edges face each other.
func meetSquares(a, b *robot, half, margin float64, dst *[2]touch) int {
	// The separating axis is one of the four normals of the squares. In a's frame, b extends half*(|cos|+|sin|) to each
	// side of its centre.
	c := float64(a.cos*b.cos) + float64(a.sin*b.sin)
	s := float64(a.cos*b.sin) - float64(a.sin*b.cos)
	reach := float64(half * (math.Abs(c) + math.Abs(s)))
	inA, inB := a.local(b.pose.XY()), b.local(a.pose.XY())
	limit := half + reach
	best, axis := max(math.Abs(inA.X), math.Abs(inA.Y))-limit, 0
	if best > margin {
		return 0
	}
	if other := max(math.Abs(inB.X), math.Abs(inB.Y)) - limit; other > best+1e-6 {
		if other > margin {
			return 0
		}
		best, axis = other, 1
	}
	// In the frame of the square with that axis: p is the centre of the other square, (c, s) its heading.
	face, p, sign := a, inA, -1.0
	if axis == 1 {
		face, p, s, sign = b, inB, -s, 1
	}
	return clip(face, p, c, s, half, margin, sign, dst)
}

// clip finds the edge of the square at p with heading (c, s) that faces the nearest edge of square face, and writes the
// part of it in front of that edge. p and the heading are in the frame of face.
func clip(face *robot, p soccer.Vec, c, s, half, margin, sign float64, dst *[2]touch) int {
	var turn soccer.Vec // the outward normal of the edge, in the frame of face
	if math.Abs(p.X) >= math.Abs(p.Y) {
		turn.X = math.Copysign(1, p.X)
	} else {
		turn.Y = math.Copysign(1, p.Y)
	}
	// The rest is in the frame whose x axis is turn.
	at, heading := p.Rotated(-turn.Y, turn.X), soccer.Vec{X: c, Y: s}.Rotated(-turn.Y, turn.X)
	// Outward normal of the other square that points most nearly in direction -x.
	nx, ny := -heading.X, -heading.Y
	if math.Abs(heading.Y) > math.Abs(heading.X) {
		nx, ny = heading.Y, -heading.X
	}
	if nx > 0 {
		nx, ny = -nx, -ny
	}
	mx, my := at.X+float64(nx*half), at.Y+float64(ny*half)
	ex, ey := float64(-ny*half), float64(nx*half)
	x1, y1, x2, y2 := mx+ex, my+ey, mx-ex, my-ey // ny falls from the first end to the second or rises
	n := 0
	if d := y2 - y1; d != 0 {
		slope := (x2 - x1) / d
		x1, y1 = bend(x1, y1, slope, half)
		x2, y2 = bend(x2, y2, slope, half)
	}
	normal := face.turned(turn).Scale(sign)
	for _, q := range [2]soccer.Vec{{X: x1, Y: y1}, {X: x2, Y: y2}} {
		gap := q.X - half
		if gap > margin {
			continue
		}
		at := face.turned(soccer.Vec{X: q.X - float64(gap*0.5), Y: q.Y}.Rotated(turn.Y, turn.X))
		dst[n] = touch{at: face.pose.XY().Add(at), normal: normal, gap: gap}
		n++
	}
	return n
}

// bend moves a point along a line of the given slope dx/dy until y is within half of 0.
func bend(x, y, slope, half float64) (float64, float64) {
	to := max(-half, min(half, y))
	return x + float64((to-y)*slope), to
}

const maxTouches = 4*3 + 1 // touches of a square: three at each corner, and a post

// touchWalls writes to dst the points where a square touches walls or is closer than margin, and returns their number.
func (r *robot) touchWalls(k *rink, half, margin float64, dst *[maxTouches]touch) int {
	n := 0
	for i := range 4 {
		p := r.corner(i, half)
		alongX, alongY, corner := k.gaps(math.Abs(p.X), math.Abs(p.Y), 0)
		x, y := math.Copysign(1, -p.X), math.Copysign(1, -p.Y)
		if alongX < margin {
			dst[n] = touch{p, soccer.Vec{X: x}, alongX}
			n++
		}
		if alongY < margin {
			dst[n] = touch{p, soccer.Vec{Y: y}, alongY}
			n++
		}
		if corner < margin {
			dst[n] = touch{p, soccer.Vec{X: x * (math.Sqrt2 / 2), Y: y * (math.Sqrt2 / 2)}, corner}
			n++
		}
	}
	// The post closest to the robot: an edge that the faces of the square can touch.
	post := soccer.Vec{X: math.Copysign(k.end, r.pose.X), Y: math.Copysign(k.post, r.pose.Y)}
	q := r.local(post)
	if x, y := math.Abs(q.X), math.Abs(q.Y); max(x, y)-half < margin {
		t := touch{at: post}
		if x > y {
			t.normal, t.gap = soccer.Vec{X: math.Copysign(1, -q.X)}, x-half
		} else {
			t.normal, t.gap = soccer.Vec{Y: math.Copysign(1, -q.Y)}, y-half
		}
		if min(x, y) < half {
			t.normal = r.turned(t.normal)
			dst[n] = t
			n++
		}
	}
	return n
}
