// Package exact computes sines, arctangents, exponentials and normally distributed numbers with the same bits on every
// processor. Package math does not: its assembly differs between architectures, and the compiler may fuse
// its multiplications and additions. Here each operation is a basic one of IEEE 754, and each product that feeds a sum
// is converted to float64, which forbids the compiler to fuse the two.
//
// Every result that is not a number has the bits of math.NaN().
package exact

import (
	"math"
	"math/rand/v2"
)

// pi/2 and ln 2 as sums. All parts but the last have 33 bits, so that their products with integers below 2^20 are
// exact.
const (
	halfPi1 = 0x1.921fb544p+0
	halfPi2 = 0x1.0b4611a6p-34
	halfPi3 = 0x1.3198a2e037073p-69
	ln2High = 0x1.62e42fefp-1
	ln2Low  = 0x1.473de6af278edp-34
)

// maxAngle bounds, in rad, the angles for which the product of quarter turns and halfPi1 is exact.
const maxAngle = 1e6

// Sincos returns the sine and cosine of x rad, or NaN if x is infinite or NaN. Their error is below 4e-16 for |x| <=
// 1e6. A larger x is first reduced modulo 2*math.Pi, which is 2.5e-16 short of a full turn: the error grows to
// 4e-17*|x|.
func Sincos(x float64) (sin, cos float64) {
	r, quarter := reduce(x)
	if r != r {
		return r, r
	}
	// Bits in place of branches: no processor can predict in which quarter an angle is.
	a, b := math.Float64bits(sine(r)), math.Float64bits(cosine(r))
	swap := -uint64(quarter&1) & (a ^ b)
	a ^= swap ^ uint64(quarter&2)<<62
	b ^= swap ^ uint64((quarter+1)&2)<<62
	return math.Float64frombits(a), math.Float64frombits(b)
}

// reduce splits x into a number of quarter turns, returned modulo 4, and a rest in [-pi/4, pi/4].
func reduce(x float64) (rest float64, quarter int) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.NaN(), 0
	}
	if math.Abs(x) > maxAngle {
		x = math.Mod(x, 2*math.Pi)
	}
	n := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	r := x - float64(n*halfPi1)
	r -= float64(n * halfPi2)
	r -= float64(n * halfPi3)
	return r, int(n) & 3
}

// sine returns the sine of r in [-pi/4, pi/4], by its Taylor series.
func sine(r float64) float64 {
	if r == 0 {
		return r // a sum would lose the sign of zero
	}
	z := r * r
	p := float64(z*(1.0/355687428096000)) - 1.0/1307674368000
	p = float64(p*z) + 1.0/6227020800
	p = float64(p*z) - 1.0/39916800
	p = float64(p*z) + 1.0/362880
	p = float64(p*z) - 1.0/5040
	p = float64(p*z) + 1.0/120
	p = float64(p*z) - 1.0/6
	return r + float64(r*float64(z*p))
}

// cosine returns the cosine of r in [-pi/4, pi/4], by its Taylor series.
func cosine(r float64) float64 {
	z := r * r
	p := float64(z*(1.0/20922789888000)) - 1.0/87178291200
	p = float64(p*z) + 1.0/479001600
	p = float64(p*z) - 1.0/3628800
	p = float64(p*z) + 1.0/40320
	p = float64(p*z) - 1.0/720
	p = float64(p*z) + 1.0/24
	return 1 - (float64(z*0.5) - float64(float64(z*z)*p))
}

// eighths holds atan(k/8).
var eighths = [9]float64{
	0,
	0.1243549945467614350313548,
	0.2449786631268641541720825,
	0.3587706702705722203959201,
	0.4636476090008061162142562,
	0.5585993153435624359715082,
	0.6435011087932843868028092,
	0.7188299996216245054170142,
	0.7853981633974483096156608,
}

// Atan2 returns the direction of the vector (x, y) in [-pi, pi], within 2 units in the last place. Zeros, infinities
// and signs have the same results as in math.Atan2.
func Atan2(y, x float64) float64 {
	if math.IsNaN(x) || math.IsNaN(y) {
		return math.NaN()
	}
	small, big := math.Abs(y), math.Abs(x)
	steep := small > big
	if steep {
		small, big = big, small
	}
	var t float64 // in [0, 1]
	switch {
	case small == 0:
	case small == big: // both may be infinite
		t = 1
	default:
		t = small / big
	}
	// atan(t) = atan(c) + atan((t-c)/(1+tc)); the nearest eighth c leaves at most 1/16 to the series.
	k := math.Floor(float64(t*8) + 0.5)
	c := float64(k * 0.125)
	u := (t - c) / (1 + float64(t*c))
	z := u * u
	p := float64(z*(1.0/13)) - 1.0/11
	p = float64(p*z) + 1.0/9
	p = float64(p*z) - 1.0/7
	p = float64(p*z) + 1.0/5
	p = float64(p*z) - 1.0/3
	a := eighths[int(k)] + (u + float64(u*float64(z*p)))
	if steep {
		a = math.Pi/2 - a
	}
	if math.Signbit(x) {
		a = math.Pi - a
	}
	return math.Copysign(a, y)
}

// Exp returns e to the power of x within 2 units in the last place: +Inf above 709.78, and 0 below -745.13.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return math.NaN()
	case x > 709.79:
		return math.Inf(1)
	case x < -745.2:
		return 0
	}
	x = float64(x) // which may be a product
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := (x - float64(k*ln2High)) - float64(k*ln2Low)
	p := float64(r*(1.0/6227020800)) + 1.0/479001600
	p = float64(p*r) + 1.0/39916800
	p = float64(p*r) + 1.0/3628800
	p = float64(p*r) + 1.0/362880
	p = float64(p*r) + 1.0/40320
	p = float64(p*r) + 1.0/5040
	p = float64(p*r) + 1.0/720
	p = float64(p*r) + 1.0/120
	p = float64(p*r) + 1.0/24
	p = float64(p*r) + 1.0/6
	p = float64(p*r) + 0.5
	y := 1 + (r + float64(float64(r*r)*p))
	half := int(k) / 2 // 2^k itself may be out of range
	return float64(y * power2(half) * power2(int(k)-half))
}

// power2 returns 2^n for n in [-1022, 1023].
func power2(n int) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// Log returns the natural logarithm of x within 2 units in the last place: -Inf for 0, and NaN for a negative x.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	k := 0
	if x < 0x1p-1022 { // subnormal
		x *= 0x1p54
		k = -54
	}
	bits := math.Float64bits(x)
	k += int(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		k++
	}
	// log(1+f) = 2 atanh(s) with s = f/(2+f). As 2s = f - sf, it is f - s(f - R) with R = 2s^2/3 + 2s^4/5 + ...:
	// f is exact, and only a small number is subtracted from it.
	f := m - 1
	s := f / (2 + f)
	z := s * s
	p := float64(z*(2.0/23)) + 2.0/21
	p = float64(p*z) + 2.0/19
	p = float64(p*z) + 2.0/17
	p = float64(p*z) + 2.0/15
	p = float64(p*z) + 2.0/13
	p = float64(p*z) + 2.0/11
	p = float64(p*z) + 2.0/9
	p = float64(p*z) + 2.0/7
	p = float64(p*z) + 2.0/5
	p = float64(p*z) + 2.0/3
	n := float64(k)
	return float64(n*ln2High) + (f - (float64(s*(f-float64(p*z))) - float64(n*ln2Low)))
}

// Uniform returns a uniformly distributed number in [0, 1). It returns the bits of r.Float64(), but its product cannot
// fuse with a sum of the caller after inlining.
func Uniform(r *rand.Rand) float64 { return float64(float64(r.Uint64()>>11) * 0x1p-53) }

// Normal returns a normally distributed number with mean 0 and standard deviation 1, by Marsaglia's polar method. It
// draws an even number of values from r, at least two.
func Normal(r *rand.Rand) float64 {
	for {
		u := float64(2*Uniform(r)) - 1
		v := float64(2*Uniform(r)) - 1
		s := float64(u*u) + float64(v*v)
		if s > 0 && s < 1 {
			return float64(u * math.Sqrt(-2*Log(s)/s))
		}
	}
}
