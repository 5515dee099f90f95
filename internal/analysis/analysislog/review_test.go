package analysislog_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/matchlog"
	"touchline/soccer"
)

// The goals that show in a record are those of the match, and the ball was over the line at each.
func TestReviewsOfARecord(t *testing.T) {
	want, l := play(t, 7, 60*time.Second)
	var v analysislog.Reviews
	list, err := v.Decisions(l)
	if err != nil || list.Names != [2]string{"one", "two"} {
		t.Fatalf("names %q, error %v", list.Names, err)
	}
	goals := 0
	for i := range list.Decisions {
		d := &list.Decisions[i]
		r, err := v.Review(l, d.Number)
		if err != nil || d.Number != i+1 || r.Decision.Number != d.Number || r.Origin != analysis.FromTruth {
			t.Fatalf("decision %d: %+v, error %v", i+1, r.Decision, err)
		}
		if d.Command == game.Goal {
			goals++
			if r.Says != analysis.SaysFor || len(r.Samples) < 140 {
				t.Errorf("goal at %.1f s: says %q of %d samples: %q", d.Clock, r.Says, len(r.Samples), r.Measured)
			}
		}
	}
	if goals == 0 || goals != len(want.Goals) {
		t.Errorf("%d goals, the match had %d", goals, len(want.Goals))
	}
}

// reviewed writes a log of a referee box: a throw-in and a goal, with the worldstates of home and, if truth is set, the truth.
func reviewed(t testing.TB, truth bool) *matchlog.Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "box.mcap")
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaHome: "Lions", matchlog.MetaAway: "Sharks", matchlog.MetaSize: "22x14"})
	if err != nil {
		t.Fatal(err)
	}
	write := func(at soccer.Time, channel string, data []byte) {
		if err := w.Write(matchlog.Message{Time: at, Published: at, Channel: channel, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	encode := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	at := func(s float64) soccer.Time { return soccer.Epoch + soccer.Time(1e9*s) }
	decisions := map[int][]game.Decision{
		0:   {{Time: at(0), Command: game.KickOff, Side: game.Home}},
		20:  {{Time: at(2), Command: game.Start}},
		200: {{Time: at(20), Command: game.Stop}, {Time: at(20), Command: game.Goal, Side: game.Home}},
		300: {{Time: at(30), Command: game.Undo}},
	}
	st := game.State{Part: game.FirstHalf, Running: true}
	for k := range 400 {
		now := at(float64(k) / 10)
		if k%10 == 0 {
			st.Time = now
			write(now, matchlog.States, encode(&st))
		}
		x := 11.4 - max(0, 19-float64(k)/10) // wholly over the goal line at x = 11 from 18.71 s on
		if truth {
			write(now, matchlog.Truth, encode(game.Truth{Time: now, Ball: soccer.Vec3{X: x, Z: soccer.BallRadius}, Contacts: &game.Contacts{
				Touched: game.Contact{Team: game.Home, Number: 4, At: at(12)}}}))
		}
		// In MSL's frame Y leads to the opponents' goal; the team believes the ball 5 cm nearer to its own.
		write(now, matchlog.Home, fmt.Appendf(nil, `{"type":"worldstate","teamName":"Lions","intention":"","robots":[],`+
			`"balls":[{"position":[0,%.3f,0.11],"velocity":[0,0,0],"confidence":0.9}],"obstacles":[],"ageMs":0}`, x-0.05))
		for _, d := range decisions[k] {
			write(now, matchlog.Decisions, encode(d))
		}
	}
	write(at(41), matchlog.Verdicts, []byte(`{"v":1,"decision":4,"verdict":"unclear"}`))
	write(at(42), matchlog.Verdicts, []byte(`{"v":1,"decision":4,"verdict":"upheld","note":"29 cm"}`))
	write(at(43), matchlog.Verdicts, []byte(`{"v":1,"decision":400,"verdict":"upheld"}`))
	write(at(43), matchlog.Verdicts, []byte(`no verdict`))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := matchlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestReviewsOfABox(t *testing.T) {
	l := reviewed(t, true)
	var v analysislog.Reviews
	list, err := v.Decisions(l)
	if err != nil || len(list.Decisions) != 5 {
		t.Fatalf("%+v, error %v", list, err)
	}
	goal := &list.Decisions[3]
	if goal.Verdict == nil || goal.Verdict.Found != game.Upheld || goal.Verdict.Note != "29 cm" || !goal.Gone || goal.Part != game.FirstHalf {
		t.Errorf("goal %+v, verdict %+v", goal, goal.Verdict)
	}
	r, err := v.Review(l, 4)
	if err != nil || r.Says != analysis.SaysFor || len(r.Line.Views) != 3 || r.Field.Length != 22 {
		t.Fatalf("says %q, line %+v, error %v", r.Says, r.Line, err)
	}
	truth, home := r.Line.Views[0], r.Line.Views[2]
	if truth.Of != "truth" || truth.Over < 0.28 || truth.Over > 0.30 || home.Of != "home" || home.Over < 0.23 || home.Over > 0.25 {
		t.Errorf("truth %+v, home %+v", truth, home)
	}
	if text := r.Measured[1]; !strings.HasPrefix(text, "Lions 4 touched the ball last before that, at −8.00 s (told by the simulator)") {
		t.Errorf("%q", text)
	}
}

// Without truth the team's own ball tells, and how steady it is.
func TestReviewsOfWorldstates(t *testing.T) {
	l := reviewed(t, false)
	r, err := new(analysislog.Reviews).Review(l, 4)
	if err != nil || r.Origin != analysis.FromWorldstates || r.Says != analysis.SaysFor {
		t.Fatalf("origin %q, says %q, error %v", r.Origin, r.Says, err)
	}
	if v := r.Line.Views[0]; v.Over < 0.23 || v.Over > 0.25 || v.Sigma < 0.03 || v.Sigma > 0.04 {
		t.Errorf("%+v", v)
	}
}

func TestReviewsOfBadRequests(t *testing.T) {
	l := reviewed(t, true)
	for text, want := range map[string]string{"6": "no decision 6: it has 5", "-1": "want the number", "x": "want the number"} {
		_, err := new(analysislog.Reviews).Serve(l, func(string) string { return text })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("decision=%s: %v, want %q", text, err, want)
		}
	}
}

// BenchmarkReview opens decisions of a packed record of 30 minutes, with the beliefs that a page needs; the log is indexed and
// its decisions are listed.
func BenchmarkReview(b *testing.B) {
	_, l := play(b, 7, 15*time.Minute)
	var v analysislog.Reviews
	begun := time.Now()
	list, err := v.Decisions(l)
	if err != nil {
		b.Fatal(err)
	}
	listed := time.Since(begun)
	for i := 0; b.Loop(); i++ {
		if _, err := v.Review(l, list.Decisions[i*37%len(list.Decisions)].Number); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(b.N), "ms/review")
	b.ReportMetric(float64(listed.Microseconds())/1e3, "ms/list")
}

// BenchmarkReviewOfAJournal opens decisions of a journal of 30 minutes while a referee box writes it: of its worldstates.
func BenchmarkReviewOfAJournal(b *testing.B) {
	path := filepath.Join(b.TempDir(), "box.mcap")
	w, err := matchlog.Create(path, map[string]string{matchlog.MetaSize: "22x14"})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Abandon()
	robot := `{"id":%d,"pose":[1.000,2.000,1.5708],"targetPose":[0.000,0.000,0.0000],"velocity":[0.100,0.200,0.0000],` +
		`"intention":"","batteryLevel":90.0,"ballEngaged":0}`
	robots := fmt.Sprintf(strings.Repeat(robot+",", 4)+robot, 1, 2, 3, 4, 5)
	grow := func(k int) {
		now := soccer.Epoch.Add(time.Duration(k) * 50 * time.Millisecond)
		write := func(channel, text string) {
			if err := w.Write(matchlog.Message{Time: now, Published: now, Channel: channel, Data: []byte(text)}); err != nil {
				b.Fatal(err)
			}
		}
		for _, team := range []string{matchlog.Home, matchlog.Away} {
			write(team, fmt.Sprintf(`{"type":"worldstate","teamName":"","intention":"","robots":[%s],"balls":[{"position":[0.100,%.3f,0.110],`+
				`"velocity":[0.000,0.000,0.000],"confidence":0.9}],"obstacles":[],"ageMs":20}`, robots, float64(k%300)/20))
		}
		if k%20 == 0 {
			write(matchlog.States, `{"part":"first half","running":true}`)
		}
		if k%400 == 0 {
			write(matchlog.Decisions, fmt.Sprintf(`{"v":1,"time":%d,"command":"THROWIN","side":"home"}`, now))
		}
	}
	const half = 30 * 60 * 20
	for k := range half {
		grow(k)
	}
	l, err := matchlog.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	var v analysislog.Reviews
	for i := 0; b.Loop(); i++ {
		grow(half + i)
		if err := l.Grow(); err != nil {
			b.Fatal(err)
		}
		if r, err := v.Review(l, 2+i*7%80); err != nil || len(r.Samples) != 150 {
			b.Fatalf("%d samples, error %v", len(r.Samples), err)
		}
	}
}
