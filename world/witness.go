package world

import (
	"math"

	"touchline/soccer"
)

// usualReach is the distance, in m, at which any camera may see a ball.
const usualReach = 8.0

// eyesight is how far a robot sees the ball, and how reliably.
type eyesight struct {
	reach    float64 // m, greatest recent distance at which it kept seeing a ball, at most usualReach
	farthest float64 // m, greatest recent distance at which it saw a ball that two others saw, too

	looks, missed float64 // pictures that should show a ball, and those of them that do not
	lapse         int     // pictures running that should show one and do not
}

// fade forgets what the robot saw long ago: it may have turned its camera down.
func (e *eyesight) fade(dt float64) {
	const fade = 0.02 // m/s
	e.reach -= float64(fade * dt)
	e.farthest -= float64(fade * dt)
}

// see notes a ball at a distance, in m, that the robot has seen for some time.
func (e *eyesight) see(distance float64) {
	e.reach = max(e.reach, min(distance, usualReach))
	e.look(0)
	e.lapse = 0
}

// inView reports whether the robot should see a ball at a distance, in m.
func (e *eyesight) inView(distance float64) bool {
	const view = 0.85
	return distance < float64(view*e.reach)
}

// miss notes a picture without a ball that others see in view. A few of them running are no lapse.
func (e *eyesight) miss() {
	const few = 3
	if e.lapse++; e.lapse > few {
		e.look(1)
	}
}

func (e *eyesight) look(missed float64) {
	const memory = 200
	if e.looks == memory {
		e.missed -= e.missed / memory
	} else {
		e.looks++
	}
	e.missed += missed
}

// denies reports whether a picture without a ball shows that there is none at a distance, in m.
func (e *eyesight) denies(distance float64) bool {
	const rarely = 0.1           // share of pictures
	const before, looks = 2, 4.0 // missed and looks of a robot of which nothing is known
	return e.inView(distance) && e.missed+before < float64(rarely*(e.looks+looks))
}

// sightLimit returns the distance, in m, beyond which nobody sees a ball if the greatest reach and distance are these.
func sightLimit(reach, farthest float64) float64 {
	if reach <= 0 {
		return math.Inf(1)
	}
	if farthest <= 0 {
		return usualReach
	}
	return float64(1.15*max(reach, farthest)) + 0.5
}

// charge is how long one robot contradicted another, less how long it agreed.
type charge struct {
	agreed   soccer.Time // when both last saw one ball, which nobody contradicted
	nearer   bool        // it is by a robot that sees its ball nearer
	credible bool        // the newest contradiction is by a robot that speaks for others, too

	at       soccer.Time // time of the newest comparison
	picture  uint32      // its number
	evidence float64     // s, 0 to 1
	sighted  float64     // s, part of that for which the robot saw a ball elsewhere
}

// contradict adds the time since the picture before to the charge, if it contradicted that, too, at most so many pictures
// ago: false sights are common, but not in picture after picture. sighted tells that the robot saw the ball elsewhere.
func (c *charge) contradict(at soccer.Time, picture, pictures uint32, sighted bool) {
	dt := c.weigh(at, picture, 1, pictures)
	if sighted {
		c.sighted += dt
	}
	c.sighted = min(c.sighted, c.evidence)
}

// agree takes it off.
func (c *charge) agree(at soccer.Time, picture uint32) {
	c.weigh(at, picture, -2, math.MaxUint32)
	c.sighted = min(c.sighted, c.evidence)
}

// weigh adds the time since the newest comparison with a sign, and returns it in s.
func (c *charge) weigh(at soccer.Time, picture uint32, sign float64, pictures uint32) (dt float64) {
	const (
		gap   = 0.3  // s, after which another run begins
		first = 0.02 // s, for the first of a run
		fade  = 0.25 // share of the evidence that fades in a second
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

// chargedFor is how long a contradiction counts, in s.
const chargedFor = 3

// holds reports whether one robot contradicted the other for long enough, within the last chargedFor seconds.
func (c *charge) holds(at soccer.Time) bool {
	const enough = 0.6 // s
	return c.evidence > enough && at.Sub(c.at).Seconds() < chargedFor
}

// isSighted reports whether it did so by what it saw elsewhere, not by a place at which it saw nothing.
func (c *charge) isSighted() bool {
	const enough = 0.5 // s
	return c.sighted > enough
}

// hides reports whether a robot of a radius, in m, at the end of one ray from a camera hides what is at the end of another.
func hides(robot, ray soccer.Vec, radius float64) bool {
	along, across, square := robot.Dot(ray), robot.Cross(ray), ray.Dot(ray)
	return along > 0 && along < square && float64(across*across) < float64(radius*radius*square)
}
