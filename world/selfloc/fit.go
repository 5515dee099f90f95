package selfloc

import (
	"math"

	"touchline/internal/exact"
	"touchline/soccer"
)

const (
	mostPoints  = 128 // points of a picture that are used, evenly spread
	fewPoints   = 6   // a picture with fewer points says nothing
	enough      = 20  // points from which a picture weighs fully
	iterations  = 8
	converged   = 1e-4 // m and rad
	startNormal = 0.6
	startChance = 0.35
)

// point is a line point in the robot's frame.
type point struct {
	at            soccer.Vec
	along, across float64    // variances along the ray and across it
	ray           soccer.Vec // direction of the ray
}

// picture is the line points of one picture, in the frame of the robot at the time of the hypotheses.
type picture struct {
	points [mostPoints]point
	n      int
	repeat float64 // how many pictures have one error of all points in common
	slack  matrix  // how far wheels that slip and opponents that push may have moved the robot since the last picture
	last   step    // odometry of the last picture
}

// Lines tells the points where the camera saw field lines in a picture taken at a time, in the robot's frame: x ahead,
// y to its left. A point is the middle of a line's stripe. It takes the pose on to that time. A picture that arrives
// after a later one is used as well.
func (l *Locator) Lines(at soccer.Time, points []soccer.Vec) {
	before, ok := l.advance(at)
	if !ok {
		return
	}
	l.setPicture(points, l.now.travel.Relative(before.travel))
	if l.picture.n < fewPoints {
		return
	}
	l.setRepeat(at)
	l.setSlack()
	best := 0.0
	for i := range l.all[:l.n] {
		h := &l.all[i]
		h.pictures++
		if surprise := l.update(h); i == 0 {
			l.learnSlip(surprise)
		}
		best = max(best, l.score(h.pose))
	}
	if l.n > 0 {
		l.weigh(best)
		l.judge()
	}
	l.search()
}

// setPicture takes over up to mostPoints points of a picture. back is the pose of the robot in the picture, in the
// frame of the robot at the time of the hypotheses.
func (l *Locator) setPicture(points []soccer.Vec, back soccer.Pose) {
	const least, most = 0.05, 30.0 // m
	sees := func(p soccer.Vec) bool {
		d := p.Len()
		return d >= least && d <= most
	}
	valid := 0
	for _, p := range points {
		if sees(p) {
			valid++
		}
	}
	l.counts.Absurd += uint64(len(points) - valid)
	take := min(valid, mostPoints)
	sin, cos := exact.Sincos(back.Theta)
	seen, kept := 0, 0
	for _, p := range points {
		if !sees(p) {
			continue
		}
		if seen*take/valid == kept && kept < take { // evenly
			p = soccer.Vec{X: p.X / (1 + l.scale), Y: p.Y / (1 + l.scale)}
			d := p.Len()
			along, across := l.cfg.SigmaBase+float64(l.cfg.SigmaRange*d), float64(l.cfg.SigmaBearing*d)+0.005
			turned := p.Rotated(sin, cos)
			l.picture.points[kept] = point{
				at:    back.XY().Add(turned),
				along: float64(along * along), across: float64(across * across),
				ray: soccer.Vec{X: turned.X / d, Y: turned.Y / d},
			}
			kept++
		}
		seen++
	}
	l.picture.n = kept
}

// setRepeat sets how many pictures have an error in common.
func (l *Locator) setRepeat(at soccer.Time) {
	l.picture.repeat = 1
	if l.pictured != 0 {
		dt := max(at.Sub(l.pictured).Seconds(), 0.005)
		l.picture.repeat = max(1, 2*l.cfg.SharedTau.Seconds()/dt)
	}
	l.pictured = max(l.pictured, at)
}

// setSlack sets how far the robot may have moved unnoticed: wheels that slip measure as much again, and opponents push.
func (l *Locator) setSlack() {
	const push, pushTurn = 0.5, 0.8 // m/s and rad/s
	p := &l.picture
	dt := min(max(l.now.at.Sub(p.last.at).Seconds(), 0), 0.5)
	way := max(l.now.way-p.last.way, 0) + float64(push*dt)
	turn := float64(0.5*max(l.now.turn-p.last.turn, 0)) + float64(pushTurn*dt)
	p.slack, p.last = diagonal(float64(way*way), float64(turn*turn)), l.now
}

// shared returns the inverse covariance of the error that all points of the picture have in common. Over the pictures
// that the pose averages it is the same: each of them counts as less. A pose of which the odometry says little averages
// few.
func (l *Locator) shared(cov *matrix) matrix {
	inverse := func(sigma, variance float64) float64 {
		square := max(float64(sigma*sigma), 1e-8)
		return 1 / (square * min(l.picture.repeat, 1+square/max(variance, 1e-12)))
	}
	return diagonal(inverse(l.cfg.Shared, 0.5*(cov[0]+cov[3])), inverse(l.cfg.SharedTurn, cov[5]))
}

// update fits a hypothesis to the picture, together with the pose that the odometry predicts. It returns by how much
// the two differ relative to what their covariances allow: 1 on average.
func (l *Locator) update(h *hypothesis) (surprise float64) {
	prior, ok := inverse(&h.cov)
	if !ok {
		return 1
	}
	shared := l.shared(&h.cov)
	f := l.minimise(h.pose, h.pose, &prior, &shared, &h.cov, 1)
	surprise = f.surprise
	free, score := &h.cov, l.score(f.pose)
	if l.picture.n >= enough/2 && (surprise > slipped || score < l.fit-0.1) {
		// The wheels slipped or somebody pushed the robot: if the points then fit better, the prediction counts less.
		cov := plus(h.cov, l.picture.slack)
		wider, _ := inverse(&cov)
		more := l.shared(&cov)
		freed := l.minimise(f.pose, h.pose, &wider, &more, nil, 1)
		if l.score(freed.pose) > score+1/float64(l.picture.n) {
			f, prior, shared, free = freed, wider, more, nil
		}
	}
	if f.misfit > 1 {
		// Many points lie off the lines: the others say less about the pose than it seems.
		f = l.minimise(f.pose, h.pose, &prior, &shared, free, f.misfit)
	}
	h.pose, h.cov = f.pose, f.cov
	return surprise
}

// slipped is the difference from which a fit contradicts the prediction (99 % of all are below).
const slipped = 3.8

// fitted is a pose between picture and odometry.
type fitted struct {
	pose     soccer.Pose
	cov      matrix
	surprise float64 // squared deviation from the predicted pose, by its expected value
	misfit   float64 // the same of the points from the lines
}

// minimise returns the pose near start that minimises the error of the points and the deviation from the predicted
// pose. s is the inverse covariance of the error that all points have in common, noise a factor of their variance.
func (l *Locator) minimise(start, predicted soccer.Pose, prior, s, expected *matrix, noise float64) (f fitted) {
	pose, total := start, *prior
	for range iterations {
		information, gradient, misfit := l.normalEquations(pose, 1, expected)
		f.misfit = misfit
		for i := range information {
			information[i] /= noise
		}
		gradient = vector{gradient[0] / noise, gradient[1] / noise, gradient[2] / noise}
		common := plus(information, *s)
		m, ok := inverse(&common)
		if !ok {
			break
		}
		// (H^-1 + B)^-1 = B^-1 - B^-1 (H + B^-1)^-1 B^-1, and the gradient turns into B^-1 (H + B^-1)^-1 g.
		mg := times(&m, gradient)
		gradient = vector{float64(s[0] * mg[0]), float64(s[3] * mg[1]), float64(s[5] * mg[2])}
		information = matrix{
			s[0] - float64(s[0]*m[0]*s[0]), -float64(s[0] * m[1] * s[3]), -float64(s[0] * m[2] * s[5]),
			s[3] - float64(s[3]*m[3]*s[3]), -float64(s[3] * m[4] * s[5]), s[5] - float64(s[5]*m[5]*s[5]),
		}
		total = plus(information, *prior)
		back := times(prior, change(pose, predicted))
		inverted, ok := inverse(&total)
		if !ok {
			break
		}
		step := limited(times(&inverted, vector{back[0] - gradient[0], back[1] - gradient[1], back[2] - gradient[2]}))
		pose = moved(pose, step)
		if dot(step, step) < converged*converged {
			break
		}
	}
	cov, ok := inverse(&total)
	if !ok {
		return fitted{predicted, diagonal(1, 1), 1, 1}
	}
	off := change(predicted, pose)
	usual := 3 - trace(&cov, prior)
	f.pose, f.cov, f.surprise = pose, cov, dot(off, times(prior, off))/max(usual, 0.05)
	return f
}

// limited limits a step to what the linear model of the lines bears.
func limited(v vector) vector {
	const most, mostTurn = 0.5, 0.2
	scale := 1.0
	if length := math.Sqrt(float64(v[0]*v[0]) + float64(v[1]*v[1])); length > most {
		scale = most / length
	}
	if turn := math.Abs(v[2]); turn*scale > mostTurn {
		scale = mostTurn / turn
	}
	return vector{v[0] * scale, v[1] * scale, v[2] * scale}
}

// normalEquations returns the information of the picture about the pose, and the gradient of its error there: half the
// sum of weighted squares of the points' distances from the lines. misfit is this sum by its expected value. wide
// widens the distance of outliers.
func (l *Locator) normalEquations(pose soccer.Pose, wide float64, expected *matrix) (information matrix,
	gradient vector, misfit float64) {
	sin, cos := exact.Sincos(pose.Theta)
	reach := float64(wide * wide * l.cfg.Outlier * l.cfg.Outlier)
	for i := range l.picture.points[:l.picture.n] {
		p := &l.picture.points[i]
		arm := p.at.Rotated(sin, cos)
		off := l.lines.offset(pose.XY().Add(arm))
		d := off.Len()
		if d < 1e-9 {
			off, d = soccer.Vec{X: 1}, 1e-9 // the point is on the line: the direction hardly matters
		}
		n := soccer.Vec{X: off.X / d, Y: off.Y / d}
		inRay := n.Dot(p.ray.Rotated(sin, cos))
		inRay = float64(inRay * inRay)
		variance := float64(l.noise * (float64(inRay*p.along) + float64((1-inRay)*p.across)))
		j := vector{n.X, n.Y, arm.Cross(n)}
		// The weight of the error 1 - c^2/(c^2+d^2) of Tribots, by iteratively reweighted least squares.
		c := reach + variance
		if expected != nil {
			c = min(c, float64(9*variance)+dot(j, times(expected, j)))
		}
		w := c / (c + float64(d*d))
		w = float64(w*w) / variance
		misfit += float64(w * d * d)
		information[0] += float64(w * j[0] * j[0])
		information[1] += float64(w * j[0] * j[1])
		information[2] += float64(w * j[0] * j[2])
		information[3] += float64(w * j[1] * j[1])
		information[4] += float64(w * j[1] * j[2])
		information[5] += float64(w * j[2] * j[2])
		for k := range gradient {
			gradient[k] += float64(w * j[k] * d)
		}
	}
	return information, gradient, misfit / max(float64(l.picture.n)-3, 1)
}

// score returns how well a pose fits the picture: the mean of 1 for a point on a line to 0 far off.
func (l *Locator) score(pose soccer.Pose) float64 {
	sin, cos := exact.Sincos(pose.Theta)
	reach := float64(l.cfg.Outlier * l.cfg.Outlier)
	sum := 0.0
	for i := range l.picture.points[:l.picture.n] {
		off := l.lines.offset(l.picture.points[i].from(pose, sin, cos))
		sum += reach / (reach + off.Dot(off))
	}
	return sum / float64(max(l.picture.n, 1))
}

// from returns where a point lies on the field, seen from a pose with the sine and cosine of its heading.
func (p *point) from(pose soccer.Pose, sin, cos float64) soccer.Vec {
	return soccer.Vec{
		X: pose.X + float64(cos*p.at.X) - float64(sin*p.at.Y), Y: pose.Y + float64(sin*p.at.X) + float64(cos*p.at.Y),
	}
}

// weigh changes the weights of the hypotheses by how well each fits the picture. Small differences say nothing: they
// last as long as the false points that cause them.
func (l *Locator) weigh(best float64) {
	const (
		decisive = 15 // logarithm of how much likelier a perfect fit is than none
		noise    = 0.05
	)
	weight := l.picture.weight()
	for i := range l.all[:l.n] {
		h := &l.all[i]
		h.weight += float64(decisive * weight * weight * min(l.score(h.pose)-best+noise/weight, 0))
	}
	l.rank()
}

// weight returns how much a picture says, from 0 to 1 for one with enough points.
func (p *picture) weight() float64 { return min(1, float64(p.n)/enough) }

// judge learns from the believed pose how well pictures fit and how large the noise is.
func (l *Locator) judge() {
	if l.picture.n < enough/2 {
		return // most of these points may be false
	}
	h := &l.all[0]
	fit, rate := l.score(h.pose), float64(0.25*l.picture.weight())
	l.fit += float64(rate * (fit - l.fit))
	if h.pictures < confirmed || l.fit < l.doubtful() {
		return
	}
	if l.fit < l.normal {
		rate = 0.02
	}
	l.normal += float64(0.4 * rate * (l.fit - l.normal))
	l.learn(h.pose)
}

// learnSlip learns the factor of the odometry's noise from how much fits contradict predictions.
func (l *Locator) learnSlip(surprise float64) {
	const rate, least, most, outlier = 0.01, 0.5, 20.0, 20.0
	l.slip = min(max(float64(l.slip*(1+float64(rate*(min(surprise, outlier)-1)))), least), most)
}

// learn learns from the points near lines the factor of the noise and the scale of the camera's distances. The median
// of squared errors by their variance is 0.455 where the noise is right. Where the scale is wrong, lines around the
// robot are all too near or all too far; the pose has no part in that.
func (l *Locator) learn(pose soccer.Pose) {
	const (
		rate, least, most = 0.02, 0.1, 10.0
		scaleRate         = 0.02
		scaleMost         = 0.05
	)
	below, n, wrong, total := 0, 0, 0.0, 0.0
	sin, cos := exact.Sincos(pose.Theta)
	for i := range l.picture.points[:l.picture.n] {
		p := &l.picture.points[i]
		off := l.lines.offset(p.from(pose, sin, cos))
		d2 := off.Dot(off)
		if d2 > 0.5*0.5 {
			continue
		}
		// The part of the error along the ray.
		along := off.Dot(p.ray.Rotated(sin, cos))
		share := float64(along*along) / max(d2, 1e-12)
		variance := float64(l.noise * (float64(share*p.along) + float64((1-share)*p.across)))
		if d2 < float64(0.455*variance) {
			below++
		}
		if d2 < float64(9*variance) {
			distance := p.at.Len()
			wrong += along * distance / variance
			total += share * distance * distance / variance
		}
		n++
	}
	if n < enough/2 {
		return
	}
	half := float64(below)/float64(n) - 0.5
	l.noise = min(max(float64(l.noise*(1-float64(rate*2*half))), least), most)
	if n >= enough && total > 0 {
		l.scale = min(max(l.scale+float64(scaleRate*wrong/total), -scaleMost), scaleMost)
	}
}

// quality scales a fit: 0 as a random place, 1 a perfect fit.
func (l *Locator) quality(fit float64) float64 { return min(max((fit-l.chance)/(1-l.chance), 0), 1) }

// doubtful returns the fit below which the lines contradict the believed pose.
func (l *Locator) doubtful() float64 { return l.chance + float64(0.4*(l.normal-l.chance)) }
