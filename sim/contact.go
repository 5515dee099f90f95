package sim

import (
	"math"

	"touchline/soccer"
)

// walls are the vertical surfaces of an MSL field, infinitely high, in the quadrant x, y >= 0; the other three mirror
// it. A goal is a recess between two side nets with posts at their front ends. The side nets extend to the boundary,
// because a ball does not fit between a goal's back and the boundary. There is no crossbar.
type walls struct {
	goalLine, back, end float64 // x of the goal line, of the net behind it, of the boundary
	side                float64 // y of the boundary
	post                float64 // y of the posts; 0 where there is no goal
}

func wallsOf(f *soccer.Field) walls {
	goalLine := float64(f.Length * 0.5)
	return walls{
		goalLine: goalLine,
		back:     goalLine + f.GoalDepth,
		end:      goalLine + f.Border,
		side:     float64(f.Width*0.5) + f.Border,
		post:     float64(f.GoalWidth * 0.5),
	}
}

// hit is the surface that a body overlaps most.
type hit struct {
	normal soccer.Vec3 // direction from the surface to the body
	depth  float64     // m; 0 or below: no overlap
	net    bool        // the surface stops all motion along the floor
	with   string      // its name in errors
	id     int         // id of the robot or obstacle; -1 for a wall
	robot  *robot      // robot that the ball of an MSL field touches
}

// deeper replaces c by d if d is the deeper one.
func (c *hit) deeper(d hit) {
	if d.depth > c.depth {
		*c = d
	}
}

// contact returns the deepest overlap of a ball with its centre at p.
func (e *Engine) contact(p soccer.Vec3) hit {
	if e.cfg.Side > 0 {
		var c hit
		for _, b := range e.findBumps(p) {
			if b.robot >= 0 {
				c.deeper(hit{depth: b.depth, with: "robot", id: int(e.robots[b.robot].id)})
			} else if b.normal.Z != 1 {
				c.deeper(hit{depth: b.depth, with: "wall", id: -1})
			}
		}
		return c
	}
	c := e.walls.contact(p.XY(), e.body.ball)
	for i := range e.robots {
		r := &e.robots[i]
		if closer(p.XY(), r.pose.XY(), e.body.reach) {
			d := e.body.contact(p, r.pose.XY(), e.body.radius, "robot", int(r.id))
			d.robot = r
			c.deeper(d)
		}
	}
	for i, o := range e.obstacles {
		c.deeper(e.body.contact(p, o, ObstacleRadius, "obstacle", i))
	}
	return c
}

// contact returns the overlap of a ball at p with a body at q: a vertical capsule of that radius.
func (b *body) contact(p soccer.Vec3, q soccer.Vec, radius float64, name string, id int) hit {
	d := soccer.Vec3{X: p.X - q.X, Y: p.Y - q.Y, Z: max(0, p.Z-(b.height-radius))}
	reach := radius + b.ball
	d2 := d.Dot(d)
	if d2 >= float64(reach*reach) {
		return hit{}
	}
	c := hit{normal: soccer.Vec3{X: 1}, depth: reach, with: name, id: id}
	if distance := math.Sqrt(d2); distance > 0 {
		c.normal = soccer.Vec3{X: d.X / distance, Y: d.Y / distance, Z: d.Z / distance}
		c.depth = reach - distance
	}
	return c
}

// contact returns the deepest overlap of a circle at p with the walls.
func (w *walls) contact(p soccer.Vec, radius float64) hit {
	x, y := math.Abs(p.X), math.Abs(p.Y)
	c := hit{id: -1}
	if x+radius < w.goalLine && y+radius < w.side {
		return c // no contact
	}
	c.deeper(hit{normal: soccer.Vec3{Y: -1}, depth: y + radius - w.side, with: "boundary", id: -1})
	if x > w.goalLine && y < w.post {
		c.deeper(hit{normal: soccer.Vec3{X: -1}, depth: x + radius - w.back, net: true, with: "goal", id: -1})
	} else {
		c.deeper(hit{normal: soccer.Vec3{X: -1}, depth: x + radius - w.end, with: "boundary", id: -1})
	}
	if w.post > 0 {
		front := min(max(x, w.goalLine), max(w.back, w.end)) // x of the side net's point next to the circle
		d := soccer.Vec{X: x - front, Y: y - w.post}
		if distance := d.Len(); distance < radius {
			s := hit{
				normal: soccer.Vec3{Y: -1}, depth: radius - distance, net: front > w.goalLine, with: "goal", id: -1,
			}
			if distance > 0 {
				s.normal = soccer.Vec3{X: d.X / distance, Y: d.Y / distance}
			}
			c.deeper(s)
		}
	}
	if p.X < 0 {
		c.normal.X = -c.normal.X
	}
	if p.Y < 0 {
		c.normal.Y = -c.normal.Y
	}
	return c
}
