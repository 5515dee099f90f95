package lab

import (
	"math"
	"slices"
	"time"

	"touchline/soccer"
)

const (
	settles = 5 * time.Second // after a start without a pose and after a kidnapping, errors do not count
	foundAt = 0.5             // m: a robot this near to its pose has found it
	foundTo = 0.2             // rad
	holds   = time.Second     // for which a found pose must stay right
)

// walksJudge compares an estimator with the truth.
type walksJudge struct {
	WalksEstimator
	scene *WalksScenario
	WalksScore
	since soccer.Time // of the kidnapping or the start without a pose that it has not recovered from; 0: none
	right soccer.Time // since when the pose is right; 0: it is not
	quiet soccer.Time // until when errors do not count
}

// WalksScore holds what a judge saw.
type WalksScore struct {
	Errors, Turns []float64       // m and rad
	NEES          []float64       // squared errors at the right place divided by the covariance; ideal: 3 on average
	Asked, Judged int             // times, and those whose errors count
	Known         int             // of these with a known pose
	Searches      int             // kidnappings and starts without a pose
	Recovered     []time.Duration // times until the pose was right
	Turned        int             // of these at the opposite place
}

// carried tells that the robot was carried away.
func (j *walksJudge) carried(now soccer.Time) {
	j.since, j.right, j.quiet = now, 0, now.Add(settles)
	j.Searches++
}

// compare compares the estimate with the truth.
func (j *walksJudge) compare(now soccer.Time, truth soccer.Pose) {
	if j.scene.Unplaced && j.Asked == 0 {
		j.carried(now)
	}
	j.Asked++
	e := j.Estimate(now)
	pose, turned := e.Self.Pose, false
	if other := pose.Turned(); e.Self.Known && other.XY().Sub(truth.XY()).Len() < pose.XY().Sub(truth.XY()).Len() &&
		math.Abs(soccer.WrapAngle(other.Theta-truth.Theta)) < math.Abs(soccer.WrapAngle(pose.Theta-truth.Theta)) {
		turned = true
		if !j.scene.sided() { // nothing tells the two places from each other
			pose = other
		}
	}
	d, turn := pose.XY().Sub(truth.XY()), soccer.WrapAngle(pose.Theta-truth.Theta)
	j.recover(now, e.Self.Known && d.Len() < foundAt && math.Abs(turn) < foundTo)
	if now < j.quiet {
		return
	}
	j.Judged++
	if e.Self.Known {
		j.Known++
		if turned {
			j.Turned++
		}
		j.Errors, j.Turns = append(j.Errors, d.Len()), append(j.Turns, math.Abs(turn))
		if n := nees(&e.Self.Cov, d, turn); n > 0 && (!turned || !j.scene.sided()) {
			j.NEES = append(j.NEES, n)
		}
	}
}

// recover measures the time until a pose is right and stays so.
func (j *walksJudge) recover(now soccer.Time, right bool) {
	switch {
	case j.since == 0:
	case !right:
		j.right = 0
	case j.right == 0:
		j.right = now
	case now.Sub(j.right) >= holds:
		j.Recovered = append(j.Recovered, j.right.Sub(j.since))
		j.since, j.right = 0, 0
	}
}

func (j *walksJudge) finish() WalksScore { return j.WalksScore }

// nees returns the squared error by its covariance, 0 where there is none.
func nees(c *soccer.PoseCov, d soccer.Vec, turn float64) float64 {
	if c[0] <= 0 {
		return 0
	}
	a := [3][4]float64{{c[0], c[1], c[2], d.X}, {c[1], c[3], c[4], d.Y}, {c[2], c[4], c[5], turn}}
	x := solve(&a)
	return x[0]*d.X + x[1]*d.Y + x[2]*turn
}

// add adds the score of another game.
func (s *WalksScore) add(o *WalksScore) {
	s.Errors, s.Turns, s.NEES = append(s.Errors, o.Errors...), append(s.Turns, o.Turns...), append(s.NEES, o.NEES...)
	s.Asked, s.Judged, s.Known, s.Turned = s.Asked+o.Asked, s.Judged+o.Judged, s.Known+o.Known, s.Turned+o.Turned
	s.Searches += o.Searches
	s.Recovered = append(s.Recovered, o.Recovered...)
}

// WalksFigures are those of one estimator in one scenario.
type WalksFigures struct {
	Median   float64 `json:"median"`    // m, position error
	Sigma    float64 `json:"sigma"`     // m, 68 % of the errors are below
	P95      float64 `json:"p95"`       // m
	Turn     float64 `json:"turn"`      // rad, median of the heading's error
	TurnSig  float64 `json:"turnSigma"` // rad, 68 %
	Turn95   float64 `json:"turn95"`    // rad
	NEES     float64 `json:"nees"`      // mean; 3 is exact, 0: no covariance
	Known    float64 `json:"known"`     // % of the judged times with a pose
	Turned   float64 `json:"turned"`    // % of these at the opposite place
	Searches int     `json:"searches"`  // kidnappings and starts without a pose
	Share    float64 `json:"recovered"` // % of the searches that ended with the right pose
	Again    float64 `json:"again"`     // s, median of the time that it took
	Again90  float64 `json:"again90"`   // s
}

// figures computes the figures.
func (s *WalksScore) figures() WalksFigures {
	f := WalksFigures{
		Median: percentile(s.Errors, 0.5), Sigma: percentile(s.Errors, 0.68), P95: percentile(s.Errors, 0.95),
		Searches: s.Searches,
		Turn:     percentile(s.Turns, 0.5), TurnSig: percentile(s.Turns, 0.68), Turn95: percentile(s.Turns, 0.95),
	}
	sum := 0.0
	for _, n := range s.NEES {
		sum += n
	}
	f.NEES = sum / math.Max(float64(len(s.NEES)), 1)
	f.Turned = 100 * float64(s.Turned) / math.Max(float64(s.Known), 1)
	f.Known = 100 * float64(s.Known) / math.Max(float64(s.Judged), 1)
	f.Share = 100 * float64(len(s.Recovered)) / math.Max(float64(s.Searches), 1)
	var times []float64
	for _, d := range s.Recovered {
		times = append(times, d.Seconds())
	}
	f.Again, f.Again90 = percentile(times, 0.5), percentile(times, 0.9)
	return f
}

func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}
