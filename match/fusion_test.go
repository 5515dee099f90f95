package match_test

import (
	"fmt"
	"testing"
	"time"

	"touchline/match"
	"touchline/transport/traffic"
)

// lossy is the session of the fusion figures: default noise, 10 % packet loss.
func lossy(seed uint64) match.Config {
	cfg := match.DefaultConfig()
	cfg.Seed, cfg.Link = seed, traffic.Link{Loss: 0.1}
	cfg.Substitute = [2]time.Duration{} // the same five robots throughout
	cfg.NoTCM = true                    // the packages are the same, and the sessions faster
	return cfg
}

// total adds up the scores of several sessions by participant.
func total(tb testing.TB, seeds int, length time.Duration) []match.Score {
	var sums []match.Score
	for seed := range seeds {
		s, err := match.Virtual(lossy(uint64(seed+1)), nil)
		if err != nil {
			tb.Fatal(err)
		}
		advance(s, length)
		for i, score := range s.Scores() {
			if seed == 0 {
				sums = append(sums, score)
				continue
			}
			sums[i].Fused.Add(&score.Fused)
			sums[i].Alone.Add(&score.Alone)
			sums[i].SightFused.Add(&score.SightFused)
			sums[i].SightAlone.Add(&score.SightAlone)
		}
	}
	return sums
}

// BenchmarkFusion compares the ball error of fused worlds with that of each robot alone, in 20 sessions of 60 s.
func BenchmarkFusion(b *testing.B) {
	for b.Loop() {
		fmt.Printf("\n%-22s %10s %10s %8s %12s %10s   %s\n", "ball error, RMSE", "fused", "alone", "less", "has a ball",
			"alone", "while it sees the ball itself")
		for _, s := range total(b, 20, time.Minute) {
			if s.Fused.Samples == 0 {
				continue
			}
			fmt.Printf("%d %-20s %8.3f m %8.3f m %6.1f %% %10.1f %% %8.1f %%   %.3f m of %.3f m, %.1f %% less\n", s.Number,
				s.Team,
				s.Fused.RMSE(), s.Alone.RMSE(), 100*(1-s.Fused.RMSE()/s.Alone.RMSE()), 100*s.Fused.Share(), 100*s.Alone.Share(),
				s.SightFused.RMSE(), s.SightAlone.RMSE(), 100*(1-s.SightFused.RMSE()/s.SightAlone.RMSE()))
		}
	}
}

// With its teammates' packages every robot knows the ball better, and nearly always has one.
func TestFusionImprovesBall(t *testing.T) {
	for _, s := range total(t, 8, time.Minute) {
		if s.Fused.Samples == 0 {
			continue
		}
		if fused, alone := s.Fused.RMSE(), s.Alone.RMSE(); !(fused < 0.75*alone) {
			t.Errorf("%s: %.3f m fused, %.3f m alone: want at least 25 %% less", s.Team, fused, alone)
		}
		if s.Fused.Share() < 0.9 {
			t.Errorf("%s has a ball %.1f %% of the time, want 90 %%", s.Team, 100*s.Fused.Share())
		}
	}
}
