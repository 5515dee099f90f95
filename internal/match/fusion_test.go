package match

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"touchline/transport/traffic"
)

// lossy is the session of the fusion figures: default noise, 10 % packet loss. Without the TCM the robots know of each
// other what packages v2 say.
func lossy(seed uint64, tcm, localise bool) Config {
	cfg := DefaultConfig()
	cfg.Seed, cfg.Link = seed, traffic.Link{Loss: 0.1}
	cfg.Substitute = [2]time.Duration{} // the same five robots throughout
	cfg.NoTCM, cfg.Localise = !tcm, localise
	return cfg
}

// total adds up the scores of several sessions by participant.
func total(tb testing.TB, seeds int, length time.Duration, tcm, localise bool) []Score {
	var sums []Score
	for seed := range seeds {
		s, err := Virtual(lossy(uint64(seed+1), tcm, localise), nil)
		if err != nil {
			tb.Fatal(err)
		}
		advance(s, length)
		for i, score := range s.Scores() {
			if seed == 0 {
				sums = append(sums, score)
				continue
			}
			sums[i].Fused.add(&score.Fused)
			sums[i].Alone.add(&score.Alone)
			sums[i].SightFused.add(&score.SightFused)
			sums[i].SightAlone.add(&score.SightAlone)
		}
	}
	return sums
}

// summary returns the mean of the robots' errors with their teammates, and the error of the best robot alone, in m.
func summary(all []Score) (fused, alone float64) {
	robots := 0.0
	for _, s := range all {
		if s.Fused.Samples == 0 {
			continue
		}
		fused += s.Fused.RMSE()
		if e := s.Alone.RMSE(); robots == 0 || e < alone {
			alone = e
		}
		robots++
	}
	return fused / robots, alone
}

// BenchmarkFusion compares the ball error of fused worlds with that of each robot alone, in 20 sessions of 60 s: with
// packages v2 only, with raw measurements over the TCM, and with packages of robots that find their poses themselves.
func BenchmarkFusion(b *testing.B) {
	for b.Loop() {
		for _, c := range []struct {
			name          string
			tcm, localise bool
		}{{"package v2 only", false, false}, {"raw over the TCM", true, false}, {"v2, robots localise", false, true}} {
			name := c.name
			fmt.Printf("\n%-22s %10s %10s %8s %12s %10s   %s\n", name, "fused", "alone", "less", "has a ball",
				"alone", "while it sees the ball itself")
			all := total(b, 20, time.Minute, c.tcm, c.localise)
			for _, s := range all {
				if s.Fused.Samples == 0 {
					continue
				}
				fmt.Printf("%d %-20s %8.3f m %8.3f m %6.1f %% %10.1f %% %8.1f %%   %.3f m of %.3f m, %.1f %% less\n", s.Number,
					s.Team,
					s.Fused.RMSE(), s.Alone.RMSE(), 100*(1-s.Fused.RMSE()/s.Alone.RMSE()), 100*s.Fused.Share(), 100*s.Alone.Share(),
					s.SightFused.RMSE(), s.SightAlone.RMSE(), 100*(1-s.SightFused.RMSE()/s.SightAlone.RMSE()))
			}
			fused, alone := summary(all)
			fmt.Printf("  %-20s %8.3f m %8.3f m %6.1f %%   mean of all, best robot alone\n", name, fused, alone, 100*(1-fused/alone))
		}
	}
}

// With its teammates' packages every robot knows the ball better, and nearly always has one. With their raw measurements
// the robots know it better still.
func TestFusionImprovesBall(t *testing.T) {
	packages, raw := total(t, 5, time.Minute, false, false), total(t, 5, time.Minute, true, false)
	for _, s := range slices.Concat(packages, raw) {
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
	without, _ := summary(packages)
	if with, _ := summary(raw); !(with < without) {
		t.Errorf("%.3f m with raw measurements, %.3f m with packages only", with, without)
	}
}
