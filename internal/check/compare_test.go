package check_test

import (
	"slices"
	"testing"

	. "touchline/internal/check"
	"touchline/soccer"
	"touchline/wire/msl"
)

// opponents returns the other team of a clean match, which sees the same ball from its own goal.
func opponents(all []sent) (other []sent) {
	for _, s := range all {
		s.world = deep(s.world)
		for k := range s.world.Balls {
			if p := &s.world.Balls[k].Position; p.At[0].Known {
				p.At[0].Value, p.At[1].Value = 0.1-p.At[0].Value, -0.1-p.At[1].Value
				v := &s.world.Balls[k].Velocity
				v.At[0].Value, v.At[1].Value = -v.At[0].Value, -v.At[1].Value
			}
		}
		for k := range s.world.Robots {
			s.world.Robots[k].BallEngaged = msl.Num(0) // the robots are where those of the first team are
		}
		s.data = loose(&s.world)
		other = append(other, s)
	}
	return other
}

// TestCompare wants no note for teams whose balls agree, and one for a frame that no keeper gives away.
func TestCompare(t *testing.T) {
	all := clean(21, 60)
	for _, c := range []struct {
		name string
		turn func(x, y float64) (float64, float64)
		want bool
	}{
		{"clean", func(x, y float64) (float64, float64) { return x, y }, false},
		{"X mirrored", func(x, y float64) (float64, float64) { return -x, y }, true},
	} {
		a, b := card(all), card(turn(c.turn)(opponents(all)))
		Compare(a, b)
		for _, team := range []*Card{a, b} {
			noted := slices.Contains(rules(team.Findings()), "note "+RuleFrame)
			if noted != c.want || !c.want && len(team.Findings()) > 0 {
				t.Errorf("%s: %v", c.name, team.Findings())
			}
		}
	}
	a, b := card(all), card(turn(func(x, y float64) (float64, float64) { return -x, -y })(opponents(all)))
	Compare(a, b)
	if got := rules(b.Findings()); !slices.Equal(got, []string{RuleFrame}) {
		t.Errorf("turned by pi: %v", got)
	}
	if got := a.Findings(); len(got) > 0 {
		t.Errorf("against a team that is turned by pi: %v", got)
	}
	Compare(NewCard("A", soccer.Field{}), card(edit(func(_ int, w *msl.Worldstate) { w.Balls = nil })(clean(21, 5))))
}
