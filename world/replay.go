package world

import "touchline/soccer"

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
	places   [maxPlaces]ballPlace
}

// ballPlace is one of the balls in a picture.
type ballPlace struct {
	seen     soccer.Vec // as reported
	camera   noise      // of that
	at       soccer.Vec // corrected by the estimated error of the observer's pose
	r        noise      // with what remains of that error
	ray      soccer.Vec // from the observer
	z        float64    // m
	rolling  float64    // density of z if the ball rolls, relative to imagined
	imagined float64    // density of z if the sight is false, 1/m; 1 without a height
	share    float64    // probability that the ball is this one if it is one of them
	lie      float64    // density of false sights here, 1/m^2
	unsure   bool       // of unknown confidence
}

// ballFilter processes sights in the order of their capture times, however late they arrive: a late one goes to its
// place, and those after it are processed again.
type ballFilter struct {
	before ballMixture // before the first sight
	sights [maxSights]ballSight
	after  [maxSights]ballMixture // after each sight
	n      int
	done   int // sights that are processed
	around surroundings
}

// insert puts a sight into its place. It reports whether there was one: a sight older than all others is too late.
func (b *ballFilter) insert(s *ballSight) bool {
	if b.n == maxSights {
		const dropped = maxSights / 4
		b.after[dropped-1].copyTo(&b.before)
		copy(b.sights[:], b.sights[dropped:])
		for i := dropped; i < b.n; i++ {
			b.after[i].copyTo(&b.after[i-dropped])
		}
		b.n, b.done = b.n-dropped, b.done-dropped
	}
	i := b.n
	for i > 0 && b.sights[i-1].at > s.at {
		i--
	}
	if i == 0 && s.at < b.before.time {
		return false
	}
	copy(b.sights[i+1:b.n+1], b.sights[i:b.n])
	b.sights[i] = *s
	b.n++
	b.done = min(b.done, i)
	return true
}

// process processes the sight that was inserted, and those after it.
func (b *ballFilter) process(c *Config, g *poseGroup) {
	for ; b.done < b.n; b.done++ {
		f, s := &b.after[b.done], &b.sights[b.done]
		b.beforeSight(b.done).copyTo(f)
		f.step(s, &b.around, c)
		if s.fresh {
			s.fresh = false
			s.observer.learn(s, f, g)
		}
	}
}

// beforeSight returns the mixture before sight i.
func (b *ballFilter) beforeSight(i int) *ballMixture {
	if i == 0 {
		return &b.before
	}
	return &b.after[i-1]
}
