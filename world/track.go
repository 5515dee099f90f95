package world

import (
	"math"

	"touchline/soccer"
)

// track is the Kalman filter of one object in the plane: position and velocity at one time, with the symmetric
// covariance in 2x2 blocks [pp pv; pv' vv]. Products that feed sums are converted to float64, so that no processor
// fuses them.
type track struct {
	time         soccer.Time // time of the state
	lastSeen     soccer.Time // capture time of the newest measurement
	hits         int
	confirmed    bool
	x, y, vx, vy float64
	pp, vv       soccer.Cov
	pv           [2][2]float64 // rows x y, columns vx vy
}

// noise is the covariance of a measured position.
type noise = soccer.Cov

// start begins a track with its first measurement. sigmaV, in m/s, is the uncertainty of its velocity.
func (t *track) start(at soccer.Time, o *soccer.Observation, r noise, sigmaV float64) {
	*t = track{time: at, lastSeen: at, hits: 1, x: o.Position.X, y: o.Position.Y, pp: r}
	if o.HasVelocity {
		t.vx, t.vy = o.Velocity.X, o.Velocity.Y
	}
	t.vv = soccer.Cov{XX: float64(sigmaV * sigmaV), YY: float64(sigmaV * sigmaV)}
}

// predict advances the state by dt seconds: constant velocity with white acceleration noise of spectral density q
// (m^2/s^3) and a rolling deceleration (m/s^2).
func (t *track) predict(dt, q, deceleration float64) {
	vx, vy := t.vx, t.vy
	travel := dt // s at this velocity
	if deceleration > 0 {
		travel = t.roll(dt, deceleration)
	}
	t.x += float64(vx * travel)
	t.y += float64(vy * travel)
	dt2 := float64(dt * dt)
	qpp, qpv, qvv := float64(float64(q*dt2)*float64(dt*(1.0/3))), float64(float64(q*dt2)*0.5), float64(q*dt)
	t.pp.XX += float64(2*dt*t.pv[0][0]) + float64(dt2*t.vv.XX) + qpp
	t.pp.YY += float64(2*dt*t.pv[1][1]) + float64(dt2*t.vv.YY) + qpp
	t.pp.XY += float64(dt*(t.pv[0][1]+t.pv[1][0])) + float64(dt2*t.vv.XY)
	t.pv[0][0] += float64(dt*t.vv.XX) + qpv
	t.pv[0][1] += float64(dt * t.vv.XY)
	t.pv[1][0] += float64(dt * t.vv.XY)
	t.pv[1][1] += float64(dt*t.vv.YY) + qpv
	t.vv.XX += qvv
	t.vv.YY += qvv
}

// roll slows the track down for dt seconds, and returns how long it would take for its way at the initial speed.
func (t *track) roll(dt, deceleration float64) (travel float64) {
	speed := math.Sqrt(float64(t.vx*t.vx) + float64(t.vy*t.vy))
	if speed == 0 {
		return 0
	}
	moving := dt // s, until it stops
	if speed < float64(deceleration*dt) {
		moving = speed / deceleration
	}
	loss := float64(deceleration*moving) / speed
	t.vx -= float64(t.vx * loss)
	t.vy -= float64(t.vy * loss)
	return float64(moving * (1 - float64(0.5*loss)))
}

// innovation is a measurement compared with a track: the residual and the terms of the gain.
type innovation struct {
	dx, dy   float64
	top      [2][2]float64 // covariance of position and measurement
	bottom   [2][2]float64 // covariance of velocity and measurement
	s        soccer.Cov    // covariance of the innovation
	inverse  soccer.Cov    // inverse of s
	distance float64       // squared Mahalanobis distance
}

// compare writes to n the innovation of a position measured late seconds before the track's time. The track's position
// is predicted back as p - v*late, so that a measurement counts at its capture time, however late it arrives.
func (t *track) compare(p soccer.Vec, r *noise, late float64, n *innovation) {
	n.dx, n.dy = p.X-t.x+float64(t.vx*late), p.Y-t.y+float64(t.vy*late)
	n.top = [2][2]float64{
		{t.pp.XX - float64(late*t.pv[0][0]), t.pp.XY - float64(late*t.pv[0][1])},
		{t.pp.XY - float64(late*t.pv[1][0]), t.pp.YY - float64(late*t.pv[1][1])},
	}
	n.bottom = [2][2]float64{
		{t.pv[0][0] - float64(late*t.vv.XX), t.pv[1][0] - float64(late*t.vv.XY)},
		{t.pv[0][1] - float64(late*t.vv.XY), t.pv[1][1] - float64(late*t.vv.YY)},
	}
	n.s.XX = n.top[0][0] - float64(late*n.bottom[0][0]) + r.XX
	n.s.XY = n.top[0][1] - float64(late*n.bottom[0][1]) + r.XY
	n.s.YY = n.top[1][1] - float64(late*n.bottom[1][1]) + r.YY
	n.inverse = n.s.Inverse()
	n.distance = squared(n.dx, n.dy, &n.inverse)
}

// squared returns the squared Mahalanobis distance of a residual, with the inverse of its covariance.
func squared(dx, dy float64, inverse *soccer.Cov) float64 {
	return float64(dx*dx*inverse.XX) + float64(2*dx*dy*inverse.XY) + float64(dy*dy*inverse.YY)
}

// behind returns by how many seconds a capture time is before the track's.
func (t *track) behind(at soccer.Time) float64 { return max(0, seconds(t.time, at)) }

// placeAt returns position and covariance at a capture time, as compare does.
func (t *track) placeAt(at soccer.Time) (x, y float64, cov soccer.Cov) {
	late := t.behind(at)
	if late == 0 {
		return t.x, t.y, t.pp
	}
	cov.XX = t.pp.XX - float64(late*t.pv[0][0]) - float64(late*(t.pv[0][0]-float64(late*t.vv.XX)))
	cov.XY = t.pp.XY - float64(late*t.pv[0][1]) - float64(late*(t.pv[1][0]-float64(late*t.vv.XY)))
	cov.YY = t.pp.YY - float64(late*t.pv[1][1]) - float64(late*(t.pv[1][1]-float64(late*t.vv.YY)))
	return t.x - float64(t.vx*late), t.y - float64(t.vy*late), cov
}

// update applies the innovation n of an observation captured at at. A track is confirmed by needed hits.
func (t *track) update(at soccer.Time, n *innovation, needed int) {
	t.correctBy(n, 1)
	t.lastSeen = max(t.lastSeen, at)
	t.hits++
	t.confirmed = t.confirmed || t.hits >= needed
}

// correctBy applies the gain of the innovation n to state and covariance, as far as the measurement belongs to the track,
// with probability b: with the rest it is that of something else, and the covariance grows by the spread of both cases.
func (t *track) correctBy(n *innovation, b float64) {
	p, q := &n.top[0], &n.top[1]
	u, v := &n.bottom[0], &n.bottom[1]
	x, y, vx, vy := n.gain(p), n.gain(q), n.gain(u), n.gain(v)
	t.x += float64(b * x.shift)
	t.y += float64(b * y.shift)
	t.vx += float64(b * vx.shift)
	t.vy += float64(b * vy.shift)
	spread := float64(b * (1 - b))
	t.pp.XX -= x.reduction(p, x.shift, b, spread)
	t.pp.XY -= x.reduction(q, y.shift, b, spread)
	t.pp.YY -= y.reduction(q, y.shift, b, spread)
	t.pv[0][0] -= x.reduction(u, vx.shift, b, spread)
	t.pv[0][1] -= x.reduction(v, vy.shift, b, spread)
	t.pv[1][0] -= y.reduction(u, vx.shift, b, spread)
	t.pv[1][1] -= y.reduction(v, vy.shift, b, spread)
	t.vv.XX -= vx.reduction(u, vx.shift, b, spread)
	t.vv.XY -= vx.reduction(v, vy.shift, b, spread)
	t.vv.YY -= vy.reduction(v, vy.shift, b, spread)
}

// gain is how an innovation corrects one number of a state.
type gain struct{ x, y, shift float64 }

// gain returns the gain for a number with covariance h with the measurement.
func (n *innovation) gain(h *[2]float64) gain {
	i := &n.inverse
	x, y := float64(h[0]*i.XX)+float64(h[1]*i.XY), float64(h[0]*i.XY)+float64(h[1]*i.YY)
	return gain{x, y, float64(x*n.dx) + float64(y*n.dy)}
}

// reduction returns by how much the covariance with a number shrinks that has covariance h with the measurement and is
// shifted, too.
func (g gain) reduction(h *[2]float64, shift, b, spread float64) float64 {
	return float64(b*(float64(g.x*h[0])+float64(g.y*h[1]))) - float64(spread*g.shift*shift)
}
