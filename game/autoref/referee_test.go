package autoref_test

import (
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

const step = 20 * time.Millisecond

// pitch is a match of which a test moves the ball: the game, its referee and the scene.
type pitch struct {
	t     testing.TB
	now   soccer.Time
	game  *game.Game
	ref   *autoref.Referee
	scene autoref.Scene
	done  []game.Decision // in effect
}

func newPitch(t testing.TB, cfg autoref.Config) *pitch {
	cfg.Field = soccer.MSL18x12()
	p := &pitch{t: t, now: soccer.Epoch, game: game.New(game.DefaultRules(), soccer.Epoch), ref: autoref.New(cfg)}
	for _, side := range []game.Side{game.Home, game.Away} {
		for n := range 5 {
			p.scene.Robots = append(p.scene.Robots, autoref.Robot{Player: autoref.Player{Side: side, Number: uint8(n + 1)}, On: true,
				Pose: soccer.Pose{X: -5 * side1(side), Y: float64(2*n - 4)}})
		}
	}
	return p
}

// side1 returns the direction in which a side plays in the first half.
func side1(side game.Side) float64 { return game.FirstHalf.Attack(side) }

// step lets one step pass and applies the referee's decisions. A refused one fails the test.
func (p *pitch) step() {
	p.t.Helper()
	p.now = p.now.Add(step)
	p.game.Tick(p.now)
	st := p.game.State()
	for _, d := range p.ref.Step(p.now, &p.scene, &st) {
		if _, err := p.game.Apply(d); err != nil {
			p.t.Fatalf("%s of %q at %v: %v", d.Command, d.Side, p.now.Sub(soccer.Epoch), err)
		}
		p.done = append(p.done, d)
	}
	if at, ok := p.ref.Placement(); ok {
		p.scene.Ball = soccer.Vec3{X: at.At.X, Y: at.At.Y, Z: soccer.BallRadius}
	}
}

// until lets time pass until done holds. It fails the test after limit.
func (p *pitch) until(what string, limit time.Duration, done func(game.State) bool) {
	p.t.Helper()
	for end := p.now.Add(limit); !done(p.game.State()); p.step() {
		if p.now > end {
			p.t.Fatalf("%s: not within %v; decisions %v", what, limit, p.commands())
		}
	}
}

func (p *pitch) commands() (all []game.Command) {
	for _, d := range p.done {
		all = append(all, d.Command)
	}
	return all
}

// touch lets a robot touch the ball now.
func (p *pitch) touch(side game.Side, number uint8) {
	p.scene.Touched, p.scene.TouchedAt = autoref.Player{Side: side, Number: number}, p.now
	p.step()
}

// put moves the ball within one step.
func (p *pitch) put(x, y float64) {
	p.scene.Ball.X, p.scene.Ball.Y = x, y
	p.step()
}

func running(s game.State) bool { return s.Running }

// A match without a person: from the kick-off over every restart to the end.
func TestWholeMatch(t *testing.T) {
	p := newPitch(t, autoref.Config{})
	p.until("kick-off", 20*time.Second, running)
	if s := p.game.State(); s.Part != game.FirstHalf || s.Taking != (game.SetPiece{Command: game.KickOff, Side: game.Home}) {
		t.Fatalf("got %v %v", s.Part, s.Taking)
	}
	for _, c := range []struct {
		what   string
		by     game.Side // touches the ball last
		x, y   float64   // where the ball goes
		piece  game.Command
		side   game.Side
		at     soccer.Vec
		scores game.Side
	}{
		{"over the touch line", game.Home, 2, 6.5, game.ThrowIn, game.Away, soccer.Vec{X: 1.88, Y: 5.7}, ""},
		{"goal line by an attacker", game.Home, 9.5, 3, game.GoalKick, game.Away, soccer.Vec{X: 5.4, Y: 3}, ""},
		{"goal line by a defender", game.Away, 9.5, -3, game.Corner, game.Home, soccer.Vec{X: 8.7, Y: -5.7}, ""},
		{"goal of home", game.Home, 9.5, 0, game.KickOff, game.Away, soccer.Vec{}, game.Home},
		{"own goal", game.Home, -9.5, 0.5, game.KickOff, game.Home, soccer.Vec{}, game.Away},
		{"stuck", game.Home, 1, 1, game.DropBall, game.Both, soccer.Vec{X: 1, Y: 1}, ""},
	} {
		goals := p.game.State()
		p.put(0, 0)
		p.touch(c.by.Opponent(), 2)
		p.touch(c.by, 3)
		p.put(c.x, c.y)
		p.until(c.what, 15*time.Second, func(s game.State) bool { return !s.Running })
		p.until(c.what, 5*time.Second, func(s game.State) bool { return s.SetPiece.Command != "" })
		p.step()
		at, ok := p.ref.Placement()
		s := p.game.State()
		if s.SetPiece != (game.SetPiece{Command: c.piece, Side: c.side}) || !ok || at.At.Sub(c.at).Len() > 0.02 {
			t.Errorf("%s: got %v at %v, want %v of %q at %v", c.what, s.SetPiece, at, c.piece, c.side, c.at)
		}
		for _, side := range []game.Side{game.Home, game.Away} {
			if got, was := s.Team(side).Goals, goals.Team(side).Goals; (got > was) != (side == c.scores) {
				t.Errorf("%s: %s has %d goals after %d", c.what, side, got, was)
			}
		}
		p.until(c.what, 15*time.Second, running)
	}
	p.until("half-time", 901*time.Second, func(s game.State) bool { return s.Part == game.HalfTime })
	p.until("second half", 20*time.Second, running)
	if s := p.game.State(); s.Part != game.SecondHalf || s.Taking.Side != game.Away {
		t.Errorf("got the kick-off of %q in %v", s.Taking.Side, s.Part)
	}
	p.touch(game.Home, 2)
	p.touch(game.Home, 3)
	p.put(-9.5, 0)
	if s := p.game.State(); s.Home.Goals != 2 {
		t.Errorf("after the change of ends: got %d goals of home, want 2", s.Home.Goals)
	}
	p.until("end", 901*time.Second, func(s game.State) bool { return s.Part == game.End })
	n := len(p.done)
	for range 1000 {
		p.step()
	}
	if len(p.done) != n {
		t.Errorf("after the end: got %v", p.commands()[n:])
	}
}

// The ball across the line: when it is a goal, and where the game goes on if it is none.
func TestGoals(t *testing.T) {
	type touch struct {
		side   game.Side
		number uint8
	}
	home, away := game.Home, game.Away
	for _, c := range []struct {
		what    string
		piece   game.SetPiece // taken before
		touches []touch
		x, y, z float64 // where the ball goes, from 8 m, 0
		goal    game.Side
		next    game.SetPiece
	}{
		{"from play", game.SetPiece{Command: game.FreeKick, Side: home}, []touch{{home, 3}, {home, 4}}, 9.3, 0.5, 0.11, home,
			game.SetPiece{Command: game.KickOff, Side: away}},
		{"straight from a free kick", game.SetPiece{Command: game.FreeKick, Side: home}, []touch{{home, 3}}, 9.3, 0.5, 0.11, "",
			game.SetPiece{Command: game.GoalKick, Side: away}},
		{"from a free kick that an opponent touched", game.SetPiece{Command: game.FreeKick, Side: home},
			[]touch{{home, 3}, {away, 1}}, 9.3, 0.5, 0.11, home, game.SetPiece{Command: game.KickOff, Side: away}},
		{"straight from a penalty", game.SetPiece{Command: game.PenaltyKick, Side: home}, []touch{{home, 3}}, 9.3, 0.5, 0.11, home,
			game.SetPiece{Command: game.KickOff, Side: away}},
		{"from a dropped ball", game.SetPiece{Command: game.DropBall}, []touch{{home, 3}}, 9.3, 0.5, 0.11, home,
			game.SetPiece{Command: game.KickOff, Side: away}},
		{"over the bar", game.SetPiece{Command: game.DropBall}, []touch{{home, 3}}, 9.3, 0.5, 1.2, "",
			game.SetPiece{Command: game.GoalKick, Side: away}},
		{"on the post", game.SetPiece{Command: game.DropBall}, []touch{{home, 3}}, 9.3, 1.2, 0.11, "",
			game.SetPiece{Command: game.GoalKick, Side: away}},
		{"not wholly over the line", game.SetPiece{Command: game.DropBall}, []touch{{home, 3}}, 9.1, 0.5, 0.11, "",
			game.SetPiece{}},
		{"beside the goal, through the side net afterwards", game.SetPiece{Command: game.DropBall}, []touch{{home, 3}}, 9.4, 1.6,
			0.11, "", game.SetPiece{Command: game.GoalKick, Side: away}},
	} {
		p := newPitch(t, autoref.Config{})
		p.play()
		p.person(game.Decision{Command: game.Stop})
		p.person(game.Decision{Command: c.piece.Command, Side: c.piece.Side})
		p.person(game.Decision{Command: game.Start})
		p.put(8, 0)
		for _, by := range c.touches {
			p.touch(by.side, by.number)
		}
		p.scene.Ball.Z = c.z
		p.put(c.x, c.y)
		for end := p.now.Add(2 * time.Second); p.now < end && p.game.State().SetPiece.Command == ""; {
			p.step()
		}
		s := p.game.State()
		if s.SetPiece != c.next || s.Home.Goals+s.Away.Goals > 0 != (c.goal != "") || c.goal != "" && s.Goal != c.goal {
			t.Errorf("%s: got %d : %d, %v, want a goal of %q and %v", c.what, s.Home.Goals, s.Away.Goals, s.SetPiece, c.goal, c.next)
		}
	}
}
