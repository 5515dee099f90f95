package lab

import (
	"math"
	"testing"
)

func TestMean(t *testing.T) {
	f := mean([]float64{1, 2, 3, 6})
	// The deviation is sqrt(14/3), that of the mean half of it.
	if half := 1.96 * math.Sqrt(14.0/3) / 2; f.Mean != 3 || math.Abs(f.CI[0]-(3-half)) > 1e-9 ||
		math.Abs(f.CI[1]-(3+half)) > 1e-9 {
		t.Errorf("got %+v", f)
	}
	if f := mean([]float64{1}); f != (Figure{Mean: 1}) {
		t.Errorf("one match: got %+v", f)
	}
	if f := mean(nil); f != (Figure{}) {
		t.Errorf("no match: got %+v", f)
	}
}
