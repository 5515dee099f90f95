package lab

import (
	"math"
	"time"

	"touchline/soccer"
)

// filter is a Kalman filter of one object: position and velocity at one time, with its covariance.
type filter struct {
	time     soccer.Time
	x        [4]float64 // x, y, vx, vy
	p        [4][4]float64
	hits     int
	lastSeen soccer.Time
}

// Track is the ball that a robot tracks from its own percepts.
type Track struct {
	filter
	Known bool
}

// shifted returns the track on a clock that is off by offset.
func (t Track) shifted(offset time.Duration) Track {
	t.time, t.lastSeen = t.time.Add(offset), t.lastSeen.Add(offset)
	return t
}

func startFilter(at soccer.Time, z soccer.Vec, r soccer.Cov, speed float64) filter {
	f := filter{time: at, lastSeen: at, hits: 1, x: [4]float64{z.X, z.Y}}
	f.p[0][0], f.p[0][1], f.p[1][0], f.p[1][1] = r.XX, r.XY, r.XY, r.YY
	f.p[2][2], f.p[3][3] = speed*speed, speed*speed
	return f
}

// predict advances the filter to at, with white acceleration noise of density q and rolling friction.
func (f *filter) predict(at soccer.Time, q, friction float64) {
	dt := float64(at-f.time) / 1e9
	f.time = at
	if speed := math.Hypot(f.x[2], f.x[3]); speed > 0 && dt > 0 {
		moving := dt
		if friction > 0 {
			moving = min(dt, speed/friction)
		}
		loss := friction * moving / speed
		travel := moving * (1 - loss/2)
		f.x[0] += f.x[2] * travel
		f.x[1] += f.x[3] * travel
		f.x[2] -= f.x[2] * loss
		f.x[3] -= f.x[3] * loss
	} else {
		f.x[0] += f.x[2] * dt
		f.x[1] += f.x[3] * dt
	}
	var a [4][4]float64 // F P
	for j := range 4 {
		a[0][j], a[1][j] = f.p[0][j]+dt*f.p[2][j], f.p[1][j]+dt*f.p[3][j]
		a[2][j], a[3][j] = f.p[2][j], f.p[3][j]
	}
	for i := range 4 {
		f.p[i] = [4]float64{a[i][0] + dt*a[i][2], a[i][1] + dt*a[i][3], a[i][2], a[i][3]}
	}
	dt = math.Abs(dt)
	for i := range 2 {
		f.p[i][i] += q * dt * dt * dt / 3
		f.p[i][i+2] += q * dt * dt / 2
		f.p[i+2][i] += q * dt * dt / 2
		f.p[i+2][i+2] += q * dt
	}
}

// distance returns the squared Mahalanobis distance of an observation.
func (f *filter) distance(z soccer.Vec, r soccer.Cov) float64 {
	i := inverse(soccer.Cov{XX: f.p[0][0] + r.XX, XY: f.p[0][1] + r.XY, YY: f.p[1][1] + r.YY})
	dx, dy := z.X-f.x[0], z.Y-f.x[1]
	return dx*dx*i.XX + 2*dx*dy*i.XY + dy*dy*i.YY
}

// update corrects the filter with an observation at its time.
func (f *filter) update(z soccer.Vec, r soccer.Cov) {
	i := inverse(soccer.Cov{XX: f.p[0][0] + r.XX, XY: f.p[0][1] + r.XY, YY: f.p[1][1] + r.YY})
	dx, dy := z.X-f.x[0], z.Y-f.x[1]
	var k [4][2]float64
	for row := range 4 {
		a, b := f.p[row][0], f.p[row][1]
		k[row] = [2]float64{a*i.XX + b*i.XY, a*i.XY + b*i.YY}
		f.x[row] += k[row][0]*dx + k[row][1]*dy
	}
	before := f.p
	for row := range 4 {
		for col := range 4 {
			f.p[row][col] -= k[row][0]*before[0][col] + k[row][1]*before[1][col]
		}
	}
	f.hits++
	f.lastSeen = max(f.lastSeen, f.time)
}

func inverse(c soccer.Cov) soccer.Cov {
	d := c.XX*c.YY - c.XY*c.XY
	return soccer.Cov{XX: c.YY / d, XY: -c.XY / d, YY: c.XX / d}
}

// tracker tracks the ball from the percepts of one robot, as the published rules presume: it starts a candidate with
// each observation outside the gate, and believes one after three hits.
type tracker struct {
	camera     *TrialsCamera
	known      filter
	has        bool
	candidates []filter
}

const (
	trackNoise  = 3.0  // m^2/s^3
	trackGate   = 13.8 // 99.9 %
	trackSpeed  = 3.0  // m/s
	trackHits   = 3
	trackSeen   = 1.0 // s after which an unseen ball is unknown
	trackWaits  = 0.3 // s after which a candidate without a hit is dropped
	trackSpread = 8   // candidates
)

// noiseOf returns the covariance of an observation from self, with that of the pose.
func noiseOf(c *TrialsCamera, self soccer.Vec, z soccer.Vec, pose bool) soccer.Cov {
	ray := z.Sub(self)
	d := max(0.01, ray.Len())
	along, across := c.SigmaBase+c.SigmaAlong*d, 0.01+c.SigmaAngle*d
	a, b := along*along, across*across
	if pose {
		turn := c.PoseAngle * d
		a += c.PoseSigma * c.PoseSigma
		b += c.PoseSigma*c.PoseSigma + turn*turn
	}
	ux, uy := ray.X/d, ray.Y/d
	return soccer.Cov{XX: a*ux*ux + b*uy*uy, XY: (a - b) * ux * uy, YY: a*uy*uy + b*ux*ux}
}

func (t *tracker) observe(p *soccer.Percepts, friction float64) {
	at := p.Time
	if t.has && at > t.known.time {
		t.known.predict(at, trackNoise, friction)
	}
	kept := t.candidates[:0]
	for _, c := range t.candidates {
		if float64(at-c.lastSeen)/1e9 < trackWaits {
			c.predict(at, trackNoise, friction)
			kept = append(kept, c)
		}
	}
	t.candidates = kept
	for i := range p.Balls {
		z := p.Balls[i].Position.XY()
		r := noiseOf(t.camera, p.Self.Pose.XY(), z, true)
		if t.has && t.known.distance(z, r) < trackGate {
			t.known.update(z, r)
			continue
		}
		t.propose(at, z, r)
	}
	if t.has && float64(at-t.known.lastSeen)/1e9 > trackSeen {
		t.has = false
	}
}

// propose adds an observation to a candidate, and makes one with enough hits the ball.
func (t *tracker) propose(at soccer.Time, z soccer.Vec, r soccer.Cov) {
	for j := range t.candidates {
		c := &t.candidates[j]
		if c.distance(z, r) >= trackGate {
			continue
		}
		if c.update(z, r); c.hits >= trackHits {
			t.known, t.has = *c, true
			t.candidates = append(t.candidates[:j], t.candidates[j+1:]...)
		}
		return
	}
	if len(t.candidates) < trackSpread {
		t.candidates = append(t.candidates, startFilter(at, z, r, trackSpeed))
	}
}

// track returns the ball as the robot knows it now.
func (t *tracker) track() Track { return Track{t.known, t.has} }

// at returns the track predicted to now, and whether it is still known.
func (t Track) at(now soccer.Time, friction float64) (filter, bool) {
	f := t.filter
	if !t.Known || float64(now-f.lastSeen)/1e9 > trackSeen {
		return f, false
	}
	f.predict(now, trackNoise, friction)
	return f, true
}
