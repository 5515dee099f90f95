package lab

import (
	"context"
	"reflect"
	"testing"
	"time"
)

// walksRun plays scenarios and returns the results by scenario and estimator.
func walksRun(t *testing.T, seeds int, length time.Duration, names ...string) map[[2]string]WalksResult {
	t.Helper()
	cfg := DefaultWalksConfig()
	var err error
	if cfg.Scenarios, err = WalksFind(names); err != nil {
		t.Fatal(err)
	}
	cfg.First, cfg.Seeds, cfg.Length = 1, seeds, length
	found := map[[2]string]WalksResult{}
	err = WalksRun(context.Background(), cfg, func(results []WalksResult) {
		for _, r := range results {
			found[[2]string{r.Scenario, r.Estimator}] = r
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A driving robot knows its pose better than with its odometry alone and than without a filter, within the tolerance of
// the Falcons, and its covariance is honest.
func TestBetterThanBaselines(t *testing.T) {
	if testing.Short() {
		t.Skip("figures need whole games")
	}
	names := []string{"nominal", "fast", "noisy", "ahead"}
	found := walksRun(t, 3, 30*time.Second, names...)
	for _, name := range names {
		ours := found[[2]string{name, WalksOurs}]
		for _, rule := range []string{Tribots, wheels} {
			if r := found[[2]string{name, rule}]; !(ours.Sigma < 0.9*r.Sigma && ours.TurnSig < r.TurnSig) {
				t.Errorf("%s: 68 %% within %.3f m and %.4f rad, %s %.3f m and %.4f rad", name, ours.Sigma, ours.TurnSig, rule,
					r.Sigma, r.TurnSig)
			}
		}
		if ours.Known < 99 {
			t.Errorf("%s: the pose is known %.1f %% of the time", name, ours.Known)
		}
	}
	if r := found[[2]string{"nominal", WalksOurs}]; r.Sigma > 0.03 || r.TurnSig > 0.02 || r.NEES < 1 || r.NEES > 6 {
		t.Errorf("nominal: %.3f m, %.4f rad, NEES %.1f: want 0.03 m, 0.02 rad, about 3", r.Sigma, r.TurnSig, r.NEES)
	}
}

// A robot that was carried away finds itself again; with teammates or a compass in the right half.
func TestFoundAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("the robot is carried away after 20 s")
	}
	for _, name := range []string{"kidnap-mates", "kidnap-compass", "kidnap"} {
		r := walksRun(t, 3, 30*time.Second, name)[[2]string{name, WalksOurs}]
		if r.Share < 100 || r.Again > 2 {
			t.Errorf("%s: found again in %.0f %%, after %.2f s", name, r.Share, r.Again)
		}
		if name != "kidnap" && r.Turned > 1 {
			t.Errorf("%s: %.1f %% of the time at the opposite place", name, r.Turned)
		}
	}
}

func TestWalksSameSeeds(t *testing.T) {
	play := func() map[[2]string]WalksResult { return walksRun(t, 2, 6*time.Second, "nominal", "unplaced") }
	if a, b := play(), play(); !reflect.DeepEqual(a, b) {
		t.Errorf("got %v and %v", a, b)
	}
}

func TestWalksFind(t *testing.T) {
	if all, err := WalksFind(nil); err != nil || len(all) != len(WalksScenarios()) {
		t.Errorf("no names: %d scenarios, %v", len(all), err)
	}
	if _, err := WalksFind([]string{"nominal", "moon"}); err == nil {
		t.Error("an unknown scenario was found")
	}
}
