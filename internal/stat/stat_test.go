package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestQuantile(t *testing.T) {
	values := []string{"a", "b", "c", "d"}
	for _, c := range []struct {
		q           float64
		want, least string
	}{
		{0, "a", "a"}, {0.2, "a", "a"}, {0.25, "b", "a"}, {0.5, "c", "b"}, {0.6, "c", "c"}, {0.75, "d", "c"}, {0.99, "d", "d"},
		{1, "d", "d"},
	} {
		if got := Quantile(values, c.q); got != c.want {
			t.Errorf("the %v quantile is %q, want %q", c.q, got, c.want)
		}
		if got := leastQuantile(values, c.q); got != c.least {
			t.Errorf("the least %v quantile is %q, want %q", c.q, got, c.least)
		}
	}
	if Quantile([]int{}, 0.5) != 0 || leastQuantile([]float64(nil), 0.5) != 0 {
		t.Error("without values a quantile is 0")
	}
	// Shares in percent meet the same places as integers do.
	sorted := make([]int, 2000)
	for i := range sorted {
		sorted[i] = i
	}
	for n := 1; n <= len(sorted); n++ {
		for _, percent := range []int{50, 68, 90, 95, 99, 100} {
			want := min(n*percent/100, n-1)
			if got := Quantile(sorted[:n], float64(percent)/100); got != want {
				t.Errorf("the %d %% quantile of %d values is at %d, want %d", percent, n, got, want)
			}
		}
	}
}

func TestMean(t *testing.T) {
	mean, in, known := Mean([]float64{1, 2, 4, 5})
	half := 1.96 * math.Sqrt(10.0/3/4)
	if mean != 3 || !known || math.Abs(in.From-3+half) > 1e-12 || math.Abs(in.To-3-half) > 1e-12 {
		t.Errorf("mean %v in %v", mean, in)
	}
	if mean, in, known := Mean([]float64{7}); mean != 7 || known || in != (Interval{}) {
		t.Errorf("of one value: mean %v in %v, known %t", mean, in, known)
	}
	if mean, _, known := Mean(nil); mean != 0 || known {
		t.Errorf("of none: mean %v, known %t", mean, known)
	}
}

func TestQuantileInterval(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = float64(i + 1)
	}
	if in, known := quantileInterval(values, 0.5); !known || in != (Interval{From: 40, To: 61}) {
		t.Errorf("the median of 1 to 100 is in %v, known %t", in, known) // 50 -+ 9.8
	}
	if in, known := quantileInterval(values, 0.99); !known || in != (Interval{From: 97, To: 100}) {
		t.Errorf("the 99 %% quantile of 1 to 100 is in %v, known %t", in, known)
	}
	if _, known := quantileInterval(values[:1], 0.5); known {
		t.Error("one value has an interval")
	}
	covered := 0
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		total := 0
		for range 100 {
			if rng.Float64() < 0.5 {
				total++ // below the true median
			}
		}
		if in, _ := quantileInterval(values, 0.5); in.From <= float64(total) && float64(total) < in.To {
			covered++
		}
	}
	if covered < 930 || covered > 985 {
		t.Errorf("the interval of the median holds it in %d of 1000 samples", covered)
	}
}

// The intervals of Clopper and Pearson, from tables.
func TestProportion(t *testing.T) {
	for _, c := range []struct {
		good, tries int
		from, to    float64
	}{{20, 20, 0.8316, 1}, {0, 20, 0, 0.1684}, {10, 20, 0.2720, 0.7280}, {5, 10, 0.1871, 0.8129}, {19, 20, 0.7513, 0.9987}, {0, 0, 0, 1}} {
		in := Proportion(c.good, c.tries)
		near(t, "the lower limit", in.From, c.from, 1e-4)
		near(t, "the upper limit", in.To, c.to, 1e-4)
	}
}

// Quantiles of the distributions, from tables.
func TestDistributions(t *testing.T) {
	near(t, "t, 1 degree", StudentT(0.975, 1), 12.7062, 1e-4)
	near(t, "t, 19 degrees", StudentT(0.975, 19), 2.0930, 1e-4)
	near(t, "t, 1000 degrees", StudentT(0.975, 1000), 1.9623, 1e-4)
	near(t, "chi-squared, 1 degree", ChiSquared(0.95, 1), 3.8415, 1e-4)
	near(t, "chi-squared, 19 degrees", ChiSquared(0.025, 19), 8.9065, 1e-4)
	near(t, "beta of 2 and 2", beta(0.5, 2, 2), 0.5, 1e-9)
	near(t, "beta of 1 and 3", beta(0.875, 1, 3), 0.5, 1e-9)
}

// The hours of sleep that two drugs gave to ten patients (Student, 1908), with the intervals that R's t.test prints.
func TestDifference(t *testing.T) {
	a := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	b := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	for name, c := range map[string]struct {
		got      Difference
		from, to float64
	}{"unpaired": {Unpaired(a, b), -0.2054832, 3.3654832}, "paired": {Paired(a, b), 0.7001142, 2.4598858}} {
		near(t, name+": A", c.got.A, 0.75, 1e-12)
		near(t, name+": B", c.got.B, 2.33, 1e-12)
		near(t, name+": difference", c.got.By, 1.58, 1e-12)
		near(t, name+": from", c.got.Interval.From, c.from, 1e-6)
		near(t, name+": to", c.got.Interval.To, c.to, 1e-6)
		near(t, name+": effect", c.got.Effect, 0.8321811, 1e-6)
		if !c.got.Known {
			t.Errorf("%s: no interval", name)
		}
	}
	if d := Unpaired(a[:1], b); d.Known || math.Abs(d.By-1.63) > 1e-12 || !math.IsNaN(d.Effect) {
		t.Errorf("one value against ten: %+v", d)
	}
	if d := Paired(a[:1], b[:1]); d.Known || !math.IsNaN(d.Effect) {
		t.Errorf("one pair: %+v", d)
	}
	ones, twos := []float64{1, 1, 1}, []float64{2, 2, 2}
	for _, d := range []Difference{Unpaired(ones, twos), Paired(ones, twos)} {
		if !d.Known || d.Interval != (Interval{1, 1}) || !math.IsInf(d.Effect, 1) {
			t.Errorf("samples that do not vary: %+v", d)
		}
	}
	if d := Unpaired(ones, ones); d.Effect != 0 || d.Interval != (Interval{}) {
		t.Errorf("equal samples: %+v", d)
	}
}
