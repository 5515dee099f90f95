package exact_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"

	"touchline/internal/exact"
)

// ulps returns |got - want| in units of want's last place.
func ulps(got, want float64) float64 {
	a := math.Abs(want)
	return math.Abs(got-want) / (math.Nextafter(a, math.Inf(1)) - a)
}

// spread returns a number of either sign with a magnitude from 10^low to 10^high.
func spread(r *rand.Rand, low, high float64) float64 {
	x := math.Pow(10, low+(high-low)*r.Float64())
	if r.IntN(2) == 0 {
		return -x
	}
	return x
}

func sine(x float64) float64 {
	y, _ := exact.Sincos(x)
	return y
}

func cosine(x float64) float64 {
	_, y := exact.Sincos(x)
	return y
}

func TestSineAndCosine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300_000 {
		x := spread(r, -9, 6)
		sin, cos := exact.Sincos(x)
		// The tolerance includes the error of package math at 1e6.
		if math.Abs(sin-math.Sin(x)) > 4e-16 || math.Abs(cos-math.Cos(x)) > 4e-16 {
			t.Fatalf("Sincos(%v) = %v, %v, want %v, %v", x, sin, cos, math.Sin(x), math.Cos(x))
		}
		far := spread(r, 6, 12)
		sin, cos = exact.Sincos(far)
		if math.Abs(sin-math.Sin(far)) > 4e-17*math.Abs(far)+4e-16 || math.Abs(math.Hypot(sin, cos)-1) > 1e-15 {
			t.Fatalf("Sincos(%v) = %v, %v, want %v, %v", far, sin, cos, math.Sin(far), math.Cos(far))
		}
	}
	// Near a multiple of pi/2 the leading digits stay correct: pi - math.Pi is 1.2246467991473531772e-16.
	if got := sine(math.Pi); ulps(got, 1.2246467991473531772e-16) > 1 {
		t.Errorf("Sin(math.Pi) = %v", got)
	}
	if got := cosine(math.Pi / 2); ulps(got, 6.1232339957367658859e-17) > 1 {
		t.Errorf("Cos(math.Pi/2) = %v", got)
	}
}

func TestAtan2(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300_000 {
		y, x := spread(r, -8, 8), spread(r, -8, 8)
		if got, want := exact.Atan2(y, x), math.Atan2(y, x); ulps(got, want) > 3 {
			t.Fatalf("Atan2(%v, %v) = %v, want %v", y, x, got, want)
		}
	}
	special := []float64{0, math.Copysign(0, -1), 1, -1, 1e-9, -1e-9, 1e300, -1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, y := range special {
		for _, x := range special {
			got, want := exact.Atan2(y, x), math.Atan2(y, x)
			if got != want && !(got != got && want != want) || math.Signbit(got) != math.Signbit(want) {
				t.Errorf("Atan2(%v, %v) = %v, want %v", y, x, got, want)
			}
		}
	}
	// math.Atan2 returns +Pi here: its quotient underflows.
	if got := exact.Atan2(-5e-324, -math.MaxFloat64); got != -math.Pi {
		t.Errorf("Atan2 of the smallest and the largest number = %v, want -Pi", got)
	}
}

func TestExpAndLog(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 300_000 {
		x := spread(r, -12, 2.845)
		if got, want := exact.Exp(x), math.Exp(x); ulps(got, want) > 2 {
			t.Fatalf("Exp(%v) = %v, want %v", x, got, want)
		}
		y := math.Abs(spread(r, -307, 308))
		if got, want := exact.Log(y), math.Log(y); ulps(got, want) > 2 {
			t.Fatalf("Log(%v) = %v, want %v", y, got, want)
		}
		near := 1 + spread(r, -12, -1)
		if got, want := exact.Log(near), math.Log(near); ulps(got, want) > 2 {
			t.Fatalf("Log(%v) = %v, want %v", near, got, want)
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Sin(0)", sine(0), 0}, {"Sin(-0)", sine(negZero), negZero},
		{"Sin(5e-324)", sine(5e-324), 5e-324},
		{"Sin(+Inf)", sine(inf), nan}, {"Sin(-Inf)", sine(-inf), nan}, {"Sin(NaN)", sine(nan), nan},
		{"Cos(0)", cosine(0), 1}, {"Cos(-0)", cosine(negZero), 1},
		{"Cos(+Inf)", cosine(inf), nan}, {"Cos(-Inf)", cosine(-inf), nan}, {"Cos(NaN)", cosine(nan), nan},
		{"Exp(0)", exact.Exp(0), 1}, {"Exp(-0)", exact.Exp(negZero), 1}, {"Exp(NaN)", exact.Exp(nan), nan},
		{"Exp(+Inf)", exact.Exp(inf), inf}, {"Exp(-Inf)", exact.Exp(-inf), 0},
		{"Exp(709.79)", exact.Exp(709.79), inf}, {"Exp(709.785)", exact.Exp(709.785), inf},
		{"Exp(-745)", exact.Exp(-745), 5e-324}, {"Exp(-746)", exact.Exp(-746), 0},
		{"Log(1)", exact.Log(1), 0}, {"Log(0)", exact.Log(0), -inf}, {"Log(-0)", exact.Log(negZero), -inf},
		{"Log(-1)", exact.Log(-1), nan}, {"Log(+Inf)", exact.Log(inf), inf}, {"Log(-Inf)", exact.Log(-inf), nan},
		{"Log(NaN)", exact.Log(nan), nan}, {"Log(5e-324)", exact.Log(5e-324), -744.4400719213812},
	} {
		if math.Float64bits(c.got) != math.Float64bits(c.want) {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	for _, x := range []float64{math.MaxFloat64, -math.MaxFloat64} {
		if sin, cos := exact.Sincos(x); math.Abs(math.Hypot(sin, cos)-1) > 1e-15 {
			t.Errorf("Sincos(%v) = %v, %v", x, sin, cos)
		}
	}
}

// TestGolden fails where a processor or compiler computes other bits.
func TestGolden(t *testing.T) {
	const want = "7db14c4e37366387"
	r := rand.New(rand.NewPCG(7, 7))
	uniform := func(span float64) float64 { return float64((float64(r.Uint64()>>11)*0x1p-52 - 1) * span) }
	var b []byte
	for range 1_250 {
		x := uniform(1e3)
		sin, cos := exact.Sincos(x)
		for _, y := range []float64{
			sin, cos, sine(uniform(1e7)), exact.Atan2(x, uniform(1e3)),
			exact.Exp(uniform(700)), exact.Log(math.Abs(x)), exact.Log(1 + uniform(0.1)), exact.Normal(r),
		} {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(y))
		}
	}
	sum := sha256.Sum256(b)
	if got := hex.EncodeToString(sum[:8]); got != want {
		t.Errorf("the bits of %d results hash to %s, want %s", len(b)/8, got, want)
	}
}

func TestNormal(t *testing.T) {
	const n = 1_000_000
	r := rand.New(rand.NewPCG(3, 4))
	var sum, sum2, sum3, sum4 float64
	var tails [4]int // beyond 1, 2, 3, 4 sigma
	for range n {
		x := exact.Normal(r)
		sum += x
		sum2 += x * x
		sum3 += x * x * x
		sum4 += x * x * x * x
		for k := range tails {
			if math.Abs(x) > float64(k+1) {
				tails[k]++
			}
		}
	}
	// Each moment of the standard normal distribution, within five standard errors.
	for _, m := range []struct{ got, want, variance float64 }{
		{sum / n, 0, 1}, {sum2 / n, 1, 2}, {sum3 / n, 0, 15}, {sum4 / n, 3, 96},
	} {
		if math.Abs(m.got-m.want) > 5*math.Sqrt(m.variance/n) {
			t.Errorf("moment %v, want %v", m.got, m.want)
		}
	}
	for k, got := range tails {
		p := math.Erfc(float64(k+1) / math.Sqrt2)
		if math.Abs(float64(got)-n*p) > 5*math.Sqrt(n*p) {
			t.Errorf("%d of %d beyond %d sigma, want %.0f", got, n, k+1, n*p)
		}
	}
}

var sink float64

func BenchmarkExact(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, f := range []struct {
		name string
		call func(x float64) float64
	}{
		{"Sin", sine},
		{"Sincos", func(x float64) float64 { s, c := exact.Sincos(x); return s + c }},
		{"Atan2", func(x float64) float64 { return exact.Atan2(x, 1.5) }},
		{"Exp", exact.Exp},
		{"Log", exact.Log},
		{"Normal", func(float64) float64 { return exact.Normal(r) }},
	} {
		b.Run(f.name, func(b *testing.B) {
			b.ReportAllocs()
			x := 0.001
			for b.Loop() {
				sink = f.call(x)
				if x += 0.37; x > 100 {
					x -= 100
				}
			}
		})
	}
}
