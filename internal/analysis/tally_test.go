package analysis

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"

	"touchline/soccer"
)

const tallyStep = 20 * time.Millisecond

// pitch is a match of which a test moves the ball and decides about the game.
type pitch struct {
	tally *Tally
	now   soccer.Time
	scene autoref.Scene
	state game.State
}

func newPitch() *pitch {
	p := &pitch{tally: NewTally(soccer.MSL18x12()), now: soccer.Epoch}
	for _, side := range []game.Side{game.Home, game.Away} {
		for n := range 5 {
			p.scene.Robots = append(p.scene.Robots, autoref.Robot{
				Player: autoref.Player{Side: side, Number: uint8(n + 1)}, On: true,
				Pose: soccer.Pose{X: -6 * game.FirstHalf.Attack(side), Y: float64(2*n - 4)},
			})
		}
	}
	p.state = game.State{Part: game.FirstHalf}
	p.step(1)
	p.start(game.KickOff, game.Home)
	return p
}

func (p *pitch) step(n int) {
	for range n {
		p.now = p.now.Add(tallyStep)
		p.tally.Step(p.now, &p.scene, &p.state)
	}
}

func (p *pitch) start(c game.Command, side game.Side) {
	p.state.Running, p.state.Goal, p.state.Taking = true, game.Both, game.SetPiece{Command: c, Side: side}
	p.scene.Touched, p.scene.Kicked = autoref.Player{}, autoref.Player{}
	p.step(1)
}

func (p *pitch) touch(side game.Side, n uint8) {
	p.scene.Touched, p.scene.TouchedAt = autoref.Player{Side: side, Number: n}, p.now.Add(tallyStep)
	p.step(1)
}

// kick lets a robot kick the ball from a point with a velocity.
func (p *pitch) kick(side game.Side, n uint8, x, y, vx, vy float64) {
	p.scene.Ball = soccer.Vec3{X: x, Y: y, Z: soccer.BallRadius}
	p.scene.KickBall, p.scene.KickVelocity = p.scene.Ball, soccer.Vec3{X: vx, Y: vy}
	p.touch(side, n)
	p.scene.Kicked, p.scene.KickedAt = autoref.Player{Side: side, Number: n}, p.now.Add(tallyStep)
	p.step(1)
}

func (p *pitch) goal(side game.Side) {
	p.state.Team(side).Goals++
	p.state.Goal, p.state.Running = side, false
	p.step(1)
}

// Each row is a course of play and the figures that it has; figures that are left out are 0.
func TestKicks(t *testing.T) {
	home, away := game.Home, game.Away
	for _, c := range []struct {
		what       string
		run        func(p *pitch)
		home, away TallyTeam
		scorer     autoref.Player // of the first goal
		own        bool
	}{
		{what: "a pass", run: func(p *pitch) { p.kick(home, 2, -3, 0, 0, 3); p.touch(home, 3) }, home: TallyTeam{Passes: 1}},
		{what: "a pass back to itself", run: func(p *pitch) { p.kick(home, 2, -3, 0, 0, 3); p.touch(home, 2) }},
		{what: "a lost pass", run: func(p *pitch) { p.kick(home, 2, -3, 0, 0, 3); p.touch(away, 3); p.touch(home, 4) },
			home: TallyTeam{PassesLost: 1}},
		{what: "a ball that changes hands without a kick", run: func(p *pitch) { p.touch(home, 2); p.touch(home, 3) }},
		{what: "two passes", run: func(p *pitch) { p.kick(away, 2, 0, 0, 0, 3); p.kick(away, 3, 0, 1, 0, 3); p.touch(away, 2) },
			away: TallyTeam{Passes: 2}},
		{what: "a pass that play does not see", run: func(p *pitch) {
			p.kick(home, 2, -3, 0, 0, 3)
			p.state.Running = false
			p.step(1)
			p.start(game.ThrowIn, away)
			p.touch(home, 3)
		}, away: TallyTeam{SetPieces: SetPieces{ThrowIns: 1}}},
		{what: "a shot that is saved", run: func(p *pitch) { p.kick(home, 4, 5, 0, 8, 0); p.touch(away, 1) },
			home: TallyTeam{Shots: 1, OnTarget: 1}, away: TallyTeam{Saves: 1}},
		{what: "a shot against a keeper that is switched off", run: func(p *pitch) {
			p.scene.Robots[5].On = false
			p.kick(home, 4, 5, 0, 8, 0)
			p.touch(away, 1)
		}, home: TallyTeam{Shots: 1, OnTarget: 1}},
		{what: "a shot that another robot stops", run: func(p *pitch) { p.kick(home, 4, 5, 0, 8, 0); p.touch(away, 3) },
			home: TallyTeam{Shots: 1, OnTarget: 1}},
		{what: "a shot past the post", run: func(p *pitch) { p.kick(home, 4, 5, 0, 8, 2.5); p.touch(away, 1) },
			home: TallyTeam{Shots: 1}},
		{what: "a shot over the bar", run: func(p *pitch) {
			p.scene.Ball = soccer.Vec3{X: 5, Z: 0.11}
			p.scene.KickBall, p.scene.KickVelocity = p.scene.Ball, soccer.Vec3{X: 8, Z: 5}
			p.touch(home, 4)
			p.scene.Kicked, p.scene.KickedAt = autoref.Player{Side: home, Number: 4}, p.now.Add(tallyStep)
			p.step(1)
		}, home: TallyTeam{Shots: 1}},
		{what: "a kick too slow for the way", run: func(p *pitch) { p.kick(home, 4, 0, 0, 2.5, 0); p.touch(away, 1) },
			home: TallyTeam{PassesLost: 1}},
		{what: "a kick towards the own goal", run: func(p *pitch) { p.kick(home, 4, -3, 0, -8, 0); p.touch(home, 1) },
			home: TallyTeam{Passes: 1}},
		{what: "a goal", run: func(p *pitch) { p.kick(home, 4, 5, 0, 8, 0); p.goal(home) },
			home: TallyTeam{Shots: 1, OnTarget: 1, Goals: 1}, scorer: autoref.Player{Side: home, Number: 4}},
		{what: "a goal that the keeper touched", run: func(p *pitch) { p.kick(home, 4, 5, 0, 8, 0); p.touch(away, 1); p.goal(home) },
			home: TallyTeam{Shots: 1, OnTarget: 1, Goals: 1}, scorer: autoref.Player{Side: home, Number: 4}},
		{what: "a goal from the rebound", run: func(p *pitch) {
			p.kick(home, 4, 5, 0, 8, 0)
			p.touch(away, 1)
			p.touch(home, 5)
			p.goal(home)
		}, home: TallyTeam{Shots: 2, OnTarget: 2, Goals: 1}, away: TallyTeam{Saves: 1},
			scorer: autoref.Player{Side: home, Number: 5}},
		{what: "an own goal", run: func(p *pitch) {
			p.scene.Ball.X = 8.5
			p.touch(home, 4)
			p.touch(away, 2)
			p.goal(home)
		}, home: TallyTeam{Goals: 1}, scorer: autoref.Player{Side: away, Number: 2}, own: true},
		{what: "a goal of the team that attacks -x", run: func(p *pitch) { p.kick(away, 4, -5, 0, -8, 0); p.goal(away) },
			away: TallyTeam{Shots: 1, OnTarget: 1, Goals: 1}, scorer: autoref.Player{Side: away, Number: 4}},
	} {
		p := newPitch()
		c.run(p)
		v := p.tally.View()
		c.home.SetPieces.KickOffs++
		for side, want := range map[game.Side]TallyTeam{home: c.home, away: c.away} {
			got := *v.Team(side)
			got.Possession, got.Crowding, got.Coverage, got.Distance = 0, 0, 0, 0
			if got != want {
				t.Errorf("%s: %s got %+v, want %+v", c.what, side, got, want)
			}
		}
		if c.scorer.Number > 0 && (len(v.Goals) != 1 || v.Goals[0].Scorer != c.scorer || v.Goals[0].Own != c.own) {
			t.Errorf("%s: got goals %+v, want one of %v", c.what, v.Goals, c.scorer)
		}
	}
}

// A goal that is counted while the ball lies elsewhere is nobody's own goal.
func TestGoalCountedLate(t *testing.T) {
	p := newPitch()
	p.touch(game.Away, 2)
	p.goal(game.Home)
	if got := p.tally.View().Goals; len(got) != 1 || got[0].Own || got[0].Scorer != (autoref.Player{}) {
		t.Errorf("got %+v", got)
	}
}

// A goal that is taken back leaves the list, and the score.
func TestGoalTakenBack(t *testing.T) {
	p := newPitch()
	p.kick(game.Home, 4, 5, 0, 8, 0)
	p.goal(game.Home)
	p.state.Home.Goals, p.state.Goal = 0, game.Both
	p.step(1)
	if v := p.tally.View(); v.Home.Goals != 0 || len(v.Goals) != 0 {
		t.Errorf("got %d goals, %+v", v.Home.Goals, v.Goals)
	}
}

func TestPossession(t *testing.T) {
	p := newPitch()
	for range 50 * 6 {
		p.touch(game.Home, 2)
	}
	for range 50 * 2 {
		p.touch(game.Away, 2)
	}
	p.step(50 * 4) // nobody touches it: 2 s of them are away's
	p.state.Running = false
	p.step(50 * 10)
	v := p.tally.View()
	for what, c := range map[string]struct{ got, want float64 }{
		"home":    {v.Home.Possession, 6.0 / 12},
		"away":    {v.Away.Possession, 4.0 / 12},
		"neither": {v.Loose, 2.0 / 12},
		"played":  {v.Played, 12},
		"elapsed": {v.Elapsed, 22},
	} {
		if math.Abs(c.got-c.want) > 0.04 {
			t.Errorf("%s: got %.3f, want %.3f", what, c.got, c.want)
		}
	}
	var sides []game.Side
	for i, s := range v.Spans {
		sides = append(sides, s.Side)
		if i > 0 && math.Abs(s.From-v.Spans[i-1].To) > 1e-9 || s.To < s.From {
			t.Errorf("span %d: got %+v after %+v", i, s, v.Spans[i-1])
		}
	}
	if len(sides) != 4 || sides[1] != game.Home || sides[2] != game.Away || sides[3] != game.Both {
		t.Errorf("got spans %v", sides)
	}
}

func TestCrowdingCoverageAndDistance(t *testing.T) {
	p := newPitch()
	for i := range p.scene.Robots {
		r := &p.scene.Robots[i]
		if r.Pose = (soccer.Pose{X: 20, Y: 20}); r.Side == game.Away && r.Number <= 2 {
			r.Pose = soccer.Pose{X: 0.9}
		}
		if r.Side == game.Home && r.Number <= 3 {
			r.Pose = soccer.Pose{X: -0.5}
		}
	}
	p.tally = NewTally(soccer.MSL18x12())
	p.step(100)
	for range 100 { // 3 m/s
		p.scene.Robots[0].Pose.X -= 0.06
		p.step(1)
	}
	p.scene.Robots[0].Pose.X = 8 // carried
	p.step(1)
	v := p.tally.View()
	// In the second half of the time robot 1 of home leaves the circle of 1 m after 0.16 s.
	want := (3*100 + 2*100 + 8) / 201.0
	if math.Abs(v.Home.Crowding-want) > 0.02 || math.Abs(v.Away.Crowding-2) > 0.02 {
		t.Errorf("got crowding %v and %v, want %v and 2", v.Home.Crowding, v.Away.Crowding, want)
	}
	if disc := math.Pi * 9 / (18 * 12); math.Abs(v.Away.Coverage-disc) > 0.02 || v.Home.Coverage < disc {
		t.Errorf("got coverage %v and %v, want more than %v, and that", v.Home.Coverage, v.Away.Coverage, disc)
	}
	if want := 6.0 / 5; math.Abs(v.Home.Distance-want) > 0.01 || v.Away.Distance != 0 {
		t.Errorf("got distances %v and %v, want %v and 0", v.Home.Distance, v.Away.Distance, want)
	}
}

var hostile = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e9, -1e300, math.MaxFloat64, 0}

// nonsense steps through a match that makes no sense.
func nonsense(t testing.TB, seed uint64, steps int) {
	random := rand.New(rand.NewPCG(seed, 3))
	number := func() float64 {
		if random.IntN(20) == 0 {
			return hostile[random.IntN(len(hostile))]
		}
		return 5 * random.NormFloat64()
	}
	who := func() autoref.Player {
		return autoref.Player{Side: game.Side([]string{"home", "away", "", "?"}[random.IntN(4)]), Number: uint8(random.IntN(7))}
	}
	p := newPitch()
	for range steps {
		s := &p.scene
		s.Ball, s.KickBall = soccer.Vec3{X: number(), Y: number()}, soccer.Vec3{X: number(), Y: number(), Z: number()}
		s.KickVelocity = soccer.Vec3{X: number(), Y: number(), Z: number()}
		s.Holder, s.Touched, s.Kicked = who(), who(), who()
		s.TouchedAt, s.KickedAt = p.now-soccer.Time(random.IntN(1e9)), p.now-soccer.Time(random.IntN(1e9))
		for i := range s.Robots {
			s.Robots[i].Player, s.Robots[i].On = who(), random.IntN(3) > 0
			s.Robots[i].Pose = soccer.Pose{X: number(), Y: number()}
		}
		if random.IntN(5) == 0 {
			s.Robots = append(s.Robots[:random.IntN(len(s.Robots)+1)], autoref.Robot{})
		}
		p.state.Running = random.IntN(3) > 0
		p.state.Goal = who().Side
		p.state.Home.Goals, p.state.Away.Goals = random.IntN(100), random.IntN(100)
		p.now = p.now.Add(time.Duration(random.IntN(3e9)) - time.Second)
		p.step(1)
	}
	v := p.tally.View()
	if _, err := json.Marshal(&v); err != nil {
		t.Error(err)
	}
	if sum := v.Home.Possession + v.Away.Possession + v.Loose; math.Abs(sum-1) > 1e-6 && v.Played > 0 {
		t.Errorf("got shares that add up to %v", sum)
	}
	for _, team := range []TallyTeam{v.Home, v.Away} {
		if !(team.Coverage >= 0 && team.Coverage <= 1) || !(team.Crowding >= 0) || !(team.Distance >= 0) {
			t.Errorf("got %+v", team)
		}
	}
	if len(v.Spans) > 2048 || len(v.Goals) > 198 {
		t.Errorf("got %d spans and %d goals", len(v.Spans), len(v.Goals))
	}
}

func TestNonsense(t *testing.T) {
	for seed := range uint64(50) {
		nonsense(t, seed, 200)
	}
	nonsense(t, 51, 20000)
}

func FuzzTally(f *testing.F) {
	f.Add(uint64(1), 30)
	f.Fuzz(func(t *testing.T, seed uint64, steps int) { nonsense(t, seed, min(max(steps, 0), 300)) })
}

func TestStepsDoNotAllocate(t *testing.T) {
	p := newPitch()
	p.step(100)
	if n := testing.AllocsPerRun(1000, func() { p.step(1) }); n > 0 {
		t.Errorf("got %v allocations a step", n)
	}
}

func BenchmarkStep(b *testing.B) {
	p := newPitch()
	for b.Loop() {
		p.step(1)
	}
}

// FuzzAnalyst steps through frames that make no sense: the report is valid JSON with shares from 0 to 1.
func FuzzAnalyst(f *testing.F) {
	f.Add(uint64(1), 40)
	f.Add(uint64(2), 300)
	f.Fuzz(func(t *testing.T, seed uint64, steps int) {
		random := rand.New(rand.NewPCG(seed, 4))
		number := func() float64 {
			if random.IntN(20) == 0 {
				return hostile[random.IntN(len(hostile))]
			}
			return 5 * random.NormFloat64()
		}
		sides := []game.Side{game.Home, game.Away, game.Both, "?"}
		who := func() autoref.Player {
			return autoref.Player{Side: sides[random.IntN(4)], Number: uint8(random.IntN(256))}
		}
		field := []soccer.Field{soccer.MSL18x12(), soccer.MSL22x14(), soccer.VSS3v3(), {}}[random.IntN(4)]
		a, now := NewAnalyst(field), soccer.Epoch
		var frame Frame
		for range min(max(steps, 0), 400) {
			now = now.Add(time.Duration(random.IntN(4e8)) - 5e7)
			truth := game.Truth{Ball: soccer.Vec3{X: number(), Y: number(), Z: number()}}
			for range random.IntN(14) {
				p := who()
				truth.Robots = append(truth.Robots, game.TruthRobot{
					Number: p.Number, Team: p.Side, Off: random.IntN(5) == 0, Pose: soccer.Pose{X: number(), Y: number()},
				})
			}
			if random.IntN(3) > 0 {
				p, q := who(), who()
				truth.Contacts = &game.Contacts{
					Touched: game.Contact{Team: p.Side, Number: p.Number, At: now}, KickVelocity: soccer.Vec3{X: number(), Y: number(), Z: number()},
					Kicked: game.Contact{Team: q.Side, Number: q.Number, At: now - soccer.Time(random.IntN(1e9))},
				}
			}
			frame.Time, frame.At, frame.Known, frame.Told = now, now, random.IntN(4) > 0, Restore(&frame.Scene, &truth)
			frame.Beliefs = frame.Beliefs[:0]
			for range random.IntN(4) {
				frame.Beliefs = append(frame.Beliefs, Belief{By: who(), At: now, Ball: &soccer.Vec3{X: 1, Y: 5 * random.NormFloat64()}})
			}
			st := &frame.State
			st.Running, st.Goal = random.IntN(3) > 0, who().Side
			st.Part = []game.Part{game.PreGame, game.FirstHalf, game.HalfTime, game.SecondHalf, game.End}[random.IntN(5)]
			st.Taking = game.SetPiece{Command: game.ThrowIn, Side: who().Side}
			st.Home.Goals, st.Away.Goals = random.IntN(4), random.IntN(4)
			a.Step(&frame)
			a.Links(now, who().Side, []Link{{Side: game.Home, Received: uint64(random.IntN(100)), Lost: uint64(random.IntN(100))}})
		}
		r := a.Report()
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		if len(r.Robots) > 2*MostRobots || len(r.Events) > MostEvents {
			t.Errorf("%d robots, %d events", len(r.Robots), len(r.Events))
		}
		for k := range r.Teams {
			for _, share := range append(r.Teams[k].Thirds[:], r.Teams[k].Control, r.Teams[k].AtBall.One) {
				if !(share >= 0 && share <= 1.0001) {
					t.Errorf("a share is %v", share)
				}
			}
		}
	})
}
