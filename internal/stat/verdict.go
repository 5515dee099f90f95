package stat

import (
	"math"

	"touchline/internal/exact"
)

// Pairs counts pairs of games between two players by the points that the tested one gets in both: Pairs[k] pairs gave k/2
// points, 0 to 2. A win is one point and a draw half a point. The games of a pair have one seed and swapped sides, so that
// luck and sides weigh the same for both; the two points of a pair depend on each other, and pairs do not.
type Pairs [5]int

// Count returns the number of pairs.
func (p *Pairs) Count() (n int) {
	for _, k := range p {
		n += k
	}
	return n
}

// Score returns the mean points of a game, 0 to 1, and the variance of the mean of a pair. Both are 0 without pairs.
func (p *Pairs) Score() (mean, variance float64) {
	n := float64(p.Count())
	if n == 0 {
		return 0, 0
	}
	for k, count := range p {
		mean += float64(float64(count)*pairScore(k)) / n
	}
	for k, count := range p {
		d := pairScore(k) - mean
		variance += float64(float64(count)*d*d) / n
	}
	return mean, variance
}

// pairScore returns the points of a game in a pair that gave k/2.
func pairScore(k int) float64 { return float64(float64(k) * 0.25) }

// ln10 is the natural logarithm of 10: 400 points of Elo are odds of 10 to 1.
const ln10 = 2.302585092994046

// EloScore returns the score, 0 to 1, that a player is expected to get against one that is weaker by elo points.
func EloScore(elo float64) float64 { return 1 / (1 + exact.Exp(-elo*ln10/400)) }

// eloOf returns the difference in Elo of a score, infinite for 0 and 1.
func eloOf(score float64) float64 {
	switch {
	case score <= 0:
		return math.Inf(-1)
	case score >= 1:
		return math.Inf(1)
	}
	return 400 / ln10 * exact.Log(score/(1-score))
}

// Elo returns by how many points of Elo the tested player is stronger, with the 95 % interval of Student over the pairs.
// known is false for fewer than two pairs. Ends of the interval are infinite where it reaches a score of 0 or 1. After a
// sequential test stopped, the estimate lies too far from 0 by a little: the test stops where luck helps.
func (p *Pairs) Elo() (elo float64, in Interval, known bool) {
	n := float64(p.Count())
	mean, variance := p.Score()
	if n < 2 {
		return eloOf(mean), in, false
	}
	half := float64(StudentT(0.975, n-1) * math.Sqrt(variance/(n-1)))
	return eloOf(mean), Interval{eloOf(mean - half), eloOf(mean + half)}, true
}

// SPRT is a sequential probability ratio test (Wald) of the strength of a player: it accepts that the player is stronger by
// Elo1, or by no more than Elo0, as soon as the games tell.
type SPRT struct {
	Elo0  float64 `json:"elo0"`
	Elo1  float64 `json:"elo1"`  // above Elo0
	Alpha float64 `json:"alpha"` // probability to accept Elo1 when Elo0 is true
	Beta  float64 `json:"beta"`  // probability to accept Elo0 when Elo1 is true
}

// Verdict is what a test says.
type Verdict string

// The verdicts of an SPRT.
const (
	GoOn    Verdict = "undecided"
	Accept0 Verdict = "no better"
	Accept1 Verdict = "better"
)

// Bounds returns the logarithms of the likelihood ratio at which the test stops.
func (t *SPRT) Bounds() (lower, upper float64) {
	return exact.Log(t.Beta / (1 - t.Alpha)), exact.Log((1 - t.Beta) / t.Alpha)
}

// Judge returns the verdict after some pairs and the logarithm of the likelihood ratio.
//
// The distribution of a pair's points is not known, only its mean under either hypothesis. The ratio is that of the
// likeliest distributions with these means (generalised SPRT).
func (t *SPRT) Judge(p *Pairs) (Verdict, float64) {
	llr := logRatio(p, EloScore(t.Elo0), EloScore(t.Elo1))
	switch lower, upper := t.Bounds(); {
	case p.Count() < leastPairs:
	case llr <= lower:
		return Accept0, llr
	case llr >= upper:
		return Accept1, llr
	}
	return GoOn, llr
}

const (
	// leastPairs are played before a test stops: fewer say little about the distribution.
	leastPairs = 16
	// prior is the share of a pair that each result counts before the first one: no result is impossible because it has
	// not been seen yet.
	prior = 0.2
)

// logRatio returns the logarithm of the likelihood ratio of two mean scores.
func logRatio(pairs *Pairs, score0, score1 float64) float64 {
	var counts [len(pairs)]float64
	total := 0.0
	for k, n := range pairs {
		counts[k] = float64(n) + prior
		total += counts[k]
	}
	x0, x1 := tilt(&counts, score0), tilt(&counts, score1)
	llr := 0.0
	for k, n := range counts {
		llr += float64(n * (exact.Log(1+float64(x0*(pairScore(k)-score0))) - exact.Log(1+float64(x1*(pairScore(k)-score1)))))
	}
	// The prior is no evidence: only the share of the pairs counts.
	return llr * (float64(pairs.Count()) / total)
}

// tilt returns the Lagrange multiplier x of the likeliest distribution with a mean: its probabilities are
// counts / total / (1 + x (score - mean)).
func tilt(counts *[5]float64, mean float64) float64 {
	low, high := -1/(1-mean), 1/mean // where a probability is infinite
	for range 100 {
		middle := float64((low + high) * 0.5)
		sum := 0.0
		for k, n := range counts {
			d := pairScore(k) - mean
			sum += float64(n*d) / (1 + float64(middle*d))
		}
		if sum > 0 { // the sum falls with x
			low = middle
		} else {
			high = middle
		}
	}
	return float64((low + high) * 0.5)
}

// FixedPairs returns how many pairs a test of fixed length needs for the errors of the SPRT, by the normal distribution of
// the mean score of pairs with this variance.
func (t *SPRT) FixedPairs(variance float64) int {
	apart := EloScore(t.Elo1) - EloScore(t.Elo0)
	z := normalQuantile(1-t.Alpha) + normalQuantile(1-t.Beta)
	return int(ceil(float64(z*z) * variance / float64(apart*apart)))
}

// normalQuantile returns the p quantile of the normal distribution, p above 0.5.
func normalQuantile(p float64) float64 { return math.Sqrt(ChiSquared(float64(2*p)-1, 1)) }
