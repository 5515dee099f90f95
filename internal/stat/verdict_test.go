package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// draw draws the points of a pair of games, in halves, of a player that is stronger by elo. Both games share some luck, as
// those of one seed do.
func draw(r *rand.Rand, elo, drawn float64) int {
	score := EloScore(elo)
	game := func(u float64) int {
		win := score - drawn/2
		switch {
		case u < win:
			return 2
		case u < win+drawn:
			return 1
		}
		return 0
	}
	first, second := r.Float64(), r.Float64()
	if r.Float64() < 0.2 {
		second = 1 - first // the seed favours a side
	}
	return game(first) + game(second)
}

// play plays an SPRT to its end and returns its verdict and the pairs.
func play(r *rand.Rand, test *SPRT, elo, drawn float64) (Verdict, *Pairs) {
	var p Pairs
	for {
		p[draw(r, elo, drawn)]++
		if v, _ := test.Judge(&p); v != GoOn {
			return v, &p
		}
	}
}

// Over 400 tests each with known strength, errors of both kinds are at most their bounds and one point, and the tests take
// fewer games than those of fixed length.
func TestErrorsOfSPRT(t *testing.T) {
	const runs = 400
	for _, test := range []SPRT{{0, 20, 0.05, 0.05}, {0, 60, 0.05, 0.05}, {-20, 40, 0.05, 0.05}, {0, 120, 0.05, 0.05}} {
		for _, drawn := range []float64{0.1, 0.4} {
			r := rand.New(rand.NewPCG(uint64(test.Elo1), uint64(1000*drawn)))
			var wrong [2]int
			played, fixed := 0, 0
			for i, elo := range []float64{test.Elo0, test.Elo1} {
				right := []Verdict{Accept0, Accept1}[i]
				for range runs {
					v, p := play(r, &test, elo, drawn)
					if v != right {
						wrong[i]++
					}
					played += p.Count()
				}
				var p Pairs
				for range 20_000 {
					p[draw(r, elo, drawn)]++
				}
				_, variance := p.Score()
				fixed += runs * test.FixedPairs(variance)
			}
			t.Logf("Elo %v to %v, %.0f %% drawn: %.1f %% and %.1f %% wrong, %d pairs of %d", test.Elo0, test.Elo1, 100*drawn,
				100*float64(wrong[0])/runs, 100*float64(wrong[1])/runs, played/2/runs, fixed/2/runs)
			for i, n := range wrong {
				if most := (0.05 + 0.01) * runs; float64(n) > most {
					t.Errorf("Elo %v to %v, %v drawn: %d of %d tests of kind %d are wrong, want at most %v", test.Elo0, test.Elo1, drawn, n, runs, i, most)
				}
			}
			if played >= fixed {
				t.Errorf("Elo %v to %v: %d pairs were played, a fixed test takes %d", test.Elo0, test.Elo1, played, fixed)
			}
		}
	}
}

// With many pairs the ratio is that of normal distributions.
func TestLogRatio(t *testing.T) {
	p := Pairs{260, 650, 1200, 680, 260}
	mean, variance := p.Score()
	n, s0, s1 := float64(p.Count()), EloScore(0), EloScore(5)
	want := n * (s1 - s0) * (2*mean - s0 - s1) / (2 * variance)
	if _, got := (&SPRT{0, 5, 0.05, 0.05}).Judge(&p); math.Abs(got-want) > 0.02*math.Abs(want) {
		t.Errorf("got %v, the normal distributions give %v", got, want)
	}
	lower, upper := (&SPRT{0, 5, 0.05, 0.05}).Bounds()
	near(t, "the lower bound", lower, -math.Log(19), 1e-12)
	near(t, "the upper bound", upper, math.Log(19), 1e-12)
}

func TestElo(t *testing.T) {
	near(t, "the score of 400 points", EloScore(400), 10.0/11, 1e-12)
	near(t, "the score of equals", EloScore(0), 0.5, 1e-15)
	p := Pairs{0, 10, 20, 30, 0}
	elo, in, known := p.Elo()
	near(t, "Elo", elo, 400*math.Log10((35.0/60)/(25.0/60)), 1e-9)
	if !known || !(in.From < elo && elo < in.To) {
		t.Errorf("interval %v, known %t", in, known)
	}
	p = Pairs{0, 0, 0, 0, 3}
	if elo, in, _ := p.Elo(); !math.IsInf(elo, 1) || !math.IsInf(in.To, 1) {
		t.Errorf("all won: %v in %v", elo, in)
	}
	if _, _, known := (&Pairs{}).Elo(); known {
		t.Error("no pairs have an interval")
	}
}

// The intervals of ratings hold the true strengths about as often as they say, also when the games of a pair depend on
// each other.
func TestRatings(t *testing.T) {
	truth := []float64{120, 40, -10, -150}
	held, all := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		var met []Meeting
		for a := range truth {
			for b := a + 1; b < len(truth); b++ {
				for range 60 {
					met = append(met, Meeting{a, b, float64(draw(r, truth[a]-truth[b], 0.3)) / 2, 2})
				}
			}
		}
		for i, got := range Ratings(len(truth), met) {
			all++
			if got.Interval.From <= truth[i] && truth[i] <= got.Interval.To {
				held++
			}
		}
	}
	t.Logf("%d of %d intervals hold the strength", held, all)
	if share := float64(held) / float64(all); share < 0.92 || share > 0.98 {
		t.Errorf("%.3f of the intervals hold the strength, want about 0.95", share)
	}
	won := Ratings(2, []Meeting{{0, 1, 2, 2}, {0, 1, 2, 2}})
	if e := won[0].Elo; math.IsInf(e, 0) || math.IsNaN(e) || e <= 0 || math.Abs(e+won[1].Elo) > 1e-9 {
		t.Errorf("all won: %v", won)
	}
	if one := Ratings(1, nil); len(one) != 1 || one[0].Elo != 0 {
		t.Errorf("a player alone: %v", one)
	}
}
