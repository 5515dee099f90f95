package matchnet

import (
	"strings"
	"testing"

	"touchline/internal/match"
	"touchline/internal/watch"
)

// A session with a story pauses at its first figure, and goes on after the command next.
func TestStoryPauses(t *testing.T) {
	s := prepared(t)
	if _, err := s.Commands().Do("next", []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "waits at no figure") {
		t.Errorf("next without a story: got error %v", err)
	}
	var err error
	if s.core, err = match.New(match.StoryConfig(match.DefaultConfig()), func(uint8, []byte) {}); err != nil {
		t.Fatal(err)
	}
	if s.story, err = match.NewStory(s.core); err != nil {
		t.Fatal(err)
	}
	now := s.clock.Began
	for range 500 {
		now = now.Add(tick)
		if err := s.advance(now); err != nil {
			t.Fatal(err)
		}
	}
	w := s.Wall("wall").(*watch.Wall)
	if !w.Paused || w.Story == nil || w.Story.Figure != 6 || !w.Story.Reached || w.Time > 3 {
		t.Fatalf("after 5 s: paused %t at %v s, story %+v", w.Paused, w.Time, w.Story)
	}
	if _, err := s.Commands().Do("next", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if w := s.Wall("wall").(*watch.Wall); w.Paused || w.Story.Figure != 7 || w.Story.Reached {
		t.Errorf("after next: paused %t, story %+v", w.Paused, w.Story)
	}
	if _, err := s.Commands().Do("next", []byte(`{}`)); err == nil {
		t.Error("next before the figure is reached: got no error")
	}
}
