package autoref_test

import (
	"testing"
	"time"

	"touchline/game"
	"touchline/game/autoref"
	"touchline/soccer"
)

// robot returns a robot of the scene.
func (p *pitch) robot(side game.Side, number uint8) *autoref.Robot {
	for i := range p.scene.Robots {
		if r := &p.scene.Robots[i]; r.Side == side && r.Number == number {
			return r
		}
	}
	p.t.Fatalf("no robot %d of %s", number, side)
	return nil
}

// play lets the match begin and the kick-off be taken.
func (p *pitch) play() {
	p.t.Helper()
	p.until("kick-off", 20*time.Second, running)
	p.put(0, 1)
	p.touch(game.Home, 2)
	p.touch(game.Home, 3)
}

// pass lets time pass, with the ball rolling to and fro so that it is not stuck.
func (p *pitch) pass(d time.Duration) {
	p.t.Helper()
	for end := p.now.Add(d); p.now < end; {
		if p.scene.Ball.Y += 0.05; p.scene.Ball.Y > 1.5 {
			p.scene.Ball.Y = 0
		}
		p.step()
	}
}

// counts returns how often each side broke each rule, without the rules that nobody broke.
func (p *pitch) counts() map[game.Side]map[autoref.Rule]int {
	all := map[game.Side]map[autoref.Rule]int{game.Home: {}, game.Away: {}}
	for side := range all {
		for _, rule := range autoref.Rules() {
			if n := p.ref.Count(side, rule); n > 0 {
				all[side][rule] = n
			}
		}
	}
	return all
}

func TestRuleAsText(t *testing.T) {
	for _, rule := range autoref.Rules() {
		text, err := rule.MarshalText()
		var again autoref.Rule
		if err != nil || again.UnmarshalText(text) != nil || again != rule {
			t.Errorf("%v became %q and %v", rule, text, again)
		}
	}
	if err := new(autoref.Rule).UnmarshalText([]byte("offside")); err == nil {
		t.Error("offside is a rule")
	}
}

func TestRulesForRobots(t *testing.T) {
	for _, c := range []struct {
		what  string
		rule  autoref.Rule
		side  game.Side // breaks it; Both: nobody
		given game.Command
		run   func(p *pitch)
	}{
		{"nothing", 0, "", "", func(p *pitch) { p.play(); p.pass(5 * time.Second) }},
		{"an opponent in the circle at the kick-off", autoref.TooNear, game.Away, "", func(p *pitch) {
			p.robot(game.Away, 4).Pose = soccer.Pose{X: 2.5}
			p.play()
		}},
		{"an opponent that comes before the kick-off is taken", autoref.TooNear, game.Away, "", func(p *pitch) {
			p.until("kick-off", 20*time.Second, running)
			p.robot(game.Away, 4).Pose = soccer.Pose{X: 2}
			p.step()
		}},
		{"an opponent towards which the ball comes", 0, "", "", func(p *pitch) {
			p.robot(game.Away, 4).Pose = soccer.Pose{X: 3.1}
			p.until("kick-off", 20*time.Second, running)
			p.put(0.4, 0)
		}},
		{"an opponent that comes after it", 0, "", "", func(p *pitch) {
			p.play()
			p.robot(game.Away, 4).Pose = soccer.Pose{X: 2}
			p.pass(time.Second)
		}},
		{"a mate too near", autoref.TooNear, game.Home, "", func(p *pitch) {
			p.robot(game.Home, 2).Pose = soccer.Pose{X: -0.5}
			p.robot(game.Home, 3).Pose = soccer.Pose{X: -1.5}
			p.play()
		}},
		{"the wrong half", autoref.WrongHalf, game.Home, "", func(p *pitch) {
			p.robot(game.Home, 3).Pose = soccer.Pose{X: 3.5, Y: 3}
			p.play()
		}},
		{"a mate too near, but switched off", 0, "", "", func(p *pitch) {
			p.robot(game.Home, 2).Pose = soccer.Pose{X: -0.5}
			p.robot(game.Home, 3).Pose, p.robot(game.Home, 3).On = soccer.Pose{X: 1}, false
			p.play()
		}},
		{"a robot in the other goal area", autoref.AreaCrowded, game.Home, "", func(p *pitch) {
			p.play()
			p.robot(game.Home, 4).Pose = soccer.Pose{X: 8.6}
			p.pass(2 * time.Second)
		}},
		{"a robot that opponents hold there", 0, "", "", func(p *pitch) {
			p.play()
			p.robot(game.Home, 4).Pose = soccer.Pose{X: 8.6}
			p.robot(game.Away, 4).Pose = soccer.Pose{X: 8.08}
			p.pass(2 * time.Second)
		}},
		{"a robot that crosses it", 0, "", "", func(p *pitch) {
			p.play()
			p.robot(game.Home, 4).Pose = soccer.Pose{X: 8.6}
			p.pass(900 * time.Millisecond)
			p.robot(game.Home, 4).Pose = soccer.Pose{X: 8}
			p.pass(2 * time.Second)
		}},
		{"the keeper in its goal area", 0, "", "", func(p *pitch) {
			p.play()
			p.robot(game.Home, 1).Pose = soccer.Pose{X: -8.6}
			p.pass(5 * time.Second)
		}},
		{"another robot for a keeper that is off", 0, "", "", func(p *pitch) {
			p.play()
			p.robot(game.Home, 1).On = false
			p.robot(game.Home, 3).Pose = soccer.Pose{X: -8.6}
			p.pass(5 * time.Second)
		}},
		{"three in a penalty area besides the keeper", autoref.AreaCrowded, game.Away, "", func(p *pitch) {
			p.play()
			for n := range uint8(4) {
				p.robot(game.Away, n+1).Pose = soccer.Pose{X: 7.5, Y: float64(n)}
			}
			p.pass(11 * time.Second)
		}},
		{"three for less than 10 s", 0, "", "", func(p *pitch) {
			p.play()
			for n := range uint8(4) {
				p.robot(game.Away, n+1).Pose = soccer.Pose{X: 7.5, Y: float64(n)}
			}
			p.pass(9 * time.Second)
			p.robot(game.Away, 3).Pose.X = 5
			p.pass(5 * time.Second)
		}},
		{"two in a penalty area besides the keeper", 0, "", "", func(p *pitch) {
			p.play()
			for n := range uint8(3) {
				p.robot(game.Away, n+1).Pose = soccer.Pose{X: 7.5, Y: float64(n)}
			}
			p.pass(15 * time.Second)
		}},
		{"3 m with the ball", autoref.DribbledTooFar, game.Home, game.FreeKick, func(p *pitch) {
			p.play()
			dribble(p, 3.3)
		}},
		{"less", 0, "", "", func(p *pitch) {
			p.play()
			dribble(p, 2.9)
		}},
		{"3 m, with a moment without the ball", autoref.DribbledTooFar, game.Home, game.FreeKick, func(p *pitch) {
			p.play()
			dribble(p, 1.7)
			p.scene.Holder = autoref.Player{}
			p.step()
			dribble(p, 3.3)
		}},
		{"pushing", autoref.Pushing, game.Away, game.FreeKick, func(p *pitch) {
			p.play()
			push(p, 0.5)
		}},
		{"touching", 0, "", "", func(p *pitch) {
			p.play()
			push(p, 0.1)
		}},
		{"racing to the ball", 0, "", "", func(p *pitch) {
			p.play()
			p.scene.Ball.X = 7
			push(p, 0.5)
		}},
		{"driving on after STOP", autoref.StillMoving, game.Home, "", func(p *pitch) { p.play(); drive(p, 2, 0) }},
		{"braking after STOP", 0, "", "", func(p *pitch) { p.play(); drive(p, 2, 2.5) }},
		{"pushed after STOP", 0, "", "", func(p *pitch) {
			p.play()
			p.robot(game.Home, 4).Pose = p.robot(game.Home, 3).Pose
			p.robot(game.Home, 4).Pose.X += 0.55
			drive(p, 2, 0)
		}},
	} {
		p := newPitch(t, autoref.Config{})
		p.robot(game.Home, 2).Pose = soccer.Pose{X: -0.5} // takes the kick-off
		c.run(p)
		want := map[game.Side]map[autoref.Rule]int{game.Home: {}, game.Away: {}}
		if c.side != game.Both {
			want[c.side][c.rule] = 1
		}
		for side, counts := range p.counts() {
			if len(counts) != len(want[side]) || counts[c.rule] != want[side][c.rule] {
				t.Errorf("%s: %q broke %v, want %v: %+v", c.what, side, counts, want[side], p.ref.Broken())
			}
		}
		if n := len(p.ref.Broken()); n != len(want[game.Home])+len(want[game.Away]) {
			t.Errorf("%s: got %+v", c.what, p.ref.Broken())
		}
		if c.given != "" {
			p.until(c.what, 5*time.Second, func(s game.State) bool { return s.SetPiece.Command != "" })
			if got := p.game.State().SetPiece; got != (game.SetPiece{Command: c.given, Side: c.side.Opponent()}) {
				t.Errorf("%s: got %v", c.what, got)
			}
		}
	}
}

// dribble lets robot 3 of home take the ball along y until it is at y.
func dribble(p *pitch, y float64) {
	p.scene.Holder = autoref.Player{Side: game.Home, Number: 3}
	p.scene.Touched = p.scene.Holder
	p.scene.Ball.Y = max(p.scene.Ball.Y-1, 0) // it got the ball at 0
	for p.scene.Ball.Y < y && p.game.State().Running {
		p.scene.TouchedAt = p.now
		p.put(0, min(p.scene.Ball.Y+0.1, y))
	}
}

// push lets robot 4 of away drive against robot 4 of home for 2 s.
func push(p *pitch, speed float64) {
	for range 100 {
		p.robot(game.Home, 4).Pose, p.robot(game.Home, 4).Velocity = soccer.Pose{X: 4, Y: 4}, soccer.Vec{X: speed}
		p.robot(game.Away, 4).Pose, p.robot(game.Away, 4).Velocity = soccer.Pose{X: 3.47, Y: 4}, soccer.Vec{X: speed}
		if p.pass(step); !p.game.State().Running {
			return
		}
	}
}

// drive lets play be stopped while robot 3 of home drives, and brakes with a deceleration from 100 ms after it hears
// that.
func drive(p *pitch, speed, braking float64) {
	p.robot(game.Home, 3).Velocity.X = speed
	p.put(3, 6.2)
	heard := p.now.Add(40 * time.Millisecond)
	for p.game.State().SetPiece.Command == "" {
		p.step()
		if p.now >= heard {
			p.robot(game.Home, 3).StopHeard = heard
		}
		if p.now >= heard.Add(100*time.Millisecond) {
			v := &p.robot(game.Home, 3).Velocity.X
			*v = max(*v-braking*step.Seconds(), 0)
		}
	}
}

// START waits a little for robots that are on their way, but not for ever.
func TestStartWaits(t *testing.T) {
	for speed, want := range map[float64]time.Duration{0: 11 * time.Second, 1: 16 * time.Second} {
		p := newPitch(t, autoref.Config{})
		r := p.robot(game.Home, 3)
		r.Pose, r.Velocity.X = soccer.Pose{X: 4, Y: 4}, speed
		p.until("START", time.Minute, running)
		if got := p.now.Sub(soccer.Epoch); got < want-time.Second/10 || got > want+time.Second/10 {
			t.Errorf("at %v m/s: START after %v, want %v", speed, got, want)
		}
	}
}

// START does not wait for robots that drive where they may be, but for one that is about to come too near to the ball.
func TestStartIsSoon(t *testing.T) {
	for _, c := range []struct {
		what     string
		at       soccer.Pose
		velocity soccer.Vec
		want     time.Duration
	}{
		{"along the circle", soccer.Pose{X: 3.3, Y: 1}, soccer.Vec{Y: 3}, 2 * time.Second},
		{"away from it", soccer.Pose{X: 3.3}, soccer.Vec{X: 3}, 2 * time.Second},
		{"towards it", soccer.Pose{X: 3.3}, soccer.Vec{X: -3}, 11 * time.Second},
		{"across its edge", soccer.Pose{X: 2.83, Y: -0.8}, soccer.Vec{Y: 4}, 11 * time.Second},
		{"into the other half", soccer.Pose{X: 0.9, Y: 4}, soccer.Vec{X: -3}, 11 * time.Second},
	} {
		p := newPitch(t, autoref.Config{})
		p.robot(game.Home, 2).Pose = soccer.Pose{X: -0.5} // takes the kick-off
		p.robot(game.Away, 4).Pose, p.robot(game.Away, 4).Velocity = c.at, c.velocity
		p.until("START", time.Minute, running)
		if got := p.now.Sub(soccer.Epoch); got < c.want-time.Second/10 || got > c.want+time.Second/10 {
			t.Errorf("%s: START after %v, want %v", c.what, got, c.want)
		}
	}
}

// A robot that was sent off and stands beyond the touch line takes no part: it may be near the ball of a throw-in.
func TestSentOffRobotIsBesideTheField(t *testing.T) {
	for y, late := range map[float64]bool{6.4: false, 5.8: true} {
		p := newPitch(t, autoref.Config{})
		p.robot(game.Home, 2).Pose = soccer.Pose{X: -0.5}
		p.play()
		p.robot(game.Home, 3).Pose = soccer.Pose{X: 0.5, Y: y}
		p.robot(game.Away, 2).Pose = soccer.Pose{X: 0, Y: 6.2} // takes the throw-in
		p.put(0, 6.2)
		p.person(game.Decision{Command: game.Repair, Side: game.Home, Robot: 3})
		p.until("throw-in", 5*time.Second, func(s game.State) bool { return s.SetPiece.Command == game.ThrowIn })
		at := p.now
		p.until("START", 20*time.Second, running)
		if waited := p.now.Sub(at); waited > 5*time.Second != late {
			t.Errorf("robot at y = %v m: START after %v", y, waited)
		}
	}
}

// A robot that stays down is taken out at the next START, once, and never so that too few are left.
func TestRepairs(t *testing.T) {
	p := newPitch(t, autoref.Config{})
	p.play()
	for n := range uint8(5) {
		p.robot(game.Home, n+1).On = false
	}
	for round := range 3 {
		p.pass(6 * time.Second)
		p.put(0, 6.2)
		p.until("throw-in", 20*time.Second, running)
		repaired := map[int]bool{}
		for _, d := range p.done {
			if d.Command == game.Repair && (d.Side != game.Home || repaired[d.Robot]) {
				t.Errorf("round %d: got %+v", round, d)
			}
			repaired[d.Robot] = repaired[d.Robot] || d.Command == game.Repair
		}
		if !repaired[1] || !repaired[2] || !repaired[3] {
			t.Errorf("round %d: repaired %v, want 1, 2 and 3", round, repaired)
		}
		p.put(0, 0)
	}
}
