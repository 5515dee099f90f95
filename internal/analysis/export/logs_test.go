package export

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/internal/analysis"
	"touchline/internal/match"
	"touchline/matchlog"
	"touchline/soccer"
)

// script writes a log.
type script struct {
	t testing.TB
	w *matchlog.Writer
}

// newLog creates a log, has write write it, and opens it.
func newLog(t testing.TB, meta map[string]string, write func(s *script)) *matchlog.Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.mcap")
	w, err := matchlog.CreatePacked(path, meta)
	if err != nil {
		t.Fatal(err)
	}
	write(&script{t, w})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := matchlog.Open(path)
	if err == nil {
		err = l.Wait()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func (s *script) text(at soccer.Time, channel string, data []byte) {
	s.t.Helper()
	if err := s.w.Write(matchlog.Message{Time: at, Published: at, Channel: channel, Data: data}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *script) put(at soccer.Time, channel string, v any) {
	s.t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	s.text(at, channel, data)
}

// at is the time of a frame of a scripted log.
func at(frame int) soccer.Time {
	return soccer.Epoch.Add(time.Duration(frame) * 100 * time.Millisecond)
}

// note writes a note of a person; to is 0 for a moment.
func (s *script) note(from, to soccer.Time, text string) {
	s.t.Helper()
	if _, err := s.w.Annotate(matchlog.Annotation{From: from, To: max(from, to), Text: text}); err != nil {
		s.t.Fatal(err)
	}
}

// scripted is a log of two short halves, ten frames a second: a kick-off, a pass from home 4 to home 5, which keeps the ball.
// Home 2 gets a red card in the first half, and home 6 replaces home 3 in the second one. Teams change ends.
func scripted(t testing.TB, size string, length, width float64) *matchlog.Log {
	meta := map[string]string{
		matchlog.MetaSize: size, matchlog.MetaHome: "Lions", matchlog.MetaAway: `Blue "Sharks", B`, "seed": "7", "flags": "touchline match --seed 7",
	}
	return newLog(t, meta, func(s *script) {
		s.note(at(20), at(24), `"well", he said, kicked`)
		s.note(at(0), 0, "before the game")
		s.note(at(5), 0, "the kick-off")
		for n := range 30 {
			st := game.State{Time: at(n), Part: game.FirstHalf, Running: n >= 4 && n < 12 || n >= 20 && n < 28}
			st.Total = time.Duration(n-2) * 100 * time.Millisecond
			switch {
			case n < 2:
				st.Part, st.Total = game.PreGame, 0
			case n >= 16:
				st.Part, st.Total = game.SecondHalf, time.Duration(n-16)*100*time.Millisecond
			case n >= 14:
				st.Part, st.Total = game.HalfTime, time.Duration(n-14)*100*time.Millisecond
			}
			if st.Running {
				st.Taking = game.SetPiece{Command: game.KickOff, Side: game.Home}
			}
			if n >= 8 {
				st.Home.Penalties = []game.Penalty{{Number: 1, Command: game.RedCard, Robot: 2, Sent: true}}
			}
			s.put(at(n), matchlog.States, &st)
			s.put(at(n), matchlog.Truth, scriptedTruth(n, length, width, st.Part.Attack(game.Home)))
			s.text(at(n), matchlog.TopicPrefix+"wall", fmt.Appendf(nil, `{"tiles":[{"number":1,"color":1,"state":"live","belief":{
"ball":{"x":%g,"y":0,"z":0.11,"cov":{"xx":0.02,"xy":-0.01,"yy":0.03},"age":250},
"robots":[{"number":1,"color":1,"shape":"robot","pose":{"x":%g,"y":1,"theta":3},"self":true}]}}]}`, float64(n)/10, 0.95*length/2))
		}
	})
}

// scriptedTruth returns the n-th frame of a scripted log.
func scriptedTruth(n int, length, width, direction float64) *game.Truth {
	var scene autoref.Scene
	put := func(side game.Side, number uint8, x, y float64) {
		pose := soccer.Pose{X: x * length / 2, Y: y * width / 2}
		if direction < 0 {
			pose = pose.Turned()
		}
		scene.Robots = append(scene.Robots, autoref.Robot{
			Player: autoref.Player{Side: side, Number: number}, Pose: pose, There: true, On: number != 3 || side == game.Home,
		})
	}
	step := float64(n) / 100
	put(game.Home, 1, -0.95, 0)
	put(game.Home, 2, -0.5, 0.5)
	if n < 18 {
		put(game.Home, 3, -0.5, -0.5)
	} else {
		put(game.Home, 6, -0.4, -0.6)
	}
	put(game.Home, 4, 0, 0)
	put(game.Home, 5, 0.3+step, 0.2)
	put(game.Away, 1, 0.95, 0)
	put(game.Away, 3, 0.5, -step)
	ball, kick, touch := 0.0, 5, 8
	if n >= 16 {
		kick, touch = 21, 24
	}
	scene.Touched, scene.TouchedAt = autoref.Player{Side: game.Home, Number: 4}, at(kick-1)
	if n >= kick {
		scene.Kicked, scene.KickedAt, scene.TouchedAt = scene.Touched, at(kick), at(kick)
		scene.KickVelocity = soccer.Vec3{X: direction, Y: direction}
		ball = 0.1 * float64(n-kick)
	}
	if n >= touch {
		ball = 0.3 + step
		scene.Holder = autoref.Player{Side: game.Home, Number: 5}
		scene.Touched, scene.TouchedAt = scene.Holder, at(touch)
	}
	scene.Ball = soccer.Vec3{X: ball * direction * length / 2, Y: 0.2 * ball * direction * width / 2, Z: soccer.BallRadius}
	var exact autoref.Scene
	analysis.Sample(&exact, &scene)
	truth := analysis.Truth(at(n), &exact)
	return &truth
}

// scriptedVSS is a log of a VSS simulator.
func scriptedVSS(t testing.TB) *matchlog.Log {
	return newLog(t, nil, func(s *script) {
		for n := range 12 {
			x := float64(n) / 50
			s.text(at(n), matchlog.VSS, fmt.Appendf(nil, `{"field":{"name":"VSS","length":1.5,"width":1.3,"goalWidth":0.4},"paused":%t,
"ball":{"position":{"x":%g,"y":-0.1,"z":0.0215}},"goalsBlue":0,"goalsYellow":0,
"blue":[{"id":0,"on":true,"pose":{"x":-0.7,"y":0,"theta":0}},{"id":1,"on":true,"pose":{"x":%g,"y":-0.1,"theta":0.5}},
{"id":2,"on":false,"pose":{"x":2,"y":0,"theta":0}}],
"yellow":[{"id":0,"on":true,"pose":{"x":0.7,"y":0.05,"theta":3.1}}]}`, n == 11, x+0.04, x-0.03))
		}
	})
}

// worldstates is a log of a referee box: one team sends worldstates without a ball in the first half, and with one after it.
func worldstates(t testing.TB) *matchlog.Log {
	meta := map[string]string{matchlog.MetaSize: "18x12", matchlog.MetaHome: "CAMBADA"}
	return newLog(t, meta, func(s *script) {
		for n := range 40 {
			st, balls := game.State{Part: game.FirstHalf, Running: true}, ``
			if n >= 20 {
				st.Part, balls = game.SecondHalf, `{"position":[1.5,2,0.11],"velocity":[0,0,0],"confidence":0.9}`
			}
			s.put(at(n), matchlog.States, &st)
			s.text(at(n), matchlog.Home, fmt.Appendf(nil, `{"type":"worldstate","teamName":"CAMBADA","intention":"","robots":[
{"id":1,"pose":[0.5,-8.5,0],"targetPose":[0,0,0],"velocity":[0,0,0],"intention":"","batteryLevel":90,"ballEngaged":0}],
"balls":[%s],"obstacles":[],"ageMs":0}`, balls))
		}
	})
}

// played plays a match and returns its log.
func played(t testing.TB, seed uint64, size string) *matchlog.Log {
	return edited(t, seed, size, 20*time.Second, func(*game.Truth, *game.State) {})
}

// edited plays a match and returns its log, in which edit changes each sample.
func edited(t testing.TB, seed uint64, size string, half time.Duration, edit func(*game.Truth, *game.State)) *matchlog.Log {
	return newLog(t, map[string]string{matchlog.MetaSize: size}, func(s *script) {
		playMatch(t, seed, size, half, func(_ *match.Match, now soccer.Time, scene *autoref.Scene, st *game.State) {
			truth, changed := analysis.Truth(now, scene), *st
			edit(&truth, &changed)
			s.put(now, matchlog.Truth, &truth)
			s.put(now, matchlog.States, &changed)
		})
	})
}

// playMatch plays a match, and calls sample ten times a second.
func playMatch(
	t testing.TB, seed uint64, size string, half time.Duration,
	sample func(m *match.Match, now soccer.Time, scene *autoref.Scene, st *game.State),
) {
	cfg := match.DefaultMatchConfig()
	cfg.Seed, cfg.Half, cfg.Link.Loss, cfg.Mixed = seed, half, 0.1, true
	if size == "22x14" {
		cfg.Field = soccer.MSL22x14()
	}
	var m *match.Match
	m, err := match.NewMatch(cfg, match.Tap{Sample: func(now soccer.Time, scene *autoref.Scene, st *game.State) {
		sample(m, now, scene, st)
	}})
	if err != nil {
		t.Fatal(err)
	}
	for !m.Over() {
		m.Advance(m.Now().Add(time.Second))
	}
}

// kinds are the kinds of matches that drawn draws.
const kinds = 4

// drawn is the n-th of many short matches: on 18 x 12 m and on 22 x 14 m, with a robot that is sent off and one that is
// replaced; on the field of VSS; and from worldstates that have no ball in one half.
func drawn(t testing.TB, n int) *matchlog.Log {
	random := rand.New(rand.NewPCG(uint64(n), 0xd4a3))
	half := time.Duration(5+random.IntN(6)) * time.Second
	switch n % kinds {
	case 2:
		return drawnVSS(t, random)
	case 3:
		blind := []game.Part{game.FirstHalf, game.SecondHalf}[n/kinds%2]
		return newLog(t, map[string]string{matchlog.MetaSize: "18x12"}, func(s *script) {
			playMatch(t, uint64(n), "18x12", half, func(m *match.Match, now soccer.Time, _ *autoref.Scene, st *game.State) {
				s.put(now, matchlog.States, st)
				for side, channel := range map[game.Side]string{game.Home: matchlog.Home, game.Away: matchlog.Away} {
					data, err := m.AppendWorldstate(nil, side)
					if err != nil || len(data) == 0 {
						t.Fatal(len(data), err)
					}
					if data = data[:len(data)-1]; st.Part == blind {
						data = withoutBalls.ReplaceAll(data, []byte(`"balls":[],"obstacles"`))
					}
					s.text(now, channel, data)
				}
			})
		})
	}
	sent, replaced := game.Sides[random.IntN(2)], game.Sides[random.IntN(2)]
	card, change := 10+random.IntN(50), 100*time.Millisecond*time.Duration(random.IntN(40))
	samples := 0
	return edited(t, uint64(n), []string{"18x12", "22x14"}[n%kinds], half, func(truth *game.Truth, st *game.State) {
		if samples++; !st.Part.IsInterval() && samples >= card {
			team := st.Team(sent)
			team.Penalties = append(slices.Clone(team.Penalties), game.Penalty{
				Number: 900, Command: game.RedCard, Robot: 4, Sent: samples >= card+5,
			})
			truth.Robots = slices.DeleteFunc(truth.Robots, func(r game.TruthRobot) bool {
				return samples >= card+15 && r.Team == sent && r.Number == 4
			})
		}
		if st.Part != game.SecondHalf || st.Total < change {
			return
		}
		st.Team(replaced).Substitutions = 1
		number := func(side game.Side, n *uint8) {
			if side == replaced && *n == 3 {
				*n = 6
			}
		}
		for i := range truth.Robots {
			number(truth.Robots[i].Team, &truth.Robots[i].Number)
		}
		c := truth.Contacts
		number(c.Touched.Team, &c.Touched.Number)
		number(c.Kicked.Team, &c.Kicked.Number)
		if c.Holder != nil {
			number(c.Holder.Team, &c.Holder.Number)
		}
	})
}

var withoutBalls = regexp.MustCompile(`"balls":\[.*\],"obstacles"`)

// drawnVSS is a log of a VSS simulator whose ball and robots move as they like.
func drawnVSS(t testing.TB, random *rand.Rand) *matchlog.Log {
	return newLog(t, nil, func(s *script) {
		var places [7]soccer.Vec // ball, blue, yellow
		for i := range places {
			places[i] = soccer.Vec{X: random.Float64() - 0.5, Y: random.Float64() - 0.5}
		}
		for n := range 80 {
			robots := [2][]string{}
			for i := range places {
				p := &places[i]
				p.X = min(max(p.X+0.06*(random.Float64()-0.5), -0.7), 0.7)
				p.Y = min(max(p.Y+0.06*(random.Float64()-0.5), -0.6), 0.6)
				if i > 0 {
					robots[(i-1)/3] = append(robots[(i-1)/3], fmt.Sprintf(`{"id":%d,"on":true,"pose":{"x":%.4f,"y":%.4f,"theta":%.3f}}`,
						(i-1)%3, p.X, p.Y, random.Float64()))
				}
			}
			s.text(at(n), matchlog.VSS, fmt.Appendf(nil, `{"field":{"name":"VSS","length":1.5,"width":1.3,"goalWidth":0.4},"paused":%t,
"ball":{"position":{"x":%.4f,"y":%.4f,"z":0.0215}},"goalsBlue":0,"goalsYellow":%d,"blue":[%s],"yellow":[%s]}`,
				n%30 > 25, places[0].X, places[0].Y, n/40, strings.Join(robots[0], ","), strings.Join(robots[1], ",")))
		}
	})
}

// exported exports a log and returns the folder.
func exported(t testing.TB, l *matchlog.Log, o Options) (string, *Result) {
	t.Helper()
	o.Dir, o.ID = filepath.Join(t.TempDir(), "out"), "final"
	e, err := Prepare(l, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Write(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return o.Dir, r
}
