package selfloc_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"touchline/soccer"
	"touchline/world/selfloc"
)

// While a robot drives, it knows its pose within the tolerance of the Falcons, and how much it errs.
func TestKnowsThePoseWhileDriving(t *testing.T) {
	var errs, turns []float64
	nees := 0.0
	for seed := range uint64(4) {
		w := newWalk(t, seed, soccer.Pose{X: -4, Y: 2, Theta: 1})
		w.l.Place(w.engine.Now(), w.pose, 0.1, 0.05)
		w.drive(20*time.Second, func() {
			e := w.estimate()
			if !e.Self.Known {
				t.Fatalf("seed %d: after %v the pose is unknown: %+v", seed, w.engine.Now().Sub(soccer.Epoch), e)
			}
			d, turn := w.off(&e)
			errs, turns = append(errs, d), append(turns, turn)
			x, y := e.Self.Pose.X-w.pose.X, e.Self.Pose.Y-w.pose.Y
			c := e.Self.Cov
			nees += (x*x*c[3] - 2*x*y*c[1] + y*y*c[0]) / (c[0]*c[3] - c[1]*c[1])
		})
	}
	slices.Sort(errs)
	slices.Sort(turns)
	n := len(errs)
	if sigma, p95 := errs[n*68/100], errs[n*95/100]; sigma > 0.03 || p95 > 0.08 {
		t.Errorf("68 %% of the positions are within %.3f m, 95 %% within %.3f m: want 0.03 m and 0.08 m", sigma, p95)
	}
	if sigma := turns[n*68/100]; sigma > 0.02 {
		t.Errorf("68 %% of the headings are within %.4f rad, want 0.02 rad", sigma)
	}
	if mean := nees / float64(n); mean < 0.5 || mean > 4 {
		t.Errorf("NEES of the position %.2f, want about 2", mean)
	}
}

// A robot that nobody placed finds the pose, or the one turned by pi, and says that it cannot tell them apart.
func TestFindsThePose(t *testing.T) {
	for seed := range uint64(6) {
		w := newWalk(t, seed, soccer.Pose{X: -4 + float64(seed), Y: 3, Theta: float64(seed)})
		if e := w.estimate(); e.Self.Known {
			t.Fatalf("a pose before the first picture: %+v", e)
		}
		w.drive(3*time.Second, nil)
		e := w.estimate()
		either := e
		if either.Self.Pose = e.Self.Pose.Turned(); e.Self.Pose.XY().Sub(w.pose.XY()).Len() < 1 {
			either = e
		}
		if d, turn := w.off(&either); !e.Self.Known || d > 0.2 || turn > 0.1 {
			t.Errorf("seed %d: robot at %+v, estimate %+v", seed, w.pose, e)
		}
		if e.Turned < 0.3 || e.Self.Confidence > 0.7 {
			t.Errorf("seed %d: turned with %.2f, confidence %.2f: nothing tells the halves apart", seed, e.Turned, e.Self.Confidence)
		}
	}
}

// A robot that was carried away finds itself again. A compass or teammates tell it the half of the field.
func TestFoundAfterKidnapping(t *testing.T) {
	for name, tell := range map[string]func(*walk){
		"compass": func(w *walk) { w.l.Compass(w.engine.Now(), w.pose.Theta+0.3*w.rng.NormFloat64(), 0.3) },
		"mates": func(w *walk) {
			w.l.Sights(w.sights(2, soccer.Vec{X: -1, Y: -3}))
			w.l.Sights(w.sights(3, soccer.Vec{X: 5, Y: 2}))
		},
	} {
		for seed := range uint64(6) {
			w := newWalk(t, seed, soccer.Pose{X: -4, Y: 2, Theta: 1})
			w.l.Place(w.engine.Now(), w.pose, 0.1, 0.05)
			w.drive(5*time.Second, nil)
			w.carry(soccer.Pose{X: 6, Y: -3 + float64(seed), Theta: 2})
			n := 0
			w.drive(4*time.Second, func() {
				if n++; n%10 == 0 {
					tell(w)
				}
			})
			e := w.estimate()
			if d, turn := w.off(&e); !e.Self.Known || d > 0.3 || turn > 0.1 || e.Turned > 0.05 {
				t.Errorf("%s, seed %d: robot at %+v, estimate %+v", name, seed, w.pose, e)
			}
			if found := w.l.Counts().Found; found == 0 {
				t.Errorf("%s, seed %d: the pose elsewhere is not counted", name, seed)
			}
		}
	}
}

// While a robot is carried away, it does not go on to tell its old pose for long.
func TestQualityFallsAfterKidnapping(t *testing.T) {
	w := newWalk(t, 3, soccer.Pose{X: -4, Y: 2, Theta: 1})
	w.l.Place(w.engine.Now(), w.pose, 0.1, 0.05)
	w.drive(5*time.Second, nil)
	before := w.estimate()
	w.carry(soccer.Pose{X: 5, Y: -1, Theta: 2})
	least := 1.0
	w.drive(time.Second, func() {
		e := w.estimate()
		least = min(least, e.Quality)
		if !e.Self.Known && e.Self != (soccer.Localisation{}) {
			t.Fatalf("an unknown pose with fields: %+v", e.Self)
		}
	})
	if before.Quality < 0.5 || least > 0.7*before.Quality {
		t.Errorf("quality %.2f before, at least %.2f after", before.Quality, least)
	}
}

// Wrong sights do not turn a robot that knows its half: another robot stands at the opposite place for a while.
func TestARobotAtTheOppositePlace(t *testing.T) {
	w := newWalk(t, 1, soccer.Pose{X: -4, Y: 2, Theta: 1})
	w.l.Place(w.engine.Now(), w.pose, 0.1, 0.05)
	w.drive(3*time.Second, nil)
	for range 20 {
		w.l.Sights(&selfloc.Sights{
			Mate: 2, Time: w.engine.Now(), From: soccer.Vec{X: 1}, Range: 5, Sigma: 0.2, Robots: []soccer.Vec{w.pose.Turned().XY()},
		})
	}
	e := w.estimate()
	if d, _ := w.off(&e); !e.Self.Known || d > 0.2 || e.Turned > 0.2 {
		t.Errorf("robot at %+v, estimate %+v", w.pose, e)
	}
}

// Without lines the covariance grows with the way, and teammates keep the error small.
func TestMatesReplaceLines(t *testing.T) {
	run := func(mates bool) (worst float64, cov float64) {
		for seed := range uint64(5) {
			w := newWalk(t, seed, soccer.Pose{X: -4, Y: 2, Theta: 1})
			w.l.Place(w.engine.Now(), w.pose, 0.05, 0.02)
			w.blind = true
			n := 0
			w.drive(20*time.Second, func() {
				if n++; mates && n%10 == 0 {
					w.l.Sights(w.sights(2, soccer.Vec{X: -1, Y: -3}))
					w.l.Sights(w.sights(3, soccer.Vec{X: 5, Y: 2}))
				}
			})
			e := w.l.Estimate(w.engine.Now())
			cov = math.Max(cov, e.Self.Cov[0]+e.Self.Cov[3])
			if e.Self.Known {
				d, _ := w.off(&e)
				worst = math.Max(worst, d)
			} else {
				worst = math.Inf(1)
			}
		}
		return worst, cov
	}
	if worst, _ := run(true); worst > 0.6 {
		t.Errorf("with teammates: %.2f m off", worst)
	}
	if worst, _ := run(false); worst < 0.6 {
		t.Errorf("without lines and teammates %.2f m off after 30 m of way: this test shows nothing", worst)
	}
}

// A robot without odometry follows its pose by lines alone, less exactly.
func TestWithoutOdometry(t *testing.T) {
	w := newWalk(t, 2, soccer.Pose{X: -4, Y: 2, Theta: 1})
	l := selfloc.New(selfloc.DefaultConfig(soccer.MSL18x12()))
	l.Place(w.engine.Now(), w.pose, 0.1, 0.05)
	n, worst := 0, 0.0
	w.drive(15*time.Second, func() {
		if n++; n%4 == 0 {
			w.late[len(w.late)-1](l)
			e := l.Estimate(w.engine.Now())
			if d, _ := w.off(&e); !e.Self.Known || d > worst {
				worst = d
			}
			if e.Self.HasTwist {
				t.Fatal("a velocity without odometry")
			}
		}
	})
	if worst > 0.5 {
		t.Errorf("up to %.2f m off", worst)
	}
}

// Pictures that arrive out of order give about the same pose, and asking does not change it.
func TestLateAndAsked(t *testing.T) {
	w := newWalk(t, 1, soccer.Pose{X: -4, Y: 2, Theta: 1})
	cfg := selfloc.DefaultConfig(soccer.MSL18x12())
	swapped, asked, plain := selfloc.New(cfg), selfloc.New(cfg), selfloc.New(cfg)
	for _, l := range []*selfloc.Locator{swapped, asked, plain} {
		l.Place(w.engine.Now(), w.pose, 0.1, 0.05)
	}
	w.blind = true // w.l is not used
	n := 0
	w.drive(6*time.Second, func() {
		now, travel := w.engine.Now(), w.wheels.Travel()
		for _, l := range []*selfloc.Locator{swapped, asked, plain} {
			l.Odometry(now, travel)
		}
		asked.Estimate(now.Add(time.Duration(n) * ms))
		if n++; n%4 != 0 {
			return
		}
		newest := w.late[len(w.late)-1]
		newest(asked)
		newest(plain)
		if n%8 == 0 { // both pictures, the later one first
			newest(swapped)
			if before := w.previous; before != nil {
				before(swapped)
			}
		}
		w.previous = newest
	})
	now := w.engine.Now()
	if a, b := asked.Estimate(now), plain.Estimate(now); a != b {
		t.Errorf("asked: %+v, not asked: %+v", a, b)
	}
	e := swapped.Estimate(now)
	if d, _ := w.off(&e); !e.Self.Known || d > 0.15 {
		t.Errorf("out of order: robot at %+v, estimate %+v", w.pose, e.Self)
	}
}

func TestSameInputSamePose(t *testing.T) {
	run := func() selfloc.Estimate {
		w := newWalk(t, 9, soccer.Pose{X: 2, Y: -2, Theta: 0.5})
		w.drive(4*time.Second, func() { w.l.Sights(w.sights(2, soccer.Vec{})) })
		return w.estimate()
	}
	if a, b := run(), run(); a != b {
		t.Errorf("got %+v and %+v", a, b)
	}
}

func TestUselessInput(t *testing.T) {
	w := newWalk(t, 1, soccer.Pose{X: -4, Y: 2, Theta: 1})
	w.l.Place(w.engine.Now(), w.pose, 0.1, 0.05)
	w.drive(2*time.Second, nil)
	now, nan, inf := w.engine.Now(), math.NaN(), math.Inf(1)
	before := w.l.Counts()
	w.l.Odometry(now.Add(ms), soccer.Pose{X: nan})
	w.l.Odometry(now.Add(-time.Second), soccer.Pose{})
	w.l.Odometry(now.Add(ms), soccer.Pose{X: 500}) // started again
	w.l.Compass(now, inf, 1)
	w.l.Compass(now, 1, 0)
	w.l.Compass(now.Add(-2*time.Second), 1, 1)
	w.l.Place(now, soccer.Pose{Theta: nan}, 1, 1)
	w.l.Lines(now, []soccer.Vec{{X: nan}, {Y: inf}, {X: 1e300}, {}})
	w.l.Sights(&selfloc.Sights{Time: now, Sigma: nan})
	w.l.Sights(&selfloc.Sights{Time: now, Sigma: 1, Robots: []soccer.Vec{{X: nan}, {Y: inf}}})
	got := w.l.Counts()
	if n := got.Absurd - before.Absurd; n != 9 {
		t.Errorf("%d absurd values, want 9: %+v", n, got)
	}
	if got.Stale-before.Stale != 2 || got.Restart-before.Restart != 1 {
		t.Errorf("got %+v after %+v", got, before)
	}
	if e := w.estimate(); !e.Self.Known {
		t.Errorf("the pose is unknown afterwards: %+v", e)
	} else if d, _ := w.off(&e); d > 0.1 {
		t.Errorf("%.2f m off afterwards", d)
	}
	// Of many points only some are used.
	many := make([]soccer.Vec, 10_000)
	for i := range many {
		many[i] = soccer.Vec{X: 3 * math.Cos(float64(i)), Y: 3 * math.Sin(float64(i))}
	}
	w.l.Lines(now.Add(40*ms), many)
	w.drive(2*time.Second, nil)
	if e := w.estimate(); !e.Self.Known {
		t.Errorf("unknown after one picture of nonsense: %+v", e)
	}
}

func TestNoAllocation(t *testing.T) {
	w := newWalk(t, 1, soccer.Pose{X: -4, Y: 2, Theta: 1})
	w.drive(2*time.Second, nil)
	points, err := w.eyes.Scan(w.engine, 2*math.Pi, nil)
	if err != nil {
		t.Fatal(err)
	}
	now, travel, sights := w.engine.Now(), w.wheels.Travel(), w.sights(2, soccer.Vec{})
	if n := testing.AllocsPerRun(200, func() {
		now = now.Add(40 * ms)
		sights.Time = now
		w.l.Odometry(now, travel)
		w.l.Lines(now, points)
		w.l.Sights(sights)
		w.l.Compass(now, 1, 0.5)
		w.l.Estimate(now)
	}); n != 0 {
		t.Errorf("%v allocations a picture, want none", n)
	}
}

// FuzzLocator feeds arbitrary numbers: nothing panics, and an estimate is finite.
func FuzzLocator(f *testing.F) {
	f.Add(uint64(1), 1.0, 2.0, 3.0, int64(40))
	f.Add(uint64(9), math.Inf(1), -1e300, math.NaN(), int64(-1))
	field := soccer.VSS5v5() // a map of few cells is fast to make
	f.Fuzz(func(t *testing.T, kinds uint64, a, b, c float64, step int64) {
		l := selfloc.New(selfloc.DefaultConfig(field))
		now := soccer.Epoch
		points := make([]soccer.Vec, 12)
		for i := range 24 {
			now = now.Add(time.Duration(step%2000) * ms)
			x, y := a*float64(i), b+float64(i)*c
			switch kinds >> (2 * i) & 3 {
			case 0:
				l.Odometry(now, soccer.Pose{X: x, Y: y, Theta: c})
			case 1:
				for k := range points {
					points[k] = soccer.Vec{X: x + float64(k), Y: y - float64(k)*c}
				}
				l.Lines(now, points)
			case 2:
				l.Sights(&selfloc.Sights{
					Mate: uint8(i), Time: now, From: soccer.Vec{X: x}, Sigma: c, SigmaFar: a, Robots: points[:3],
				})
			default:
				l.Compass(now, x, y)
				l.Place(now, soccer.Pose{X: x, Y: y, Theta: a}, b, c)
			}
			e := l.Estimate(now)
			for _, v := range append(e.Self.Cov[:], e.Self.Pose.X, e.Self.Pose.Y, e.Self.Pose.Theta, e.Turned, e.Quality) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("estimate %+v", e)
				}
			}
			if e.Self.Known && !(e.Self.Cov[0] > 0 && e.Self.Cov[3] > 0 && e.Self.Cov[5] > 0) {
				t.Fatalf("covariance %v", e.Self.Cov)
			}
		}
	})
}

// BenchmarkLines measures a picture of 60 points of a robot that knows its pose.
func BenchmarkLines(b *testing.B) {
	w := newWalk(&testing.T{}, 1, soccer.Pose{X: -4, Y: 2, Theta: 1})
	w.l.Place(w.engine.Now(), w.pose, 0.1, 0.05)
	w.drive(2*time.Second, nil)
	points, err := w.eyes.Scan(w.engine, 2*math.Pi, nil)
	if err != nil {
		b.Fatal(err)
	}
	now := w.engine.Now()
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(40 * ms)
		w.l.Odometry(now, w.wheels.Travel())
		w.l.Lines(now, points)
	}
}
