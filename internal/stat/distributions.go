package stat

import (
	"math"

	"touchline/internal/exact"
)

// logGamma returns the logarithm of the gamma function of x > 0, to 1e-13 (Stirling's series above 12).
func logGamma(x float64) float64 {
	below := 1.0
	for x < 12 {
		below *= x
		x++
	}
	const halfLog2Pi = 0.9189385332046727
	i := 1 / (x * x)
	series := (1.0/12 - float64(i*(1.0/360-float64(i*(1.0/1260-float64(i*(1.0/1680))))))) / x
	return float64((x-0.5)*exact.Log(x)) - x + halfLog2Pi + series - exact.Log(below)
}

// betaBelow returns the probability that a beta variable with a and b is below x: the continued fraction of the
// incomplete beta function, by Lentz's method.
func betaBelow(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaBelow(1-x, b, a)
	}
	const tiny, enough = 1e-300, 1e-15
	front := exact.Exp(logGamma(a+b) - logGamma(a) - logGamma(b) + float64(a*exact.Log(x)) + float64(b*exact.Log(1-x)))
	c, d := 1.0, 1-float64((a+b)*x)/(a+1)
	if math.Abs(d) < tiny {
		d = tiny
	}
	d = 1 / d
	f := d
	for m := 1.0; m <= 500; m++ {
		for _, term := range [2]float64{
			m * (b - m) * x / ((a + float64(2*m) - 1) * (a + float64(2*m))),
			-(a + m) * (a + b + m) * x / ((a + float64(2*m)) * (a + float64(2*m) + 1)),
		} {
			if d = 1 + float64(term*d); math.Abs(d) < tiny {
				d = tiny
			}
			if c = 1 + float64(term/c); math.Abs(c) < tiny {
				c = tiny
			}
			d = 1 / d
			f *= float64(d * c)
		}
		if math.Abs(float64(d*c)-1) < enough {
			break
		}
	}
	return front * f / a
}

// gammaBelow returns the probability that a gamma variable with shape a and scale 1 is below x.
func gammaBelow(x, a float64) float64 {
	if x <= 0 {
		return 0
	}
	front := exact.Exp(float64(a*exact.Log(x)) - x - logGamma(a))
	if x > a+float64(20*math.Sqrt(a))+40 {
		return 1
	}
	sum, term := 1/a, 1/a
	for n := 1.0; n < 2000 && term > 1e-16*sum; n++ {
		term = float64(term * x / (a + n))
		sum += term
	}
	return min(1, front*sum)
}

// solve returns where a growing function reaches p between two places, by 100 bisections.
func solve(p, from, to float64, below func(float64) float64) float64 {
	for range 100 {
		middle := float64((from + to) * 0.5)
		if below(middle) < p {
			from = middle
		} else {
			to = middle
		}
	}
	return float64((from + to) * 0.5)
}

// StudentT returns the p quantile, p above 0.5, of Student's t distribution with a number of degrees of freedom.
func StudentT(p, freedom float64) float64 {
	below := func(t float64) float64 {
		return 1 - float64(0.5*betaBelow(freedom/(freedom+float64(t*t)), freedom*0.5, 0.5))
	}
	return solve(p, 0, 1e4, below)
}

// ChiSquared returns the p quantile of the chi-squared distribution with a number of degrees of freedom.
func ChiSquared(p, freedom float64) float64 {
	return solve(p, 0, float64(10*freedom)+200, func(x float64) float64 { return gammaBelow(x*0.5, freedom*0.5) })
}

// beta returns the p quantile of the beta distribution with parameters a and b.
func beta(p, a, b float64) float64 {
	return solve(p, 0, 1, func(x float64) float64 { return betaBelow(x, a, b) })
}
