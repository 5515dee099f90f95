package world

import (
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// observer is what is learnt about a robot that sees: the error of its pose, and how often its sights are false.
type observer struct {
	poseError
	time     soccer.Time // time of its newest picture
	known    bool
	age      time.Duration // mean age of its raw pictures on arrival
	own      bool          // this robot itself
	scale    float64       // factor on the variances of what it sees; learnt, at least 0.8
	doubt    float64       // probability that a sight is false
	heights  float64       // probability that it measures how high a ball is
	lie      soccer.Vec    // the newest sight that nobody believed
	lied     soccer.Time
	lastBall soccer.Time // capture time of the newest believed sight
	looked   soccer.Time // time of the newest picture
	shown    soccer.Time // time of the newest picture with a ball in it
	ballAt   float64     // m, greatest recent distance at which it saw the ball
	miss     float64     // probability that it does not see a ball which it saw in the picture before
	agrees   float64     // share of its obstacles that others see, too
	reach    float64     // m, greatest recent distance at which it saw an obstacle

	delay     delayEstimate // delay of its packages
	testimony testimony
	dispute   dispute
}

// advance predicts what changes with time, except for the pose's error, to at.
func (o *observer) advance(at soccer.Time, c *Config) {
	if !o.known {
		*o = observer{time: at, known: true, age: o.age, scale: 1, own: o.own, doubt: c.Doubt, heights: 0.5,
			miss: 0.1, agrees: 0.5}
		return
	}
	dt := seconds(at, o.time)
	if dt <= 0 {
		return
	}
	o.time = at
	o.ballAt -= float64(0.02 * dt)
	o.reach -= float64(0.1 * dt)                              // m: a robot that has turned its camera down sees less
	o.doubt += float64(min(1, 0.05*dt) * (c.Doubt - o.doubt)) // forgets within 20 s
}

// ownDoubt bounds the doubt about this robot's own sights: when others agree on another ball, it believes its own eyes.
const ownDoubt = 0.03

// learn notes how far the robot's sights of the ball are true, and what they say about its pose in the group.
func (o *observer) learn(s *ballSight, f *ballMixture, g *poseGroup) {
	const memory = 0.99
	if !s.blocked {
		o.learnMiss(f)
	}
	if s.n == 0 {
		return
	}
	most := 0.95
	if o.own {
		most = ownDoubt
	}
	o.doubt = min(most, max(0.01, float64(memory*o.doubt)+float64((1-memory)*(1-f.belonging))))
	if f.belonging < 0.5 {
		o.lie, o.lied = s.places[0].at, s.at
		return
	}
	o.lastBall = max(o.lastBall, s.at)
	o.learnHeights(s, f)
	if f.place >= 0 {
		o.grade(f.distance)
		o.ballAt = max(o.ballAt, s.places[f.place].ray.Len())
		p, ball := &s.places[f.place], &f.all[f.top]
		g.note(s.member, &poseSight{at: s.at, place: p.seen, ray: p.ray, r: p.camera}, &g.ball, soccer.Vec{X: ball.vx, Y: ball.vy}, f.belonging)
	}
}

// learnMiss learns how often the robot does not see a ball that it saw in the picture before.
func (o *observer) learnMiss(f *ballMixture) {
	const memory, least = 0.98, 0.01
	if f.watched < 0.5 {
		return
	}
	missed := 0.0
	if f.belonging < 0.5 {
		missed = 1 - memory
	}
	o.miss = max(least, float64(memory*o.miss)+missed)
}

// look notes a picture and whether there is a ball in it. It reports whether there was one in the picture before, not long
// ago.
func (o *observer) look(at soccer.Time, ball bool) (attentive bool) {
	const gap = 0.15 // s
	attentive = o.looked != 0 && o.looked == o.shown && at > o.looked && seconds(at, o.looked) <= gap
	o.looked = max(o.looked, at)
	if ball {
		o.shown = max(o.shown, at)
	}
	return attentive
}

// grade learns how exact the robot's sights are from the squared distance of one, in sigmas: on average it should be 2. The
// variance of a robot whose errors are less than assumed falls by a fifth at most.
func (o *observer) grade(distance float64) {
	const rate, least, most = 0.03, 0.8, 9
	o.scale = min(most, max(least, float64(o.scale*(1+float64(rate*(float64(distance/2)-1))))))
}

// agree notes whether others see an obstacle that it sees, too.
func (o *observer) agree(common bool) {
	const memory = 0.98
	share := 0.0
	if common {
		share = 1 - memory
	}
	o.agrees = float64(memory*o.agrees) + share
}

// doubtOf returns the probability that the robot's next sight is false, that of an unknown robot if it is one.
func (o *observer) doubtOf(c *Config) float64 {
	if !o.known {
		return c.Doubt
	}
	return o.doubt
}

// doubtAt returns the probability that a sight is false. One after a gap is more likely to be: false sights keep coming
// while the ball is not seen.
func (o *observer) doubtAt(at soccer.Time) float64 {
	const gap, after = 0.15, 0.4
	if seconds(at, o.lastBall) > gap {
		return max(o.doubt, after)
	}
	return o.doubt
}

// lieAt returns the density of false sights at a place, 1/m^2. A robot whose sights are often false keeps seeing the same
// false ball: more sights of it say nothing new.
func (o *observer) lieAt(p *ballPlace, at soccer.Time) float64 {
	const memory = 1.0 // s
	if o.lied == 0 || seconds(at, o.lied) > memory {
		return 0
	}
	d := p.at.Sub(o.lie)
	i := noise{XX: 2 * p.r.XX, XY: 2 * p.r.XY, YY: 2 * p.r.YY}.Inverse()
	distance := float64(d.X*d.X*i.XX) + float64(2*d.X*d.Y*i.XY) + float64(d.Y*d.Y*i.YY)
	if distance > 20 {
		return 0
	}
	root := math.Sqrt(float64(i.XX*i.YY) - float64(i.XY*i.XY))
	return float64(o.doubt*o.doubt) * exact.Exp(-distance/2) * root / (2 * math.Pi)
}
