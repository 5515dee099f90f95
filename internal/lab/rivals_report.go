package lab

import (
	"math"
	"slices"
	"time"
)

// RivalsReport holds the figures of a batch: the means over the games, each with its 95 % confidence interval.
type RivalsReport struct {
	Protocol RivalsName `json:"protocol"`
	Scene    Scene      `json:"scene"`
	Loss     float64    `json:"loss"`
	Burst    float64    `json:"burst"`
	Robots   int        `json:"robots"`
	First    uint64     `json:"first_seed"`
	Seeds    int        `json:"seeds"` // that were played
	Seconds  float64    `json:"seconds"`

	Double      float64 `json:"double_pct"` // share of the time with more than one booker
	DoubleCI    Range   `json:"double_pct_ci95"`
	One         float64 `json:"one_pct"` // with one, and just one
	OneCI       Range   `json:"one_pct_ci95"`
	Zero        float64 `json:"zero_pct"` // with none
	ZeroCI      Range   `json:"zero_pct_ci95"`
	Wrong       float64 `json:"wrong_pct"` // with a booker that is farther than another live robot by more than 1 m
	WrongCI     Range   `json:"wrong_pct_ci95"`
	Farther     float64 `json:"farther_pct"` // by more than 0.3 m, the hysteresis
	FartherCI   Range   `json:"farther_pct_ci95"`
	Handovers   float64 `json:"handovers_per_min"` // times that another robot than the last one became the booker
	HandoversCI Range   `json:"handovers_per_min_ci95"`
	Gap         Gap     `json:"crash_gap_ms"`
	Start       Start   `json:"start_ms"`
	Messages    float64 `json:"messages_per_robot_s"` // datagrams that a robot sends in a second
	MessagesCI  Range   `json:"messages_per_robot_s_ci95"`
	PerGame     float64 `json:"messages_per_game"` // of all robots, in 20 minutes
}

// Range is a confidence interval. A single value has none: nil.
type Range = *[2]float64

// Gap is the time from the crash of the booker to the next booker.
type Gap struct {
	P50     float64 `json:"p50"`
	P50CI   Range   `json:"p50_ci95"`
	P99     float64 `json:"p99"`
	P99CI   Range   `json:"p99_ci95"`
	Max     float64 `json:"max"`
	Crashes int     `json:"crashes"`
}

// Start is the time from the start of a game until all robots believe in one booker.
type Start struct {
	P50   float64 `json:"p50"`
	Max   float64 `json:"max"`
	Late  float64 `json:"later_than_150ms_pct"` // share of the games: later than three renewals of the lease
	Never int     `json:"never"`                // games in which that did not happen
}

// gameLength is the length of a game of which messages_per_game speaks.
const gameLength = 20 * 60

func rivalsNewReport(cfg RivalsConfig, scores []rivalsScore) RivalsReport {
	r := RivalsReport{
		Protocol: cfg.Protocol, Scene: cfg.Scene, Loss: cfg.Loss, Burst: cfg.Burst, Robots: cfg.Robots, First: cfg.First,
		Seeds: len(scores), Seconds: cfg.Length.Seconds(),
	}
	mean := func(value func(s *rivalsScore) float64) (float64, Range) { return rivalsInterval(scores, value) }
	share := func(part func(s *rivalsScore) time.Duration) (float64, Range) {
		return mean(func(s *rivalsScore) float64 { return 100 * part(s).Seconds() / s.length.Seconds() })
	}
	r.Double, r.DoubleCI = share(func(s *rivalsScore) time.Duration { return s.more })
	r.Zero, r.ZeroCI = share(func(s *rivalsScore) time.Duration { return s.none })
	r.One, r.OneCI = share(func(s *rivalsScore) time.Duration { return s.length - s.more - s.none })
	r.Wrong, r.WrongCI = share(func(s *rivalsScore) time.Duration { return s.wrong })
	r.Farther, r.FartherCI = share(func(s *rivalsScore) time.Duration { return s.farther })
	r.Handovers, r.HandoversCI = mean(func(s *rivalsScore) float64 { return float64(s.handovers) / s.length.Minutes() })
	r.Messages, r.MessagesCI = mean(func(s *rivalsScore) float64 {
		return float64(s.datagrams) / s.length.Seconds() / float64(cfg.Robots)
	})
	r.PerGame = r.Messages * float64(cfg.Robots) * gameLength
	var gaps, starts []float64
	for i := range scores {
		for _, d := range scores[i].gaps {
			gaps = append(gaps, millis(d))
		}
		if d := scores[i].agreed; d > 0 {
			starts = append(starts, millis(d))
		} else {
			r.Start.Never++
		}
	}
	slices.Sort(gaps)
	slices.Sort(starts)
	r.Gap = Gap{
		P50: quantile(gaps, 0.5), P50CI: quantileInterval(gaps, 0.5), P99: quantile(gaps, 0.99),
		P99CI: quantileInterval(gaps, 0.99), Max: quantile(gaps, 1), Crashes: len(gaps),
	}
	for _, ms := range starts {
		if ms > 150 {
			r.Start.Late += 100 / float64(len(scores))
		}
	}
	r.Start.P50, r.Start.Max = quantile(starts, 0.5), quantile(starts, 1)
	return r
}

func millis(d time.Duration) float64 { return float64(d) / 1e6 }

// rivalsNormal95 is the half width of the 95 % interval in standard deviations.
const rivalsNormal95 = 1.96

// rivalsInterval returns the mean over the games and its confidence rivalsInterval.
func rivalsInterval(scores []rivalsScore, value func(s *rivalsScore) float64) (float64, Range) {
	n := float64(len(scores))
	if n == 0 {
		return 0, nil
	}
	sum, squares := 0.0, 0.0
	for i := range scores {
		sum += value(&scores[i])
	}
	mean := sum / n
	for i := range scores {
		d := value(&scores[i]) - mean
		squares += d * d
	}
	if n < 2 {
		return mean, nil
	}
	half := rivalsNormal95 * math.Sqrt(squares/(n-1)/n)
	return mean, &[2]float64{mean - half, mean + half}
}

// quantile returns the smallest of the sorted values that this share of them does not exceed; 0 if there is none.
func quantile(sorted []float64, share float64) float64 {
	return rank(sorted, math.Ceil(share*float64(len(sorted))))
}

// quantileInterval returns the confidence interval of a quantile, from the order statistics.
func quantileInterval(sorted []float64, share float64) Range {
	n := float64(len(sorted))
	if n < 2 {
		return nil
	}
	half := rivalsNormal95 * math.Sqrt(n*share*(1-share))
	return &[2]float64{rank(sorted, math.Floor(n*share-half)), rank(sorted, math.Ceil(n*share+half)+1)}
}

// rank returns the nth of the sorted values, from 1.
func rank(sorted []float64, n float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(min(max(n, 1), float64(len(sorted))))-1]
}
