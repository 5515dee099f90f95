package selfloc

import (
	"math"
	"time"

	"touchline/internal/exact"
	"touchline/soccer"
)

// hypothesis is a place where the robot may be.
type hypothesis struct {
	pose     soccer.Pose
	cov      matrix
	weight   float64 // logarithm; the most likely hypothesis has 0
	side     float64 // logarithm of how much more likely the pose is than the one turned by pi; never below 0
	pictures int     // number of pictures that fitted it
}

const (
	confirmed    = 3    // pictures after which a pose counts
	surelyPlaced = 6.0  // side of a pose that the caller told
	surest       = 8.0  // greatest side: others can change it within a second
	forgotten    = 14.0 // a weight this far below 0 is dropped
	unguarded    = 1.0  // m/s, speed of a robot whose odometry is missing

	guessed = 50 * time.Millisecond // time for which the newest motion is assumed to go on
)

func odds(log float64) float64 { return exact.Exp(min(max(log, -50), 50)) }

// predict moves a hypothesis on by the odometry between two times dt apart. For blind of it there was none.
func (h *hypothesis) predict(l *Locator, from, to *step, dt, blind time.Duration) {
	d := from.travel.Relative(to.travel)
	sin, cos := exact.Sincos(h.pose.Theta)
	way := d.XY().Rotated(sin, cos)
	x, y := way.X, way.Y
	h.pose = moved(h.pose, vector{x, y, d.Theta})

	// A heading error moves the end of the way: P = F P F' with F = 1 except Fxh = -y, Fyh = x.
	p := &h.cov
	p[0] += float64(y*y*p[5]) - float64(2*y*p[2])
	p[1] += float64(x*p[2]) - float64(y*p[4]) - float64(x*y*p[5])
	p[3] += float64(2*x*p[4]) + float64(x*x*p[5])
	p[2] -= float64(y * p[5])
	p[4] += float64(x * p[5])

	seconds := min(max(dt.Seconds(), 0), 10)
	length, turn := max(to.way-from.way, 0), max(to.turn-from.turn, 0)
	rest := float64(l.cfg.Rest * l.cfg.Rest * seconds)
	position := float64(l.slip*l.cfg.Way*l.cfg.Way*length) + rest
	if gap := min(blind.Seconds(), seconds); blind > guessed {
		away := float64(unguarded * unguarded * gap * gap)
		position, rest = position+away, rest+away
	}
	h.cov = plus(h.cov, diagonal(position, float64(l.slip*l.cfg.Turn*l.cfg.Turn*(length+turn))+rest))
}

// turnTo takes a measured heading into account, which may belong to the turned pose.
func (h *hypothesis) turnTo(heading, variance float64) {
	const wrong = 0.01 // share of wrong headings: a magnet, a girder
	off := soccer.WrapAngle(heading - h.pose.Theta)
	opposite := soccer.WrapAngle(off + math.Pi)
	total := h.cov[5] + variance
	likely := func(d float64) float64 { return wrong + exact.Exp(-0.5*d*d/total) }
	ratio := -exact.Log(likely(opposite) / likely(off))
	h.weight += exact.Log(max(likely(off), likely(opposite)))
	h.lean(ratio)
	off = soccer.WrapAngle(heading - h.pose.Theta)
	if float64(off*off) > float64(9*total) {
		return
	}
	h.measure(vector{0, 0, 1}, off, variance)
}

// measure corrects the pose by a scalar measurement: a of the change of the pose is off, with a variance.
func (h *hypothesis) measure(a vector, off, variance float64) {
	pa := times(&h.cov, a)
	total := dot(a, pa) + variance
	gain := vector{pa[0] / total, pa[1] / total, pa[2] / total}
	h.pose = moved(h.pose, vector{gain[0] * off, gain[1] * off, gain[2] * off})
	p := &h.cov
	p[0] -= float64(gain[0] * pa[0])
	p[1] -= float64(gain[0] * pa[1])
	p[2] -= float64(gain[0] * pa[2])
	p[3] -= float64(gain[1] * pa[1])
	p[4] -= float64(gain[1] * pa[2])
	p[5] -= float64(gain[2] * pa[2])
}

// lean adds evidence for the pose against the turned one, and turns the pose where that is more likely.
func (h *hypothesis) lean(by float64) {
	h.side = min(max(h.side+by, -surest), surest)
	if h.side >= 0 {
		return
	}
	h.side = -h.side
	h.pose = h.pose.Turned() // the covariance of a position is the same when it is turned by pi
	h.cov[2], h.cov[4] = -h.cov[2], -h.cov[4]
}

// rank orders the hypotheses by weight, merges those that became one and drops the unlikely ones.
func (l *Locator) rank() {
	if l.n == 0 {
		return
	}
	best := l.all[0].pose
	for i := 1; i < l.n; i++ { // few: insertion
		for k := i; k > 0 && l.all[k].weight > l.all[k-1].weight; k-- {
			l.all[k], l.all[k-1] = l.all[k-1], l.all[k]
		}
	}
	top, kept := l.all[0].weight, 0
	for i := range l.all[:l.n] {
		h := l.all[i]
		h.weight -= top
		if h.weight < -forgotten || l.near(h.pose, kept) {
			continue
		}
		l.all[kept] = h
		kept++
	}
	l.n = kept
	if apart(best, l.all[0].pose) > 1 && apart(best.Turned(), l.all[0].pose) > 1 {
		l.counts.Found++
	}
}

// near reports whether one of the first n hypotheses has a pose, or the turned one.
func (l *Locator) near(pose soccer.Pose, n int) bool {
	turned := pose.Turned()
	for i := range l.all[:n] {
		if p := l.all[i].pose; apart(p, pose) < 1 || apart(p, turned) < 1 {
			return true
		}
	}
	return false
}

// apart returns how far two poses are apart, in units of 0.3 m and 0.2 rad.
func apart(a, b soccer.Pose) float64 {
	d := change(a, b)
	return math.Sqrt((float64(d[0]*d[0])+float64(d[1]*d[1]))/(0.3*0.3) + float64(d[2]*d[2])/(0.2*0.2))
}

// share returns the probability of the most likely hypothesis.
func (l *Locator) share() float64 {
	sum := 0.0
	for i := range l.all[:l.n] {
		sum += odds(l.all[i].weight - l.all[0].weight)
	}
	return 1 / max(sum, 1)
}
