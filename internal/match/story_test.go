package match

import (
	"strings"
	"testing"
	"time"
)

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

// The story reaches figures 6 to 10 in order, whatever the seed and with a lossy link, and the robots' own booking is
// that of the paper at each.
func TestFigures(t *testing.T) {
	want := []struct {
		figure  int
		booking string
	}{{6, "No robot has"}, {7, "robot 1 has"}, {8, "robot 1 has"}, {9, "robot 3 has"}, {10, "robot 3 has"}}
	for seed := uint64(1); seed <= 5; seed++ {
		cfg := StoryConfig(DefaultConfig())
		cfg.Seed, cfg.Link.Loss = seed, float64(seed%3)/10
		session, err := Virtual(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewStory(session)
		if err != nil {
			t.Fatal(err)
		}
		if s.Next() {
			t.Errorf("seed %d: Next before the first figure", seed)
		}
		for i, w := range want {
			storyPlay(t, session, s)
			v := s.Show()
			if v.Failed != "" || !v.Reached || v.Figure != w.figure || v.First != 6 || v.Last != 10 ||
				!strings.Contains(v.Booking, w.booking) {
				t.Fatalf("seed %d: got %+v, want figure %d, %q", seed, v, w.figure, w.booking)
			}
			if last := i == len(want)-1; s.Next() == last {
				t.Errorf("seed %d: Next after figure %d returns %t", seed, w.figure, !last)
			}
		}
		session.Advance(session.Now().Add(time.Second))
		if s.Step() || s.Show().Figure != 10 {
			t.Errorf("seed %d: the story goes on after its end: %+v", seed, s.Show())
		}
	}
}

// A story that cannot go on ends with what was expected and what the robots believe.
func TestFails(t *testing.T) {
	session, err := Virtual(StoryConfig(DefaultConfig()), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewStory(session)
	if err != nil {
		t.Fatal(err)
	}
	storyPlay(t, session, s)
	if err := session.Switch(1, false); err != nil {
		t.Fatal(err)
	}
	s.Next()
	storyPlay(t, session, s)
	if v := s.Show(); v.Reached || !strings.Contains(v.Failed, "Figure 7 was not reached within 20 s") || s.Next() {
		t.Errorf("got %+v", v)
	}
}

// The story needs its own configuration.
func TestNeedsItsConfig(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Robots = 2
	session, err := Virtual(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewStory(session); err == nil {
		t.Error("got a story of two robots")
	}
}
