// Package selfloc is a robot's self-localisation: from the odometry, the points of field lines that its camera sees, a
// compass, and teammates that see the robot, it estimates the pose on the field with its covariance.
//
// It keeps a few hypotheses, each a pose with its covariance. Odometry moves them. Each picture fits them to the lines:
// it minimises the error of Tribots, to which the predicted pose contributes like a measurement (fit.go). The fit
// weighs them, and a search over the whole field, a part of it in each picture, offers other poses (search.go): a robot
// that was carried away is found again.
//
// A field looks the same from the opposite place, so lines never tell a pose from the one turned by pi about the centre.
// Only the pose at the start (Place), a compass, or teammates (Sights) tell it; Estimate.Turned says how likely the robot
// is at the other place. The package is a pure core. It allocates memory in New and for
// the first odometry and the first sights. docs/world.md has figures.
package selfloc

import (
	"math"
	"time"

	"touchline/internal/bounded"
	"touchline/soccer"
)

// Config holds the parameters of a Locator. Noise is that of single measurements, 1 sigma.
type Config struct {
	Field soccer.Field // its lines. Default MSL18x12

	// Line points. The camera's noise is a start value: the Locator learns by how much it is off.
	SigmaBase    float64       // m, along the ray at distance 0. Default 0.02
	SigmaRange   float64       // m per m, its growth with the distance. Default 0.025
	SigmaBearing float64       // rad, across the ray. Default 0.007
	Outlier      float64       // m off a line, at which a point counts for a quarter (Tribots: 0.25). Default 0.25
	Shared       float64       // m, error that all points of a picture have in common: tilt. Default 0.02
	SharedTurn   float64       // rad, the same of the heading. Default 0.004
	SharedTau    time.Duration // time for which it lasts. Default 200 ms
	Lasting      float64       // m, error that no number of pictures reduces: calibration. Default 0.012
	LastingTurn  float64       // rad, the same of the heading. Default 0.002

	// Odometry.
	Way  float64 // m per square root of a metre of way. Default 0.05
	Turn float64 // rad per square root of a metre of way or a rad of turn. Default 0.04
	Rest float64 // m and rad per square root of a second, whether or not the wheels turn. Default 0.01

	// Teammates.
	MateTau time.Duration // time for which the pose error of a teammate lasts. Default 3 s
	Bodies  float64       // others that a teammate may take for this robot, for each m^2. Default 0.05
}

// DefaultConfig returns the defaults for a field.
func DefaultConfig(f soccer.Field) Config {
	return Config{
		Field: f, SigmaBase: 0.02, SigmaRange: 0.025, SigmaBearing: 0.007, Outlier: 0.25,
		Shared: 0.02, SharedTurn: 0.004, SharedTau: 200 * time.Millisecond, Lasting: 0.012, LastingTurn: 0.002,
		Way: 0.05, Turn: 0.04, Rest: 0.01,
		MateTau: 3 * time.Second, Bodies: 0.05,
	}
}

// counts says what was not used.
type counts struct {
	Absurd  uint64 // values that are no numbers or out of range: points, poses of the odometry, headings, sights
	Stale   uint64 // pictures, headings and sights more than a second old, and odometry out of order
	Restart uint64 // odometry that jumped: its program started again
	Found   uint64 // poses elsewhere on the field that replaced the believed one
}

// Estimate is a robot's pose at a time.
type Estimate struct {
	Time soccer.Time
	// Self is the pose in the team frame with its covariance. Known is false before the first fit, while the lines
	// contradict the pose and no better one is found, and when the odometry has run on without lines for too long.
	// Confidence is the probability of the place: of this hypothesis, and of this half of the field.
	Self    soccer.Localisation
	Turned  float64     // probability that the robot is at the opposite place instead: the pose turned by pi
	Quality float64     // how well the newest lines fit: 0, as at a random place, to 1, all points on lines
	Seen    soccer.Time // time of the newest picture with line points; 0: none
}

// Locator estimates the pose of one robot. It is not safe for concurrent use.
type Locator struct {
	cfg    Config
	lines  *lineMap
	wheels odometry
	at     soccer.Time // time of the hypotheses
	now    step        // the odometry at that time
	all    [maxHypotheses]hypothesis
	n      int // hypotheses; the most likely one is the first
	counts counts

	picture  picture
	pictured soccer.Time                                // time of the newest picture with enough points
	drawn    uint64                                     // random poses so far
	noise    float64                                    // learnt factor of the variance of line points
	scale    float64                                    // learnt relative error of the camera's distances
	slip     float64                                    // learnt factor of the variance of the odometry
	fit      float64                                    // fit of the believed pose, over the newest pictures
	normal   float64                                    // fit while the pose is right
	chance   float64                                    // fit of random poses
	mates    bounded.Table[uint8, float64, soccer.Time] // way in m that this robot had driven at the newest sight of each mate
}

const (
	maxHypotheses = 6
	oldest        = time.Second // greatest age of what is still used
	far           = 100.0       // m and rad
)

// New returns a Locator that does not know its pose.
func New(cfg Config) *Locator {
	return &Locator{cfg: cfg, lines: newLineMap(&cfg.Field), noise: 1, slip: 1, normal: startNormal, chance: startChance}
}

// Counts returns how much input was not used.
func (l *Locator) Counts() counts { return l.counts }

// Place tells the pose at a time: the robot starts there, or a human put it there. sigma is the uncertainty in m, and
// sigmaTurn that of the heading in rad. Everything believed before is dropped.
func (l *Locator) Place(at soccer.Time, pose soccer.Pose, sigma, sigmaTurn float64) {
	if !finite(pose.X, pose.Y, pose.Theta, sigma, sigmaTurn) || at < l.at.Add(-oldest) {
		l.counts.Absurd++
		return
	}
	sigma, sigmaTurn = max(sigma, 0.001), max(sigmaTurn, 0.001)
	l.at = max(l.at, at)
	l.now, _ = l.wheels.at(l.at)
	pose.Theta = soccer.WrapAngle(pose.Theta)
	l.all[0] = hypothesis{
		pose: pose, cov: diagonal(float64(sigma*sigma), float64(sigmaTurn*sigmaTurn)), side: surelyPlaced, pictures: confirmed,
	}
	l.n, l.fit = 1, l.normal
}

// Odometry tells the pose that the wheels measured since some start of theirs, at a time. Call it 20 to 1000 times a
// second. A robot that is carried measures no motion.
func (l *Locator) Odometry(at soccer.Time, travel soccer.Pose) {
	if !finite(travel.X/1e4, travel.Y/1e4, travel.Theta/1e4) {
		l.counts.Absurd++
		return
	}
	first := l.wheels.steps.Len() == 0
	if !first && at <= l.wheels.newest().at {
		l.counts.Stale++
		return
	}
	if !l.wheels.add(at, travel) {
		l.counts.Restart++
	}
	if first {
		l.now = *l.wheels.newest()
	}
}

// Compass tells a heading of the robot in the team frame, measured at a time with an uncertainty sigma in rad.
func (l *Locator) Compass(at soccer.Time, heading, sigma float64) {
	if !finite(heading, sigma) || sigma <= 0 {
		l.counts.Absurd++
		return
	}
	before, ok := l.advance(at)
	if !ok {
		return
	}
	heading = soccer.WrapAngle(heading + l.now.travel.Theta - before.travel.Theta)
	for i := range l.all[:l.n] {
		l.all[i].turnTo(heading, float64(sigma*sigma))
	}
	l.rank()
}

// advance moves the hypotheses on to a time. It returns the odometry of that time, which lies before that of the
// hypotheses when the measurement is late, and false for one that is too old.
func (l *Locator) advance(at soccer.Time) (step, bool) {
	if l.at != 0 && at < l.at.Add(-oldest) {
		l.counts.Stale++
		return step{}, false
	}
	to, blind := l.wheels.at(at)
	if at <= l.at {
		return to, true
	}
	dt := at.Sub(l.at)
	for i := range l.all[:l.n] {
		l.all[i].predict(l, &l.now, &to, dt, blind)
	}
	l.at, l.now = at, to
	return to, true
}

// Estimate returns the pose at a time. It does not change the Locator.
func (l *Locator) Estimate(now soccer.Time) Estimate {
	e := Estimate{Time: now, Quality: l.quality(l.fit), Seen: l.pictured}
	if l.n == 0 {
		e.Quality = 0
		return e
	}
	h := l.all[0]
	to, blind := l.wheels.at(now)
	if now > l.at {
		h.predict(l, &l.now, &to, now.Sub(l.at), blind)
	}
	e.Turned = 1 / (1 + odds(h.side))
	share := l.share()
	if !l.known(&h, share) {
		return e
	}
	e.Self = soccer.Localisation{
		Known: true, HasHeading: true, Pose: h.pose, Confidence: min(max(float64(share*(1-e.Turned)), 0.01), 1),
		Cov: plus(h.cov, diagonal(float64(l.cfg.Lasting*l.cfg.Lasting), float64(l.cfg.LastingTurn*l.cfg.LastingTurn))),
	}
	if v, ok := l.wheels.twist(now); ok {
		e.Self.HasTwist = true
		turned := soccer.Pose{Theta: h.pose.Theta}.Compose(soccer.Pose{X: v.X, Y: v.Y})
		e.Self.Twist = soccer.Twist{X: turned.X, Y: turned.Y, Theta: v.Theta}
	}
	return e
}

// known reports whether a pose is good enough to be told.
func (l *Locator) known(h *hypothesis, share float64) bool {
	const (
		most     = 0.6 * 0.6 // m^2, variance of the position
		mostTurn = 0.3 * 0.3
	)
	return h.pictures >= confirmed && share > 0.6 && l.fit > l.doubtful() &&
		h.cov[0]+h.cov[3] < most && h.cov[5] < mostTurn
}

// finite reports whether all values are numbers of a plausible size.
func finite(values ...float64) bool {
	for _, v := range values {
		if !(math.Abs(v) <= far) {
			return false
		}
	}
	return true
}
