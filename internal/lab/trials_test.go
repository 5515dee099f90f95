package lab

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"
)

// run plays scenarios of the generator, and returns the results by scenario and estimator.
func run(t *testing.T, seeds int, names ...string) map[[2]string]Result {
	t.Helper()
	return runOn(t, Generator, seeds, names...)
}

// runOn plays scenarios of a source.
func runOn(t *testing.T, source Source, seeds int, names ...string) map[[2]string]Result {
	t.Helper()
	cfg := DefaultTrialsConfig()
	cfg.Source = source
	var err error
	if cfg.Scenarios, err = Find(cfg.Source, names); err != nil {
		t.Fatal(err)
	}
	cfg.First, cfg.Seeds, cfg.Length = 1, seeds, 45*time.Second
	if testing.Short() {
		cfg.Length = 6 * time.Second
	}
	found := map[[2]string]Result{}
	err = TrialsRun(context.Background(), cfg, func(results []Result) {
		for _, r := range results {
			found[[2]string{r.Scenario, r.Estimator}] = r
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// compareFigures skips a test under the race detector, which slows games down twentyfold. TestSameSeeds plays under it.
func compareFigures(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("figures need whole games, and -short plays 6 s of them")
	}
}

// The world model errs less than the published rules, with their own observations, and says how much it errs.
func TestBetterThanPublishedRules(t *testing.T) {
	compareFigures(t)
	found := run(t, 8, "nominal", "match", "clock300", "liar")
	for _, name := range []string{"nominal", "match", "clock300", "liar"} {
		ours, coded := found[[2]string{name, Ours}], found[[2]string{name, packages}]
		for _, rule := range []string{own, Cambada, BHuman, sum, Intersection} {
			if r := found[[2]string{name, rule}]; !(ours.Capped < 0.98*r.Capped) {
				t.Errorf("%s: capped error %.3f m, %s %.3f m", name, ours.Capped, rule, r.Capped)
			}
		}
		for _, rule := range []string{newest, gnn, GNNPose} {
			if r := found[[2]string{name, rule}]; !(ours.OSPA < 0.95*r.OSPA) {
				t.Errorf("%s: OSPA %.3f m, %s %.3f m", name, ours.OSPA, rule, r.OSPA)
			}
		}
		if own := found[[2]string{name, own}]; !(coded.Capped < 0.7*own.Capped) {
			t.Errorf("%s: through package v2 %.3f m, alone %.3f m", name, coded.Capped, own.Capped)
		}
		if ours.NEES < 1 || ours.NEES > 3 {
			t.Errorf("%s: NEES %.2f, want about 2", name, ours.NEES)
		}
	}
}

// Faulty robots are named soon and taken back after their recovery, and healthy ones are not named.
func TestFaultyRobotsAreNamed(t *testing.T) {
	compareFigures(t)
	for name, faulty := range map[string]int{"match": 0, "twoagree": 6, "bias": 3, "kidnap": 3} {
		for key, r := range run(t, 3, name) {
			n := r.Naming
			if (n != nil) != (key[1] == Ours || key[1] == packages) {
				t.Errorf("%s: %s has the figures %+v", name, key[1], n)
			}
			if n == nil {
				continue
			}
			if n.Robots != 15 || n.Innocent != 0 || n.Faulty != faulty {
				t.Errorf("%s: %s named %d healthy robots of %d, %d were faulty", name, key[1], n.Innocent, n.Robots, n.Faulty)
			}
			if faulty > 0 && (n.Share < 100 || n.Named.Median > 8 || n.Named.Median <= 0 || n.TakenBack.Most > 5) {
				t.Errorf("%s: %s: %+v", name, key[1], n)
			}
		}
	}
}

// The world model knows how high a ball flies and where it lands better than rules in the plane, and does not lose a ball
// that two of the cameras see too far away.
func TestFlyingBall(t *testing.T) {
	compareFigures(t)
	scenarios := []string{"loft", "loftmixed"}
	found := run(t, 6, scenarios...)
	for _, name := range scenarios {
		ours, ci := found[[2]string{name, Ours}], found[[2]string{name, Intersection}]
		if o, c := ours.Flight, ci.Flight; !(o.Height < 0.5*c.Height && o.Capped < 0.9*c.Capped && o.Landing < 0.97*c.Landing) {
			t.Errorf("%s: %+v, in the plane %+v", name, *o, *c)
		}
		if !(ours.Capped < 0.9*ci.Capped) || ours.NEES < 1 || ours.NEES > 3 {
			t.Errorf("%s: capped error %.3f m with NEES %.2f, in the plane %.3f m", name, ours.Capped, ours.NEES, ci.Capped)
		}
		if ours.Naming.Innocent > 0 {
			t.Errorf("%s: %d healthy robots are named", name, ours.Naming.Innocent)
		}
	}
}

// The same seeds give the same figures.
func TestTrialsSameSeeds(t *testing.T) {
	for _, source := range []Source{Generator, Simulator} {
		play := func() map[[2]string]Result { return runOn(t, source, 2, "match", "kidnap") }
		if a, b := play(), play(); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: two runs with the same seeds differ", source)
		}
	}
}

// The robots of the session, too, err less than the published rules with what they perceive and receive.
func TestSimulator(t *testing.T) {
	compareFigures(t)
	scenarios := []string{"nominal", "loss60", "match"}
	found := runOn(t, Simulator, 3, scenarios...)
	for _, name := range scenarios {
		ours, coded := found[[2]string{name, Ours}], found[[2]string{name, packages}]
		for _, rule := range []string{own, Cambada, BHuman, sum, Intersection} {
			if r := found[[2]string{name, rule}]; !(ours.Capped < 0.98*r.Capped && coded.Capped < 0.98*r.Capped) {
				t.Errorf("%s: capped error %.3f m, through packages %.3f m, %s %.3f m", name, ours.Capped, coded.Capped, rule,
					r.Capped)
			}
		}
		for _, rule := range []string{newest, gnn, GNNPose} {
			if r := found[[2]string{name, rule}]; !(ours.OSPA < 0.6*r.OSPA) {
				t.Errorf("%s: OSPA %.3f m, %s %.3f m", name, ours.OSPA, rule, r.OSPA)
			}
		}
		if ours.NEES < 1 || ours.NEES > 3 {
			t.Errorf("%s: NEES %.2f, want about 2", name, ours.NEES)
		}
	}
	for _, rule := range []string{Ours, packages, Intersection} { // the link loses the packages of all
		all, few := found[[2]string{"nominal", rule}], found[[2]string{"loss60", rule}]
		if !(few.Capped > 1.05*all.Capped) {
			t.Errorf("%s: %.3f m, with 60 %% loss %.3f m", rule, all.Capped, few.Capped)
		}
	}
}

// The rules reach the figures at which they were measured elsewhere with this generator (Fusion baselines): the covariance
// intersection 0.209 m, GNN 0.235 m, GNN with the poses' covariance 0.227 m, newest wins 0.651 m.
func TestBaselinesAreFair(t *testing.T) {
	compareFigures(t)
	found := run(t, 12, "nominal")
	for rule, want := range map[string]float64{gnn: 0.235, GNNPose: 0.227, newest: 0.651} {
		if got := found[[2]string{"nominal", rule}].OSPA; got < 0.9*want || got > 1.1*want {
			t.Errorf("%s: OSPA %.3f m, want %.3f m within 10 %%", rule, got, want)
		}
	}
	if got := found[[2]string{"nominal", Intersection}].Capped; got < 0.9*0.209 || got > 1.1*0.209 {
		t.Errorf("covariance intersection: %.3f m, want 0.209 m within 10 %%", got)
	}
}

func TestFind(t *testing.T) {
	if all, err := Find(Generator, nil); err != nil || len(all) != 27 {
		t.Errorf("%d scenarios, %v, want 27", len(all), err)
	}
	if all, err := Find(Simulator, nil); err != nil || len(all) != 12 {
		t.Errorf("%d scenarios of the simulator, %v, want 12", len(all), err)
	}
	_, err := Find(Generator, []string{"nominal", "rain"})
	if err == nil || !strings.Contains(err.Error(), `the generator has no scenario "rain"; it has nominal, match`) {
		t.Errorf("got error %v, want one that names the scenarios", err)
	}
}

// Games end with the caller's context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := TrialsRun(ctx, DefaultTrialsConfig(), func([]Result) { t.Error("a result after the end") })
	if err != context.Canceled {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// BenchmarkTrialsGame plays one nominal game of a minute with all estimators.
func BenchmarkTrialsGame(b *testing.B) {
	cfg := DefaultTrialsConfig()
	cfg.Scenarios = cfg.Scenarios[:1]
	cfg.Seeds = 1
	for b.Loop() {
		if err := TrialsRun(context.Background(), cfg, func([]Result) {}); err != nil {
			b.Fatal(err)
		}
	}
}
