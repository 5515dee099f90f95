// Package stat holds the quantiles and confidence intervals that reports, experiments and checks print.
package stat

import "math"

// Quantile returns the q quantile of sorted values, q from 0 to 1: the first value above a share q of them, for 0.5 the
// upper median. It returns 0 without values, and the greatest one for 1.
func Quantile[T any](sorted []T, q float64) T {
	return rank(sorted, math.Floor(float64(q*float64(len(sorted))))+1)
}

// leastQuantile returns the least of the sorted values that a share q of them does not exceed; 0 without values. It
// differs from Quantile only where q times their number is a whole number, then by one place.
func leastQuantile[T any](sorted []T, q float64) T {
	return rank(sorted, ceil(float64(q*float64(len(sorted)))))
}

// ceil returns the least whole number that is not below x.
func ceil(x float64) float64 { return -math.Floor(-x) }

// rank returns the nth of the sorted values, from 1, or the nearest that there is.
func rank[T any](sorted []T, n float64) (value T) {
	if len(sorted) == 0 {
		return value
	}
	return sorted[int(min(max(n, 1), float64(len(sorted))))-1]
}

// normal95 is the half width of the 95 % interval of a normal distribution, in standard deviations.
const normal95 = 1.96

// Interval is a 95 % confidence interval.
type Interval struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// Mean returns the mean of values with its interval, for many values: it takes the mean as normally distributed. known is
// false for fewer than two values, of which there is no interval.
func Mean(values []float64) (mean float64, in Interval, known bool) {
	n := float64(len(values))
	if n == 0 {
		return 0, in, false
	}
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	mean = sum / n
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	if n < 2 {
		return mean, in, false
	}
	half := float64(normal95 * math.Sqrt(squares/(n-1)/n))
	return mean, Interval{mean - half, mean + half}, true
}

// quantileInterval returns the interval of a LeastQuantile, from the ranks of the sorted values. known is false for fewer
// than two values.
func quantileInterval(sorted []float64, q float64) (in Interval, known bool) {
	n := float64(len(sorted))
	if n < 2 {
		return in, false
	}
	half := float64(normal95 * math.Sqrt(n*q*(1-q)))
	return Interval{rank(sorted, math.Floor(float64(n*q)-half)), rank(sorted, ceil(float64(n*q)+half)+1)}, true
}

// Proportion returns the interval of the probability of a success, by Clopper and Pearson: 20 of 20 mean at least 83 %.
func Proportion(good, tries int) Interval {
	in := Interval{To: 1}
	k, n := float64(good), float64(tries)
	if good > 0 {
		in.From = beta(0.025, k, n-k+1)
	}
	if good < tries {
		in.To = beta(0.975, k+1, n-k)
	}
	return in
}

// Difference compares the means of two samples.
type Difference struct {
	A, B     float64  // means
	By       float64  // B - A
	Interval Interval // of By
	Known    bool     // there is an interval: each sample has two values, or there are two pairs
	// Effect is By in standard deviations: the root of the mean of the two samples' variances. 0 without a difference, and
	// infinite for a difference of samples that do not vary. NaN without an interval.
	Effect float64
}

// Unpaired compares two independent samples, with the interval of Welch.
func Unpaired(a, b []float64) Difference {
	meanA, varianceA := moments(a)
	meanB, varianceB := moments(b)
	d := Difference{A: meanA, B: meanB, By: meanB - meanA, Known: len(a) > 1 && len(b) > 1, Effect: math.NaN()}
	if !d.Known {
		return d
	}
	d.Effect = effect(d.By, varianceA, varianceB)
	na, nb := float64(len(a)), float64(len(b))
	errorA, errorB := varianceA/na, varianceB/nb
	d.Interval = around(d.By, 0, 1)
	if errorA+errorB > 0 {
		freedom := float64((errorA+errorB)*(errorA+errorB)) / (float64(errorA*errorA)/(na-1) + float64(errorB*errorB)/(nb-1))
		d.Interval = around(d.By, errorA+errorB, freedom)
	}
	return d
}

// Paired compares two samples whose values belong together one by one, with the interval of the mean of their differences
// by Student. a and b have the same length.
func Paired(a, b []float64) Difference {
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = b[i] - a[i]
	}
	meanA, varianceA := moments(a)
	meanB, varianceB := moments(b)
	by, variance := moments(differences)
	d := Difference{A: meanA, B: meanB, By: by, Known: len(a) > 1, Effect: math.NaN()}
	if d.Known {
		n := float64(len(a))
		d.Interval, d.Effect = around(by, variance/n, n-1), effect(by, varianceA, varianceB)
	}
	return d
}

// around returns the interval around a mean whose squared standard error is known with some degrees of freedom.
func around(mean, squared, freedom float64) Interval {
	if squared <= 0 {
		return Interval{mean, mean}
	}
	half := float64(StudentT(0.975, freedom) * math.Sqrt(squared))
	return Interval{mean - half, mean + half}
}

// moments returns the mean of values and their variance, 0 for fewer than two.
func moments(values []float64) (mean, variance float64) {
	n := float64(len(values))
	if n == 0 {
		return 0, 0
	}
	for _, v := range values {
		mean += v
	}
	mean /= n
	if n < 2 {
		return mean, 0
	}
	for _, v := range values {
		variance += float64((v - mean) * (v - mean))
	}
	return mean, variance / (n - 1)
}

// effect returns a difference in standard deviations.
func effect(by, varianceA, varianceB float64) float64 {
	switch deviation := math.Sqrt(float64((varianceA + varianceB) * 0.5)); {
	case by == 0:
		return 0
	case deviation == 0:
		return math.Copysign(math.Inf(1), by)
	default:
		return by / deviation
	}
}
