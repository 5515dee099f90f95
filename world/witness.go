// Package witness is what one robot's pictures say about another robot that reports a ball or obstacles: how well it sees,
// and for how long it contradicted the other one.

package world

import (
	"math"

	"touchline/soccer"
)

// UsualReach is the distance, in m, at which any camera may see a ball.
const UsualReach = 8.0

// Eyesight is how far a robot sees the ball, and how reliably.
type Eyesight struct {
	Reach    float64 // m, greatest distance of late at which it kept seeing a ball, at most UsualReach
	Farthest float64 // m, greatest distance of late at which it saw a ball that two others saw, too

	looks, missed float64 // pictures that should show a ball, and those of them that do not
	lapse         int     // pictures running that should show one and do not
}

// Fade forgets what the robot saw long ago: it may have turned its camera down.
func (e *Eyesight) Fade(dt float64) {
	const fade = 0.02 // m/s
	e.Reach -= float64(fade * dt)
	e.Farthest -= float64(fade * dt)
}

// See notes a ball at a distance, in m, that the robot has seen for some time.
func (e *Eyesight) See(distance float64) {
	e.Reach = max(e.Reach, min(distance, UsualReach))
	e.look(0)
	e.lapse = 0
}

// InView reports whether the robot should see a ball at a distance, in m.
func (e *Eyesight) InView(distance float64) bool {
	const view = 0.85
	return distance < float64(view*e.Reach)
}

// Miss notes a picture without a ball that others see in view. A few of them running are no lapse.
func (e *Eyesight) Miss() {
	const few = 3
	if e.lapse++; e.lapse > few {
		e.look(1)
	}
}

func (e *Eyesight) look(missed float64) {
	const memory = 200
	if e.looks == memory {
		e.missed -= e.missed / memory
	} else {
		e.looks++
	}
	e.missed += missed
}

// Denies reports whether a picture without a ball shows that there is none at a distance, in m.
func (e *Eyesight) Denies(distance float64) bool {
	const rarely = 0.1           // share of pictures
	const before, looks = 2, 4.0 // missed and looks of a robot of which nothing is known
	return e.InView(distance) && e.missed+before < float64(rarely*(e.looks+looks))
}

// Limit returns the distance, in m, beyond which nobody sees a ball if the greatest reach and distance are these.
func Limit(reach, farthest float64) float64 {
	if reach <= 0 {
		return math.Inf(1)
	}
	if farthest <= 0 {
		return UsualReach
	}
	return float64(1.15*max(reach, farthest)) + 0.5
}

// Charge is how long one robot contradicted another, less how long it agreed.
type Charge struct {
	Agreed   soccer.Time // when both last saw one ball, which nobody contradicted
	Nearer   bool        // it is by a robot that sees its ball nearer
	Credible bool        // the newest contradiction is by a robot that speaks for others, too

	at       soccer.Time // of the newest comparison
	picture  uint32      // its number
	evidence float64     // s, 0 to 1
	sighted  float64     // s, part of that for which the robot saw a ball elsewhere
}

// Contradict adds the time since the picture before to the charge, if it contradicted that, too, at most so many pictures
// ago: false sights are common, but not in picture after picture. sighted tells that the robot saw the ball elsewhere.
func (c *Charge) Contradict(at soccer.Time, picture, pictures uint32, sighted bool) {
	dt := c.weigh(at, picture, 1, pictures)
	if sighted {
		c.sighted += dt
	}
	c.sighted = min(c.sighted, c.evidence)
}

// Agree takes it off.
func (c *Charge) Agree(at soccer.Time, picture uint32) {
	c.weigh(at, picture, -2, math.MaxUint32)
	c.sighted = min(c.sighted, c.evidence)
}

// weigh adds the time since the newest comparison with a sign, and returns it in s.
func (c *Charge) weigh(at soccer.Time, picture uint32, sign float64, pictures uint32) (dt float64) {
	const (
		gap   = 0.3  // s, after which another run begins
		first = 0.02 // s, for the first of a run
		fade  = 0.25 // of the evidence, a second
	)
	dt = at.Sub(c.at).Seconds()
	c.evidence -= float64(fade * dt)
	if dt > gap || picture-c.picture > pictures {
		dt = first
	}
	c.at, c.picture = at, picture
	c.evidence = min(1, max(0, c.evidence+float64(sign*(1+fade)*dt)))
	return dt
}

// Charged is how long a contradiction counts, in s.
const Charged = 3

// Holds reports whether one robot contradicted the other for long enough, and lately.
func (c *Charge) Holds(at soccer.Time) bool {
	const enough = 0.6 // s
	return c.evidence > enough && at.Sub(c.at).Seconds() < Charged
}

// Sighted reports whether it did so by what it saw elsewhere, not by a place at which it saw nothing.
func (c *Charge) Sighted() bool {
	const enough = 0.5 // s
	return c.sighted > enough
}

// Hides reports whether a robot of a radius, in m, at the end of one ray from a camera hides what is at the end of another.
func Hides(robot, ray soccer.Vec, radius float64) bool {
	along, across, square := robot.Dot(ray), robot.Cross(ray), ray.Dot(ray)
	return along > 0 && along < square && float64(across*across) < float64(radius*radius*square)
}
