package world

import (
	"math"

	"touchline/soccer"
)

// track is the Kalman filter of one object in the plane: position and velocity at one time, with the symmetric
// covariance in 2x2 blocks [pp pv; pv' vv]. Products that feed sums are converted to float64, so that no processor
// fuses them.
type track struct {
	time         soccer.Time // of the state
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
	speed := math.Sqrt(float64(t.vx*t.vx) + float64(t.vy*t.vy))
	moving := dt // s, until it stops rolling
	if deceleration > 0 && speed < float64(deceleration*dt) {
		moving = speed / deceleration
	}
	if speed > 0 {
		loss := float64(deceleration*moving) / speed
		travel := float64(moving * (1 - float64(0.5*loss))) // s at the initial speed
		t.x += float64(t.vx * travel)
		t.y += float64(t.vy * travel)
		t.vx -= float64(t.vx * loss)
		t.vy -= float64(t.vy * loss)
	}
	dt2 := float64(dt * dt)
	qpp, qpv, qvv := float64(float64(q*dt2)*dt/3), float64(float64(q*dt2)/2), float64(q*dt)
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

// innovation is a measurement compared with a track: the residual and the terms of the gain.
type innovation struct {
	dx, dy   float64
	top      [2][2]float64 // covariance of position and measurement
	bottom   [2][2]float64 // covariance of velocity and measurement
	s        soccer.Cov    // covariance of the innovation
	inverse  soccer.Cov    // of s
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
	n.inverse = invert(n.s)
	i := &n.inverse
	n.distance = float64(n.dx*n.dx*i.XX) + float64(2*n.dx*n.dy*i.XY) + float64(n.dy*n.dy*i.YY)
}

// pastPosition is the position of a track at a capture time, and the trace of its covariance. The trace bounds each
// eigenvalue, so a measurement whose squared distance exceeds gate times the traces lies outside the gate.
type pastPosition struct{ x, y, late, trace float64 }

func (t *track) positionAt(at soccer.Time) pastPosition {
	late := max(0, seconds(t.time, at))
	return pastPosition{
		x: t.x - float64(t.vx*late), y: t.y - float64(t.vy*late), late: late,
		trace: t.pp.XX + t.pp.YY + float64(late*late*(t.vv.XX+t.vv.YY)) - float64(2*late*(t.pv[0][0]+t.pv[1][1])),
	}
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
	i := &n.inverse
	var k [4][2]float64 // gain: rows x y vx vy
	h := [4][2]float64{n.top[0], n.top[1], n.bottom[0], n.bottom[1]}
	for row := range k {
		k[row][0] = float64(h[row][0]*i.XX) + float64(h[row][1]*i.XY)
		k[row][1] = float64(h[row][0]*i.XY) + float64(h[row][1]*i.YY)
	}
	var shift [4]float64
	for row := range k {
		shift[row] = float64(k[row][0]*n.dx) + float64(k[row][1]*n.dy)
	}
	t.x += float64(b * shift[0])
	t.y += float64(b * shift[1])
	t.vx += float64(b * shift[2])
	t.vy += float64(b * shift[3])
	spread := float64(b * (1 - b))
	reduction := func(row, col int) float64 {
		return float64(b*(float64(k[row][0]*h[col][0])+float64(k[row][1]*h[col][1]))) - float64(spread*shift[row]*shift[col])
	}
	t.pp.XX -= reduction(0, 0)
	t.pp.XY -= reduction(0, 1)
	t.pp.YY -= reduction(1, 1)
	t.pv[0][0] -= reduction(0, 2)
	t.pv[0][1] -= reduction(0, 3)
	t.pv[1][0] -= reduction(1, 2)
	t.pv[1][1] -= reduction(1, 3)
	t.vv.XX -= reduction(2, 2)
	t.vv.XY -= reduction(2, 3)
	t.vv.YY -= reduction(3, 3)
}

// invert returns the inverse of a positive definite covariance.
func invert(c soccer.Cov) soccer.Cov {
	d := 1 / (float64(c.XX*c.YY) - float64(c.XY*c.XY))
	return soccer.Cov{XX: float64(c.YY * d), XY: float64(-c.XY * d), YY: float64(c.XX * d)}
}
