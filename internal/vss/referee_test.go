package vss_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"touchline/internal/vss"
	"touchline/soccer"
	"touchline/wire/firasim"
)

const ballR, robotEdge = 0.0215, 0.075

// pitch is a field under a referee on which only the test moves anything.
type pitch struct {
	t        testing.TB
	ref      *vss.Referee
	env      firasim.Environment
	commands []firasim.RefereeCommand
	put      firasim.Packet // the last replacement of robots
}

func newPitch(t testing.TB, cfg vss.RefereeConfig) *pitch {
	p := &pitch{t: t, ref: vss.NewReferee(cfg)}
	p.env.HasFrame, p.env.Frame.HasBall = true, true
	p.env.Frame.Ball.Z = ballR
	for id := range cfg.Robots {
		y := 0.12 * float64(id-2)
		p.env.Frame.Blue = append(p.env.Frame.Blue, firasim.Robot{ID: uint32(id), X: -0.3, Y: y})
		p.env.Frame.Yellow = append(p.env.Frame.Yellow, firasim.Robot{ID: uint32(id), X: 0.3, Y: y})
	}
	return p
}

func rules5v5() vss.RefereeConfig { return vss.DefaultRefereeConfig(soccer.VSS5v5(), 5) }
func rules3v3() vss.RefereeConfig { return vss.DefaultRefereeConfig(soccer.VSS3v3(), 3) }

// tick advances 16 ms and applies the placements of the referee.
func (p *pitch) tick() firasim.RefereeCommand {
	p.t.Helper()
	p.env.Step += 16
	c, changed, replace := p.ref.Watch(&p.env)
	if changed {
		p.commands = append(p.commands, c)
	}
	if replace == nil {
		return c
	}
	if replace.HasCommands || !replace.HasReplacement || !replace.Replacement.HasBall {
		p.t.Fatalf("got %+v from the referee, want a replacement with the ball", replace)
	}
	b := replace.Replacement.Ball
	p.env.Frame.Ball = firasim.Ball{X: b.X, Y: b.Y, Z: ballR, VX: b.VX, VY: b.VY}
	for _, r := range replace.Replacement.Robots {
		team := p.env.Frame.Blue
		if r.Yellow {
			team = p.env.Frame.Yellow
		}
		for i := range team {
			if team[i].ID == r.Position.ID {
				team[i] = r.Position
				team[i].Orientation *= math.Pi / 180
			}
		}
	}
	if len(replace.Replacement.Robots) > 0 {
		p.put = *replace
		p.put.Replacement.Robots = append([]firasim.RobotReplacement(nil), replace.Replacement.Robots...)
	}
	return c
}

// run advances a time and returns the last command.
func (p *pitch) run(d time.Duration) (c firasim.RefereeCommand) {
	p.t.Helper()
	for range d / (16 * time.Millisecond) {
		c = p.tick()
	}
	return c
}

// play runs to GAME_ON, with a rolling ball.
func (p *pitch) play() {
	p.t.Helper()
	for range 1000 {
		if p.tick().Foul == firasim.GameOn {
			p.ball(0.1, 0, 0.5)
			p.commands = nil
			return
		}
	}
	p.t.Fatal("got no GAME_ON within 16 s")
}

func (p *pitch) ball(x, y, speed float64) {
	p.env.Frame.Ball = firasim.Ball{X: x, Y: y, Z: ballR, VX: speed}
}

func (p *pitch) stand(team firasim.Color, id int, x, y float64) {
	r := &p.env.Frame.Blue[id]
	if team == firasim.Yellow {
		r = &p.env.Frame.Yellow[id]
	}
	r.X, r.Y = x, y
}

// want fails unless got is the expected command.
func want(t testing.TB, what string, got firasim.RefereeCommand, foul firasim.Foul, team firasim.Color,
	quadrant int32) {
	t.Helper()
	if got.Foul != foul || got.Team != team || got.Quadrant != quadrant {
		t.Errorf("%s: got foul %d team %d quadrant %d, want %d %d %d", what, got.Foul, got.Team, got.Quadrant, foul,
			team, quadrant)
	}
}

// The times and speeds are those of VSSReferee.
func TestRules(t *testing.T) {
	for _, c := range []vss.RefereeConfig{rules3v3(), rules5v5()} {
		if c.Half != 300*time.Second || c.Transition != 4*time.Second || c.StuckTime != 5*time.Second ||
			c.StuckSpeed != 0.1 || c.AreaTime != 3*time.Second {
			t.Errorf("%+v", c)
		}
	}
}

// The order is KICKOFF, 4 s, placements and STOP, 4 s, GAME_ON.
func TestKickoff(t *testing.T) {
	for _, cfg := range []vss.RefereeConfig{rules3v3(), rules5v5()} {
		p := newPitch(t, cfg)
		p.ball(0.2, 0.1, 0)
		want(t, "start", p.tick(), firasim.Kickoff, firasim.Blue, 0)
		if b := p.env.Frame.Ball; b.X != 0 || b.Y != 0 {
			t.Errorf("got the ball at %v, %v, want the centre", b.X, b.Y)
		}
		want(t, "before 4 s", p.run(4*time.Second-16*time.Millisecond), firasim.Kickoff, firasim.Blue, 0)
		if len(p.put.Replacement.Robots) != 0 {
			t.Error("got placements before 4 s")
		}
		want(t, "at 4 s", p.run(32*time.Millisecond), firasim.Stop, firasim.NoTeam, 0)
		if n := len(p.put.Replacement.Robots); n != 2*cfg.Robots {
			t.Fatalf("got %d placed robots", n)
		}
		for _, r := range p.put.Replacement.Robots {
			at := soccer.Vec{X: r.Position.X, Y: r.Position.Y}
			if !r.HasPosition || !r.TurnOn {
				t.Errorf("got %+v, want it switched on", r)
			}
			if r.Yellow != (at.X > 0) || math.Abs(at.X) < robotEdge/2 {
				t.Errorf("got %+v, want it in its half", r)
			}
			if r.Yellow && at.Len() < cfg.Field.CircleRadius+robotEdge/2 {
				t.Errorf("got %+v, want it outside the circle because blue kicks", r)
			}
			if facing := math.Mod(r.Position.Orientation+360, 360); r.Yellow && facing != 180 || !r.Yellow &&
				facing != 0 {
				t.Errorf("got %+v, want it to face the other goal, in degrees", r)
			}
		}
		p.run(4*time.Second - 32*time.Millisecond)
		want(t, "at 8 s", p.run(64*time.Millisecond), firasim.GameOn, firasim.NoTeam, 0)
		if len(p.commands) != 3 {
			t.Errorf("got commands %+v, want 3", p.commands)
		}
		if c := p.commands[2]; c.Half != firasim.FirstHalf || c.Timestamp != 0 {
			t.Errorf("%+v", c)
		}
	}
}

func TestGoal(t *testing.T) {
	for _, cfg := range []vss.RefereeConfig{rules3v3(), rules5v5()} {
		line := cfg.Field.Length / 2
		p := newPitch(t, cfg)
		p.play()
		p.ball(line+ballR-1e-6, 0, 0.5)
		want(t, "ball on the line", p.tick(), firasim.GameOn, firasim.NoTeam, 0)
		p.ball(line+ballR+1e-6, 0.19, 0.5)
		want(t, "blue's goal", p.tick(), firasim.Kickoff, firasim.Yellow, 0)
		if b := p.env.Frame.Ball; b.X != 0 || b.Y != 0 || b.VX != 0 {
			t.Errorf("got the ball at %+v, want it at rest in the centre", b)
		}
		p.play()
		p.ball(-line-ballR-1e-6, -0.19, 0.5)
		want(t, "yellow's goal", p.tick(), firasim.Kickoff, firasim.Blue, 0)
		p.play()
		p.ball(line+ballR+1e-3, 0.21, 0.5)
		want(t, "ball over the wall", p.tick(), firasim.FreeBall, firasim.NoTeam, 1)
	}
}

// A ball that a placement put behind the line is out: a free ball in its quadrant, not a goal.
func TestPlacedBall(t *testing.T) {
	cfg := rules3v3()
	p := newPitch(t, cfg)
	p.play()
	p.ref.PlacedBehindLine(true)
	p.ball(-cfg.Field.Length/2-ballR-1e-6, -0.1, 0)
	want(t, "ball placed in blue's goal", p.tick(), firasim.FreeBall, firasim.NoTeam, 3)
}

// A ball that is slow for 5 s causes a free ball in its quadrant; quadrants count counter-clockwise from x, y > 0.
func TestFreeBall(t *testing.T) {
	for _, cfg := range []vss.RefereeConfig{rules3v3(), rules5v5()} {
		for quadrant, at := range []soccer.Vec{{X: 0.3, Y: 0.5}, {X: -0.3, Y: 0.5}, {X: -0.3, Y: -0.5},
			{X: 0.3, Y: -0.5}} {
			p := newPitch(t, cfg)
			p.play()
			for side := range 10 { // it rolls to and fro
				p.ball(at.X+0.15*float64(side%2), at.Y, 0.11)
				want(t, "a ball that rolls", p.run(2*time.Second), firasim.GameOn, firasim.NoTeam, 0)
			}
			p.ball(at.X, at.Y, 0.09)
			want(t, "before 5 s", p.run(5*time.Second-16*time.Millisecond), firasim.GameOn, firasim.NoTeam, 0)
			want(t, "after 5 s", p.run(48*time.Millisecond), firasim.FreeBall, firasim.NoTeam, int32(quadrant+1))
			p.run(4 * time.Second)
			mark := cfg.FreeBall
			if b := p.env.Frame.Ball; math.Abs(b.X) != mark.X || math.Abs(b.Y) != mark.Y || b.X*at.X < 0 ||
				b.Y*at.Y < 0 {
				t.Errorf("got the ball at %+v for a stuck ball at %v", b, at)
			}
			b := p.env.Frame.Ball
			for i, team := range [][]firasim.Robot{p.env.Frame.Blue, p.env.Frame.Yellow} {
				gap := 0.0
				for id, r := range team {
					if id == 1 {
						gap = (b.X - r.X) * float64(1-2*i)
					} else if id > 1 && r.X*b.X > 0 && r.Y*b.Y > 0 {
						t.Errorf("got robot %d of team %d in the quadrant at %v, %v", id, i, r.X, r.Y)
					}
				}
				if math.Abs(gap-cfg.FreeBallGap) > 1e-12 {
					t.Errorf("got the kicker of team %d at a distance of %v m", i, gap)
				}
			}
		}
	}
}

// A ball that robots hold near one spot is stuck after 7 s.
func TestHeldBall(t *testing.T) {
	p := newPitch(t, rules5v5())
	p.play()
	for i := range 500 {
		p.ball(0.4+0.03*float64(i%2), -0.3, 0.5)
		if c := p.tick(); c.Foul != firasim.GameOn || i == 499 {
			want(t, "jostled", c, firasim.FreeBall, firasim.NoTeam, 4)
			break
		}
	}
	if _, played, _ := p.ref.Clock(); played < 6.9 {
		t.Errorf("got the call after %v s, want 7 s", played)
	}
}

// A stuck ball in an area causes a goal kick if both teams are there, and a penalty otherwise.
func TestStuckInArea(t *testing.T) {
	for _, cfg := range []vss.RefereeConfig{rules3v3(), rules5v5()} {
		line := cfg.Field.Length / 2
		for _, defender := range []firasim.Color{firasim.Blue, firasim.Yellow} {
			attacker := firasim.Yellow - defender
			side := float64(2*int(defender) - 1) // blue defends -x
			p := newPitch(t, cfg)
			p.play()
			p.ball(side*(line-0.05), 0.1, 0)
			p.stand(defender, 0, side*(line-0.05), 0.2)
			want(t, "with the keeper alone", p.run(5100*time.Millisecond), firasim.PenaltyKick, attacker, 0)
			if b := p.env.Frame.Ball; math.Abs(b.X-side*(line-0.375)) > 1e-12 || b.Y != 0 {
				t.Errorf("got the penalty at %v, %v", b.X, b.Y)
			}
			p.play()
			p.ball(side*(line-0.05), 0.1, 0)
			p.stand(defender, 0, side*(line-0.05), 0.2)
			p.stand(attacker, 1, side*(line-0.15), 0.1)
			want(t, "disputed", p.run(5100*time.Millisecond), firasim.GoalKick, defender, 0)
			if b := p.env.Frame.Ball; math.Abs(b.X-side*(line-0.15)) > 1e-12 || b.Y < 0 {
				t.Errorf("got the goal kick at %v, %v", b.X, b.Y)
			}
		}
	}
}

// Too many robots in an area for 3 s are a foul.
func TestCrowd(t *testing.T) {
	for _, c := range []struct {
		name      string
		cfg       vss.RefereeConfig
		defenders int
		attackers int
		depth     float64 // of the ball, from the goal line
		foul      firasim.Foul
	}{
		{"one defender, 3v3", rules3v3(), 1, 1, 0.14, firasim.GameOn},
		{"two defenders, 3v3", rules3v3(), 2, 1, 0.14, firasim.PenaltyKick},
		{"two attackers, 3v3", rules3v3(), 1, 2, 0.14, firasim.GoalKick},
		{"ball outside, 3v3", rules3v3(), 2, 2, 0.16, firasim.GameOn},
		{"two defenders, 5v5", rules5v5(), 2, 1, 0.14, firasim.PenaltyKick},
		{"two attackers, 5v5", rules5v5(), 1, 2, 0.14, firasim.GoalKick},
		{"three attackers, larger area", rules5v5(), 3, 3, 0.3, firasim.GameOn},
		{"four attackers, larger area", rules5v5(), 4, 4, 0.3, firasim.GoalKick},
		{"five defenders, larger area", rules5v5(), 5, 3, 0.3, firasim.PenaltyKick},
		{"all outside, larger area", rules5v5(), 5, 4, 0.36, firasim.GameOn},
	} {
		for _, defender := range []firasim.Color{firasim.Blue, firasim.Yellow} {
			t.Run(fmt.Sprint(c.name, defender), func(t *testing.T) {
				attacker, side := firasim.Yellow-defender, float64(2*int(defender)-1)
				line := c.cfg.Field.Length / 2
				p := newPitch(t, c.cfg)
				p.play()
				p.ball(side*(line-c.depth), 0, 0.5)
				for i := range c.defenders {
					p.stand(defender, i, side*(line-min(c.depth, 0.3)), 0.01*float64(i))
				}
				for i := range c.attackers {
					p.stand(attacker, i, side*(line-min(c.depth, 0.3)), -0.01*float64(i))
				}
				want(t, "before 3 s", p.run(3*time.Second-32*time.Millisecond), firasim.GameOn, firasim.NoTeam, 0)
				team := map[firasim.Foul]firasim.Color{
					firasim.GameOn: firasim.NoTeam, firasim.PenaltyKick: attacker, firasim.GoalKick: defender,
				}[c.foul]
				want(t, "after 3 s", p.run(64*time.Millisecond), c.foul, team, 0)
			})
		}
	}
}

// A match has two halves of 300 s of played time, and overtime if configured and needed.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		overtime time.Duration
		blue     uint32
		parts    []firasim.Half
	}{
		{0, 0, []firasim.Half{firasim.FirstHalf, firasim.SecondHalf}},
		{180 * time.Second, 1, []firasim.Half{firasim.FirstHalf, firasim.SecondHalf}},
		{180 * time.Second, 0, []firasim.Half{firasim.FirstHalf, firasim.SecondHalf, firasim.OvertimeFirst,
			firasim.OvertimeSecond}},
	} {
		cfg := rules5v5()
		cfg.Overtime = c.overtime
		cfg.HeldTime = time.Hour // the test's ball says that it rolls, but does not
		p := newPitch(t, cfg)
		for i, half := range c.parts {
			p.play()
			p.env.GoalsBlue = c.blue
			part, elapsed, left := p.ref.Clock()
			length := 300.0
			if half >= firasim.OvertimeFirst {
				length = 180
			}
			if part != half || elapsed != 0 || left != length {
				t.Errorf("part %d: got part %v, %v s played, %v s left at its start", half, part, elapsed, left)
			}
			kickoffs := []firasim.Color{firasim.Blue, firasim.Yellow, firasim.Blue, firasim.Yellow}
			if i > 0 && p.put.Replacement.Ball != (firasim.BallReplacement{}) {
				t.Error("got no kick-off")
			}
			last := p.run(time.Duration(length)*time.Second - 32*time.Millisecond)
			if last.Foul != firasim.GameOn || math.Abs(last.Timestamp-(length-0.032)) > 0.001 {
				t.Errorf("shortly before the end of part %d: got %+v", half, last)
			}
			next := p.run(64 * time.Millisecond)
			if i+1 < len(c.parts) {
				want(t, "next part", next, firasim.Kickoff, kickoffs[i+1], 0)
				if next.Half != c.parts[i+1] || next.Timestamp != 0 {
					t.Errorf("next part: got %+v", next)
				}
			} else if want(t, "end", next, firasim.Halt, firasim.NoTeam, 0); !p.ref.Over() {
				t.Error("got a match that is not over")
			}
		}
		said := len(p.commands)
		if p.run(10 * time.Second); len(p.commands) != said {
			t.Error("got commands after the end")
		}
		if err := p.ref.Do("kickoff"); err == nil || !strings.Contains(err.Error(), "match is over") {
			t.Errorf("kickoff after the end: got %v", err)
		}
	}
}

// The pitch goes through fouls and placements.
func TestWatchAllocatesNothing(t *testing.T) {
	p := newPitch(t, rules5v5())
	p.play()
	p.tick()
	if n := testing.AllocsPerRun(2000, func() {
		p.env.Step += 16
		p.env.Frame.Ball.VX = 0
		p.ref.Watch(&p.env)
	}); n != 0 {
		t.Errorf("got %v allocations a tick, want 0", n)
	}
}

func BenchmarkReferee(b *testing.B) {
	cfg := rules5v5()
	cfg.Half, cfg.HeldTime = 1e6*time.Hour, 1e6*time.Hour // it is GAME_ON all the time
	p := newPitch(b, cfg)
	p.play()
	b.ReportAllocs()
	for b.Loop() {
		p.env.Step += 16
		p.ref.Watch(&p.env)
	}
}
