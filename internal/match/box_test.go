package match

import (
	"testing"
	"time"

	"touchline/game"

	"touchline/soccer"
	"touchline/wire/team"
)

// foreignBox is a referee box outside the match, which carries out a decision when the test says so.
type foreignBox struct {
	*game.Game
	m       *Match
	waiting []game.Decision
	away    bool
}

func (o *foreignBox) State() (game.State, bool) {
	o.Tick(o.m.Now())
	return o.Game.State(), !o.away && len(o.waiting) == 0
}

func (o *foreignBox) Decide(d game.Decision) { o.waiting = append(o.waiting, d) }

// decides carries out what waits.
func (o *foreignBox) decides(t *testing.T) {
	t.Helper()
	for _, d := range o.waiting {
		if _, err := o.Apply(d); err != nil {
			t.Errorf("%s: %v", d.Command, err)
		}
	}
	o.waiting = nil
}

// A referee box outside leads the match: the referee decides there and waits for it, the teams change ends with it, and
// the match is over when it says so.
func TestObey(t *testing.T) {
	cfg := short()
	cfg.Home.External, cfg.Away.External = true, true
	m := open(t, cfg, Tap{Referee: func(game.Side, *team.Referee) { t.Error("the match has a base station") }})
	rules := game.DefaultRules()
	rules.HalfSeconds = 10
	box := &foreignBox{Game: game.New(rules, soccer.Epoch), m: m, away: true}
	m.Obey(box)
	var v View
	step := func(d time.Duration) {
		for range d / (20 * time.Millisecond) {
			for _, side := range game.Sides {
				for n := uint8(1); n <= 5; n++ {
					if err := m.Drive(side, n, &team.Motor{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			matchAdvance(m, 20*time.Millisecond)
		}
		m.View(&v)
	}
	if step(5 * time.Second); len(box.waiting) != 0 {
		t.Fatalf("the box is away, and gets the decisions %v", box.waiting)
	}
	box.away = false
	if step(5 * time.Second); len(box.waiting) != 1 || box.waiting[0].Command != game.KickOff {
		t.Fatalf("decisions %v wait, want one kick-off", box.waiting)
	}
	for range 400 {
		box.decides(t)
		if step(100 * time.Millisecond); v.Game.Part == game.HalfTime {
			break
		}
	}
	if home := v.Robots[0]; v.Game.Part != game.HalfTime || !v.Turned || home.Pose.X > 0 {
		t.Errorf("%s, home's goalkeeper is at %v: want half-time, and the robot where it stood: it has to drive", v.Game.Part, home.Pose)
	}
	for range 600 {
		if m.Over() {
			break
		}
		box.decides(t)
		step(100 * time.Millisecond)
	}
	if !m.Over() || v.Game.Part != game.End {
		t.Errorf("the match is in %q", v.Game.Part)
	}
}

// The belief that an external robot told is its belief for a second.
func TestBelieve(t *testing.T) {
	cfg := short()
	cfg.Away.External = true
	m := open(t, cfg, Tap{})
	var w soccer.World
	if m.World(game.Away, 3, &w) {
		t.Error("a robot that told nothing has a belief")
	}
	matchAdvance(m, time.Second)
	debug := team.Debug{Self: team.Self{Known: true, X: 2, Y: -1}}
	m.Believe(game.Away, 3, 100*time.Millisecond, &debug)
	m.Believe(game.Home, 3, 0, &debug) // its software is part of the match
	if !m.World(game.Away, 3, &w) || w.Self.Pose.X != 2 || w.Time != m.Now().Add(-100*time.Millisecond) {
		t.Errorf("it believes %+v", w)
	}
	if m.World(game.Home, 3, &w); w.Self.Pose.X > 0 {
		t.Errorf("a robot of the match believes %+v", w.Self)
	}
	if matchAdvance(m, 1100*time.Millisecond); m.World(game.Away, 3, &w) {
		t.Error("an old belief counts")
	}
}

// At half-time robots drive to their other half, and are there at the kick-off; those of a team that never moves are
// carried. No robot is elsewhere at once.
func TestChangeEnds(t *testing.T) {
	for name, still := range map[string]bool{"both drive": false, "away never moves": true} {
		cfg := short()
		cfg.Away.Still = still
		m := open(t, cfg, Tap{})
		var was, v View
		m.View(&was)
		for v.Game.Part != game.SecondHalf || !v.Game.Running {
			matchAdvance(m, 20*time.Millisecond)
			if m.View(&v); m.Over() {
				t.Fatal("the match has no second half")
			}
			for i := range v.Robots {
				r, before := &v.Robots[i], &was.Robots[i]
				carried := still && r.Side == game.Away && v.Turned != was.Turned
				if d := r.Pose.XY().Sub(before.Pose.XY()).Len(); d > 0.2 && !carried {
					t.Fatalf("%s: %s %d moves %.1f m in 20 ms in %s", name, r.Side, r.Number, d, v.Game.Part)
				}
			}
			was, v.Robots = v, was.Robots
		}
		for _, r := range was.Robots {
			if forward := r.Pose.X * float64(was.Game.Part.Attack(r.Side)); forward > 0.5 {
				t.Errorf("%s: %s %d is %.1f m in the other half at the kick-off", name, r.Side, r.Number, forward)
			}
		}
	}
}
