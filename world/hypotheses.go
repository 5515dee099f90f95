package world

import (
	"math"
	"math/bits"

	"touchline/internal/exact"
	"touchline/soccer"
)

const (
	maxBalls  = 12    // hypotheses
	fieldArea = 216.0 // m^2, over which false balls are spread; of a field of 18 x 12 m

	distrusted = 0.6 // doubt above which a robot cannot say where a new ball is
)

// ballHypothesis is one explanation of the sights: a Kalman filter with a weight. The ball may have been kicked at some
// time, which gives it an unknown velocity, or placed elsewhere, and a sight may be false.
type ballHypothesis struct {
	track
	z, climb  float64
	flying    bool
	up        vertical        // while it flies
	direct    float64         // probability that the newest sight of the flying ball is one of its height, too
	holder    uint32          // body.id of the robot that holds the ball; 0: none
	kicked    soccer.Time     // when the hypothesis assumes a kick
	rebounded bool            // it assumes that the ball has just bounced off a wall
	weight    float64         // probability
	sights    float64         // number of sights that belong to it, each by its probability
	belongs   float64         // probability that the newest sight does
	reporters soccer.RobotSet // peer.reporter of those that saw it
	seeing    soccer.RobotSet // those of which the newest picture shows it
	placed    soccer.Time     // when it was placed where it was first seen
	gap       float64         // s without sights before
}

// ballMixture is the belief about the ball at one time.
type ballMixture struct {
	time  soccer.Time
	birth soccer.Time // time of the newest kick hypothesis
	n     int
	top   int // index of the most likely hypothesis after the sight
	all   [maxBalls]ballHypothesis

	gone   float64 // probability that the ball is where no sight has shown it yet
	hidden float64 // probability that it is hidden from all robots if it is not gone

	boards float64 // probability that boards stand on the lines, minus boardsOnLines
	out    bool    // the ball is beyond a line

	distance  float64 // squared, in sigmas
	place     int8    // place in the newest sight that the most likely hypothesis explains; -1: none
	belonging float64 // probability that the newest sight is the ball
	watched   float64 // probability that the robot of the newest sight saw the ball in its previous picture, too
}

// copyTo copies the mixture without unused hypotheses.
func (f *ballMixture) copyTo(to *ballMixture) {
	to.time, to.birth, to.n, to.top = f.time, f.birth, f.n, f.top
	to.boards, to.out = f.boards, f.out
	to.gone, to.hidden = f.gone, f.hidden
	copy(to.all[:f.n], f.all[:f.n])
}

// step advances the mixture to a sight and weighs it.
func (f *ballMixture) step(s *ballSight, around *surroundings, c *Config) {
	interval := seconds(s.at, f.time)
	f.predict(s.at, around, c)
	if f.n > 0 {
		f.supposeRebound(f.best(), interval, 0.2, around, c)
	}
	if f.supposeKick(s.at, s.kick, c) {
		f.supposeHold(around)
	}
	lost := f.supposeGone(s, interval)
	gone := f.gone
	f.time = s.at
	f.belonging, f.watched, f.place = 0, 0, -1
	best, total := 0.0, 0.0
	var places [maxBalls]int8
	var fit fits
	for i := range f.all[:f.n] {
		h := &f.all[i]
		missed := 1.0
		fit.rolling.distance = 0 // a flying ball has rolled no distance
		if h.watched(s) {
			f.watched += h.weight
			missed = lost
		}
		likelihood, place := h.weigh(s, missed, c, &fit)
		h.weight = float64(h.weight * likelihood)
		total += h.weight
		f.belonging += float64(h.weight * h.belongs)
		if h.weight > best {
			best, f.place, f.distance = h.weight, int8(place), fit.rolling.distance
		}
		if place >= 0 {
			h.take(s, place, &fit, c)
		}
		places[i] = int8(place)
	}
	f.supposeFlight(s, &places)
	if total > 0 {
		f.belonging /= total
	}
	f.learnGone(s, lost)
	known := f.confirmed()
	f.supposePlacement(s, interval, gone, c)
	f.normalise()
	if f.birth == s.at { // else there is hardly one more than before
		f.merge()
	}
	f.top = f.best()
	f.learnBoards(c)
	if known {
		f.confirmPlaced(s, c)
	}
}

// confirmed reports whether a hypothesis is confirmed.
func (f *ballMixture) confirmed() bool {
	for i := range f.all[:f.n] {
		if f.all[i].confirmed {
			return true
		}
	}
	return false
}

// confirmPlaced confirms a ball that was placed elsewhere by its first sight, if robots that saw the known ball in their
// pictures before do not see it any more, so that this is the best explanation.
func (f *ballMixture) confirmPlaced(s *ballSight, c *Config) {
	for i := range f.all[:f.n] {
		if h := &f.all[i]; h.placed == s.at && h.weight > 0.75 && c.onField(h.x, h.y) {
			h.confirmed = true
		}
	}
}

// predict advances the hypotheses to at, and drops those whose timeout has passed.
func (f *ballMixture) predict(at soccer.Time, around *surroundings, c *Config) {
	kept := 0
	for i := range f.all[:f.n] {
		h := &f.all[i]
		if at.Sub(h.lastSeen) > c.timeout(&h.track, c.BallTimeout) {
			continue
		}
		if dt := seconds(at, h.time); dt > 0 {
			switch {
			case h.flying:
				h.fly(dt, c)
			case h.holder != 0:
				h.carry(at, dt, around, c)
			default:
				h.track.predict(dt, c.BallNoise, c.BallDeceleration)
			}
			h.time = at
		}
		if kept != i {
			f.all[kept] = *h
		}
		kept++
	}
	f.n = kept
}

// supposeKick adds the hypothesis that the most likely ball was kicked just now, unless it has just done so.
func (f *ballMixture) supposeKick(at soccer.Time, sigma float64, c *Config) bool {
	const every = 0.035 // s
	interval := min(1, seconds(at, f.birth))
	if f.n == 0 || interval < every {
		return false
	}
	f.birth = at
	best := &f.all[f.best()]
	w := float64(best.weight * min(0.5, float64(c.KickRate*interval)))
	best.weight -= w
	h := f.add(w, best.confirmed)
	if h == nil {
		return true
	}
	*h = *best
	h.weight, h.vx, h.vy, h.kicked = w, 0, 0, at
	h.holder = 0
	h.pv = [2][2]float64{}
	h.deflect()
	h.vv = soccer.Cov{XX: float64(sigma * sigma), YY: float64(sigma * sigma)}
	return true
}

// best returns the index of the hypothesis with the greatest weight.
func (f *ballMixture) best() int {
	best := 0
	for i := range f.all[:f.n] {
		if f.all[i].weight > f.all[best].weight {
			best = i
		}
	}
	return best
}

// add returns a hypothesis to fill. When there are too many it replaces the least likely one of its kind, or none: nil.
// Some places are kept for balls that are not confirmed yet: those that the known ball may have been kicked to would
// displace each of them, for a new ball has little weight before its second sight.
func (f *ballMixture) add(weight float64, confirmed bool) *ballHypothesis {
	const kept = 3
	if f.n < maxBalls {
		f.n++
		return &f.all[f.n-1]
	}
	tentative := 0
	least := [2]*ballHypothesis{}
	for i := range f.all[:f.n] {
		h, kind := &f.all[i], 0
		if !h.confirmed {
			kind = 1
			tentative++
		}
		if least[kind] == nil || h.weight < least[kind].weight {
			least[kind] = h
		}
	}
	switch {
	case !confirmed && tentative < kept:
		return least[0]
	case confirmed && tentative > kept:
		return least[1]
	}
	h := least[0]
	if !confirmed {
		h = least[1]
	}
	if h == nil || h.weight >= weight {
		return nil
	}
	return h
}

// watched reports whether the robot of a sight saw this ball in its picture before, so that it should see it again.
func (h *ballHypothesis) watched(s *ballSight) bool {
	return s.attentive && h.seeing.Has(s.reporter) && near(h.x-s.from.X, h.y-s.from.Y, s.reach)
}

// weigh returns how likely the sight is if the hypothesis is true, and which of its places fits best, -1 if none does. The
// robot does not see the ball with probability missed, 1 if it did not see it before, either.
func (h *ballHypothesis) weigh(s *ballSight, missed float64, c *Config, fit *fits) (likelihood float64, place int) {
	h.belongs, place = 0, -1
	if s.n == 0 {
		likelihood = missed
	} else {
		ball := 0.0
		if h.flying {
			ball, place = h.fitFlying(s, c, &fit.aloft)
		} else {
			ball, place = h.fit(s, c, &fit.rolling)
		}
		likelihood = ball + float64(s.doubt*missed*s.lie())
		h.belongs = ball / likelihood
	}
	h.seeing &^= 1 << s.reporter
	if h.belongs > 0.5 {
		h.seeing = h.seeing.With(s.reporter)
	}
	return likelihood, place
}

// fit returns how likely the places of a sight are if one of them is the ball, and which fits best.
func (h *ballHypothesis) fit(s *ballSight, c *Config, fit *innovation) (ball float64, place int) {
	place = -1
	most := 0.0
	for j := range s.places[:s.n] {
		p := &s.places[j]
		var n innovation
		h.compare(p.at, &p.r, 0, &n)
		if n.distance > c.Gate {
			continue
		}
		density := float64(exact.Exp(-n.distance/2)*math.Sqrt(float64(n.inverse.XX*n.inverse.YY)-float64(n.inverse.XY*n.inverse.XY))) / (2 * math.Pi)
		l := float64((1 - s.doubt) * p.share * density * p.rolling)
		ball += l
		if l > most {
			most, place, *fit = l, j, n
		}
	}
	return ball, place
}

// take corrects the hypothesis with a place of a sight, by the probability that it belongs to it.
func (h *ballHypothesis) take(s *ballSight, place int, fit *fits, c *Config) {
	p := &s.places[place]
	if h.flying {
		h.takeFlying(&fit.aloft)
	} else {
		h.correctBy(&fit.rolling, h.belongs)
	}
	h.sights = min(100, h.sights+h.belongs)
	h.reporters = h.reporters.With(s.reporter)
	needed := float64(c.BallHits) - 0.5
	if bits.OnesCount64(uint64(h.reporters)) > 1 {
		needed -= 0.5 // several robots saw it
	}
	h.confirmed = h.confirmed || h.sights > needed
	if h.belongs > 0.5 {
		h.lastSeen = max(h.lastSeen, s.at)
		if !h.flying && !p.high {
			h.z += float64(0.5 * (p.z - h.z))
		}
	}
}

// supposePlacement adds the hypotheses that the ball was placed where the sight is. gone is the probability, before the
// sight, that it was placed where no sight has shown it.
func (f *ballMixture) supposePlacement(s *ballSight, interval, gone float64, c *Config) {
	const appears = 0.03 // probability that a picture shows it for the first time
	rate := float64(s.placing*min(1, max(0.01, interval))) + float64(appears*gone)
	if f.n == 0 {
		rate = 1
	}
	for j := range s.places[:s.n] {
		p := &s.places[j]
		if p.unsure || s.doubt > distrusted {
			continue
		}
		w := float64(rate*(1-s.doubt)*p.share) / fieldArea
		if p.high {
			w *= 0.1 / ceiling / p.imagined
		} else {
			w *= p.rolling
		}
		h := f.add(w, false)
		if h == nil {
			continue
		}
		by := soccer.RobotSet(0).With(s.reporter)
		*h = ballHypothesis{weight: w, sights: 1, z: max(0, p.z), reporters: by, seeing: by, placed: s.at, gap: interval}
		h.track = track{time: s.at, lastSeen: s.at, x: p.at.X, y: p.at.Y, pp: p.r}
		h.vv = soccer.Cov{XX: float64(c.PlacedSpeed * c.PlacedSpeed), YY: float64(c.PlacedSpeed * c.PlacedSpeed)}
		if p.high {
			h.takeOff(p.z, float64(p.sigma*p.sigma))
		}
	}
}

// normalise makes the weights add up to 1, and drops unlikely hypotheses.
func (f *ballMixture) normalise() {
	const least = 1e-5
	if f.n == 0 {
		f.gone = 0
		return
	}
	total := f.gone
	for i := range f.all[:f.n] {
		total += f.all[i].weight
	}
	f.gone /= total
	kept := 0
	for i := range f.all[:f.n] {
		h := &f.all[i]
		if h.weight /= total; !(h.weight >= least) {
			continue
		}
		if kept != i {
			f.all[kept] = *h
		}
		kept++
	}
	f.n = kept
}

// merge merges hypotheses that say the same.
func (f *ballMixture) merge() {
	for i := 0; i < f.n; i++ {
		a := &f.all[i]
		for j := i + 1; j < f.n; j++ {
			b := &f.all[j]
			if d := a.vx - b.vx; d > slow || d < -slow || !a.alike(b) { // most differ in the velocity
				continue
			}
			w, back := a.weight+b.weight, a.rebounded || b.rebounded
			if b.weight > a.weight {
				*a = *b
			}
			a.weight, a.rebounded = w, back
			f.n--
			*b = f.all[f.n]
			j--
		}
	}
}

const slow = 0.1 // m/s, by which the velocities of hypotheses that say the same differ at most, in each direction

// alike reports whether two hypotheses with about the same vx say the same.
func (h *ballHypothesis) alike(o *ballHypothesis) bool {
	const here, high, climbs = 0.03, 0.1, 0.5 // m and m/s, in the plane and upwards
	return math.Abs(h.vy-o.vy) <= slow && math.Abs(h.x-o.x) <= here && math.Abs(h.y-o.y) <= here &&
		h.flying == o.flying && h.holder == o.holder &&
		(!h.flying || math.Abs(h.z-o.z) <= high && math.Abs(h.climb-o.climb) <= climbs)
}
