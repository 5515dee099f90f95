package world

import (
	"math"

	"touchline/exact"
	"touchline/soccer"
)

// observer is what is learnt about a robot that sees: the error of its pose, and how often its sights are false.
//
// The error of a pose lasts for seconds: taken for noise of each picture, ten pictures would seem to cancel it. It is
// estimated from the sights of what others see, too.
type observer struct {
	time     soccer.Time // of the estimate
	known    bool
	own      bool          // this robot itself
	x, y, th float64       // m and rad: estimated pose minus true pose
	p        [3][3]float64 // covariance
	doubt    float64       // probability that a sight is false
	lie      soccer.Vec    // the newest sight that nobody believed
	lied     soccer.Time
	lastBall soccer.Time // capture time of the newest believed sight
	agrees   float64     // share of its obstacles that others see, too
	reach    float64     // m, greatest distance at which it saw an obstacle of late
}

// advance predicts the error of the pose to at. usual is the covariance of the pose before anything is learnt.
func (o *observer) advance(at soccer.Time, usual *[3][3]float64, c *Config) {
	if !o.known {
		*o = observer{time: at, known: true, own: o.own, doubt: c.Doubt, agrees: 0.5, p: *usual}
		return
	}
	dt := seconds(at, o.time)
	if dt <= 0 {
		return
	}
	o.time = at
	o.reach -= float64(0.1 * dt) // m: a robot that has turned its camera down sees less
	keep := exact.Exp(-dt / c.PoseTau)
	o.x, o.y, o.th = float64(o.x*keep), float64(o.y*keep), float64(o.th*keep)
	square := float64(keep * keep)
	o.doubt += float64(min(1, 0.05*dt) * (c.Doubt - o.doubt)) // forgets within 20 s
	for i := range o.p {
		for j := range o.p[i] {
			o.p[i][j] = float64(o.p[i][j]*square) + float64(usual[i][j]*(1-square))
		}
	}
}

// correct writes to place how a robot with this error sees at: the place without the error and its covariance. r is that
// of the camera alone.
func (o *observer) correct(at, ray soccer.Vec, r noise) (soccer.Vec, noise) {
	at.X -= o.x - float64(o.th*ray.Y)
	at.Y -= o.y + float64(o.th*ray.X)
	return at, o.spread(ray, r)
}

// spread adds to r the covariance that the pose's error has at a ray.
func (o *observer) spread(ray soccer.Vec, r noise) noise {
	p := &o.p
	r.XX += p[0][0] - float64(2*ray.Y*p[0][2]) + float64(ray.Y*ray.Y*p[2][2])
	r.YY += p[1][1] + float64(2*ray.X*p[1][2]) + float64(ray.X*ray.X*p[2][2])
	r.XY += p[0][1] + float64(ray.X*p[0][2]) - float64(ray.Y*p[1][2]) - float64(ray.X*ray.Y*p[2][2])
	return r
}

// ownDoubt bounds the doubt about this robot's own sights: when others agree on another ball, it believes its own eyes.
const ownDoubt = 0.03

// learn updates the error of the pose with a sight as the belief saw it before, and how far its sights are true.
func (o *observer) learn(s *ballSight, f *ballMixture) {
	const memory = 0.99
	most := 0.95
	if o.own {
		most = ownDoubt
	}
	o.doubt = min(most, max(0.01, float64(memory*o.doubt)+float64((1-memory)*(1-f.belonging))))
	if f.belonging < 0.5 {
		if s.n > 0 {
			o.lie, o.lied = s.places[0].at, s.at
		}
		return
	}
	o.lastBall = max(o.lastBall, s.at)
	if f.place >= 0 && !s.alone { // the ball of one robot alone says nothing about its pose
		o.shift(s.places[f.place].ray, &f.fit, f.belonging)
	}
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

// shift corrects the error of the pose with an innovation, as far as the sight belongs to what it was compared with.
func (o *observer) shift(ray soccer.Vec, n *innovation, belongs float64) {
	p := o.p
	var h, k [3][2]float64 // covariance of the error with the sight, and the gain
	for i := range h {
		h[i][0] = p[i][0] - float64(ray.Y*p[i][2])
		h[i][1] = p[i][1] + float64(ray.X*p[i][2])
		k[i][0] = float64(h[i][0]*n.inverse.XX) + float64(h[i][1]*n.inverse.XY)
		k[i][1] = float64(h[i][0]*n.inverse.XY) + float64(h[i][1]*n.inverse.YY)
	}
	o.x += float64(belongs * (float64(k[0][0]*n.dx) + float64(k[0][1]*n.dy)))
	o.y += float64(belongs * (float64(k[1][0]*n.dx) + float64(k[1][1]*n.dy)))
	o.th += float64(belongs * (float64(k[2][0]*n.dx) + float64(k[2][1]*n.dy)))
	for i := range o.p {
		for j := range o.p[i] {
			o.p[i][j] -= float64(belongs * (float64(k[i][0]*h[j][0]) + float64(k[i][1]*h[j][1])))
		}
	}
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
	i := invert(noise{XX: 2 * p.r.XX, XY: 2 * p.r.XY, YY: 2 * p.r.YY})
	distance := float64(d.X*d.X*i.XX) + float64(2*d.X*d.Y*i.XY) + float64(d.Y*d.Y*i.YY)
	if distance > 20 {
		return 0
	}
	root := math.Sqrt(float64(i.XX*i.YY) - float64(i.XY*i.XY))
	return float64(o.doubt*o.doubt) * exact.Exp(-distance/2) * root / (2 * math.Pi)
}
