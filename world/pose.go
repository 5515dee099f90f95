package world

import (
	"touchline/internal/exact"
	"touchline/soccer"
)

// groupSize is the most robots whose pose errors are estimated together, this robot among them.
const groupSize = 8

// maxCommon bounds the objects in a package: 16 obstacles and the ball.
const maxCommon = 17

// poseError is what is believed about the error of a robot's pose: estimated minus true pose.
type poseError struct {
	x, y, theta float64 // m and rad
	cov         [3][3]float64
}

// correct writes to place how a robot with this error sees at: the place without the error and its covariance. r is that
// of the camera alone.
func (e *poseError) correct(at, ray soccer.Vec, r soccer.Cov) (soccer.Vec, soccer.Cov) {
	at.X -= e.x - float64(e.theta*ray.Y)
	at.Y -= e.y + float64(e.theta*ray.X)
	return at, e.spread(ray, r)
}

// spread adds to r the covariance that the pose's error has at a ray.
func (e *poseError) spread(ray soccer.Vec, r soccer.Cov) soccer.Cov {
	p := &e.cov
	r.XX += p[0][0] - float64(2*ray.Y*p[0][2]) + float64(ray.Y*ray.Y*p[2][2])
	r.YY += p[1][1] + float64(2*ray.X*p[1][2]) + float64(ray.X*ray.X*p[2][2])
	r.XY += p[0][1] + float64(ray.X*p[0][2]) - float64(ray.Y*p[1][2]) - float64(ray.X*ray.Y*p[2][2])
	return r
}

// poseGroup estimates the pose errors of several robots together. The error of a pose lasts for seconds: taken for noise of
// each picture, ten pictures would seem to cancel it. An object that two robots see at about the same time shows how
// their errors differ; beyond that the errors are taken for small and independent, which bounds their mean.
type poseGroup struct {
	time   soccer.Time
	n      int                      // members
	slots  [groupSize]uint8         // slot of each member's observer
	active [groupSize]soccer.Time   // when a member was last seen; 0: it has left
	usual  [groupSize][3][3]float64 // covariance of a member's error before anything is learnt about it
	errors [3 * groupSize]float64   // x, y and heading of each member
	// cov holds the covariances of each member's errors with its own and with those of the members before it.
	cov  [3 * groupSize][3 * groupSize]float64
	ball poseSights // sights of the ball

	common [maxCommon]commonSight // objects in the package that is fused
	shared int                    // how many these are
	turn   int                    // the one that counts next
}

// poseSight is where a member saw an object.
type poseSight struct {
	at         soccer.Time
	place, ray soccer.Vec // the place has the pose's error; the ray goes from the robot to it
	r          soccer.Cov // covariance of the camera alone
}

// poseSights holds the newest sight of one object by each member.
type poseSights struct {
	at  [groupSize]soccer.Time // the same as that of each sight
	all [groupSize]poseSight
}

// commonSight is an object that two members saw at about the same time.
type commonSight struct {
	a, b     int // members
	sights   *poseSights
	velocity soccer.Vec // velocity of the object
	belongs  float64    // probability that both saw this object
}

// join returns the member that an observer is, -1 while too many others are active. usual is the covariance of its error
// before anything is learnt about it.
func (g *poseGroup) join(slot uint8, at soccer.Time, usual *[3][3]float64) int {
	const quiet = 1.0 // s, after which a member leaves for another robot
	oldest := 0
	for i, s := range g.slots[:g.n] {
		if s == slot && g.active[i] != 0 {
			g.active[i], g.usual[i] = max(g.active[i], at), *usual
			return i
		}
		if g.active[i] < g.active[oldest] {
			oldest = i
		}
	}
	switch {
	case g.n < groupSize:
		oldest = g.n
		g.n++
	case seconds(at, g.active[oldest]) < quiet:
		return -1
	}
	g.slots[oldest], g.active[oldest], g.usual[oldest] = slot, at, *usual
	g.reset(oldest)
	return oldest
}

// leave makes room for another member: the observer belongs to another robot from now on.
func (g *poseGroup) leave(slot uint8) {
	for i, s := range g.slots[:g.n] {
		if s == slot {
			g.active[i] = 0
		}
	}
}

// reset forgets what was learnt about a member.
func (g *poseGroup) reset(member int) {
	first := 3 * member
	for k := range 3 {
		i := first + k
		g.errors[i] = 0
		clear(g.cov[i][:])
		for j := range g.cov {
			g.cov[j][i] = 0
		}
	}
	for k := range 3 {
		copy(g.cov[first+k][first:], g.usual[member][k][:])
	}
}

// advance predicts the errors to at. They fade with the time constant tau, in s.
func (g *poseGroup) advance(at soccer.Time, tau float64) {
	const often = 0.03 // s: errors change slowly
	dt := seconds(at, g.time)
	if dt < often {
		return
	}
	g.time = at
	keep := exact.Exp(-dt / tau)
	square := float64(keep * keep)
	n := 3 * g.n
	for i := range n {
		g.errors[i] = float64(g.errors[i] * keep)
		first := i - i%3
		row := g.cov[i][:first+3]
		for j := range row {
			row[j] = float64(row[j] * square)
		}
		for k, v := range g.usual[i/3][i%3] {
			row[first+k] += float64(v * (1 - square))
		}
	}
}

// of returns what is believed about the error of a member's pose, the usual error for a robot without a place: -1.
func (g *poseGroup) of(member int, usual *[3][3]float64) poseError {
	if member < 0 {
		return poseError{cov: *usual}
	}
	i := 3 * member
	e := poseError{x: g.errors[i], y: g.errors[i+1], theta: g.errors[i+2]}
	for k := range e.cov {
		copy(e.cov[k][:], g.cov[i+k][i:i+3])
	}
	return e
}

// note notes where a member saw an object, and which other member saw it at about the same time. past stays in its place
// until learn is called.
func (g *poseGroup) note(member int, s *poseSight, past *poseSights, velocity soccer.Vec, belongs float64) {
	const together = 0.15 // s
	if member < 0 {
		return
	}
	i := (g.turn + g.n - 1) % g.n
	for range g.n {
		if i++; i == g.n {
			i = 0
		}
		if dt := seconds(s.at, past.at[i]); i == member || dt > together || dt < -together || g.shared == len(g.common) {
			continue
		}
		g.common[g.shared] = commonSight{a: member, b: i, sights: past, velocity: velocity, belongs: belongs}
		g.shared++
		break
	}
	past.at[member], past.all[member] = s.at, *s
}

// learn compares the sights of a package with those of others. Two of them are enough, for errors change slowly; they take
// turns.
func (g *poseGroup) learn() {
	const most = 2
	for range min(most, g.shared) {
		g.compare(&g.common[g.turn%g.shared])
		g.turn++
	}
	g.shared = 0
}

// compare corrects the errors with an object that two members saw.
func (g *poseGroup) compare(s *commonSight) {
	const (
		repeated = 1.5 // factor on the camera's noise: one sight is compared with several others
		drift    = 1.0 // m/s, sigma of the object's velocity
		gate     = 9.0 // squared Mahalanobis distance beyond which the two did not see one object
	)
	n := 3 * g.n
	a, b := 3*s.a, 3*s.b
	of, by := &s.sights.all[s.a], &s.sights.all[s.b]
	// Row k of h holds the covariance of the innovation's coordinate k with each error.
	var h [2][3 * groupSize]float64
	g.addShift(&h, a, of.ray, 1)
	g.addShift(&h, b, by.ray, -1)
	e := &g.errors
	dt := seconds(of.at, by.at)
	dx := of.place.X - by.place.X - float64(s.velocity.X*dt) - inX(e, a, of.ray) + inX(e, b, by.ray)
	dy := of.place.Y - by.place.Y - float64(s.velocity.Y*dt) - inY(e, a, of.ray) + inY(e, b, by.ray)
	moved := float64(drift * drift * dt * dt)
	i := soccer.Cov{
		XX: float64(repeated*(of.r.XX+by.r.XX)) + moved + inX(&h[0], a, of.ray) - inX(&h[0], b, by.ray),
		XY: float64(repeated*(of.r.XY+by.r.XY)) + inY(&h[0], a, of.ray) - inY(&h[0], b, by.ray),
		YY: float64(repeated*(of.r.YY+by.r.YY)) + moved + inY(&h[1], a, of.ray) - inY(&h[1], b, by.ray),
	}.Inverse()
	if float64(dx*dx*i.XX)+float64(2*dx*dy*i.XY)+float64(dy*dy*i.YY) > gate {
		return
	}
	for j := range n {
		k0 := float64(s.belongs * (float64(h[0][j]*i.XX) + float64(h[1][j]*i.XY)))
		k1 := float64(s.belongs * (float64(h[0][j]*i.XY) + float64(h[1][j]*i.YY)))
		e[j] += float64(k0*dx) + float64(k1*dy)
		row := g.cov[j][:j-j%3+3]
		h0, h1 := h[0][:len(row)], h[1][:len(row)] // equal lengths: the loop needs no bounds checks
		for l := range row {
			row[l] -= float64(k0*h0[l]) + float64(k1*h1[l])
		}
	}
}

// addShift adds to h the covariances of all errors with how far those of a member, which begin at index m, shift what lies
// at the end of a ray, times a sign.
func (g *poseGroup) addShift(h *[2][3 * groupSize]float64, m int, ray soccer.Vec, sign float64) {
	rx, ry := float64(sign*ray.X), float64(sign*ray.Y)
	x, y, theta := g.cov[m][:m+3], g.cov[m+1][:m+3], g.cov[m+2][:m+3]
	for j := range x {
		h[0][j] += float64(sign*x[j]) - float64(ry*theta[j])
		h[1][j] += float64(sign*y[j]) + float64(rx*theta[j])
	}
	for j := m + 3; j < 3*g.n; j++ {
		row := g.cov[j][m:][:3]
		h[0][j] += float64(sign*row[0]) - float64(ry*row[2])
		h[1][j] += float64(sign*row[1]) + float64(rx*row[2])
	}
}

// inX returns how far the pose error at index i shifts in x what lies at the end of a ray.
func inX(errors *[3 * groupSize]float64, i int, ray soccer.Vec) float64 {
	return errors[i] - float64(ray.Y*errors[i+2])
}

// inY returns how far it shifts it in y.
func inY(errors *[3 * groupSize]float64, i int, ray soccer.Vec) float64 {
	return errors[i+1] + float64(ray.X*errors[i+2])
}
