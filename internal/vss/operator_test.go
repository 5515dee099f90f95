package vss_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"touchline/wire/firasim"
)

// While play is stopped the ball is returned to its spot.
func TestBallIsKept(t *testing.T) {
	p := newPitch(t, rules5v5())
	p.play()
	p.ball(0.4, 0.3, 0.5)
	p.tick()
	for _, order := range []string{"halt", "stop", "free_ball 3"} {
		if err := p.ref.Do(order); err != nil {
			t.Fatal(err)
		}
		p.tick()
		kept := p.env.Frame.Ball
		p.ball(kept.X+0.05, kept.Y, 1)
		p.tick()
		if b := p.env.Frame.Ball; b.X != kept.X || b.Y != kept.Y || b.VX != 0 {
			t.Errorf("%s: the ball moved from %v to %v", order, kept, b)
		}
	}
	if b := p.env.Frame.Ball; b.X >= 0 || b.Y >= 0 {
		t.Errorf("got the free ball of quadrant 3 at %+v", b)
	}
}

func TestDo(t *testing.T) {
	for order, c := range map[string]firasim.RefereeCommand{
		"kickoff":          {Foul: firasim.Kickoff, Team: firasim.Blue},
		"KICKOFF yellow":   {Foul: firasim.Kickoff, Team: firasim.Yellow},
		"stop":             {Foul: firasim.Stop, Team: firasim.NoTeam},
		" halt ":           {Foul: firasim.Halt, Team: firasim.NoTeam},
		"game_on":          {Foul: firasim.GameOn, Team: firasim.NoTeam},
		"free_ball 2":      {Foul: firasim.FreeBall, Team: firasim.NoTeam, Quadrant: 2},
		"free_ball":        {Foul: firasim.FreeBall, Team: firasim.NoTeam, Quadrant: 1},
		"penalty yellow":   {Foul: firasim.PenaltyKick, Team: firasim.Yellow},
		"PENALTY_KICK  bl": {},
		"goal_kick  blue":  {Foul: firasim.GoalKick, Team: firasim.Blue},
		"goal_kick":        {}, "penalty": {}, "free_kick": {}, "": {}, "halt now": {}, "free_ball 5": {},
		"stop\x00": {},
	} {
		p := newPitch(t, rules5v5())
		p.play()
		p.ball(0.1, 0.1, 0.5)
		p.tick()
		err := p.ref.Do(order)
		if c == (firasim.RefereeCommand{}) {
			if err == nil || !strings.Contains(err.Error(), "unknown command") ||
				!strings.Contains(err.Error(), "game_on") {
				t.Errorf("%q: got %v", order, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: got %v", order, err)
			continue
		}
		want(t, order, p.tick(), c.Foul, c.Team, c.Quadrant)
		if len(p.commands) != 1 {
			t.Errorf("%q: got commands %+v, want 1", order, p.commands)
		}
		if c.Foul == firasim.Stop || c.Foul == firasim.Halt {
			want(t, order, p.run(time.Minute), c.Foul, c.Team, 0)
		}
	}
}

// The clock does not count jumps between two runs of the simulator; without a ball there is no foul.
func TestClockIsSimulated(t *testing.T) {
	p := newPitch(t, rules5v5())
	p.play()
	p.run(time.Second)
	_, before, _ := p.ref.Clock()
	p.env.Step = 0
	p.tick()
	p.env.Step += 100000
	p.tick()
	p.tick()
	if _, after, _ := p.ref.Clock(); math.Abs(after-before-0.016) > 1e-9 {
		t.Errorf("got %v s, want 0.016 s", after-before)
	}
	p.env.Frame.HasBall = false
	want(t, "without a ball", p.run(20*time.Second), firasim.GameOn, firasim.NoTeam, 0)
}
