package autoref_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// person makes a decision at the referee box.
func (p *pitch) person(d game.Decision) {
	p.t.Helper()
	d.Time = p.now
	if _, err := p.game.Apply(d); err != nil {
		p.t.Fatal(err)
	}
}

// A person who stops the game also starts it; then the referee goes on.
func TestPersonStops(t *testing.T) {
	p := newPitch(t, autoref.Config{})
	p.play()
	n := len(p.done)
	p.person(game.Decision{Command: game.Stop})
	p.pass(30 * time.Second)
	p.person(game.Decision{Command: game.FreeKick, Side: game.Away})
	p.pass(30 * time.Second)
	if len(p.done) != n {
		t.Errorf("while a person decides: got %v", p.commands()[n:])
	}
	if at, ok := p.ref.Placement(); !ok || at.For.Command != game.FreeKick || at.At.Sub(p.scene.Ball.XY()).Len() > 0.1 {
		t.Errorf("got the ball at %+v %v, want the free kick where the ball lies, %v", at, ok, p.scene.Ball)
	}
	p.person(game.Decision{Command: game.Start})
	p.pass(time.Second)
	p.touch(game.Home, 4)
	p.put(3, 6.2)
	p.until("throw-in", 5*time.Second, func(s game.State) bool {
		return s.SetPiece == game.SetPiece{Command: game.ThrowIn, Side: game.Away}
	})
}

// Between the referee's STOP and START a person may decide differently.
func TestPersonDecidesDifferently(t *testing.T) {
	stopped := func(s game.State) bool { return !s.Running }
	for what, c := range map[string]struct {
		decisions []game.Decision
		waits     bool // for the person's START
		piece     game.SetPiece
	}{
		"another set piece": {[]game.Decision{{Command: game.FreeKick, Side: game.Home}}, true,
			game.SetPiece{Command: game.FreeKick, Side: game.Home}},
		"a goal": {[]game.Decision{{Command: game.Goal, Side: game.Away}}, false,
			game.SetPiece{Command: game.KickOff, Side: game.Home}},
		"a goal that is taken back": {[]game.Decision{{Command: game.Goal, Side: game.Away}, {Command: game.SubGoal,
			Side: game.Away}}, false, game.SetPiece{Command: game.ThrowIn, Side: game.Away}},
		"the end of the half": {[]game.Decision{{Command: game.EndPart}}, false,
			game.SetPiece{Command: game.KickOff, Side: game.Away}},
		"the second half's end": {[]game.Decision{{Command: game.SetPart, Part: game.SecondHalf},
			{Command: game.EndPart}}, true, game.SetPiece{}},
		"a card": {[]game.Decision{{Command: game.YellowCard, Side: game.Home}}, false,
			game.SetPiece{Command: game.ThrowIn, Side: game.Away}},
	} {
		p := newPitch(t, autoref.Config{})
		p.play()
		p.put(3, 6.2)
		p.until("out", time.Second, stopped)
		for _, d := range c.decisions {
			p.person(d)
		}
		if !c.waits {
			p.until(what, 30*time.Second, running)
		} else {
			p.pass(30 * time.Second)
		}
		st := p.game.State()
		if got := st.SetPiece; c.waits && (st.Running || got != c.piece) || !c.waits && st.Taking != c.piece {
			t.Errorf("%s: got %v %v running %v, want %v", what, got, st.Taking, st.Running, c.piece)
		}
	}
}

// A STOP that a person undoes stays undone, although the ball is out of the field.
func TestPersonUndoesStop(t *testing.T) {
	p := newPitch(t, autoref.Config{})
	p.play()
	p.put(3, 6.2)
	p.step()
	p.person(game.Decision{Command: game.Undo})
	n := len(p.done)
	for range 100 {
		p.step()
	}
	if len(p.done) != n || !p.game.State().Running {
		t.Errorf("got %v", p.commands()[n:])
	}
}

// The referee of a match that goes on elsewhere takes it over, in whatever state it is.
func TestTakesOver(t *testing.T) {
	for what, decisions := range map[string][]game.Decision{
		"before the game": nil,
		"a kick-off":      {{Command: game.KickOff, Side: game.Away}},
		"running":         {{Command: game.KickOff, Side: game.Away}, {Command: game.Start}},
		"stopped":         {{Command: game.KickOff, Side: game.Away}, {Command: game.Start}, {Command: game.Stop}},
		"a goal": {{Command: game.KickOff, Side: game.Away}, {Command: game.Start}, {Command: game.Stop},
			{Command: game.Goal, Side: game.Away}},
		"half-time": {{Command: game.KickOff, Side: game.Away}, {Command: game.Start}, {Command: game.Stop},
			{Command: game.EndPart}},
	} {
		p := newPitch(t, autoref.Config{})
		for _, d := range decisions {
			p.person(d)
		}
		p.until(what, 30*time.Second, running)
	}
}

// A decision that the game did not get is made again.
func TestDecidesAgain(t *testing.T) {
	p := newPitch(t, autoref.Config{})
	p.play()
	p.scene.Ball.Y = 6.5
	var got []soccer.Time
	for range 200 {
		p.now = p.now.Add(step)
		st := p.game.State().At(p.now)
		for range p.ref.Step(p.now, &p.scene, &st) {
			got = append(got, p.now)
		}
	}
	if len(got) != 4 || got[1].Sub(got[0]) < time.Second {
		t.Errorf("got decisions at %v, want one each second", got)
	}
}

var hostile = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e9, -1e300, math.MaxFloat64, 0, 9, 9.2, 6, 6.2, -9.2}

// anything returns any number.
func anything(random *rand.Rand, scale float64) float64 {
	if random.IntN(20) == 0 {
		return hostile[random.IntN(len(hostile))]
	}
	return random.NormFloat64() * scale
}

// shake changes the scene at random.
func (p *pitch) shake(random *rand.Rand) {
	s := &p.scene
	who := func() autoref.Player {
		if random.IntN(4) == 0 || len(s.Robots) == 0 {
			return autoref.Player{Side: game.Side([]string{"", "home", "nobody"}[random.IntN(3)])}
		}
		return s.Robots[random.IntN(len(s.Robots))].Player
	}
	s.Ball = soccer.Vec3{X: anything(random, 6), Y: anything(random, 4), Z: anything(random, 0.3)}
	s.Holder, s.Touched, s.Kicked = who(), who(), who()
	s.TouchedAt, s.KickedAt = p.now, p.now-soccer.Time(random.IntN(1e9))
	for i := range s.Robots {
		r := &s.Robots[i]
		r.Pose = soccer.Pose{X: anything(random, 6), Y: anything(random, 4), Theta: anything(random, 3)}
		r.Velocity = soccer.Vec{X: anything(random, 1), Y: anything(random, 1)}
		r.On = random.IntN(5) > 0
		r.StopHeard = p.now - soccer.Time(random.IntN(2e9))
	}
	switch random.IntN(30) {
	case 0:
		s.Robots = s.Robots[:random.IntN(len(s.Robots)+1)]
	case 1:
		s.Robots = append(s.Robots, autoref.Robot{Player: autoref.Player{Side: game.Away, Number: uint8(random.IntN(256))}})
	case 2:
		p.now = p.now.Add(-time.Duration(random.IntN(5e9)))
	case 3:
		p.now = p.now.Add(time.Duration(random.IntN(120e9)))
	}
}

// decide lets a person press any key that is allowed.
func (p *pitch) decide(random *rand.Rand) {
	var allowed []game.Decision
	for _, k := range p.game.Keys() {
		if k.Why == "" && k.Command != game.SetPart {
			allowed = append(allowed, game.Decision{Command: k.Command, Side: k.Side})
		}
	}
	d := allowed[random.IntN(len(allowed))]
	switch d.Command {
	case game.IsAlive, game.Substitution:
		d.Robot = 1
	case game.Reset:
		return
	}
	p.person(d)
}

// property plays a match of nonsense from a seed: whatever happens, the game accepts every decision of the referee.
func property(t testing.TB, seed uint64, steps int) {
	random := rand.New(rand.NewPCG(seed, 14))
	p := newPitch(t, autoref.Config{NoFouls: seed%2 == 0})
	for range steps {
		for range random.IntN(40) {
			p.step()
		}
		p.shake(random)
		if seed%3 > 0 && random.IntN(10) == 0 {
			p.decide(random)
		}
	}
	if b := p.ref.Broken(); len(b) > 64 {
		t.Errorf("got %d broken rules", len(b))
	}
}

func TestAnyScene(t *testing.T) {
	for seed := range uint64(60) {
		property(t, seed, 300)
	}
}

func FuzzReferee(f *testing.F) {
	f.Add(uint64(1), 30)
	f.Fuzz(func(t *testing.T, seed uint64, steps int) { property(t, seed, min(max(steps, 0), 200)) })
}

// Without a person every match of nonsense ends in time.
func TestEveryMatchEnds(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 15))
		p := newPitch(t, autoref.Config{})
		for end := p.now.Add(40 * time.Minute); p.now < end && p.game.State().Part != game.End; {
			for range 10 {
				p.step()
			}
			now := p.now
			p.shake(random)
			p.now = now
		}
		if part := p.game.State().Part; part != game.End {
			t.Errorf("seed %d: still %q", seed, part)
		}
	}
}

func TestStepsDoNotAllocate(t *testing.T) {
	p := newPitch(t, autoref.Config{})
	p.play()
	st := p.game.State()
	if n := testing.AllocsPerRun(100, func() {
		p.now = p.now.Add(step)
		p.ref.Step(p.now, &p.scene, &st)
	}); n > 0 {
		t.Errorf("got %v allocations a step", n)
	}
}
