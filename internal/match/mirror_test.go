package match

import (
	"math"
	"testing"
	"time"

	"touchline/internal/watch"
	"touchline/soccer"
)

// figureOf returns robot number of a belief.
func figureOf(t *testing.T, b *watch.Belief, number uint8) watch.Figure {
	t.Helper()
	for _, f := range b.Robots {
		if f.Number == number {
			return f
		}
	}
	t.Fatalf("no robot %d in %+v", number, b.Robots)
	return watch.Figure{}
}

// A mirrored robot reports its pose in the other half, with everything that it sees. It is right again once healed,
// replaced or switched on again.
func TestMirror(t *testing.T) {
	s := virtual(t, quiet(), time.Second)
	if err := s.MoveRobot(4, soccer.Pose{X: -5, Y: 2, Theta: 0.5}); err != nil {
		t.Fatal(err)
	}
	reported := func(want soccer.Pose) {
		t.Helper()
		advance(s, time.Second)
		tiles := s.Wall().Tiles
		for _, got := range []watch.Figure{figureOf(t, &tiles[3].Belief, 4), figureOf(t, &tiles[0].Belief, 4)} {
			if got.Pose.XY().Sub(want.XY()).Len() > 0.6 || math.Abs(soccer.WrapAngle(got.Pose.Theta-want.Theta)) > 0.3 {
				t.Errorf("robot 4 reports %+v, want about %+v", got.Pose, want)
			}
		}
	}
	mirror := func(on bool) {
		t.Helper()
		if err := s.SetFault(Fault{What: Mirror, Robot: 4}, on); err != nil {
			t.Fatal(err)
		}
		if got := s.Wall().Tiles[3].Mirrored; got != on {
			t.Errorf("the tile has mirrored %t, want %t", got, on)
		}
	}
	right := soccer.Pose{X: -5, Y: 2, Theta: 0.5}
	reported(right)
	mirror(true)
	reported(right.Turned())
	mirror(false)
	reported(right)
	mirror(true)
	mirror(true)
	for _, on := range []bool{false, true} {
		if err := s.Switch(4, on); err != nil {
			t.Fatal(err)
		}
	}
	reported(right)
	var texts []string
	for _, m := range s.Wall().Marks {
		if m.Kind == "mirror" {
			texts = append(texts, m.Text)
		}
	}
	if len(texts) != 3 {
		t.Errorf("the timeline has %q, want three changes", texts)
	}
	if err := s.Switch(4, false); err != nil {
		t.Fatal(err)
	}
	for _, number := range []uint8{4, 6, 99} { // switched off, the substitute, nobody
		if err := s.SetFault(Fault{What: Mirror, Robot: number}, true); err == nil {
			t.Errorf("robot %d was mirrored", number)
		}
	}
}

// A program outside the session senses the mirrored pose, too.
func TestMirrorOutside(t *testing.T) {
	s := virtual(t, quiet(), time.Second)
	p := join(t, s, 3)
	advance(s, time.Second)
	was := p.Percepts().Self.Pose
	if err := s.SetFault(Fault{What: Mirror, Robot: 3}, true); err != nil {
		t.Fatal(err)
	}
	advance(s, time.Second)
	if got := p.Percepts().Self.Pose; got.XY().Sub(was.Turned().XY()).Len() > 1 {
		t.Errorf("got pose %+v, want about %+v", got, was.Turned())
	}
	s.Leave(3)
	if s.Wall().Tiles[2].Mirrored {
		t.Error("mirrored without a program")
	}
	if err := s.SetFault(Fault{What: Mirror, Robot: 3}, true); err == nil {
		t.Error("a robot without a program was mirrored")
	}
}
