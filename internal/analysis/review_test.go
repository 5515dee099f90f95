package analysis_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/soccer"
)

const decided = soccer.Epoch + soccer.Time(time.Hour)

// decisions are the rulings of a test, each so many seconds after the first one.
func decisions(all ...analysis.Ruling) []analysis.Ruling {
	for i := range all {
		all[i].Number = i + 1
		all[i].At += decided
	}
	return all
}

func seconds(s float64) soccer.Time { return soccer.Time(s * 1e9) }

// film adds frames ten times a second, from and to in s after the decision; each draws what a frame shows.
func film(r *analysis.Reviewer, from, to float64, draw func(t float64, f *analysis.Frame)) {
	for k := int(math.Round(10 * from)); k <= int(math.Round(10*to)); k++ {
		t := float64(k) / 10
		f := analysis.Frame{Time: decided + seconds(t), At: decided + seconds(t), Known: true, Told: true}
		f.State.Part, f.State.Running = game.FirstHalf, true
		draw(t, &f)
		r.Add(&f)
	}
}

func reviewer(t *testing.T, origin analysis.Origin, number int, all ...analysis.Ruling) *analysis.Reviewer {
	t.Helper()
	r, err := analysis.NewReviewer(decisions(all...), number)
	if err != nil {
		t.Fatal(err)
	}
	r.Field, r.Origin, r.Names = soccer.MSL18x12(), origin, [2]string{"Lions", "Sharks"}
	return r
}

func goal(side game.Side) analysis.Ruling { return analysis.Ruling{Command: game.Goal, Side: side} }

func says(t *testing.T, v *analysis.Review, texts ...string) {
	t.Helper()
	all := strings.Join(append(slices.Clone(v.Measured), v.Partial...), "\n")
	for _, text := range texts {
		if !strings.Contains(all, text) {
			t.Errorf("no sentence has %q:\n%s", text, all)
		}
	}
}

// rolls is a ball that comes to rest at x beyond the middle of the goal line at x = 9, at y.
func rolls(rest, y float64) func(float64, *analysis.Frame) {
	return func(t float64, f *analysis.Frame) {
		x := min(9+2*(t+1), rest) // over the line's outer edge 1 s before the decision
		f.Scene.Ball = soccer.Vec3{X: x, Y: y, Z: soccer.BallRadius}
	}
}

// A goal counts when the whole ball is over the line, between the posts and under the bar.
func TestReviewOfAGoal(t *testing.T) {
	for _, c := range []struct {
		name    string
		rest, y float64
		command game.Command
		want    analysis.Says
		over    float64
	}{
		{"wholly over", 9.5, 0, game.Goal, analysis.SaysFor, 0.39},
		{"3 cm missing", 9.08, 0, game.Goal, analysis.SaysAgainst, -0.03},
		{"beside the post", 9.5, 1.2, game.Goal, analysis.SaysAgainst, 0.39},
		{"cancelled, and it was over", 9.5, 0, game.SubGoal, analysis.SaysAgainst, 0.39},
		{"cancelled, and it was not over", 9.08, 0, game.SubGoal, analysis.SaysFor, -0.03},
	} {
		r := reviewer(t, analysis.FromTruth, 1, analysis.Ruling{Command: c.command, Side: game.Home})
		film(r, -10, 5, rolls(c.rest, c.y))
		v := r.Review()
		if v.Says != c.want || v.Line == nil || len(v.Line.Views) != 1 || math.Abs(v.Line.Views[0].Over-c.over) > 1e-9 {
			t.Errorf("%s: says %q of %+v, want %q and %.2f m", c.name, v.Says, v.Line, c.want, c.over)
			continue
		}
		// Its centre is a radius behind the line 0.055 s after it is over the line's outer edge.
		if l := v.Line.Views[0]; l.Wholly && math.Abs(l.From-(-1+soccer.BallRadius/2)) > 1e-9 {
			t.Errorf("%s: over the line from %v s", c.name, l.From)
		}
	}
}

// In the second half home attacks -x of the hall, and the review shows it attacking +x.
func TestReviewTurnsTheField(t *testing.T) {
	r := reviewer(t, analysis.FromTruth, 1, goal(game.Home))
	film(r, -10, 5, func(s float64, f *analysis.Frame) {
		rolls(9.5, 0.5)(s, f)
		f.State.Part = game.SecondHalf
		f.Scene.Ball.X, f.Scene.Ball.Y = -f.Scene.Ball.X, -f.Scene.Ball.Y
		f.Scene.Robots = []autoref.Robot{{Player: autoref.Player{Side: game.Away, Number: 1}, Pose: soccer.Pose{X: -8.8}, On: true, There: true}}
	})
	v := r.Review()
	if v.Says != analysis.SaysFor || v.Line.End != 1 || math.Abs(v.Line.At.Y-0.5) > 1e-9 || v.Samples[0].Robots[0].Pose.X != 8.8 {
		t.Errorf("says %q, line %+v, robot %+v", v.Says, v.Line, v.Samples[0].Robots[0])
	}
	says(t, &v, "wholly over the goal line of Sharks", "from −0.94 s on", "39 cm at most", "between the posts", "Offside is not judged")
}

// believe gives both teams a ball with a standard deviation, of which away's is off by some m along x.
func believe(draw func(float64, *analysis.Frame), sigma, off float64) func(float64, *analysis.Frame) {
	return func(t float64, f *analysis.Frame) {
		draw(t, f)
		f.Told = false
		for i, side := range game.Sides {
			ball := f.Scene.Ball
			ball.X += float64(i) * off
			f.Beliefs = append(f.Beliefs, analysis.Belief{
				By: autoref.Player{Side: side, Number: 3}, At: f.At, Ball: &ball,
				Cov: &soccer.Cov{XX: sigma * sigma, YY: sigma * sigma},
			})
		}
	}
}

// Two equal beliefs have a standard deviation smaller by the square root of two; the ball is 4 cm over the line.
func TestReviewKnowsItsDoubt(t *testing.T) {
	for _, c := range []struct {
		sigma float64
		want  analysis.Says
	}{{0.02, analysis.SaysFor}, {0.04, analysis.SaysOpen}} {
		r := reviewer(t, analysis.FromPackages, 1, goal(game.Home))
		film(r, -10, 5, believe(rolls(9.15, 0), c.sigma, 0))
		v := r.Review()
		l := v.Line.Views
		if v.Says != c.want || len(l) != 3 || l[0].Of != "both" || math.Abs(l[0].Sigma-c.sigma/math.Sqrt2) > 1e-6 ||
			math.Abs(l[1].Sigma-c.sigma) > 1e-6 {
			t.Errorf("sigma %v: says %q, want %q: %+v", c.sigma, v.Says, c.want, l)
		}
	}
}

// Two teams that contradict each other by a metre know nothing within 2 cm.
func TestReviewOfTeamsThatContradictEachOther(t *testing.T) {
	r := reviewer(t, analysis.FromPackages, 1, goal(game.Home))
	film(r, -10, 5, believe(rolls(9.3, 0), 0.02, -1))
	v := r.Review()
	if v.Says != analysis.SaysOpen || v.Apart == nil || math.Abs(v.Apart.Mean-1) > 1e-9 {
		t.Errorf("says %q of %+v, apart %+v", v.Says, v.Line, v.Apart)
	}
	last := v.Samples[len(v.Samples)-1]
	// The mean's variance is 0.0002 m^2; chi squared of the difference is 1 m^2 / 0.0008 m^2 for two degrees of
	// freedom.
	if want := 0.0002 / 0.0008 / 2; math.Abs(last.Both.Cov.XX-want) > 1e-6 {
		t.Errorf("variance along x %v, want %v", last.Both.Cov.XX, want)
	}
	says(t, &v, "nobody can tell", "1.00 m apart on average")
}

// Worldstates have no covariance: it is the scatter of the places.
func TestReviewMeasuresTheScatter(t *testing.T) {
	r := reviewer(t, analysis.FromWorldstates, 1, goal(game.Home))
	film(r, -10, 5, func(s float64, f *analysis.Frame) {
		rolls(9.3, 0)(s, f)
		f.Told = false
		ball := f.Scene.Ball
		ball.X += 0.1 * math.Cos(math.Pi*10*s) // 10 cm to and fro
		f.Beliefs = []analysis.Belief{{By: autoref.Player{Side: game.Home, Number: analysis.Station}, At: f.At, Ball: &ball}}
	})
	v := r.Review()
	middle := v.Samples[len(v.Samples)-10]
	if c := middle.Home.Cov; c == nil || math.Sqrt(c.XX) < 0.09 || math.Sqrt(c.XX) > 0.13 || math.Sqrt(c.YY) > 0.031 {
		t.Errorf("covariance %+v, want 10 cm along x and 3 cm across", c)
	}
	if middle.Away != nil || middle.Home.By != 0 {
		t.Errorf("sample %+v", middle)
	}
}

// The ball is for the team that did not touch it last.
func TestReviewOfAThrowIn(t *testing.T) {
	for _, c := range []struct {
		by    game.Side
		again float64 // when home touches it, too
		want  analysis.Says
	}{{game.Away, 9, analysis.SaysFor}, {game.Home, 9, analysis.SaysAgainst}, {game.Away, -1.95, analysis.SaysOpen}} {
		r := reviewer(t, analysis.FromTruth, 1, analysis.Ruling{Command: game.ThrowIn, Side: game.Home})
		film(r, -10, 5, func(s float64, f *analysis.Frame) {
			f.Scene.Ball = soccer.Vec3{X: 2, Y: min(6+3*(s+2), 7), Z: soccer.BallRadius}
			f.Scene.Touched, f.Scene.TouchedAt = autoref.Player{Side: c.by, Number: 4}, decided+seconds(min(s, -2.5))
			if s >= c.again { // as the ball crosses the line, between two samples
				f.Scene.Touched, f.Scene.TouchedAt = autoref.Player{Side: game.Home, Number: 2}, decided+seconds(c.again)
			}
		})
		v := r.Review()
		if v.Says != c.want || v.Line.Goal || v.Line.End != 1 {
			t.Errorf("last touched by %s: says %q, want %q; %+v", c.by, v.Says, c.want, v.Line)
		}
		if c.want == analysis.SaysOpen {
			says(t, &v, "nobody can tell which one was last")
			continue
		}
		says(t, &v, "the upper touch line", "4 touched the ball last before that, at −2.50 s (told by the simulator)")
	}
}

// Until the ball is in play opponents keep 3 m (simatch), those in their own penalty area excepted.
func TestReviewOfASetPiece(t *testing.T) {
	home := func(n uint8, x, y float64) autoref.Robot {
		return autoref.Robot{Player: autoref.Player{Side: game.Home, Number: n}, Pose: soccer.Pose{X: x, Y: y}, On: true, There: true}
	}
	away := func(n uint8, x, y float64) autoref.Robot {
		r := home(n, x, y)
		r.Side = game.Away
		return r
	}
	for _, c := range []struct {
		name   string
		piece  game.Command
		ball   soccer.Vec3
		robots []autoref.Robot
		want   analysis.Says
		text   string
	}{
		{"all far away", game.FreeKick, soccer.Vec3{X: 1}, []autoref.Robot{home(2, 0.5, 0), home(3, 1, 2.2), away(2, 4.2, 0)},
			analysis.SaysFor, "the nearest opponent, Sharks 2, stood 3.20 m from the ball and has to keep 3.00 m (simatch)"},
		{"an opponent at 2.5 m", game.FreeKick, soccer.Vec3{X: 1}, []autoref.Robot{home(2, 0.5, 0), away(2, 3.5, 0)},
			analysis.SaysAgainst, "Sharks 2 stood 2.50 m from the ball and has to keep 3.00 m"},
		{"an opponent at 2.95 m", game.FreeKick, soccer.Vec3{X: 1}, []autoref.Robot{home(2, 0.5, 0), away(2, 3.95, 0)},
			analysis.SaysFor, "stood 2.95 m"},
		{"in its own penalty area", game.FreeKick, soccer.Vec3{X: 6}, []autoref.Robot{home(2, 5.5, 0), away(2, 7.5, 0)},
			analysis.SaysFor, "no robot stood too near"},
		{"a teammate at 1 m", game.FreeKick, soccer.Vec3{X: 1}, []autoref.Robot{home(2, 0.5, 0), home(3, 1, 1)},
			analysis.SaysAgainst, "Lions 3 stood 1.00 m from the ball and has to keep 2.00 m"},
		{"in the other half", game.KickOff, soccer.Vec3{}, []autoref.Robot{home(2, -0.5, 0), home(3, 2.5, 0)},
			analysis.SaysAgainst, "Lions 3 stood 2.50 m in the other half"},
		{"the goalkeeper at a penalty", game.PenaltyKick, soccer.Vec3{X: 5.4}, []autoref.Robot{home(2, 4.9, 0), away(1, 8.7, 0)},
			analysis.SaysFor, "no robot stood too near"},
		{"the robot at a throw-in stands behind the line", game.ThrowIn, soccer.Vec3{Y: 5.9}, []autoref.Robot{home(2, 0, 6.4), home(3, 2.5, 5), away(2, 0, 2)},
			analysis.SaysFor, "the nearest opponent, Sharks 2, stood 3.90 m"},
		{"a robot in repair beside the line", game.ThrowIn, soccer.Vec3{Y: 5.7}, []autoref.Robot{home(2, 0, 5.2), away(5, 0.5, 6.3), away(2, 0, 2)},
			analysis.SaysFor, "the nearest opponent, Sharks 2, stood 3.70 m"},
		{"a dropped ball", game.DropBall, soccer.Vec3{}, []autoref.Robot{home(2, -1.2, 0), away(2, 0.7, 0)},
			analysis.SaysAgainst, "Sharks 2 stood 70 cm from the ball and has to keep 1.00 m"},
	} {
		side := game.Home
		if c.piece == game.DropBall {
			side = game.Both
		}
		all := []analysis.Ruling{{Command: c.piece, Side: side}, {Command: game.Start, At: seconds(12)}}
		for number, at := range []float64{0, 12} { // the set piece, and its START
			r := reviewer(t, analysis.FromTruth, number+1, all...)
			for _, span := range r.Spans() {
				film(r, span[0].Sub(decided).Seconds(), span[1].Sub(decided).Seconds(), func(_ float64, f *analysis.Frame) {
					f.Scene.Ball, f.Scene.Robots = c.ball, slices.Clone(c.robots)
					f.State.Away.Penalties = []game.Penalty{{Command: game.Repair, Robot: 5, Sent: true}}
				})
			}
			v := r.Review()
			says(t, &v, c.text)
			if d := v.Distances; d == nil || math.Abs(d.T-(12-at)) > 0.01 || number == 1 && v.Says != c.want {
				t.Errorf("%s, decision %d: says %q, want %q: %+v", c.name, number+1, v.Says, c.want, d)
			}
		}
	}
}

func TestReviewOfACard(t *testing.T) {
	r := reviewer(t, analysis.FromTruth, 1, analysis.Ruling{Command: game.YellowCard, Side: game.Away, Robot: 5})
	film(r, -10, 5, func(s float64, f *analysis.Frame) {
		f.Scene.Robots = []autoref.Robot{
			{Player: autoref.Player{Side: game.Home, Number: 2}, On: true, There: true},
			{Player: autoref.Player{Side: game.Away, Number: 5}, Pose: soccer.Pose{X: 0.5 + math.Abs(s+3)}, On: true, There: true},
		}
	})
	v := r.Review()
	says(t, &v, "Sharks 5 and Lions 2 came as near as 50 cm, from centre to centre, 3.00 s before the decision")
}

func TestReviewOfBadInput(t *testing.T) {
	if _, err := analysis.NewReviewer(decisions(goal(game.Home)), 2); err == nil || !strings.Contains(err.Error(), "no decision 2") {
		t.Errorf("an unknown decision: %v", err)
	}
	r := reviewer(t, analysis.FromTruth, 1, goal(game.Home))
	v := r.Review()
	says(t, &v, "holds nothing of the field")
	if v.Says != analysis.SaysOpen || v.Samples == nil || v.Line != nil {
		t.Errorf("without samples: %+v", v)
	}

	r = reviewer(t, analysis.FromTruth, 1, goal(game.Home))
	film(r, -10, -7, rolls(9.5, 0))
	film(r, -4, 1, rolls(9.5, 0))
	film(r, -2, 0, rolls(9.5, 0)) // the clock goes back
	v = r.Review()
	says(t, &v, "nothing from −7.00 s to −4.00 s", "to +1.00 s, not to +5.00 s", "the log's clock went back: 21 samples")

	r = reviewer(t, analysis.FromTruth, 1, goal(game.Home))
	film(r, -4, 5, rolls(9.5, 0))
	v = r.Review()
	says(t, &v, "from −4.00 s on, not from −10.00 s")

	r = reviewer(t, analysis.FromTruth, 1, analysis.Ruling{Command: game.RedCard, Side: game.Away, Robot: 77})
	film(r, -10, 5, rolls(9.5, 0))
	v = r.Review()
	says(t, &v, "robot 77 of Sharks is not on the field")

	r = reviewer(t, analysis.FromPackages, 1, goal(game.Home))
	film(r, -10, 5, func(s float64, f *analysis.Frame) {
		believe(rolls(9.5, 0), 0.02, 0)(s, f)
		f.Beliefs[0].Ball.X = math.NaN()
		f.Beliefs[1].Cov = &soccer.Cov{XX: 1, YY: 1, XY: 2} // no ellipse
		f.Scene.Robots = []autoref.Robot{{Player: autoref.Player{Side: game.Home, Number: 2}, Pose: soccer.Pose{X: math.Inf(1)}, On: true}}
	})
	v = r.Review()
	if s := v.Samples[0]; s.Home != nil || len(s.Robots) != 0 || s.Away == nil {
		t.Errorf("sample %+v", s)
	}

	r = reviewer(t, analysis.FromTruth, 1, goal(game.Home))
	for k := range 5000 {
		f := analysis.Frame{Time: decided, At: decided.Add(-10*time.Second + time.Duration(k)*time.Millisecond), Known: true}
		r.Add(&f)
	}
	v = r.Review()
	says(t, &v, "more than 2000 samples")
}
