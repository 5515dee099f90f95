package match

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// tell returns a story in a session.
func tell(t *testing.T, name string, cfg Config) (*Session, *Story) {
	t.Helper()
	cfg, err := StoryConfig(name, cfg)
	if err != nil {
		t.Fatal(err)
	}
	session, err := Virtual(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStory(name, session)
	if err != nil {
		t.Fatal(err)
	}
	return session, s
}

// storyPlay runs a session until the story stops, at most for a minute.
func storyPlay(t *testing.T, session *Session, s *Story) {
	t.Helper()
	for range 3000 {
		session.Advance(session.Now().Add(20 * time.Millisecond))
		if s.Step() {
			return
		}
	}
	t.Fatalf("the story does not stop: %+v", s.Show())
}

// Each story reaches its figures in order, whatever the seed and with a lossy link, and the robots' own belief is the
// expected one at each.
func TestFigures(t *testing.T) {
	for name, want := range map[string][]string{
		"booking": {"6 No robot has", "7 robot 1 has", "8 robot 1 has", "9 robot 3 has", "10 robot 3 has"},
		"liar": {"1 No robot has", "2 No robot names another. All robots believe that robot 4 has", "3 Robots 1, 2, 3 and 5 name robot 4",
			"4 All robots believe that robot 3 has", "5 No robot names another"},
		"network": {"1 No robot has", "2 In 6 s two robots had booked the ball for", "3 none for", "4 none for",
			"5 The robots do not agree", "6 All robots believe"},
	} {
		for seed := uint64(1); seed <= 3; seed++ {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) { figures(t, name, seed, want) })
		}
	}
}

func figures(t *testing.T, name string, seed uint64, want []string) {
	cfg := DefaultConfig()
	cfg.Seed, cfg.Link.Loss = seed, float64(seed%3)/10
	session, s := tell(t, name, cfg)
	if s.Next() {
		t.Error("Next before the first figure")
	}
	for i, w := range want {
		number, belief, _ := strings.Cut(w, " ")
		storyPlay(t, session, s)
		v, last := s.Show(), i == len(want)-1
		if v.Failed != "" || !v.Reached || fmt.Sprint(v.Figure) != number || v.Over != last || !strings.Contains(v.Booking, belief) {
			t.Fatalf("got %+v, want figure %s, %q", v, number, belief)
		}
		if s.Next() == last {
			t.Errorf("Next after figure %s returns %t", number, !last)
		}
	}
	if s.Speed() != 1 {
		t.Errorf("after the end the speed is %v", s.Speed())
	}
}

// After its last figure a story stops no more, and the robot that has booked the ball drives to it.
func TestRunsOn(t *testing.T) {
	session, s := tell(t, "booking", DefaultConfig())
	for s.Next(); !s.Over(); s.Next() {
		storyPlay(t, session, s)
	}
	if err := session.PlaceBall(s.ball().Add(s.tale.starts[0])); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		session.Advance(session.Now().Add(20 * time.Millisecond))
		if s.Step() {
			t.Fatalf("the story stops after its end: %+v", s.Show())
		}
	}
	if b, _, _ := s.booker(1); b == 0 || s.distance(b) > storyReach {
		t.Errorf("robot %d has booked the ball and is %.2f m from it", b, s.distance(b))
	}
}

// A figure is reached without stops from any other one, also from a later one, and after trouble.
func TestGo(t *testing.T) {
	session, s := tell(t, "booking", DefaultConfig())
	for _, number := range []int{9, 6, 10, 7, 8} {
		if err := s.Go(number); err != nil {
			t.Fatal(err)
		}
		storyPlay(t, session, s)
		if v := s.Show(); v.Failed != "" || !v.Reached || v.Figure != number {
			t.Fatalf("figure %d: got %+v", number, v)
		}
		_ = session.SetFault(Fault{What: Crash, Robot: 3}, true) // it may be down still
	}
	if err := s.Go(5); err == nil || !strings.Contains(err.Error(), "want 6 to 10") {
		t.Errorf("figure 5: got error %v", err)
	}
}

// A robot that crashes at a figure is off in its words, and believes nothing.
func TestCrashAtFigure(t *testing.T) {
	session, s := tell(t, "booking", DefaultConfig())
	if err := s.Go(9); err != nil {
		t.Fatal(err)
	}
	storyPlay(t, session, s)
	if err := session.SetFault(Fault{What: Crash, Robot: 3}, true); err != nil {
		t.Fatal(err)
	}
	want := "Robot 3 is off. All others believe that robot 3 has booked the ball"
	if v := s.Show(); !strings.HasPrefix(v.Booking, want) {
		t.Errorf("got %q, want %q", v.Booking, want)
	}
}

// A story that cannot go on ends with what was expected and what the robots believe.
func TestFails(t *testing.T) {
	session, s := tell(t, "booking", DefaultConfig())
	storyPlay(t, session, s)
	if err := session.Switch(1, false); err != nil {
		t.Fatal(err)
	}
	s.Next()
	storyPlay(t, session, s)
	if v := s.Show(); v.Reached || !v.Over || !strings.Contains(v.Failed, "Figure 7 was not reached within 20 s") || s.Next() {
		t.Errorf("got %+v", v)
	}
	if err := s.Go(7); err != nil {
		t.Fatal(err)
	}
	storyPlay(t, session, s)
	if v := s.Show(); !v.Reached || v.Failed != "" {
		t.Errorf("again: got %+v", v)
	}
}

// A story needs its own configuration, and a name.
func TestNeedsItsConfig(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Robots = 2
	session, err := Virtual(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewStory("booking", session); err == nil {
		t.Error("got a story of two robots")
	}
	if _, err := StoryConfig("chess", cfg); err == nil || !strings.Contains(err.Error(), "want one of booking, liar, network") {
		t.Errorf("got error %v", err)
	}
}
