package match

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"touchline/game"

	"touchline/soccer"
)

func showOpen(t *testing.T, half time.Duration) *Show {
	t.Helper()
	cfg := DefaultMatchConfig()
	cfg.Half = half
	s, err := NewShow(cfg, Tap{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// showAdvance runs the match for a time, and asks for the topics that need regular calls.
func showAdvance(t *testing.T, s *Show, d time.Duration) {
	t.Helper()
	for end := s.Now().Add(d); s.Now() < end; {
		s.Advance(min(end, s.Now().Add(500*time.Millisecond)))
		s.Nodes(game.Home)
		s.Nodes(game.Away)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// Every topic shows ten robots with what they decide, where they go and what they believe; the views become JSON.
func TestTopics(t *testing.T) {
	s := showOpen(t, 5*time.Minute)
	targets := 0 // at most at one time: while the game is stopped, robots stand
	for range 20 {
		showAdvance(t, s, time.Second)
		n := 0
		for _, r := range s.State().Robots {
			if r.Target != nil {
				n++
			}
		}
		targets = max(targets, n)
	}
	v, states := s.State(), 0
	for _, r := range v.Robots {
		if r.State != "" {
			states++
		}
		if !r.On || !r.Running {
			t.Errorf("robot %+v is not there", r)
		}
	}
	if len(v.Robots) != 10 || targets < 5 || states != 10 {
		t.Errorf("got %d robots, %d targets, %d states", len(v.Robots), targets, states)
	}
	if v.Part != string(game.FirstHalf) || v.Time != 20 || v.Length != 600 || v.Phase == "" || v.Seed != "1" {
		t.Errorf("got %+v", v)
	}
	if v.Home.Ball == nil || v.Away.Ball == nil || v.Home.Group == v.Away.Group || v.Home.Color == v.Away.Color {
		t.Errorf("got teams %+v and %+v", v.Home, v.Away)
	}
	if n := len(v.Possession); n < 8 || n > 9 || strings.Trim(v.Possession, "ha-") != "" {
		t.Errorf("possession %q after 20 of 600 s in 240 parts", v.Possession)
	}
	w := s.Wall()
	if len(w.Tiles) != 10 || len(w.Truth.Robots) != 10 || w.Tiles[9].Color != soccer.Magenta || w.Tiles[9].Number != 5 {
		t.Errorf("got %d tiles and %d robots", len(w.Tiles), len(w.Truth.Robots))
	}
	for _, tile := range w.Tiles {
		if tile.State != "live" || len(tile.Belief.Robots) < 4 || *tile.Found == 0 {
			t.Errorf("tile %s: %s, %d robots, %d of 5 opponents", tile.Key, tile.State, len(tile.Belief.Robots), *tile.Found)
		}
	}
	if b := s.Behaviour(); len(b.Robots) != 10 || len(b.Machines) != 1 {
		t.Errorf("got %d robots and %d machines", len(b.Robots), len(b.Machines))
	}
	for _, side := range game.Sides {
		if b, n := s.Booking(side), s.Nodes(side); len(b.Robots) != 5 || len(n.Nodes) != 6 || len(n.Nodes[0].Links) < 4 {
			t.Errorf("%s: %d robots book, %d nodes", side, len(b.Robots), len(n.Nodes))
		}
	}
	for _, topic := range []any{v, w, s.Behaviour(), s.Booking(game.Away), s.Nodes(game.Away)} {
		if _, err := json.Marshal(topic); err != nil {
			t.Errorf("%T: %v", topic, err)
		}
	}
}

// The page keeps its directions when teams change ends, while robots on the field stand on the other side.
func TestSecondHalf(t *testing.T) {
	s := showOpen(t, 20*time.Second)
	for range 400 {
		if s.State().Part == string(game.SecondHalf) {
			break
		}
		showAdvance(t, s, time.Second)
	}
	v := s.State()
	if v.Part != string(game.SecondHalf) {
		t.Fatalf("after %v s: %s", v.Time, v.Part)
	}
	showAdvance(t, s, 3*time.Second)
	v = s.State()
	home, away := v.Robots[0], v.Robots[5]
	if home.Number != 1 || away.Number != 1 || home.Pose.X > 0 || away.Pose.X < 0 {
		t.Errorf("goalkeepers at %v and %v in the second half", home.Pose, away.Pose)
	}
	tile := s.Wall().Tiles[0]
	if tile.Belief.Robots[0].Pose.X > 0 {
		t.Errorf("the home goalkeeper believes to be at %v", tile.Belief.Robots[0].Pose)
	}
}

// A crashed robot and a cut are on the page at once.
func TestTrouble(t *testing.T) {
	s := showOpen(t, time.Minute)
	showAdvance(t, s, 3*time.Second)
	if err := s.SetFault(Fault{What: Partition, Side: game.Away, Robots: 1 << 4}, true); err != nil {
		t.Fatal(err)
	}
	crash := Fault{To: 10 * time.Second, What: Crash, Side: game.Home, Robot: 2}
	if err := s.SetFault(crash, true); err != nil {
		t.Fatal(err)
	}
	showAdvance(t, s, time.Second)
	v, w := s.State(), s.Wall()
	if v.Robots[1].Running || v.Robots[1].State != "" || !v.Robots[2].Running || w.Tiles[1].State != "off" {
		t.Errorf("got %+v", v.Robots[1])
	}
	if len(v.Away.Apart) != 1 || v.Away.Apart[0] != 4 || len(v.Home.Apart) != 0 {
		t.Errorf("got %v and %v", v.Home.Apart, v.Away.Apart)
	}
	kinds := map[string]int{}
	for _, m := range w.Marks {
		kinds[m.Kind]++
	}
	if kinds["crash"] != 1 || kinds["partition"] != 1 {
		t.Errorf("got marks %+v", w.Marks)
	}
}
