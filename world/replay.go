package world

import (
	"math"
	"time"

	"touchline/soccer"
)

const (
	maxPlaces = 3   // balls in one picture; a mixed team package holds as many
	maxSights = 128 // pictures that can be processed again
)

// ballSight is what one picture says about the ball.
type ballSight struct {
	at       soccer.Time
	observer *observer
	reporter uint8 // peer.reporter of the observer
	fresh    bool  // the observer has not learnt from it yet
	member   int   // the observer's in the group of poses; -1: none
	n        uint8
	doubt    float64 // probability that it is false
	heights  float64 // probability that the observer measures heights
	placing  float64 // how often the ball is placed elsewhere, a second
	kick     float64 // m/s, sigma of the velocity after a kick

	// Robots that saw the ball and do not see it any more are evidence against it.
	hiding    float64    // how often the ball is hidden from all robots, a second
	attentive bool       // there was a ball in the observer's picture before
	from      soccer.Vec // where the observer is
	reach     float64    // m, up to which it should see a ball again
	miss      float64    // probability that it does not
	blocked   bool       // another robot may stand between

	stamped bool          // at is the stamp of a package, less delay
	delay   time.Duration // learnt delay of its packages

	places [maxPlaces]ballPlace
}

// ballPlace is one of the balls in a picture.
type ballPlace struct {
	seen     soccer.Vec // place as reported
	camera   noise      // covariance of seen
	at       soccer.Vec // corrected by the estimated error of the observer's pose
	r        noise      // covariance with what remains of that error
	ray      soccer.Vec // vector from the observer
	z        float64    // m
	sigma    float64    // m, of z
	high     bool       // it is that of a ball in the air
	rolling  float64    // density of z if the ball rolls, relative to imagined
	imagined float64    // density of z if the sight is false, 1/m; 1 without a height
	share    float64    // probability that the ball is this one if it is one of them
	lie      float64    // density of false sights here, 1/m^2
	unsure   bool       // confidence unknown
}

// fits holds how the best place of a sight compares with a hypothesis: one of the two, by whether the ball flies.
type fits struct {
	rolling innovation
	aloft   correction
}

// ballFilter processes sights in the order of their capture times, however late they arrive: a late one goes to its
// place, and those after it are processed again.
type ballFilter struct {
	before ballMixture // state before the first sight
	sights [maxSights]ballSight
	after  [maxSights]ballMixture // state after each sight
	first  int                    // index of the oldest sight in both rings
	n      int
	done   int     // sights that are processed
	fit    float64 // mean squared distance of sights from the ball, in sigmas; 2 if errors are as assumed
	around surroundings

	own          delaySights // sights of this robot
	delaysLearnt bool        // the delays of packages are to be judged
	placements   placements
	hidings      hidings
	kicks        kickSpeeds
	goals        goalWatch
}

// insert puts a sight into its place. It reports whether there was one: a sight older than all others is too late.
func (b *ballFilter) insert(s *ballSight) bool {
	if b.n == maxSights {
		const dropped = maxSights / 4
		b.beforeSight(dropped).copyTo(&b.before)
		b.first, b.n, b.done = b.index(dropped), b.n-dropped, b.done-dropped
	}
	i := b.n
	for i > 0 && b.sights[b.index(i-1)].at > s.at {
		i--
	}
	if i == 0 && s.at < b.before.time {
		return false
	}
	for k := b.n; k > i; k-- {
		b.sights[b.index(k)] = b.sights[b.index(k-1)]
	}
	b.sights[b.index(i)] = *s
	b.n++
	b.done = min(b.done, i)
	return true
}

// process processes the sight that was inserted, and those after it.
func (b *ballFilter) process(c *Config, g *poseGroup) {
	for ; b.done < b.n; b.done++ {
		f, s := &b.after[b.index(b.done)], &b.sights[b.index(b.done)]
		b.beforeSight(b.done).copyTo(f)
		f.step(s, &b.around, c)
		if s.fresh {
			s.fresh = false
			s.observer.learn(s, f, g)
			b.learnFit(f)
			b.learnDelay(s, f)
			if f.n > 0 {
				ball := &f.all[f.top]
				b.hidings.see(s.at, f.lost(), f.belonging > 0.5, ball.placed)
				b.placements.see(s.at, ball.placed, ball.gap, ball.sights)
				b.kicks.see(ball.kicked, soccer.Vec{X: ball.vx, Y: ball.vy}, ball.vv.XX+ball.vv.YY)
			}
		}
	}
}

// inGoal returns how likely the ball of the newest sight is in a goal, and when the sight was.
func (b *ballFilter) inGoal(c *Config) (at soccer.Time, x, in float64) {
	f := b.beforeSight(b.n)
	for i := range f.all[:f.n] {
		if h := &f.all[i]; h.confirmed {
			variance := soccer.Vec3{X: h.pp.XX, Y: h.pp.YY, Z: h.up.zz}
			in += float64(h.weight * inGoal(&c.Field, soccer.Vec3{X: h.x, Y: h.y, Z: h.z}, variance))
		}
	}
	return f.time, f.all[f.top].x, in
}

// beforeSight returns the mixture before sight i.
func (b *ballFilter) beforeSight(i int) *ballMixture {
	if i == 0 {
		return &b.before
	}
	return &b.after[b.index(i-1)]
}

// index returns where sight i is in the rings.
func (b *ballFilter) index(i int) int { return (b.first + i) % maxSights }

// learnDelay learns from a fresh sight of the ball how late a robot's packages are.
func (b *ballFilter) learnDelay(s *ballSight, f *ballMixture) {
	if s.n == 0 || f.n == 0 || !s.observer.own && !s.stamped {
		return
	}
	ball := &f.all[f.top]
	nearest, least := &s.places[0], math.Inf(1)
	for i := range s.places[:s.n] {
		p := &s.places[i]
		dx, dy := p.at.X-ball.x, p.at.Y-ball.y
		if d := float64(dx*dx) + float64(dy*dy); d < least {
			nearest, least = p, d
		}
	}
	variance := (nearest.camera.XX + nearest.camera.YY) / 2
	if !s.observer.own {
		sight := delaySight{at: s.at.Add(s.delay), place: nearest.seen, variance: variance}
		b.delaysLearnt = s.observer.delay.learn(sight, &b.own) || b.delaysLearnt
	} else if f.belonging > 0.5 {
		b.own.add(delaySight{at: s.at, place: nearest.seen, variance: variance})
	}
}

// learnFit learns how well sights fit the ball.
func (b *ballFilter) learnFit(f *ballMixture) {
	const rate, most = 0.005, 20
	if f.place >= 0 && f.belonging > 0.5 {
		b.fit += float64(rate * (min(most, f.distance) - b.fit))
	}
}
