package world

import (
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

const (
	climbs  = 3.0 // m/s, sigma of the vertical speed of a ball that is first seen in the air
	ceiling = 3.0 // m, over which false heights are spread
)

// vertical is what a flying ball's hypothesis has in addition to a rolling one's, beside its height z and its vertical
// speed climb: their covariance, and that with the state in the plane.
type vertical struct {
	zz, zv, vv float64
	cross      [4][2]float64 // rows x, y, vx, vy; columns z and climb
}

// plane holds the places of the state in the plane in that of a flying ball.
var plane = [4]int{0, 1, 3, 4}

// flight returns the state of a flying ball.
func (h *ballHypothesis) flight() (f flight) {
	f.x = [6]float64{h.x, h.y, h.z, h.vx, h.vy, h.climb}
	set := func(i, j int, v float64) { f.p[i][j], f.p[j][i] = v, v }
	set(0, 0, h.pp.XX)
	set(0, 1, h.pp.XY)
	set(1, 1, h.pp.YY)
	set(3, 3, h.vv.XX)
	set(3, 4, h.vv.XY)
	set(4, 4, h.vv.YY)
	for i := range 2 {
		set(i, 3, h.pv[i][0])
		set(i, 4, h.pv[i][1])
	}
	u := &h.up
	set(rowZ, rowZ, u.zz)
	set(rowZ, rowVZ, u.zv)
	set(rowVZ, rowVZ, u.vv)
	for i, k := range plane {
		set(k, rowZ, u.cross[i][0])
		set(k, rowVZ, u.cross[i][1])
	}
	return f
}

// setFlight stores the state of a flying ball.
func (h *ballHypothesis) setFlight(f *flight) {
	h.x, h.y, h.z, h.vx, h.vy, h.climb = f.x[0], f.x[1], f.x[2], f.x[3], f.x[4], f.x[5]
	p := &f.p
	h.pp = soccer.Cov{XX: p[0][0], XY: p[0][1], YY: p[1][1]}
	h.vv = soccer.Cov{XX: p[3][3], XY: p[3][4], YY: p[4][4]}
	h.pv = [2][2]float64{{p[0][3], p[0][4]}, {p[1][3], p[1][4]}}
	u := &h.up
	u.zz, u.zv, u.vv = p[rowZ][rowZ], p[rowZ][rowVZ], p[rowVZ][rowVZ]
	for i, k := range plane {
		u.cross[i] = [2]float64{p[k][rowZ], p[k][rowVZ]}
	}
}

// takeOff makes a hypothesis that of a flying ball at height z, whose vertical speed is unknown.
func (h *ballHypothesis) takeOff(z, variance float64) {
	h.flying, h.z, h.climb = true, z, 0
	h.up = vertical{zz: variance, vv: climbs * climbs}
}

// fly predicts a flying ball by dt seconds. It bounces off the floor until it rolls.
func (h *ballHypothesis) fly(dt float64, c *Config) {
	f := h.flight()
	left, rolls := f.fly(dt, c.BallNoise, c.BallBounce)
	h.setFlight(&f)
	if rolls {
		h.land()
		h.track.predict(left, c.BallNoise, c.BallDeceleration)
	}
}

// land makes a flying ball roll.
func (h *ballHypothesis) land() {
	h.flying, h.z, h.climb, h.up = false, soccer.BallRadius, 0, vertical{}
}

// Heights in a picture are rounded, and a robot that measures none reports 0 or the ball's radius.
const roundedHeight = 0.005 // m

// measuresHeight reports whether the place has a height, be it near the floor.
func (p *ballPlace) measuresHeight() bool {
	return math.Abs(p.z) > roundedHeight && math.Abs(p.z-soccer.BallRadius) > roundedHeight
}

// heightSigma returns the error of the place's height: that of the camera across the ray.
func (p *ballPlace) heightSigma() float64 {
	const least = 0.04 // m
	d2 := p.ray.Dot(p.ray)
	if d2 == 0 {
		return least
	}
	c := &p.camera
	across := float64(p.ray.Y*p.ray.Y*c.XX) - float64(2*p.ray.X*p.ray.Y*c.XY) + float64(p.ray.X*p.ray.X*c.YY)
	return max(least, math.Sqrt(max(0, across/d2)))
}

// weighHeight sets how exact and how likely the place's height is. A robot that measures no heights does not tell a rolling
// ball from a false one.
func (p *ballPlace) weighHeight() {
	const elevated = 0.15 // m, at least
	sigma := p.heightSigma()
	p.sigma, p.high = sigma, p.z-soccer.BallRadius > max(elevated, 3*sigma)
	p.rolling, p.imagined = 1, 1
	if !p.measuresHeight() {
		return
	}
	const outliers, high = 0.02, 0.5 // shares of false heights, and of false balls that seem to fly
	off := (p.z - soccer.BallRadius) / sigma
	density := exact.Exp(-float64(off*off)/2) / float64(sigma*math.Sqrt(2*math.Pi))
	p.imagined = float64((1-high)*density) + high/ceiling
	p.rolling = (float64((1-outliers)*density) + outliers/ceiling) / p.imagined
}

// supposeFlight adds the hypotheses that the ball of a sight flies.
func (f *ballMixture) supposeFlight(s *ballSight, places *[maxBalls]int8) {
	const (
		lofted  = 0.15                   // probability that a ball flies which was kicked within lately
		surely  = 0.01                   // probability for any other ball
		lately  = 600 * time.Millisecond // a ball may not be seen while it rises
		neglect = 1e-4
	)
	for i, n := 0, f.n; i < n; i++ {
		if places[i] < 0 || f.all[i].flying || !s.places[places[i]].high {
			continue
		}
		h, p := &f.all[i], &s.places[places[i]]
		prior := surely
		if s.at.Sub(h.kicked) < lately {
			prior = lofted
		}
		was := *h
		w := float64(h.weight*h.belongs) * (prior / ceiling) / float64(p.rolling*p.imagined)
		if w < neglect*f.all[f.best()].weight {
			continue
		}
		if up := f.add(w, was.confirmed); up != nil {
			*up = was
			up.weight = w
			up.takeOff(p.z, float64(p.sigma*p.sigma))
		}
	}
}

// reading is what a place says about a flying ball.
type reading struct {
	correction
	likelihood float64
	direct     float64 // probability that the robot measures heights
}

// read compares a place with a flying ball. A camera that measures no heights shows the ball where its ray through the
// ball meets the floor, which is too far away. Others report a ball that is hardly above the floor on the floor.
func (p *ballPlace) read(f *flight, heights float64, c *Config, r *reading) {
	measures := p.measuresHeight()
	if p.high {
		heights = 1
	}
	r.direct, r.likelihood = 0, 0
	p.compareDirect(f, measures, &r.correction)
	if r.distance < c.Gate {
		r.direct = float64(heights*r.density()) / p.imagined
		if !measures {
			above := (f.x[rowZ] - soccer.BallRadius - float64(3*p.sigma)) / math.Sqrt(f.p[rowZ][rowZ]+float64(p.sigma*p.sigma))
			r.direct /= 1 + exact.Exp(1.7*above) // the normal distribution, within 1 %
		}
	}
	if heights < 1 {
		var flat correction
		m, scale := p.projected(f, c)
		if f.compare(&m, &flat); flat.distance < c.Gate {
			r.likelihood = float64((1-heights)*p.rolling) * float64(flat.density()*scale)
			if r.likelihood > r.direct {
				r.correction = flat
			}
		}
	}
	r.likelihood += r.direct
	if r.likelihood > 0 {
		r.direct /= r.likelihood
	}
}

// compareDirect compares the place with a flying ball, as one where the robot sees it.
func (p *ballPlace) compareDirect(f *flight, measures bool, to *correction) {
	n := 2
	if measures {
		n = 3
	}
	r := [3][3]float64{{p.r.XX, p.r.XY}, {p.r.XY, p.r.YY}, {2: float64(p.sigma * p.sigma)}}
	f.compareAt(n, &[3]float64{p.at.X, p.at.Y, p.z}, &r, to)
}

// projected returns the place as a measurement by a camera that takes every ball for one on the floor. It sees the
// direction of the ball, and the sum of its height and of its distance, the latter by how steep the ray falls. scale
// converts a density of this measurement to one of places.
func (p *ballPlace) projected(f *flight, c *Config) (m linearReading, scale float64) {
	const spread = 0.08 // m, sigma of the camera's height
	seen := max(0.1, p.ray.Len())
	ux, uy := p.ray.X/seen, p.ray.Y/seen
	from := p.at.Sub(p.ray)
	distance := float64(ux*(f.x[0]-from.X)) + float64(uy*(f.x[1]-from.Y))
	share := min(1.2, max(0.05, distance/seen))
	fall := (c.CameraHeight - soccer.BallRadius) / seen
	ray := p.r.Rotated(-uy, ux)
	m.n = 2
	m.h[0][0], m.h[0][1] = -uy, ux
	m.y[0] = float64(ux*from.Y) - float64(uy*from.X)
	m.h[1] = [6]float64{0: float64(fall * ux), 1: float64(fall * uy), rowZ: 1}
	m.y[1] = c.CameraHeight + float64(fall*(float64(ux*from.X)+float64(uy*from.Y)))
	steep := float64(fall * share)
	m.r[0][0] = float64(ray.YY * share * share)
	m.r[0][1] = float64(ray.XY * share * steep)
	m.r[1][0] = m.r[0][1]
	m.r[1][1] = float64(ray.XX*steep*steep) + float64(float64(spread*spread)*float64((1-share)*(1-share)))
	return m, float64(share * steep)
}

// fitFlying is fit for a flying ball.
func (h *ballHypothesis) fitFlying(s *ballSight, c *Config, fit *correction) (ball float64, place int) {
	place = -1
	f := h.flight()
	most := 0.0
	var r reading
	for j := range s.places[:s.n] {
		p := &s.places[j]
		p.read(&f, s.heights, c, &r)
		l := float64((1 - s.doubt) * p.share * r.likelihood)
		ball += l
		if l > most {
			most, place, h.direct, *fit = l, j, r.direct, r.correction
		}
	}
	return ball, place
}

// takeFlying corrects a flying ball with a place of a sight.
func (h *ballHypothesis) takeFlying(fit *correction) {
	f := h.flight()
	f.correct(fit, h.belongs)
	h.setFlight(&f)
}

// learnHeights learns from a sight of a flying ball whether the robot measures heights.
func (o *observer) learnHeights(s *ballSight, f *ballMixture) {
	best := &f.all[f.top]
	if !best.flying || f.place < 0 {
		return
	}
	if o.heights = min(0.98, max(0.02, best.direct)); best.direct < 0.5 {
		f.place = -1 // the place is not that of the ball, and says nothing about the robot's pose
	}
}

// deflect forgets how the vertical motion goes together with the speed in the plane, of a ball that something deflected.
func (h *ballHypothesis) deflect() {
	const climb = 1.0 // m/s, sigma
	if h.flying {
		h.up.cross[2], h.up.cross[3] = [2]float64{}, [2]float64{}
		h.up.vv += climb * climb
	}
}

// believedHeight sets height and vertical speed of the ball to the mean of the hypotheses.
func (f *ballMixture) believedHeight(b *soccer.Ball) {
	flying := 0.0
	for i := range f.all[:f.n] {
		h := &f.all[i]
		b.Position.Z += float64(h.weight * h.z)
		b.Velocity.Z += float64(h.weight * h.climb)
		if h.flying {
			flying += h.weight
		}
	}
	b.Flying = flying > 0.5
	if flying == 0 {
		return
	}
	for i := range f.all[:f.n] {
		h := &f.all[i]
		dz, dv := h.z-b.Position.Z, h.climb-b.Velocity.Z
		b.HeightVar += float64(h.weight * (h.up.zz + float64(dz*dz)))
		b.ClimbVar += float64(h.weight * (h.up.vv + float64(dv*dv)))
		b.HeightClimb += float64(h.weight * (h.up.zv + float64(dz*dv)))
	}
}

const boardsOnLines = 0.3 // probability, before the first ball reaches a line

// supposeRebound adds the hypotheses that the ball of one hypothesis bounced off a wall, a post or a robot within the last dt
// seconds. Its place is exact to slack, in m.
func (f *ballMixture) supposeRebound(i int, dt, slack float64, around *surroundings, c *Config) {
	const share = 0.9                          // upper limit: the ball may be before the wall
	const often, high, radius = 0.2, 0.8, 0.25 // share of bounces off robots; m, size of robots
	ball := &f.all[i]
	at, v := soccer.Vec{X: ball.x, Y: ball.y}, soccer.Vec{X: ball.vx, Y: ball.vy}
	var memory [10]surface
	hits := appendWalls(memory[:0], &c.Field, at, v, dt, slack, boardsOnLines+f.boards)
	hits = appendPosts(hits, &c.Field, at, v, dt, slack/2)
	if ball.holder == 0 && ball.z < high {
		for k := range around.bodies[:around.n] {
			b := &around.bodies[k]
			hits = appendRound(hits, b.place(ball.time), b.velocity, radius, often, at, v, dt, slack/2)
		}
	}
	for _, w := range hits {
		weight := float64(ball.weight * w.share * share)
		h := f.add(weight, ball.confirmed)
		if h == nil || h == ball {
			return
		}
		*h = *ball
		ball.weight -= weight
		h.weight, h.rebounded = weight, w.aside == 0
		h.rebound(&w, c.WallBounce)
	}
}

// rebound reflects a ball at a wall, which gives back that share of its speed.
func (h *ballHypothesis) rebound(w *surface, share float64) {
	const spread = 0.2
	if w.net {
		share = 0
	}
	r, n := w.reflection(share), w.normal
	over := float64((1 + share) * max(0, w.over))
	h.x, h.y = h.x+float64(n.X*over), h.y+float64(n.Y*over)
	h.pp, h.vv, h.pv = r.cov(h.pp), r.cov(h.vv), r.both(h.pv)
	lost, aside := float64(spread*w.into*spread*w.into), float64(w.aside*w.into*w.aside*w.into)
	h.pp.XX, h.pp.YY = h.pp.XX+0.01, h.pp.YY+0.01
	h.vv.XX, h.vv.YY = h.vv.XX+float64(n.X*n.X*lost)+aside, h.vv.YY+float64(n.Y*n.Y*lost)+aside
	h.vv.XY += float64(n.X * n.Y * lost)
	x, y := r.of(h.vx-w.velocity.X, h.vy-w.velocity.Y)
	h.vx, h.vy = w.velocity.X+x, w.velocity.Y+y
	for k := range 2 { // covariances of height and climb with x and y, and with their velocities
		a, b := &h.up.cross[2*k], &h.up.cross[2*k+1]
		a[0], b[0] = r.of(a[0], b[0])
		a[1], b[1] = r.of(a[1], b[1])
	}
}

// learnBoards learns whether boards stand on the lines: from a ball that came back, and from one that rolled on.
func (f *ballMixture) learnBoards(c *Config) {
	const rate, sure, beyond = 0.25, 0.7, 0.2 // beyond in m
	if f.n == 0 {
		return
	}
	best, back := &f.all[f.top], 0.0
	for i := range f.all[:f.n] {
		if f.all[i].rebounded {
			back += f.all[i].weight
		}
	}
	x, y := math.Abs(best.x)-float64(c.Field.Length/2), math.Abs(best.y)-float64(c.Field.Width/2)
	switch inside := max(x, y) < 0; {
	case inside && back > sure:
		f.boards += float64(rate * (1 - boardsOnLines - f.boards))
		for i := range f.all[:f.n] {
			f.all[i].rebounded = false
		}
	case inside:
		f.out = false
	case max(x, y) > beyond && best.weight > sure && !f.out && (x < 0 || math.Abs(best.y) > float64(c.Field.GoalWidth/2)):
		f.boards -= float64(rate * (boardsOnLines + f.boards))
		f.out = true
	}
}
