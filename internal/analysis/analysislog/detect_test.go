package analysislog_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/analysis/analysislog"
	"touchline/internal/match"
	"touchline/matchlog"
	"touchline/soccer"
)

// witness counts the figures of a match from what the simulator tells 50 times a second, apart from the code under test.
type witness struct {
	field      soccer.Field
	last, from soccer.Time // newest look, and when play began
	running    bool
	goals      [2]int
	kick       int // place of the newest kick among the events; -1: somebody had the ball since, or none
	kicked     soccer.Time
	onTarget   bool
	has        [2]float64 // s
	played     float64    // s
	way        float64    // m of home's robots
	was        map[autoref.Player]autoref.Robot
	events     []analysis.Event
	contact    autoref.Player
	robots     map[uint8]bool
}

func (w *witness) look(now soccer.Time, s *autoref.Scene, st *game.State) {
	dt := now.Sub(w.last).Seconds()
	w.last = now
	w.drive(s)
	goals := [2]int{st.Home.Goals, st.Away.Goals}
	for i, side := range game.Sides {
		pushed := w.kick < 0 || !w.onTarget || w.events[w.kick].By.Side != side
		if goals[i] > w.goals[i] && pushed && w.contact.Side == side {
			w.events = append(w.events, analysis.Event{At: now, Kind: analysis.Shot, By: w.contact})
		}
	}
	w.goals = goals
	if !st.Running {
		w.running = false
		return
	}
	if !w.running {
		w.running, w.from, w.kick, w.contact = true, now, -1, autoref.Player{}
	}
	w.played += dt
	owner := s.Holder.Side
	if owner == game.Both && s.TouchedAt >= w.from && now.Sub(s.TouchedAt) <= 2*time.Second {
		owner = s.Touched.Side
	}
	for i, side := range game.Sides {
		if owner == side {
			w.has[i] += dt
		}
	}
	if s.Kicked.Side != game.Both && s.KickedAt >= w.from && s.KickedAt != w.kicked {
		direction := st.Part.Attack(s.Kicked.Side)
		ball, v := s.KickBall, s.KickVelocity
		ball.X, v.X = ball.X*direction, v.X*direction
		e := analysis.Event{At: s.KickedAt, Kind: analysis.Passed, By: s.Kicked}
		shot, on := analysis.Aimed(&w.field, ball, v)
		if shot {
			e.Kind = analysis.Shot
		}
		w.kick, w.kicked, w.onTarget = len(w.events), s.KickedAt, on
		w.events = append(w.events, e)
	}
	if s.Touched.Side == game.Both || s.TouchedAt < w.from {
		return
	}
	if w.contact = s.Touched; w.kick >= 0 && s.TouchedAt >= w.kicked && s.Touched != w.events[w.kick].By {
		e := &w.events[w.kick]
		e.Success = e.Kind == analysis.Passed && s.Touched.Side == e.By.Side
		if !w.onTarget || s.Touched.Side == e.By.Side || s.Touched.Number != soccer.Goalkeeper {
			w.kick = -1 // a ball that the goalkeeper touches can still go in
		}
	}
}

// drive sums up the ways of home's robots.
func (w *witness) drive(s *autoref.Scene) {
	for i := range s.Robots {
		r := &s.Robots[i]
		if r.Side != game.Home {
			continue
		}
		was := w.was[r.Player]
		if d := r.Pose.XY().Sub(was.Pose.XY()).Len(); r.On && was.On && d <= 0.5 {
			w.way += d
		}
		if w.was[r.Player] = *r; r.On {
			w.robots[r.Number] = true
		}
	}
}

// counted plays a match with 10 % loss, and counts its figures with the witness; from the samples of its record, with the
// contacts that they hold; from their positions alone; and from the worldstates that its base stations would send.
func counted(t testing.TB, seed uint64, half time.Duration) (w *witness, record, motion, worldstates *analysis.Tally) {
	t.Helper()
	cfg := match.DefaultMatchConfig()
	cfg.Seed, cfg.Half, cfg.Link.Loss = seed, half, 0.1
	cfg.Mixed = true // the base stations know the ball from the packages
	w = &witness{field: cfg.Field, kick: -1, last: soccer.Epoch, was: map[autoref.Player]autoref.Robot{}, robots: map[uint8]bool{}}
	tally := func() *analysis.Tally {
		t := analysis.NewTally(cfg.Field)
		t.Keep = analysis.MostEvents
		return t
	}
	record, motion, worldstates = tally(), tally(), tally()
	detector := analysis.Detector{Field: cfg.Field}
	var told, plain analysis.Frame
	log := newLog(t)
	var m *match.Match
	m, err := match.NewMatch(cfg, match.Tap{Look: w.look, Sample: func(now soccer.Time, s *autoref.Scene, st *game.State) {
		truth := analysis.Truth(now, s)
		analysis.Restore(&told.Scene, &truth)
		record.Step(now, &told.Scene, st)
		truth.Contacts = nil
		plain.Time, plain.State, plain.Known = now, *st, true
		plain.Told = analysis.Restore(&plain.Scene, &truth)
		detector.Fill(&plain)
		motion.Step(now, &plain.Scene, &plain.State)
		log.write(now, matchlog.States, st)
		for side, channel := range map[game.Side]string{game.Home: matchlog.Home, game.Away: matchlog.Away} {
			data, err := m.AppendWorldstate(nil, side)
			if err == nil && len(data) > 0 {
				err = log.Write(matchlog.Message{Time: now, Published: now, Channel: channel, Data: data[:len(data)-1]})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for !m.Over() {
		m.Advance(m.Now().Add(time.Second))
	}
	l := log.open()
	described, err := analysislog.Describe(l)
	if err != nil || described.Origin != analysis.FromWorldstates {
		t.Fatalf("origin %q, %v", described.Origin, err)
	}
	seen := analysis.Detector{Field: cfg.Field}
	err = described.Read(l, analysislog.Options{}, func(f *analysis.Frame) error {
		seen.Fill(f)
		worldstates.Step(f.Time, &f.Scene, &f.State)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return w, record, motion, worldstates
}

// score compares events of a kind.
type score struct{ right, told, found int }

func (s *score) f1() float64 { return 2 * float64(s.right) / float64(max(s.told+s.found, 1)) }

func (s *score) count(told, found []analysis.Event, kind func(*analysis.Event) bool) {
	used := map[int]bool{}
	for i := range found {
		if kind(&found[i]) {
			s.found++
		}
	}
	for i := range told {
		a := &told[i]
		if !kind(a) {
			continue
		}
		s.told++
		best, at := -1, time.Second
		for k := range found {
			b := &found[k]
			off := b.At.Sub(a.At).Abs()
			if kind(b) && !used[k] && b.By == a.By && off < at {
				best, at = k, off
			}
		}
		if best >= 0 {
			s.right++
			used[best] = true
		}
	}
}

func pass(e *analysis.Event) bool { return e.Kind == analysis.Passed && e.Success }
func shot(e *analysis.Event) bool { return e.Kind == analysis.Shot }

// compared compares the figures of matches with those of the witness.
type compared struct {
	passes, shots score
	worst, total  float64 // difference of the teams' possession: largest, and sum
	way, true     float64 // m
	matches       int
}

func (c *compared) count(w *witness, found *analysis.Tally) {
	c.passes.count(w.events, found.Events(), pass)
	c.shots.count(w.events, found.Events(), shot)
	v := found.View()
	off := max(math.Abs(w.has[0]/w.played-v.Home.Possession), math.Abs(w.has[1]/w.played-v.Away.Possession))
	c.worst, c.total, c.matches = max(c.worst, off), c.total+off, c.matches+1
	c.way, c.true = c.way+v.Home.Distance, c.true+w.way/float64(len(w.robots))
}

func (c *compared) distance() float64 { return c.way/c.true - 1 }

// everyOrigin compares the figures of each origin.
type everyOrigin struct{ record, motion, worldstates compared }

func (o *everyOrigin) count(t testing.TB, seed uint64) {
	w, record, motion, worldstates := counted(t, seed, time.Minute)
	o.record.count(w, record)
	o.motion.count(w, motion)
	o.worldstates.count(w, worldstates)
}

// A record has the figures of the simulator, counted by other code. Without the contacts that it holds, the detector finds
// nearly the same passes, shots and possession: it cannot see from ten samples a second who was last at the ball in a duel.
// Worldstates add the errors of what robots believe.
func TestAgainstSimulator(t *testing.T) {
	var o everyOrigin
	for seed := range uint64(3) {
		o.count(t, 100+seed)
	}
	for name, c := range map[string]struct {
		*compared
		passes, shots, worst, way float64
	}{
		"record": {&o.record, 0.95, 0.95, 0.01, 0.02}, "motion": {&o.motion, 0.85, 0.75, 0.06, 0.02},
		"worldstates": {&o.worldstates, 0.5, 0.4, 0.2, 0.2},
	} {
		text := fmt.Sprintf("%s: passes F1 %.3f, shots F1 %.3f, possession off by %.3f, distance by %.3f",
			name, c.compared.passes.f1(), c.compared.shots.f1(), c.compared.worst, c.distance())
		t.Log(text)
		if c.compared.passes.f1() < c.passes || c.compared.shots.f1() < c.shots || c.compared.worst > c.worst || math.Abs(c.distance()) > c.way {
			t.Error(text)
		}
	}
}

// BenchmarkAgainstSimulator measures the figures of a record, of its positions alone and of worldstates: -benchtime 200x
// plays 200 matches of 2 x 1 min.
func BenchmarkAgainstSimulator(b *testing.B) {
	var o everyOrigin
	for b.Loop() {
		o.count(b, 1+uint64(o.record.matches))
	}
	for name, c := range map[string]*compared{"record": &o.record, "motion": &o.motion, "worldstates": &o.worldstates} {
		b.ReportMetric(c.passes.f1(), name+"-passes-F1")
		b.ReportMetric(c.shots.f1(), name+"-shots-F1")
		b.ReportMetric(100*c.total/float64(c.matches), name+"-possession-points")
		b.ReportMetric(100*c.worst, name+"-worst-points")
		b.ReportMetric(100*c.distance(), name+"-distance-%")
	}
}
